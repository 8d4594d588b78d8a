"""The tables, charts and page of ``fw test-judge``."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from metrics_framework.common.errors import InputError, counted
from metrics_framework.inputs.values import described
from metrics_framework.meta_evaluation.judge.calibration import JudgeReliability
from metrics_framework.meta_evaluation.judge.judge_agreement import MIN_SHARED, RepeatedRuns
from metrics_framework.meta_evaluation.judge.jury import JuryComparison
from metrics_framework.meta_evaluation.judge.request import CONSTANT, CONSTANTS, LENGTH, MEDIAN, SHUFFLED
from metrics_framework.meta_evaluation.judge.study import JudgeReport, JudgeStudy, Judging
from metrics_framework.reports.charts import Group, Row, forest, polyline
from metrics_framework.reports.formats.output_format import Note, OutputFormat, caution_notes
from metrics_framework.reports.html.document import PageTables, Section, analysis_page, figure, notes_and_method
from metrics_framework.reports.numbers import bounds, interval, number, p_equation, p_value, percent, significant
from metrics_framework.reports.svg import Axis, Panel, document
from metrics_framework.significance.multiple_testing import is_significant

CALIBRATION_HEADER = "calibration", "outputs", "Brier score", "constant", "skill", "overconfidence", "ECE", "by chance"
TEST_HEADER = ("judge", "test", "ρ", "ω", "least ε", "ρ − constant")


def tables_of(study: JudgeStudy, output: OutputFormat) -> Iterable[str]:
    """Writes a table of the tests, a table of the agreement, and those of the jury and of calibration."""
    return named_tables(study.judging, output).values()


def named_tables(judging: Judging, output: OutputFormat) -> dict[str, str]:
    """Writes the tables of ``test`` and ``agreement``, and of ``jury`` and ``calibration`` if there are any."""
    tests = output.render(TEST_HEADER, [_test_row(report) for report in judging.judges], left=2)
    header = ["agreement with raters", "α", "κ", *([] if judging.is_labels else ["signed error", "spread"])]
    tables = {"test": tests, "agreement": output.render(header, [*_agreement_rows(judging)])}
    if judging.jury is not None:
        tables["jury"] = output.render(["jury", "ρ", "p"], [*_jury_rows(judging.jury)])
    if judging.calibration:
        tables["calibration"] = output.render(CALIBRATION_HEADER, [*map(_calibration_row, judging.calibration)])
    return tables


def _jury_rows(found: JuryComparison) -> Iterator[list[str]]:
    for one in found.differences:
        best = " (best)" if one is found.best else ""
        yield [f"{found.jury} − {one.judge}{best}", interval(*one.advantage.numbers, signed=True), p_value(one.p_value)]


def _test_row(report: JudgeReport) -> list[str]:
    least = "none" if report.least_epsilon is None else number(report.least_epsilon, 2)
    above = "" if report.above_constant is None else interval(*report.above_constant.numbers, signed=True)
    advantage, rate = interval(*report.advantage.numbers), number(report.test.winning_rate)
    return [report.name, report.verdict, advantage, rate, least, above]


def _agreement_rows(judging: Judging) -> Iterator[list[str]]:
    for report in judging.judges:
        agreement = report.agreement
        row = [report.name, interval(*agreement.alpha.numbers), interval(*agreement.kappa.numbers)]
        if agreement.signed_error is not None and agreement.spread is not None:
            row += [interval(*agreement.signed_error.numbers, 2, signed=True), interval(*agreement.spread.numbers, 2)]
        yield row
    raters = [interval(*one.numbers) for one in (judging.raters.alpha, judging.raters.kappa)]
    yield ["raters with each other", *raters, *([] if judging.is_labels else ["", "1"])]


def _calibration_row(found: JudgeReliability) -> list[str]:
    measured = found.measured
    scores = [
        interval(*measured.brier.numbers),
        number(measured.brier_of_constant),
        interval(*measured.skill.numbers, 2, signed=True),
    ]
    errors = [number(measured.ece), number(measured.ece_of_calibrated)]
    return [found.judge, str(measured.n), *scores, interval(*measured.overconfidence.numbers, signed=True), *errors]


def notes_of(study: JudgeStudy) -> Iterator[Note]:
    """Describes data, tests and intervals, one note each."""
    judging, request = study.judging, study.request
    missing = f"; missing: {described(study.missing)}" if study.missing else ""
    yield Note("data", f"{_data(judging, request.rating)}{missing}")
    yield Note("test", _test(judging))
    yield Note(
        "ρ",
        "share of outputs for which the judge is at least as close to the other raters as a rater is, mean over raters",
    )
    yield Note("ω", "share of raters that the judge may replace; least ε: the least ε at which it passes")
    units = "outputs" if judging.clusters is None else f"{judging.clusters} clusters of outputs"
    yield Note(
        "intervals",
        f"{percent(request.confidence / 100)}, for other outputs and these raters; jackknife-t over {units}, α and κ "
        "on the scale artanh, spread on the scale log",
    )
    yield Note("sentinels", _sentinels(judging))
    if judging.jury is not None:
        yield Note(
            "jury", _jury(judging.jury, request.confidence, "outputs" if judging.clusters is None else "clusters")
        )
    yield Note("agreement", _described_agreement(judging))
    yield from _kappa_notes(judging)
    if judging.calibration:
        yield Note("calibration", _calibration(judging))
    if study.repeated is not None:
        yield Note("runs", _runs(study.repeated))
    for pair in judging.differences:
        yield Note(
            "judges", f"ρ of {pair.judge1} − ρ of {pair.judge2}: {interval(*pair.advantage.numbers, signed=True)}"
        )
    yield from caution_notes(study.cautions())


def _runs(repeated: RepeatedRuns) -> str:
    flips = repeated.flips
    left_out = f"; {counted(repeated.left_out, 'output')} with one run left out" if repeated.left_out else ""
    return (
        f"{len(repeated.runs)} of one judge ({', '.join(repeated.runs)}) on {counted(repeated.outputs, 'output')}: "
        f"α ({repeated.level}) {interval(*repeated.alpha.numbers)}; {percent(flips.value, 1)} of scores flip, that is, "
        f"differ between runs {bounds(100 * flips.lower, 100 * flips.upper, 1)}; "
        f"{percent(repeated.differing_pairs, 1)} of pairs of runs differ{left_out}"
    )


def _data(judging: Judging, rating: str) -> str:
    test = judging.judges[0].test
    left_out = [f"{count} without {name}" for name, count in judging.unjudged.items() if count]
    if judging.too_few_raters:
        left_out.append(f"{judging.too_few_raters} with fewer than {judging.settings.min_humans} raters")
    if test.left_out_raters:
        few = counted(len(test.left_out_raters), "rater")
        left_out.append(f"{few} with fewer than {judging.settings.min_instances} outputs")
    used = f"'{rating}' of {counted(judging.units, 'output')} by {counted(len(test.raters), 'tested rater')}"
    return f"{used}; left out: {', '.join(left_out) or 'none'}"


def _test(judging: Judging) -> str:
    settings = judging.settings
    few = judging.raters_by_ranks
    by = "t-test" if judging.clusters is None else "t-test of clusters"
    by += f", signed-rank test for {counted(few, 'rater')}" if few else ""
    return (
        f"alternative annotator test, scoring {settings.scoring}, ε = {settings.epsilon:g}; {by}, "
        f"Benjamini–Yekutieli at q = {settings.q:g}; passes at ω ≥ 0.5"
    )


def _sentinels(judging: Judging) -> str:
    kinds = {CONSTANT: "commonest label" if judging.is_labels else "mean of all ratings", MEDIAN: "median"}
    parts = [
        f"{name} always answers {_answer(answer)}, the {kinds[name]}" for name, answer in judging.constants.items()
    ]
    if len(parts) > 1:
        parts[-1] += " (judges are compared with the better one)"
    parts.append(
        f"{LENGTH} predicts the rating from the number of words"
        if judging.has_lengths
        else f"no {LENGTH}, because the table has no texts of all outputs (--text)"
    )
    return f"judges that know nothing of quality: {'; '.join(parts)}; {SHUFFLED} has the judge's scores in random order"


def _answer(answer: float | str) -> str:
    return f"'{answer}'" if isinstance(answer, str) else significant(answer)


def _described_agreement(judging: Judging) -> str:
    pairs = counted(len(judging.raters.pairs), "pair")
    kinds = (
        "nominal α and unweighted κ"
        if judging.is_labels
        else "α (interval) and quadratically weighted κ; signed error: judge − mean rating, above 0 is lenient; "
        "spread: standard deviation divided by that of raters"
    )
    return f"means over raters, and over {pairs} of raters who share {MIN_SHARED} or more outputs; {kinds}"


def _kappa_notes(judging: Judging) -> Iterator[Note]:
    """Yields a line for each judge, and for the raters, about what its κ depends on."""
    named = [(report.name, report.agreement) for report in judging.judges]
    for name, agreement in [*named, ("raters with each other", judging.raters)]:
        parts = agreement.parts
        if parts is not None:
            of_raters = agreement is judging.raters
            bias = f"{number(parts.bias, signed=not of_raters)} {'on average' if of_raters else '(judge − raters)'}"
            yield Note(
                "κ",
                f"{name}: {number(agreement.kappa.value)} from agreement {number(parts.agreement)}; prevalence of "
                f"{_answer(parts.label)} {number(parts.prevalence)}, bias towards it {bias}; κ adjusted for both "
                f"{number(parts.adjusted)}",
            )


def _jury(found: JuryComparison, confidence: float, units: str) -> str:
    is_better = is_significant(found.p_value, 1 - confidence / 100)
    verdict = "better than the best single judge" if is_better else "not shown to be better than the best single judge"
    flips = f"all {found.trials} sign flips" if found.is_exact else f"{found.trials} random sign flips"
    return (
        f"{found.jury} is {verdict}, {p_equation(found.p_value)}: the largest one-sided p-value of all single judges, "
        f"because which one is best is not known; {flips} of {units}"
    )


def _calibration(judging: Judging) -> str:
    kinds = {one.is_stated for one in judging.calibration}
    what = {True: "confidence that a rater gives the same rating", False: "scores as probabilities of a rating of 1"}
    measured = judging.calibration[0].measured
    kind = "equal width" if measured.binning == "width" else "about equally many outputs"
    bins = f"{counted(measured.bin_count, 'bin')} of {kind}"
    left_out = [f"{one.left_out} of {one.judge}" for one in judging.calibration if one.left_out]
    text = (
        f"{' and '.join(what[kind] for kind in sorted(kinds))}; Brier score: mean squared error for single ratings, "
        "beside that of a constant that knows the share of such ratings; skill: 1 − their ratio; overconfidence: mean "
        f"probability − share; ECE: expected calibration error, {bins}, beside that of a calibrated judge by chance"
    )
    return f"{text}; left out, without confidence: {', '.join(left_out)}" if left_out else text


_LARGEST_RADIUS, _SMALLEST_RADIUS = 11.0, 2.5


def judge_forest(study: JudgeStudy) -> str:
    """Draws ρ, α and κ of judges and sentinels, beside the range of α and κ of pairs of raters."""
    judging = study.judging
    constants = [report.advantage.value for report in judging.judges if report.name in CONSTANTS]
    rows = [Row(report.name, *report.advantage.numbers) for report in judging.judges]
    groups = [Group("ρ, as close as a rater", rows, max(constants, default=math.nan), "better constant")]
    groups += [_agreement(judging, "alpha", "α with raters"), _agreement(judging, "kappa", "κ with raters")]
    band = "; the band has all pairs of raters, the line their mean" if judging.raters.pairs else ""
    subtitle = f"'{study.request.rating}', {percent(study.request.confidence / 100)} intervals{band}"
    return forest("Judges", subtitle, groups, "share or coefficient")


def _agreement(judging: Judging, name: str, heading: str) -> Group:
    pairs = [value for pair in judging.raters.pairs if math.isfinite(value := getattr(pair, name))]
    rows = [Row(report.name, *getattr(report.agreement, name).numbers) for report in judging.judges]
    band = (min(pairs), max(pairs)) if pairs else (math.nan, math.nan)
    return Group(heading, rows, getattr(judging.raters, name).value, "raters", band)


def harshness_forest(study: JudgeStudy) -> str:
    """Draws how far judges are above raters, in points of the scale; only for ratings that are numbers."""
    rows = [
        Row(report.name, *report.agreement.signed_error.numbers)
        for report in study.judging.judges
        if report.agreement.signed_error is not None
    ]
    level = percent(study.request.confidence / 100)
    subtitle = f"judge − mean rating of '{study.request.rating}', {level} intervals; above 0 is lenient"
    return forest("Signed errors", subtitle, [Group("judges", rows, 0.0, "raters")], "signed error", 2)


def reliability_chart(study: JudgeStudy) -> str:
    """Draws the reliability diagram of each judge that states confidence or probabilities.

    Raises:
        InputError: if no judge does.
    """
    found = study.judging.calibration
    if not found:
        raise InputError(
            "the reliability diagram needs the column of 'stated_confidence', or scores "
            "that are probabilities of ratings of 0 and 1"
        )
    measured = found[0].measured
    bins = f"{measured.bin_count} bins of {'equal width' if measured.binning == 'width' else 'equal numbers'}"
    subtitle = f"{bins}; below the line: overconfident"
    return document("Reliability of stated confidence", subtitle, [*map(_panel, found)])


def _panel(found: JudgeReliability) -> Panel:
    measured = found.measured
    outcome = "share of equal ratings" if found.is_stated else "share of ratings of 1"
    by_chance = number(measured.ece_of_calibrated)
    caption = f"Brier {number(measured.brier.value)}, ECE {number(measured.ece)} (by chance {by_chance})"
    what = "stated confidence" if found.is_stated else "probability"
    panel = Panel(found.judge, caption, Axis(0.0, 1.0, what), Axis(0.0, 1.0, outcome))
    observed = polyline(panel, [(one.stated, one.observed) for one in measured.bins])
    panel.marks += [panel.line((0.0, 0.0), (1.0, 1.0), "zero"), observed]
    most = max(one.n for one in measured.bins)
    for one in measured.bins:
        radius = max(_SMALLEST_RADIUS, _LARGEST_RADIUS * math.sqrt(one.n / most))  # areas are as counts are
        label = f"{number(one.stated)} stated, {number(one.observed)} observed, {one.n} outputs"
        panel.marks.append(panel.circle(one.stated, one.observed, radius, "point", label))
    return panel


_METHOD = (
    "The alternative annotator test leaves out one rater after the other, and asks who is closer to the remaining "
    "raters, the judge or the rater. The judge may replace a rater if it is not worse by more than ε.",
    "Sentinels know nothing of quality. A judge that passes, but does not beat a constant, passes because raters are "
    "noisy.",
    "Intervals are for other outputs and these raters. A judge within the range of pairs of raters agrees with them as "
    "they agree with each other.",
)


def judge_page(study: JudgeStudy, warnings: Sequence[str]) -> str:
    """Writes the results as an HTML page without scripts or network requests.

    Args:
        study: The results.
        warnings: What may make them misleading.
    """
    judging = study.judging
    tables = named_tables(judging, PageTables())
    agreement = [tables["agreement"], *([] if judging.is_labels else [figure(harshness_forest(study))])]
    sections = [
        Section("test", "Test", "", [tables["test"], figure(judge_forest(study))]),
        Section("agreement", "Agreement", "", agreement),
    ]
    if "jury" in tables:
        sections.append(Section("jury", "Jury", "", [tables["jury"]]))
    if "calibration" in tables:
        parts = [tables["calibration"], figure(reliability_chart(study))]
        sections.append(Section("calibration", "Calibration", "", parts))
    sections += notes_and_method(notes_of(study), _METHOD)
    facts = {
        "Outputs": str(judging.units),
        "Tested raters": str(len(judging.judges[0].test.raters)),
        "Judges": str(len(study.request.judges)),
    }
    judges = study.request.judges
    title = f"May {' or '.join(judges)} replace raters?"
    lead = f"{counted(len(judges), 'judge')} of '{study.request.rating}': {', '.join(judges)}."
    return analysis_page(title, lead, facts, sections, warnings)
