"""The page of ``fw test-judge --report``: tables, pictures, notes and method in one HTML file."""

from __future__ import annotations

from collections.abc import Sequence

from metrics_framework.common.errors import counted
from metrics_framework.meta_evaluation.judge.result import JudgeStudy
from metrics_framework.reports.html.analysis_page import AnalysisPage, Figure, PageTables, Section, note_lines
from metrics_framework.reports.judge_charts import harshness_forest, judge_forest, reliability_chart
from metrics_framework.reports.judge_table import notes_of, tables_of

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
    tables = tables_of(judging, PageTables())
    tests: list[str | Figure] = [tables["test"], Figure("", judge_forest(study))]
    agreement: list[str | Figure] = [tables["agreement"]]
    if not judging.is_labels:
        agreement.append(Figure("", harshness_forest(study)))
    sections = [Section("test", "Test", "", tests), Section("agreement", "Agreement", "", agreement)]
    if "jury" in tables:
        sections.append(Section("jury", "Jury", "", [tables["jury"]]))
    if "calibration" in tables:
        parts: list[str | Figure] = [tables["calibration"], Figure("", reliability_chart(study))]
        sections.append(Section("calibration", "Calibration", "", parts))
    sections += [
        Section("notes", "Notes", "", [], note_lines(notes_of(study))),
        Section("method", "Method", "", [], _METHOD),
    ]
    facts = {
        "Outputs": str(judging.units),
        "Tested raters": str(len(judging.judges[0].test.raters)),
        "Judges": str(len(study.names)),
    }
    title = f"May {' or '.join(study.names)} replace raters?"
    lead = f"{counted(len(study.names), 'judge')} of '{study.rating}': {', '.join(study.names)}."
    return AnalysisPage(title, lead, facts, sections, warnings).html()
