"""`compare`: compares systems, from texts or scores in memory or files."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from metrics_framework.api.acting import is_given, refuse_idle
from metrics_framework.api.arguments import (
    AggregateSpec,
    Column,
    ConfidenceLevel,
    CorrectionName,
    Count,
    Jobs,
    LogSpec,
    ScoreName,
    Scores,
    Seed,
    System,
    log_of,
)
from metrics_framework.api.inputs import (
    LISTS,
    Columns,
    Files,
    Outputs,
    References,
    Sources,
    Where,
    calls_of_sets,
    inputs_of,
)
from metrics_framework.api.settings import Metrics, ProfileSpec, jobs_of, metrics_of, profile_of
from metrics_framework.common.calls import PARAMETERS
from metrics_framework.common.errors import DataError, InputError, listed_names
from metrics_framework.common.options import checked_arguments
from metrics_framework.data.fields import Duplicates, PairBy
from metrics_framework.data.texts import as_list, is_list, shown
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.significance.confidence_level import as_fraction
from metrics_framework.significance.multiple_testing import RANGES, SEPARATED, draws_for
from metrics_framework.significance.resampling import (
    METHOD,
    PAIRED_TRIALS,
    RESAMPLES,
    SACREBLEU_SEED,
    SEED,
    ComparedBy,
    Resampling,
    Test,
)

if TYPE_CHECKING:
    from metrics_framework.api.comparisons import ComparisonResult
    from metrics_framework.common.logs import Log
    from metrics_framework.evaluation.score_comparison import CompareSettings, ScoredSystems

PRESETS: Mapping[str, Mapping[str, Any]] = {"wmt": {"macro": "domain", "clusters": "document", "ranking": SEPARATED}}
"""The options with which shared tasks rank systems by ratings."""
PresetName = Literal["", "wmt"]
Clusters = str | Mapping[Any, Any] | Sequence[Any]
"""The name of a field with the cluster of each input; a dictionary from inputs to clusters; or one per output."""


def compare(
    metrics: Metrics = (),
    outputs: Outputs | None = None,
    *,
    references: References | None = None,
    sources: Sources | None = None,
    documents: References | None = None,
    files: Files | None = None,
    reader: str | Mapping[str, Any] | DatasetReader = "default",
    profile: ProfileSpec | None = None,
    columns: Columns | None = None,
    where: Where | None = None,
    systems: Sequence[str] = (),
    scores: Scores | None = None,
    names: ScoreName | Sequence[ScoreName] = (),
    higher_is_better: ScoreName | Sequence[ScoreName] = (),
    lower_is_better: ScoreName | Sequence[ScoreName] = (),
    aggregate: AggregateSpec | None = None,
    macro: Column | None = None,
    preset: PresetName = "",
    baseline: System | None = None,
    test: Test = "randomization",
    trials: Count | None = None,
    correct: CorrectionName = "holm",
    ranking: Literal["ranges", "clusters", "separated"] = RANGES,
    ci: ComparedBy = METHOD,
    confidence: ConfidenceLevel = 95,
    resamples: Count = RESAMPLES,
    seed: Seed | None = None,
    clusters: Clusters | None = None,
    by: str | None = None,
    duplicates: Duplicates = "error",
    pair_by: PairBy = "id",
    jobs: Jobs = 1,
    checks: bool = True,
    strict: bool = False,
    log: LogSpec = None,
    force: bool = False,
) -> ComparisonResult:
    """Compares systems under one or several scores, as ``fw compare`` does.

    Args:
        metrics: The metrics to compute, as for `evaluate`; none with ``scores``.
        outputs: The outputs, as for `evaluate`; those of several data sets are compared separately.
        references: For lists of texts: for each output its reference, or a list of its references.
        sources: For lists of texts: the source of each output.
        documents: For lists of texts: for each output its document, or a list of its documents.
        files: Files to read instead of ``outputs``, as for `evaluate`.
        reader: The reader of the files.
        profile: A set of metrics, such as ``simplification``, and the scores to compare; ``metrics`` are added to it.
        columns: The columns that fields are read from, as for `evaluate`.
        where: The values of columns that a row must have, as for `evaluate`.
        systems: For tables with one column of outputs per system: these columns, as for `evaluate`.
        scores: Scores of outputs instead of texts, as for `correlate`: files, rows, a table or the result of
            `evaluate`. The score of a system is the mean over its outputs.
        names: The name of a score to compare, such as ``sari_add``; by default, the main score of each metric, and all
            ratings.
        higher_is_better: A score of the data for which higher is better; it is known for the metrics of ``fw``. Systems
            are ranked by scores with a known direction only.
        lower_is_better: A score of the data for which lower is better.
        aggregate: What to make of the scores of several metrics, besides: ``autorank``, the rank of WMT25, from 1 to
            the number of systems (`autorank`), or ``autorank:metrics=A+B``, of these metrics alone.
        macro: A column, such as ``domain``, over whose values scores are averaged: the score of a system is the mean of
            its scores on the inputs of each, so that each counts equally; by default, each input counts equally.
        preset: The options of a shared task, unless others are given: ``wmt`` averages over ``domain``, has
            ``document`` as clusters, and prints ranges of ranks and separated clusters.
        baseline: The system that all other systems are compared with; by default, all pairs are compared.
        test: The paired test. ``bootstrap-t`` suits skewed differences; ``paired-ar`` and ``paired-bs`` are those of
            sacreBLEU.
        trials: The number of trials of the test; by default 1,000, as for `evaluate`, and more for many pairs of
            systems, which could not differ otherwise; 10,000 for ``paired-ar``. For few inputs, all swaps are
            enumerated.
        correct: The correction of p-values for the number of pairs: Holm, Benjamini-Hochberg, Benjamini-Yekutieli or
            none.
        ranking: What ranks are: the ranges of ranks that the tests leave open (``ranges``), the numbers of clusters
            of systems (``clusters``), which may hide differences, or ranges and clusters of which each system is
            significantly better than all systems of later clusters (``separated``).
        ci: The method of the confidence intervals; ``studentized`` is wide enough from 8 inputs on; ``percentile`` is
            that of sacreBLEU, and ``none`` leaves intervals out.
        confidence: The confidence level of the intervals and the tests, as a fraction (0.95) or in percent (95).
        resamples: The number of resamples of the intervals.
        seed: The random seed of resamples and trials; by default 0, or 12345 with a test of sacreBLEU.
        clusters: The clusters of inputs, such as documents, which are drawn and swapped as a whole: the name of a field
            of the outputs, a dictionary from inputs to clusters, or the cluster of each input of lists of texts.
        by: A column, such as ``domain``, for each value of which the systems are compared separately.
        duplicates: What to do with a second output of a system for the same input: ``error``, or keep the ``first`` or
            ``last``.
        pair_by: What an input of ``scores`` is known by: its ``id``, or its ``source`` if ids differ between files.
        jobs: The number of processes that score; 0 uses all available CPUs.
        checks: Whether to check texts for mistakes, such as empty, shifted or escaped outputs; what is found are
            warnings of the category `TextWarning`.
        strict: Whether warnings are errors.
        log: A function, such as `print`, or a log that receives notes and warnings; by default Python warnings.
        force: Whether outputs are known to be detokenized.

    Raises:
        InputError: if an argument is invalid.
        DataError: if the input is invalid.
        UnknownNameError: if there is no score or baseline of a name.

    >>> import metrics_framework as fw
    >>> ratings = {"a": [4, 5, 3, 4, 5, 4], "b": [3, 4, 2, 3, 4, 3]}
    >>> rows = [
    ...     {"instance_id": i, "summarizer_id": system, "rating": rating}
    ...     for system in ratings
    ...     for i, rating in enumerate(ratings[system])
    ... ]
    >>> (pair,) = fw.compare(scores=rows, ci="jackknife")["rating"].pairs
    >>> pair.first, round(pair.difference, 2), pair.p_value
    ('a', 1.0, 0.03125)
    """
    calls = calls_of_sets(locals())
    from metrics_framework.api.comparisons import ComparisonResult, directed, score_files_of, score_rules, scores_of
    from metrics_framework.evaluation.score_comparison import CompareSettings, score_texts
    from metrics_framework.evaluation.sets import DATA_SETS, SetInput, SetLog, sets_of_column

    if calls:
        if by is not None:
            raise InputError("'by' is about one data set, but outputs are given for several")
        return ComparisonResult.of_sets({name: compare(**call) for name, call in calls.items()})
    everything = dict(locals())
    given = checked_arguments(compare, everything, LISTS)
    refuse_idle(compare, {**everything, **given})
    of_preset = PRESETS.get(given["preset"], {})
    averaged_over, clusters, ranking = (
        given[name] if name not in of_preset or is_given(compare, name, everything[name]) else of_preset[name]
        for name in ("macro", "clusters", "ranking")
    )
    log = log_of(log, strict=strict, checks=checks)
    log.are_detokenized = force
    names, directions = given["names"], _directions(given["higher_is_better"], given["lower_is_better"])
    test, ci, correct = given["test"], given["ci"], given["correct"]
    level = as_fraction(given["confidence"])
    default_seed = SACREBLEU_SEED if test.startswith("paired") else SEED
    chosen_seed = default_seed if given["seed"] is None else given["seed"]
    resampling = Resampling(given["resamples"], chosen_seed, level, ci, test, given["trials"])
    field = clusters if isinstance(clusters, str) else None
    cluster = field if clusters is None else field or "cluster"
    noted = set[str]()
    log_of_set = cache(lambda name: log if by is None else SetLog(log, name, noted))
    settings = CompareSettings(resampling, correct, baseline, cluster, ranking, by or DATA_SETS, averaged_over)
    fields = {name: what for name, what in ((averaged_over, "a property"), (field, "the cluster")) if name is not None}
    if scores is not None:
        if outputs is not None or files is not None or metrics or profile is not None:
            raise InputError("'scores' are compared as they are; leave out 'metrics', 'profile', 'outputs' and 'files'")
        rules = score_rules(columns, where, duplicates, [*names, *directions], pair_by=pair_by, clusters=fields)
        found = scores_of(score_files_of(scores, rules, log, by), names, directions, fields)
    else:
        chosen_profile = None if profile is None else profile_of(profile)
        chosen = metrics_of(metrics, chosen_profile)
        inputs = inputs_of(locals(), chosen)
        sets: Iterable[SetInput] = [SetInput("", chosen, inputs.reader, inputs.files)]
        if by is not None:
            sets = sets_of_column(by, chosen, inputs.reader, inputs.files, log)
        found = {}
        for name, _, of_set, paths in sets:
            texts = score_texts(
                of_set,
                paths,
                chosen,
                log_of_set(name),
                names=names,
                titles={} if chosen_profile is None else chosen_profile.columns,
                directions=directions,
                fields=fields,
                duplicates=duplicates,
                jobs=jobs_of(given["jobs"]),
            )
            found[name] = texts.scores, texts.labels
    if resampling.trials is None:
        most = max((_pairs(scored, baseline) for scored, _ in found.values()), default=0)
        tests = 1 if correct == "none" else most
        # that of sacreBLEU for its tests, that of `evaluate` for others, more for many
        trials = PAIRED_TRIALS[test] if test in PAIRED_TRIALS else draws_for(tests, resampling.alpha, RESAMPLES)
        settings = replace(settings, resampling=replace(resampling, trials=trials))
    if lacking := [name for name in fields if of_preset and not any(labels.get(name) for _, labels in found.values())]:
        how = {"macro": averaged_over, "clusters" if "clusters" in PARAMETERS.get() else "cluster": field}
        works = " ".join(f"--{option} '{name}'" for option, name in how.items() if name and name not in lacking)
        without = f"which --preset needs; use {works} --ranking '{ranking}' instead of it".replace("  ", " ")
        raise DataError(f"no output has the field {' or '.join(map(repr, lacking))}, {without}")
    if given["preset"]:  # whose ratings are scores of quality
        found = {name: (directed(scored, log_of_set(name)), labels) for name, (scored, labels) in found.items()}
    aggregate = given["aggregate"]
    results = {name: _compared(*one, clusters, settings, aggregate, log_of_set(name)) for name, one in found.items()}
    result = next(iter(results.values())) if by is None else ComparisonResult.of_sets(results)
    return replace(result, warnings=log.warnings, not_counted={} if scores is None else rules.left_out)


def _directions(higher: Sequence[str], lower: Sequence[str]) -> dict[str, bool]:
    """Returns whether higher is better, of each score for which either is said."""
    if both := [name for name in lower if name in higher]:
        raise InputError(f"'{both[0]}' is in 'higher_is_better' and in 'lower_is_better'")
    return {**dict.fromkeys(higher, True), **dict.fromkeys(lower, False)}


def _compared(
    scored: Sequence[ScoredSystems],
    labels: Mapping[str, Mapping[str, str]],
    clusters: Clusters | None,
    settings: CompareSettings,
    aggregate: Sequence[str] | None,
    log: Log,
) -> ComparisonResult:
    """Returns the comparison of the systems of one data set."""
    from metrics_framework.api.comparisons import ComparisonResult
    from metrics_framework.evaluation.compare_systems import compare_systems

    instances = list(dict.fromkeys(name for score in scored for one in score.systems.values() for name in one.inputs))
    by_input = clusters_of(clusters, labels.get(settings.cluster or "", {}), instances)
    if settings.macro is not None:
        parts = clusters_of(settings.macro, labels[settings.macro], instances, settings.macro)
        scored = [one.averaged_over(settings.macro, parts or {}) for one in scored]
    if unknown := [score.name for score in scored if score.higher_is_better is None and not score.title]:
        whose = "its direction" if len(unknown) == 1 else "their direction"
        log.note(
            f"{listed_names([repr(name) for name in unknown])}: {whose} is unknown, so that systems are not ranked; "
            f"use --higher-is-better {unknown[0]} or --lower-is-better {unknown[0]}"
        )
    comparisons = compare_systems(
        [one.signed(settings.resampling, by_input) for one in scored], settings, by_input, log
    )
    for one in comparisons:
        if any(math.isinf(pair.difference) for pair in one.pairs):
            raise DataError(
                f"'{one.score.name}': the difference of two systems exceeds the largest number; scale the scores"
            )
    if aggregate is not None:
        from metrics_framework.evaluation.autorank import autorank_comparison

        ranks = autorank_comparison(scored, aggregate, settings, by_input)
        comparisons = [ranks, *comparisons]
        fewest = min(ranks.systems, key=lambda one: one.inputs)
        if fewest.inputs < len(instances):
            of_all = f"{fewest.inputs} of {len(instances)} inputs"
            log.warn(f"'{ranks.score.name}': the means of '{fewest.system}' are over {of_all}")
    known = set(instances).union(*(missing for score in scored for missing in score.unscored.values()))
    return ComparisonResult(comparisons, settings, len(known), log.warnings)


def _pairs(scored: Sequence[ScoredSystems], baseline: str | None) -> int:
    """Returns the largest number of pairs of systems that are compared under a score."""
    systems = max((len(one.systems) for one in scored), default=0)
    return math.comb(systems, 2) if baseline is None else systems - 1


def clusters_of(
    clusters: Clusters | None, found: Mapping[str, str], instances: Sequence[str], what: str = "cluster"
) -> Mapping[str, str] | None:
    """Returns the cluster of each input; `None` without clusters.

    Args:
        clusters: The field that was read, or the clusters.
        found: Input to the value of the field.
        instances: The inputs.
        what: What it is, for messages: ``cluster``, or the name of a field over whose values scores are averaged.

    Raises:
        InputError: if clusters have none of the accepted forms.
        DataError: if an input has no cluster.
    """
    if clusters is None:
        return None
    if isinstance(clusters, Mapping):
        found = {str(name): str(label) for name, label in clusters.items()}
    elif not isinstance(clusters, str):
        if not is_list(clusters):
            raise InputError(f"'clusters' must be a field, a dictionary or a list, got {shown(clusters)}")
        found = {str(number): str(label) for number, label in enumerate(as_list(clusters), 1)}
        if len(found) > len(instances):
            raise InputError(f"'clusters' must have one entry for each input, got {len(found)} for {len(instances)}")
    missing = [name for name in instances if name not in found]
    if missing:
        why = "the cluster of its input" if what == "cluster" else "over whose values scores are averaged"
        of_all = f"no output has the field '{clusters}', {why}"
        others = f" ({len(missing)} inputs have none)" if len(missing) > 1 else ""
        has_field = not isinstance(clusters, str) or found
        raise DataError(f"input '{missing[0]}' has no {what}{others}" if has_field else of_all)
    return found
