"""What ``compare`` compares, the scores of outputs of each system, and its results: systems and pairs of systems."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from metrics_framework.common.errors import DataError, UnknownNameError, listed_names
from metrics_framework.common.logs import Log
from metrics_framework.data.eval_instance import ColumnBatch
from metrics_framework.data.fields import Duplicates
from metrics_framework.data.file_formats import head_of
from metrics_framework.data.metrics_dict import ScoredCount
from metrics_framework.data.texts import shown
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.evaluation.sets import DATA_SETS
from metrics_framework.evaluation.system_scores import Evaluation, evaluate, resampled_by_others, score_named
from metrics_framework.inputs.row_view import LISTS_OF_TEXTS
from metrics_framework.metrics.base.batch_scores import BatchScores
from metrics_framework.metrics.base.metric import LabelledMetric
from metrics_framework.significance.compared_systems import Outcomes
from metrics_framework.significance.confidence import ScoreCollector, signature_fields
from metrics_framework.significance.interval_methods import Interval, cautions_of_intervals
from metrics_framework.significance.multiple_testing import (
    RANGES,
    Rank,
    TestedDifference,
    caution_of_few,
    cautions_of_tests,
)
from metrics_framework.significance.resampling import Resampling
from metrics_framework.significance.score_vectors import ScoreVectors, id_sort_key

MAX_EXPONENT = 500
"""Numbers from 2⁻⁵⁰⁰ to 2⁵⁰⁰ have squares, and sums of squares, that are neither infinite nor 0."""
MAX_POWER = 1023
MAX_SKEWNESS = 1.0
"""With more skewed differences, the randomization test of systems with equal means rejects too often."""


@dataclass(frozen=True)
class ScoredSystems:
    """A score of several systems.

    Args:
        name: The flat name of the score.
        systems: System to its outputs; systems without this score are left out.
        higher_is_better: Whether higher scores are better; `None` if it is unknown, so that systems are not ranked.
        is_ratio: Whether scores are around or below 1, and are printed with more decimal places.
        signature: The signature of the metric, if it is known.
        other_signatures: Program to the signature that it prints for the same scores.
        title: The heading, if it is not the name.
        unscored: System to its inputs for which the score is undefined, if there are any. A system may have no others.
        scale: What the scores in ``systems`` were divided by, a power of two: squares of very large or very small
            numbers would overflow or vanish.
        data_set: The data set of the outputs, if several are compared.
        humans: The systems that are people, whose outputs are of the type ``reference``.
        score_range: The lowest and highest possible score; `None` for unbounded or unknown.
    """

    name: str
    systems: Mapping[str, ScoreVectors]
    higher_is_better: bool | None = True
    is_ratio: bool = False
    signature: str | None = None
    other_signatures: Mapping[str, str] = field(default_factory=dict)
    title: str = ""
    unscored: Mapping[str, frozenset[str]] = field(default_factory=dict)
    scale: float = 1.0
    data_set: str = ""
    humans: frozenset[str] = frozenset()
    score_range: tuple[float | None, float | None] = (None, None)

    @property
    def heading(self) -> str:
        """The title or the name, after the data set."""
        return ": ".join(filter(None, [self.data_set, self.title or self.name]))

    def signed(self, resampling: Resampling, clusters: Mapping[str, str] | None) -> ScoredSystems:
        """Returns the score with the resampling in its signatures, as `evaluate` with intervals writes them.

        Args:
            resampling: How inputs are resampled.
            clusters: Input to its cluster, if inputs are resampled in clusters.
        """
        if self.signature is None:
            return self
        inputs = ({clusters[name] for name in one.inputs} if clusters else one.inputs for one in self.systems.values())
        named = signature_fields(resampling, len(self.counts()), max(map(len, inputs), default=0))
        head, version, tail = self.signature.partition("|fw:")
        fields = "".join(f"|{name}:{value}" for name, value in named.items())
        others = resampled_by_others({self.name: self.other_signatures}, resampling)[self.name]
        return replace(self, signature=f"{head}{fields}{version}{tail}", other_signatures=others)

    def averaged_over(self, column: str, parts: Mapping[str, str]) -> ScoredSystems:
        """Returns the score whose values are means over parts, such as domains, of the score over the inputs of each.

        Args:
            column: The column that has the parts.
            parts: Input to its part.
        """
        names = sorted({*parts.values()})
        systems = {name: outputs.averaged_over(parts, names) for name, outputs in self.systems.items()}
        signature = self.signature and self.signature.replace("|fw:", f"|macro:{column}|fw:")
        return replace(self, systems=systems, signature=signature, other_signatures={})

    def counts(self) -> dict[str, ScoredCount]:
        """Returns how many outputs of each system have the score."""
        scored = {system: len(outputs.inputs) for system, outputs in self.systems.items()}
        return {
            system: ScoredCount(scored.get(system, 0), scored.get(system, 0) + len(self.unscored.get(system, ())))
            for system in {**scored, **self.unscored}
        }

    def numbers(self, system: str) -> dict[str, float]:
        """Returns the score of each input of a system, NaN if it is undefined; those are first, in the order of ids."""
        numbers = dict.fromkeys(sorted(self.unscored.get(system, ()), key=id_sort_key), math.nan)
        if (vectors := self.systems.get(system)) is not None:
            numbers |= zip(vectors.inputs, (vectors.of_each_input(self.name) * self.scale).tolist(), strict=True)
        return numbers

    def common_outputs(self, first: str, second: str) -> int | None:
        """Returns the number of inputs for which two systems have outputs; `None` if all their outputs have a score."""
        if first not in self.unscored and second not in self.unscored:
            return None
        inputs = [
            self.unscored.get(system, frozenset()).union(self.systems[system].inputs) for system in (first, second)
        ]
        return len(inputs[0] & inputs[1])


def scored_systems(name: str, systems: Mapping[str, ScoreVectors], score: str, **options: Any) -> ScoredSystems:
    """Returns a score of systems, without the inputs for which it is undefined.

    Args:
        name: The name of the score.
        systems: System to its outputs.
        score: The name of the score among those of the outputs.
        options: Further arguments of `ScoredSystems`.
    """
    scale = _scale(systems.values(), score)
    with_score = {system: outputs.only_score(score, name, scale) for system, outputs in systems.items()}
    defined = {system: outputs for system, outputs in with_score.items() if outputs is not None}
    unscored = {
        system: frozenset(outputs.inputs).difference(defined[system].inputs if system in defined else ())
        for system, outputs in systems.items()
    }
    unscored = {system: inputs for system, inputs in unscored.items() if inputs}
    return ScoredSystems(name, defined, unscored=unscored, scale=scale, **options)


def _scale(systems: Iterable[ScoreVectors], score: str) -> float:
    """Returns a power of two to divide means by if their squares cannot be represented, else 1."""
    import numpy as np

    largest = 0.0
    for outputs in systems:
        values = abs(outputs.of_each_input(score)) if outputs.is_mean else np.empty(0)
        largest = max(largest, float(values[np.isfinite(values)].max(initial=0.0)))
    exponent = math.frexp(largest)[1]
    return 1.0 if abs(exponent) < MAX_EXPONENT else math.ldexp(1.0, min(exponent, MAX_POWER))


@dataclass(frozen=True)
class ComparedSystem:
    """A system under one score.

    Attributes:
        system: The system.
        inputs: The number of its inputs with a score.
        score: Its score on these.
        interval: The confidence interval of the score.
        rank: Its rank and cluster; `None` unless all pairs are compared.
        clusters: The number of clusters of its inputs; equal to ``inputs`` without clusters.
        design_effect: How many times larger the variance is with clusters; NaN without.
        undefined: The number of its inputs for which the score is undefined.
    """

    system: str
    inputs: int
    score: float
    interval: Interval
    clusters: int
    design_effect: float
    rank: Rank | None = None
    undefined: int = 0

    @property
    def count(self) -> str:
        """The number of its inputs with a score; of how many, if it is not all."""
        return str(ScoredCount(self.inputs, self.inputs + self.undefined)) if self.undefined else str(self.inputs)


@dataclass(frozen=True)
class ComparedPair:
    """Two systems under one score, on the inputs for which both have the score.

    Attributes:
        first: The first system: the better one, or the one compared with the baseline.
        second: The second system, or the baseline.
        inputs: The number of common inputs.
        clusters: The number of clusters of the common inputs; equal to ``inputs`` without clusters.
        difference: The score of the first minus that of the second.
        interval: Its confidence interval.
        standardized: The difference over the standard deviation of the differences of single inputs.
        skewness: That of the differences of single inputs; NaN if all are equal, or scores are no means.
        outcomes: For how many inputs the first system is better, equal and worse.
        p_value: The p-value of the paired test.
        adjusted: The p-value after the correction for multiple tests.
        trials: The number of trials of the test.
        exact: Whether all swaps were enumerated.
        differs: Whether the difference is significant.
        winner: The system that is significantly better, if one is; `None` if the direction of the score is unknown.
        undefined: The number of inputs for which both have outputs, but not both the score.
    """

    first: str
    second: str
    inputs: int
    clusters: int
    difference: float
    interval: Interval
    standardized: float
    skewness: float
    outcomes: Outcomes
    p_value: float
    adjusted: float
    trials: int
    exact: bool
    differs: bool
    winner: str | None
    undefined: int = 0

    @property
    def count(self) -> str:
        """The number of common inputs; of how many for which both have outputs, if it is not all."""
        return str(ScoredCount(self.inputs, self.inputs + self.undefined)) if self.undefined else str(self.inputs)


@dataclass(frozen=True)
class ScoreComparison:
    """The comparison of systems under one score.

    Attributes:
        score: The score.
        systems: The systems, the best first; with a baseline, it is first.
        pairs: The compared pairs.
        apart: The pairs without an input for which both have the score.
    """

    score: ScoredSystems
    systems: list[ComparedSystem]
    pairs: list[ComparedPair]
    apart: list[tuple[str, str]]


@dataclass(frozen=True)
class CompareSettings:
    """How to compare systems.

    Args:
        resampling: How to resample for intervals and tests.
        correction: The correction for multiple tests: a key of `CORRECTIONS`.
        baseline: The system that all others are compared with; `None` to compare all pairs.
        cluster: What a cluster is, such as ``document``; `None` without clusters.
        ranking: How ranks are shown: as ``ranges``, ``clusters`` or ``separated``.
        by: The column whose values are the data sets, if there are several.
        macro: The column over whose values scores are averaged; `None` for scores over all inputs.
    """

    resampling: Resampling = field(default_factory=Resampling)
    correction: str = "holm"
    baseline: str | None = None
    cluster: str | None = None
    ranking: str = RANGES
    by: str = DATA_SETS
    macro: str | None = None


def cautions(comparisons: Sequence[ScoreComparison], settings: CompareSettings) -> list[str]:
    """Returns where intervals and tests need care: they disagree, p-values are the least, inputs are few or skewed."""
    found, skewed = [], []
    units, intervals = dict[str, int](), dict[str, Interval]()
    for comparison in comparisons:
        of = f"{comparison.score.heading}: " if len(comparisons) > 1 else ""
        units |= {of + one.system: one.clusters for one in comparison.systems if one.inputs}
        intervals |= {of + one.system: one.interval for one in comparison.systems}
        for pair in comparison.pairs:
            ends, least = (pair.interval.lower, pair.interval.upper), 1 / (pair.trials + (not pair.exact))
            name = f"{of}{pair.first} − {pair.second}"
            found.append(TestedDifference(name, pair.adjusted, pair.p_value, *ends, least))
            intervals[name] = pair.interval
            if settings.cluster is None and settings.resampling.test == "randomization":
                skewed += [name] * (abs(pair.skewness) > MAX_SKEWNESS)
    unit = "cluster" if settings.cluster else "input"
    few = [] if settings.resampling.method == "none" else caution_of_few(units, unit)
    rejected = "differences are skewed, for which the test says too often that systems differ; --test bootstrap-t"
    named = [f"{rejected} suits them better: {listed_names(skewed)}"] if skewed else []
    tested = cautions_of_tests(found, settings.resampling.alpha)
    return [*tested, *cautions_of_intervals(intervals.items()), *few, *named]


def as_json(comparisons: Sequence[ScoreComparison], settings: CompareSettings, num_instances: int) -> dict[str, Any]:
    """Returns all results as they are written to a JSON file."""
    resampling = settings.resampling
    return {
        **head_of("fw compare"),
        "num_instances": num_instances,
        "baseline": settings.baseline,
        "cluster": settings.cluster,
        **({} if settings.macro is None else {"macro": settings.macro}),
        "correction": settings.correction,
        "intervals": {
            "level": resampling.level,
            "method": resampling.method,
            "resamples": resampling.resamples,
            "seed": resampling.seed,
        },
        "test": {"name": resampling.test, "trials": resampling.number_of_trials, "seed": resampling.seed},
        "scores": {comparison.score.name: _score_as_json(comparison) for comparison in comparisons},
        "cautions": cautions(comparisons, settings),
    }


def _score_as_json(comparison: ScoreComparison) -> dict[str, Any]:
    score = comparison.score
    return {
        "higher_is_better": score.higher_is_better,
        "signature": score.signature,
        "systems": {
            system.system: _system_as_json(system)
            | ({"summarizer_type": "reference"} if system.system in score.humans else {})
            for system in comparison.systems
        },
        "pairs": [_pair_as_json(pair) for pair in comparison.pairs],
        "pairs_without_common_inputs": comparison.apart,
    }


def _system_as_json(system: ComparedSystem) -> dict[str, Any]:
    rank = system.rank
    return {
        "num_instances": system.inputs,
        "num_undefined": system.undefined,
        "num_clusters": system.clusters,
        "design_effect": system.design_effect,
        "value": system.score,
        **_interval_as_json(system.interval),
        "rank": None if rank is None else rank.cluster,
        "best_rank": None if rank is None else rank.best,
        "worst_rank": None if rank is None else rank.worst,
    }


def _pair_as_json(pair: ComparedPair) -> dict[str, Any]:
    return {
        "system1": pair.first,
        "system2": pair.second,
        "num_instances": pair.inputs,
        **({"num_undefined": pair.undefined} if pair.undefined else {}),
        "num_clusters": pair.clusters,
        "difference": pair.difference,
        **_interval_as_json(pair.interval),
        "standardized_difference": pair.standardized,
        "wins": pair.outcomes.wins,
        "ties": pair.outcomes.ties,
        "losses": pair.outcomes.losses,
        "p_value": pair.p_value,
        "p_value_adjusted": pair.adjusted,
        "trials": pair.trials,
        "exact": pair.exact,
        "better": pair.winner,
    }


def _interval_as_json(interval: Interval) -> dict[str, Any]:
    return {"lower": interval.lower, "upper": interval.upper, "undefined_resamples": interval.undefined_resamples or 0}


# ---- texts: the outputs of each system as vectors, and the clusters of inputs ----------------------------------------


@dataclass
class ScoredTexts:
    """The scores of texts.

    Attributes:
        scores: The scores to compare.
        evaluation: The scores of the systems, as `evaluate` returns them.
        labels: Field to the value of each input, of the fields that were asked for.
    """

    scores: list[ScoredSystems]
    evaluation: Evaluation
    labels: dict[str, dict[str, str]] = field(default_factory=dict)


def score_texts(
    reader: DatasetReader,
    input_files: Sequence[str],
    metrics: Sequence[LabelledMetric],
    log: Log,
    *,
    names: Sequence[str] = (),
    titles: Mapping[str, str] = MappingProxyType({}),
    directions: Mapping[str, bool] = MappingProxyType({}),
    fields: Mapping[str, str] = MappingProxyType({}),
    duplicates: Duplicates = "error",
    jobs: int = 1,
) -> ScoredTexts:
    """Scores the outputs of files.

    Args:
        reader: Reads the files.
        input_files: The files.
        metrics: The metrics.
        log: Receives warnings.
        names: The flat names, or headings in a profile, of the scores to compare; by default the main scores.
        titles: The scores of a profile to compare, if there are no names, and their headings.
        directions: Score to whether higher is better, besides those whose metric states it.
        fields: The fields of inputs to return, such as ``document``, and what they are, as in messages.
        duplicates: What to do with a second output of a system for the same input.
        jobs: The number of processes that score.

    Raises:
        DataError: if the input is invalid, or an input has no value of a field or two.
        UnknownNameError: if there is no score of a name.
    """
    collector = ScoreCollector(metrics, hint="leave the metric out")
    labels: dict[str, dict[str, str]] = {name: {} for name in fields}
    humans = set[str]()

    def observe(batch: ColumnBatch, results: Sequence[BatchScores]) -> None:
        collector.add(batch.ids, batch.systems, results)
        humans.update(system for system, kind in zip(batch.systems, batch.types, strict=True) if kind == "reference")
        for name, of_inputs in labels.items():
            _add_labels(of_inputs, name, fields[name], batch)

    evaluation = evaluate(
        reader,
        input_files,
        metrics,
        None,
        log,
        duplicates=duplicates,
        jobs=jobs,
        observe=observe,
        all_fields=bool(fields),
    )
    systems = collector.score_vectors()
    names = [score_named(name, _numbers(evaluation), titles) for name in names]
    for name in (*names, *directions):
        if name not in _numbers(evaluation):
            raise UnknownNameError("score", name, _numbers(evaluation))
    scores = []
    for index, metric in enumerate(metrics):
        for name in _chosen(evaluation, metric, names, titles):
            kind, title = evaluation.kinds[name], titles.get(name, "")
            of_metric = {system: vectors[index] for system, vectors in systems.items()}
            own_names = next(iter(of_metric.values())).score()
            one = scored_systems(
                name,
                of_metric,
                next(own for own in own_names if metric.renamed_score(own) == name),
                higher_is_better=directions.get(name, kind.higher_is_better),
                is_ratio=kind.is_ratio,
                score_range=kind.score_range,
                signature=evaluation.signature[metric.label],
                other_signatures=evaluation.other_signatures.get(metric.label, {}),
                title=title,
                humans=frozenset(humans),
            )
            scores.append(one)
    return ScoredTexts(scores, evaluation, labels)


def _numbers(evaluation: Evaluation) -> list[str]:
    """Returns the flat names of the scores that are numbers."""
    return [name for name, value in evaluation.metrics.flatten().items() if not isinstance(value, (list, str))]


def _chosen(
    evaluation: Evaluation, metric: LabelledMetric, names: Sequence[str], titles: Mapping[str, str]
) -> list[str]:
    """Returns the scores of a metric to compare: those that are named, of the profile, or its main scores."""
    of_metric = [name for name in evaluation.names[metric.label] if name in _numbers(evaluation)]
    if names:
        return [name for name in of_metric if name in names]
    of_profile = [name for name in titles if name in of_metric]
    return of_profile or [name for name in of_metric if evaluation.kinds[name].is_main]


def _add_labels(labels: dict[str, str], name: str, what: str, batch: ColumnBatch) -> None:
    """Adds the values of a field of the inputs of a batch.

    Args:
        labels: Input to its value.
        name: The field.
        what: What it is.
        batch: The batch.

    Raises:
        DataError: if an output has no value, or another than an output for the same input.
    """
    column = LISTS_OF_TEXTS.get(name, (name,))[0]
    for instance, value in zip(batch.instances, batch.column(column), strict=True):
        if value is None or value == "" or value == []:
            raise DataError(f"'{name}', {what} of the input, is missing", instance.path, instance.line)
        label = value if isinstance(value, str) else repr(value)
        known = labels.setdefault(instance.instance_id, label)
        if known != label:
            raise DataError(
                f"input '{instance.instance_id}' has the {name} {shown(value)}, but {shown(known)} in an earlier row; "
                f"an input has one {name}",
                instance.path,
                instance.line,
            )
