"""The page of ``fw estimate --report``: tables, pictures, notes and method in one HTML file."""

from __future__ import annotations

from collections.abc import Sequence

from metrics_framework.common.errors import counted
from metrics_framework.meta_evaluation.estimate.result import EstimateStudy
from metrics_framework.reports.estimate_charts import estimate_forest, has_rating_chart, rating_chart
from metrics_framework.reports.estimate_table import notes_of, tables_of
from metrics_framework.reports.html.analysis_page import AnalysisPage, Figure, PageTables, Section, note_lines

_METHOD = (
    "A prediction-powered mean is the mean score of all outputs, weighted by λ, plus the mean of rating − λ · score of "
    "the rated ones. It is unbiased however bad the judge is, if the rated outputs are a random sample.",
    "The curves show which estimates would have been found with fewer ratings. An interval that has stopped shrinking "
    "needs many more ratings to become shorter.",
)


def estimate_page(study: EstimateStudy, warnings: Sequence[str]) -> str:
    """Writes the results as an HTML page without scripts or network requests.

    Args:
        study: The results.
        warnings: What may make them misleading.
    """
    parts: list[str | Figure] = [*tables_of(study, PageTables()), Figure("", estimate_forest(study))]
    sections = [Section("estimates", "Estimates", "", parts)]
    if has_rating_chart(study):
        sections.append(Section("ratings", "Estimates against ratings", "", [Figure("", rating_chart(study))]))
    sections += [
        Section("notes", "Notes", "", [], note_lines(notes_of(study))),
        Section("method", "Method", "", [], _METHOD),
    ]
    judges = [found.judge for found in study.estimates]
    systems = study.estimates[0].means
    facts = {
        "Systems": str(len(systems)),
        "Judges": str(len(judges)),
        "Rated outputs": str(sum(entry.mean.rated for entry in systems if entry.mean is not None)),
    }
    lead = f"{counted(len(systems), 'system')}, with the scores of {', '.join(judges)}."
    return AnalysisPage(f"Mean {study.rating}", lead, facts, sections, warnings).html()
