"""Checks of the classes of metrics, when they are registered and when they fail."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from numbers import Real
from typing import Any

from metrics_framework.common.definitions import (
    accepts,
    defined_at,
    in_order,
    is_built_in,
    missing_method,
    wrong_arguments,
)
from metrics_framework.common.errors import PluginError
from metrics_framework.data.lists import is_list
from metrics_framework.data.texts import shown
from metrics_framework.metrics.base.keywords import NAMES

_FORWARDING = tuple(f"metrics_framework.metrics.base.{name}" for name in ("metric", "shapes", "chosen_fields"))
"""The modules of base classes whose methods only call other methods."""
_SCORING = (
    *("score", "score_all", "score_multi", "score_multi_all", "evaluate", "statistics", "statistics_multi_all"),
    *("score_batch", "score_each", "native", "_score_multi_all", "_score_in_python", "_evaluate"),
)
"""The methods of which a metric defines one."""
_FIELDS = {name: names[0] for names in NAMES for name in names}
"""The field that each name of an argument means."""


def check_class(cls: type[Any], metric: str) -> None:
    """Checks the attributes and scoring methods that the class of a plug-in declares.

    Raises:
        PluginError: if an attribute has a wrong type, or a method is missing or has wrong arguments.
    """
    _check_attributes(cls, metric)
    _check_scoring_methods(cls, metric)


def _check_attributes(cls: type[Any], metric: str) -> None:
    """Checks the values that the class of a plug-in declares, except those that are computed, such as properties.

    Raises:
        PluginError: if one has another type than `Metric` documents.
    """
    for name, (is_valid, expected) in _ATTRIBUTES.items():
        value = vars(cls).get(name)
        if name in vars(cls) and not hasattr(value, "__get__") and not is_valid(value):
            raise PluginError(
                f"{defined_at(cls)}: '{name}' of the metric '{metric}' must be {expected}, got {shown(value)}"
            )


def _is_range(value: Any) -> bool:
    return isinstance(value, (tuple, list)) and len(value) == 2 and all(_is_end(end) for end in value)


def _is_end(value: Any) -> bool:
    return value is None or (isinstance(value, Real) and not isinstance(value, bool))


def _are_names(value: Any) -> bool:
    return is_list(value) or isinstance(value, (set, frozenset))


def _is_mapping(value: Any) -> bool:
    return isinstance(value, Mapping)


def _is_positive(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


_ATTRIBUTES: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "higher_is_better": (lambda value: value is None or isinstance(value, bool), "True, False or None"),
    "score_range": (_is_range, "the least and the greatest score, each a number or None, as in (0, 100)"),
    "citation": (_is_text, "a text"),
    "example_flags": (_is_text, "a text"),
    "directions": (_is_mapping, "a dictionary from scores to True or False"),
    "option_aliases": (_is_mapping, "a dictionary from aliases to options"),
    "ratios": (_are_names, "a tuple of names of scores"),
    "unsigned_options": (_are_names, "a tuple of names of options"),
    "definition": (_is_positive, "an integer from 1 on"),
}
"""The attributes that are checked, whether a value is valid, and what it must be."""


def _check_scoring_methods(cls: type[Any], metric: str) -> None:
    """Checks that a metric of a plug-in defines a method that scores, with one argument for each field.

    Raises:
        PluginError: if there is no such method, or it has other arguments.
    """
    what = f"the metric '{metric}'"
    own = [base for base in cls.__mro__ if base.__module__ not in _FORWARDING and base is not object]
    if not any(name in vars(base) for base in own for name in _SCORING):
        is_corpus = hasattr(cls, "score_statistics")
        raise missing_method(cls, what, ["statistics", "statistics_multi_all"] if is_corpus else ["score_multi_all"])
    if not any("__init__" in vars(base) for base in own):  # which may set other fields
        error = wrong_scoring_arguments(cls, metric, (*cls.required_summary_fields, *cls.required_context_fields))
        if error is not None:
            raise error


def wrong_scoring_arguments(cls: type[Any], metric: str, fields: Sequence[str]) -> PluginError | None:
    """Returns the error of a method that does not accept the fields of its metric in their order; `None` if all do.

    Args:
        cls: The class of the metric.
        metric: The name of the metric.
        fields: The fields.
    """
    groups = [next((names[-1] for names in NAMES if field in names), field) for field in fields]
    for name, expected in (("score_multi_all", groups), ("statistics_multi_all", groups), ("statistics", fields)):
        owner = next((base for base in cls.__mro__ if name in vars(base)), None)
        if owner is None or is_built_in(owner):
            continue
        method = vars(owner)[name]
        if not (accepts(method, len(fields)) and in_order(method, fields, _FIELDS)):
            return wrong_arguments(cls, f"the metric '{metric}'", method, expected)
    return None
