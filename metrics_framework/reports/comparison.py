"""The tables and charts of ``fw compare``: scores with ranks, differences of pairs, and p-values."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from metrics_framework.common.errors import counted
from metrics_framework.evaluation.autorank import AUTORANK
from metrics_framework.evaluation.score_comparison import (
    ComparedPair,
    ComparedSystem,
    CompareSettings,
    ScoreComparison,
    ScoredSystems,
    cautions,
)
from metrics_framework.evaluation.system_scores import Evaluation, ScoreKind
from metrics_framework.reports.charts import MAX_LABEL, Group, Row, forest, p_value_matrix
from metrics_framework.reports.formats.output_format import (
    SIGNIFICANT,
    Note,
    OutputFormat,
    caution_notes,
    without_repeats,
)
from metrics_framework.reports.numbers import (
    NONE,
    all_digits,
    described_ranks,
    interval,
    number,
    p_value,
    percent,
    rank_text,
    span,
)
from metrics_framework.reports.score_table import places
from metrics_framework.reports.svg import shortened, stacked
from metrics_framework.significance.interval_methods import Interval
from metrics_framework.significance.multiple_testing import RANGES, SEPARATED
from metrics_framework.significance.resampling import Resampling

DATA_COLUMNS = [
    *("metric", "system", "against", "inputs", "value", "lower", "upper", "rank", "best_rank", "worst_rank"),
    *("standardized", "wins", "ties", "losses", "p_value", "p_value_adjusted", "better"),
]
MAX_PAIRS = 45
"""With more pairs under a score, a table for people has the matrix only."""
MAX_WITH_P_VALUES, MAX_IN_MATRIX = 10, 24
"""With more systems, a matrix for people shows only which differences are significant, and then is left out."""
CORRECTION_NAMES = {
    "holm": "Holm's correction",
    "bh": "the correction of Benjamini and Hochberg",
    "by": "the correction of Benjamini and Yekutieli",
}


def comparison_table(
    comparisons: Sequence[ScoreComparison], settings: CompareSettings, format: str = "table", digits: int = 2
) -> str:
    """Writes comparisons of systems as tables, followed by notes.

    Args:
        comparisons: One comparison per score.
        settings: How the systems were compared.
        format: The name of an output format. Formats for programs have one table with all digits: a row for each
            system under each score, and a row for each pair.
        digits: The number of decimal places; ratios have two more.
    """
    output: OutputFormat = OutputFormat.by_name(format)()
    if not output.for_people:
        has_undefined = any(comparison.score.unscored for comparison in comparisons)
        has_sets = any(comparison.score.data_set for comparison in comparisons)
        rows = [
            [*[one.score.data_set] * has_sets, *row[: None if has_undefined else -1]]
            for one in comparisons
            for row in _data_rows(one)
        ]
        return output.render([*[settings.by] * has_sets, *DATA_COLUMNS, *["undefined"] * has_undefined], rows)
    tables = [_scores_table(output, comparisons, settings, digits)]
    listed = [comparison for comparison in comparisons if 0 < len(comparison.pairs) <= MAX_PAIRS]
    if listed:
        tables.append(_pairs_table(output, listed, settings, digits))
    if settings.baseline is None:
        drawn = [one for one in comparisons if 2 < len(one.systems) <= MAX_IN_MATRIX and _is_ranked(one)]
        tables += [_matrix(output, one, with_name=len(comparisons) > 1) for one in drawn]
    return output.with_notes("\n\n".join(tables), list(_notes(comparisons, settings)))


def _scores_table(
    output: OutputFormat, comparisons: Sequence[ScoreComparison], settings: CompareSettings, digits: int
) -> str:
    ranks = ["rank", *["cluster"] * (settings.ranking == SEPARATED)] * (settings.baseline is None)
    rows = []
    for comparison in comparisons:
        decimals = places(comparison.score, digits)
        for system in comparison.systems:
            shown = system.system + " (human)" * (system.system in comparison.score.humans)
            shown += " (baseline)" * (system.system == settings.baseline)
            rank = [rank_text(system.rank, of) for of in (settings.ranking, "clusters")[: len(ranks)]]
            value = interval(system.score, system.interval.lower, system.interval.upper, decimals)
            rows.append([comparison.score.heading, *rank, shown, system.count, value])
    header = ["metric", *ranks, "system", "inputs", f"score{_ends(settings.resampling)}"]
    return output.render(header, without_repeats(rows, 1), left=len(header))


def _ends(resampling: Resampling) -> str:
    """Returns the heading of intervals."""
    return "" if resampling.method == "none" else f" [{percent(resampling.level)} interval]"


def _is_ranked(comparison: ScoreComparison) -> bool:
    return comparison.score.higher_is_better is not None


def _pairs_table(
    output: OutputFormat, comparisons: Sequence[ScoreComparison], settings: CompareSettings, digits: int
) -> str:
    corrects = settings.correction != "none" and any(len(comparison.pairs) > 1 for comparison in comparisons)
    rows = []
    for comparison in comparisons:
        decimals = places(comparison.score, digits)
        for pair in comparison.pairs:
            outcomes = pair.outcomes
            p_values = [p_value(pair.p_value), *[p_value(pair.adjusted)] * corrects]
            p_values[-1] += SIGNIFICANT * pair.differs
            difference = interval(pair.difference, pair.interval.lower, pair.interval.upper, decimals)
            counts = f"{outcomes.wins}/{outcomes.ties}/{outcomes.losses}"
            counts = NONE if comparison.score.higher_is_better is None else counts
            rows.append([comparison.score.heading, pair.first, pair.second, pair.count, difference])
            rows[-1] += [number(pair.standardized, 2), counts, *p_values]
    header = ["metric", "system", "against", "inputs", f"difference{_ends(settings.resampling)}"]
    header += ["d", "win/tie/loss", "p", *[f"p ({settings.correction})"] * corrects]
    return output.render(header, without_repeats(rows, 1), left=5)


def _matrix(output: OutputFormat, comparison: ScoreComparison, with_name: bool) -> str:
    """Writes the matrix of adjusted p-values: systems by rank, the better system in the row.

    If there are many systems, columns have numbers instead of names, and cells only show whether p is significant.
    """
    names = [system.system for system in comparison.systems]
    are_few = len(names) <= MAX_WITH_P_VALUES
    pairs = {(pair.first, pair.second): pair for pair in comparison.pairs}
    rows = []
    for row, name in enumerate(names[:-1]):
        cells = [_matrix_cell(pairs.get((name, other)), are_few) for other in names[row + 1 :]]
        rows.append([name if are_few else f"{row + 1} {name}", *[""] * row, *cells])
    heading = f"{comparison.score.heading}: p" if with_name else "p"
    columns = names[1:] if are_few else [str(number) for number in range(2, len(names) + 1)]
    return output.render([heading, *columns], rows)


def _matrix_cell(pair: ComparedPair | None, has_p_value: bool) -> str:
    if pair is None:
        return NONE
    if has_p_value:
        return p_value(pair.adjusted) + SIGNIFICANT * (pair.winner is not None)
    if pair.winner is None:
        return "·"
    return ">" if pair.winner == pair.first else "<"


def _data_rows(comparison: ScoreComparison) -> Iterator[list[str]]:
    """Yields the cells of systems and pairs; the last is the number of inputs for which the score is undefined."""
    name, none = comparison.score.name, ("",) * 3
    for one in comparison.systems:
        scores = (one.inputs, one.score, one.interval.lower, one.interval.upper, *(one.rank or none))
        yield [*map(all_digits, (name, one.system, "", *scores, *[""] * 7, one.undefined))]
    for pair in comparison.pairs:
        difference = (pair.inputs, pair.difference, pair.interval.lower, pair.interval.upper, *none)
        effects = (pair.standardized, *pair.outcomes, pair.p_value, pair.adjusted, pair.winner or "")
        yield [*map(all_digits, (name, pair.first, pair.second, *difference, *effects, pair.undefined))]


def _described_intervals(comparisons: Sequence[ScoreComparison], resampling: Resampling) -> str:
    described = resampling.described_intervals
    if any(system.interval.method == "score" for comparison in comparisons for system in comparison.systems):
        described += "; of scores that are 0 or 1: score intervals, jackknife for differences"
    if any(one.score.name == AUTORANK for one in comparisons):
        described += f"; of {AUTORANK}: percentile bootstrap of all metrics together"
    return described


def _notes(comparisons: Sequence[ScoreComparison], settings: CompareSettings) -> Iterator[Note]:
    resampling = settings.resampling
    pairs = [pair for comparison in comparisons for pair in comparison.pairs]
    how = _described_intervals(comparisons, resampling)
    yield from [Note("[ ]", f"{percent(resampling.level)} confidence interval ({how})")] * bool(_ends(resampling))
    yield from _notes_on_inputs(comparisons, settings)
    if pairs:
        yield from _notes_on_pairs(comparisons, pairs, settings)
    if resampling.draws_intervals or not all(pair.exact for pair in pairs):
        yield Note("seed", str(resampling.seed))
    yield from caution_notes(cautions(comparisons, settings))
    lower = [comparison.score.heading for comparison in comparisons if comparison.score.higher_is_better is False]
    if lower:
        yield Note("direction", f"lower is better: {', '.join(lower)}")
    unknown = [comparison.score.heading for comparison in comparisons if not _is_ranked(comparison)]
    if unknown:
        yield Note("direction", f"unknown, so systems are in alphabetical order: {', '.join(unknown)}")
    sets = {comparison.score.data_set for comparison in comparisons}
    signed: dict[str, list[ScoredSystems]] = {}
    for score in (comparison.score for comparison in comparisons if comparison.score.signature is not None):
        signed.setdefault(score.signature or "", []).append(score)
    for signature, scores in signed.items():
        names = {score.name for score in scores}
        name = scores[0].name if len(names) == 1 else signature.partition("|")[0]
        of_sets = dict.fromkeys(score.data_set for score in scores)
        label = " ".join([name, *(of_sets if len(of_sets) < len(sets) else [])]).strip() if len(comparisons) > 1 else ""
        yield Note("signature", signature, label, is_signature=True)
        for program, text in scores[0].other_signatures.items():
            yield Note(program, text, label, is_signature=True)


def _notes_on_inputs(comparisons: Sequence[ScoreComparison], settings: CompareSettings) -> Iterator[Note]:
    if settings.cluster is not None:
        yield Note("clusters", _described_clusters(comparisons, settings.cluster))
    if any(comparison.score.unscored for comparison in comparisons):
        has_pairs = any(comparison.pairs for comparison in comparisons)
        both = "; differences and tests are on those for which both systems have a score" if has_pairs else ""
        yield Note("inputs", f"with a score, of all with outputs; scores are means over those of each system{both}")
    if settings.macro is not None:
        yield Note("scores", f"means over the values of {settings.macro} of the scores on their inputs")
    for comparison in comparisons:
        if covered := coverage(comparison):
            label = comparison.score.heading if len(comparisons) > 1 else ""
            yield Note("coverage", f"{covered} per system; pairs are compared on the inputs of both", label)


def _notes_on_pairs(
    comparisons: Sequence[ScoreComparison], pairs: Sequence[ComparedPair], settings: CompareSettings
) -> Iterator[Note]:
    if settings.baseline is None:
        yield Note("rank", described_ranks(settings.ranking, "system"))
        if settings.ranking == SEPARATED:
            yield Note("cluster", "each of its systems is significantly better than all systems of later clusters")
    if any(0 < len(comparison.pairs) <= MAX_PAIRS for comparison in comparisons):
        yield Note("d", "difference over the standard deviation of the differences of single inputs")
    test = settings.resampling.described_test({pair.clusters for pair in pairs})
    swaps = settings.resampling.test in ("randomization", "paired-ar")
    null = "; the hypothesis is that systems are exchangeable" * swaps
    yield Note("p", f"{test}, for other {'clusters' if settings.cluster else 'inputs'} and these systems{null}")
    mark, meaning = SIGNIFICANT, "significant"
    if settings.baseline is None and all(len(one.systems) > MAX_WITH_P_VALUES for one in comparisons):
        mark, meaning = ">", "the system of the row is significantly better"
    yield Note(mark, f"{meaning}: p < {settings.resampling.alpha:g}{_correction(comparisons, settings)}")
    if any(len(comparison.pairs) > MAX_PAIRS for comparison in comparisons):
        yield Note("pairs", "all pairs are in --format csv and --output-file; their p-values are in --plot")


def _described_clusters(comparisons: Sequence[ScoreComparison], name: str) -> str:
    """Describes the clusters: their numbers, and how much larger they make variances."""
    systems = [system for comparison in comparisons for system in comparison.systems]
    effects = [system.design_effect for system in systems if not math.isnan(system.design_effect)]
    clusters, inputs = [system.clusters for system in systems], [system.inputs for system in systems]
    described = f"{span(min(clusters), max(clusters))} of {span(min(inputs), max(inputs))} inputs, by {name}"
    if not effects:
        return described
    effect = span(number(min(effects), 2), number(max(effects), 2))
    return f"{described}; design effect {effect} (of 1 for independent inputs)"


def coverage(comparison: ScoreComparison) -> str:
    """Returns how many of all inputs systems have; empty if each has all, or a score is undefined for some outputs."""
    every = set[str]().union(*(one.inputs for one in comparison.score.systems.values()))
    counts = [one.inputs for one in comparison.systems]
    if comparison.score.unscored or not comparison.pairs or min(counts) == len(every):
        return ""
    return f"{span(min(counts), max(counts))} of {len(every)} inputs"


def _correction(comparisons: Sequence[ScoreComparison], settings: CompareSettings) -> str:
    most = max(len(comparison.pairs) for comparison in comparisons)
    if most < 2 or settings.correction == "none":
        return ""
    return f" after {CORRECTION_NAMES[settings.correction]} for {counted(most, 'pair')}"


def comparison_plot(comparisons: Sequence[ScoreComparison], settings: CompareSettings) -> str:
    """Returns an SVG file with the scores and intervals of the systems by rank, and the comparisons of pairs.

    For all pairs, that is a matrix of p-values for each score, in the order of ranks; for a baseline, the differences
    from it with their intervals. Colours follow the light or dark setting of the reader. The same comparison always
    yields the same bytes.
    """
    resampling = settings.resampling
    how = resampling.described_intervals
    level = f"{percent(resampling.level)} intervals ({how})" if _ends(resampling) else how
    drawings = [_scores(comparison, level, settings.ranking) for comparison in comparisons]
    if settings.baseline is not None:
        drawings += [_differences(one, settings.baseline, level) for one in comparisons if one.pairs]
    else:
        drawings += [_matrix_chart(one, settings) for one in comparisons if len(one.systems) > 2 and _is_ranked(one)]
    return stacked(drawings, "Comparison of systems")


def score_plot(evaluations: Mapping[str, Evaluation], headings: Mapping[str, str]) -> str:
    """Returns an SVG file with the scores of the systems, and their intervals if there are any.

    Args:
        evaluations: Maps the name of each set, or ``system``, to its scores.
        headings: Maps the scores to their headings.
    """
    first = next(iter(evaluations.values()))
    drawn = None if first.confidence is None else first.confidence.resampling
    level = "" if drawn is None else f"{percent(drawn.level)} intervals ({drawn.described_intervals})"
    drawings = []
    for name, title in headings.items():
        groups = [Group(of_set, _score_rows(one, name)) for of_set, one in evaluations.items()]
        drawings.append(_score_forest(title, level, groups, first.kinds.get(name, ScoreKind())))
    return stacked(drawings, "Scores of systems")


def _score_rows(evaluation: Evaluation, name: str) -> list[Row]:
    found = evaluation.confidence
    rows = []
    for system, scores in evaluation.systems.items():
        ends = None if found is None else found.systems[system].get(name)
        low, high = (ends.lower, ends.upper) if isinstance(ends, Interval) else (math.nan, math.nan)
        rows.append(Row(system, float(scores.flatten()[name]), low, high))
    return rows


def _score_forest(title: str, level: str, groups: Sequence[Group], score: ScoreKind | ScoredSystems) -> str:
    better = {True: "higher is better", False: "lower is better", None: "score"}[score.higher_is_better]
    return forest(f"Scores of systems: {title}", level, groups, better, places(score))


def _scores(comparison: ScoreComparison, level: str, ranking: str) -> str:
    rows = [Row(_label(one, ranking), one.score, one.interval.lower, one.interval.upper) for one in comparison.systems]
    ranked = "rank and system" if any(system.rank for system in comparison.systems) else "system"
    return _score_forest(comparison.score.heading, level, [Group(ranked, rows)], comparison.score)


def _label(system: ComparedSystem, ranking: str) -> str:
    """Returns the rank and the name of a system, and how many inputs have a score, if it is not all."""
    name = system.system if system.rank is None else f"{rank_text(system.rank, ranking)}  {system.system}"
    scored = f" ({system.count})" if system.undefined else ""
    return f"{shortened(name, MAX_LABEL - len(scored))}{scored}" if scored else name


def _differences(comparison: ScoreComparison, baseline: str, level: str) -> str:
    title = f"Differences from {baseline}: {comparison.score.heading}"
    rows = [
        Row(pair.first + "*" * (pair.winner is not None), pair.difference, pair.interval.lower, pair.interval.upper)
        for pair in comparison.pairs
    ]
    groups, quantity = [Group("system", rows)], "score minus that of the baseline"
    return forest(title, f"{level}; * significant", groups, quantity, places(comparison.score))


def _matrix_chart(comparison: ScoreComparison, settings: CompareSettings) -> str:
    names = [system.system for system in comparison.systems]
    p_values = {frozenset((pair.first, pair.second)): pair.adjusted for pair in comparison.pairs}
    matrix = [[p_values.get(frozenset((row, column)), math.nan) for column in names] for row in names]
    ranks = [one.rank.cluster for one in comparison.systems if one.rank is not None and settings.ranking != RANGES]
    title = f"p-values of differences: {comparison.score.heading}"
    corrected = "" if settings.correction == "none" else f", corrected ({settings.correction})"
    subtitle = f"for other {'clusters' if settings.cluster else 'inputs'}, these systems{corrected}"
    alpha = settings.resampling.alpha
    return p_value_matrix(title, subtitle, names, matrix, alpha, ranks if len(ranks) == len(names) else None)
