"""Arguments: keywords, entries that errors name, and references with one list per set, reported wherever given."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import metrics_framework as fw
from metrics_framework import DocumentBasedMetric, InputError, MetricsDict, as_string, load
from metrics_framework.inputs.texts import MAX_LISTS, transposed_similarities
from metrics_framework.integrations import hugging_face
from metrics_framework.integrations.hugging_face import HuggingFaceMetric

SUMMARY = ("summary", "summaries", "summaries_list")
REFERENCES = ("references", "references_list")
SOURCE = ("source", "sources")
METHODS = {  # method to its arguments for SARI
    "score": ("a b", ["a c"], "a d"),
    "score_all": (["a b", "c"], [["a c"], ["c", "d"]], ["a d", "e"]),
    "score_multi": (["a b", "c"], ["a c"], "a d"),
    "score_multi_all": ([["a b", "c"], ["d"]], [["a c"], ["d"]], ["a d", "e"]),
    "evaluate": (["a b", "c"], [["a c"], ["c", "d"]], ["a d", "e"]),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("summary", SUMMARY)
@pytest.mark.parametrize("references", REFERENCES)
@pytest.mark.parametrize("source", SOURCE)
def test_all_methods_accept_all_names(method: str, summary: str, references: str, source: str) -> None:
    call, arguments = getattr(load("sari"), method), METHODS[method]
    named = dict(zip((summary, references, source), arguments, strict=True))
    assert call(**named) == call(*arguments)
    assert call(arguments[0], **{name: named[name] for name in (references, source)}) == call(*arguments)


def test_metrics_that_define_score_multi_all_accept_them_too() -> None:
    assert load("token-f1").score_multi_all(summaries=[["a b"]], references=[["a"]]) == [
        [{"token-f1": pytest.approx(200 / 3)}]
    ]
    fkgl = load("fkgl", splitter="none")
    assert fkgl.evaluate(summary=["a b"]) == fkgl.evaluate(["a b"])


@pytest.mark.parametrize("method", METHODS)
def test_one_argument_under_two_names_is_an_error(method: str) -> None:
    summary, references, source = METHODS[method]
    with pytest.raises(TypeError, match=r"'references_list' is another name of 'references|'references' is another"):
        getattr(load("sari"), method)(summary, references=references, references_list=references, source=source)


@pytest.mark.parametrize("method", METHODS)
def test_unknown_keywords_are_errors(method: str) -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'refs'"):
        getattr(load("sari"), method)(*METHODS[method], refs=[])


WRONG: list[tuple[str, tuple[Any, ...], str]] = [  # method, arguments of TER, the entry that the message names
    ("evaluate", (["a"] * 577 + ["…", None], [["a"]] * 579), r"'summary\[578\]' is null$"),
    ("evaluate", ([None, "a", 3], [["a"]] * 3), r"'summary\[0\]' is null \(and 1 more entries\)$"),
    ("evaluate", (["a"] * 3, [["a"], ["a"], ["a", 3]]), r"'references\[2\]\[1\]' is the number 3, not a text$"),
    ("evaluate", (["a"] * 3, [["a"], ["a"], [None]]), "^output 2 has no reference$"),
    ("score_all", (["a", None], [["a"]] * 2), r"'summary\[1\]'"),
    ("score_multi", (["a"] * 577 + ["…", None], ["a"]), r"'summary\[578\]'"),
    ("score_multi", (["a"], ["a", "b", 3]), r"'references\[2\]'"),
    ("score_multi_all", ([["a"], ["b", None]], [["a"]] * 2), r"'summary\[1\]\[1\]'"),
    ("score_multi_all", ([["a"], ["b"]], [["a"], ["b", 3]]), r"'references\[1\]\[1\]'"),
    ("score", ("a", ["a", 3]), r"'references\[1\]'"),
    ("score", (None, ["a"]), "'summary' is null$"),
]


@pytest.mark.parametrize(("method", "arguments", "entry"), WRONG)
def test_a_wrong_entry_is_named_by_its_own_index(method: str, arguments: tuple[Any, ...], entry: str) -> None:
    with pytest.raises(InputError, match=entry):
        getattr(load("ter"), method)(*arguments)


def test_the_paragraphs_of_a_document_become_its_sentences() -> None:
    class Sentences(DocumentBasedMetric):
        def score_multi_all(self, summaries_list: Any, documents_list: Any) -> Any:
            return [
                [MetricsDict({"sentences": len(as_string(documents[0]).split("."))}) for _ in summaries]
                for summaries, documents in zip(summaries_list, documents_list, strict=True)
            ]

    nested: Any = [[["A cat.", "It sat."], ["A dog."]]]
    assert Sentences().score("a", nested) == {"sentences": 4}
    assert Sentences().evaluate(["a"], documents=[nested])[0] == {"sentences": 4.0}


@pytest.mark.parametrize("name", ["bleu", "ter", "chrf", "sari", "ibleu", "fkbleu", "fkgl"])
def test_every_corpus_metric_has_the_statistics_of_one_output(name: str) -> None:
    metric: Any = load(name, **({"splitter": "none"} if name.startswith("fk") else {}))
    fields = {"summary": "a b c d", "references": ["a b", "d"], "source": "a d"}
    values = [fields[field] for field in metric.fields]
    statistics = metric.statistics(*values)
    assert [statistics] == metric.statistics_multi_all([[values[0]]], *([value] for value in values[1:]))[0]
    assert metric.score_statistics(statistics) == metric.score(*values)


class Shouting(str):
    """A string whose methods return something else."""

    __slots__ = ()

    def lower(self) -> str:
        return self.upper()

    def split(self, *arguments: Any) -> list[str]:
        return ["x"]

    def strip(self, *arguments: Any) -> str:
        return ""

    def __str__(self) -> str:
        return "y"

    def __eq__(self, other: object) -> bool:
        return False

    def __hash__(self) -> int:
        return 0


@pytest.mark.parametrize("kernels", ["python", "auto"])
@pytest.mark.parametrize("name", ["bleu", "ter", "chrf", "sari", "sent-bleu", "token-f1", "ibleu"])
def test_the_characters_of_a_subclass_of_str_are_scored(
    name: str, kernels: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FW_KERNELS", kernels)
    metric: Any = load(name)
    fields: dict[str, Any] = {"summary": "The Cat sat", "references": ["The cat sat", "A b"], "source": "The Dog sat"}
    shouting = {"summary": Shouting("The Cat sat"), "references": [*map(Shouting, fields["references"])]}
    shouting["source"] = Shouting(fields["source"])
    plain, other = ([values[field] for field in metric.fields] for values in (fields, shouting))
    assert metric.score(*other) == metric.score(*plain)
    assert metric.evaluate(*([value] for value in other)) == metric.evaluate(*([value] for value in plain))


OUTPUTS = ["The dog bit the man.", "Nobody expected it.", "It rained all day in Paris."]
BY_OUTPUT = [
    ["The dog bit the man.", "The dog had bitten the man.", "A dog bit a man."],
    ["Nobody expected it.", "Nobody had expected it.", "It was expected by nobody."],
    ["It rained all day in Paris.", "In Paris it rained all day.", "Paris had rain all day."],
]
BY_SET = [[*texts] for texts in zip(*BY_OUTPUT, strict=True)]
FIELDS = {"summary": OUTPUTS, "references": BY_SET}


class Tokenizer:
    """Decodes numbers as outputs."""

    pad_token_id = 0

    def batch_decode(self, ids: Any, skip_special_tokens: bool) -> list[str]:
        return [OUTPUTS[row[0] - 1] for row in ids]


def update(references: Any) -> None:
    fw.Accumulator("bleu").update(OUTPUTS, references)


CALLS: dict[str, Callable[[Any], Any]] = {
    "fw.evaluate": lambda references: fw.evaluate(["bleu", "ter"], OUTPUTS, references=references),
    "two systems": lambda references: fw.evaluate("ter", {"a": OUTPUTS, "b": OUTPUTS}, references=references),
    "fw.columns": lambda references: fw.columns(["ter", "chrf"], OUTPUTS, references),
    "evaluate": lambda references: fw.load("bleu").evaluate(OUTPUTS, references),
    "score_all": lambda references: fw.load("rouge").score_all(OUTPUTS, references),
    "score_all with sources": lambda references: fw.load("sari").score_all(OUTPUTS, references, OUTPUTS),
    "score_multi_all": lambda references: fw.load("bleu").score_multi_all([[text] for text in OUTPUTS], references),
    "score_multi_all in Python": lambda references: fw.load("google-rouge").score_multi_all(
        [[text] for text in OUTPUTS], references
    ),
    "tuples": lambda references: fw.load("ter").evaluate(OUTPUTS, [tuple(texts) for texts in references]),
    "card": lambda references: hugging_face.load("sacrebleu").compute(predictions=OUTPUTS, references=references),
    "Hugging Face": lambda references: HuggingFaceMetric(fw.load("chrf")).compute(
        predictions=OUTPUTS, references=references
    ),
    "accumulator": update,
    "reward": lambda references: fw.reward("ter")(completions=OUTPUTS, references=references),
    "compute_metrics": lambda references: fw.compute_metrics(Tokenizer(), ["ter", "chrf"], references=references)(
        ([[1], [2], [3]], [[1], [2], [3]])
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_transposed_references_are_reported_once(name: str) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        CALLS[name](BY_SET)
    assert [str(one.message).partition(" seems to have a list for each set")[0] for one in caught] == ["'references'"]
    assert caught[0].filename == __file__
    CALLS[name](BY_OUTPUT)  # warnings are errors


def test_the_warning_has_the_similarities_and_the_way_out() -> None:
    with pytest.warns(UserWarning, match=re.escape("pass list(zip(*references))")) as caught:
        fw.load("bleu").evaluate(OUTPUTS, BY_SET)
    within, across = map(float, re.findall(r"\((0\.\d\d)\)", str(caught[0].message)))
    assert within < across / 2


SILENT = [  # references, why
    ([BY_OUTPUT[0]] * 3, "outputs for one input"),
    ([BY_SET[0], BY_SET[0], BY_SET[1]], "two outputs for one input"),
    ([["a"], ["a"]], "one reference for each of two outputs"),
    ([["a", "b"], ["a"]], "lists differ in length"),
    ([[f"the cat sat on the mat {number}{letter}" for letter in "ab"] for number in range(2)], "all are similar"),
    ([["abcdefghijklmnopqrst", "ABC"], ["0123456789+-*/%&$()=", "xyz"]], "all are different"),
    ([["the", "cat"], ["the the", "cat"]], "short references"),
    ([["", ""], ["", "a"]], "empty references"),
    ([], "no references"),
    ([["a b c", None], ["a b d", 5]], "checked elsewhere"),
]


@pytest.mark.parametrize(("references", "why"), SILENT)
def test_other_references_are_not_reported(references: Any, why: str) -> None:
    assert transposed_similarities(references) is None


def published(shared_path: Callable[[str], Path], pattern: str, sets: range) -> list[list[str]]:
    files = [shared_path(pattern.format(number)) for number in sets]
    return [list(texts) for texts in zip(*(file.read_text("utf-8").splitlines() for file in files), strict=True)]


CORPORA = [
    ("data/asset/asset.test.simp.{}", range(10)),
    ("data/turkcorpus/detok/test.truecase.detok.simp.{}", range(8)),
]


@pytest.mark.slow
@pytest.mark.parametrize(("pattern", "sets"), CORPORA)
def test_slices_of_published_references_are_told_from_transposed_ones(
    pattern: str, sets: range, shared_path: Callable[[str], Path]
) -> None:
    """Slices of n outputs with n references: no false alarm, and one missed slice of two outputs in 50 at most."""
    rows = published(shared_path, pattern, sets)
    for count in range(2, len(sets) + 1):
        slices = [[texts[:count] for texts in rows[start : start + count]] for start in range(0, len(rows) - count, 7)]
        assert not [one for one in slices if transposed_similarities(one)]
        missed = [
            one for one in slices if not transposed_similarities([list(texts) for texts in zip(*one, strict=True)])
        ]
        assert len(missed) <= (len(slices) / 50 if count == 2 else 0)


def test_large_lists_are_compared_in_part() -> None:
    count = MAX_LISTS + 4
    inputs = [" ".join(chr(97 + index) + digit for digit in "123456") for index in range(count)]
    sets = [[f"{text} {number}" for text in inputs] for number in range(count)]
    assert transposed_similarities(sets) is not None
    assert transposed_similarities([*sets[:MAX_LISTS], *[[str(number)] * count for number in range(4)]]) is not None


def test_only_lists_of_lists_are_called_sets_of_references() -> None:
    bleu, lengths = load("bleu"), "got 1 in summary, 2 in references"
    with pytest.raises(InputError, match=f"{lengths}$"):
        bleu.evaluate(["a cat"], ["a dog", "two dogs"])
    with pytest.raises(InputError, match=f"{lengths}; 'references' has one list"):
        bleu.evaluate(["a cat"], [["a dog"], ["two dogs"]])
