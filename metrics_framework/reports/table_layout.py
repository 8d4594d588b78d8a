"""Which scores and systems a table has, and in which order."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from metrics_framework.common.errors import PluginError, UnknownNameError, UsageError
from metrics_framework.evaluation.system_scores import Evaluation, ScoreKind
from metrics_framework.reports.formats.text_table import WIDTH

if TYPE_CHECKING:
    from metrics_framework.evaluation.profiles.profile import Profile

SYSTEM = "system"
"""The name that sorts by system instead of a score."""


class TableLayout(NamedTuple):
    """What a table of scores shows.

    Attributes:
        scores: The flat names of the scores or their headings in the profile, in order; by default the columns of the
            profile, else the main scores.
        components: Whether to show all scores of each metric, not only the main scores.
        pooled: Whether to add a row for the outputs of all systems together.
        sort: The name or heading of the score to sort the systems by, the best first; ``system`` sorts by name. By
            default the baseline is first, if systems are compared, and the other systems are in the order given.
        width: The number of columns of the terminal.
        counts: Whether a table for people has a column with the number of outputs.
    """

    scores: Sequence[str] = ()
    components: bool = False
    pooled: bool = False
    sort: str = ""
    width: int = WIDTH
    counts: bool = True


def headings_of(
    evaluation: Evaluation, profile: Profile | type[Profile] | None, layout: TableLayout, all_scores: bool = False
) -> dict[str, str]:
    """Returns the scores of a table and their headings.

    Args:
        evaluation: The scores.
        profile: The profile, if there is one.
        layout: The layout.
        all_scores: Whether to include components by default.

    Raises:
        UnknownNameError: if a chosen score does not exist.
        PluginError: if the metrics of the profile do not return a score that has a column in it.
    """
    names = list(evaluation.metrics.flatten())
    if layout.scores:
        titles: Mapping[str, str] = {} if profile is None else profile.columns
        return {name: titles.get(name, name) for name in _chosen(layout.scores, names, titles)}
    headings = {} if profile is None else dict(_checked_columns(evaluation, profile, names))
    metrics = list(evaluation.names)[0 if profile is None else len(profile.metrics) :]
    for name in names:
        kind = evaluation.kinds.get(name, ScoreKind())
        if layout.components or ((profile is None or kind.metric in metrics) and (all_scores or kind.is_main)):
            headings.setdefault(name, name)
    return headings


def _chosen(scores: Sequence[str], names: Sequence[str], titles: Mapping[str, str]) -> list[str]:
    """Returns the chosen scores; a word may be several names separated by commas."""
    known = {*names, *titles.values()}
    words = [part for word in scores for part in ([word] if word in known else word.split(","))]
    chosen = [_named(word, names, titles) for word in words]
    for name in chosen:
        if name not in names:
            raise UnknownNameError("score", name, names)
    return list(dict.fromkeys(chosen))


def _named(word: str, names: Collection[str], titles: Mapping[str, str]) -> str:
    """Returns the score with a name or, regardless of case, with a heading of the profile; else the word.

    >>> _named("SARI", ["sari", "sari_add"], {"sari": "SARI", "sari_add": "add"})
    'sari'
    """
    if word in names:
        return word
    return next((name for name, title in titles.items() if title.casefold() == word.casefold()), word)


def _checked_columns(
    evaluation: Evaluation, profile: Profile | type[Profile], names: Sequence[str]
) -> Mapping[str, str]:
    for name in profile.columns:
        if name not in names:
            raise PluginError(
                f"the profile '{profile.registered_name}' has a column for '{name}', which its metrics "
                f"{', '.join(profile.metrics)} do not return; they return {', '.join(names)}"
            )
    return profile.columns


def ordered_systems(
    evaluation: Evaluation, layout: TableLayout, profile: Profile | type[Profile] | None = None
) -> list[str]:
    """Returns the systems in the order of the table.

    Raises:
        UnknownNameError: if the score to sort by does not exist.
        UsageError: if it is a list of numbers.
    """
    systems = list(evaluation.systems)
    if not layout.sort:
        tested = None if evaluation.confidence is None else evaluation.confidence.significance
        return systems if tested is None else sorted(systems, key=lambda system: system != tested.baseline)
    if layout.sort == SYSTEM:
        return sorted(systems)
    names = evaluation.metrics.flatten()
    score = _named(layout.sort, names, {} if profile is None else profile.columns)
    if score not in names:
        raise UnknownNameError("score", score, [*names, SYSTEM])
    values = {system: evaluation.systems[system].flatten()[score] for system in systems}
    if any(isinstance(value, (list, str)) for value in values.values()):
        raise UsageError(f"--sort: '{score}' must be a number to sort by, not a list")
    lower_first = evaluation.kinds.get(score, ScoreKind()).higher_is_better is False
    return sorted(systems, key=lambda system: _sort_key(values[system], lower_first))


def _sort_key(value: float | None, lower_first: bool) -> tuple[bool, float]:
    if value is None or value != value:  # undefined scores are last
        return True, 0.0
    return False, value if lower_first else -value
