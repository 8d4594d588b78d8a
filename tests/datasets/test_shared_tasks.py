"""DUC, TAC and MultiLing 2011, read from folders of the organizers' layout."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import shared_task_files as made

from metrics_framework.commands.app import main
from metrics_framework.common.errors import DataError
from metrics_framework.datasets.score_tables import AnnotatedTable, ScoreTable
from metrics_framework.datasets.shared_task_files import Output

Rows = list[dict[str, Any]]
SetUp = Callable[..., dict[str, Rows]]


@pytest.fixture(autouse=True)
def data_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FW_DATA", str(tmp_path / "home"))


@pytest.fixture
def set_up(tmp_path: Path) -> SetUp:
    """Sets up a data set, or some of its parts, from files; returns the rows of each part."""

    def run(name: str, files: made.Files, *parts: str) -> dict[str, Rows]:
        folder = made.write(tmp_path / "in", files)
        for part in parts or [""]:
            words = ["setup-dataset", f"{name}-{part}".rstrip("-"), str(tmp_path / "out"), "--from-dir", str(folder)]
            assert main(words) == 0
        paths = sorted((tmp_path / "out").glob("*.jsonl"))
        return {
            path.stem.removeprefix(f"{name}-"): [json.loads(line) for line in path.read_text("utf-8").splitlines()]
            for path in paths
        }

    return run


def row(system: str, kind: str, **fields: Any) -> dict[str, Any]:
    return {"instance_id": "d0801-A", "summarizer_id": system, "summarizer_type": kind, **fields}


def test_tac_2008(set_up: SetUp) -> None:
    parts = set_up("tac2008", made.tac2008())
    assert len(parts) == 15
    first, second = {"text": ["It rained.", "A lot."]}, {"text": ["Much rain fell."]}
    assert parts["A-summaries"] == [
        row("14", "peer", summary={"text": ["Rain."]}, references=[first, second]),
        row("A", "reference", summary=first, references=[second]),
        row("B", "reference", summary=second, references=[first]),
    ]
    assert [one["instance_id"] for one in parts["summaries"]] == ["d0801-A"] * 3 + ["d0801-B"] * 2
    precision = {"precision": 25.0, "f1": 33.333}
    peer = {
        "rouge-1": {"recall": 50.0, **precision},
        "rouge-1_jk": {"recall": 37.5, **precision},
        "rouge-be-hm": {"recall": 12.5, **precision},
        "rouge-be-hm_jk": {"recall": 12.5, **precision},
        "modified_pyramid_score": 0.5,
        "num_scus": 4,
        "num_repetitions": 1,
        "modified_pyramid_score_jk": 0.25,
        "linguistic_quality": 3,
        "overall_responsiveness": 2,
    }
    names = ("num_scus_jk", "modified_pyramid_score_jk", "linguistic_quality", "overall_responsiveness")
    reference = dict(zip(names, (9, 0.75, 8, 9), strict=True))
    assert parts["metrics"] == [row("14", "peer", metrics=peer), row("A", "reference", metrics=reference)]
    assert parts["documents"] == [
        {
            "instance_id": "d0801-A",
            "documents": [{"filename": "NYT_ENG_20041001.0001", "text": ["It rained in York.", "A lot & long."]}],
        },
        {"instance_id": "d0801-B", "documents": [{"filename": "NYT_ENG_20041002.0001", "text": ["The sun came."]}]},
    ]


TWO_PARTS = [  # data set, folder of the evaluation and the ending of its archive, those of AESOP, topic
    ("tac2009", "UpdateSumm09_eval", "tar.gz", "AESOP09_eval", "tar.gz", "D0901"),
    ("tac2010", "GuidedSumm2010_eval", "tgz", "AESOP2010_eval", "tgz", "D1001"),
    ("tac2011", "GuidedSumm2011_eval", "tgz", "AESOP2011_eval_V1.2", "tgz", "D1101"),
]
DOCUMENTS = {
    "tac2009": ("TAC2009_Summarization_Documents", "UpdateSumm09_test_docs_files"),
    "tac2010": ("TAC2010_Summarization_Documents", "GuidedSumm10_test_docs_files"),
}


@pytest.mark.parametrize(("name", "root", "ending", "aesop_root", "aesop_ending", "topic"), TWO_PARTS)
def test_tac_2009_to_2011(
    set_up: SetUp, name: str, root: str, ending: str, aesop_root: str, aesop_ending: str, topic: str
) -> None:
    files = dict(made.two_parts(root, f"{root}.{ending}", f"{aesop_root}.{aesop_ending}", aesop_root, topic))
    if name in DOCUMENTS:
        outer, inner = DOCUMENTS[name]
        documents = made.tar({f"{inner}/{topic}A/{topic}A-A/NYT_ENG_20041001.0001": made.article("It rained.")})
        files[f"{outer}.tgz"] = made.tar({f"{outer}/{inner}.tar.gz": documents})
    else:
        files |= made.gigaword()
    parts = set_up(name, files)
    peer, reference, *_ = parts["metrics"]
    input_id = f"{topic.lower()}-A"
    assert (peer["instance_id"], peer["summarizer_id"]) == (input_id, "1")
    assert peer["metrics"]["aesop"] == {"1": 0.5}  # the other measure is NaN there
    assert peer["metrics"]["modified_pyramid_score_jk"] == 0.25
    assert peer["metrics"]["rouge-1_jk"]["recall"] == 25.0
    assert reference["metrics"]["overall_responsiveness"] == 9
    assert [row["instance_id"][-1] for row in parts["B-summaries"]] == ["B", "B", "B"]
    assert parts["documents"][0]["instance_id"] == input_id
    expected = ["Article 0."] if name == "tac2011" else ["It rained."]
    assert parts["documents"][0]["documents"][0]["text"] == expected


def test_duc_2005(set_up: SetUp) -> None:
    parts = set_up("duc2005", made.duc2005())
    assert parts["summaries"][0]["summary"] == {"text": ["Rain\ufffdfell."]}
    peer, reference = parts["metrics"]
    assert peer["metrics"] == {
        "rouge-1_jk": {"recall": 50.0, "precision": 25.0, "f1": 33.333},
        "responsiveness": 3,
        "linguistic_quality": {"Q1": 4, "Q2": 2},
        "pyramid_score": 0.5,
        "modified_pyramid_score": 0.25,
        "num_scus": 4,
        "num_repetitions": 1,
    }
    assert (reference["summarizer_type"], reference["metrics"]) == ("reference", {"responsiveness": 5})
    texts = [document["text"] for document in parts["documents"][0]["documents"]]
    assert (parts["documents"][0]["instance_id"], texts) == ("d301", [["It rained."], ["A map."]])


def test_duc_2006(set_up: SetUp, capsys: pytest.CaptureFixture[str]) -> None:
    parts = set_up("duc2006", made.duc2006())
    assert parts["metrics"][0]["summarizer_id"] == "3"  # also as 03 in the table of pyramid scores
    assert set(parts["metrics"][0]["metrics"]) >= {"content_responsiveness", "overall_responsiveness", "num_scus"}
    assert [row["instance_id"] for row in parts["documents"]] == ["d0601"]
    # of two annotations of a summary, the first is kept
    assert [(row["instance_id"], row["summarizer_id"]) for row in parts["annotations"]] == [("d0601", "3")]
    assert "allpans/115.D0601.M.250.A.3.pan: skipped, because '3' is annotated for 'd0601'" in capsys.readouterr().err


def test_duc_2007(set_up: SetUp) -> None:
    parts = set_up("duc2007", made.duc2007())
    assert parts["main-metrics"][0]["metrics"]["modified_pyramid_score"] == 0.5
    assert parts["update-C-metrics"][0]["instance_id"] == "d0703-C"
    assert parts["update-A-summaries"][0]["summarizer_id"] == "A"
    assert [row["instance_id"] for row in parts["update-documents"]] == ["d0703-C"]
    assert [row["instance_id"] for row in parts["main-documents"]] == ["d0701"]


def test_duc_2004(set_up: SetUp) -> None:
    parts = set_up("duc2004", made.duc2004())
    ids = {name: rows[0]["instance_id"] for name, rows in parts.items() if name.endswith("summaries")}
    assert ids == {
        "task1-summaries": "APW19981016.0240",
        "task2-summaries": "d30001",
        "task3-summaries": "AFA19981230.1000.0058",
        "task4-summaries": "d30001",
        "task5-summaries": "d132",
    }
    metrics = parts["task5-metrics"][0]["metrics"]
    assert metrics["responsiveness"] == 3
    assert metrics["peer_quality"] == {"Q1": 0, "Q2": 1, "Q3": 2, "Q4": 3, "Q5": 4, "Q6": 3, "Q7": 2}
    assert metrics["coverage"] == {"mean": 0.4, "median": 0.5, "std": 0.1}
    assert metrics["num_peer_units"] == 8
    assert parts["task1-documents"][0]["instance_id"] == "APW19981016.0240"
    assert parts["task2-documents"][0]["instance_id"] == "d30001"
    assert parts["task5-documents"][0]["instance_id"] == "d132"


def test_duc_2003(set_up: SetUp) -> None:
    parts = set_up("duc2003", made.duc2003())
    (headline, reference) = parts["task1-summaries"]
    assert (headline["instance_id"], headline["summary"]["text"]) == ("APW19981016.0240", ["Rain."])
    assert reference["summary"]["text"] == ["It rained."]
    scores = parts["task1-metrics"][0]["metrics"]
    assert scores["usefulness"] == [2, 1]
    assert "peer_quality" not in scores
    assert scores["length_adjusted_coverage"] == {"mean": 0.3, "median": 0.4, "std": 0.2}
    assert parts["task4-metrics"][0]["metrics"]["responsiveness"] == [3, 4]
    assert len(parts["task2-metrics"][0]["metrics"]["peer_quality"]) == 12
    assert parts["task2-summaries"][0]["references"] == [{"text": ["It rained.", "A lot."]}]
    assert parts["task2-documents"][0]["instance_id"] == "d30003"


def test_duc_2002(set_up: SetUp) -> None:
    parts = set_up("duc2002", made.duc2002())
    assert parts["task2-50-summaries"][0]["references"] == [{"text": ["It rained.", "A lot."]}]
    assert parts["task2-100-summaries"] == []
    scores = parts["task2-50-metrics"][0]["metrics"]
    assert len(scores["peer_quality"]) == 11  # one answer is a hyphen
    assert parts["task1-metrics"][0]["instance_id"] == "AP880911-0016"
    assert parts["task1-documents"][0]["documents"][0]["text"] == ["It rained.", "A lot."]


def test_duc_2001(set_up: SetUp) -> None:
    parts = set_up("duc2001", made.duc2001())
    found = [
        (row["instance_id"], row["summarizer_id"], row["summary"]["text"]) for row in parts["test-task1-summaries"]
    ]
    assert found == [("AP1", "C", ["It poured."]), ("SJMN91-06015144", "B", ["It rained."])]
    assert [row["instance_id"] for row in parts["test-task2-summaries"]] == ["d04-50", "d04-50"]
    assert parts["test-task2-summaries"][0]["references"] == [{"text": ["A lot of rain."]}]
    assert parts["test-task1-documents"][0]["documents"][0]["text"] == ["Rain.", "It rained."]
    assert [row["instance_id"] for row in parts["train-task2-summaries"]] == ["d01-100"]
    assert len(parts["test-task1-documents"]) == 1


def test_multiling_2011(set_up: SetUp) -> None:
    parts = set_up("multiling2011", made.multiling2011(), "en-summaries", "en-metrics", "en-documents", "el-summaries")
    english = parts["en-summaries"]
    assert [(row["summarizer_id"], row["summarizer_type"]) for row in english] == [
        ("3", "peer"),
        ("A", "reference"),
        ("B", "reference"),
    ]
    assert parts["en-metrics"][0]["metrics"] == {
        "MeMoG": 0.2,
        "rouge-2": {"recall": 50.0, "precision": 25.0, "f1": 33.333},
        "grade": [4, 5],
        "length_aware_grade": [3.5, 4.5],
    }
    assert parts["en-documents"][0]["documents"] == [{"filename": "M0001.english", "text": ["Rain", "It rained."]}]
    assert parts["el-summaries"][0]["summary"]["text"] == ["Βροχή."]


def test_pyramids_and_annotations(set_up: SetUp, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    parts = set_up("tac2008", made.tac2008(), "A-pyramids", "A-annotations")
    warning = capsys.readouterr().err
    assert "skipped, because it cannot be read: UpdateSumm08_eval/manual/pyramids/D0801-B.pyr" in warning
    (pyramid,) = parts["A-pyramids"]
    assert (pyramid["instance_id"], pyramid["summarizer_ids"]) == ("d0801-A", ["A", "B"])
    part = {"text": "It rained", "start": 0, "end": 9}
    assert pyramid["scus"] == [{"scu_id": 3, "label": "Rain", "contributors": [{"summary_index": 0, "parts": [part]}]}]
    files = [str(tmp_path / "out" / f"tac2008-A-{name}.jsonl") for name in ("pyramids", "annotations")]
    words = ["pyramid-score", "evaluate", str(tmp_path / "macro.json"), str(tmp_path / "micro.jsonl")]
    assert main([*words, "--dataset-reader", "pyramid-based", "--input-files", *files]) == 0
    systems = json.loads((tmp_path / "macro.json").read_text("utf-8"))["systems"]
    assert systems["14"] == {"modified_pyramid_score": 1.0}


# ---- what can go wrong -----------------------------------------------------------------------------------------------


def test_without_a_folder_the_steps_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["setup-dataset", "tac2011"]) == 2
    error = capsys.readouterr().err
    assert "'tac2011' is licensed, so only its organizers may send you its files:" in error
    assert "1. Read tac.nist.gov/data" in error
    assert "fw setup dataset tac2011 --from-dir FOLDER" in error


def changed(**files: str) -> made.Files:
    """Returns TAC 2008 with other files in the archive of its evaluation; an underscore stands for a slash."""
    content = dict(made.tac2008())
    names = {name.replace("_", "/", 2): text for name, text in files.items()}
    evaluation = {f"UpdateSumm08_eval/{name}": text for name, text in names.items()}
    return {**content, "scrapes/2008/UpdateSumm08_eval.tar.gz": made.tar(evaluation)}


WITHOUT_DOCUMENTS = {name: content for name, content in made.tac2008().items() if "Documents" not in name}
SCORES_OF_2005 = made.tar({"processed_pans.txt": "301 5 0.5 0.25 4 1\n301 6 0.5 half 4 1\n"})
SUMMARIES_OF_2006 = made.tar({f"NISTeval2/ROUGE/peers/D0601.M.250.{x}.3": f"Rain {x}.\n" for x in "AB"})
FAULTS = [  # data set or part, files, message, number of parts that are set up
    ("tac2008", changed(ROUGE_peers_D0801="Rain."), "D0801: has an unexpected name; expected INPUT", 3),
    ("tac2008", changed(ROUGE_peers_x="Rain."), "contains none of the expected files; is it the right archive?", 3),
    ("tac2008", {"UpdateSumm08_eval.tar.gz": b"no archive"}, "UpdateSumm08_eval.tar.gz: is not a readable archive", 0),
    (
        "tac2008",
        {**made.tac2008(), "copy/UpdateSumm08_eval.tar.gz": b"other"},
        "must contain only one 'UpdateSumm08_eval.tar.gz', but",
        3,
    ),
    (
        "tac2008",
        WITHOUT_DOCUMENTS,
        "must contain 'TAC2008_Summarization_Documents.tgz', in any folder; none found",
        12,
    ),
    (
        "duc2005-metrics",
        {**made.duc2005(), "DUC2005.tar.gz": SCORES_OF_2005},
        "processed_pans.txt:2: is not a row of scores: expected numbers in columns 3, 4, 5, 6",
        0,
    ),
    (
        "duc2006-summaries",
        {**made.duc2006(), "NISTeval2.tar.gz": SUMMARIES_OF_2006},
        "contains another summary of '3' for 'd0601' than an earlier file",
        0,
    ),
]


@pytest.mark.parametrize(("name", "files", "expected", "count"), FAULTS)
def test_a_fault_is_named_and_the_other_parts_are_set_up(
    name: str, files: made.Files, expected: str, count: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = made.write(tmp_path / "in", files)
    assert main(["setup-dataset", name, str(tmp_path / "out"), "--from-dir", str(folder)]) == 1
    assert expected in capsys.readouterr().err
    assert len(list((tmp_path / "out").glob("*.jsonl"))) == count


SCORES = ScoreTable("scores.table", {"responsiveness": 2}, system=1)
ANSWERS = AnnotatedTable("answers.table", 6, 1, 4, 2, "sets")


def test_lines_before_the_first_row_are_text_and_hyphens_are_no_scores() -> None:
    found: dict[Output, dict[str, Any]] = {}
    SCORES.read(b"topic peer responsiveness\nd1 3 4\nd1 4 -\n\nd2 3 5\n", found)
    assert found == {Output("d1", "3"): {"responsiveness": 4}, Output("d2", "3"): {"responsiveness": 5}}
    found = {}
    ANSWERS.read(b"d1 3 x 100 4 2\nd1 4 x 100 - -\n", found)
    assert found == {Output("d1", "3"): {"peer_quality": {"Q1": 4, "Q2": 2}}}


@pytest.mark.parametrize(
    ("table", "content", "message"),
    [
        (SCORES, b"d1 3 4\ntotal\n", "scores.table:2: is not a row of scores: expected numbers in columns 3"),
        (SCORES, b"text\n", "scores.table: contains no row with numbers in columns 3"),
        (ANSWERS, b"d1 3 x 100 4 2\nd1 4\n", "answers.table:2: is not a row of scores: expected 6 columns"),
        (ANSWERS, b"", "answers.table: contains no row with 6 columns"),
    ],
)
def test_other_lines_are_errors(table: Any, content: bytes, message: str) -> None:
    with pytest.raises(DataError) as error:
        table.read(content, {})
    assert str(error.value) == message
