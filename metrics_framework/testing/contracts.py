"""What every metric must keep to, as checks that any metric can be put through, of this project or of a plug-in.

>>> from metrics_framework.testing.contracts import CHECKS, example_of
>>> metric = MyMetric()  # doctest: +SKIP
>>> for check in CHECKS:  # doctest: +SKIP
...     check(metric, example_of(metric))

In a test suite, one test for each check::

    @pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
    def test_my_metric_keeps_the_contract(check):
        check(MyMetric(), example_of(MyMetric()))

A check raises `AssertionError` and says what was found and what was expected.
"""

from __future__ import annotations

import copy
import math
import pickle
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from metrics_framework.common.construct import Option, built_with, options_of
from metrics_framework.common.errors import FwError, InputError
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.kernels.dispatch import Request
from metrics_framework.metrics.base.metric import CorpusMetric, Metric

TOLERANCE = 1e-9
LONG = " ".join(["the cat sat on the mat , and the dog too ."] * 30 + ["long" * 10_000])
ODD = ("", " ", ".", "\ud800", "\udfff a", "\x00", "\u2028", "e\u0301", "👩‍🚀 שלום 猫", LONG)
TEXTS: Mapping[str, Sequence[Any]] = {
    "summary": ["the cat sat on the mat", "a dog", "the cat sat .", "Nothing is shared!", "the the the cat"],
    "source": ["the big cat sat down on the mat", "a dog", "the cat was sitting .", "One. Two.", "the cat"],
    "references": [
        ["the cat sat on a mat", "a cat sat down"],
        ["a dog"],
        ["the cat was sitting .", "a cat sat .", "it sat"],
        ["Quite another text", "One. Two."],
        ["the cat", "the cat"],
    ],
    "documents": [
        ["the big cat sat down on the mat", "it was a mat ."],
        ["a dog"],
        ["the cat was sitting .", "a cat sat .", "it sat"],
        ["One. Two.", "Three. Four."],
        ["the cat", "the cat"],
    ],
}
LISTS_OF_TEXTS = ("references", "documents")


@dataclass(frozen=True)
class Example:
    """Outputs to check a metric with, at least two.

    Args:
        columns: Each field of the metric to its values, one for each output.
    """

    columns: Mapping[str, Sequence[Any]]

    def of(self, metric: Metric) -> list[list[Any]]:
        """Returns copies of the columns, in the order of the metric's arguments."""
        return [copy.deepcopy(list(self.columns[name])) for name in metric.fields]

    def replaced(self, name: str, values: Sequence[Any]) -> Example:
        """Returns the example with other values in one field."""
        return Example({**self.columns, name: values})


def example_of(metric: Metric) -> Example | None:
    """Returns an example for a metric of texts; `None` if it has fields that are none, so that one must be given."""
    if all(name in TEXTS for name in metric.fields):
        return Example({name: TEXTS[name] for name in metric.fields})
    return None


# ---- the methods -----------------------------------------------------------------------------------------------------


def check_the_five_methods_agree(metric: Any, example: Example) -> None:
    """``score``, ``score_all``, ``score_multi``, ``score_multi_all`` and ``evaluate`` give the same for one output."""
    columns = example.of(metric)
    single = [metric.score(*values) for values in zip(*columns, strict=True)]
    _same_scores(metric.score_all(*columns), single, "score_all", "score")
    _same_scores(metric.evaluate(*columns)[1], single, "evaluate", "score")
    _same_scores([scores for (scores,) in metric.score_multi_all(*_groups_of_one(metric, columns))], single)
    number = len(metric.required_summary_fields)
    summaries, context = columns[:number], [column[0] for column in columns[number:]]
    together = metric.score_multi(*summaries, *context)
    alone = [metric.score(*values, *context) for values in zip(*summaries, strict=True)]
    _same_scores(together, alone, "score_multi", "score")


def check_the_score_of_all_is_that_of_the_total(metric: Any, example: Example) -> None:
    """``evaluate`` gives what the outputs add up to, one at a time."""
    columns = example.of(metric)
    macro, micro = metric.evaluate(*columns)
    total = metric.new_total()
    batch = metric.score_batch(Request.SCORES | Request.STATISTICS, *_groups_of_one(metric, columns))
    for index, scores in enumerate(batch.scores):
        total.add(scores, None if batch.statistics is None else batch.statistics[index])
    _same_scores([total.score()], [macro], "the total", "evaluate")
    assert list(macro) == list(micro[0]), f"evaluate gives {list(macro)} for all outputs, {list(micro[0])} for one"


def check_every_output_has_the_same_names_of_scores(metric: Any, example: Example) -> None:
    """The scores of all outputs have the same flat names, in the same order, and are numbers."""
    scores = metric.score_all(*example.of(metric))
    for one in scores:
        assert isinstance(one, MetricsDict), f"a score must be a MetricsDict, got {type(one).__name__}"
        names, expected = list(one.flatten()), list(scores[0].flatten())
        assert names == expected, f"the scores of all outputs must have the same names, got {names} and {expected}"
        for name, value in one.average_values().flatten().items():
            assert _is_number(value), f"'{name}' must be a number, got {value!r}"


def check_scores_follow_their_outputs(metric: Any, example: Example) -> None:
    """The scores of outputs in another order are the same scores in that order."""
    columns = example.of(metric)
    order = [*range(1, len(columns[0])), 0]
    shuffled = metric.score_all(*([column[index] for index in order] for column in columns))
    scores = metric.score_all(*columns)
    _same_scores(shuffled, [scores[index] for index in order], "another order of outputs", "the order given")


def check_arguments_are_not_changed(metric: Any, example: Example) -> None:
    """No method changes what it is given."""
    before = example.of(metric)
    for method in (metric.score_all, metric.evaluate):
        columns = example.of(metric)
        method(*columns)
        assert columns == before, f"the arguments were {before} before and {columns} after"
    groups, same = (_groups_of_one(metric, example.of(metric)) for _ in range(2))
    metric.score_multi_all(*groups)
    assert groups == same, f"the arguments were {same} before and {groups} after"


def check_scores_are_inside_the_range(metric: Any, example: Example) -> None:
    """The score of that name, or every score if there is none of that name, lies in ``score_range``."""
    least, greatest = metric.score_range
    macro, micro = metric.evaluate(*example.of(metric))
    for scores in (macro, *micro):
        flat = scores.average_values().flatten()
        own = {metric.name: flat[metric.name]} if metric.name in flat else flat
        for name, value in own.items():
            outside = value < (-math.inf if least is None else least) - TOLERANCE
            outside |= value > (math.inf if greatest is None else greatest) + TOLERANCE
            assert not outside, f"'{name}' must lie between {least} and {greatest}, got {value}"


# ---- what is refused -------------------------------------------------------------------------------------------------


def check_lists_of_unequal_length_are_refused(metric: Any, example: Example) -> None:
    """A list that is shorter than the others is an `InputError`, never a shorter result."""
    columns = example.of(metric)
    for index in range(len(columns) if len(columns) > 1 else 0):
        shorter = [column[:-1] if place == index else column for place, column in enumerate(columns)]
        what = f"'{metric.fields[index]}' with {len(shorter[index])} entries and others with {len(columns[0])}"
        _refused(metric.score_all, shorter, what)
        _refused(metric.evaluate, shorter, what)
        _refused(metric.score_multi_all, _groups_of_one(metric, shorter), what)


def check_a_string_for_a_list_is_refused(metric: Any, example: Example) -> None:
    """A string where a list of references or documents belongs is an `InputError`, and never scored by character."""
    for name in set(LISTS_OF_TEXTS).intersection(metric.fields):
        wrong = example.replaced(name, ["a text"] * len(example.columns[name])).of(metric)
        _refused(metric.score_all, wrong, f"a string for '{name}'")
        _refused(metric.score, [column[0] for column in wrong], f"a string for '{name}'")
        empty = example.replaced(name, [[]] * len(example.columns[name])).of(metric)
        _refused(metric.score_all, empty, f"an empty list for '{name}'")
    column = example.of(metric)[0]
    rest = example.of(metric)[1:]
    _refused(metric.score_all, ["a text", *rest], f"a string for the list of '{metric.fields[0]}'")
    _refused(metric.score_all, [{"text": column}, *rest], f"an object for the list of '{metric.fields[0]}'")


def check_what_is_no_text_is_refused(metric: Any, example: Example) -> None:
    """A field that holds something else than it should is an `InputError`."""
    for name in metric.fields:
        for wrong in (None, 5, b"bytes", {"text": "a"}, [[["a"]]], [5]):
            columns = example.replaced(name, [wrong, *example.columns[name][1:]]).of(metric)
            _refused(metric.score_all, columns, f"{wrong!r} for '{name}'")


def check_nothing_cannot_be_evaluated(metric: Any, example: Example) -> None:
    """``evaluate`` of no outputs is an `InputError`, ``score_all`` of none is none."""
    nothing: list[list[Any]] = [[] for _ in metric.fields]
    _refused(metric.evaluate, nothing, "no outputs")
    assert metric.score_all(*nothing) == [], "score_all of no outputs must be an empty list"


# ---- texts of every kind ---------------------------------------------------------------------------------------------


def check_odd_texts_are_scored(metric: Any, example: Example) -> None:
    """Empty texts, lone surrogates, very long texts and the like are scored, in every field and in all of them."""
    expected = list(metric.score_all(*example.of(metric))[0])
    for text in ODD:
        everywhere = example
        for name in (field for field in metric.fields if field in TEXTS):
            values = [[text] if name in LISTS_OF_TEXTS else text] * len(example.columns[name])
            everywhere = everywhere.replaced(name, values)
            _scored(metric, example.replaced(name, values), expected, f"{text[:20]!r} as '{name}'")
        _scored(metric, everywhere, expected, f"{text[:20]!r} in all fields")


def check_lists_of_sentences_are_texts(metric: Any, example: Example) -> None:
    """A text may be the list of its sentences; one of one sentence scores as the sentence does."""
    expected = metric.score_all(*example.of(metric))
    split = in_two = example
    for name in (field for field in metric.fields if field in TEXTS):
        values = example.columns[name]
        many = name in LISTS_OF_TEXTS
        split = split.replaced(name, [[[text] for text in value] if many else [value] for value in values])
        halves = [[text.split(" ", 1) for text in value] if many else value.split(" ", 1) for value in values]
        in_two = in_two.replaced(name, halves)
    _same_scores(metric.score_all(*split.of(metric)), expected, "a list of one sentence", "the sentence")
    _scored(metric, in_two, list(expected[0]), "texts of two sentences")


def check_jackknifed_variants_can_be_scored(metric: Any, example: Example) -> None:
    """What the jackknifer makes of the context of an output are contexts that the metric takes."""
    if metric.jackknifer is None:
        return
    for values in zip(*example.of(metric), strict=True):
        fields = dict(zip(metric.fields, values, strict=True))
        before = copy.deepcopy(fields)
        variants = metric.jackknifer.variants(fields)
        assert fields == before, "the jackknifer changed the fields it was given"
        for variant in variants:
            metric.score(*({**fields, **variant}[name] for name in metric.fields))


# ---- what a metric says of itself ------------------------------------------------------------------------------------


def check_the_signature_says_what_was_computed(metric: Any, example: Example) -> None:
    """It starts with the name, is equal for equal options, and another value of any option shows in it."""
    signature = metric.signature()
    assert signature.split("|")[0] == metric.name, f"must start with '{metric.name}|', got '{signature}'"
    options = built_with(metric, Metric)
    again = type(metric)(**options).signature()
    assert again == signature, f"must be equal for equal options, got '{signature}' and '{again}'"
    for option in options_of(type(metric), Metric):
        others = [*_signatures_with_another(metric, option, options)]
        assert not others or any(other != signature for other in others), (
            f"'{option.name}' does not show in '{signature}'"
        )
    observed = metric.signature(refs="1-3")
    assert "|refs:1-3" in observed, f"must hold what the data tell, got '{observed}'"


def check_the_paper_to_cite_is_there(metric: Any, example: Example) -> None:
    """``citation`` is one BibTeX entry or more."""
    citation = metric.citation
    assert re.match(r"@\w+\{[^,\s]+,", citation), f"'citation' must be BibTeX, got {citation[:60]!r}"
    balance = citation.count("{") - citation.count("}")
    assert balance == 0, f"'citation' must close every brace that it opens, got {balance:+d}"


def check_a_copy_by_pickle_scores_the_same(metric: Any, example: Example) -> None:
    """A metric can be sent to another process."""
    try:
        copied = pickle.loads(pickle.dumps(metric))
    except Exception as error:
        _fail(f"must be a metric that pickle can copy, got {type(error).__name__}: {error}")
    columns = example.of(metric)
    _same_scores(copied.score_all(*columns), metric.score_all(*columns), "the copy", "the metric")
    assert copied.signature() == metric.signature(), f"{copied.signature()} is not {metric.signature()}"


# ---- corpus metrics --------------------------------------------------------------------------------------------------


def check_statistics_add_up(metric: Any, example: Example) -> None:
    """Of a `CorpusMetric`: vectors of one length; that of an output gives its score, their sum the score of all."""
    if not isinstance(metric, CorpusMetric):
        return
    columns = example.of(metric)
    vectors = [list(vector) for (vector,) in metric.statistics_multi_all(*_groups_of_one(metric, columns))]
    lengths = sorted({len(vector) for vector in vectors})
    assert len(lengths) == 1, f"the statistics must be equally many for every output, got {lengths}"
    assert all(_is_number(number) for vector in vectors for number in vector), f"must be numbers, got {vectors[0]}"
    macro, micro = metric.evaluate(*columns)
    _same_scores(
        [metric.score_statistics(vector) for vector in vectors], micro, "the score of the statistics", "the score"
    )
    sums = [sum(numbers) for numbers in zip(*vectors, strict=True)]
    _same_scores([metric.score_statistics(sums)], [macro], "the score of the summed statistics", "evaluate")


Check = Callable[[Any, Example], None]
CHECKS: list[Check] = [value for name, value in list(globals().items()) if name.startswith("check_")]


# ---- how it is checked -----------------------------------------------------------------------------------------------


def _groups_of_one(metric: Metric, columns: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Returns the arguments of ``score_multi_all`` for one output a context."""
    number = len(metric.required_summary_fields)
    return [[[value] for value in column] if i < number else list(column) for i, column in enumerate(columns)]


def _same_scores(
    found: Sequence[MetricsDict],
    expected: Sequence[MetricsDict],
    one: str = "score_multi_all",
    other: str = "score",
) -> None:
    assert len(found) == len(expected), f"{one} gives {len(found)} scores, {other} {len(expected)}"
    for index, (mine, theirs) in enumerate(zip(found, expected, strict=True)):
        same = mine.approx_equal(theirs, TOLERANCE)
        assert same, f"{one} gives {mine} for output {index}, {other} gives {theirs}"


def _scored(metric: Any, example: Example, expected: list[str], what: str) -> None:
    try:
        scores = metric.score_all(*example.of(metric))
    except Exception as error:
        _fail(f"{what} must be scored, but raises {type(error).__name__}: {error}")
    for one in scores:
        assert list(one) == expected, f"{what} must give {expected}, got {list(one)}"


def _refused(method: Callable[..., Any], arguments: Sequence[Any], what: str) -> None:
    try:
        result = method(*arguments)
    except InputError:
        return
    except Exception as error:
        _fail(f"{what} must be an InputError, got {type(error).__name__}: {error}")
    _fail(f"{what} must be an InputError, got the result {result}")


def _fail(message: str) -> NoReturn:
    raise AssertionError(message)


def _signatures_with_another(metric: Metric, option: Option, options: Mapping[str, Any]) -> Iterator[str]:
    """Gives the signatures of metrics that differ in one option; values that cannot be are left out."""
    for value in _other_values(option, options.get(option.name)):
        try:
            yield type(metric)(**{**options, option.name: value}).signature()
        except (FwError, ValueError):
            continue


def _other_values(option: Option, value: Any) -> list[Any]:
    if option.kind == "bool":
        return [one for one in (True, False) if one is not value]
    if option.kind == "choice":
        return [choice for choice in option.choices if choice != value]
    if option.kind in ("int", "float") and not isinstance(value, str):
        return [(value or 0) + step for step in (1, 2, -1)]
    return []


def _is_number(value: Any) -> bool:
    try:
        return not isinstance(value, (bool, str)) and (math.isnan(value) or float(value) == value)
    except (TypeError, ValueError):
        return False
