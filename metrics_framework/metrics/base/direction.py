"""What is known of scores from a file: the direction, range and scale of the metric that their signature names."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, NamedTuple

from metrics_framework.common.errors import FwError
from metrics_framework.data.jackknifers import JACKKNIFED
from metrics_framework.metrics.base.metric import Metric

if TYPE_CHECKING:
    from metrics_framework.inputs.score_files import KnownMetrics

BETTER_HIGHER, BETTER_LOWER = "better:higher", "better:lower"
"""What the signature says of a metric whose direction is an option, and of a rating for which lower is better."""
OF, SCORE = "of:", "score:"
"""What begins the options in the signature of scores from a file: their own signature, and the chosen score."""


class ScoreFacts(NamedTuple):
    """What is known of a score.

    Attributes:
        higher_is_better: Whether higher scores are better; `None` if unknown, or if neither direction is better.
        score_range: The lowest and highest possible score; `None` for unbounded or unknown.
        is_ratio: Whether it is a ratio, with values around or below 1.
    """

    higher_is_better: bool | None = None
    score_range: tuple[float | None, float | None] = (None, None)
    is_ratio: bool = False


def facts_of(score: str, signatures: Mapping[str, str], names: Collection[str]) -> ScoreFacts:
    """Returns what is known of a score from a file, of the metric that its signature names.

    A score without a signature is that of the metric with its name, if there is one. A component of a metric, such as
    ``sari_add``, has no direction if the file also has the main score, ``sari``.

    Args:
        score: The flat name of the score, with or without ``_jk``.
        signatures: Maps the labels of metrics to their signatures.
        names: The flat names of all scores of the file.

    >>> facts_of("ter", {}, ["ter"]), facts_of("simplicity", {}, ["simplicity"]).higher_is_better
    (ScoreFacts(higher_is_better=False, score_range=(0, None), is_ratio=False), None)
    """
    name = score.removesuffix(JACKKNIFED)
    label = label_of(name, signatures)
    signature = signatures.get(label, label)
    if label == score and label not in signatures and _metric(label) is None:
        signature = signatures.get("ratings", label)  # what a converter says of all its ratings
    metric = _metric(signature)
    is_main = name == label or label not in names
    direction = direction_of(signature) if is_main else None
    if metric is None:
        return ScoreFacts(direction)
    read = _option(signature, OF)
    if read:  # a score that was read from another file
        chosen = _option(signature, SCORE) or name
        origin = {label_of(chosen, [read.split(";")[0]]): read.replace(";", "|")}
        return facts_of(chosen, origin, [])._replace(higher_is_better=direction)
    own_name = metric.registered_name + name[len(label) :]
    is_ratio = own_name in metric.ratios
    least, greatest = metric.component_ranges.get(own_name, metric.score_range if is_main else (None, None))
    return ScoreFacts(direction, (least, greatest), is_ratio or (name == label and greatest == 1))


def _option(signature: str, name: str) -> str:
    """Returns an option in a signature; an empty string if it has none of that name."""
    options = (option for option in signature.split("|") if option.startswith(name))
    return next(options, name).removeprefix(name)


def label_of(score: str, labels: Collection[str]) -> str:
    """Returns the longest label of a metric that begins the name of a score, else the name itself.

    >>> label_of("sari_add", ["sari", "ter"]), label_of("simplicity", ["sari"])
    ('sari', 'simplicity')
    """
    return max((label for label in labels if score == label or score.startswith(f"{label}_")), key=len, default=score)


def direction_of(signature: str) -> bool | None:
    """Returns whether higher scores are better for a metric, given its signature or name.

    Returns `None` if neither direction is better, or if the signature states none and the metric is unknown or its
    plug-in cannot be imported.

    >>> direction_of("ter|case:lc|fw:0"), direction_of("simplicity"), direction_of("ratings:mqm|better:lower")
    (False, None, False)
    """
    metric, (_, *options) = _metric(signature), signature.split("|")
    if {BETTER_LOWER, BETTER_HIGHER}.intersection(options):
        return BETTER_HIGHER in options
    return None if metric is None else metric.higher_is_better


def known_metrics() -> KnownMetrics:
    """Returns what the reader of scores needs to know of the registered metrics."""
    from metrics_framework.inputs.score_files import KnownMetrics

    return KnownMetrics(frozenset(Metric.registry().names(aliases=True)), direction_of)


def _metric(signature: str) -> type[Metric] | None:
    """Returns the metric of a signature; `None` if it is unknown, or if its plug-in cannot be imported."""
    registry, name = Metric.registry(), signature.split("|")[0]
    if name not in registry.names(aliases=True):
        return None
    try:
        found: type[Metric] = registry.get(name)
    except FwError:  # its scores can still be reported
        return None
    return found
