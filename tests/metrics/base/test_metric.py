from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from messages import (
    IS_NULL,
    NO_OUTPUTS,
    NOT_TEXT,
    ONE_ENTRY_FOR_EACH_OUTPUT,
    ONE_RESULT_FOR_EACH_SUMMARY,
    REGISTERED_TWICE,
)

from metrics_framework.common.errors import InputError, RegistrationError, UnknownNameError, UsageError
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
    with pytest.raises(InputError, match="got 2 in summary, 1 in title"):
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
def test_arguments_go_by_their_names(metric: Any, fields: tuple[str, ...], first: Any, second: Any) -> None:
    assert metric.fields == fields
    named = dict(zip(fields, ("a", *first), strict=True))
    assert metric.score(**named) == metric.score("a", *first)
    plural = {"references": "references_list", "documents": "documents_list", "source": "sources"}
    lists = {plural[name]: [value] for name, value in named.items() if name != "summary"}
    assert metric.score_all(summaries=["a"], **lists) == [metric.score("a", *first)]
    assert metric.score_multi_all(summaries_list=[["a"]], **lists) == [[metric.score("a", *first)]]


MISUSE = [  # call, message, why
    (lambda m: m.score("a", []), "the output has no reference", "no references"),
    (lambda m: m.score("a", None), "the output has no reference", "nothing"),
    (lambda m: m.score("a", [1]), f"'references[0]' is the number 1, {NOT_TEXT}", "numbers"),
    (lambda m: m.score(None, ["r"]), f"'summary' {IS_NULL}", "no text"),
    (lambda m: m.score_multi("abc", ["r"]), f"'summary' {ONE_ENTRY_FOR_EACH_OUTPUT}, got the string", "a string"),
    (lambda m: m.evaluate([], []), NO_OUTPUTS, "nothing"),
    (
        lambda m: m.score_all(["a", "b"], [["r"]]),
        "got 2 in summary, 1 in references",
        "too few",
    ),
    (
        lambda m: m.score_all(["a"], [["r"], ["s"]]),
        "got 1 in summary, 2 in references",
        "too many",
    ),
    (
        lambda m: m.evaluate(["a", "b"], [["r"]]),
        "got 2 in summary, 1 in references",
        "too few",
    ),
    (lambda m: m.score_all(["a"], "r"), "'references' is one text for 1 output; pass [text] * 1 if", "a string"),
    (lambda m: m.score_all(["a"], {"r": 1}), "'references['r']' must be a list", "an object"),
    (lambda m: m.score_all(3, [["r"]]), f"'summary' {ONE_ENTRY_FOR_EACH_OUTPUT}, got the num", "a number"),
    (lambda m: m.score_multi_all([["a"]]), "takes 2 arguments (summary, references), got 1", "one argument"),
    (lambda m: m.score_multi_all([["a"]], [["r"]], ["s"]), "takes 2 arguments (summary, references), got 3", "three"),
    (lambda m: m.score_multi_all(["a"], [["r"]]), f"'summary' {ONE_ENTRY_FOR_EACH_OUTPUT}", "no groups"),
    (lambda m: m.score_multi_all([["a"], ["b"]], [["r"]]), "got 2 in summary, 1 in references", "a group too many"),
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


WRONG_RESULTS = [  # numbers of summaries in groups and of results that a metric returns for them, message
    ([2], [], "groups of [2], got []"),
    ([2], [1], "groups of [2], got [1]"),
    ([2], [2, 0], "groups of [2], got [2, 0]"),
    ([1] * 9, [1] * 8, "9 groups, got 8"),
    ([1] * 9, [1] * 7 + [2, 1], "1 in entry 7 of the list, got 2"),
]


@pytest.mark.parametrize(("sizes", "returned", "message"), WRONG_RESULTS)
def test_a_metric_must_return_a_result_for_each_summary(sizes: list[int], returned: list[int], message: str) -> None:
    class Careless(ReferenceBasedMetric):
        def score_multi_all(self, summaries_list: Any, references_list: Any) -> list[list[MetricsDict]]:
            return [[MetricsDict(a=1)] * size for size in returned]

    with pytest.raises(InputError) as caught:
        Careless().score_multi_all([["a"] * size for size in sizes], [["r"]] * len(sizes))
    assert f"score_multi_all of 'Careless' {ONE_RESULT_FOR_EACH_SUMMARY}: {message}" in str(caught.value)


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


# --- loading ---


@pytest.fixture
def configurable() -> type[Metric]:
    @Metric.register("configurable", "conf")
    class Configurable(ReferenceBasedMetric):
        """Has options.

        Args:
            size: Some size.
            lowercase: Whether case is ignored.
            words: Some words.
        """

        option_aliases = {"width": "size"}

        def __init__(self, size: int = 4, lowercase: bool = False, words: list[str] | None = None) -> None:
            super().__init__()
            self.size = size
            self.lowercase = lowercase
            self.words = words

        def score_multi_all(self, summaries_list: Any, references_list: Any) -> list[list[MetricsDict]]:
            return [[MetricsDict({"configurable": 1.0}) for _ in summaries] for summaries in summaries_list]

    return Configurable


LOADED = [  # name, options, signature
    ("configurable", {}, "size:4|lowercase:no|words:none"),
    ("conf", {}, "size:4|lowercase:no|words:none"),
    ("configurable", {"size": 2, "lowercase": True}, "size:2|lowercase:yes|words:none"),
    ("configurable", {"width": "2"}, "size:2|lowercase:no|words:none"),
    ("configurable:size=2,lowercase=yes", {}, "size:2|lowercase:yes|words:none"),
    ("configurable:size=2", {"size": 3}, "size:3|lowercase:no|words:none"),
    ('{"type": "configurable", "words": ["a", "b"]}', {}, "size:4|lowercase:no|words:a+b"),
    ({"type": "configurable", "width": 3}, {}, "size:3|lowercase:no|words:none"),
]


@pytest.mark.parametrize(("name", "options", "expected"), LOADED)
def test_a_metric_is_loaded_by_name_and_its_signature_has_every_option(
    configurable: type[Metric], name: Any, options: dict[str, Any], expected: str
) -> None:
    metric = load(name, **options)
    assert type(metric) is configurable
    assert metric.signature() == f"configurable|{expected}|fw:{__version__}"


def test_a_signature_has_the_options_however_they_were_given(configurable: type[Any]) -> None:
    signatures = {
        metric.signature()
        for metric in (configurable(2, True), configurable(2, lowercase=True), configurable(width=2, lowercase=True))
    }
    assert len(signatures) == 1


def test_a_signature_has_what_only_the_data_tell(configurable: type[Any]) -> None:
    observed = configurable().signature(refs="1-8").split("|")
    assert set(observed) - set(configurable().signature().split("|")) == {"refs:1-8"}


def test_unknown_metrics_and_options_suggest_a_near_one(configurable: type[Any]) -> None:
    with pytest.raises(UnknownNameError, match="unknown metric 'configurabel'; did you mean 'configurable'"):
        load("configurabel")
    with pytest.raises(UnknownNameError, match="unknown option 'sise' of 'configurable'; did you mean 'size'"):
        load("configurable", sise=3)


def test_wrong_values_of_options_are_refused(configurable: type[Any]) -> None:
    with pytest.raises(UsageError, match="'size' must be an integer, got 'x'"):
        load("configurable", size="x")
    with pytest.raises(UsageError, match="duplicate option 'size' of 'configurable'"):
        load("configurable", size=1, width=2)


def test_a_metric_that_is_not_registered_goes_by_the_name_of_its_class() -> None:
    class Nameless(ReferenceBasedMetric):
        pass

    assert Nameless().name == "Nameless"
    assert Nameless().signature() == f"Nameless|fw:{__version__}"


def test_a_name_of_the_tree_cannot_be_taken() -> None:
    with pytest.raises(RegistrationError, match=rf"'pyramid-score' {REGISTERED_TWICE} metrics_framework\."):

        @Metric.register("pyramid-score")
        class Other(ReferenceBasedMetric):
            """Wants the name too."""

            def score_multi_all(self, summaries_list: Any, references_list: Any) -> list[list[MetricsDict]]:
                return []


@pytest.mark.parametrize("name", [3, None, ["sari"], Metric])
def test_what_is_no_name_is_an_error(name: Any) -> None:
    with pytest.raises(UsageError, match="expected a name, name:option=value,… or a dictionary with a type, got"):
        load(name)


def test_a_metric_is_labelled_with_its_name_by_default() -> None:
    assert load("ter").default_label == "ter"
