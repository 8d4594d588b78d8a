"""`correlate`: correlates metrics with human ratings, from data in memory or files."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from metrics_framework.api.acting import refuse_idle
from metrics_framework.api.arguments import (
    ERROR_FREE,
    Column,
    ConfidenceLevel,
    CorrectionName,
    Count,
    LogSpec,
    Reading,
    ScoreName,
    Scores,
    Seed,
    Share,
    WideReading,
    with_campaigns,
)
from metrics_framework.common.errors import InputError
from metrics_framework.common.options import AtLeast, Files, NamesFrom, checked_arguments, with_options
from metrics_framework.data.fields import SummarizerFilter
from metrics_framework.data.texts import as_list, is_list, shown
from metrics_framework.io.locations import exists
from metrics_framework.meta_evaluation.choices import (
    AVERAGE_TESTS,
    FOLDS,
    INTERVAL_METHODS,
    JOINT,
    LEVELS,
    SIGN_FLIPS,
    Ranking,
    Stream,
)
from metrics_framework.meta_evaluation.coefficients import REGISTRY as COEFFICIENTS
from metrics_framework.meta_evaluation.correlate.request import (
    AGGREGATES,
    ALPHA,
    CONFIDENCE,
    CORRECTION,
    DEFAULT,
    DEFAULT_COEFFICIENTS,
    MIN_GROUP,
    NONE,
    PRESET_NAMES,
    CorrelateRequest,
    coefficient_name,
    comparison_test_name,
    interval_name,
)
from metrics_framework.meta_evaluation.differences import REGISTRY as TESTS
from metrics_framework.significance.multiple_testing import RANGES

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from metrics_framework.api.analysis_results import CorrelationResult


LevelName: TypeAlias = Annotated[str, NamesFrom(lambda: (DEFAULT, *LEVELS))]
CoefficientName: TypeAlias = Annotated[str, NamesFrom(COEFFICIENTS.names, coefficient_name)]
IntervalName: TypeAlias = Annotated[str, NamesFrom(lambda: (NONE, DEFAULT, *INTERVAL_METHODS), interval_name)]
TestName: TypeAlias = Annotated[str, NamesFrom(lambda: (NONE, DEFAULT, *TESTS.names()), comparison_test_name)]
PresetName: TypeAlias = Annotated[str, NamesFrom(lambda: PRESET_NAMES)]
AverageTestName: TypeAlias = Annotated[str, NamesFrom(lambda: AVERAGE_TESTS)]
_PAIR = re.compile(r"[a-z]{2,3}-[a-z]{2,3}(?=\.)")
ALL_SCORES = "*"
"""All scores of the data but human ones: those that are named, and others with several raters."""
AggregateName: TypeAlias = Annotated[str, NamesFrom(lambda: AGGREGATES)]


@with_options(Reading, WideReading)
def correlate(
    scores: Scores,
    metrics: str | Sequence[str] | Sequence[tuple[str, str]] | Any = ALL_SCORES,
    human: ScoreName | Sequence[ScoreName] | None = None,
    *,
    summarizer_type: SummarizerFilter = "peer",
    levels: LevelName | Sequence[LevelName] = DEFAULT,
    coefficients: CoefficientName | Sequence[CoefficientName] = DEFAULT_COEFFICIENTS,
    ci: IntervalName = DEFAULT,
    confidence: ConfidenceLevel = CONFIDENCE,
    two_tailed: bool = True,
    resamples: Count | None = None,
    seed: Seed = 0,
    test: TestName = NONE,
    correct: CorrectionName = CORRECTION,
    alpha: Share = ALPHA,
    ranking: Ranking = RANGES,
    detectable: bool = False,
    data_sets: Column | None = None,
    preset: PresetName = "",
    average_test: AverageTestName = JOINT,
    epsilon: Annotated[float, AtLeast(0)] | None = None,
    epsilon_from: Annotated[Scores, Files()] = (),
    threshold: float | None = None,
    threshold_from: Annotated[Scores, Files()] = (),
    folds: Annotated[int, AtLeast(2)] = FOLDS,
    good_above: float = 0.0,
    sign_flips: Count = SIGN_FLIPS,
    stream: Stream = "default",
    min_group: Annotated[int, AtLeast(2)] = MIN_GROUP,
    sentinels: bool = False,
    texts: Annotated[Scores, Files(several=True)] = (),
    slices: Column | Sequence[Column] = (),
    partial: ScoreName | Sequence[ScoreName] = (),
    cluster: Column | None = None,
    aggregate: AggregateName = "mean",
    humans_as_metrics: bool = False,
    log: LogSpec = None,
    **reading: Unpack[WideReading],
) -> CorrelationResult:
    """Correlates metrics with human ratings, or with each other, as ``fw correlate`` does.

    Args:
        scores: A table with a row for each output and columns ``instance_id``, ``summarizer_id`` and scores, such as a
            DataFrame; rows with these keys; the result of `evaluate`; a score file. Or a list of these, which are
            joined by input and system. With a column ``rater_id``, rows are single ratings. Or the matrix of a metric,
            with a row for each system, a column for each input, and NaN for missing scores; a dictionary from systems
            to lists of scores; or a dictionary from metrics to matrices.
        metrics: The scores to correlate with ``human``, ``*`` for all; or pairs of scores. After matrices of metrics,
            the matrix of human ratings, which ``human`` may be, too, or a dictionary of them.
        human: The human rating that each metric is correlated with. ``error-free`` and ``esa`` are also read from the
            log of Pearmut or the export of Appraise of a campaign, as ``fw convert-ratings`` does.
        summarizer_type: Whose outputs are used: those of systems (``peer``), human references, or all.
        levels: The levels at which scores are correlated; ``default`` computes ``input``, ``system`` and ``global``,
            and shows the one that the data support best.
        coefficients: The coefficients of correlation.
        ci: The method of the confidence intervals; ``default`` is the one that covers best at each level, ``bootstrap``
            is ``bootstrap-both``, and ``bca`` and ``jackknife`` draw systems.
        confidence: The confidence level of the intervals, as a fraction (0.95) or in percent (95).
        two_tailed: Whether the error probability is split between both ends of an interval.
        resamples: The number of resamples and of random permutations; by default 1,000, and for the test of more than
            five pairs of metrics as many as can find a difference after the correction, from 20,000 on as few as can.
        seed: The random seed.
        test: The test of the difference of each pair of metrics; ``default`` is the one that is valid at each level.
        correct: The correction of p-values for the number of pairs: Holm, Benjamini-Hochberg, Benjamini-Yekutieli or
            none.
        alpha: The level of significance of ranks of metrics.
        ranking: What ranks are: the ranges of ranks that the tests leave open (``ranges``), or the numbers of clusters
            of metrics (``clusters``), which may hide differences; ``wmt`` for clusters by one-sided p-values without
            correction, as the shared tasks of WMT rank metrics.
        detectable: Whether to estimate which differences between metrics the test can detect.
        data_sets: A column of data sets, such as language pairs; metrics are averaged over its values, with a test.
            Without it, files may name theirs, as in ``en-de=FILE``; with a preset, ``en-de.jsonl`` does.
        preset: The shared task whose average of coefficients is computed.
        average_test: How averages over data sets are tested: with one permutation of the scores of a data set for all
            its coefficients and levels (``joint``), or with separate permutations for each, as the shared tasks did
            (``published``).
        epsilon: The largest difference of metric scores that is a tie, for ``acc-eq``, ``acc-23`` and ``tau-23``; by
            default, ``acc-eq`` fits it on the data.
        epsilon_from: The scores of another data set, on which the ε of ``acc-eq`` is fitted.
        threshold: The score of a metric from which on ``f1`` and ``mcc`` call outputs good; by default, it is
            cross-fitted. For ``kendall-like``, the smallest difference of human scores that counts.
        threshold_from: The scores of another data set, on which the thresholds of ``f1`` and ``mcc`` are fitted.
        folds: The number of folds of inputs, or of clusters of them, for cross-fitting.
        good_above: The human score above which outputs are good, for ``auroc``, ``f1``, ``mcc`` and
            ``precision-at-recall``.
        sign_flips: The number of sign flips of ``spa``.
        stream: How the sign flips of ``spa`` are drawn; ``mt-metrics-eval`` repeats the draws of that program.
        min_group: The smallest number of outputs of an input, or of a system at the level ``within-system``; groups
            with fewer are left out.
        sentinels: Whether to correlate scores that know nothing about quality, too: the length of the output, its
            similarity to the source, and the length of the source; the data must have texts.
        texts: Further data that are read for texts and labels only, such as the scored outputs.
        slices: A column, such as the type of system; the correlations are repeated for each of its values.
        partial: A score or sentinel, such as ``sentinel-length``, the ``system``, or a column of categories, such as a
            domain; correlations at equal values of it are added.
        cluster: A column of documents, prompts or dialogues, whose inputs are drawn, swapped and left out together.
        aggregate: How the ratings of an output become its human score: their mean, or the mean of z-scores per rater.
        humans_as_metrics: Whether to correlate each rater, as if a metric, with the mean of the other raters.
        log: A function, such as `print`, or a log that receives notes and warnings; by default Python warnings.
        reading: How ratings are read, see `WideReading`.

    Raises:
        InputError: if an argument is invalid.
        DataError: if scores are invalid, or no output has both scores.
        UnknownNameError: if there is no score of a name.

    >>> import metrics_framework as fw
    >>> quality = {"a": 3, "b": 2, "c": 1}
    >>> ratings = [{"instance_id": 1, "summarizer_id": system, "quality": rating} for system, rating in quality.items()]
    >>> result = fw.evaluate("ter", {"a": ["x y"], "b": ["x z"], "c": ["z z"]}, references=["x y"])
    >>> correlation = fw.correlate([result, ratings], "ter", "quality", ci="none", levels=["global"])["ter"]
    >>> round(correlation.levels["global"].estimates["pearson"].value, 3)
    -1.0
    >>> ratings, scores = [[1, 2, 3], [4, 5, 6]], {"a": [[2, 1, 4], [3, 3, 7]], "b": [[1, 1, 2], [2, 1, 1]]}
    >>> result = fw.correlate(scores, ratings, levels="global", coefficients="kendall-b", ci="none")
    >>> [(record["metric1"], round(record["kendall-b"], 3)) for record in result.to_records("metrics")]
    [('a', 0.552), ('b', 0.0)]
    """
    from metrics_framework.api.analysis_results import CorrelationResult
    from metrics_framework.api.arguments import log_of
    from metrics_framework.common.logs import steps_of
    from metrics_framework.inputs.rating_rows import FILE, RatingRules, sources_of
    from metrics_framework.inputs.ratings import DataSets
    from metrics_framework.inputs.score_matrices import is_matrix, table_of_matrices
    from metrics_framework.meta_evaluation.correlate.study import CorrelationStudy
    from metrics_framework.metrics.base.direction import known_metrics

    if is_matrix(metrics if human is None else human):
        ratings, metrics = (metrics, ALL_SCORES) if human is None else (human, metrics)
        scores, human = table_of_matrices(scores, ratings)
    given = checked_arguments(correlate, locals(), declared=reading)
    pairs = _pairs(metrics, None if human is None else given["human"])
    sources, library = sources_of(scores)
    has_labels = data_sets is None and reading.get("rater_column") != FILE
    sources, labels = _with_labels(sources, bool(preset)) if has_labels else (sources, {})
    log = log_of(log)
    ratings = {rating for _, rating in pairs}
    if labels:
        given["data_sets"] = "file"
    refuse_idle(correlate, given)
    request = CorrelateRequest.of(given, pairs=pairs, has_sacrerouge_form=human is None)
    rules = replace(RatingRules.of(given, [name for pair in pairs for name in pair], ratings), labels=labels)
    sources = with_campaigns(sources, ratings, rules, log)
    options: dict[str, Any] = {"rules": rules, "texts": sources_of(texts, "texts")[0], "metrics": known_metrics()}
    rules.needs_system = request.levels_asked and not {"global", "within-system"}.intersection(request.levels)
    data = DataSets(sources, given["data_sets"], **options)
    refuse_idle(correlate, given, has_raters=any(map(data.files.scores.has_lists, request.humans)))
    rules.tell(log)
    for warning in data.warnings:
        if warning not in rules.value_warnings:
            log.warn(warning)
    fits = {name: sources_of(given[f"{name}_from"], f"{name}_from")[0] for name in ("epsilon", "threshold")}
    others = {
        name: DataSets(with_campaigns(other, ratings, rules, log), given["data_sets"], **options)
        for name, other in fits.items()
        if other
    }
    if ALL_SCORES in {metric for metric, _ in pairs}:
        names = [name for name in data.files.scores.known if name not in request.humans]
        rated = [*filter(data.files.scores.has_lists, names)]
        if 0 < len(rated) < len(names):
            log.note(f"'*' leaves out ratings of several raters, {', '.join(rated)}; name them as metrics")
            names = [name for name in names if name not in rated]
        if not names:
            raise InputError(f"the data have only {', '.join(request.humans)}; add the scores of fw score OUT.jsonl")
        request = CorrelateRequest.of(given, pairs=[(name, rating) for rating in request.humans for name in names])
    with steps_of(log):
        study = CorrelationStudy.of(data, request, others)
    return CorrelationResult.of(study, log, library, not_counted=rules.left_out)


def _with_labels(sources: Sequence[Any], has_preset: bool) -> tuple[list[Any], dict[str, str]]:
    """Returns sources without the names of their data sets, and the data set of each file.

    A file is named as in ``en-de=FILE``; with a preset, a file whose name begins with a language pair is named by it.
    """
    found, labels = list(sources), dict[str, str]()
    for index, source in enumerate(sources):
        if not isinstance(source, str):
            continue
        name, is_named, path = source.partition("=")
        if is_named and not exists(source):
            found[index], labels[path] = path, name
        elif has_preset and (pair := _PAIR.match(os.path.basename(source))):
            labels[source] = pair[0]
    return found, labels


def _pairs(metrics: Any, humans: Sequence[str] | None) -> list[tuple[str, str]]:
    """Returns the pairs of scores to correlate.

    Raises:
        InputError: if there are none, or a pair is not a pair.
    """
    names: Sequence[Any] = as_list(metrics) if is_list(metrics) else [metrics]
    if humans is not None:
        humans = [ERROR_FREE if rating == "error-free" else rating for rating in humans]
        pairs = [(metric, rating) for rating in humans for metric in names]
    else:
        pairs = [(pair[0], pair[1]) for pair in names if isinstance(pair, (tuple, list)) and len(pair) == 2]
        if len(pairs) < len(names):
            advice = "'human' must name the ratings to correlate with, unless 'metrics' are pairs of scores"
            if all(isinstance(name, (int, float)) for name in names):
                advice += "; two vectors go to metrics_framework.meta_evaluation.coefficient(human, metric, 'pearson')"
            raise InputError(advice)
    if not pairs or not all(isinstance(name, str) for pair in pairs for name in pair):
        raise InputError(f"'metrics' must name scores, or pairs of scores, got {shown(metrics)}")
    for metric, rating in pairs:
        if metric == rating:
            raise InputError(f"a pair must be two different scores, got '{metric}' twice")
    return list(dict.fromkeys(pairs))
