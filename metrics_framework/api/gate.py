"""`gate`: whether a new run is better, no worse by a margin, or worse than an old one."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from metrics_framework.api.acting import refuse_idle
from metrics_framework.api.arguments import Columns, LogSpec, ScoreName, Seed, Share, System, Where, log_of
from metrics_framework.api.compare import Clusters, clusters_of
from metrics_framework.common.errors import DataError, InputError, UnknownNameError, UsageError, counted
from metrics_framework.common.logs import Log
from metrics_framework.common.options import Between, Form, checked_arguments
from metrics_framework.data.fields import Duplicates, PairBy
from metrics_framework.data.signature import same_for_outputs
from metrics_framework.data.texts import shown
from metrics_framework.evaluation.gate import LARGEST, FailOn, GateRequest, GateStudy, PairedScores, Unpaired

if TYPE_CHECKING:
    from metrics_framework.api.analysis_results import GateResult
    from metrics_framework.evaluation.score_comparison import ScoredSystems

Value = TypeVar("Value")


def _by_score(given: Any, read: Callable[[Any], Value]) -> dict[str, Value]:
    """Returns score to value, of a dictionary, of texts such as ``bleu=0.5,ter=1``, or of one value for all scores."""
    if isinstance(given, Mapping):
        return {str(name): read(value) for name, value in given.items()}
    words = given if isinstance(given, (list, tuple)) and all(isinstance(word, str) for word in given) else [given]
    lists = [
        word.split(",") if isinstance(word, str) and word.count("=") > word.count(",") else [word] for word in words
    ]
    parts = [word.rpartition("=")[::2] if isinstance(word, str) else ("", word) for words in lists for word in words]
    return {name: read(value) for name, value in parts}


def _margin(word: Any) -> float:
    margin = float(word)
    if not 1 / LARGEST < margin < LARGEST:
        raise ValueError
    return margin


def _range(word: Any) -> tuple[float, float]:
    from metrics_framework.inputs.values import Scale

    scale = None if isinstance(word, (list, tuple)) else Scale.of(word)
    low, high = map(float, word) if scale is None else (scale.low, scale.high)
    if not -LARGEST <= low < high <= LARGEST or (scale and scale.words):
        raise ValueError
    return low, high


_MARGIN = "a number above 0 and below 1e50, or such a number for a score, as in bleu=0.5"
_RANGE = "a range such as 0-1, or such a range for a score, as in bleu=0-100"
Margin = Annotated[
    float | Mapping[str, float] | str | Sequence[str], Form("[METRIC=]D", partial(_by_score, read=_margin), _MARGIN)
]
ScoreRange = Annotated[
    tuple[float, float] | Mapping[str, tuple[float, float]] | str | Sequence[str],
    Form("[METRIC=]LOW-HIGH", partial(_by_score, read=_range), _RANGE),
]


def gate(
    new: Any,
    old: Any,
    metric: ScoreName | Sequence[ScoreName] | None = None,
    *,
    margin: Margin | None = None,
    alpha: Annotated[float, Between(1e-6, 0.5)] = 0.05,
    power: Share = 0.8,
    clusters: Clusters | None = None,
    score_range: ScoreRange | None = None,
    higher_is_better: bool | None = None,
    lower_is_better: ScoreName | Sequence[ScoreName] = (),
    system: System | None = None,
    baseline: System | None = None,
    unpaired: Unpaired | None = None,
    fail_on: FailOn | Sequence[FailOn] | None = None,
    columns: Columns | None = None,
    where: Where | None = None,
    duplicates: Duplicates = "error",
    pair_by: PairBy = "id",
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
        system: The system of the new run, if its files have several.
        baseline: The system of the old run, if its files have several.
        unpaired: What to do with inputs that only one run has a score for: ``drop`` them, or count the ``worst``
            possible score; by default they are dropped, and more than 5 % of them leave the gate undecided.
        fail_on: The verdicts that fail; by default ``worse``, and with a margin also ``undecided``.
        columns: The columns that ids are read from, as for `compare`.
        where: The values of columns that a row must have, as for `compare`.
        duplicates: What to do with a second row of a system for the same input: ``error``, or keep the ``first`` or
            ``last``.
        pair_by: What an input of files is known by: its ``id``, or its ``source`` if ids differ between the runs.
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
    if fail_on is not None and not given["fail_on"]:
        raise InputError("'fail_on' must name a verdict, such as 'worse', or be left out")
    is_array = _is_array(new) and _is_array(old)
    refuse_idle(gate, {**everything, **given}, is_array=is_array)
    log = log_of(log, strict=strict)
    margins, names, runs = given["margin"] or {}, given["metric"], ("new", "old")
    left_out: dict[str, int] = {}
    if is_array:
        if len({0, len(new), len(old)}) != 2 or len(names) > 1:
            found = f"{counted(max(1, len(names)), 'score')} of {len(new)} and {len(old)} inputs"
            raise InputError(f"'new' and 'old' must be one score of the same inputs, got {found}")
        ids = [str(number) for number in range(1, len(new) + 1)]
        is_better, name = given["higher_is_better"] is not False, next(iter(names), "score")
        pairs = [_paired(name, ids, (new, old), is_better, given, None, {}, None)]
    else:
        pairs, runs, left_out = _of_files(new, old, given, log)
    for name in {**margins, **(given["score_range"] or {})}:
        if name and name not in [one.name for one in pairs]:
            raise UnknownNameError("score", name, [one.name for one in pairs])
    cluster = clusters if isinstance(clusters, str) or clusters is None else "cluster"
    asked = {name: given[name] for name in ("alpha", "power", "fail_on", "unpaired", "seed")}
    study = GateStudy.of(pairs, GateRequest(margins, clusters=cluster, runs=runs, **asked))
    return GateResult(study, [*log.warnings, *study.warnings], not_counted=left_out)


def _is_array(values: Any) -> bool:
    """Returns whether values are numbers for inputs, or rows of them, instead of a table with named columns."""
    import numpy as np

    if hasattr(values, "columns") or isinstance(values, (str, Mapping)):
        return False
    try:
        return np.asarray(values, dtype=np.float64).ndim in (1, 2)
    except (TypeError, ValueError):
        return False


def _paired(
    name: str,
    inputs: Sequence[str],
    runs: Sequence[Any],
    higher_is_better: bool,
    given: Mapping[str, Any],
    known: tuple[float, float] | None,
    found: Mapping[str, str],
    signature: str | None,
) -> PairedScores:
    """Returns the scores of two runs on the same inputs.

    Args:
        name: The score.
        inputs: The inputs.
        runs: The numbers of the new and of the old run, or the repeats of each input.
        higher_is_better: Whether higher scores are better.
        given: The options of `gate`.
        known: The range of the metric.
        found: Input to its cluster, if these were read.
        signature: The signature of the metric, if it is known.
    """
    import numpy as np

    tables = [np.asarray(run, dtype=np.float64).reshape(len(inputs), -1) for run in runs]
    is_binary = all(np.isin(table[np.isfinite(table)], (0, 1)).all() for table in tables)
    with np.errstate(invalid="ignore"):  # of inputs without a score
        new, old = (np.where(np.isfinite(one), one, 0).sum(axis=1) / np.isfinite(one).sum(axis=1) for one in tables)
    by_input, ranges = clusters_of(given["clusters"], found, inputs), given["score_range"] or {}
    score_range = ranges.get(name, ranges.get("", known or ((0.0, 1.0) if is_binary else None)))
    is_outcome = is_binary and all(table.shape[1] == 1 for table in tables)
    labels = None if by_input is None else [by_input[one] for one in inputs]
    return PairedScores(name, inputs, new, old, higher_is_better, score_range, is_outcome, labels, signature)


def _of_files(
    new: Any, old: Any, given: Mapping[str, Any], log: Log
) -> tuple[list[PairedScores], tuple[str, str], dict[str, int]]:
    """Reads the scores of two runs; returns them, the names of the systems, and why rows were left out."""
    from metrics_framework.api.comparisons import directed, score_files_of, scores_of
    from metrics_framework.inputs.keys import find_contradiction, moved_ids
    from metrics_framework.inputs.rating_rows import RatingRules

    fields = [given["clusters"]] if isinstance(given["clusters"], str) else []
    files, left_out, read, ids = [], Counter[str](), [], dict[str, set[str]]()
    reading = {option: given[option] for option in ("columns", "where", "duplicates", "pair_by")} | {"cluster": fields}
    for run in (new, old):
        rules = RatingRules.of(reading, given["metric"])
        rules.needs_system = False
        files.append(score_files_of(run, rules, log))
        if not given["metric"]:
            score_files_of(old, rules, log)  # whose problems are reported first
            every = ", ".join(files[-1].files.scores.known)
            raise UsageError(f"no score to compare; name one with --metric. Known: {every}.")
        lower = dict.fromkeys(given["lower_is_better"], False)
        ((scored, of_inputs),) = scores_of(files[-1], given["metric"], lower, fields).values()
        read.append((directed(scored, log), next(iter(of_inputs.values()), {})))
        left_out.update(rules.left_out)
        ids.update(rules.found.ids)
    log.warn_all([*moved_ids(ids)], UserWarning)
    if any(parts.files.logs for parts in files):  # of which an id may name another input
        rows = chain.from_iterable(parts.tables.rows for parts in files)
        if problem := find_contradiction(rows, rules.found.id_columns):
            raise problem
    (of_new, found_new), (of_old, found_old) = read
    baseline = _system(of_old, given["baseline"], "old", "--baseline")
    system = given["system"]
    if system is None and given["baseline"] is not None:
        system = _only_other(of_new, of_old, baseline, log)
    systems = _system(of_new, system, "new", "--system"), baseline
    pairs, unlike = [], set[str]()
    for both in zip(of_new, of_old, strict=True):
        name, directions = both[0].name, {one.higher_is_better for one in both}
        if len(directions) > 1:
            raise DataError(f"'{name}': higher is better in one run only; state --lower-is-better {name} if lower is")
        signatures = [one.signature or "" for one in both]
        if all(signatures) and not same_for_outputs(*signatures):
            log.warn(f"'{name}' was computed in two ways: {' in the new run, '.join(signatures)} in the old run")
        low, high = both[0].score_range
        known = None if low is None or high is None else (low, high)
        runs = [one.numbers(system) for one, system in zip(both, systems, strict=True)]
        inputs = list(dict.fromkeys([*runs[1], *runs[0]]))
        unlike.update(one for one in runs[0].keys() & runs[1] if found_new.get(one) != found_old.get(one))
        tables = [[run.get(one, math.nan) for one in inputs] for run in runs]
        about = known, {**found_old, **found_new}, signatures[0] or None
        pairs.append(_paired(name, inputs, tables, directions != {False}, given, *about))
    if unlike:
        name = min(unlike)
        labels = " and ".join(shown(found.get(name)) for found in (found_new, found_old))
        which = f"another '{fields[0]}' in the new run than in the old one, such as '{name}' ({labels})"
        log.warn(f"{counted(len(unlike), 'input')} with {which}; that of the new run is used if there is one")
    return pairs, (systems[0] or "new", systems[1] or "old"), dict(left_out)


def _systems(scores: Sequence[ScoredSystems]) -> list[str]:
    return list(dict.fromkeys(system for score in scores for system in score.counts()))


def _only_other(new: Sequence[ScoredSystems], old: Sequence[ScoredSystems], baseline: str, log: Log) -> str | None:
    """Returns the other of two systems of the new run, if it has the very scores of the baseline, which is no rerun."""
    others = [system for system in _systems(new) if system != baseline]
    both = zip(new, old, strict=True)
    if len(others) != 1 or any(one.numbers(baseline) != other.numbers(baseline) for one, other in both):
        return None
    log.note(f"the new run is '{others[0]}', because its files have the scores of the baseline, '{baseline}', too")
    return others[0]


def _system(scores: Sequence[ScoredSystems], name: str | None, run: str, flag: str) -> str:
    """Returns the system of a run.

    Raises:
        InputError: if it has several, and none is named.
        UnknownNameError: if it has none of this name.
    """
    systems = _systems(scores)
    if name is not None and name not in systems:
        raise UnknownNameError("system", name, systems)
    if name is None and len(systems) > 1:
        raise InputError(f"the {run} run has {len(systems)} systems: {', '.join(systems)}; name one with {flag}")
    return systems[0] if name is None else name
