"""Confidence intervals of coefficients that share resamples: `shared_intervals`.

`interval_warnings` and the other warnings return what may make them misleading.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias, cast

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.common.errors import InputError, counted
from metrics_framework.meta_evaluation.choices import (
    FORMULAS,
    INTERVAL_METHODS,
    CoefficientOptions,
    Level,
    Population,
    check_draws,
    checked_choice,
)
from metrics_framework.meta_evaluation.coefficients.coefficient import UNDEFINED, Coefficient, resampled_values
from metrics_framework.meta_evaluation.coefficients.lookup import load_coefficient
from metrics_framework.meta_evaluation.groups.moments import BLOCK_BYTES, power_of_two
from metrics_framework.meta_evaluation.groups.score_pair import ScorePair
from metrics_framework.significance.clusters import Clusters, drawn_weights, labels_of
from metrics_framework.significance.confidence_level import as_fraction
from metrics_framework.significance.interval_methods import Interval as Interval
from metrics_framework.significance.interval_methods import (
    Scale,
    bca_interval,
    fisher_interval,
    jackknife_interval,
    percentile_interval,
)
from metrics_framework.significance.non_inferiority import skewness

Key: TypeAlias = tuple[Level, str]
"""The level and the name of a coefficient."""

Wanted: TypeAlias = Mapping[Key, tuple[Coefficient, CoefficientOptions]]
"""The coefficients wanted, with their options."""

Values: TypeAlias = dict[Key, Floats]
"""The values of coefficients in all resamples."""


@dataclass(frozen=True)
class IntervalRequest:
    """How confidence intervals are computed.

    Args:
        method: A name of `INTERVAL_METHODS`.
        confidence: The confidence level, in percent or as a fraction.
        resamples: The number of bootstrap resamples.
        seed: The seed of the bootstrap.
        clusters: The cluster of each input.
        tail: The fraction of the distribution beyond each end; by default half of what the confidence level leaves.

    Raises:
        InputError: if a value is out of range.
    """

    method: str
    confidence: float = 95
    resamples: int = 1000
    seed: int = 0
    clusters: Sequence[Hashable] | None = None
    tail: float = field(default=math.nan)

    def __post_init__(self) -> None:
        checked_choice(self.method, INTERVAL_METHODS, "method")
        check_draws(self.resamples, self.seed)
        if math.isnan(self.tail):
            object.__setattr__(self, "tail", round((1 - as_fraction(self.confidence)) / 2, 12))

    @property
    def kind(self) -> str:
        """The formula of the ends: that of the whole name, or ``bootstrap``, ``bca`` or ``jackknife``."""
        return self.method if self.method in FORMULAS else self.method.split("-")[0]

    def check(self, level: Level, coefficient: Coefficient) -> None:
        """Refuses what is known not to cover, or is undefined.

        Raises:
            InputError: if the method is no interval of the coefficient at this level.
        """
        if self.method == "bca-inputs" and level == "system":
            raise InputError(
                "'bca-inputs' is refused at the system level, where its 95 % intervals cover 67 to 83 %; use "
                "bootstrap-inputs"
            )
        if self.method == "fisher-shrunken" and level != "system":
            raise InputError(f"'fisher-shrunken' is an interval over systems, of the system level only, got '{level}'")
        if not has_interval(coefficient, self.method):
            raise InputError(
                f"'{self.method}' is undefined for '{coefficient.name}'; use {coefficient.default_interval(level)}"
            )


def shared_intervals(scores: Sequence[tuple[ScorePair, Wanted]], request: IntervalRequest) -> list[dict[Key, Interval]]:
    """Computes intervals of several coefficients of several pairs of scores from the same resamples.

    Resamples are drawn and used in blocks, so memory does not grow with the number of scores.

    Args:
        scores: Pairs of scores, all of the same shape, and the coefficients wanted of each, with fitted options.
        request: How intervals are computed.

    Returns:
        For each pair of scores, its interval at each key.

    Raises:
        InputError: if shapes differ, or the method is undefined for a coefficient at its level.
    """
    for _, wanted in scores:
        for (level, _), (coefficient, _) in wanted.items():
            request.check(level, coefficient)
    kept, clusters = _nonempty(scores, request.clusters)
    shape = kept[0][0].shape if kept else (0, 0)
    is_drawn, population = request.kind in ("bootstrap", "bca"), cast("Population", request.method.split("-")[-1])
    if not min(shape):
        undefined = request.resamples if is_drawn else None
        return [{key: Interval(math.nan, undefined_resamples=undefined) for key in wanted} for _, wanted in scores]
    values = _collected(kept, [(None, None)])
    left_out: list[Values] = [{} for _ in kept]
    drawn: list[Values] = [{} for _ in kept]
    if request.kind in ("jackknife", "bca"):
        left_out = _collected(kept, jackknife_blocks(population, shape, clusters))
    if is_drawn:
        drawn = _collected(kept, bootstrap_blocks(population, shape, request.resamples, request.seed, clusters))
    return [
        {key: _interval(pair, key, wanted[key][0], float(found[key][0]), request, of_draws, without) for key in wanted}
        for (pair, wanted), found, of_draws, without in zip(kept, values, drawn, left_out, strict=True)
    ]


def _nonempty(
    scores: Sequence[tuple[ScorePair, Wanted]], clusters: Sequence[Hashable] | None
) -> tuple[list[tuple[ScorePair, Wanted]], Sequence[Hashable] | None]:
    """Removes systems and inputs for which no pair of scores has a cell, and the clusters of these inputs."""
    if not scores:
        return [], clusters
    shapes = {pair.shape for pair, _ in scores}
    if len(shapes) > 1:
        raise InputError(f"all scores must have one shape, got {sorted(shapes)}")
    present = np.logical_or.reduce([pair.present for pair, _ in scores])
    rows, columns = present.any(axis=1), present.any(axis=0)
    Clusters.of(clusters, len(columns))  # checks their number
    clusters = labels_of(clusters, columns)
    if rows.all() and columns.all():
        return [*scores], clusters
    kept = np.ix_(rows, columns)
    return [(ScorePair(pair.human[kept], pair.metric[kept]), wanted) for pair, wanted in scores], clusters


def _collected(scores: Sequence[tuple[ScorePair, Wanted]], blocks: Iterable[WeightBlock]) -> list[Values]:
    """Computes every coefficient of every pair of scores in all blocks of resamples."""
    parts: list[dict[Key, list[Floats]]] = [{key: [] for key in wanted} for _, wanted in scores]
    for rows, columns in blocks:
        for (pair, wanted), found in zip(scores, parts, strict=True):
            for level in dict.fromkeys(level for level, _ in wanted):
                at_level = {name: one for (at, name), one in wanted.items() if at == level}
                for name, values in resampled_values(pair, level, at_level, rows, columns).items():
                    found[level, name].append(values)
    return [{key: np.concatenate(part) for key, part in found.items() if part} for found in parts]


def _interval(
    pair: ScorePair,
    key: Key,
    coefficient: Coefficient,
    value: float,
    request: IntervalRequest,
    drawn: Values,
    left_out: Values,
) -> Interval:
    level = key[0]
    undefined = int(np.isnan(drawn[key]).sum()) if key in drawn else None
    if math.isnan(value):
        return Interval(value, undefined_resamples=undefined)
    scale = Scale.artanh(*coefficient.range)
    if request.kind in ("fisher", "fisher-shrunken"):
        if request.kind == "fisher":
            centre = coefficient.fisher(value, pair.points(level))
        else:
            centre = coefficient.shrunken(pair, value)
        return fisher_interval(value, *(centre or UNDEFINED), request.tail, scale)
    if request.kind == "bootstrap":
        found = percentile_interval(value, drawn[key], request.tail, interpolated=True).checked()
    elif request.kind == "bca":
        found = bca_interval(value, drawn[key], left_out[key], request.tail).checked()
    elif request.method == "jackknife-systems" and len(left_out[key]) < FEWEST_LEFT_OUT:
        found = Interval(value, reason=f"there are fewer than {FEWEST_LEFT_OUT} systems")
    else:
        found = jackknife_interval(value, left_out[key], request.tail, scale)
    return replace(found, draws=drawn.get(key, left_out.get(key)))


def has_interval(coefficient: Coefficient, method: str) -> bool:
    """Returns whether a coefficient has the interval of a formula; resampled ones are defined for all coefficients."""
    if method == "fisher":
        return coefficient.fisher(0.5, 10) is not None
    one = ScorePair([[0.0], [1.0]], [[0.0], [1.0]])
    return method != "fisher-shrunken" or coefficient.shrunken(one, 0.5) is not None


ENOUGH_SYSTEMS = 40
"""With fewer systems, percentiles of resampled systems are clearly too short (`benchmarks/correlation_coverage.py`)."""

ENOUGH_RANKED_SYSTEMS = 10
"""With fewer systems, resamples of a coefficient of ranks of systems take few distinct values."""

ENOUGH_INPUTS = 20
"""With fewer inputs, percentiles of resampled inputs are clearly too short (`benchmarks/coverage.py`)."""

FEWEST_LEFT_OUT = 4
"""With fewer systems, leaving out one says too little."""

MANY_GAPS = 0.2  # with as many missing scores, intervals of kendall-b are too long at the input level

RANKED = "fisher-shrunken"
"""The default interval of coefficients of ranks and pairs of systems."""


def interval_warnings(
    scores: Floats, level: Level, methods: Mapping[str, str], clusters: Sequence[Hashable] | None = None
) -> list[str]:
    """Returns what may make the intervals of one level misleading; each message once.

    Args:
        scores: Shape (systems, inputs); NaN where missing.
        level: A name of `LEVELS`.
        methods: Coefficient to the method used for it at this level, a name of `INTERVAL_METHODS`.
        clusters: The cluster of each input.

    >>> interval_warnings(np.ones((12, 50)), "input", {"pearson": "fisher"})
    ['at the input level, Fisher intervals ignore the number of inputs and are far too long; use jackknife-systems']
    """
    present = ~np.isnan(scores)
    systems = int(present.any(axis=1).sum())
    scored = present.any(axis=0)
    units = Clusters.of(labels_of(clusters, scored), int(scored.sum())).count
    unit, chosen, messages = "input" if clusters is None else "cluster", {*methods.values()}, []
    if "fisher" in chosen and level == "global":
        messages.append(
            "at the global level, Fisher intervals assume independent outputs and are far too short if outputs of a "
            "system or for an input are alike; use jackknife-systems"
        )
    elif "fisher" in chosen and level != "system":
        ignored = "inputs" if level == "input" else "systems"
        messages.append(
            f"at the {level} level, Fisher intervals ignore the number of {ignored} and are far too long; "
            "use jackknife-systems"
        )
    gaps = 1 - present.sum() / max(1, systems * int(scored.sum()))
    if (
        level == "input"
        and methods.get("kendall-b") == "jackknife-systems"
        and systems < ENOUGH_INPUTS
        and gaps >= MANY_GAPS
    ):
        messages.append(
            "intervals of kendall-b at the input level are too long if many scores of few systems are missing (95 % "
            "intervals contain the value in 98 % of cases)"
        )
    messages += [*_few_systems(level, methods, systems), *_jackknife_of_ranks(level, methods, systems)]
    # Percentiles of few inputs cover at the system level only.
    if level != "system" and chosen & {"bootstrap-inputs", "bootstrap-both", "bca-inputs"} and units < ENOUGH_INPUTS:
        messages.append(
            f"the bootstrap resamples only {counted(units, unit)}; with fewer than {ENOUGH_INPUTS}, its intervals are "
            "too short: use jackknife-inputs"
        )
    return messages


def _few_systems(level: Level, methods: Mapping[str, str], systems: int) -> list[str]:
    """Warns of bootstraps of few systems where they cover too little, and names the default, which covers.

    Measured, bootstraps over both systems and inputs cover at all levels but ``input``.
    """
    drawn = {"bootstrap-systems", "bca-systems", *(["bootstrap-both"] if level == "input" else [])}
    names: dict[tuple[int, str], list[str]] = {}
    for name, method in methods.items():
        better = load_coefficient(name).default_interval(level)
        enough = ENOUGH_RANKED_SYSTEMS if better == RANKED else ENOUGH_SYSTEMS
        if method in drawn and method != better and systems < enough:
            names.setdefault((enough, better), []).append(name)
    return [
        f"the bootstrap resamples only {counted(systems, 'system')}; with fewer than {enough}, its intervals"
        f"{' of ' + ', '.join(of) if len(names) > 1 else ''} are too short at the {level} level: use {better}"
        for (enough, better), of in names.items()
    ]


def _jackknife_of_ranks(level: Level, methods: Mapping[str, str], systems: int) -> list[str]:
    """Warns of jackknives that seldom change the order of systems: those over inputs, and over few systems."""
    ranked = {method for name, method in methods.items() if load_coefficient(name).default_interval(level) == RANKED}
    messages = []
    if "jackknife-systems" in ranked and systems < ENOUGH_RANKED_SYSTEMS:
        messages.append(
            f"the jackknife leaves out one of only {counted(systems, 'system')}; with fewer than "
            f"{ENOUGH_RANKED_SYSTEMS}, its intervals of coefficients of ranks are too short: use {RANKED}"
        )
    if "jackknife-inputs" in ranked:
        messages.append(
            "at the system level, jackknife intervals over inputs are far too short for coefficients of ranks, because "
            "a single input seldom changes the order of systems; use bootstrap-inputs"
        )
    return messages


NEAR_ONE = 0.9
"""Rank coefficients of systems that are higher have intervals that are too short, and tests that find nothing."""

MAX_SKEWNESS = 2.0
"""With more skewed scores, intervals of Pearson's coefficient over all outputs are too short."""


def near_one_warning(values: Mapping[str, float], systems: int) -> Iterator[str]:
    """Warns of coefficients of ranks of systems that are near ±1; few systems are warned of in any case.

    Args:
        values: Coefficient to its value at the system level.
        systems: The number of systems.

    >>> [len(list(near_one_warning({"spearman": -0.95, "pearson": 0.95}, systems))) for systems in (9, 12)]
    [0, 1]
    """
    chosen = {name: load_coefficient(name) for name in values}
    near = [
        name
        for name, one in chosen.items()
        if one.default_interval("system") == RANKED and abs(2 * one.on_unit_scale(values[name]) - 1) >= NEAR_ONE
    ]
    if near and systems >= ENOUGH_RANKED_SYSTEMS:
        yield (
            f"at the system level, {', '.join(near)} {'is' if len(near) == 1 else 'are'} near 1, where 95 % intervals "
            "contain the true value in only 85 to 90 % of cases, and tests hardly ever find a difference; use pearson"
        )


def skew_warning(human: Floats, metric: Floats) -> Iterator[str]:
    """Warns of skewed scores, of more than two values, if Pearson's coefficient is over all outputs."""
    present = ~(np.isnan(human) | np.isnan(metric))
    for scores in (human[present], metric[present]):
        if len(np.unique(scores)) > 2 and abs(skew := skewness(scores / power_of_two(scores))) > MAX_SKEWNESS:
            yield (
                f"at the global level, scores are skewed (skewness {skew:.1f}), and 95 % intervals of pearson contain "
                "the true value in about 92 % of cases; use spearman"
            )
            return


def overlap_warning(scores: Floats) -> list[str]:
    """Warns if the means of systems are over different inputs, with the shares of inputs that two systems share.

    Args:
        scores: Shape (systems, inputs); NaN where missing. Systems without scores are left out.

    >>> overlap_warning(np.array([[1.0, 2.0, np.nan], [np.nan, 2.0, 3.0]]))
    ['system means are over different inputs: two systems share 33 % of their inputs on average, at least 33 %']
    """
    present = (~np.isnan(scores)).astype(np.float64)
    present = present[present.any(axis=1)]
    shared, sizes = present @ present.T, present.sum(axis=1)
    overlap = (shared / (sizes[:, None] + sizes - shared))[np.triu_indices(len(present), 1)]
    if overlap.min(initial=1) == 1:
        return []
    return [
        f"system means are over different inputs: two systems share {100 * overlap.mean():.0f} % of their inputs on "
        f"average, at least {100 * overlap.min():.0f} %"
    ]


WeightBlock: TypeAlias = tuple[Floats | None, Floats | None]
"""The weights of systems and of inputs in some resamples, a row each; `None` if all are kept."""

MAX_PAIRS = 8192
"""The largest number of pairs of systems that a resample needs memory for."""


def bootstrap_blocks(
    population: Population,
    shape: tuple[int, int],
    resamples: int,
    seed: int,
    clusters: Sequence[Hashable] | None = None,
) -> Iterator[WeightBlock]:
    """Yields the weights of bootstrap resamples, systems drawn before inputs, in blocks that fit in memory.

    Args:
        population: What is drawn with replacement.
        shape: The shape of the matrix (systems, inputs).
        resamples: The number of resamples.
        seed: The seed of NumPy's default generator.
        clusters: The cluster of each input; clusters are drawn as a whole.
    """
    kinds = {"systems": Clusters.of(None, shape[0]), "inputs": Clusters.of(clusters, shape[1])}
    chosen = kinds if population == "both" else {population: kinds[population]}
    for weights in drawn_weights([*chosen.values()], resamples, seed, _rows_of_block(shape)):
        drawn = dict(zip(chosen, weights, strict=True))
        yield drawn.get("systems"), drawn.get("inputs")


def jackknife_blocks(
    population: Population, shape: tuple[int, int], clusters: Sequence[Hashable] | None = None
) -> Iterator[WeightBlock]:
    """Yields weights that leave out one system, or one cluster of inputs, at a time, in blocks that fit in memory.

    Args:
        population: ``systems`` or ``inputs``.
        shape: The shape of the matrix (systems, inputs).
        clusters: The cluster of each input.
    """
    units = Clusters.of(None, shape[0]) if population == "systems" else Clusters.of(clusters, shape[1])
    for weights in units.left_out(_rows_of_block(shape)):
        yield (weights, None) if population == "systems" else (None, weights)


def _rows_of_block(shape: tuple[int, int]) -> int:
    systems, inputs = shape
    pairs = min(systems * systems // 2, MAX_PAIRS)
    return max(1, BLOCK_BYTES // (16 * max(1, systems, inputs) + 4 * pairs))
