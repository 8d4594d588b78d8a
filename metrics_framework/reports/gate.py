"""What ``fw gate`` prints and writes: its table and sentences, the summary and annotations of GitHub, and JUnit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from xml.sax.saxutils import escape, quoteattr

from metrics_framework.common.errors import printable
from metrics_framework.evaluation.gate import GatedScore, GateStudy
from metrics_framework.reports.formats.output_format import Note, OutputFormat
from metrics_framework.reports.numbers import interval, number, percent


def tables_of(study: GateStudy, output: OutputFormat) -> list[str]:
    """Writes a table with a row for each score."""
    clusters = ["clusters"] * (study.request.clusters is not None)
    header = ["metric", "old", "new", f"difference [{level_of(study)}]", "verdict", "inputs", *clusters]
    rows = [
        [one.metric, *cells_of(one), f"{one.inputs:,}", *[f"{one.clusters:,}"] * len(clusters)] for one in study.scores
    ]
    return [output.render(header, rows, left=5)]


def cells_of(one: GatedScore) -> list[str]:
    """Returns the cells of a score: old and new mean, the difference and the verdict."""
    return [number(one.old), number(one.new), change_of(one), verdict_of(one)]


def verdict_of(one: GatedScore) -> str:
    """Returns the verdict with its margin."""
    if one.verdict != "no worse":
        return one.verdict
    return f"worse, by less than {one.margin:g}" if one.is_small_loss else f"no worse by {one.margin:g}"


def sentence(one: GatedScore) -> str:
    """Returns what is found about a score, in words.

    The verdict is followed by the change, or, if it is undecided, by what is ruled out and what would decide.
    """
    if one.verdict == "undecided":
        return f"undecided: {'; '.join(_open(one))}"
    examples = f"{one.inputs:,} example{'s' * (one.inputs != 1)}"
    if one.verdict == "no worse":
        return f"{verdict_of(one)}: the observed change is {change_of(one)}, {examples}"
    ends = one.difference, one.lower, one.upper
    if one.verdict == "worse":
        ends = -ends[0], -ends[2], -ends[1]
    return f"{one.verdict} by {interval(*ends)}, {examples}"


def level_of(study: GateStudy) -> str:
    """Returns the level of the intervals."""
    return percent(round(1 - 2 * study.request.alpha, 9))


def change_of(one: GatedScore) -> str:
    """Returns the difference with its interval."""
    return interval(one.difference, one.lower, one.upper, signed=True)


def _open(one: GatedScore) -> Iterator[str]:
    """Yields why a score is undecided, what is ruled out, and how many examples would decide."""
    yield from filter(None, [one.reason])
    is_enough = one.needed <= one.inputs
    if is_enough:
        yield f"{one.inputs:,} examples would suffice if nothing had changed"
    if is_enough or one.margin is None:
        yield f"the observed change is {change_of(one)}"
    if one.lower < 0:
        yield f"a loss above {number(-one.lower)} is ruled out"
    if one.needed > one.inputs:
        yield f"a margin of {one.margin:g} needs about {one.needed:,.0f} examples if nothing changed"


def notes_of(study: GateStudy) -> Iterator[Note]:
    """Yields what the verdicts rest on, one note each."""
    are_several = len(study.scores) > 1
    for one in study.scores:
        if text := sentence(one) if one.verdict == "undecided" else one.reason:
            yield Note("verdict", text, one.metric * are_several)
    lower = [one.metric for one in study.scores if not one.higher_is_better]
    if lower:
        yield Note("direction", f"lower is better, and a positive difference an improvement: {', '.join(lower)}")
    for one in study.scores:
        for label, counts in unpaired_of(one, study):
            yield Note(label, counts, one.metric * are_several)
    methods = dict.fromkeys(one.method for one in study.scores)
    for method in methods:
        names = [one.metric for one in study.scores if one.method == method]
        yield Note("test", method, ", ".join(names) * (len(methods) > 1))
    for warning in study.warnings:
        yield Note("caution", warning)


def unpaired_of(one: GatedScore, study: GateStudy) -> Iterator[tuple[str, str]]:
    """Yields how inputs count that a run has no score for, ``worst score`` or ``left out``, and how many there are."""
    for is_worst, found in groupby(one.dropped, lambda why: study.request.unpaired == "worst" and "only" in why):
        counts = ", ".join(f"{one.dropped[why]:,} {why}" for why in found)
        yield "worst score" if is_worst else "left out", counts


# ---- what continuous integration reads -------------------------------------------------------------------------------


def github_summary(study: GateStudy) -> str:
    """Returns the summary of a job on GitHub: the table, and the inputs that lost most, as Markdown."""
    output: OutputFormat = OutputFormat.by_name("markdown")()
    title = f"### fw gate: {'failed' if study.failures else 'passed'}"
    table = output.with_notes("\n\n".join(tables_of(study, output)), [*notes_of(study)])
    rows = [[*(one.metric, name, number(old), number(new))] for one in study.scores for name, old, new in one.losses]
    lost = ["Inputs that lost most:", output.render(["metric", "input", "old", "new"], rows, left=2)] if rows else []
    return "\n\n".join([title, table, *lost]) + "\n"


def github_annotations(study: GateStudy) -> str:
    """Returns the annotations of a job on GitHub: a line for each score that fails, or passes although undecided."""
    return "".join(
        _annotation("error" if one.fails else "warning", f"{one.metric}: {sentence(one)}")
        for one in study.scores
        if one.fails or one.verdict == "undecided"
    )


def github_error(problem: str) -> tuple[str, str]:
    """Returns the summary and the annotation of a job on GitHub if the runs cannot be compared."""
    lines = "\n".join(f"    {line}" for line in printable(problem, keep="\n").split("\n"))  # code, not Markdown
    return f"### fw gate: failed\n\n{lines}\n", _annotation("error", problem)


def _annotation(kind: str, text: str) -> str:
    text = printable(text, keep="\r\n").replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return f"::{kind} title=fw gate::{text}\n"


def junit(study: GateStudy) -> str:
    """Returns the report of tests that continuous integration reads: a case for each score."""
    cases = []
    for one in study.scores:
        tag = "failure" if one.fails else "skipped" if one.verdict in ("worse", "undecided") else "system-out"
        kind = one.verdict.replace(" ", "-") if tag == "failure" else ""
        cases.append(_case(one.metric, tag, kind, printable(sentence(one))))
    return _suite(cases)


def junit_error(problem: str) -> str:
    """Returns the report of tests if the runs cannot be compared: a case with an error."""
    return _suite([_case("runs", "error", "not-compared", printable(problem, keep="\n"))])


def _case(name: str, tag: str, kind: str, text: str) -> str:
    start = f"<{tag} type={quoteattr(kind)}>" if kind else f"<{tag}>"
    inner = f"{start}{escape(text)}</{tag}>"
    return f'  <testcase classname="fw.gate" name={quoteattr(printable(name))}>{inner}</testcase>'


def _suite(cases: Sequence[str]) -> str:
    words = {"failures": "<failure", "errors": "<error", "skipped": "<skipped"}
    counts = " ".join(f'{name}="{sum(word in case for case in cases)}"' for name, word in words.items())
    start = f'<testsuite name="fw gate" tests="{len(cases)}" {counts}>'
    return "\n".join(['<?xml version="1.0" encoding="utf-8"?>', start, *cases, "</testsuite>\n"])
