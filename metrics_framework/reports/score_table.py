"""The table of scores that ``evaluate`` prints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from metrics_framework.common.errors import PluginError
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.evaluation.evaluate import Evaluation
from metrics_framework.evaluation.profiles.profile import Profile
from metrics_framework.io.jsonl import to_json
from metrics_framework.reports.tables import number, render, visible
from metrics_framework.significance.bootstrap import Interval
from metrics_framework.significance.multiple_testing import is_significant
from metrics_framework.significance.systems import Confidence, Intervals, PValues

EVERYTHING = "(all)"
WIDEST = 120
"""A table for a terminal that is wider has a row for each score instead of one for each system, if that is narrower."""
MARK = "*"


def score_table(
    evaluation: Evaluation, format: str = "table", digits: int = 2, profile: type[Profile] | None = None
) -> str:
    """Writes one row a system, and one for all of them together if there are several and no profile says otherwise.

    Args:
        evaluation: The scores; those with intervals are written as ``45.12 ± 0.88``, half the width of the interval.
        format: ``table``, ``markdown``, ``latex``, ``csv``, ``tsv``, or ``json`` for what the macro file holds.
        digits: Digits behind the point; CSV and TSV always have all of them, and the ends of intervals in columns.
        profile: Which scores there are to be, and under which headings.

    Raises:
        PluginError: if the profile has a column for a score that its metrics do not give.
    """
    if format == "json":
        return to_json(evaluation.as_json(), indent=2)
    columns = _columns(evaluation, profile)
    systems = [*evaluation.systems]
    if len(systems) > 1 and profile is None:
        systems.append(EVERYTHING)
    if format in ("csv", "tsv"):
        return _data(evaluation, systems, list(columns), format)
    rows = [
        [system, str(_outputs(evaluation, system)), *_cells(evaluation, system, list(columns), digits)]
        for system in systems
    ]
    heads = ["system", "outputs", *columns.values()]
    table = _fitting(heads, rows) if format == "table" else render(heads, rows, format)
    lines = [*_legend(evaluation.confidence), *signature_lines(evaluation)]
    if format == "latex":
        return "\n".join([table, *(f"% {line}" for line in lines)])
    if format == "markdown":
        return "\n".join([table, "", *(f"- `{line}`" for line in lines)])
    return "\n".join([table, "", *lines])


def signature_lines(evaluation: Evaluation) -> list[str]:
    """Writes each signature on a line of its own."""
    lines = [f"signature  {signature}" for signature in evaluation.signature.values()]
    for others in evaluation.other_signatures.values():
        lines.extend(f"{program.ljust(9)}  {signature}" for program, signature in others.items())
    return lines


def _columns(evaluation: Evaluation, profile: type[Profile] | None) -> dict[str, str]:
    """Returns the flat names of the scores that are shown, and their headings."""
    if profile is None:
        return {name: name for name in evaluation.metrics.flatten()}
    names = evaluation.metrics.flatten()
    for name in profile.columns:
        if name not in names:
            raise PluginError(
                f"the profile '{profile.registered_name}' has a column for '{name}', which its metrics "
                f"{', '.join(profile.metrics)} do not give; they give {', '.join(names)}"
            )
    added = list(evaluation.names.values())[len(profile.metrics) :]
    return {**profile.columns, **{name: name for several in added for name in several}}


def _scores(evaluation: Evaluation, system: str) -> MetricsDict:
    scores = evaluation.metrics if system == EVERYTHING else evaluation.systems[system]
    return scores.flatten()


def _outputs(evaluation: Evaluation, system: str) -> int:
    return sum(evaluation.num_outputs.values()) if system == EVERYTHING else evaluation.num_outputs[system]


def _intervals(evaluation: Evaluation, system: str) -> Intervals:
    confidence = evaluation.confidence
    if confidence is None:
        return {}
    return confidence.metrics if system == EVERYTHING else confidence.systems[system]


def _p_values(evaluation: Evaluation, system: str) -> PValues:
    confidence = evaluation.confidence
    if confidence is None or confidence.significance is None:
        return {}
    return confidence.significance.adjusted.get(system, {})


def _cells(evaluation: Evaluation, system: str, names: Sequence[str], digits: int) -> list[str]:
    """Writes scores, those that are not whole numbers with their intervals and marks."""
    scores, found = _scores(evaluation, system), _intervals(evaluation, system)
    p_values = _p_values(evaluation, system)
    cells = []
    for name in names:
        cell, interval, p = number(scores[name], digits), found.get(name), p_values.get(name)
        if isinstance(scores[name], float) and not (interval is None or isinstance(interval, list)):
            if interval.half_width == interval.half_width:
                cell = f"{cell} ± {interval.half_width:.{digits}f}"
            if isinstance(p, float) and is_significant(p, _error(evaluation.confidence)):
                cell += MARK
        cells.append(cell)
    return cells


def _error(confidence: Confidence | None) -> float:
    """Returns the p-value below which a difference is marked."""
    return 0.0 if confidence is None else confidence.resampling.alpha


def _legend(confidence: Confidence | None) -> Iterator[str]:
    """Says what stands behind scores."""
    if confidence is None:
        return
    drawn = confidence.resampling
    yield f"±          half the width of the {100 * drawn.level:g} % interval of {drawn.resamples} bootstrap resamples"
    tested = confidence.significance
    if tested is not None:
        several = len(tested.inputs)
        holm = f", Holm's correction for {several} systems" if several > 1 else ""
        yield (
            f"{MARK}          differs from '{visible(tested.baseline)}', p < {_error(confidence):g} "
            f"(randomization test, {drawn.resamples} trials{holm})"
        )
        too_few = drawn.too_few_for(tested.comparisons)
        if too_few is not None:
            yield f"note       {too_few}"


def _fitting(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Writes a table for a terminal, with systems side by side where it would be too wide otherwise."""
    upright = render(heads, _even(rows))
    if _width(upright) <= WIDEST:
        return upright
    names, *turned = [list(line) for line in zip(heads, *rows, strict=True)]
    lying = render(["score", *names[1:]], _even(turned))
    return lying if _width(lying) < _width(upright) else upright


def _width(table: str) -> int:
    return max(map(len, table.splitlines()))


def _even(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Puts blanks where others of a column have a mark, so that numbers stand below each other."""
    marked = [any(cell.endswith(MARK) for cell in column) for column in zip(*rows, strict=True)]
    return [
        [f"{cell} " if yes and not cell.endswith(MARK) else cell for cell, yes in zip(row, marked, strict=True)]
        for row in rows
    ]


def _data(evaluation: Evaluation, systems: Sequence[str], names: Sequence[str], format: str) -> str:
    """Writes all digits, and intervals and p-values in columns of their own."""
    confidence = evaluation.confidence
    tested = confidence is not None and confidence.significance is not None
    endings = ["", *(["_low", "_high"] if confidence else []), *(["_p"] if tested else [])]
    rows = []
    for system in systems:
        scores, found, p_values = (
            _scores(evaluation, system),
            _intervals(evaluation, system),
            _p_values(evaluation, system),
        )
        cells = [[_datum(scores[name]), *_ends(found.get(name)), _datum(p_values.get(name))] for name in names]
        rows.append([system, str(_outputs(evaluation, system)), *(one for row in cells for one in row[: len(endings)])])
    return render(["system", "outputs", *(name + ending for name in names for ending in endings)], rows, format)


def _ends(found: Interval | list[Interval] | None) -> list[str]:
    if isinstance(found, list):
        return [_datum([one.low for one in found]), _datum([one.high for one in found])]
    return ["", ""] if found is None else [_datum(found.low), _datum(found.high)]


def _datum(value: object) -> str:
    return "" if number(value) == "–" else str(value)
