"""The tables that ``fw agreement`` prints."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from metrics_framework.common.errors import counted
from metrics_framework.meta_evaluation.rater_agreement.agreement_coefficients import Agreement
from metrics_framework.meta_evaluation.rater_agreement.generalizability import Plans
from metrics_framework.meta_evaluation.rater_agreement.request import AgreementRequest
from metrics_framework.meta_evaluation.rater_agreement.study import AgreementStudy, RatingStudy
from metrics_framework.reports.charts import Group, Row, forest
from metrics_framework.reports.formats.output_format import Note, OutputFormat, caution_notes
from metrics_framework.reports.numbers import UNDEFINED, interval, number, percent, significant


def tables_of(result: AgreementStudy, output: OutputFormat) -> list[str]:
    """Writes tables of agreement, pairs of raters, plans and ceilings."""
    studies = result.studies
    by = [] if result.request.by is None else [result.request.by]
    rows = []
    for study in studies:
        for group, found in study.agreements.items():
            for one in found:
                numbers = [interval(one.value, one.lower, one.upper), str(one.units), str(one.raters)]
                rows.append([study.ratings.name, one.title, *[group or "all"] * len(by), *numbers])
    tables = [output.render(["rating", "statistic", *by, "agreement", "outputs", "raters"], rows, left=2 + len(by))]
    for study in studies:
        tables += _further_tables(study, output, len(studies) > 1)
    return tables


def agreement_forest(study: AgreementStudy) -> str:
    """Draws the coefficients of each rated quality, and of each group of outputs, with their intervals."""
    groups = [
        Group(f"{one.ratings.name}, {group}" if group else one.ratings.name, rows)
        for one in study.studies
        for group, found in one.agreements.items()
        if (rows := [Row(each.title, each.value, each.lower, each.upper) for each in found])
    ]
    level = f"{percent(study.request.confidence / 100)} intervals, where defined"
    return forest("Agreement of raters", level, groups, "coefficient")


def notes_of(result: AgreementStudy) -> Iterator[Note]:
    """Describes data, intervals, plans and ceilings, one note each."""
    for study in result.studies:
        yield from _notes(study, result.request)
    yield from caution_notes(result.cautions())


def _further_tables(study: RatingStudy, output: OutputFormat, is_named: bool) -> Iterator[str]:
    of = f" of {study.ratings.name}" if is_named else ""
    if study.pairs:
        names = ["α", "κ"] if study.ratings.labels else ["α", "κ", "difference"]
        rows = [
            [f"{pair.rater1} – {pair.rater2}", str(pair.outputs)]
            + [number(value) for _, value in zip(names, (pair.alpha, pair.kappa, pair.difference), strict=False)]
            for pair in study.pairs
        ]
        yield output.render([f"pair of raters{of}", "outputs", *names], rows)
    if study.plans is not None and study.plans.crossed:
        rows = []
        for plan in study.plans.crossed:
            size = f"{counted(plan.raters, 'rater')}, {counted(plan.inputs, 'input')}"
            rows.append([size, number(plan.generalizability), number(plan.dependability)])
        yield output.render([f"plan{of}", "Eρ²", "Φ"], rows)
    if study.plans is not None and study.plans.nested:
        rows = [[counted(k, "rating"), number(value)] for k, value in study.plans.nested.items()]
        yield output.render([f"ratings per output{of}", "reliability"], rows)
    if study.ceilings:
        rows = [
            [f"{one.level} level, {kind}", *map(number, (one.one_vs_rest, one.split_half, one.reliability))]
            for kind, found in study.ceilings.items()
            for one in found
        ]
        yield output.render([f"ceiling{of}", "one rater – rest", "split half", "reliability"], rows)


def _notes(study: RatingStudy, request: AgreementRequest) -> Iterator[Note]:
    yield Note("data", _data(study, request), study.ratings.name)
    every = [one for found in study.agreements.values() for one in found]
    yield from _interval_notes(study, request, every)
    for is_undefined, reason in dict.fromkeys((math.isnan(one.value), one.reason) for one in every if one.reason):
        yield Note(UNDEFINED if is_undefined else "no interval", reason, study.ratings.name)
    if any(one.name == "gwet" for one in every) and not study.ratings.categories:
        occurring = {value for row in study.ratings.values.tolist() for value in row if not math.isnan(value)}
        yield Note(
            "Gwet", f"agreement by chance is among the {len(occurring)} categories that occur; scale states others"
        )
    if study.pairs:
        numbers = "interval α, quadratically weighted κ; difference: mean rating of the second rater − of the first"
        yield Note("pairs", "nominal α, unweighted κ" if study.ratings.labels else numbers)
    if study.plans is not None:
        yield Note("plans", _plans(study.plans))
    if study.ceilings:
        first = study.ceilings["ratings"][0]
        few = f"; {counted(first.raters_left_out, 'rater')} with few outputs left out" if first.raters_left_out else ""
        yield Note(
            "ceiling",
            "Pearson's r of one rater's ratings with the mean of the rest, and of the means of two halves of the "
            f"ratings ({counted(first.splits, 'split')}); reliability of the mean of all ratings by Spearman and "
            f"Brown{few}",
        )


def _data(study: RatingStudy, request: AgreementRequest) -> str:
    ratings = study.ratings
    alone = int((ratings.counts < 2).sum())
    total = counted(int(ratings.counts.sum()), "rating")
    parts = [f"{total} of {counted(len(ratings.units), 'output')} by {counted(len(ratings.raters), 'rater')}"]
    if alone:
        parts.append(f"{counted(alone, 'output')} with fewer than two ratings")
    if ratings.missing:
        parts.append(f"missing: {ratings.missing_described}")
    if study.ungrouped:
        parts.append(f"{counted(study.ungrouped, 'output')} without '{request.by}'")
    if ratings.labels:
        parts.append(f"categories: {', '.join(ratings.labels)}")
    elif request.scale is not None:
        parts.append(f"scale: {request.scale.stated}")
    return "; ".join(parts)


def _interval_notes(study: RatingStudy, request: AgreementRequest, every: Sequence[Agreement]) -> Iterator[Note]:
    level = percent(request.confidence / 100)
    by_formula = study.clusters is None
    if any(not math.isnan(one.lower) and not (by_formula and one.name == "icc") for one in every):
        units = "outputs" if by_formula else f"{counted(study.clusters or 0, 'cluster')} of outputs"
        how = f"jackknife-t over {units}, on the scale artanh; linear if a coefficient is 1 without one of them"
        yield Note("intervals", f"{level}, for other outputs and these raters; {how}")
    if by_formula and any(not math.isnan(one.lower) and one.name == "icc" for one in every):
        yield Note("intervals of ICC", f"{level}, from the F distribution; outputs are independent")


def _plans(plans: Plans) -> str:
    if plans.components is None:
        found = "reliability of the mean rating of an output, from ICC(1,1)" if plans.nested else UNDEFINED
        return f"raters are taken as nested in outputs, because {plans.reason}; {found}"
    negative = [source for source, variance in plans.components.components.items() if variance < 0]
    shown = ", ".join(f"{source} {significant(variance)}" for source, variance in plans.components.components.items())
    left_out = f"; {counted(plans.left_out, 'input')} with missing ratings left out" if plans.left_out else ""
    used = "; negative ones count as 0" if negative else ""
    return (
        "reliability of differences between systems (Eρ²) and of their scores (Φ), for other inputs and raters; "
        f"variance components: {shown}{used}{left_out}"
    )
