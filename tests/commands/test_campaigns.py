"""``fw convert-ratings pearmut`` and ``genmt``: logs of campaigns and files of WMT's general task become rows."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable
from math import fsum
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from json_files import read_json, read_rows, write_rows

import metrics_framework as fw
from metrics_framework.commands.app import main
from metrics_framework.common.errors import InputError

Rows: TypeAlias = "list[dict[str, Any]]"
Convert: TypeAlias = "Callable[..., tuple[Rows, dict[str, Any]]]"
SPAN = {"start_i": 0, "end_i": 4, "severity": "minor", "category": None}


@pytest.fixture
def convert(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Convert:
    def run(name: str, path: Path | str, *flags: str) -> tuple[Rows, dict[str, Any]]:
        rows, summary = tmp_path / "rows.out", tmp_path / "summary.out"
        words = ["convert-ratings", name, str(path), str(rows), "--summary", str(summary), "--force", *flags]
        assert main(words) == 0, capsys.readouterr().err
        return read_rows(rows), read_json(summary)

    return run


def means(rows: Rows) -> dict[str, float]:
    """System to the mean over its outputs of the means of raters."""
    found = defaultdict(list)
    for row in rows:
        scores = row["metrics"]["esa"]
        found[row["summarizer_id"]].append(fsum(scores) / len(scores))
    return {system: fsum(scores) / len(scores) for system, scores in found.items()}


# ---- Pearmut ---------------------------------------------------------------------------------------------------------


def entry(user: str, item_i: int | str, *segments: dict[str, Any], **others: Any) -> dict[str, Any]:
    """An entry of a log with, for each segment, its systems' ratings and its id."""
    items = [{"src": "Quelle", "tgt": dict.fromkeys(one["scores"], "text"), **one.get("item", {})} for one in segments]
    annotation = [{name: rated(score) for name, score in one["scores"].items()} for one in segments]
    return {"annotation": annotation, "item": items, "user_id": user, "item_i": item_i, **others}


def rated(score: Any) -> Any:
    return score if isinstance(score, dict) else {"score": score, "error_spans": [SPAN] * (score < 50)}


def segment(item_id: str, **scores: Any) -> dict[str, Any]:
    return {"item": {"item_id": item_id} if item_id else {}, "scores": scores}


LOG = [
    entry("ann", "welcome_0", segment("t_#_tutorial_#_0", a=70)),
    entry("ann", 0, segment("news_###_n1_###_0", a=10, b=20), segment("news_###_n1_###_1", a=30, b=40)),
    {"user_id": "ann", "annotation": "__RESET__"},
    {"user_id": "bob", "item_i": "welcome_0", "item": [{"text": "Age?", "form": "number"}], "annotation": ["40"]},
    entry("bob", 0, segment("news_###_n1_###_0", a=80, refA=100), segment("attention_check_1", a=5)),
    entry("ann", 0, segment("news_###_n1_###_0", a=60, refA=90)),
    entry("ann", 1, segment("", a={"sliders": {"fluency": 40, "adequacy": 80}, "error_spans": []})),
    {**entry("bob", 2, segment("news_###_n2_###_0", a=1)), "annotation": None},
    entry("bob", 3, segment("x_#_tutorial_#_1", a=3), segment("short", a=55)),
    entry("ann", 0, segment("news_###_n1_###_0", a=70, refA=95)),
]
COUNTS = {"reset": 2, "form": 0, "welcome": 1, "random": 0, "goodbye": 0, "skipped": 1}
COUNTS_OF_RATINGS = {"tutorial": 1, "attention-check": 1, "replaced": 2}


@pytest.fixture(params=["lines", "download"])
def log(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    if request.param == "lines":
        path = tmp_path / "eng---deu.jsonl"
        path.write_text("".join(f"{json.dumps(one)}\n" for one in LOG), encoding="utf-8")
    else:
        path = tmp_path / "annotations.json"
        path.write_text(json.dumps({"eng---deu": LOG, "other": LOG[4:5]}), encoding="utf-8")
    return path


def test_pages_and_ratings_that_do_not_count_are_left_out_by_kind(convert: Convert, log: Path) -> None:
    rows, summary = convert("pearmut", log)
    rows = [row for row in rows if row["language_pair"] == "eng-deu"]
    by_output = {(row["document"], row["segment"], row["summarizer_id"]): row for row in rows}
    hashed = next(name for name, *_ in by_output if len(name) == 12 and name.isalnum())
    assert {key: (row["raters"], row["metrics"]) for key, row in by_output.items()} == {
        ("news_###_n1", "0", "a"): (["ann", "bob"], {"esa": [70, 80]}),
        ("news_###_n1", "0", "refA"): (["ann", "bob"], {"esa": [95, 100]}),
        (hashed, "1", "a"): (["ann"], {"esa": [60], "fluency": [40], "adequacy": [80]}),
        ("short", "", "a"): (["bob"], {"esa": [55]}),
    }
    assert by_output["news_###_n1", "0", "refA"]["summarizer_type"] == "reference"
    expected = {**COUNTS, **COUNTS_OF_RATINGS}
    if log.suffix == ".json":  # the other campaign has an attention check
        expected["attention-check"] += 1
    assert summary["dropped"] == expected


@pytest.mark.parametrize(
    "words",
    [
        "compare",
        "compare --score esa",
        "compare --preset wmt --macro language_pair --cluster document",
        "agreement --rating esa --statistic all",
    ],
)
def test_a_log_is_read_as_its_rows_are(words: str, log: Path, tmp_path: Path) -> None:
    rows, results = tmp_path / "rows.jsonl", [tmp_path / "of_log.json", tmp_path / "of_rows.json"]
    assert main(["convert-ratings", "pearmut", str(log), str(rows)]) == 0
    for path, result in zip((log, rows), results, strict=True):
        assert main([*words.split(), str(path), "--output-file", str(result), "--silent"]) == 0
    assert json.loads(results[0].read_text()) == json.loads(results[1].read_text())


def test_agreement_leaves_raters_out_by_a_rule(log: Path, tmp_path: Path) -> None:
    rows, rule = tmp_path / "rows.jsonl", "severity<0"
    assert main(["convert-ratings", "pearmut", str(log), str(rows), "--drop-raters", rule]) == 0
    studies = [fw.agreement(str(log), "esa", drop_raters=one, log=lambda _: None) for one in (rule, "")]
    expected = fw.agreement(str(rows), "esa", log=lambda _: None)
    assert studies[0].to_json() == expected.to_json() != studies[1].to_json()
    with pytest.raises(InputError, match="'drop_raters' needs an export"):
        fw.agreement(str(rows), "esa", drop_raters=rule)


def test_a_log_is_gated_by_its_scores(log: Path) -> None:
    kinds: list[str] = []
    found = fw.gate(str(log), str(log), "esa", system="a", baseline="refA", score_range=(0, 100), log=kinds.append)
    assert (found.old, found.new, found.inputs) == ((97.5, 75, 1) if log.suffix == ".jsonl" else (98.75, 77.5, 2))
    assert any("left out: reset (2)" in note for note in kinds)


@pytest.mark.parametrize("actions", ["load", [3], [{"time": "late"}, {"time": 5}], {"time": 1}])
def test_times_that_are_no_numbers_are_missing(actions: Any, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(json.dumps({**LOG[4], "actions": actions}) + "\n", encoding="utf-8")
    assert fw.raters_report(str(path)).to_records()[0]["minutes"] in (0, None)


def test_segments_of_one_id_with_other_sources_are_other_segments(convert: Convert, tmp_path: Path) -> None:
    segments = [segment("doc", a=10), segment("doc", a=30), segment("x_###_1", a=50), segment("x_###_1", a=70)]
    segments[1]["item"]["src"] = "Andere Quelle"
    path = write_rows(tmp_path / "log.jsonl", [entry("ann", 0, *segments)])
    rows, summary = convert("pearmut", path)
    assert [(row["document"], row["segment"], row["metrics"]["esa"]) for row in rows] == [
        ("doc", "1", [10.0]),
        ("doc", "2", [30.0]),
        ("x", "1", [70.0]),
    ]
    assert summary["dropped"]["replaced"] == 1, "the segment that is the same"


def test_ratings_without_a_score_are_noted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_rows(tmp_path / "log.jsonl", [entry("ann", 0, segment("doc", a=10, b={"score": None}))])
    assert main(["convert-ratings", "pearmut", str(path), str(tmp_path / "rows.jsonl")]) == 0
    assert "1 rating without a score" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["reset", "attention-check", "tutorial", "replaced"])
def test_a_kind_can_be_kept(convert: Convert, log: Path, kind: str) -> None:
    _, without = convert("pearmut", log)
    _, summary = convert("pearmut", log, "--keep", kind)
    assert summary["dropped"][kind] == 0
    assert summary["ratings"] > without["ratings"]


def test_kinds_to_keep_are_separated_by_commas_or_spaces(convert: Convert, log: Path) -> None:
    both = convert("pearmut", log, "--keep", "replaced", "tutorial")
    assert convert("pearmut", log, "--keep", "replaced, tutorial") == both != convert("pearmut", log)


def test_systems_are_ranked_by_converted_ratings(
    convert: Convert, log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The rows state that higher ratings are better, so that no flag has to say it."""
    convert("pearmut", log)
    (tmp_path / "rows.out").rename(tmp_path / "rows.jsonl")
    out = tmp_path / "ranks.json"
    assert main(["compare", str(tmp_path / "rows.jsonl"), "--score", "esa", "--output-file", str(out)]) == 0
    assert "direction" not in capsys.readouterr().err
    score = read_json(out)["scores"]["esa"]
    assert score["higher_is_better"] is True
    values = [system["value"] for system in score["systems"].values()]
    assert values == sorted(values, reverse=True)


def test_rows_have_the_texts_and_the_human_translations_as_references(convert: Convert, log: Path) -> None:
    rows, _ = convert("pearmut", log)
    found = {(row["summarizer_id"], row["segment"]): row for row in rows if row["document"] == "news_###_n1"}
    assert found["a", "0"]["references"] == ["text"]
    assert (found["a", "0"]["source"], found["a", "0"]["summary"]) == ("Quelle", "text")
    assert "references" not in found["refA", "0"]


def test_a_reset_can_cancel_the_pages_of_all_raters(convert: Convert, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text("".join(f"{json.dumps(LOG[index])}\n" for index in (4, 1, 2, 5)), encoding="utf-8")
    assert [convert("pearmut", path)[1]["dropped"]["reset"]] == [1]
    assert convert("pearmut", path, "--resets", "campaign")[1]["dropped"]["reset"] == 2


def test_a_log_is_read_without_conversion_with_the_same_numbers(convert: Convert, log: Path, tmp_path: Path) -> None:
    if log.suffix == ".json":
        log.write_text(json.dumps({"eng---deu": LOG}), encoding="utf-8")
    rows, _ = convert("pearmut", log)
    converted = fw.agreement([{**row, "metrics": {"esa": row["metrics"]["esa"]}} for row in rows], "esa")
    direct = fw.agreement(str(log), "score", duplicates="last", log=print)
    (first,), (second,) = (found.to_records() for found in (converted, direct))
    assert [first[name] for name in ("value", "lower", "units", "ratings")] == [
        second[name] for name in ("value", "lower", "units", "ratings")
    ]


@pytest.mark.parametrize(("least", "expected"), [("65", [1, 1, 0, 0]), ("95", [0, 1, 0, 0]), ("99", [0, 0, 0, 0])])
def test_outputs_without_errors_are_marked(convert: Convert, tmp_path: Path, least: str, expected: list[int]) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text("".join(f"{json.dumps(LOG[index])}\n" for index in (4, 5)), encoding="utf-8")
    marked = entry("ann", 7, segment("d_###_0", a={"score": 99, "error_spans": [SPAN]}), segment("d_###_1", a=20))
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(marked) + "\n")
    rows, _ = convert("pearmut", path, "--error-free", least)
    assert [row["metrics"]["error_free"] for row in rows] == expected  # means 70 and 95; one error; a low score
    assert rows[0]["signature"]["ratings"] == f"ratings:pearmut|error-free:{float(least)}|better:higher"


@pytest.fixture(params=["own", "golden"])
def campaign(request: pytest.FixtureRequest) -> Path:
    if request.param == "own":
        return Path(__file__).parents[2] / "datasets" / "campaign" / "annotations.json"
    found: Path = request.getfixturevalue("shared_path")("golden/shared-tasks/pearmut-annotations.json")
    return found


def test_detection_of_outputs_without_errors_reads_the_campaign_itself(
    campaign: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows, scores, marked = (str(tmp_path / name) for name in ("rows.jsonl", "scores.jsonl", "marked.jsonl"))
    assert main(["convert-ratings", "pearmut", str(campaign), rows, "--silent"]) == 0
    assert main(["convert-ratings", "pearmut", str(campaign), marked, "--silent", "--error-free", "85"]) == 0
    assert main(["score", scores, "-m", "chrf", "--input-files", rows, "--where", "summarizer_type=peer"]) == 0
    for human, converted in (("error-free", marked), ("esa", rows)):
        words = [scores, "--metric", "chrf", "--human", human, "--coefficient", "auroc,f1", "--cluster", "document"]
        words += ["--good-above", "80"] * (human == "esa")
        capsys.readouterr()
        assert main(["correlate", str(campaign), *words]) == 0
        out, err = capsys.readouterr()
        assert f"{campaign}: left out: " in err
        assert ("from a mean score of 85 on" in err) is (human == "error-free")
        assert main(["correlate", converted, *words]) == 0
        assert capsys.readouterr().out == out
    fitted = ["--threshold-from", str(campaign), "--threshold-from", scores, "--paper", str(tmp_path / "x.tex")]
    words = [scores, "--metric", "chrf", "--gold", "error-free", "--coefficient", "f1", *fitted]
    assert main(["correlate", str(campaign), *words]) == 0
    paper = (tmp_path / "x.tex").read_text(encoding="utf-8")
    assert "if their mean score is at least 85 and at most half of their raters mark an error." in paper
    assert "calls outputs good, is fitted on other data." in paper


def test_kinds_that_campaigns_do_not_have_are_refused(campaign: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["correlate", str(campaign), "--metric", "x", "--gold", "error-free", "--keep", "odd"]) == 2
    assert "--keep must be one of reset, form" in capsys.readouterr().err


WRONG = [
    ({"annotation": [{}], "item": [], "user_id": "a", "item_i": 0}, ":1: must have the ratings of each of its items"),
    (entry("a", 0, segment("d_###_1", a=101)), ":1: 'score' must be from 0 to 100"),
    ({**entry("a", 0, segment("d_###_1", a=5)), "annotation": [[5]]}, ":1: must have the ratings of each system"),
    ({"id": 1}, ":1: is no entry of a log of Pearmut"),
    (entry("a", 0, segment("d_###_1", a={"sliders": {"x": "5"}})), ":1: 'sliders' must be an object of numbers"),
    (entry("a", 0, segment("d_###_1", a={"sliders": [5]})), ":1: 'sliders' must be an object of numbers"),
]


def test_what_leaves_no_ratings_is_named(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert-ratings", "pearmut", str(log), "--drop-raters", "ratings>0"]) == 1
    assert "contains no ratings; left out: reset (" in capsys.readouterr().err


@pytest.mark.parametrize(("row", "message"), WRONG)
def test_malformed_entries_are_reported(
    row: dict[str, Any], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    assert main(["convert-ratings", "pearmut", str(path)]) == 1
    assert f"{path}{message}" in capsys.readouterr().err


GOLDEN = {  # option, counts, means of systems: independent computation from the same log
    "user": (
        (100, {"reset": 4, "welcome": 4, "random": 2, "replaced": 8}),
        {"base": 66.088235, "ours": 85.588235, "refA": 89.5, "tiny": 35.323529},
    ),
    "campaign": ((64, {"reset": 12, "welcome": 2, "random": 1}), {"ours": 89.464286}),
}


@pytest.mark.parametrize("resets", GOLDEN)
def test_golden_campaign(resets: str, convert: Convert, shared_path: Callable[[str], Path]) -> None:
    (ratings, dropped), expected = GOLDEN[resets]
    rows, summary = convert("pearmut", shared_path("golden/shared-tasks/pearmut-annotations.json"), "--resets", resets)
    assert (summary["ratings"], {kind: n for kind, n in summary["dropped"].items() if n}) == (ratings, dropped)
    found = means(rows)
    assert {name: round(found[name], 6) for name in expected} == expected
    assert len(rows) == (68 if resets == "user" else 56)


# ---- WMT's general task ----------------------------------------------------------------------------------------------

RATINGS = [
    {
        "doc_id": "wmt26_###_news_###_en_###_cs_###_d1",
        "scores": {
            "A": [
                {"score": 80, "annotator": "ann", "errors": [], "times": [1, 9], "protocol": "ESA"},
                {"score": 60, "annotator": "bob", "errors": [SPAN], "times": [2, 5], "protocol": "ESA"},
                {"score": 70, "annotator": "ann", "errors": [], "times": [4, 7], "protocol": "ESA"},
            ],
            "refA": [{"score": None, "annotator": "ann", "errors": [], "times": [], "protocol": "ESA"}],
        },
    },
    {"doc_id": "wmt26_###_news_###_en_###_cs_###_d1", "scores": {"A": [{"score": 50, "annotator": "ann"}]}},
    {"doc_id": "en-de_#_speech_#_d2_#_7", "scores": {"B": [{"score": 90, "annotator": "ann"}]}},
]


def test_ratings_of_segments(convert: Convert, tmp_path: Path) -> None:
    path = tmp_path / "ratings.jsonl"
    path.write_text("".join(f"{json.dumps(one)}\n" for one in RATINGS), encoding="utf-8")
    rows, summary = convert("genmt", path)
    assert [(row["instance_id"], row["summarizer_id"], row["domain"], row["metrics"]) for row in rows] == [
        ("en-cs_###_d1_###_1", "A", "news", {"esa": [80, 60]}),
        ("en-cs_###_d1_###_1", "refA", "news", {"esa": [None]}),
        ("en-cs_###_d1_###_2", "A", "news", {"esa": [50]}),
        ("en-de_###_d2_###_7", "B", "speech", {"esa": [90]}),
    ]
    assert summary["dropped"] == {"replaced": 1}
    assert rows[0]["spans"] == [{"start": 0, "end": 5, "severity": "minor", "category": None, "rater": "bob"}]
    assert [row["language_pair"] for row in convert("genmt", path, "--pair", "en-de")[0]] == ["en-de"]


def test_an_unknown_pair_is_an_error_that_names_those_of_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "ratings.jsonl"
    path.write_text("".join(f"{json.dumps(one)}\n" for one in RATINGS), encoding="utf-8")
    assert main(["convert-ratings", "genmt", str(path), "--pair", "en-dk"]) == 2
    assert "en-cs" in capsys.readouterr().err
    assert main(["convert-ratings", "genmt", str(path), "--error-free", "200"]) == 2
    assert "--error-free" in capsys.readouterr().err


AUTOMATIC = {
    "language_pair": "en-cs",
    "domain": "news",
    "document_id": "d",
    "metric_scores": {"x": [1, None], "y": [3, 4]},
}


def test_automatic_scores_of_a_folder(convert: Convert, tmp_path: Path) -> None:
    folder = tmp_path / "scores"
    folder.mkdir()
    for system, document in (("A", "d"), ("B", 7)):
        row = {**AUTOMATIC, "document_id": document}
        (folder / f"{system}.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    rows, _ = convert("genmt", folder)
    assert [(row["instance_id"], row["summarizer_id"], row["metrics"]) for row in rows] == [
        (f"en-cs_###_{document}_###_{number}", system, {"x": x, "y": y})
        for system, document in (("A", "d"), ("B", "7"))
        for number, x, y in ((1, 1, 3), (2, None, 4))
    ]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({**AUTOMATIC, "metric_scores": {"x": [1], "y": [3, 4]}}, "must have a score of each metric for each segment"),
        ({"doc_id": "d1", "scores": {}}, "'doc_id' must be"),
        ({"scores": {}}, "must have 'doc_id' and 'scores'"),
        ({"metric_scores": {}}, "has no 'language_pair'"),
        ({**AUTOMATIC, "metric_scores": None}, "'metric_scores' must be an object of lists"),
        ({**AUTOMATIC, "metric_scores": {"x": 1}}, "'metric_scores' must be an object of lists"),
        ({**AUTOMATIC, "language_pair": None}, "'language_pair' must be a text"),
        ({**RATINGS[0], "scores": {"A": {"score": 5}}}, "'scores' must have a list of ratings for 'A'"),
        ({**RATINGS[0], "scores": {"A": [5]}}, "'scores' must have a list of ratings for 'A'"),
        ({**RATINGS[0], "tgt_text": ["x"]}, "'tgt_text' must be an object of texts"),
    ],
)
def test_malformed_rows_are_reported(
    row: dict[str, Any], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    assert main(["convert-ratings", "genmt", str(path)]) == 1
    assert f"{path}:1: {message}" in capsys.readouterr().err


# ---- outputs of one system a file, joined with the test set ----------------------------------------------------------

TEST_SET = [
    {
        "doc_id": f"en-{target}_#_{domain}_#_d{number}",
        "src_lang": "en",
        "tgt_lang": target,
        "src_text": f"Source {number}.",
        "refs": {"refA": {"ref": f"Reference {number} {target}."}, "refB": f"Another {number}."},
    }
    for target, domain in (("cs_CZ", "news"), ("is_IS", "speech"))
    for number in range(3)
]


def outputs_of(names: list[str], text: str) -> Rows:
    return [{"_other": [], "doc_id": name, "hypothesis": f"{text} {name[-1]}."} for name in names]


@pytest.fixture
def outputs(tmp_path: Path) -> Callable[[str, Rows], str]:
    def write(name: str, rows: Rows) -> str:
        path = tmp_path / f"{name}.jsonl"
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
        return str(path)

    return write


IDS: list[str] = [row["doc_id"] for row in TEST_SET]


def test_outputs_are_joined_with_the_test_set_by_doc_id(
    outputs: Callable[[str, Rows], str], capsys: pytest.CaptureFixture[str]
) -> None:
    test_set = outputs("genmt", TEST_SET)
    files = [outputs("A", outputs_of(IDS, "Reference")), outputs("B", outputs_of(IDS[::-1], "Another"))]
    texts = [
        {
            "instance_id": row["doc_id"],
            "summarizer_id": system,
            "summary": f"{text} {row['doc_id'][-1]}.",
            "references": [row["refs"]["refA"]["ref"], row["refs"]["refB"]],
        }
        for system, text in (("A", "Reference"), ("B", "Another"))
        for row in TEST_SET
    ]
    expected = {system: scores["chrf"] for system, scores in fw.evaluate("chrf", texts, checks=False).systems.items()}
    reader = {"type": "default", "test_set": test_set}
    for jobs in (1, 2):
        found = fw.evaluate("chrf", files=files, reader=reader, jobs=jobs, checks=False)
        assert {system: scores["chrf"] for system, scores in found.systems.items()} == expected
    flags = ["--input-files", *files, "--dataset", test_set, "--silent", "--no-checks"]
    assert main(["compare", "-m", "chrf", *flags, "--preset", "wmt", "--ci", "none", "--format", "json"]) == 0
    systems = json.loads(capsys.readouterr().out)["scores"]["chrf"]["systems"]
    assert {system: one["num_instances"] for system, one in systems.items()} == {"B": 6, "A": 6}
    assert main(["evaluate", "-m", "chrf", *flags, "--by", "language_pair"]) == 0
    assert "en-is_IS chrf" in capsys.readouterr().out


NOT_OF_THE_TEST_SET = [  # ids of the file, flags, message after the path, why
    (["en-cs_CZ_#_news_#_d9", *IDS[1:]], [], ":1: 'en-cs_CZ_#_news_#_d9' is not in the test set", "unknown"),
    (IDS[:5], [], f": 'A' has no output for '{IDS[5]}' (line 6 of ", "one is missing"),
    (IDS[1:4], [], f": 'A' has no output for '{IDS[0]}' (line 1 of ", "several are missing"),
    (IDS[3:5], ["--where", "language_pair=en-is_IS"], f": 'A' has no output for '{IDS[5]}'", "one of the pair"),
]


@pytest.mark.parametrize(("names", "flags", "message", "why"), NOT_OF_THE_TEST_SET)
def test_a_missing_or_unknown_doc_id_is_an_error(
    names: list[str],
    flags: list[str],
    message: str,
    why: str,
    outputs: Callable[[str, Rows], str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    path, test_set = outputs("A", outputs_of(names, "x")), outputs("genmt", TEST_SET)
    assert main(["evaluate", "-m", "chrf", "--input-files", path, "--dataset", test_set, *flags]) == 1, why
    assert f"{path}{message}" in capsys.readouterr().err


def test_outputs_of_one_pair_need_its_rows_alone(outputs: Callable[[str, Rows], str]) -> None:
    path, test_set = outputs("A", outputs_of(IDS[3:], "x")), outputs("genmt", TEST_SET)
    flags = ["--input-files", path, "--dataset", test_set, "--where", "language_pair=en-is_IS", "--no-checks"]
    assert main(["evaluate", "-m", "chrf", *flags]) == 0


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([*TEST_SET, TEST_SET[0]], "genmt.jsonl:7: duplicate 'instance_id'"),
        ([{**row, "hypothesis": "x"} for row in TEST_SET], "already includes outputs"),
    ],
)
def test_other_test_sets_are_errors(
    rows: Rows, message: str, outputs: Callable[[str, Rows], str], capsys: pytest.CaptureFixture[str]
) -> None:
    flags = ["--input-files", outputs("A", outputs_of(IDS, "x")), "--dataset", outputs("genmt", rows)]
    assert main(["evaluate", "-m", "chrf", *flags]) in (1, 2)
    assert message in capsys.readouterr().err


def test_a_text_that_differs_from_that_of_the_test_set_is_an_error(
    outputs: Callable[[str, Rows], str], capsys: pytest.CaptureFixture[str]
) -> None:
    path = outputs("A", [{**row, "source": "Other."} for row in outputs_of(IDS, "x")])
    assert main(["evaluate", "-m", "chrf", "--input-files", path, "--dataset", outputs("genmt", TEST_SET)]) == 1
    assert f"{path}:1: 'source' differs from line 1 of the test set" in capsys.readouterr().err.replace(", 2, 3", "")
