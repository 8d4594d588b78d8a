"""Outputs whose context is the same, brought together so that a kernel does the work on it once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, islice
from typing import Any, TypeVar

LEAST_SHARED = 0.75
Result = TypeVar("Result")


def by_context(of_summaries: int, arguments: Sequence[Any]) -> tuple[Sequence[Any], list[list[int]] | None]:
    """Joins groups of one summary whose context is the same object: outputs of several systems often share a list.

    Args:
        of_summaries: How many arguments are of summaries.
        arguments: Groups of one, as ``score_multi_all`` takes them.

    Returns:
        The arguments, and for each group the places of its summaries; `None` where there is nothing to join.

    >>> references = ["a", "b"]
    >>> by_context(1, [[["x"], ["y"], ["z"]], [references, ["c"], references]])
    ([[['x', 'z'], ['y']], [['a', 'b'], ['c']]], [[0, 2], [1]])
    """
    contexts = arguments[of_summaries:]
    count = len(arguments[0])
    if not contexts or any(len(argument) != count for argument in arguments):
        return arguments, None
    if len(set(map(id, contexts[0]))) > LEAST_SHARED * count:
        return arguments, None
    groups: dict[Any, list[int]] = {}
    for place, context in enumerate(zip(*contexts, strict=True)):
        groups.setdefault(tuple(map(id, context)), []).append(place)
    members = list(groups.values())
    summaries = [[[one[place][0] for place in group] for group in members] for one in arguments[:of_summaries]]
    return [*summaries, *([one[group[0]] for group in members] for one in contexts)], members


def in_groups(results: Iterable[Result], sizes: Iterable[int]) -> list[list[Result]]:
    """Splits the results of all summaries into groups of these sizes.

    >>> in_groups("abc", [2, 0, 1])
    [['a', 'b'], [], ['c']]
    """
    remaining = iter(results)
    return [list(islice(remaining, size)) for size in sizes]


def in_order(groups: Sequence[Sequence[Result]], members: Sequence[Sequence[int]] | None) -> list[Result]:
    """Puts the results of groups back into the order of the outputs."""
    if members is None:
        return [result for (result,) in groups]
    results: list[Any] = [None] * sum(map(len, members))
    for place, result in zip(chain.from_iterable(members), chain.from_iterable(groups), strict=True):
        results[place] = result
    return results
