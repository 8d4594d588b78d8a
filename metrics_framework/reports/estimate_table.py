"""The tables that ``fw estimate`` prints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from metrics_framework.common.errors import counted
from metrics_framework.meta_evaluation.estimate.predicted_means import PredictedMean
from metrics_framework.meta_evaluation.estimate.result import EstimateStudy, JudgeEstimates
from metrics_framework.meta_evaluation.estimate.study import MIN_PAIRS
from metrics_framework.reports.formats.output_format import Note, OutputFormat

ALL_OUTPUTS = "(all outputs)"
_UNDEFINED = "undefined"


def estimate_table(study: EstimateStudy, format: str = "table") -> str:
    """Writes a table of systems, a table of differences, and notes.

    Args:
        study: The estimates.
        format: The name of an output format. Formats for programs have one table with all numbers.
    """
    output: OutputFormat = OutputFormat.by_name(format)()
    if not output.for_people:
        records = study.to_records()
        rows = [["" if value is None else str(value) for value in record.values()] for record in records]
        return output.render(list(records[0]), rows, left=3)
    return output.with_notes("\n\n".join(tables_of(study, output)), notes_of(study))


def tables_of(study: EstimateStudy, output: OutputFormat) -> list[str]:
    """Writes the tables of systems, of shares and of differences, if there are any."""
    estimates = study.estimates
    header = ["judge", "system", "rated", "unrated", "mean", "ratings only", "λ", "ratings saved"]
    tables = [output.render(header, [*_system_rows(estimates)], left=2)]
    if any(found.shares for found in estimates):
        tables.append(output.render(["judge", "system", *_SHARES], [*_share_rows(estimates)], left=2))
    if _has_differences(estimates):
        columns = ["judge", "difference", "rated", "mean", "ratings only", "p", "p (Holm)"]
        tables.append(output.render(columns, [*_difference_rows(estimates)], left=2))
    return tables


_SHARES = ("share good", "mean", "ratings only", "sensitivity", "specificity")


def _has_differences(estimates: Sequence[JudgeEstimates]) -> bool:
    return any(pair.mean is not None for found in estimates for pair in found.differences)


def _system_rows(estimates: Sequence[JudgeEstimates]) -> Iterator[list[str]]:
    for found in estimates:
        name = found.judge
        for entry in found.means:
            mean = entry.mean
            system = entry.system or ALL_OUTPUTS
            if mean is None:
                yield [name, system, "0", "", _UNDEFINED, _UNDEFINED, "", ""]
            else:
                counts = [str(mean.rated), str(mean.unrated)]
                yield [name, system, *counts, *_both(mean), f"{mean.tuning:.3g}", _saved(mean)]
            name = ""


def _both(mean: PredictedMean) -> list[str]:
    classical = mean.classical
    return [_interval(mean.value, mean.lower, mean.upper), _interval(classical.value, classical.lower, classical.upper)]


def _saved(mean: PredictedMean) -> str:
    saved = mean.ratings_saved
    if saved != saved:
        return _UNDEFINED
    return f"{saved:+.0f} ({saved / mean.rated:+.0%})" if round(saved) else "0"


def _share_rows(estimates: Sequence[JudgeEstimates]) -> Iterator[list[str]]:
    for found in estimates:
        name = found.judge
        for share in found.shares:
            corrected, rated = share.corrected, share.rated
            means = [_UNDEFINED, _interval(*rated)] if share.predicted is None else _both(share.predicted)
            yield [
                name,
                share.system or ALL_OUTPUTS,
                _interval(corrected.value, corrected.lower, corrected.upper),
                *means,
                *(_interval(*numbers) for numbers in (share.sensitivity, share.specificity)),
            ]
            name = ""


def _difference_rows(estimates: Sequence[JudgeEstimates]) -> Iterator[list[str]]:
    for found in estimates:
        name = found.judge
        for pair in found.differences:
            title = f"{pair.system1} − {pair.system2}"
            if pair.mean is not None:  # the others are counted in a warning
                p_values = [_p(pair.p_value), _p(pair.p_adjusted)]
                yield [name, title, str(pair.rated), *_both(pair.mean), *p_values]
                name = ""


def _p(p: float) -> str:
    if p != p:
        return _UNDEFINED
    return "<.0001" if p < 0.0001 else f"{p:.4f}"


def _interval(value: float, lower: float, upper: float) -> str:
    if value != value:
        return _UNDEFINED
    ends = "" if lower != lower or upper != upper else f" [{_number(lower)}, {_number(upper)}]"
    return _number(value) + ends


def _number(value: float) -> str:
    return f"{round(value, 3) or 0.0:.3f}" if abs(value) < 1e6 else f"{value:.6g}"


def notes_of(study: EstimateStudy) -> list[Note]:
    """Describes estimates, intervals and tests, one note each."""
    return [*_notes(study)]


def _notes(study: EstimateStudy) -> Iterator[Note]:
    estimates = study.estimates
    weight = {"free": "λ is the best weight of the scores", "clipped": "λ is the best weight within [0, 1]"}
    yield Note(
        "means",
        f"prediction-powered means of '{study.rating}' over rated and unrated outputs; "
        f"{weight.get(str(study.tuning), f'λ = {study.tuning}')}; 0 is the mean of the ratings only",
    )
    clusters = next((found.clusters for found in estimates if found.clusters is not None), None)
    over = "inputs" if clusters is None else f"{counted(clusters, 'cluster')} of inputs ('{study.cluster}')"
    yield Note("intervals", f"{study.confidence:g}%, {_kinds(estimates)}, for other {over}, these systems")
    yield Note("sample", "rated outputs must be a random sample of all outputs")
    yield Note("saved", "how many more ratings the mean of the ratings needs for an interval as short")
    if any(found.shares for found in estimates):
        yield Note(
            "shares",
            "'share good' corrects the judge's share among unrated outputs for its sensitivity and specificity (Rogan "
            "and Gladen; interval of Lee et al.), and stays correct if they have another share of good ones than rated "
            "outputs; sensitivity and specificity have Wilson intervals",
        )
    undecided = max(found.undecided for found in estimates)
    if undecided:
        yield Note("left out", f"{counted(undecided, 'output')} that as many raters call good as bad")
    if _has_differences(estimates):
        yield Note(
            "tests",
            f"mean differences on the same inputs, rated if both outputs are, on {MIN_PAIRS} inputs or more; "
            f"two-sided t-tests, for other {over}, these systems",
        )


def _kinds(estimates: Sequence[JudgeEstimates]) -> str:
    """Returns the kinds of intervals of means and differences."""
    kinds = {entry.mean.interval for found in estimates for entry in found.means if entry.mean is not None}
    if kinds == {"t"}:
        return "Student's t"
    means = "Wilson's score interval with Student's t for 0/1 ratings"
    return f"{means}, Student's t for differences" if _has_differences(estimates) else means
