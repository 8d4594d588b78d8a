"""`gate`: whether a new run is better, no worse by a margin, or worse than an old one."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from metrics_framework.api.acting import refuse_idle
from metrics_framework.api.arguments import Columns, LogSpec, ScoreName, Seed, Share, System, Where, log_of
from metrics_framework.api.compare import Clusters, clusters_of
from metrics_framework.common.errors import DataError, InputError, UnknownNameError, UsageError
from metrics_framework.common.logs import Log
from metrics_framework.common.options import Form, checked_arguments
from metrics_framework.data.fields import Duplicates
from metrics_framework.data.signature import same_for_outputs
from metrics_framework.evaluation.gate import FailOn, GateRequest, GateStudy, PairedScores, Unpaired

if TYPE_CHECKING:
    from metrics_framework.api.analysis_results import GateResult
    from metrics_framework.common.arrays import Floats
    from metrics_framework.evaluation.score_comparison import ScoredSystems

Value = TypeVar("Value")


def _by_score(given: Any, read: Callable[[Any], Value]) -> dict[str, Value]:
    """Returns score to value, of a dictionary, of texts such as ``bleu=0.5``, or of one value for all scores."""
    if isinstance(given, Mapping):
        return {str(name): read(value) for name, value in given.items()}
    words = given if isinstance(given, (list, tuple)) and all(isinstance(word, str) for word in given) else [given]
    parts = [word.rpartition("=")[::2] if isinstance(word, str) else ("", word) for word in words]
    return {name: read(value) for name, value in parts}


def _margins_in(given: Any) -> dict[str, float]:
    def read(word: Any) -> float:
        margin = float(word)
        if not 0 < margin < math.inf:
            raise ValueError
        return margin

    return _by_score(given, read)


def _ranges_in(given: Any) -> dict[str, tuple[float, float]]:
    from metrics_framework.inputs.values import Scale

    scales = _by_score(given, Scale.of)
    return {name: (scale.low, scale.high) for name, scale in scales.items()}


Margin = Annotated[
    float | Mapping[str, float] | str | Sequence[str],
    Form("[METRIC=]D", _margins_in, "a number above 0, or such a number for a score, as in bleu=0.5"),
]
ScoreRange = Annotated[
    tuple[float, float] | Mapping[str, tuple[float, float]] | str | Sequence[str],
    Form("[METRIC=]LOW-HIGH", _ranges_in, "a range such as 0-1, or such a range for a score, as in bleu=0-100"),
]


def gate(
    new: Any,
    old: Any,
    metric: ScoreName | Sequence[ScoreName] | None = None,
    *,
    margin: Margin | None = None,
    alpha: Share = 0.05,
    power: Share = 0.8,
    clusters: Clusters | None = None,
    score_range: ScoreRange | None = None,
    higher_is_better: bool | None = None,
    lower_is_better: ScoreName | Sequence[ScoreName] = (),
    baseline: System | None = None,
    unpaired: Unpaired | None = None,
    fail_on: FailOn | Sequence[FailOn] = (),
    columns: Columns | None = None,
    where: Where | None = None,
    duplicates: Duplicates = "error",
    seed: Seed = 0,
    strict: bool = False,
    log: LogSpec = None,
) -> GateResult:
    """Decides whether a new run is better, no worse by a margin, or worse than an old one, as ``fw gate`` does.

    Args:
        new: The scores of the new run: an array with a number for each input, or a row of repeats for each, NaN for
            missing ones; or files, rows or tables, as the ``scores`` of `compare`.
        old: Those of the old run, on the same inputs.
        metric: The scores to compare; needed for files, rows and tables.
        margin: The loss D that is tolerated, of all scores or of one; then a run can be shown to be no worse.
        alpha: The level of each one-sided test.
        power: The power that needed numbers of examples promise.
        clusters: The clusters of inputs, such as documents: the name of a field, a dictionary from inputs to clusters,
            or the cluster of each input.
        score_range: The lowest and highest possible score, of all scores or of one; tests need it if few outputs
            change.
        higher_is_better: Whether a higher score is better; for files, it follows from the metric.
        lower_is_better: A score for which lower is better.
        baseline: The system of the old run, if its files have several.
        unpaired: What to do with inputs that only one run has a score for: ``drop`` them, or count the ``worst``
            possible score; by default they are dropped, and more than 5 % of them leave the gate undecided.
        fail_on: The verdicts that fail; by default ``worse``, and with a margin also ``undecided``.
        columns: The columns that ids are read from, as for `compare`.
        where: The values of columns that a row must have, as for `compare`.
        duplicates: What to do with a second row of a system for the same input: ``error``, or keep the ``first`` or
            ``last``.
        seed: The random seed of sign flips and of the order of bets.
        strict: Whether warnings about files are errors.
        log: A function, such as `print`, or a log that receives notes and warnings; by default Python warnings.

    Raises:
        InputError: if an argument is invalid.
        DataError: if the input is invalid, or the two runs have no input in common.
        UnknownNameError: if there is no score or system of a name.

    >>> import metrics_framework as fw
    >>> result = fw.gate([1] * 90 + [0] * 10, [1] * 88 + [0] * 12, margin=0.05)
    >>> result.verdict, round(result.difference, 2), round(result.lower, 3)
    ('no worse', 0.02, -0.007)
    """
    from metrics_framework.api.analysis_results import GateResult

    everything = dict(locals())
    given = checked_arguments(gate, everything)
    is_array = _is_array(new) and _is_array(old)
    refuse_idle(gate, {**everything, **given}, is_array=is_array)
    log = log_of(log, strict=strict)
    margins, ranges, names = given["margin"] or {}, given["score_range"] or {}, given["metric"]
    runs = "new", "old"
    if is_array:
        pairs = [_of_arrays(new, old, names, clusters, ranges, higher_is_better is not False)]
    elif not names:
        raise UsageError("no score to compare; name one with --metric")
    else:
        pairs, runs = _of_files(new, old, given, log)
    for name in {**margins, **ranges}:
        if name and name not in [one.name for one in pairs]:
            raise UnknownNameError("score", name, [one.name for one in pairs])
    cluster = clusters if isinstance(clusters, str) or clusters is None else "cluster"
    options = {name: given[name] for name in ("alpha", "power", "fail_on", "unpaired", "seed")}
    study = GateStudy.of(pairs, GateRequest(margins, clusters=cluster, runs=runs, **options))
    return GateResult(study, [*log.warnings, *study.warnings])


def _is_array(values: Any) -> bool:
    """Returns whether values are numbers for inputs, or rows of them, instead of a table with named columns."""
    import numpy as np

    if hasattr(values, "columns") or isinstance(values, (str, Mapping)):
        return False
    try:
        return np.asarray(values, dtype=np.float64).ndim in (1, 2)
    except (TypeError, ValueError):
        return False


def _of_arrays(
    new: Any,
    old: Any,
    names: Sequence[str],
    clusters: Any,
    ranges: Mapping[str, tuple[float, float]],
    higher_is_better: bool,
) -> PairedScores:
    import numpy as np

    runs = [np.asarray(values, dtype=np.float64) for values in (new, old)]
    if len(runs[0]) != len(runs[1]):
        raise InputError(f"'new' and 'old' must have the same inputs, got {len(runs[0])} and {len(runs[1])}")
    if len(names) > 1:
        raise InputError(f"an array has one score; 'metric' names {len(names)}")
    inputs = [str(number) for number in range(1, len(runs[0]) + 1)]
    return _paired(
        next(iter(names), "score"), inputs, runs, clusters_of(clusters, {}, inputs), ranges, None, higher_is_better
    )


def _paired(
    name: str,
    inputs: Sequence[str],
    runs: Sequence[Floats],
    clusters: Mapping[str, str] | None,
    ranges: Mapping[str, tuple[float, float]],
    known: tuple[float, float] | None,
    higher_is_better: bool,
) -> PairedScores:
    """Returns scores of two runs, each with one number for an input or a row of repeats, of which it has the mean."""
    import numpy as np

    is_binary = all(np.isin(run[np.isfinite(run)], (0, 1)).all() for run in runs)
    tables = [run.reshape(len(run), -1) for run in runs]
    counts = [np.isfinite(table).sum(axis=1) for table in tables]
    means = [
        np.where(count > 0, np.where(np.isfinite(table), table, 0).sum(axis=1) / np.maximum(count, 1), math.nan)
        for table, count in zip(tables, counts, strict=True)
    ]
    return PairedScores(
        name,
        inputs,
        means[0],
        means[1],
        higher_is_better,
        ranges.get(name, ranges.get("", known or ((0.0, 1.0) if is_binary else None))),
        is_binary and all(table.shape[1] == 1 for table in tables),
        None if clusters is None else [clusters[one] for one in inputs],
    )


# ---- files -----------------------------------------------------------------------------------------------------------


def _of_files(new: Any, old: Any, given: Mapping[str, Any], log: Log) -> tuple[list[PairedScores], tuple[str, str]]:
    """Reads the scores of two runs, and returns them with the names of their systems."""
    from metrics_framework.api.comparisons import read_scores
    from metrics_framework.inputs.rating_rows import RatingRules

    clusters, names, lower = given["clusters"], given["metric"], given["lower_is_better"]
    field = clusters if isinstance(clusters, str) else None
    read: list[tuple[list[ScoredSystems], dict[str, str]]] = []
    for run in (new, old):
        rules = RatingRules.of({option: given[option] for option in ("columns", "where", "duplicates")}, names)
        read += read_scores(run, names, lower, rules, log, field).values()
    (of_new, found_new), (of_old, found_old) = read
    for name in found_new.keys() & found_old.keys():
        if found_new[name] != found_old[name]:
            values = f"'{found_new[name]}' in the new run and '{found_old[name]}' in the old one"
            raise DataError(f"input '{name}' has the {field} {values}; an input belongs to one cluster")
    baseline = _system(of_old, given["baseline"], "old")
    runs = _system([*of_new], None, "new", without=baseline), baseline
    pairs = []
    for scores in zip(of_new, of_old, strict=True):
        pairs.append(_of_systems(scores, runs, clusters, {**found_old, **found_new}, given["score_range"] or {}, log))
    return pairs, runs


def _system(scores: Sequence[ScoredSystems], name: str | None, run: str, without: str = "") -> str:
    """Returns the system of a run.

    Raises:
        InputError: if it has several.
        UnknownNameError: if it has none of this name.
    """
    systems = list(dict.fromkeys(system for score in scores for system in (*score.systems, *score.unscored)))
    if name is not None and name not in systems:
        raise UnknownNameError("system", name, systems)
    if name is None and len(systems) > 1:
        systems = [system for system in systems if system != without]
    if name is None and len(systems) > 1:
        step = "name one with --baseline" if run == "old" else "keep the rows of one with --where COLUMN=VALUE"
        raise InputError(f"the {run} run has {len(systems)} systems: {', '.join(systems)}; {step}")
    return systems[0] if name is None else name


def _of_systems(
    scores: tuple[ScoredSystems, ScoredSystems],
    runs: tuple[str, str],
    clusters: Any,
    found: Mapping[str, str],
    ranges: Mapping[str, tuple[float, float]],
    log: Log,
) -> PairedScores:
    """Returns a score of the systems of two runs, aligned by input."""
    import numpy as np

    name, (of_new, of_old) = scores[0].name, scores
    if of_new.higher_is_better != of_old.higher_is_better:
        raise DataError(
            f"'{name}': higher is better in one run, and lower in the other; state --lower-is-better {name} if it is"
        )
    signatures = [one.signature for one in scores]
    if all(signatures) and not same_for_outputs(*map(str, signatures)):
        log.warn(f"'{name}' was computed in two ways: {signatures[0]} in the new run, {signatures[1]} in the old run")
    values = []
    for score, system in zip(scores, runs, strict=True):
        vectors = score.systems.get(system)
        numbers = {} if vectors is None else dict(zip(vectors.inputs, vectors.of_each_input(name), strict=True))
        values.append(
            {
                **dict.fromkeys(score.unscored.get(system, ()), math.nan),
                **{one: number * score.scale for one, number in numbers.items()},
            }
        )
    inputs = list(dict.fromkeys([*values[1], *values[0]]))
    low, high = of_new.score_range
    known = (low, high) if low is not None and high is not None else None
    arrays = [np.array([of.get(one, math.nan) for one in inputs]) for of in values]
    by_input = clusters_of(clusters, found, inputs)
    return _paired(name, inputs, arrays, by_input, ranges, known, bool(of_new.higher_is_better))
