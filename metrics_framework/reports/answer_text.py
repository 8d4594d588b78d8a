"""The answer of a study in words: the best metric for a human rating, those that do not differ, and what to mind."""

from __future__ import annotations

from collections.abc import Sequence

from metrics_framework.common.errors import counted
from metrics_framework.meta_evaluation.coefficients.lookup import load_coefficient
from metrics_framework.meta_evaluation.correlate.answers import Answer
from metrics_framework.meta_evaluation.correlate.ranked_metrics import AnswerTest, RankedMetric
from metrics_framework.reports.correlation_table import UNITS
from metrics_framework.reports.metric_comparison_table import p_cell, p_values_named

MAX_NAMED = 5
"""The largest number of metrics of a kind that are named."""


def answer_text(answer: Answer) -> str:
    """Returns an answer as one paragraph."""
    sentences = [_best(answer), *_others(answer), *_undefined(answer), *_cautions(answer)]
    return " ".join(sentences)


def _best(answer: Answer) -> str:
    where = f"{answer.human} on {answer.data_set}" if answer.data_set else answer.human
    if answer.best is None:
        return f"No metric can be named for {where}: {_measure(answer)} is undefined for all of them."
    value = f"{_measure(answer)} {_value(answer.best, answer.confidence)}, {_where(answer)}"
    if not answer.others and not answer.undefined:
        return f"Only metric for {where}: {answer.best.label} ({value})."
    return f"Best metric for {where}: {answer.best.label} ({value})."


def _measure(answer: Answer) -> str:
    return "average" if answer.coefficient is None else load_coefficient(answer.coefficient).title


def _where(answer: Answer) -> str:
    if answer.level is None:
        return f"over {counted(answer.points, 'task')}"
    return f"{answer.level} level, {counted(answer.points, UNITS[answer.level])}"


def _value(one: RankedMetric, confidence: float) -> str:
    value = f"{one.value:.3f}"
    if one.lower is None or one.upper is None:
        return value
    return f"{value}, {confidence:g}% interval [{one.lower:.3f}, {one.upper:.3f}]"


def _others(answer: Answer) -> list[str]:
    if not answer.others or answer.best is None:
        return []
    if answer.test is None:
        next_best = answer.others[0]
        return [
            f"Next is {next_best.label} ({next_best.value:.3f}). No test was made of whether the metrics differ; "
            '--test makes it (test="default" in Python).'
        ]
    tied = (
        f"Not distinguishable from it: {_named(answer.tied)}."
        if answer.tied
        else "It is significantly better than all other metrics."
    )
    worse = [f"Significantly worse: {_named(answer.worse)}."] if answer.tied and answer.worse else []
    worse = worse or ([f"Next is {_named(answer.worse[:1])}."] if answer.worse else [])
    return [tied, *worse, test_text(answer.test)]


def _named(ranked: Sequence[RankedMetric]) -> str:
    shown = [f"{one.label} ({one.value:.3f}, {_p(one)})" for one in ranked[:MAX_NAMED]]
    more = len(ranked) - MAX_NAMED
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")


def _p(one: RankedMetric) -> str:
    shown = "undefined" if one.p_value is None else p_cell(one.p_value)
    return f"p {shown}" if shown.startswith("<") else f"p = {shown}"


def test_text(test: AnswerTest) -> str:
    """Returns how metrics were compared, as a sentence."""
    names = p_values_named(test.sides, test.correction, test.pairs)
    return f"Test '{test.test}', {test.population}; {names}; α = {test.alpha:g}."


def _undefined(answer: Answer) -> list[str]:
    if answer.best is None or not answer.undefined:
        return []
    return [f"Undefined, so not compared: {', '.join(answer.undefined)}."]


def _cautions(answer: Answer) -> list[str]:
    if not answer.cautions:
        return []
    return [f"Mind: {'; '.join(one.text for one in answer.cautions)}."]
