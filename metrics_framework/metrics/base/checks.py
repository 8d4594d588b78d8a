"""Checks the arguments and results of metrics: lists of a wrong shape can lead to plausible but wrong scores."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from metrics_framework.common.definitions import defined_at
from metrics_framework.common.errors import InputError
from metrics_framework.data.fields import PLAIN_KINDS, check_field
from metrics_framework.data.lists import as_list, as_plain, is_list
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.texts import is_text, shown, without_paragraphs
from metrics_framework.kernels.dispatch import are_plain
from metrics_framework.metrics.base.transposed import warn_if_transposed

_SHOWN_SIZES = 5
"""The greatest number of groups whose sizes are all shown."""


class FieldNames:
    """The fields that a metric requires, in the order of its arguments.

    Args:
        summary: The fields of an output.
        context: The fields that the outputs of a group share.

    Attributes:
        kinds: The type codes for `kernels.dispatch.are_plain`, one per field, for lists with one entry per output.
        group_kinds: The same for groups of outputs.
        context_is_text: Whether the context consists of texts and lists of texts.
    """

    def __init__(self, summary: Sequence[str], context: Sequence[str]) -> None:
        self.summary, self.context = tuple(summary), tuple(context)
        of_summary, of_context = ("".join(PLAIN_KINDS.get(name, "?") for name in names) for names in (summary, context))
        self.kinds = of_summary + of_context
        self.group_kinds = of_summary.replace("t", "g") + of_context
        self.context_is_text = "?" not in of_context


def check_groups(metric: str, fields: FieldNames, arguments: Sequence[Any]) -> Sequence[Sequence[Any]]:
    """Checks the arguments of ``score_multi_all``: groups of summaries and one context per group.

    Args:
        metric: The name of the metric, for error messages.
        fields: The names of the arguments.
        arguments: The arguments.

    Returns:
        The arguments, with each sequence as a list or tuple.

    Raises:
        InputError: if an argument is missing or superfluous, lists differ in length, or a value has a wrong type.
    """
    if len(fields.summary) == 1 and are_plain(tuple(arguments), fields.group_kinds):
        return _with_warning(fields, arguments)
    lists = _lists(metric, (*fields.summary, *fields.context), arguments)
    count = len(fields.summary)
    is_single = len(lists[0]) == 1  # as in `score` and `score_multi`, whose callers know of no groups
    for index, name in enumerate(fields.summary):
        groups = [check_list(name, group) for group in lists[index]]
        lists[index] = [_checked_group(name, group, [] if is_single else [i]) for i, group in enumerate(groups)]
    for group_fields in zip(*lists[:count], strict=True) if count > 1 else ():
        _check_lengths(fields.summary, group_fields)
    for index, name in enumerate(fields.context, count):
        lists[index] = [_checked(name, value, [] if is_single else [i]) for i, value in enumerate(lists[index])]
    return _with_warning(fields, lists)


def check_outputs(metric: str, fields: FieldNames, arguments: Sequence[Any]) -> Sequence[Sequence[Any]]:
    """Checks the arguments of ``score_all`` and ``evaluate``: lists with one entry per output.

    Arguments, result and errors are as for `check_groups`.
    """
    if are_plain(tuple(arguments), fields.kinds):
        return _with_warning(fields, arguments)
    names = (*fields.summary, *fields.context)
    lists = _lists(metric, names, arguments)
    if not are_plain(tuple(lists), fields.kinds):  # else columns of a table, now as lists
        lists = [
            [_checked(name, value, [index]) for index, value in enumerate(values)]
            for name, values in zip(names, lists, strict=True)
        ]
    return _with_warning(fields, lists)


def _with_warning(fields: FieldNames, arguments: Sequence[Sequence[Any]]) -> Sequence[Sequence[Any]]:
    """Returns arguments unchanged; warns if references seem to be transposed."""
    if "references" in fields.context:
        warn_if_transposed(arguments[len(fields.summary) + fields.context.index("references")])
    return arguments


def check_list(name: str, value: Any) -> Sequence[Any]:
    """Returns a list or tuple unchanged and any other iterable, such as an array or a generator, as a list.

    Raises:
        InputError: if the value is a string, a mapping or not iterable.
    """
    if isinstance(value, (list, tuple)):
        return value
    if not is_list(value):
        raise InputError(f"'{name}' must be a list with one entry for each output, got {shown(value)}")
    return as_list(value)


def _lists(metric: str, names: Sequence[str], arguments: Sequence[Any]) -> list[Sequence[Any]]:
    if len(arguments) != len(names):
        raise InputError(f"'{metric}' takes {len(names)} arguments ({', '.join(names)}), got {len(arguments)}")
    lists = [check_list(name, argument) for name, argument in zip(names, arguments, strict=True)]
    _check_lengths(names, lists)
    return lists


def _check_lengths(names: Sequence[str], lists: Sequence[Sequence[Any]]) -> None:
    if len(set(map(len, lists))) > 1:
        lengths = ", ".join(f"{len(values)} {name}" for name, values in zip(names, lists, strict=True))
        raise InputError(f"the lists must have the same number of entries, got {lengths}")


def _checked_group(name: str, group: Sequence[Any], indices: Sequence[int]) -> list[Any]:
    is_single = len(group) == 1 and not indices
    return [_checked(name, value, indices if is_single else [*indices, index]) for index, value in enumerate(group)]


def _checked(name: str, value: Any, indices: Sequence[int]) -> Any:
    """Returns a valid value of a field as a plain Python value.

    Args:
        name: The field.
        value: The value.
        indices: Its position in the argument of the caller.
    """
    value = as_plain(value)
    if name == "documents" and isinstance(value, (list, tuple)):
        value = list(map(without_paragraphs, value))
    try:
        check_field(name, value)
    except InputError as error:
        position = [*indices, *_index_of_invalid(name, value)]
        where = f"[{']['.join(map(str, position))}]" if len(position) > 1 else "".join(map(str, position))
        raise InputError(f"{error} (entry {where} of the list)" if position else str(error)) from None
    return value


def _index_of_invalid(name: str, value: Any) -> list[int]:
    """Returns the index of the first invalid text of a list of texts; empty if the value is no such list."""
    if PLAIN_KINDS.get(name) != "l" or not isinstance(value, (list, tuple)):
        return []
    return [index for index, text in enumerate(value) if not is_text(text)][:1]


def check_results(
    metric: str,
    method: Callable[..., Any],
    results: Any,
    summaries_list: Sequence[Any],
    convert: Callable[[str, Any], Any],
) -> list[Any]:
    """Checks that a metric returned one result for each summary of each group.

    Args:
        metric: The name of the metric, for error messages.
        method: The method that returned the results; errors name its file and line.
        results: The results, one list per group.
        summaries_list: The groups of summaries.
        convert: Checks and converts one result: `as_scores` or `as_vector`.

    Returns:
        The results of all groups in one list.

    Raises:
        InputError: if the number of results is wrong, or they are not lists, or a result is invalid.
    """
    try:
        results = _in_one_list(metric, method.__name__, results, summaries_list)
        return [convert(metric, result) for result in results]
    except InputError as error:
        raise InputError(f"{error} ({defined_at(method)})") from None


def _in_one_list(metric: str, method: str, results: Any, summaries_list: Sequence[Any]) -> Iterator[Any]:
    expected = f"{method} of '{metric}' must return a list with one list of results for each group of summaries"
    if not hasattr(results, "__iter__") or isinstance(results, (str, Mapping)):
        raise InputError(f"{expected}, got {shown(results)}")
    groups = list(results)
    for group in groups:
        if not isinstance(group, list) and (not hasattr(group, "__iter__") or isinstance(group, (str, Mapping))):
            raise InputError(f"{expected}, got a list that contains {shown(group)}")
    groups = [group if isinstance(group, (list, tuple)) else list(group) for group in groups]
    sizes, expected_sizes = list(map(len, groups)), list(map(len, summaries_list))
    if sizes != expected_sizes:
        difference = _difference(sizes, expected_sizes)
        raise InputError(f"{method} of '{metric}' must return one result for each summary: {difference}")
    return chain.from_iterable(groups)


def _difference(sizes: list[int], expected: list[int]) -> str:
    """Returns how the sizes of groups differ: all of them if they are few, else their number or the first difference.

    >>> _difference([1, 1], [1, 2]), _difference([1] * 8, [1] * 9), _difference([1] * 9, [1] * 8 + [2])
    ('groups of [1, 2], got [1, 1]', '9 groups, got 8', '2 in entry 8 of the list, got 1')
    """
    if max(len(sizes), len(expected)) <= _SHOWN_SIZES:
        return f"groups of {expected}, got {sizes}"
    if len(sizes) != len(expected):
        return f"{len(expected)} groups, got {len(sizes)}"
    index = next(index for index, (size, other) in enumerate(zip(sizes, expected, strict=True)) if size != other)
    return f"{expected[index]} in entry {index} of the list, got {sizes[index]}"


def as_scores(metric: str, result: Any) -> MetricsDict:
    """Returns scores as a `MetricsDict` of Python numbers, converting NumPy numbers and arrays.

    Infinite scores become NaN: their mean is meaningless, and JSON cannot represent them. Booleans become 0 or 1.
    """
    if isinstance(result, MetricsDict):
        scores = result
    elif isinstance(result, Mapping):
        scores = MetricsDict(result)
    else:
        raise InputError(f"'{metric}' must return dictionaries of scores, got {shown(result)}")
    for name, value in scores.items():
        value_type = type(value)
        if value_type is float:
            if value - value != 0.0:  # faster than math.isfinite
                scores[name] = math.nan
        elif value_type is not int:
            scores[name] = _score(metric, name, value)
    return scores


def _score(metric: str, name: str, value: Any) -> Any:
    if isinstance(value, Mapping):
        return as_scores(metric, value)
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [_score(metric, name, number) for number in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else math.nan
    if isinstance(value, bool):
        return int(value)
    if value is None or isinstance(value, int):
        return value
    raise InputError(f"'{metric}' must return numbers, got {shown(value)} for '{name}'")


def as_vector(metric: str, result: Any) -> Any:
    """Returns the statistics of an output as a list or tuple of Python numbers."""
    vector = result.tolist() if hasattr(result, "tolist") else result
    if not isinstance(vector, (list, tuple)):
        raise InputError(f"'{metric}' must return a vector of statistics for each summary, got {shown(result)}")
    if all(type(number) is int or type(number) is float for number in vector):
        return vector
    return [number.item() if hasattr(number, "item") else number for number in vector]
