"""`evaluate` scores data in memory exactly as `fw evaluate` scores files, and names mistakes by their index."""

from __future__ import annotations

import gc
import json
import pickle
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from messages import (
    EXPECTED_CONFIDENCE,
    IDS_IN_ALL_OR_NONE,
    LIST_WRITTEN_AS_TEXT,
    ONE_ENTRY_FOR_EACH_OUTPUT,
    ONE_INPUT_ONLY,
    SAME_FOR_ALL_OUTPUTS,
)

import metrics_framework as fw
from metrics_framework.commands.app import main
from metrics_framework.integrations import hugging_face

DATA = Path(__file__).resolve().parents[2] / "datasets" / "simplification"
SYSTEMS = ("careful", "clumsy", "timid")


def lines(name: str) -> list[str]:
    return (DATA / f"{name}.txt").read_text(encoding="utf-8").splitlines()


OUTPUTS = {name: lines(name) for name in SYSTEMS}
REFERENCES = [list(texts) for texts in zip(lines("references.0"), lines("references.1"), strict=True)]
SOURCES = lines("sources")
FILES = [str(DATA / f"{name}.txt") for name in SYSTEMS]
FLAGS = ["--references", *(str(DATA / f"references.{n}.txt") for n in (0, 1)), "--sources", str(DATA / "sources.txt")]


def rows() -> list[dict[str, Any]]:
    return [
        {"instance_id": number, "system": name, "prediction": text, "references": references, "source": source}
        for name, texts in OUTPUTS.items()
        for number, (text, references, source) in enumerate(zip(texts, REFERENCES, SOURCES, strict=True), 1)
    ]


@pytest.fixture(scope="module")
def of_command(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Any]:
    """The files of system scores and output scores that the command writes."""
    folder = tmp_path_factory.mktemp("command")
    macro, micro = folder / "macro.json", folder / "micro.jsonl"
    flags = ["--metric", "sari", "--metric", "ter", "--confidence", "--baseline", "clumsy"]
    assert main(["evaluate", str(macro), str(micro), "--outputs", *FILES, *FLAGS, *flags, "--silent"]) == 0
    return json.loads(macro.read_text()), [json.loads(line)["metrics"] for line in micro.read_text().splitlines()]


FORMS: dict[str, dict[str, Any]] = {
    "lists": {"outputs": OUTPUTS, "references": REFERENCES, "sources": SOURCES},
    "rows": {"outputs": rows()},
    "an iterator of rows": {"outputs": iter(rows())},
    "two processes": {"outputs": rows(), "jobs": 2},
    "all processors": {"outputs": rows(), "jobs": 0},
    "files": {"files": FILES, "references": FLAGS[1:3], "sources": FLAGS[4], "keep_outputs": True},
    "files by system": {
        "files": dict(zip(SYSTEMS, FILES, strict=True)),
        "references": FLAGS[1:3],
        "sources": Path(FLAGS[4]),
    },
    "files with a reader": {
        "files": FILES,
        "reader": {"type": "plain-text", "references": FLAGS[1:3], "sources": FLAGS[4]},
    },
}


@pytest.mark.parametrize("form", FORMS)
def test_all_forms_of_input_have_the_scores_of_the_command(form: str, of_command: tuple[Any, Any]) -> None:
    arguments, (macro, micro) = FORMS[form], of_command
    result = fw.evaluate(["sari", "ter"], **arguments, confidence=True, baseline="clumsy")
    assert json.loads(json.dumps(result.as_json())) == macro
    assert [row.metrics for row in result.outputs] == (micro if result.outputs else [])
    assert bool(result.outputs) == ("outputs" in arguments or "keep_outputs" in arguments)
    assert json.loads(result.table("json")) == macro


def test_a_result_is_a_collection_of_systems_and_has_a_table_of_them() -> None:
    result = fw.evaluate(["sari", "ter"], OUTPUTS, references=REFERENCES, sources=SOURCES)
    assert (len(result), dict(result)) == (3, result.systems)
    assert "careful" in result
    assert "Careful" not in result
    with pytest.raises(KeyError, match="unknown system 'Careful'; did you mean 'careful'"):
        result["Careful"]
    assert list(result.systems) == list(result.num_outputs) == list(SYSTEMS)
    assert result.table().splitlines()[0].split() == ["system", "outputs", "sari", "ter"]
    table = result.table("csv", scores=["ter"], sort="ter", pooled=True).splitlines()
    assert table[0] == "system,outputs,ter"
    assert [line.split(",")[0] for line in table[1:]] == ["timid", "careful", "clumsy", "(all)"]
    assert "sari_keep" in result.table(components=True)
    with pytest.raises(fw.UsageError, match="unknown score 'tre'; did you mean 'ter'"):
        result.table(sort="tre")


def test_a_list_of_texts_is_one_system() -> None:
    result = fw.evaluate("ter", ["a b", "c"], references=["a x", "c"])
    assert list(result.systems) == ["system"]
    assert result["system"] == result.metrics == fw.load("ter").evaluate(["a b", "c"], [["a x"], ["c"]])[0]
    assert [row.instance_id for row in result.outputs] == ["1", "2"]


def test_metrics_may_be_names_dictionaries_objects_and_labelled() -> None:
    metrics = ["ter", {"type": "ter", "case_sensitive": True, "label": "cased"}, fw.load("bleu")]
    result = fw.evaluate(metrics, ["A b"], references=["a b"])
    assert (result.metrics["ter"], result.metrics["cased"], result.metrics["bleu_sys_len"]) == (0.0, 50.0, 2)
    by_label = fw.evaluate({"one": "ter", "two": fw.load("ter", case_sensitive=True)}, ["A b"], references=["a b"])
    assert (by_label.metrics["one"], by_label.metrics["two"]) == (0.0, 50.0)
    assert fw.evaluate({"type": "ter"}, ["a"], references=["a"]).metrics["ter"] == 0.0


def test_a_profile_has_its_table_and_intervals() -> None:
    pytest.importorskip("pysbd")
    pytest.importorskip("wordfreq")
    result = fw.evaluate("ter", OUTPUTS, references=REFERENCES, sources=SOURCES, profile="simplification")
    assert result.confidence is not None
    assert "Compression ratio" in str(result)
    assert "ter" in result.metrics


def test_the_text_of_a_result_is_the_table_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    main(["evaluate", "--metric", "sari", "--outputs", *FILES, *FLAGS])
    result = fw.evaluate("sari", OUTPUTS, references=REFERENCES, sources=SOURCES)
    assert str(result) == capsys.readouterr().out.rstrip("\n")
    assert repr(result) == "EvaluationResult(metrics=['sari'], systems=['careful', 'clumsy', 'timid'])"
    html = fw.evaluate("ter", {"<b>": ["a"]}, references=["a"])._repr_html_()
    assert html.startswith("<table>")
    assert "&lt;b&gt;" in html
    assert "<b>" not in html


def test_records_hold_scores_intervals_and_p_values() -> None:
    result = fw.evaluate("ter", OUTPUTS, references=REFERENCES, confidence=95)
    first, second, _ = result.to_records()
    assert first == {"system": "careful", "outputs": 48} | {key: first[key] for key in list(first)[2:]}
    assert list(first)[2:7] == ["ter", "ter_low", "ter_high", "ter_p", "ter_p_holm"]
    assert first["ter_low"] < first["ter"] < first["ter_high"]
    assert first["ter_p"] is None
    assert 0 < second["ter_p"] <= second["ter_p_holm"]
    of_outputs = result.to_records("outputs")
    assert len(of_outputs) == 144
    assert list(of_outputs[0])[:4] == ["instance_id", "summarizer_id", "summarizer_type", "ter"]


@pytest.mark.parametrize(
    ("confidence", "level"), [(True, 0.95), (0.99, 0.99), (90, 0.9), ({"level": 0.8, "seed": 1}, 0.8), (False, None)]
)
def test_confidence_is_a_level_or_options(confidence: Any, level: float | None) -> None:
    result = fw.evaluate("ter", OUTPUTS, references=REFERENCES, confidence=confidence)
    assert (result.confidence and result.confidence.resampling.level) == level


class Bar:
    """A progress bar like tqdm's."""

    def __init__(self) -> None:
        self.counts: list[int] = []

    def update(self, count: int) -> None:
        self.counts.append(count)


def test_progress_is_reported_to_a_bar_or_a_function() -> None:
    bar, counts = Bar(), list[int]()
    fw.evaluate("ter", OUTPUTS, references=REFERENCES, progress=bar)
    fw.evaluate("ter", OUTPUTS, references=REFERENCES, progress=counts.append)
    assert sum(bar.counts) == sum(counts) == 144


def test_rows_are_written_as_the_command_writes_them(tmp_path: Path) -> None:
    with open(tmp_path / "rows.jsonl", "w", encoding="utf-8") as stream:
        result = fw.evaluate("ter", iter(rows()), write=stream.write, keep_outputs=False)
    written = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(written) == 144
    assert written[0]["signature"].keys() == result.signature.keys()
    assert result.outputs == []
    with pytest.raises(fw.InputError, match="keep_outputs=True"):
        result.to_records("outputs")


def test_warnings_are_python_warnings_at_the_line_of_the_caller() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = fw.evaluate("ter", ["a"], references=["a"], confidence=True)
    assert [warning.filename for warning in caught] == [__file__]
    assert ONE_INPUT_ONLY in str(caught[0].message)
    assert result.warnings == [str(caught[0].message)]


def test_rows_without_ids_are_numbered() -> None:
    result = fw.evaluate("ter", [{"output": "a", "reference": "a"}, {"output": "b", "reference_0": "x", "ref_1": "b"}])
    assert [(row.instance_id, row.metrics["ter"]) for row in result.outputs] == [("1", 0.0), ("2", 0.0)]
    of_one_system = fw.evaluate("ter", [{"summary": "a", "reference": "a", "system": "ours"}] * 3)
    assert [row.instance_id for row in of_one_system.outputs] == ["1", "2", "3"]


TEXTS: dict[str, Any] = {"outputs": ["a"], "references": ["a"]}
SET: Any = {"a b", "c"}
BY_SET: dict[str, Any] = {"outputs": rows(), "by": "system"}
MISTAKES: list[tuple[dict[str, Any], str, str]] = [  # arguments, message, why
    (
        {"outputs": {"ours": ["a"] * 577 + ["b", None]}, "references": ["a"] * 579},
        r"^'outputs\['ours'\]\[578\]' is null$",
        "an entry is named by its index",
    ),
    ({"outputs": [3], "references": ["a"]}, r"^'outputs\[0\]' is the number 3, not a text$", "so is the first"),
    ({"outputs": [{"summary": "a"}]}, r"^rows\[0\]: the metric 'ter' needs 'references'", "so is a row"),
    (
        {"outputs": [{"id": 1, "summary": "a", "reference": "b"}] * 2},
        r"^rows\[1\]: duplicate output .* \(first in rows\[0\]\); use duplicates='first' or 'last'",
        "duplicates",
    ),
    (
        {"outputs": [{"summary": "a", "reference": "b"}, {"id": 1, "summary": "a", "reference": "b"}]},
        rf"^rows\[1\]: 'instance_id' {IDS_IN_ALL_OR_NONE}",
        "an id that would be replaced",
    ),
    (
        {"outputs": [{"summary": "a", "reference": "a", "system": system} for system in ("ours", "theirs")]},
        r"rows\[1\].*'theirs' follows 'ours'.*columns=\{'instance_id': COLUMN\}",
        "two systems without ids",
    ),
    (
        {"outputs": ["a", "b"], "references": ["a"]},
        f"1 in references; pass references . 2 {SAME_FOR_ALL_OUTPUTS}$",
        "different lengths",
    ),
    (
        {"outputs": ["a", "b", "c"], "references": [["a", "b", "c"], ["x", "y", "z"]]},
        r"use list\(zip\(\*references\)\)$",
        "references as sacreBLEU takes them",
    ),
    (
        {"outputs": ["a", "b"], "references": ["a cat", "['a dog', 'the dog']"]},
        rf"'references' {LIST_WRITTEN_AS_TEXT} \(entry 1\); use json.loads or ast.literal_eval$",
        "the text of a list, as pandas reads it from a CSV file",
    ),
    ({"outputs": ["a"]}, "the metric 'ter' needs 'references'; pass references=$", "no references"),
    ({"outputs": "a", "references": ["a"]}, "must be a list of texts, got the string 'a'; use files=", "a string"),
    ({"outputs": Path("a.txt")}, "use files= to read a file", "a path"),
    ({"outputs": 3}, "must be texts, rows or a table with columns, got the number 3", "a number"),
    (
        {"outputs": {"ours": "abc"}, "references": ["a"]},
        rf"\['ours'\]' {ONE_ENTRY_FOR_EACH_OUTPUT}",
        "a string",
    ),
    ({"outputs": {}, "references": []}, "'outputs' must have at least one system", "no system"),
    (
        {"outputs": {"summary": ["a", "b"], "references": [["a"]]}},
        "columns of 'outputs' must have the same number of entries, got 2 in 'summary', 1 in 'references'",
        "a table of lists",
    ),
    *(
        ({"outputs": outputs, "references": ["a", "b"]}, r"outputs.* must be", "a set has no order")
        for outputs in (SET, frozenset(SET), {"x": SET})
    ),
    ({}, "give either 'outputs' .* or 'files'", "nothing"),
    ({"outputs": ["a"], "files": ["x.txt"]}, "give either 'outputs' .* or 'files'", "both"),
    ({"outputs": [{"summary": "a"}], "references": ["a"]}, "leave out references=", "rows contain references"),
    ({**TEXTS, "reader": "plain-text"}, "'reader' reads 'files'", "no file to read"),
    ({**TEXTS, "where": {"split": "dev"}}, "lists of texts have no columns", "lists have no columns"),
    ({**TEXTS, "confidence": 1}, rf"{re.escape(EXPECTED_CONFIDENCE)}, got 1", "1 or 100 %?"),
    ({**TEXTS, "confidence": {"lvl": 1}}, "any of level, method, resamples, seed", "a typo"),
    ({**TEXTS, "progress": Bar}, "a function or an object with 'update'", "a class"),
    ({**TEXTS, "metrics": []}, "at least one metric", "no metric"),
    *(
        ({**TEXTS, "metrics": metrics}, "'metrics' must be a metric or a list of metrics", "something else")
        for metrics in (3, fw.load, fw.Metric, {"ter", "bleu"})
    ),
    *(
        ({**TEXTS, "jobs": jobs}, "'jobs' must be an integer, 0 or more", "no number of jobs")
        for jobs in (-1, True, "2", None, 1.5)
    ),
    ({**TEXTS, "by": "system"}, "lists of texts have no columns", "a list has no sets"),
    (
        {"outputs": {"ours": ["a"]}, "references": ["a"], "by": "system"},
        "lists of texts have no columns",
        "nor have lists",
    ),
    ({**BY_SET, "outputs": iter(rows())}, r"by='system' reads the input once .* an iterator .* pass a list", "once"),
    ({**BY_SET, "by": "sytem"}, "did you mean 'system'", "misspelt"),
    ({**BY_SET, "by": ["system"]}, "'by' must be the name of a column, got the list", "one column only"),
    ({**BY_SET, "by": ""}, "'by' must be the name of a column", "no name"),
    ({**BY_SET, "write": print}, "'write' receives no rows with 'by'", "ids may repeat"),
    ({**BY_SET, "where": "system=x"}, "'system' has the values 'careful'", "nothing is left"),
    ({**BY_SET, "outputs": [{**rows()[0], "n": i} for i in range(51)], "by": "n"}, "by='n' .* 51 values", "many"),
]


@pytest.mark.parametrize(("arguments", "message", "why"), MISTAKES, ids=[why for _, _, why in MISTAKES])
def test_mistakes_are_explained(arguments: dict[str, Any], message: str, why: str) -> None:
    with pytest.raises(fw.FwError, match=message):
        fw.evaluate(**{"metrics": "ter", **arguments})


def test_an_iterator_of_rows_is_not_kept() -> None:
    """Scoring rows from a generator needs the memory of a batch, as scoring a file does."""
    alive = 0

    class Counted(dict[str, Any]):
        def __init__(self, number: int) -> None:
            nonlocal alive
            alive += 1
            super().__init__(instance_id=number, summary="a b", references=["a b"])

        def __del__(self) -> None:
            nonlocal alive
            alive -= 1

    most = 0

    def many() -> Iterator[Counted]:
        nonlocal most
        for number in range(1_000):
            most = max(most, alive)
            yield Counted(number)

    fw.evaluate("ter", many(), keep_outputs=False, checks=False)
    gc.collect()
    assert most < 10


@pytest.mark.parametrize("id_type", [int, str])
def test_ids_of_outputs_have_the_type_of_the_rows(id_type: type) -> None:
    given = [{**row, "instance_id": id_type(row["instance_id"])} for row in rows()]
    result = fw.evaluate("ter", given)
    assert [record["instance_id"] for record in result.to_records("outputs")] == [row["instance_id"] for row in given]
    assert result.outputs[0].instance_id == "1"  # as in files


@pytest.mark.parametrize(("name", "instead"), [("compute", "hugging_face"), ("corpus_score", r"use evaluate\(\)")])
def test_methods_of_other_packages_are_answered_with_the_method_here(name: str, instead: str) -> None:
    metric = pickle.loads(pickle.dumps(fw.load("bleu")))
    with pytest.raises(AttributeError, match=f"'Bleu' object has no attribute '{name}'.*{instead}"):
        getattr(metric, name)
    assert not hasattr(metric, "_repr_html_")
    assert hasattr(hugging_face.load("bleu"), "compute")


def test_only_public_names_are_completed() -> None:
    assert {name for name in dir(fw) if not name.startswith("__")} == set(fw.__all__) - {"__version__"}
    misspelt = "evalute"
    with pytest.raises(AttributeError) as caught:
        getattr(fw, misspelt)
    assert caught.value.name == misspelt
    assert caught.value.obj is fw  # Python suggests 'evaluate'


def test_flat_has_the_numbers_of_a_system_or_of_all():
    texts = [f"a cat {number}" for number in range(30)]
    references = [["a dog", text] for text in texts]
    outputs = {"ours": texts, "theirs": [*texts[1:], "b"]}
    result = fw.evaluate(["ter", "bleu"], outputs, references=references, baseline="ours", checks=False)
    ours, theirs, everything = result.flat("ours"), result.flat("theirs"), result.flat()
    assert everything == {**{f"ours/{k}": v for k, v in ours.items()}, **{f"theirs/{k}": v for k, v in theirs.items()}}
    assert theirs["bleu_precisions_1"] == result["theirs"]["bleu_precisions"][0]
    assert "ter_low" in ours
    assert "ter_p" in theirs
    assert "ter_p" not in ours  # the baseline is not compared with itself
    assert all(isinstance(value, (int, float)) for value in everything.values())
    with pytest.raises(fw.UsageError, match="unknown system 'our'; did you mean 'ours'"):
        result.flat("our")
