"""Checks of what a metric is called with: the commonest way to a plausible wrong score is a list of the wrong shape."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from metrics_framework.common.errors import InputError
from metrics_framework.data.fields import check_field
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.texts import shown

if TYPE_CHECKING:
    from metrics_framework.metrics.base.metric import Metric


def check_shape(name: str, value: Any) -> Sequence[Any]:
    """Refuses what is not a list; other sequences (arrays, generators) become lists.

    Raises:
        InputError: if it is a string, a mapping or nothing that can be listed.
    """
    if isinstance(value, (list, tuple)):
        return value
    if isinstance(value, (str, bytes, Mapping)) or not hasattr(value, "__iter__"):
        raise InputError(f"'{name}' must be a list with one entry for each output, got {shown(value)}")
    return list(value)


def check_lengths(named: Mapping[str, Sequence[Any]]) -> None:
    """Refuses lists of unequal length.

    Raises:
        InputError: with the length of each.
    """
    if len({len(value) for value in named.values()}) > 1:
        lengths = ", ".join(f"{len(value)} {name}" for name, value in named.items())
        raise InputError(f"the lists must have equally many entries, got {lengths}")


def check_groups(metric: Metric, arguments: Sequence[Any]) -> list[Any]:
    """Checks the arguments of ``score_multi_all``: groups of summaries, and one context a group.

    Raises:
        InputError: if there are too few or too many, lists differ in length, or a field holds something else than it
            should.
    """
    names = metric.fields
    if len(arguments) != len(names):
        raise InputError(f"'{metric.name}' takes {len(names)} arguments ({', '.join(names)}), got {len(arguments)}")
    checked = {name: check_shape(name, argument) for name, argument in zip(names, arguments, strict=True)}
    check_lengths(checked)
    for name in metric.required_summary_fields:
        checked[name] = [check_shape(name, group) for group in checked[name]]
        for place, group in enumerate(checked[name]):
            for value in group:
                if type(value) is not str:
                    _check(name, value, place)
    for name in metric.required_context_fields:
        checked[name] = [value.tolist() if hasattr(value, "tolist") else value for value in checked[name]]
        for place, value in enumerate(checked[name]):
            _check(name, value, place)
    if len(metric.required_summary_fields) > 1:
        for groups in zip(*(checked[name] for name in metric.required_summary_fields), strict=True):
            check_lengths(dict(zip(metric.required_summary_fields, groups, strict=True)))
    return list(checked.values())


def _check(name: str, value: Any, place: int) -> None:
    try:
        check_field(name, value)
    except InputError as error:
        raise InputError(f"{error} (entry {place} of the list)" if place else str(error)) from None


def check_results(metric: Metric, method: str, results: Any, sizes: Sequence[int]) -> list[list[Any]]:
    """Checks what a metric returns: one result for each summary of each group; plain dictionaries become `MetricsDict`.

    Raises:
        InputError: if there are more or fewer, or they are not in lists.
    """
    expected = f"{method} of '{metric.name}' must return a list with one list of results for each group of summaries"
    if not hasattr(results, "__iter__") or isinstance(results, (str, Mapping)):
        raise InputError(f"{expected}, got {shown(results)}")
    groups = list(results)
    for group in groups:
        if not isinstance(group, list) and (not hasattr(group, "__iter__") or isinstance(group, (str, Mapping))):
            raise InputError(f"{expected}, got a list with {shown(group)} in it")
    convert = _vector if method == "statistics_multi_all" else as_scores
    groups = [[convert(metric, result) for result in group] for group in groups]
    if [len(group) for group in groups] != list(sizes):
        raise InputError(
            f"{method} of '{metric.name}' must return one result for each summary: groups of {list(sizes[:5])}, "
            f"got {[len(group) for group in groups][:5]}"
        )
    return groups


def as_scores(metric: Metric, result: Any) -> MetricsDict:
    """Returns scores as a `MetricsDict` of Python's own numbers, whatever NumPy may have made them.

    An infinite score is taken for one that is not defined: no mean of it says anything, and no JSON holds it. A score
    that is true or false is 1 or 0.
    """
    if isinstance(result, MetricsDict):
        scores = result
    elif isinstance(result, Mapping):
        scores = MetricsDict(result)
    else:
        raise InputError(f"'{metric.name}' must return dictionaries of scores, got {shown(result)}")
    for name, value in scores.items():
        kind = type(value)
        if kind is float:
            if value - value != 0.0:  # quicker than math.isfinite
                scores[name] = math.nan
        elif kind is not int:
            scores[name] = _score(metric, name, value)
    return scores


def _score(metric: Metric, name: str, value: Any) -> Any:
    if isinstance(value, Mapping):
        return as_scores(metric, value)
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [_score(metric, name, one) for one in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else math.nan
    if isinstance(value, bool):
        return int(value)
    if value is None or isinstance(value, int):
        return value
    raise InputError(f"'{metric.name}' must give numbers, got {shown(value)} for '{name}'")


def _vector(metric: Metric, result: Any) -> Any:
    vector = result.tolist() if hasattr(result, "tolist") else result
    if not isinstance(vector, (list, tuple)):
        raise InputError(f"'{metric.name}' must return a vector of statistics for each summary, got {shown(result)}")
    if all(type(number) is int or type(number) is float for number in vector):
        return vector
    return [number.item() if hasattr(number, "item") else number for number in vector]
