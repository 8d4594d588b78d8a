"""``fw convert-ratings appraise``: exports of Appraise become rows of scores; what is left out is counted by kind.

The published exports are read from ``FW_SHARED/data/appraise``: ``humeval/esa_generalMT2024_wave2.csv`` and
``…wave3.csv`` of wmt-conference/wmt24-news-systems, and ``data/campaign-ruction-rc5`` of
wmt-conference/ErrorSpanAnnotation: ``*ESA.scores.csv``, ``*GEMBA.scores.csv`` and ``en-de.*.seg.score``.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable
from math import fsum
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from json_files import read_rows

import metrics_framework as fw
from metrics_framework.commands.app import main

Rows: TypeAlias = "list[dict[str, Any]]"
Convert: TypeAlias = "Callable[..., tuple[Rows, dict[str, Any]]]"

SPANS = '"[{""start_i"":0,""end_i"":4,""severity"":""major"",""error_type"":null}]"'
EXPORT = [  # line, the kind that it is left out as
    (f"r1,online,7,TGT,eng,deu,60,news-1,False,{SPANS},10.5,20.5", ""),
    ("r2,online,7,TGT,eng,deu,80,news-1,False,[],10.5,20.5", ""),
    ("r1,refA,7,TGT,eng,deu,95,news-1,False,[],21.0,22.0", ""),
    ("r1,wmt.refB,8,TGT,eng,deu,90,news-1,False,[],23.0,24.0", ""),
    ("r1,refiner,8,TGT,eng,ces,85,news-2,False,[],25.0,26.0", ""),
    ("r1,de-tutorial,1,TGT,eng,deu,0,de-tutorial1,False,[],1.0,2.0", "tutorial"),
    ("r1,online,7,BAD,eng,deu,5,news-1#bad,False,[],27.0,28.0", "bad"),
    ("r1,online,8,TGT,eng,deu,5,news-1#bad12,False,[],27.0,28.0", "bad"),
    ("r1,online,9,BAD,eng,deu,5,news-1#incomplete#bad,False,[],27.0,28.0", "bad"),
    ("r1,refC,7,REF,eng,deu,100,news-1,False,[],29.0,30.0", "type"),
    ("r1,online,9,TGT,eng,deu,70,news-3#incomplete,False,[],31.0,32.0", "incomplete"),
    ("r1,online,7,TGT,eng,deu,65,news-1#dup#dup,False,[],33.0,34.0", "duplicate"),
    ("r1,online,8,TGT,eng,deu,65,news-1#duplicate1,False,[],33.0,34.0", "duplicate"),
    ("r1,online,,TGT,eng,deu,66,news-1,False,[],35.0,36.0", "document-score"),
    ("r2,refA,7,TGT,eng,deu,40,news-1,False,[],50.0,60.0", ""),
    ("r2,refA,7,TGT,eng,deu,20,news-1,False,[],30.0,40.0", "replaced"),
]


@pytest.fixture
def convert(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Convert:
    def run(path: Path | str, *flags: str, name: str = "appraise") -> tuple[Rows, dict[str, Any]]:
        rows, summary = tmp_path / "rows.jsonl", tmp_path / "summary.json"
        arguments = ["convert-ratings", name, str(path), str(rows), "--summary", str(summary), *flags]
        assert main(arguments) == 0, capsys.readouterr().err
        return read_rows(rows), json.loads(summary.read_text(encoding="utf-8"))

    return run


@pytest.fixture
def export(tmp_path: Path) -> Path:
    path = tmp_path / "export.csv"
    path.write_text("".join(f"{line}\n" for line, _ in EXPORT), encoding="utf-8")
    return path


def test_rows_have_the_ratings_of_outputs_and_their_spans(convert: Convert, export: Path) -> None:
    rows, summary = convert(export)
    assert [(row["summarizer_id"], row["summarizer_type"], row["metrics"]["esa"], row["raters"]) for row in rows] == [
        ("online", "peer", [60.0, 80.0], ["r1", "r2"]),
        ("refA", "reference", [95.0, 40.0], ["r1", "r2"]),
        ("wmt.refB", "reference", [90.0], ["r1"]),
        ("refiner", "peer", [85.0], ["r1"]),
    ]
    assert rows[0]["instance_id"] == rows[1]["instance_id"] == "eng-deu_###_news-1_###_7"
    assert {name: rows[3][name] for name in ("language_pair", "document", "segment")} == {
        "language_pair": "eng-ces",
        "document": "news-2",
        "segment": "8",
    }
    assert rows[0]["spans"] == [{"start": 0, "end": 5, "severity": "major", "error_type": None, "rater": "r1"}]
    assert {name: summary[name] for name in ("rows", "ratings", "raters")} == {"rows": 4, "ratings": 6, "raters": 2}


def test_what_is_left_out_is_counted_by_kind(
    convert: Convert, export: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, summary = convert(export)
    expected = {kind: sum(one == kind for _, one in EXPORT) for _, kind in EXPORT if kind}
    assert summary["dropped"] == expected
    assert (
        "left out: tutorial (1), bad (3), type (1), incomplete (1), duplicate (2), document-score (1), replaced (1); "
        "fw convert-ratings --keep keeps the named kinds"
    ) in capsys.readouterr().err


@pytest.mark.parametrize("kind", sorted({kind for _, kind in EXPORT if kind}))
def test_a_kind_can_be_kept(convert: Convert, export: Path, kind: str) -> None:
    _, without = convert(export)
    _, summary = convert(export, "--keep", kind)
    incomplete = kind == "bad"  # one of the three is of an incomplete document, too
    assert summary["ratings"] == without["ratings"] + without["dropped"][kind] - incomplete
    assert summary["dropped"] == {**without["dropped"], kind: 0, **({"incomplete": 2} if incomplete else {})}


def test_a_replaced_rating_that_is_kept_has_a_rater_of_its_own(convert: Convert, export: Path) -> None:
    rows, _ = convert(export, "--keep", "replaced")
    assert dict(zip(rows[1]["raters"], rows[1]["metrics"]["esa"], strict=True)) == {"r1": 95, "r2": 20, "r2#2": 40}


def test_other_systems_can_be_references(convert: Convert, export: Path) -> None:
    rows, _ = convert(export, "--references", "refiner")
    assert [row["summarizer_type"] for row in rows] == ["peer", "reference", "reference", "reference"]
    assert main(["convert-ratings", "appraise", str(export), "--references", "Refiner"]) == 2


def test_esa_reads_an_export_as_appraise_does(convert: Convert, export: Path) -> None:
    rows, summary = convert(export)
    assert rows[0].pop("signature") == {"ratings": "ratings:appraise|better:higher"}
    others, same = convert(export, name="esa")
    assert others[0].pop("signature") == {"ratings": "ratings:esa|better:higher"}
    assert (others, same) == (rows, summary)


WRONG = [  # line, message
    ("r1,s,7,TGT,eng,deu,60,d,False,[],1.0", "export.csv:17: must have the 12 columns of Appraise (rater, system, "),
    ("r1,s,7,TGT,eng,deu,160,d,False,[],1.0,2.0", "export.csv:17: 'score' must be from"),
    ("r1,s,7,TGT,eng,deu,60,d,False,{},1.0,2.0", "export.csv:17: 'spans' must be"),
    ("r1,s,7,TGT,eng,deu,60,d,False,[],1.0,now", "export.csv:17: 'end' must"),
]


@pytest.mark.parametrize(("line", "message"), WRONG)
def test_malformed_lines_are_reported(
    line: str, message: str, export: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with export.open("a", encoding="utf-8") as file:
        file.write(line + "\n")
    assert main(["convert-ratings", "appraise", str(export)]) == 1
    assert message in capsys.readouterr().err


def test_an_export_of_mqm_annotations_is_noted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mqm.csv"
    path.write_text("r1,s,7,TGT,eng,deu,0,d,False,[],1.0,2.0\n", encoding="utf-8")
    assert main(["convert-ratings", "appraise", str(path), str(tmp_path / "rows.jsonl")]) == 0
    assert "all scores are 0" in capsys.readouterr().err


def test_a_log_of_pearmut_is_refused_with_the_command_that_reads_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = {"user_id": "u", "item": [{"src": "s", "tgt": {"a": "t"}}], "annotation": [{"a": {"score": 5}}]}
    (tmp_path / "log.jsonl").write_text(json.dumps(page) + "\n", encoding="utf-8")
    path, rows = str(tmp_path / "log.jsonl"), str(tmp_path / "rows.jsonl")
    assert main(["convert-ratings", "appraise", path]) == 1
    assert f"fw convert-ratings pearmut {path} RATINGS.jsonl" in capsys.readouterr().err
    assert main(["convert-ratings", "pearmut", path, rows]) == 0


# ---- published exports -----------------------------------------------------------------------------------------------

WMT24 = [  # file, ratings, raters, dropped, means of systems, outputs without errors: published script humeval/tools.py
    (
        "esa_generalMT2024_wave2.csv",
        (15741, 203),
        {"tutorial": 1228, "bad": 2448, "incomplete": 746, "duplicate": 166, "replaced": 105},
        {
            ("eng-ces", "refA"): 94.336700,
            ("eng-ces", "ONLINE-W"): 91.740741,
            ("eng-hin", "ONLINE-B"): 92.289562,
            ("eng-hin", "IKUN-C"): 73.878788,
        },
        9958,
    ),
    (
        "esa_generalMT2024_wave3.csv",
        (8762, 112),
        {"tutorial": 673, "bad": 1365, "incomplete": 334, "duplicate": 88, "replaced": 77},
        {("eng-jpn", "Claude-3.5"): 93.047478, ("eng-jpn", "Aya23"): 90.881306},
        6173,
    ),
]
CAMPAIGN = [  # export, scores that the campaign's scripts write, ratings, dropped
    (
        "240315rc5ESA.scores.csv",
        "en-de.ESA-1.seg.score",
        2691,
        {"tutorial": 198, "bad": 398, "duplicate": 14, "replaced": 13},
    ),
    (
        "240520rc6ESA.scores.csv",
        "en-de.ESA-2.seg.score",
        2691,
        {"tutorial": 204, "bad": 403, "duplicate": 14, "replaced": 15},
    ),
    (
        "240315rc5GEMBA.scores.csv",
        "en-de.ESAAI-1.seg.score",
        2691,
        {"tutorial": 200, "bad": 397, "duplicate": 14, "replaced": 2},
    ),
    (
        "240520rc6GEMBA.scores.csv",
        "en-de.ESAAI-2.seg.score",
        2691,
        {"tutorial": 198, "bad": 397, "duplicate": 14, "replaced": 1},
    ),
    ("240521rc6ESA.scores.csv", "en-de.ESA-IAA.seg.score", 984, {"tutorial": 72, "bad": 145, "replaced": 2}),
    ("240521rc6GEMBA.scores.csv", "en-de.ESAAI-IAA.seg.score", 995, {"tutorial": 78, "bad": 158, "replaced": 2}),
]


def means(rows: Rows) -> dict[tuple[str, str], float]:
    found = defaultdict(list)
    for row in rows:
        found[row["language_pair"], row["summarizer_id"]].extend(row["metrics"]["esa"])
    return {key: fsum(scores) / len(scores) for key, scores in found.items()}


@pytest.mark.parametrize(
    ("file", "counts", "dropped", "expected", "error_free"), WMT24, ids=[case[0] for case in WMT24]
)
def test_published_ratings_of_wmt24(
    file: str,
    counts: tuple[int, int],
    dropped: dict[str, int],
    expected: dict[tuple[str, str], float],
    error_free: int,
    convert: Convert,
    shared_path: Callable[[str], Path],
) -> None:
    rows, summary = convert(shared_path(f"data/appraise/{file}"))
    assert (summary["ratings"], summary["raters"]) == counts
    assert {kind: count for kind, count in summary["dropped"].items() if count} == dropped
    assert {key: round(means(rows)[key], 6) for key in expected} == expected
    marked, _ = convert(shared_path(f"data/appraise/{file}"), "--error-free", "85", "--force")
    assert sum(row["metrics"]["error_free"] for row in marked) == error_free


@pytest.mark.parametrize(("file", "scores", "ratings", "dropped"), CAMPAIGN, ids=[case[1] for case in CAMPAIGN])
def test_published_ratings_of_error_span_annotation(
    file: str,
    scores: str,
    ratings: int,
    dropped: dict[str, int],
    convert: Convert,
    shared_path: Callable[[str], Path],
) -> None:
    rows, summary = convert(shared_path(f"data/appraise/{file}"))
    assert summary["ratings"] == ratings
    assert {kind: count for kind, count in summary["dropped"].items() if count} == dropped
    published = published_means(shared_path(f"data/appraise/{scores}"))
    assert means(rows) == {("eng-deu", f"wmt23.{system}"): pytest.approx(mean) for system, mean in published.items()}


def published_means(path: Path) -> dict[str, float]:
    found = defaultdict(list)
    for line in path.read_text(encoding="utf-8").splitlines():
        system, score = line.split("\t")
        if score not in ("None", "score"):  # unrated; the header of the file
            found[system].append(float(score))
    return {system: fsum(scores) / len(scores) for system, scores in found.items()}


def test_alpha_of_the_two_campaigns_is_that_of_the_published_scores(
    convert: Convert, shared_path: Callable[[str], Path], tmp_path: Path
) -> None:
    files = []
    for file, *_ in CAMPAIGN[:2]:
        convert(shared_path(f"data/appraise/{file}"))
        files.append(str((tmp_path / "rows.jsonl").rename(tmp_path / f"{file}.jsonl")))
    (found,) = fw.agreement(files, "esa", ["krippendorff"]).to_records()
    first, second = (
        shared_path(f"data/appraise/{scores}").read_text(encoding="utf-8").split() for _, scores, *_ in CAMPAIGN[:2]
    )
    pairs = [(float(x), float(y)) for x, y in zip(first, second, strict=True) if x[:1].isdigit() and y[:1].isdigit()]
    scores = [score for pair in pairs for score in pair]
    mean = fsum(scores) / len(scores)
    within = fsum((x - y) ** 2 for x, y in pairs) / len(pairs)
    between = 2 * fsum((score - mean) ** 2 for score in scores) / (len(scores) - 1)
    # two items of 2,691 have the numbers of others, which the campaign's scripts correct by name
    assert (found["units"], found["ratings"], len(pairs)) == (2689, 5382, 2691)
    assert found["value"] == pytest.approx(1 - within / between, abs=2e-4)
