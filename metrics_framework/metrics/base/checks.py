"""Checks of metrics: the keywords, shapes and values of arguments, and the classes of plug-ins.

Lists of a wrong shape can lead to plausible but wrong scores.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Real
from typing import Any, TypeVar

from metrics_framework.common.definitions import (
    accepts,
    defined_at,
    in_order,
    is_built_in,
    missing_method,
    wrong_arguments,
)
from metrics_framework.common.errors import InputError, PluginError
from metrics_framework.data.fields import PLAIN_KINDS
from metrics_framework.data.texts import is_list, shown
from metrics_framework.inputs.texts import check_grouped_texts, check_lengths, listed, plain_value
from metrics_framework.kernels.dispatch import are_plain

ArgumentType = TypeVar("ArgumentType")
Method = TypeVar("Method", bound=Callable[..., Any])
NAMES = (
    ("summary", "summaries", "summaries_list"),
    ("references", "references_list"),
    ("source", "sources"),
    ("documents", "documents_list"),
)
"""The names of each field: one output, several, groups; ``…_list`` are the names of SacreROUGE."""
_FORWARDING = tuple(f"metrics_framework.metrics.base.{name}" for name in ("metric", "shapes"))
"""The modules of base classes whose methods only call other methods."""
SCORING_METHODS = ("score", "score_all", "score_multi", "score_multi_all", "evaluate")
"""The methods of every shape."""
_SCORING = (
    *(*SCORING_METHODS, "statistics", "statistics_multi_all"),
    *("score_batch", "score_each", "native", "_score_multi_all", "_score_in_python", "_evaluate"),
)
"""The methods of which a metric defines one."""
FIELDS = {name: names[0] for names in NAMES for name in names}
"""The field that each name of an argument means."""


def any_keywords(method: Method) -> Method:
    """Lets a method accept its arguments under any of their names.

    At run time the annotations of its arguments are type variables: `overrides` would refuse a method whose arguments
    are annotated as lists, as metrics for SacreROUGE are, because the base class accepts any sequence. Type checkers
    and `inspect.signature` see the types.
    """
    parameters = list(inspect.signature(method).parameters)[1:]

    @functools.wraps(method)
    def call(self: Any, *arguments: Any, **named: Any) -> Any:
        named = renamed(named, parameters) if named else named
        try:
            return method(self, *arguments, **named)
        except TypeError as error:
            from metrics_framework.common.calls import wrong_call  # only for mistakes

            raise wrong_call(method, (self, *arguments), named, error) from None

    hints = method.__annotations__.items()
    call.__annotations__ = {name: hint if name == "return" else ArgumentType for name, hint in hints}
    return call  # type: ignore[return-value]


def renamed(named: dict[str, Any], parameters: Iterable[str]) -> dict[str, Any]:
    """Returns keyword arguments under the names of the parameters; unknown names remain.

    Raises:
        TypeError: if an argument is given under two names.

    >>> renamed({"references": [["a"]]}, ["summaries_list", "references_list"])
    {'references_list': [['a']]}
    """
    known = {name: parameter for parameter in parameters for names in NAMES if parameter in names for name in names}
    result: dict[str, Any] = {}
    for name, value in named.items():
        parameter = known.get(name, name)
        if parameter in result:
            raise TypeError(f"'{name}' is another name of '{parameter}', which is given too; use only one of them")
        result[parameter] = value
    return result


class FieldNames:
    """The fields that a metric requires, in the order of its arguments.

    Args:
        summary: The fields of an output.
        context: The fields that the outputs of a group share.

    Attributes:
        names: The names of all.
        group_kinds: The type codes for `kernels.dispatch.are_plain`, one per field, for groups of outputs.
        clean_kinds: The same for groups without texts that may be lists written as texts.
        context_is_text: Whether the context consists of texts and lists of texts.
    """

    def __init__(self, summary: Sequence[str], context: Sequence[str]) -> None:
        self.summary, self.context = tuple(summary), tuple(context)
        self.names = (*self.summary, *self.context)
        of_summary, of_context = ("".join(PLAIN_KINDS.get(name, "?") for name in names) for names in (summary, context))
        self.group_kinds = of_summary.replace("t", "g") + of_context
        self.clean_kinds = self.group_kinds.upper()
        self.context_is_text = "?" not in of_context


def check_groups(metric: Any, arguments: Sequence[Any]) -> Sequence[Sequence[Any]]:
    """Checks the arguments of ``score_multi_all``: groups of summaries and one context per group.

    Args:
        metric: The metric.
        arguments: The arguments.

    Returns:
        The arguments, with each sequence as a list, which is a copy, or tuple.

    Raises:
        InputError: if an argument is missing or superfluous, lists differ in length, or a value has a wrong type.
    """
    fields: FieldNames = metric._field_names
    arguments = [[*one] if type(one) is list else one for one in arguments]  # another thread may change the lists
    groups, count = arguments, len(fields.summary)
    is_clean = count == 1 and are_plain(tuple(arguments), fields.clean_kinds)
    if not is_clean and not (count == 1 and are_plain(tuple(arguments), fields.group_kinds)):
        check_number(metric, arguments)
        groups = _plain_groups(fields, arguments)
    check_grouped_texts(fields.names, groups, count, is_clean)
    return groups


def _plain_groups(fields: FieldNames, arguments: Sequence[Any]) -> list[Sequence[Any]]:
    names = fields.names
    lists = [
        [listed("", group, name) for group in listed("", argument, name)]
        if index < len(fields.summary)
        else listed(name, argument, name)
        for index, (name, argument) in enumerate(zip(names, arguments, strict=True))
    ]
    check_lengths(dict(zip(names, lists, strict=True)))
    for groups in zip(*lists[: len(fields.summary)], strict=True) if len(fields.summary) > 1 else ():
        check_lengths(dict(zip(fields.summary, groups, strict=True)))
    is_single = len(lists[0]) == 1  # as in `score` and `score_multi`, whose callers know of no groups
    for index, name in enumerate(names):
        values = enumerate(lists[index])
        if index < len(fields.summary):
            lists[index] = [_plain_group(name, group, [] if is_single else [at]) for at, group in values]
        else:
            lists[index] = [plain_value(name, value, name, [] if is_single else [at]) for at, value in values]
    return lists


def _plain_group(name: str, group: Sequence[Any], position: Sequence[int]) -> list[Any]:
    is_single = len(group) == 1 and not position
    return [
        plain_value(name, value, name, position if is_single else [*position, at]) for at, value in enumerate(group)
    ]


def check_number(metric: Any, arguments: Sequence[Any]) -> None:
    """Checks that there is an argument for each field of a metric.

    Raises:
        InputError: if not.
    """
    names = metric._field_names.names
    if len(arguments) != len(names):
        raise InputError(f"'{metric.name}' takes {len(names)} arguments ({', '.join(names)}), got {len(arguments)}")


def check_attributes(cls: type[Any], metric: str) -> None:
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
    return (
        isinstance(value, (tuple, list))
        and len(value) == 2
        and all(end is None or (isinstance(end, Real) and not isinstance(end, bool)) for end in value)
    )


def _are_ranges(value: Any) -> bool:
    return isinstance(value, Mapping) and all(map(_is_range, value.values()))


def _are_names(value: Any) -> bool:
    return is_list(value) or isinstance(value, (set, frozenset))


_ATTRIBUTES: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "higher_is_better": (lambda value: value is None or isinstance(value, bool), "True, False or None"),
    "score_range": (_is_range, "the least and the greatest score, each a number or None, as in (0, 100)"),
    "component_ranges": (_are_ranges, "a dictionary from scores to ranges such as (0, 100)"),
    "citation": (lambda value: isinstance(value, str), "a text"),
    "example_flags": (lambda value: isinstance(value, str), "a text"),
    "directions": (lambda value: isinstance(value, Mapping), "a dictionary from scores to True or False"),
    "option_aliases": (lambda value: isinstance(value, Mapping), "a dictionary from aliases to options"),
    "ratios": (_are_names, "a tuple of names of scores"),
    "unsigned_options": (_are_names, "a tuple of names of options"),
    "definition": (lambda value: type(value) is int and value > 0, "an integer from 1 on"),
}
"""The attributes that are checked, whether a value is valid, and what it must be."""
OF_FUNCTIONS = (
    *("higher_is_better", "score_range", "ratios", "directions", "citation", "definition", "wants_sentences"),
    *("requirements", "in_one_process", "card_names", "jackknifer", "expects_detokenized", "reads_only_ascii"),
    *("compares_lines", "splits_at_spaces", "slow_above", "slow_with"),
)
"""The attributes that metrics may have that are functions."""


def check_scoring_methods(cls: type[Any], metric: str) -> None:
    """Checks that a metric of a plug-in defines a method that scores, with one argument for each field.

    Raises:
        PluginError: if there is no such method, or it has other arguments.
    """
    what = f"the metric '{metric}'"
    own = [base for base in cls.__mro__ if base.__module__ not in _FORWARDING and base is not object]
    if not any(name in vars(base) for base in own for name in _SCORING):
        one = "statistics" if hasattr(cls, "score_statistics") else "score"
        raise missing_method(cls, what, [one, f"{one}_multi_all"])
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
    for name, expected in (
        ("score_multi_all", groups),
        ("statistics_multi_all", groups),
        ("statistics", fields),
        ("score_text", fields),
    ):
        owner = next((base for base in cls.__mro__ if name in vars(base)), None)
        if owner is None or is_built_in(owner):
            continue
        method = vars(owner)[name]
        if not (accepts(method, len(fields)) and in_order(method, fields, FIELDS)):
            return wrong_arguments(cls, f"the metric '{metric}'", method, expected)
    return None
