"""The five methods accept the same keywords, and errors name an entry by the index that the caller knows."""

from __future__ import annotations

from typing import Any

import pytest

from metrics_framework import DocumentBasedMetric, InputError, MetricsDict, as_string, load

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
    ("evaluate", (["a"] * 577 + ["…", None], [["a"]] * 579), "entry 578 of"),
    ("evaluate", ([None, "a"], [["a"]] * 2), "entry 0 of"),
    ("evaluate", (["a"] * 3, [["a"], ["a"], ["a", None]]), r"entry \[2\]\[1\] of"),
    ("evaluate", (["a"] * 3, [["a"], ["a"], "a"]), "entry 2 of"),
    ("score_all", (["a", None], [["a"]] * 2), "entry 1 of"),
    ("score_multi", (["a"] * 577 + ["…", None], ["a"]), "entry 578 of"),
    ("score_multi", (["a"], ["a", "b", 3]), "entry 2 of"),
    ("score_multi_all", ([["a"], ["b", None]], [["a"]] * 2), r"entry \[1\]\[1\] of"),
    ("score_multi_all", ([["a"], ["b"]], [["a"], ["b", 3]]), r"entry \[1\]\[1\] of"),
    ("score", ("a", ["a", None]), "entry 1 of"),
    ("score", (None, ["a"]), "got null$"),
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

    def split(self, *arguments: Any) -> list[str]:  # type: ignore[override]
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
