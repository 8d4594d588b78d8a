"""Mistakes in texts × entrances that score texts: each has the same verdict, and the same sentence, at every entrance.

Sentences are compared without the caller's name of the argument. Where an entrance differs, the table says why.
"""

from __future__ import annotations

import json
import math
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from library_tables import table
from messages import (
    EQUAL_TO_REFERENCE_1,
    LAZY_FRAME,
    LIST_WRITTEN_AS_TEXT,
    NO_OUTPUTS,
    NOT_A_TEXT,
    NUMBERED_OR_NONE,
    ONE_ENTRY_FOR_EACH_OUTPUT,
    SAME_FOR_ALL_OUTPUTS,
    SAME_NUMBER_OF_LINES,
)

import metrics_framework as fw
from metrics_framework.dataset_readers.dataset_reader import load_reader
from metrics_framework.integrations.hugging_face import HuggingFaceMetric

OUTPUTS = ["the cat sat on the mat", "a dog ran home", "it rains in Paris", "birds sing at dawn", "we left early today"]
REFERENCES = [
    ["a cat sat on the mat", "the cat was on a mat"],
    ["the dog ran home"],
    ["in Paris it rains", "it is raining in Paris"],
    ["at dawn birds sing"],
    ["today we left early"],
]
FIRST = [texts[0] for texts in REFERENCES]


class Tokenizer:
    """Decodes an id as the output with this index."""

    pad_token_id = 99

    def __init__(self, texts: Any) -> None:
        self._texts = texts

    def batch_decode(self, ids: Any, skip_special_tokens: bool) -> list[str]:
        return [self._texts[row[0]] for row in ids]


def accumulated(outputs: Any, references: Any) -> Any:
    accumulator = fw.Accumulator(["ter", "chrf"])
    accumulator.update(outputs, references)
    return accumulator.compute()["ter"]


def computed(outputs: Any, references: Any) -> Any:
    ids = [[index] for index in range(len(outputs))]
    return fw.compute_metrics(Tokenizer(outputs), ["ter", "chrf"], references=references)((ids, None))["ter"]


def evaluated(outputs: Any, references: Any) -> Any:
    return fw.evaluate(["ter", "chrf"], outputs, references=references).metrics["ter"]


TWO = OUTPUTS[:2]
LISTS: dict[str, Callable[[Any, Any], Any]] = {
    "evaluate": evaluated,
    "evaluate of systems": lambda outputs, references: evaluated({"x": outputs}, references),
    "columns": lambda outputs, references: fw.columns(["ter", "chrf"], outputs, references)["ter"],
    "compare": lambda outputs, references: fw.compare(
        ["ter"], {"x": outputs, "y": FIRST[::-1]}, references=references, trials=20, ci="jackknife"
    ),
    "load().evaluate": lambda outputs, references: fw.load("ter").evaluate(outputs, references)[0]["ter"],
    "load().score_all": lambda outputs, references: fw.load("ter").score_all(outputs, references),
    "Hugging Face": lambda outputs, references: HuggingFaceMetric(fw.load("ter")).compute(
        predictions=outputs, references=references
    ),
    "reward": lambda outputs, references: fw.reward("ter")(completions=outputs, references=references),
    "Accumulator": accumulated,
    "compute_metrics": computed,
}
"""The entrances that take lists of outputs and of references."""


ONE: dict[str, Callable[[Any, Any], Any]] = {
    "score": lambda output, references: fw.load("ter").score(output, references),
    "score_multi": lambda output, references: fw.load("ter").score_multi([output], references),
    "score_multi_all": lambda output, references: fw.load("ter").score_multi_all([[output]], [references]),
}
"""The entrances that take one output and its references."""
ROWS: dict[str, Callable[[list[dict[str, Any]], Path], Any]] = {
    "rows": lambda rows, _: fw.evaluate("ter", rows).metrics["ter"],
    "a generator of rows": lambda rows, _: fw.evaluate("ter", iter(rows)).metrics["ter"],
    "a dictionary of lists": lambda rows, _: fw.evaluate("ter", columns_of(rows)).metrics["ter"],
    "a frame": lambda rows, _: fw.evaluate("ter", table("polars", rows)).metrics["ter"],
    "a file of rows": lambda rows, folder: of_file(rows, folder),
}
"""The entrances that take rows."""


def columns_of(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def of_file(rows: list[dict[str, Any]], folder: Path) -> Any:
    path = folder / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return fw.evaluate("ter", files=str(path)).metrics["ter"]


def verdict_of(call: Callable[[], Any]) -> str:
    """Returns the sentence of an error, that of a warning after ``warning:``, or ``accepted``."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            call()
        except fw.FwError as error:
            return normal(str(error))
    texts = [str(one.message) for one in caught if issubclass(one.category, fw.TextWarning)]
    return f"warning: {normal(texts[0])}" if texts else "accepted"


NAMES = r"outputs|predictions|completions|summary|references|reference|documents"


def normal(sentence: str) -> str:
    """Returns a sentence without the argument's name, places and numbers."""
    sentence = re.sub(r"^(rows\[\d+\]|\S+:\d+)( and \d+ more (entries|lines))?: ", "", sentence)
    sentence = sentence.replace("outputs['x']", "outputs")
    sentence = re.sub(r"use (load\(.*\)|'\S*')", "use OPTION", sentence)  # as the called function accepts it
    sentence = re.sub(rf"'(?:{NAMES})((?:\[\d+\])*)'", lambda match: "'TEXTS'", sentence)
    sentence = re.sub(rf"\b({NAMES})\b(?=[,;:\[ )]|$)", "TEXTS", sentence)
    return re.sub(r" \(entry \d+\)| \(and \d+ more entries\)|: \d.*? \(first at .*?\)", "", sentence).replace("  ", " ")


def changed(values: Sequence[Any], index: int, value: Any) -> list[Any]:
    return [*values[:index], value, *values[index + 1 :]]


HOLES = [[*texts, None, float("nan")] for texts in REFERENCES]
SETS = [[texts[0], texts[-1]] for texts in REFERENCES]
PAIRS = list(zip(OUTPUTS, FIRST, strict=True))
GENERATED = ("reward", "Accumulator", "compute_metrics")
WRITTEN = ["['a cat', 'the cat']", '["a cat"]', "['a' 'b']", 'c("a", "b")', "('a',)", "array(['a'], dtype=object)"]
LIST_AS_TEXT = f"{LIST_WRITTEN_AS_TEXT}; use json.loads or ast.literal_eval"
ARE_PAIRS = "are pairs; pass outputs and references separately"
SPLIT = "one text was split; wrap it in a list"
FIVE = "compares with a system of five outputs"
DECODES = {"compute_metrics": "outputs are decoded ids"}
NO_REWARD = {"reward": "returns None for this output"}
LISTS_TABLE: list[tuple[str, Callable[[], Any], Callable[[], Any], str, dict[str, str]]] = [
    # mistake, outputs, references, the words of the verdict, entrances that differ and why
    ("lists", lambda: OUTPUTS, lambda: REFERENCES, "accepted", {}),
    ("one reference each", lambda: OUTPUTS, lambda: FIRST, "accepted", {}),
    ("iterators", lambda: iter(OUTPUTS), lambda: iter(REFERENCES), "accepted", DECODES),
    ("tuples of lists", lambda: tuple(OUTPUTS), lambda: tuple(REFERENCES), "accepted", {}),
    ("keys of a dictionary", lambda: dict.fromkeys(OUTPUTS).keys(), lambda: FIRST, "accepted", DECODES),
    ("arrays", lambda: np.array(OUTPUTS), lambda: np.array(FIRST, dtype=object), "accepted", {}),
    ("references with holes", lambda: OUTPUTS, lambda: HOLES, "accepted", {}),
    ("an object matrix of references", lambda: OUTPUTS, lambda: np.array(SETS, dtype=object), "accepted", {}),
    ("a dictionary of sets", lambda: OUTPUTS, lambda: {"r1": FIRST, "r2": [*FIRST[:-1], None]}, "accepted", {}),
    (
        "a frame of sets",
        lambda: OUTPUTS,
        lambda: table("polars", {"r1": FIRST, "r2": [*FIRST[:-1], None]}),
        "accepted",
        {},
    ),
    (
        "a frame of pandas with NaN",
        lambda: OUTPUTS,
        lambda: table("pandas", {"r1": FIRST, "r2": [*FIRST[:-1], None]}),
        "accepted",
        {},
    ),
    (
        "no reference of one output",
        lambda: OUTPUTS,
        lambda: changed(REFERENCES, 3, [None]),
        "output 3 has no reference",
        NO_REWARD,
    ),
    ("an empty list", lambda: OUTPUTS, lambda: changed(REFERENCES, 3, []), "output 3 has no reference", NO_REWARD),
    ("null for references", lambda: OUTPUTS, lambda: changed(FIRST, 3, None), "output 3 has no reference", NO_REWARD),
    (
        "NaN for references",
        lambda: OUTPUTS,
        lambda: changed(FIRST, 3, float("nan")),
        "output 3 has no reference",
        NO_REWARD,
    ),
    *(
        (
            f"the list {text} as a reference",
            lambda: OUTPUTS,
            lambda text=text: changed(FIRST, 1, text),
            LIST_AS_TEXT,
            {},
        )
        for text in WRITTEN
    ),
    (
        "the text of a list as an output",
        lambda: changed(OUTPUTS, 1, WRITTEN[0]),
        lambda: FIRST,
        LIST_AS_TEXT,
        dict.fromkeys(GENERATED, "a model may generate any text"),
    ),
    ("a quotation in parentheses", lambda: changed(OUTPUTS, 1, "('a dog')"), lambda: FIRST, "accepted", {}),
    (
        "pairs as outputs",
        lambda: PAIRS,
        lambda: FIRST,
        ARE_PAIRS,
        {"compute_metrics": "decodes ids", "reward": "a list is a conversation"},
    ),
    ("pairs as references", lambda: OUTPUTS, lambda: [(text, 0.5) for text in FIRST], ARE_PAIRS, {}),
    (
        "sets of references",
        lambda: OUTPUTS,
        lambda: [list(one) for one in zip(*SETS, strict=True)],
        "one list for each set, not one for each output: use list(zip(*",
        {},
    ),
    (
        "one text for all",
        lambda: OUTPUTS,
        lambda: FIRST[0],
        "'TEXTS' is one text for 5 outputs; pass [text] * 5 if all have the same",
        {"compute_metrics": "knows no outputs yet"},
    ),
    (
        "one text in a list for all",
        lambda: OUTPUTS,
        lambda: FIRST[:1],
        f"pass TEXTS * 5 {SAME_FOR_ALL_OUTPUTS}",
        {},
    ),
    (
        "unequal lengths",
        lambda: OUTPUTS,
        lambda: FIRST[:3],
        "the lists must have the same number of entries, got 5 in TEXTS, 3 in TEXTS",
        {},
    ),
    (
        "more references",
        lambda: OUTPUTS[:2],
        lambda: FIRST,
        "the lists must have the same number of entries, got 2 in TEXTS, 5 in TEXTS",
        {"compare": "names the lengths of both systems"},
    ),
    ("a null output", lambda: changed(OUTPUTS, 2, None), lambda: REFERENCES, "'TEXTS' is null", DECODES),
    ("NaN as output", lambda: changed(OUTPUTS, 2, float("nan")), lambda: REFERENCES, "'TEXTS' is null", DECODES),
    (
        "a number as output",
        lambda: changed(OUTPUTS, 2, 3),
        lambda: REFERENCES,
        "'TEXTS' is the number 3, not a text",
        DECODES,
    ),
    (
        "a boolean as output",
        lambda: changed(OUTPUTS, 2, True),
        lambda: REFERENCES,
        "'TEXTS' is the boolean True, not a text",
        DECODES,
    ),
    (
        "bytes as output",
        lambda: changed(OUTPUTS, 2, b"a"),
        lambda: REFERENCES,
        "'TEXTS' is bytes: call .decode()",
        DECODES,
    ),
    (
        "an object as output",
        lambda: changed(OUTPUTS, 2, {"text": "a"}),
        lambda: REFERENCES,
        f"'TEXTS' {NOT_A_TEXT} the object",
        {"compute_metrics": "decodes ids", "reward": "a dictionary is a message"},
    ),
    (
        "a number as reference",
        lambda: OUTPUTS,
        lambda: changed(REFERENCES, 2, ["a", 3]),
        "'TEXTS' is the number 3, not a text",
        {},
    ),
    (
        "bytes as reference",
        lambda: OUTPUTS,
        lambda: changed(REFERENCES, 2, b"a"),
        "'TEXTS' is bytes: call .decode()",
        {},
    ),
    (
        "an object as reference",
        lambda: OUTPUTS,
        lambda: changed(REFERENCES, 2, {"a": 1}),
        f"'TEXTS' {NOT_A_TEXT} the object",
        {},
    ),
    (
        "a set of outputs",
        lambda: set(OUTPUTS),
        lambda: REFERENCES,
        "'TEXTS' must be",
        {"compute_metrics": "decodes ids", "evaluate": "outputs may be rows, too"},
    ),
    (
        "a number for all references",
        lambda: OUTPUTS,
        lambda: 3,
        f"'TEXTS' {ONE_ENTRY_FOR_EACH_OUTPUT}, got the number 3",
        {},
    ),
    (
        "a matrix of outputs",
        lambda: np.array([OUTPUTS, OUTPUTS]),
        lambda: FIRST,
        "'TEXTS' must be a list of texts, got a matrix; pass one of its columns",
        {"compute_metrics": "decodes ids", "reward": "a list is a conversation"},
    ),
    (
        "references as a lazy frame",
        lambda: OUTPUTS,
        lambda: table("polars", {"r": FIRST}).lazy(),
        f"'TEXTS' {LAZY_FRAME} polars; call collect() first",
        {},
    ),
    (
        "repeated columns",
        lambda: OUTPUTS,
        lambda: table("pandas", [[text, text] for text in FIRST]).set_axis(["r", "r"], axis=1),
        "repeated column 'r'; rename or drop one",
        {},
    ),
    (
        "no outputs",
        list,
        list,
        NO_OUTPUTS,
        {
            "columns": "a part of a table may be empty",
            "load().score_all": "a batch may be empty",
            "reward": "a batch may be empty",
            "Accumulator": "counts batches",
            "compute_metrics": "decodes ids",
            "compare": "names the lengths of both systems",
        },
    ),
    ("a split reference", lambda: OUTPUTS, lambda: [text.split() for text in FIRST], SPLIT, {}),
    ("characters of a reference", lambda: OUTPUTS, lambda: [list(text) for text in FIRST], SPLIT, {}),
    ("an output split into references", lambda: OUTPUTS, lambda: [text.split() for text in OUTPUTS], SPLIT, {}),
    ("references are the outputs", lambda: OUTPUTS, lambda: OUTPUTS, f"warning: TEXTS {EQUAL_TO_REFERENCE_1}", {}),
    (
        "references are the list of two outputs",
        lambda: TWO,
        lambda: TWO,
        f"warning: TEXTS {EQUAL_TO_REFERENCE_1}",
        {"compare": FIVE, "compute_metrics": "decodes ids", "reward": "a trainer passes what a model generated"},
    ),
    ("two outputs that equal their references", lambda: [*TWO], lambda: [*TWO], "accepted", {"compare": FIVE}),
    ("empty outputs", lambda: changed(OUTPUTS, 1, ""), lambda: REFERENCES, "warning: empty TEXTS", {}),
    (
        "an empty one of two",
        lambda: [OUTPUTS[0], ""],
        lambda: REFERENCES[:2],
        "warning: empty TEXTS",
        {
            "compare": FIVE,
            **dict.fromkeys(GENERATED, "a model may yet generate nothing"),
        },
    ),
    ("empty references", lambda: OUTPUTS, lambda: changed(FIRST, 1, ""), "warning: empty TEXTS", {}),
    (
        "special tokens",
        lambda: [f"{text} </s>" for text in OUTPUTS],
        lambda: REFERENCES,
        "warning: tags or special tokens",
        {},
    ),
    *(
        (
            f"{mistake} of two outputs",
            outputs,
            references,
            f"warning: {words}",
            {"compare": FIVE, **dict.fromkeys(GENERATED, "a few texts that a model generates first tell little")},
        )
        for mistake, outputs, references, words in (
            ("special tokens", lambda: [f"{text} </s>" for text in TWO], lambda: FIRST[:2], "tags or special tokens"),
            ("entities", lambda: TWO, lambda: [f"{text} &amp; so" for text in FIRST[:2]], "HTML entities"),
            ("subwords", lambda: [f"{text} go@@ ne" for text in TWO], lambda: FIRST[:2], "marks of subwords"),
            ("lost characters", lambda: [f"{text} caf\ufffd" for text in TWO], lambda: FIRST[:2], "characters lost"),
            ("another script", lambda: ["Старый кот спал"] * 2, lambda: FIRST[:2], "TEXTS in another script"),
            ("no spaces", lambda: ["他昨天在海边的旧房子里"] * 2, lambda: ["他昨天在海"] * 2, "texts without spaces"),
            ("empty references", lambda: TWO, lambda: [FIRST[0], ""], "empty TEXTS"),
        )
    ),
]


@pytest.mark.parametrize("case", LISTS_TABLE, ids=[case[0] for case in LISTS_TABLE])
def test_a_mistake_in_lists_has_one_verdict_at_every_entrance(case: Any) -> None:
    _, outputs, references, words, reasons = case
    found = {
        name: verdict_of(lambda call=call: call(outputs(), references()))
        for name, call in LISTS.items()
        if name not in reasons
    }
    assert [name for name, verdict in found.items() if normal(words) not in verdict] == [], found
    assert len(set(found.values())) == 1


@pytest.mark.parametrize("text", WRITTEN)
@pytest.mark.parametrize("name", GENERATED)
def test_a_generated_text_that_looks_like_a_list_is_scored(name: str, text: str) -> None:
    assert verdict_of(lambda: LISTS[name](changed(OUTPUTS, 1, text), FIRST)) == "accepted"


ONE_TABLE: list[tuple[str, Any, Any, str]] = [  # mistake, output, references, the words of the verdict
    ("one text", "a cat sat", "a dog", "accepted"),
    ("holes", "a cat sat", ["a dog", None], "accepted"),
    ("a column", "a cat sat", np.array(["a dog", None], dtype=object), "accepted"),
    ("no reference", "a cat sat", [], "the output has no reference"),
    ("null", "a cat sat", None, "the output has no reference"),
    ("a null output", None, ["a dog"], "'summary' is null"),
    ("a number", 3, ["a dog"], "'summary' is the number 3, not a text"),
    ("bytes", b"a", ["a dog"], "'summary' is bytes: call .decode()"),
    ("a number among references", "a cat", ["a dog", 3], "'references[1]' is the number 3, not a text"),
    ("a written list", "a cat", WRITTEN[0], f"'references' {LIST_WRITTEN_AS_TEXT}; use json.loads or"),
    (
        "a list written among references",
        "a cat",
        [WRITTEN[1]],
        f"'references' {LIST_WRITTEN_AS_TEXT}; use json.loads",
    ),
    ("a split reference", "a cat sat", ["a", "dog", "sat"], SPLIT),
    ("characters", "a cat sat", list("a dog"), SPLIT),
    ("pairs", "a cat", ("a dog", 0.5), "the entries of 'references' are pairs; pass outputs and references"),
]


@pytest.mark.parametrize("case", ONE_TABLE, ids=[case[0] for case in ONE_TABLE])
def test_a_mistake_in_one_output_has_one_verdict_at_every_entrance(case: Any) -> None:
    _, output, references, words = case
    found = {name: verdict_of(lambda call=call: call(output, references)) for name, call in ONE.items()}
    assert [name for name, verdict in found.items() if normal(words) not in verdict] == [], found


def test_score_of_lists_of_outputs_and_references_is_warned_of() -> None:
    words = normal("one output of 2 sentences; for 2 outputs use evaluate or score_all")
    for references in (["a dog", "b"], [["a dog"], ["b"]]):
        assert words in verdict_of(lambda given=references: fw.load("ter").score(["a cat", "b"], given))
        assert words in verdict_of(lambda given=references: fw.load("sari").score(["a cat", "b"], given, "c"))
    assert verdict_of(lambda: fw.load("ter").score(["a cat", "b"], ["a dog", "b", "c"])) == "accepted"


def rows_with(index: int, **fields: Any) -> list[dict[str, Any]]:
    rows = [{"summary": text, "references": texts} for text, texts in zip(OUTPUTS, REFERENCES, strict=True)]
    return changed(rows, index, {**rows[index], **fields})


def rows_with_ids(*ids: str | None) -> list[dict[str, Any]]:
    return [{"instance_id": one, **row} for one, row in zip(ids, rows_with(0), strict=False)]


COLUMN = dict.fromkeys(("a frame",), "the column has texts and lists")
WITHOUT_NAN = dict.fromkeys(("a frame",), "a list of texts of Polars has no NaN")
ROWS_TABLE: list[tuple[str, list[dict[str, Any]], str, dict[str, str]]] = [
    # mistake, rows, the words of the verdict, entrances that differ and why
    ("rows", rows_with(0), "accepted", {}),
    ("one reference", [{"summary": a, "reference": b} for a, b in zip(OUTPUTS, FIRST, strict=True)], "accepted", {}),
    ("holes", rows_with(1, references=["a dog", None]), "accepted", {}),
    ("NaN among references", rows_with(1, references=["a dog", math.nan]), "accepted", WITHOUT_NAN),
    (
        "only missing references",
        rows_with(1, references=[None, math.nan]),
        "must be a non-empty list of texts",
        WITHOUT_NAN,
    ),
    ("a tuple of references", rows_with(1, references=("a dog", "a cat")), "accepted", {}),
    ("other names", [{"Hypothesis": a, "gold": b} for a, b in zip(OUTPUTS, FIRST, strict=True)], "accepted", {}),
    ("a null output", rows_with(2, summary=None), "'summary' is null", {}),
    ("a number as output", [{"summary": 3, "reference": "a"}] * 2, "'summary' is the number 3, not a text", {}),
    ("a text in references", [{"summary": "a", "references": "b"}] * 5, "name one text 'reference'", {}),
    ("the text of a list as a reference", [{"summary": "a", "reference": WRITTEN[0]}] * 5, LIST_WRITTEN_AS_TEXT, {}),
    ("the text of a list in references", [{"summary": "a", "references": WRITTEN[0]}] * 5, LIST_WRITTEN_AS_TEXT, {}),
    ("the text of a list as an output", [{"summary": WRITTEN[0], "reference": "a"}] * 5, LIST_WRITTEN_AS_TEXT, {}),
    (
        "a split reference",
        [{"summary": a, "references": b.split()} for a, b in zip(OUTPUTS, FIRST, strict=True)],
        SPLIT,
        {},
    ),
    (
        "references are the outputs",
        [{"summary": text, "reference": text} for text in OUTPUTS],
        f"warning: outputs {EQUAL_TO_REFERENCE_1}",
        {},
    ),
    ("empty outputs", rows_with(1, summary=""), "warning: empty outputs", {}),
    (
        "numbered and plain references",
        [{"summary": "a", "reference": "b", "ref_1": "c"}] * 5,
        NUMBERED_OR_NONE,
        {},
    ),
    ("a null id in the first row", rows_with_ids(None, "2"), "'instance_id' is null: rows need an id", {}),
    ("null ids", rows_with_ids(None, None), "'instance_id' is null: rows need an id", {}),
    ("two outputs", [{"summary": "a", "prediction": "b", "reference": "c"}] * 5, "both name the output", {}),
]


@pytest.mark.parametrize("case", ROWS_TABLE, ids=[case[0] for case in ROWS_TABLE])
def test_a_mistake_in_rows_has_one_verdict_at_every_entrance(case: Any, tmp_path: Path) -> None:
    _, rows, words, reasons = case
    found = {
        name: verdict_of(lambda call=call: call(rows, tmp_path)) for name, call in ROWS.items() if name not in reasons
    }
    assert [name for name, verdict in found.items() if normal(words) not in verdict] == [], found


TEXT_FILES: list[tuple[str, list[str], list[str], str]] = [  # mistake, lines of outputs and references, words
    ("texts", OUTPUTS, FIRST, "accepted"),
    ("references are the outputs", OUTPUTS, OUTPUTS, f"warning: outputs {EQUAL_TO_REFERENCE_1}"),
    ("one file of two lines in two roles", OUTPUTS[:2], OUTPUTS[:2], f"warning: outputs {EQUAL_TO_REFERENCE_1}"),
    ("empty outputs", changed(OUTPUTS, 1, ""), FIRST, "warning: empty outputs"),
    ("special tokens", [f"{text} </s>" for text in OUTPUTS], FIRST, "warning: tags or special tokens"),
    ("unequal lengths", OUTPUTS, FIRST[:3], SAME_NUMBER_OF_LINES),  # a file has lines
    ("lists among lines", [*OUTPUTS[:3], *WRITTEN[:2]], FIRST, "warning: "),  # a line is a text, whatever it contains
]


@pytest.mark.parametrize("case", TEXT_FILES, ids=[case[0] for case in TEXT_FILES])
def test_a_mistake_in_text_files_has_the_verdict_of_lists(case: Any, tmp_path: Path) -> None:
    _, outputs, references, words = case
    paths = tmp_path / "outputs.txt", tmp_path / "references.txt"
    for path, lines in zip(paths, (outputs, references), strict=True):
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    verdict = verdict_of(lambda: fw.evaluate("ter", files=str(paths[0]), references=str(paths[1])))
    assert normal(words) in verdict


PLACES: list[tuple[str, dict[str, Sequence[str]], str]] = [  # the file or list with the mistake, changed lines, place
    ("references", {"r1": changed(FIRST, 3, "it rains &amp; pours"), "r2": changed(FIRST, 1, "a &lt;b")}, "r2.txt:2"),
    ("references", {"r1": FIRST, "r2": [f"{text} &amp;" for text in FIRST]}, "r2.txt:1"),
    ("references", {"r1": changed(FIRST, 4, "")}, "r1.txt:5"),
    ("references", {"r1": FIRST, "r2": [text.upper() for text in FIRST], "r3": FIRST}, "r3.txt:1"),
    ("sources", {"r1": FIRST, "sources": changed(OUTPUTS[::-1], 2, "")}, "sources.txt:3"),
    ("outputs", {"r1": FIRST, "outputs": changed(OUTPUTS, 2, "")}, "outputs.txt:3"),
]


@pytest.mark.parametrize(("side", "lists", "place"), PLACES, ids=[place for *_, place in PLACES])
def test_a_warning_names_the_file_or_list_that_has_the_mistake(
    side: str, lists: dict[str, Sequence[str]], place: str, tmp_path: Path
) -> None:
    lists = {"outputs": OUTPUTS, **lists}
    for name, lines in lists.items():
        (tmp_path / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    names = [name for name in lists if name.startswith("r")]
    metric = "sari" if "sources" in lists else "chrf"
    given: dict[str, Any] = {"references": [str(tmp_path / f"{name}.txt") for name in names]}
    if "sources" in lists:
        given["sources"] = str(tmp_path / "sources.txt")
    with pytest.warns(fw.TextWarning, match=re.escape(f"(first at {tmp_path}/{place})")):
        fw.evaluate(metric, files=str(tmp_path / "outputs.txt"), **given)
    texts = {"references": [*zip(*map(lists.__getitem__, names), strict=True)]}
    texts |= {"sources": lists["sources"]} if "sources" in lists else {}
    in_memory = f"{side}[{int(place.rpartition(':')[2]) - 1}]"
    with pytest.warns(fw.TextWarning, match=re.escape(f"(first at {in_memory})")):
        fw.evaluate(metric, lists["outputs"], **texts)
    with pytest.warns(fw.TextWarning, match=re.escape(f"(first at {in_memory})")):
        fw.load(metric).evaluate(lists["outputs"], *texts.values())


def test_a_warning_about_references_of_a_test_set_names_the_test_set(tmp_path: Path) -> None:
    (tmp_path / "outputs.txt").write_text("".join(f"{line}\n" for line in OUTPUTS), encoding="utf-8")
    rows = [{"instance_id": str(at), "references": [text]} for at, text in enumerate(changed(FIRST, 2, ""))]
    path = tmp_path / "test.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    with pytest.warns(fw.TextWarning, match=re.escape(f"(first at {path}:3)")):
        fw.evaluate("chrf", files=str(tmp_path / "outputs.txt"), reader=load_reader("test-set", test_set=str(path)))
