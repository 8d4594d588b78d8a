from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from messages import NOT_A_TEXT, ONE_ENTRY_FOR_EACH_OUTPUT, ONE_RESULT_FOR_EACH_SUMMARY

from metrics_framework.common.errors import InputError
from metrics_framework.data.jackknifers import ReferencesJackknifer
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.metrics.base.metric import CorpusMetric, Metric, load
from metrics_framework.metrics.base.shapes import (
    DocumentBasedMetric,
    ReferenceBasedMetric,
    ReferenceFreeMetric,
    SourceBasedMetric,
    SourceReferenceBasedMetric,
)
from metrics_framework.version import __version__


@pytest.fixture(autouse=True)
def own_registrations() -> Iterator[None]:
    """Takes the names that a test registers out of the registry again."""
    registry = Metric.registry()
    registry.search()
    before = dict(registry.entries)
    yield
    registry.entries = before


def f(summary: str, references: Sequence[str]) -> float:
    """Counts the letters of the summary and of the references, so that each of them shows in the score."""
    return float(len(summary) + 100 * sum(map(len, references)))


def test_the_example_of_the_design_works_as_written() -> None:
    @Metric.register("my-metric")
    class MyMetric(ReferenceBasedMetric):
        def __init__(self) -> None:
            super().__init__(["summary"], ["references"], jackknifer=ReferencesJackknifer())

        def score_multi_all(self, summaries_list: Any, references_list: Any) -> list[list[MetricsDict]]:
            return [
                [MetricsDict({"my-metric": f(s, refs)}) for s in summaries]
                for summaries, refs in zip(summaries_list, references_list)  # noqa: B905 - as the design has it
            ]

    metric = load("my-metric")
    assert type(metric) is MyMetric
    assert metric.name == "my-metric"
    assert metric.fields == ("summary", "references")
    assert isinstance(metric.jackknifer, ReferencesJackknifer)
    assert metric.signature() == f"my-metric|fw:{__version__}"
    assert metric.score("abc", ["de", "f"]) == {"my-metric": 303.0}
    assert metric.score_all(["a", "bc"], [["d"], ["e", "f"]]) == [{"my-metric": 101.0}, {"my-metric": 202.0}]
    assert metric.score_multi(["a", "bc"], ["d"]) == [{"my-metric": 101.0}, {"my-metric": 102.0}]
    assert metric.score_multi_all([["a", "b"], ["cd"]], [["e"], ["f"]]) == [
        [{"my-metric": 101.0}, {"my-metric": 101.0}],
        [{"my-metric": 102.0}],
    ]
    assert metric.evaluate(["a", "bcd"], [["e"], ["f"]]) == (
        {"my-metric": 102.0},
        [{"my-metric": 101.0}, {"my-metric": 103.0}],
    )


def test_the_short_form_declares_fields_and_jackknifer_on_the_class() -> None:
    @Metric.register("short-metric")
    class ShortMetric(ReferenceBasedMetric):
        """Is short."""

        jackknifer = ReferencesJackknifer()

        def score_multi_all(self, summaries_list: Any, references_list: Any) -> list[list[MetricsDict]]:
            return [
                [MetricsDict({"short": f(s, refs)}) for s in summaries]
                for summaries, refs in zip(summaries_list, references_list, strict=True)
            ]

    metric = load("short-metric")
    assert metric.fields == ("summary", "references")
    assert metric.jackknifer is ShortMetric.jackknifer
    assert metric.score("a", ["b"]) == {"short": 101.0}
    assert Metric.registry().entries["short-metric"].summary == "Is short."


def test_two_summary_fields_come_in_front() -> None:
    class Pairs(Metric):
        required_summary_fields = ("summary", "title")
        required_context_fields = ("references",)

        def score_multi_all(self, summaries_list: Any, titles_list, references_list: Any) -> list[list[MetricsDict]]:
            return [
                [
                    MetricsDict(summary=float(summary), title=float(title), reference=float(own[0]))
                    for summary, title in zip(summaries, titles, strict=True)
                ]
                for summaries, titles, own in zip(summaries_list, titles_list, references_list, strict=True)
            ]

    metric = Pairs()
    assert metric.fields == ("summary", "title", "references")
    first, second = metric.score_multi_all([["1", "2"]], [["3", "4"]], [["5"]])[0]
    assert first == {"summary": 1.0, "title": 3.0, "reference": 5.0}
    assert second == {"summary": 2.0, "title": 4.0, "reference": 5.0}
    with pytest.raises(InputError, match="got 2 summary, 1 title"):
        metric.score_multi_all([["a", "b"]], [["s"]], [["r"]])


# --- the shapes: each metric writes down what it was given ---


def written(summaries_list: Any, *contexts_list: Any) -> list[list[MetricsDict]]:
    contexts = list(zip(*contexts_list, strict=True)) if contexts_list else [()] * len(summaries_list)
    return [
        [MetricsDict(length=float(len(summary)), given=len(repr((summary, *own)))) for summary in summaries]
        for summaries, own in zip(summaries_list, contexts, strict=True)
    ]


class OfReferences(ReferenceBasedMetric):
    def score_multi_all(self, summaries_list: Any, references_list: Any) -> list[list[MetricsDict]]:
        return written(summaries_list, references_list)


class OfSourceAndReferences(SourceReferenceBasedMetric):
    def score_multi_all(self, summaries_list: Any, references_list: Any, sources) -> list[list[MetricsDict]]:
        return written(summaries_list, references_list, sources)


class OfSource(SourceBasedMetric):
    def score_multi_all(self, summaries_list, sources):
        return written(summaries_list, sources)


class OfDocuments(DocumentBasedMetric):
    def score_multi_all(self, summaries_list, documents_list):
        return written(summaries_list, documents_list)


class OfNothing(ReferenceFreeMetric):
    def score_multi_all(self, summaries_list):
        return written(summaries_list)


SHAPES = [  # metric, fields, the context of one output and of another
    (OfReferences(), ("summary", "references"), (["r"],), (["s", "t"],)),
    (OfSourceAndReferences(), ("summary", "references", "source"), (["r"], "q"), (["s", "t"], "p")),
    (OfSource(), ("summary", "source"), ("q",), ("long",)),
    (OfDocuments(), ("summary", "documents"), (["d"],), (["d", "e"],)),
    (OfNothing(), ("summary",), (), ()),
]
EACH_SHAPE = pytest.mark.parametrize(("metric", "fields", "first", "second"), SHAPES)


@EACH_SHAPE
def test_the_five_methods_of_a_shape_agree(metric: Any, fields: tuple[str, ...], first: Any, second: Any) -> None:
    assert metric.fields == fields
    both = [list(pair) for pair in zip(first, second, strict=True)]
    a_first, b_first, c_second = (metric.score(*one) for one in (("a", *first), ("bb", *first), ("ccc", *second)))
    assert metric.score_multi(["a", "bb"], *first) == [a_first, b_first]
    assert metric.score_all(["a", "ccc"], *both) == [a_first, c_second]
    assert metric.score_multi_all([["a", "bb"], ["ccc"]], *both) == [[a_first, b_first], [c_second]]
    macro, micro = metric.evaluate(["a", "ccc"], *both)
    assert micro == [a_first, c_second]
    assert macro == (a_first + c_second) / 2
    assert macro["length"] == 2.0


@EACH_SHAPE
def test_arguments_go_by_their_names(metric: Any, fields: tuple[str, ...], first: Any, second: Any) -> None:
    named = dict(zip(fields, ("a", *first), strict=True))
    assert metric.score(**named) == metric.score("a", *first)
    plural = {"references": "references_list", "documents": "documents_list", "source": "sources"}
    lists = {plural[name]: [value] for name, value in named.items() if name != "summary"}
    assert metric.score_all(summaries=["a"], **lists) == [metric.score("a", *first)]
    assert metric.score_multi_all(summaries_list=[["a"]], **lists) == [[metric.score("a", *first)]]


MISUSE = [  # call, message, why
    (lambda m: m.score("a", "r"), "'references' must be a non-empty list of texts, got the string 'r'", "by character"),
    (lambda m: m.score("a", []), "'references' must be a non-empty list of texts, got the list []", "no references"),
    (lambda m: m.score("a", None), "'references' must be a non-empty list of texts, got null", "nothing"),
    (lambda m: m.score("a", [1]), f"'references' {NOT_A_TEXT} the num", "numbers"),
    (lambda m: m.score(None, ["r"]), "'summary' must be a text", "no text"),
    (lambda m: m.score_multi("abc", ["r"]), f"'summary' {ONE_ENTRY_FOR_EACH_OUTPUT}, got the string", "a string"),
    (lambda m: m.evaluate([], []), "there are no outputs to evaluate: the lists are empty", "nothing"),
    (
        lambda m: m.score_all(["a"], ["r"]),
        "'references' must be a non-empty list of texts, got the string",
        "one level",
    ),
    (lambda m: m.score_all(["a", "b"], ["r", "s"]), "'references' must be a non-empty list of texts", "one level"),
    (lambda m: m.score_all(["a", "b"], [["r"]]), "the same number of entries, got 2 summary, 1 references", "too few"),
    (
        lambda m: m.score_all(["a"], [["r"], ["s"]]),
        "the same number of entries, got 1 summary, 2 references",
        "too many",
    ),
    (lambda m: m.evaluate(["a", "b"], [["r"]]), "the same number of entries, got 2 summary, 1 references", "too few"),
    (lambda m: m.score_all(["a"], "r"), f"'references' {ONE_ENTRY_FOR_EACH_OUTPUT}, got the", "a string"),
    (lambda m: m.score_all(["a"], {"r": 1}), f"'references' {ONE_ENTRY_FOR_EACH_OUTPUT}", "an object"),
    (lambda m: m.score_all(3, [["r"]]), f"'summary' {ONE_ENTRY_FOR_EACH_OUTPUT}, got the num", "a number"),
    (lambda m: m.score_multi_all([["a"]]), "takes 2 arguments (summary, references), got 1", "one argument"),
    (lambda m: m.score_multi_all([["a"]], [["r"]], ["s"]), "takes 2 arguments (summary, references), got 3", "three"),
    (lambda m: m.score_multi_all(["a"], [["r"]]), f"'summary' {ONE_ENTRY_FOR_EACH_OUTPUT}", "no groups"),
    (lambda m: m.score_multi_all([["a"], ["b"]], [["r"]]), "got 2 summary, 1 references", "a group too many"),
]


@pytest.mark.parametrize(("call", "message", "why"), MISUSE)
def test_lists_of_the_wrong_shape_are_refused(call: Callable[[Any], Any], message: str, why: str) -> None:
    with pytest.raises(InputError) as caught:
        call(OfReferences())
    assert message in str(caught.value), why
    assert isinstance(caught.value, ValueError)


def test_an_argument_of_another_name_is_refused() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'refs'"):
        OfReferences().score_multi_all([["a"]], refs=[["r"]])


def test_other_sequences_count_as_lists() -> None:
    metric = OfReferences()
    expected = metric.score_all(["a", "b"], [["r"], ["s"]])
    assert metric.score_all(("a", "b"), (("r",), ("s",))) != []
    assert metric.score_all(iter(["a", "b"]), iter([["r"], ["s"]])) == expected


def test_sentences_count_as_a_text() -> None:
    assert OfReferences().score(["A cat.", "It sat."], [["A cat."], "It sat."])["length"] == 2.0


WRONG_RESULTS = [  # what a metric returns, message
    ([], "groups of [2], got []"),
    ([[MetricsDict(a=1)]], "groups of [2], got [1]"),
    ([[MetricsDict(a=1)] * 2, []], "groups of [2], got [2, 0]"),
]


@pytest.mark.parametrize(("results", "message"), WRONG_RESULTS)
def test_a_metric_must_return_a_result_for_each_summary(results: Any, message: str) -> None:
    class Careless(ReferenceBasedMetric):
        def score_multi_all(self, summaries_list: Any, references_list: Any) -> list[list[MetricsDict]]:
            return results

    with pytest.raises(InputError) as caught:
        Careless().score_multi(["a", "b"], ["r"])
    assert f"score_multi_all of 'Careless' {ONE_RESULT_FOR_EACH_SUMMARY}: {message}" in str(caught.value)


@pytest.mark.parametrize(
    ("sizes", "message"), [([1] * 8, "9 groups, got 8"), ([1] * 7 + [2, 1], "1 in entry 7 of the list, got 2")]
)
def test_the_first_of_many_groups_that_differs_is_named(sizes: list[int], message: str) -> None:
    class Careless(ReferenceBasedMetric):
        def score_multi_all(self, summaries_list: Any, references_list: Any) -> list[list[MetricsDict]]:
            return [[MetricsDict(a=1)] * size for size in sizes]

    with pytest.raises(InputError) as caught:
        Careless().score_all(["a"] * 9, [[f"r{number}"] for number in range(9)])
    assert f"{ONE_RESULT_FOR_EACH_SUMMARY}: {message}" in str(caught.value)


def test_a_metric_must_define_how_it_scores() -> None:
    class Lazy(ReferenceBasedMetric):
        pass

    class LazyCorpus(CorpusMetric, ReferenceBasedMetric):
        def score_statistics(self, statistics: Sequence[float]) -> MetricsDict:
            return MetricsDict(a=statistics[0])

    with pytest.raises(NotImplementedError, match="Lazy must define score_multi_all"):
        Lazy().score("a", ["r"])
    with pytest.raises(NotImplementedError, match="LazyCorpus must define statistics or statistics_multi_all"):
        LazyCorpus().score("a", ["r"])


def test_a_subclass_that_is_not_registered_is_not_called_by_its_parents_name() -> None:
    @Metric.register("parent-metric")
    class Parent(ReferenceFreeMetric):
        """Is a parent."""

        def score_multi_all(self, summaries_list):
            return [[MetricsDict({self.name: 1.0}) for _ in summaries] for summaries in summaries_list]

    class Child(Parent):
        """Has a name of its own."""

    assert load("parent-metric").signature() == f"parent-metric|fw:{__version__}"
    assert (Parent().name, Child().name) == ("parent-metric", "Child")
    assert Child().signature() == f"Child|fw:{__version__}"
    assert Child().score("a") == {"Child": 1.0}
