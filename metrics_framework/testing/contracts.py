"""The contract of metrics, as checks for any metric, built in or of a plug-in.

>>> from metrics_framework.testing.contracts import CHECKS, example_of
>>> metric = MyMetric()  # doctest: +SKIP
>>> for check in CHECKS:  # doctest: +SKIP
...     check(metric, example_of(metric))

With pytest, as one test per check::

    @pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
    def test_my_metric_keeps_the_contract(check):
        check(MyMetric(), example_of(MyMetric()))

A failed check raises an `AssertionError` that states what was found and what was expected.
"""

from __future__ import annotations

import copy
import functools
import json
import math
import operator
import pickle
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, NoReturn

from metrics_framework.common.errors import FwError, InputError
from metrics_framework.common.options import Option, built_with, options_of
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.inputs.texts import without_checks
from metrics_framework.kernels.dispatch import Request
from metrics_framework.metrics.base.metric import CorpusMetric, Metric

TOLERANCE = 1e-9
LONG_TEXT = " ".join(["the cat sat on the mat , and the dog too ."] * 30 + ["long" * 10_000])
UNUSUAL_TEXTS = ("", " ", ".", "\ud800", "\udfff a", "\x00", "\u2028", "e\u0301", "👩‍🚀 שלום 猫", LONG_TEXT)
EXAMPLE_TEXTS: Mapping[str, Sequence[Any]] = json.loads(
    files("metrics_framework.testing").joinpath("example_texts.json").read_text(encoding="utf-8")
)
LISTS_OF_TEXTS = ("references", "documents")


@dataclass(frozen=True)
class Example:
    """Two or more outputs to check a metric with.

    Args:
        columns: Maps each field of the metric to its values, one per output.
    """

    columns: Mapping[str, Sequence[Any]]

    def of(self, metric: Metric) -> list[list[Any]]:
        """Returns copies of the columns, in the order of the metric's arguments."""
        return [copy.deepcopy(list(self.columns[name])) for name in metric.fields]

    def replaced(self, name: str, values: Sequence[Any]) -> Example:
        """Returns the example with other values in one field."""
        return Example({**self.columns, name: values})


def example_of(metric: Metric) -> Example | None:
    """Returns an example for a metric whose fields are texts; `None` for other metrics."""
    if all(name in EXAMPLE_TEXTS for name in metric.fields):
        return Example({name: EXAMPLE_TEXTS[name] for name in metric.fields})
    return None


# ---- scores ----------------------------------------------------------------------------------------------------------


def check_the_five_methods_agree(metric: Any, example: Example) -> None:
    """``score``, ``score_all``, ``score_multi``, ``score_multi_all`` and ``evaluate`` return the same scores."""
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


def check_evaluate_equals_the_total_of_all_outputs(metric: Any, example: Example) -> None:
    """``evaluate`` returns the total of the outputs, added one at a time."""
    columns = example.of(metric)
    macro, micro = metric.evaluate(*columns)
    total = metric.new_total()
    batch = metric.score_batch(Request.SCORES | Request.STATISTICS, *_groups_of_one(metric, columns))
    for index, scores in enumerate(batch.scores):
        total.add(scores, None if batch.statistics is None else batch.statistics[index])
    _same_scores([total.score()], [macro], "the total", "evaluate")
    assert list(macro) == list(micro[0]), f"evaluate returns {list(macro)} for all outputs, {list(micro[0])} for one"


def check_all_outputs_have_the_same_score_names(metric: Any, example: Example) -> None:
    """The scores of all outputs are numbers with the same flat names in the same order."""
    scores = metric.score_all(*example.of(metric))
    for of_output in scores:
        assert isinstance(of_output, MetricsDict), f"a score must be a MetricsDict, got {type(of_output).__name__}"
        names, expected = list(of_output.flatten()), list(scores[0].flatten())
        assert names == expected, f"the scores of all outputs must have the same names, got {names} and {expected}"
        for name, value in of_output.average_values().flatten().items():
            assert _is_number(value), f"'{name}' must be a number, got {value!r}"


def check_scores_follow_their_outputs(metric: Any, example: Example) -> None:
    """Reordering the outputs reorders their scores and does not change them."""
    columns = example.of(metric)
    order = [*range(1, len(columns[0])), 0]
    shuffled = metric.score_all(*([column[index] for index in order] for column in columns))
    scores = metric.score_all(*columns)
    _same_scores(shuffled, [scores[index] for index in order], "another order of outputs", "the order given")


def check_arguments_are_not_changed(metric: Any, example: Example) -> None:
    """No method changes its arguments."""
    before = example.of(metric)
    for method in (metric.score_all, metric.evaluate):
        columns = example.of(metric)
        method(*columns)
        assert columns == before, f"the arguments were {before} before and {columns} after"
    groups, same = (_groups_of_one(metric, example.of(metric)) for _ in range(2))
    metric.score_multi_all(*groups)
    assert groups == same, f"the arguments were {same} before and {groups} after"


def check_scores_are_inside_the_range(metric: Any, example: Example) -> None:
    """The score with the name of the metric, or every score if there is none, lies in ``score_range``."""
    least, greatest = metric.score_range
    macro, micro = metric.evaluate(*example.of(metric))
    for scores in (macro, *micro):
        flat = scores.average_values().flatten()
        bounded = {metric.name: flat[metric.name]} if metric.name in flat else flat
        for name, value in bounded.items():
            outside = value < (-math.inf if least is None else least) - TOLERANCE
            outside |= value > (math.inf if greatest is None else greatest) + TOLERANCE
            assert not outside, f"'{name}' must lie between {least} and {greatest}, got {value}"


# ---- invalid arguments -----------------------------------------------------------------------------------------------


def check_lists_of_unequal_length_are_refused(metric: Any, example: Example) -> None:
    """Lists of unequal length raise `InputError`; they never shorten the result."""
    columns = example.of(metric)
    for index in range(len(columns) if len(columns) > 1 else 0):
        shorter = [*columns[:index], columns[index][:-1], *columns[index + 1 :]]
        what = f"'{metric.fields[index]}' with {len(shorter[index])} entries and others with {len(columns[0])}"
        _refused(metric.score_all, shorter, what)
        _refused(metric.evaluate, shorter, what)
        _refused(metric.score_multi_all, _groups_of_one(metric, shorter), what)


def check_a_string_is_one_text(metric: Any, example: Example) -> None:
    """A string for a list of texts is one text, and refused for the list of all outputs; it never is characters."""
    for name in set(LISTS_OF_TEXTS).intersection(metric.fields):
        count = len(example.columns[name])
        one, listed = (example.replaced(name, [text] * count).of(metric) for text in ("a text", ["a text"]))
        _same_scores(metric.score_all(*one), metric.score_all(*listed), f"a string for '{name}'", "a list of it")
        empty = example.replaced(name, [[]] * len(example.columns[name])).of(metric)
        _refused(metric.score_all, empty, f"an empty list for '{name}'")
    column = example.of(metric)[0]
    rest = example.of(metric)[1:]
    _refused(metric.score_all, ["a text", *rest], f"a string for the list of '{metric.fields[0]}'")
    _refused(metric.score_all, [{"text": column}, *rest], f"an object for the list of '{metric.fields[0]}'")


def check_values_that_are_not_texts_are_refused(metric: Any, example: Example) -> None:
    """A value of the wrong type raises `InputError`."""
    for name in metric.fields:
        nested = [] if name == "documents" else [[[["a"]]]]  # a document may be lists of sentences of any depth
        for wrong in (None, 5, b"bytes", {"text": "a"}, [5], *nested):
            columns = example.replaced(name, [wrong, *example.columns[name][1:]]).of(metric)
            _refused(metric.score_all, columns, f"{wrong!r} for '{name}'")


def check_evaluating_no_outputs_is_refused(metric: Any, example: Example) -> None:
    """``evaluate`` of no outputs raises `InputError`; ``score_all`` of no outputs returns an empty list."""
    nothing: list[list[Any]] = [[] for _ in metric.fields]
    _refused(metric.evaluate, nothing, "no outputs")
    assert metric.score_all(*nothing) == [], "score_all of no outputs must be an empty list"


# ---- all kinds of text -----------------------------------------------------------------------------------------------


@without_checks()
def check_unusual_texts_are_scored(metric: Any, example: Example) -> None:
    """Empty texts, lone surrogates, very long texts and others are scored, in each field and in all fields."""
    expected = list(metric.score_all(*example.of(metric))[0])
    for text in UNUSUAL_TEXTS:
        everywhere = example
        for name in (field for field in metric.fields if field in EXAMPLE_TEXTS):
            values = [[text] if name in LISTS_OF_TEXTS else text] * len(example.columns[name])
            everywhere = everywhere.replaced(name, values)
            _scored(metric, example.replaced(name, values), expected, f"{text[:20]!r} as '{name}'")
        _scored(metric, everywhere, expected, f"{text[:20]!r} in all fields")


def check_lists_of_sentences_are_texts(metric: Any, example: Example) -> None:
    """A text may be a list of sentences; a list of one sentence scores as the sentence itself."""
    expected = metric.score_all(*example.of(metric))
    split = in_two = example
    for name in (field for field in metric.fields if field in EXAMPLE_TEXTS):
        values = example.columns[name]
        many = name in LISTS_OF_TEXTS
        split = split.replaced(name, [[[text] for text in value] if many else [value] for value in values])
        halves = [[text.split(" ", 1) for text in value] if many else value.split(" ", 1) for value in values]
        in_two = in_two.replaced(name, halves)
    _same_scores(metric.score_all(*split.of(metric)), expected, "a list of one sentence", "the sentence")
    _scored(metric, in_two, list(expected[0]), "texts of two sentences")


def check_jackknifed_variants_can_be_scored(metric: Any, example: Example) -> None:
    """The metric can score all variants that its jackknifer creates."""
    if metric.jackknifer is None:
        return
    for values in zip(*example.of(metric), strict=True):
        fields = dict(zip(metric.fields, values, strict=True))
        before = copy.deepcopy(fields)
        variants = metric.jackknifer.variants(fields)
        assert fields == before, "the jackknifer must not change its arguments"
        for variant in variants:
            metric.score(*({**fields, **variant}[name] for name in metric.fields))


# ---- signature, citation and pickling --------------------------------------------------------------------------------


def check_the_signature_says_what_was_computed(metric: Any, example: Example) -> None:
    """The signature starts with the name and depends on every option, except ``unsigned_options``."""
    signature = metric.signature()
    assert signature.split("|")[0] == metric.name, f"must start with '{metric.name}|', got '{signature}'"
    options = built_with(metric, Metric)
    again = type(metric)(**options).signature()
    assert again == signature, f"must be the same for the same options, got '{signature}' and '{again}'"
    for option in options_of(type(metric), Metric):
        others = list(_signatures_with_another(metric, option, options))
        if option.name in metric.unsigned_options:
            assert {*others} <= {signature}, f"must not depend on '{option.name}', which is in 'unsigned_options'"
            continue
        assert not others or any(other != signature for other in others), (
            f"must depend on '{option.name}', got '{signature}' for other values too"
        )
    observed = metric.signature(refs="1-3")
    assert "|refs:1-3" in observed, f"must include keywords such as refs, got '{observed}'"


def check_the_citation_is_bibtex(metric: Any, example: Example) -> None:
    """``citation`` consists of BibTeX entries; it is empty if no paper describes the metric."""
    citation = metric.citation
    assert re.match(r"@\w+\{[^,\s]+,|\Z", citation), f"'citation' must be BibTeX, got {citation[:60]!r}"
    balance = citation.count("{") - citation.count("}")
    assert balance == 0, f"'citation' must have balanced braces, got {balance:+d}"


def check_a_pickled_copy_scores_the_same(metric: Any, example: Example) -> None:
    """A metric can be pickled, and so sent to worker processes."""
    try:
        copied = pickle.loads(pickle.dumps(metric))
    except Exception as error:
        _fail(f"the metric must be picklable, got {type(error).__name__}: {error}")
    columns = example.of(metric)
    _same_scores(copied.score_all(*columns), metric.score_all(*columns), "the copy", "the metric")
    assert copied.signature() == metric.signature(), f"must be {metric.signature()}, got {copied.signature()}"


# ---- corpus metrics --------------------------------------------------------------------------------------------------


def check_statistics_add_up(metric: Any, example: Example) -> None:
    """Statistics of a `CorpusMetric` have one length; outputs are scored by them, the corpus by their sum."""
    if not isinstance(metric, CorpusMetric):
        return
    columns = example.of(metric)
    vectors = [list(vector) for (vector,) in metric.statistics_multi_all(*_groups_of_one(metric, columns))]
    lengths = sorted({len(vector) for vector in vectors})
    assert len(lengths) == 1, f"the statistics of all outputs must have the same length, got {lengths}"
    assert all(_is_number(number) for vector in vectors for number in vector), f"must be numbers, got {vectors[0]}"
    macro, micro = metric.evaluate(*columns)
    _same_scores(
        [metric.score_statistics(vector) for vector in vectors], micro, "the score of the statistics", "the score"
    )
    sums = [functools.reduce(operator.add, numbers) for numbers in zip(*vectors, strict=True)]
    _same_scores([metric.score_statistics(sums)], [macro], "the score of the summed statistics", "evaluate")


Check = Callable[[Any, Example], None]
CHECKS: list[Check] = [value for name, value in list(globals().items()) if name.startswith("check_")]


# ---- helpers ---------------------------------------------------------------------------------------------------------


def _groups_of_one(metric: Metric, columns: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Returns the arguments of ``score_multi_all`` for groups of one output."""
    number = len(metric.required_summary_fields)
    return [[[value] for value in column] if i < number else list(column) for i, column in enumerate(columns)]


def _same_scores(
    actual: Sequence[MetricsDict], expected: Sequence[MetricsDict], one: str = "score_multi_all", other: str = "score"
) -> None:
    assert len(actual) == len(expected), f"{one} returns {len(actual)} scores, {other} returns {len(expected)}"
    for index, (score, expected_score) in enumerate(zip(actual, expected, strict=True)):
        same = score.approx_equal(expected_score, TOLERANCE)
        assert same, f"{one} returns {score} for output {index}, {other} returns {expected_score}"


def _scored(metric: Any, example: Example, expected: list[str], what: str) -> None:
    try:
        scores = metric.score_all(*example.of(metric))
    except Exception as error:
        _fail(f"{what} must be scored, but raises {type(error).__name__}: {error}")
    for of_output in scores:
        assert list(of_output) == expected, f"the scores of {what} must be {expected}, got {list(of_output)}"


def _refused(method: Callable[..., Any], arguments: Sequence[Any], what: str) -> None:
    try:
        result = method(*arguments)
    except InputError:
        return
    except Exception as error:
        _fail(f"{what} must raise InputError, got {type(error).__name__}: {error}")
    _fail(f"{what} must raise InputError, got the result {result}")


def _fail(message: str) -> NoReturn:
    raise AssertionError(message)


def _signatures_with_another(metric: Metric, option: Option, options: Mapping[str, Any]) -> Iterator[str]:
    """Yields the signatures of metrics that differ in one option; invalid values are skipped."""
    for value in _other_values(option, options.get(option.name)):
        try:
            yield type(metric)(**{**options, option.name: value}).signature()
        except (FwError, ValueError):
            continue


def _other_values(option: Option, value: Any) -> list[Any]:
    if option.kind == "bool":
        return [boolean for boolean in (True, False) if boolean is not value]
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
