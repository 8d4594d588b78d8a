"""What ``fw correlate`` says in words: the answers, and the notes below its tables."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from metrics_framework.common.errors import counted, listed_names
from metrics_framework.meta_evaluation.choices import AVERAGED
from metrics_framework.meta_evaluation.coefficients.detection import ALL_GOOD
from metrics_framework.meta_evaluation.coefficients.lookup import load_coefficient
from metrics_framework.meta_evaluation.correlate.answers import Answer, AnswerTest, RankedMetric
from metrics_framework.meta_evaluation.correlate.comparisons import Average, Comparison
from metrics_framework.meta_evaluation.correlate.correlation import Correlation, LevelResult
from metrics_framework.meta_evaluation.correlate.request import NONE, CorrelateRequest
from metrics_framework.meta_evaluation.correlate.study import CorrelationStudy, Partial
from metrics_framework.reports.numbers import bounds, described_ranks, number, p_equation, percent
from metrics_framework.significance.multiple_testing import ROUNDING

if TYPE_CHECKING:
    from metrics_framework.meta_evaluation.differences.averages import AverageMatrix
    from metrics_framework.meta_evaluation.differences.compared_metrics import DifferenceMatrix
    from metrics_framework.meta_evaluation.differences.difference_test import TestResult

Lines: TypeAlias = "list[str]"

UNITS = {"input": "input", "system": "system", "global": "output", "within-system": "system"}
"""Level to what its coefficients count."""
RESAMPLED = {"both": "systems and inputs", "inputs": "inputs", "systems": "systems"}
"""The end of the name of a bootstrap to what it resamples."""
CORRECTIONS = {"holm": "Holm", "bh": "Benjamini-Hochberg", "by": "Benjamini-Yekutieli", "none": "none"}
TAILS = {1: "one-sided", 2: "two-sided"}
PROCEDURES = {
    "joint": "one of a data set for all its tasks",
    "published": "drawn separately for each task, as the shared tasks did, although tasks of one data set depend on "
    "each other: the p-values are too small",
}


def answer_text(answer: Answer) -> str:
    """Returns an answer as one paragraph."""
    where = f"{answer.human} on {answer.data_set}" if answer.data_set else answer.human
    measure = "average" if answer.coefficient is None else load_coefficient(answer.coefficient).title
    best = answer.best
    sentences = []
    if best is None and answer.unranked:
        sentences.append(f"All metrics correlate negatively with {where}, so that none is named.")
    elif best is None:
        sentences.append(f"No metric can be named for {where}: {measure} is undefined for all of them.")
    else:
        value = f"{measure} {number(best.value)}"
        if best.lower is not None and best.upper is not None:
            ends = bounds(best.lower, best.upper)
            value += f", {percent(answer.confidence / 100)} interval for other {_population(answer)} {ends}"
        if answer.level is None:
            over = f"over {counted(answer.points, 'task')}"
        else:
            over = f"{answer.level} level, {_counted(best, answer)}"
        kind = "Best metric" if answer.others or answer.undefined or answer.unranked else "Only metric"
        if best.value < 0:
            all_negative = "All metrics correlate negatively. The least negative"
            kind = all_negative if answer.others else f"The metric correlates negatively. {kind}"
        sentences += [f"{kind} for {where}: {best.label} ({value}, {over}).", *_others(answer)]
    if answer.unranked:
        named = _named(answer.unranked, answer)
        sentences.append(f"Not ranked, because lower scores may be better: {named}.")
    if answer.undefined and (best is not None or answer.unranked):
        sentences.append(f"Undefined, so not compared: {', '.join(answer.undefined)}.")
    if answer.cautions:
        sentences.append(f"Mind: {'; '.join(one.text for one in answer.cautions)}.")
    return " ".join(sentences)


def _population(answer: Answer) -> str:
    """Returns of what other units the interval of the best metric speaks."""
    if answer.best is None or answer.best.interval_method == "fisher":
        return {"global": "outputs", "within-system": "inputs"}.get(answer.level or "", "systems")
    return RESAMPLED.get(answer.best.interval_method.rsplit("-", 1)[-1], "systems")


def _counted(one: RankedMetric, answer: Answer) -> str:
    """Counts what the coefficient of a metric counts."""
    return "" if answer.level is None else counted(one.points or 0, UNITS[answer.level])


def _others(answer: Answer) -> Lines:
    """Compares the best metric with the others."""
    if not answer.others or answer.best is None:
        return []
    if answer.test is None:
        first = answer.others[0]
        place = "As good is" if answer.best.value - first.value <= ROUNDING else "Next is"
        return [
            f"{place} {_named([first], answer)}. No test was made of whether the metrics differ; "
            '--test makes it (test="default" in Python).'
        ]
    apart = [one for one in answer.others if one.is_worse is None]
    if len(apart) == len(answer.others):
        return [f"Not compared with it, because the test is undefined for both: {_labels(apart)}."]
    if answer.tied:
        sentences = [f"Not distinguishable from it: {_named(answer.tied, answer)}."]
        sentences += [f"Significantly worse: {_named(answer.worse, answer)}."] if answer.worse else []
    else:
        every = "compared" if apart or answer.undefined or answer.unranked else "other"
        sentences = [f"It is significantly better than all {every} metrics."]
        sentences += [f"Next is {_named(answer.worse[:1], answer)}."] if answer.worse else []
    sentences += [f"Not compared with it: {_labels(apart)}."] if apart else []
    return [*sentences, test_text(answer.test)]


def _labels(metrics: Sequence[RankedMetric]) -> str:
    return ", ".join(one.label for one in metrics)


def _named(ranked: Sequence[RankedMetric], answer: Answer) -> str:
    """Names metrics with their values, and with their data and p-values where those are not of all."""
    shown = []
    for one in ranked:
        parts = [number(one.value)]
        parts += [_counted(one, answer)] if one.points != (answer.best or ranked[0]).points else []
        parts += [] if one.p_value is None else [p_equation(one.p_value)]
        shown.append(f"{one.label} ({', '.join(parts)})")
    return listed_names(shown)


def test_text(test: AnswerTest) -> str:
    """Returns how metrics were compared, as a sentence."""
    names = p_values_named(test.sides, test.correction, test.pairs)
    return f"Test '{test.test}', {test.population}; {names}; α = {test.alpha:g}."


def p_values_named(sides: int, correction: str, pairs: int = 0) -> str:
    """Names p-values by their tails and their correction.

    Args:
        sides: 2 or 1.
        correction: The correction.
        pairs: The number of pairs; 0 not to name it.

    >>> p_values_named(2, "holm", 6), p_values_named(1, "none")
    ('two-sided p-values, corrected for 6 pairs (Holm)', 'one-sided p-values, not corrected')
    """
    if correction == NONE:
        return f"{TAILS[sides]} p-values, not corrected"
    corrected = f"corrected for {counted(pairs, 'pair')}" if pairs else "corrected"
    return f"{TAILS[sides]} p-values, {corrected} ({CORRECTIONS[correction]})"


def notes_of(study: CorrelationStudy) -> Lines:
    """Describes data, intervals and tests, one line each."""
    lines = [*correlation_notes(study.correlations), *comparison_notes(study.comparisons)]
    power = [one for comparison in study.comparisons for each in comparison.found.power.values() for one in each]
    if power:
        lines.append(
            "power: detectable is the least difference that the test of the comparison finds with probability "
            f"{power[0].power:g} at α = {power[0].alpha:g}; needed is the number of units to find the observed "
            "difference"
        )
    if study.averages:
        lines += _average_notes(study.averages)
    if study.partials:
        lines += _partial_notes(study.partials)
    lines += [
        f"ceiling of {one.human}: {counted(one.num_raters, 'rater')} of {counted(one.num_outputs, 'output')}; one "
        "rater against the mean of the others, and the reliability of the mean of all by split halves (Spearman-Brown)"
        for one in study.ceilings
    ]
    if study.hidden_levels:
        lines.append(
            f"level: {', '.join(study.request.levels)}, which these data support best; the JSON file also has "
            f"{' and '.join(study.hidden_levels)}, and the option 'level' selects levels to show"
        )
    lines += [
        f"variance of {name}: {percent(shares.inputs, 0)} between inputs, {percent(shares.systems, 0)} between "
        f"systems, {percent(shares.within, 0)} within; a metric that sees only the source reaches at most "
        f"r = {number(math.sqrt(shares.inputs), 2)} at the global level"
        for name, shares in study.variance.items()
        if not math.isnan(shares.inputs)
    ]
    return lines


def correlation_notes(results: Sequence[Correlation]) -> Lines:
    """Returns the notes on correlations, one per line.

    A note that holds for all correlations is written once; otherwise it starts with the name of its correlation.
    """
    names = names_among(results)
    lines: Lines = []
    for kind in zip(*map(_notes_by_kind, results), strict=True):
        if all(notes == kind[0] for notes in kind):
            lines += kind[0]
        else:
            named = [(name, note) for name, notes in zip(names, kind, strict=True) for note in notes]
            lines += with_names([(name, note.removeprefix("data: ")) for name, note in named])
    directions = list(dict.fromkeys(part for result in results for part in result.orientation.split("; ")))
    if any(part.endswith(" negated") and " is " in part for part in directions):
        directions = [part.removesuffix(", no score was negated") for part in directions]
    signatures = [
        f"signature: {signature}" if signature.split("|")[0] == label else f"signature {label}: {signature}"
        for result in results
        for label, signature in result.signatures.items()
    ]
    return [*lines, f"sign: {'; '.join(directions)}", *dict.fromkeys(signatures)]


def _notes_by_kind(result: Correlation) -> tuple[Lines, ...]:
    """Returns the notes on one correlation: on data, groups, ties, details, intervals and undefined resamples."""
    groups, ties, details, undefined = [], [], [], []
    for level, found in result.levels.items():
        if level in AVERAGED:
            groups.append(_groups_of(found))
        tied = [found.ties[key] for key in ("metric1", "metric2", "both")]
        if any(tied):
            ties.append(
                f"{level} {tied[0]} in {result.metric1}, {tied[1]} in {result.metric2}, {tied[2]} in both, "
                f"of {found.ties['pairs']} pairs"
            )
        details += [_detail(name, estimate.details) for name, estimate in found.estimates.items()]
        counts = {name: estimate.undefined_resamples or 0 for name, estimate in found.estimates.items()}
        if len({*counts.values()}) == 1:
            counts = {"": max(counts.values())}
        undefined += [f"{n}{f' of {name}' if name else ''} at the {level} level" for name, n in counts.items() if n]
    corrected = " (τ-b corrects for them)" if "kendall-b" in result.request.coefficients else ""
    return (
        [f"data: {outputs_of(result)}"],
        groups,
        [f"ties: {'; '.join(ties)}{corrected}" if ties else "ties: none"],
        [*dict.fromkeys(filter(None, details))],
        _intervals(result),
        [f"undefined resamples, skipped: {', '.join(undefined)}"] if undefined else [],
    )


def with_names(lines: Iterable[tuple[str, str]]) -> Lines:
    """Puts its name before each line; a line of several names is written once, after all of them.

    >>> with_names([("sari", "2 constant"), ("bleu", "2 constant"), ("ter", "17 constant")])
    ['sari, bleu: 2 constant', 'ter: 17 constant']
    >>> with_names([("sari", "'sari': 3 missing"), ("bleu against fluency", "'bleu': 3 missing")])
    ['sari: 3 missing', "bleu against fluency: 'bleu': 3 missing"]
    """
    names: dict[str, list[str]] = {}
    for name, line in lines:
        names.setdefault(line.removeprefix(f"'{name}': "), []).append(name)
    return [f"{', '.join(dict.fromkeys(of_line))}: {line}" for line, of_line in names.items()]


def names_among(results: Sequence[Correlation]) -> list[str]:
    """Returns for each correlation the name that tells it from the others: nothing if it is the only one.

    The name is that of the metric, with that of the rating if there are several.
    """
    if len(results) == 1:
        return [""]
    names = [result.metric1 for result in results]
    if len({result.metric2 for result in results}) > 1:
        names = [f"{result.metric1} against {result.metric2}" for result in results]
    data_sets = [result.data_set for result in results]
    return [f"{name} on {data_set}" if data_set else name for name, data_set in zip(names, data_sets, strict=True)]


def outputs_of(result: Correlation) -> str:
    """Describes the outputs that a correlation is computed on, and those left out."""
    matrix = result.matrix
    names = {"metric1": result.metric1, "metric2": result.metric2, "both": "both"}
    causes = {"summarizer_type": f"not of type {result.summarizer_type}"}
    causes |= {f"{key}_missing": f"{name} missing" for key, name in names.items()}
    dropped = [f"{count} {causes[cause]}" for cause, count in result.dropped.items() if count]
    whose = {"all": "peers and references", "peer": "peers", "reference": "references"}[result.summarizer_type]
    outputs, systems = counted(matrix.num_cells, "output"), counted(len(matrix.systems), "system")
    outputs = f"{outputs} of {systems} ({whose}) on {counted(len(matrix.inputs), 'input')}"
    return f"{outputs}; left out: {', '.join(dropped) or 'none'}"


def _groups_of(level: LevelResult) -> str:
    """Describes the groups averaged at a level, and those skipped."""
    group, member = ("input", "system") if level.level == "input" else ("system", "input")
    of_all = [name for name in level.estimates if level.points_of(name) > level.points_of()]
    reasons = {
        f"num_groups_one_{member}": f"with one {member}",
        "num_groups_too_small": "with too few outputs",
        "num_groups_constant": "constant in a metric" + f", but not by {', '.join(of_all)}" * bool(of_all),
    }
    skipped = [f"{level.details[key]} {why}" for key, why in reasons.items() if level.details.get(key)]
    sizes = ", ".join(
        f"{count} of {counted(int(size), member)}" for size, count in level.details["group_sizes"].items()
    )
    used = f"{counted(level.points_of(), group)} used{f' ({sizes})' if sizes else ''}"
    return f"{level.level} level: {used}; skipped: {', '.join(skipped) or 'none'}"


def _detail(name: str, details: Mapping[str, Any]) -> str:
    """Describes the ε of an accuracy, the threshold of Kendall-like, or the Monte-Carlo error of SPA."""
    if "epsilon_source" in details:
        epsilon = "" if load_coefficient(name).calibrates_epsilon else f"{details['epsilon']:g}, "
        return f"ε of {name}: {epsilon}{details['epsilon_source']}"
    if "always_good" in details:
        folds = details.get("score_thresholds", ())
        fitted = [one for one in folds if not math.isnan(one)]
        parts = [f"{number(details['always_good'])} if every output is called good"]
        if fitted:
            parts.append(f"thresholds {min(fitted):g} to {max(fitted):g}, cross-fitted over {len(folds)} folds")
        elif "score_threshold" in details:
            parts.append(f"threshold {details['score_threshold']:g}")
        why = details.get("undefined", ALL_GOOD if details["always_good"] == 1 else None)
        return f"{name}: {'; '.join(filter(None, [*parts, why]))}"
    if "threshold" in details:
        return f"{name}: human scores that differ by at least {details['threshold']:g}"
    if "monte_carlo_error" not in details:
        return ""
    left_out = details["num_instances_left_out"]
    return (
        f"{name}: Monte-Carlo error {number(details['monte_carlo_error'], 4)} with {details['sign_flips']} sign flips; "
        f"{counted(details['num_instances'], 'input')} used"
        + (f", {left_out} left out because a system has no output" if left_out else "")
    )


def _intervals(result: Correlation) -> Lines:
    """Describes the interval methods of all levels."""
    methods: dict[str, dict[str, None]] = {}
    without: dict[str, None] = {}
    for name, level in result.levels.items():
        several = len({one.interval_method for one in level.estimates.values()} - {NONE}) > 1
        for coefficient, estimate in level.estimates.items():
            if estimate.interval_method == NONE and result.request.ci != NONE:
                without[coefficient] = None
            elif not (estimate.reason and estimate.defined):
                where = f"{name} {coefficient}" if several else name
                methods.setdefault(estimate.interval_method, {})[where] = None
    lines = []
    for method, levels in methods.items():
        where = f" ({', '.join(levels)})" if len(methods) > 1 else ""
        lines.append(f"intervals{where}: {_interval(method, result.request)}")
    if without:
        lines.append(f"without intervals, for which the method is undefined: {', '.join(without)}")
    return [*lines, *_without_intervals(result)]


def _without_intervals(result: Correlation) -> Iterator[str]:
    """Yields why coefficients have no interval."""
    others = "inputs is for other inputs of these systems", "both is for other systems and inputs"
    for at, found in result.levels.items():
        reasons: dict[str, list[str]] = {}
        for coefficient, estimate in found.estimates.items():
            if estimate.reason and estimate.defined:
                other = others[estimate.interval_method == "bootstrap-inputs"]
                reasons.setdefault(f"{estimate.reason}; the option 'ci' bootstrap-{other}", []).append(coefficient)
        for reason, names in reasons.items():
            yield f"no interval of {', '.join(names)} at the {at} level: {reason}"


def _interval(method: str, request: CorrelateRequest) -> str:
    if method == NONE:
        return "none"
    level = f"{percent(request.confidence / 100)} {'two-tailed' if request.two_tailed else 'one-tailed'}"
    kind, _, resampled = method.partition("-")
    if method == "fisher-shrunken":
        return (
            f"{level}, Fisher's transformation of the shrunken coefficient, which is nearer to 0 than the printed one "
            "(Bonett and Wright; Fieller and others), extended to the printed one if that is outside"
        )
    if kind == "fisher":
        return f"{level}, Fisher's transformation"
    if kind == "jackknife":
        return f"{level}, jackknife over {units_resampled(resampled, request)} of the transformed coefficient"
    kind = "percentile bootstrap" if kind == "bootstrap" else "BCa bootstrap"
    units = units_resampled(resampled, request)
    return f"{level}, {kind} over {units}, {request.drawn} resamples, seed {request.seed}"


def units_resampled(resampled: str, request: CorrelateRequest) -> str:
    """Returns what a bootstrap or jackknife leaves out or repeats, given the end of its name."""
    units = RESAMPLED.get(resampled, resampled)
    return units.replace("inputs", f"inputs in clusters ({request.cluster})") if request.cluster else units


def comparison_notes(comparisons: Sequence[Comparison]) -> Lines:
    """Describes what was compared, on which outputs, by which test, and what ranks mean."""
    lines = []
    for comparison in comparisons:
        found = comparison.found
        where = f"comparison, {comparison.level} level"
        where += f", {comparison.data_set}" if comparison.data_set else ""
        systems, inputs = counted(found.shape[0], "system"), counted(found.shape[1], "input")
        outputs = counted(found.cells, "output")
        compared = f"compared, {comparison.data_set}" if comparison.data_set else "compared"
        if found.cells_of_pairs:
            fewest = min(found.cells_of_pairs.values())
            lines.append(
                f"{compared}: each pair on the outputs that both have, {fewest} or more; {outputs} have all metrics"
            )
        elif found.dropped:
            lines.append(
                f"{compared}: {outputs} of {systems} on {inputs} that have all metrics; left out: {found.dropped}"
            )
        if found.undefined:
            name = load_coefficient(comparison.coefficient).title
            lines.append(f"{where}: {name} of {', '.join(found.undefined)} is undefined, not compared")
        if len(found.metrics) > 1:
            draws = "; ".join(f"{one.test} {_draws(one)}" for one in found.parts) or _draws(found)
            tails, correction = p_values_of(found)
            lines.append(f"{where}: {tails} p-values {found.population}; test '{found.test}', {draws}, {correction}")
        if found.epsilons:
            lines.append(f"{where}: ε of each metric is calibrated once on these data, and kept in all permutations")
        lines += [f"{where}: {note}" for note in found.notes]
        if len(found.metrics) > 1:
            lines.append(_ranks(found))
    return [*dict.fromkeys(lines)]


def _ranks(found: DifferenceMatrix | AverageMatrix) -> str:
    """Says what ranks mean, and which p-values they follow."""
    test = AnswerTest.of(found)
    names = p_values_named(test.sides, test.correction)
    wmt = "" if found.is_corrected else ", as in the shared tasks of WMT"
    return f"ranks: {described_ranks(found.ranking, 'metric')} (p ≤ {found.alpha:g}, {names}{wmt})"


def p_values_of(found: DifferenceMatrix | AverageMatrix) -> tuple[str, str]:
    """Names the tails and the correction of the p-values of a table, which ranks follow."""
    test = AnswerTest.of(found)
    return TAILS[test.sides], f"correction: {CORRECTIONS[test.correction]}"


def _draws(found: DifferenceMatrix | TestResult) -> str:
    """Describes where the p-values of a test come from."""
    undefined = found.undefined_draws
    without = f", up to {undefined} of them undefined" if undefined else ""
    if found.resamples:
        return f"{found.resamples} resamples{without}"
    if not found.permutations:
        return "a formula"
    return f"{'all ' if found.is_exact else ''}{found.permutations} permutations{without}"


def _average_notes(averages: Sequence[Average]) -> Lines:
    """Describes how averages were computed and tested."""
    lines = []
    for average in averages:
        found = average.found
        what = f"the coefficients of {average.preset}" if average.preset else "all coefficients, with equal weights"
        drawn = f"{'all ' if found.is_exact else ''}{found.permutations} permutations"
        tails, correction = p_values_of(found)
        lines.append(
            f"average of {what}; correlations r count as (r + 1) / 2; {tails} p-values {found.population}; "
            f"{drawn}, {PROCEDURES[found.procedure]}; {correction}"
        )
        if len(found.metrics) > 1:
            lines.append(_ranks(found))
        if found.left_out:
            lines.append(f"left out of the average, undefined in a task: {', '.join(found.left_out)}")
    return [*dict.fromkeys(lines)]


def _partial_notes(partials: Sequence[Partial]) -> Lines:
    """Describes what partial correlations control for."""
    left_out = {partial.found.left_out for partial in partials if partial.found.left_out}
    return [
        f"partial: at equal values of {', '.join(covariates)}; without: the same outputs, not controlled"
        + (f"; left out: {counted(max(left_out), 'output')} without a covariate" if left_out else "")
        for covariates in dict.fromkeys(tuple(partial.covariates) for partial in partials)
    ]
