"""`judge`: tests whether automatic judges may replace raters, from data in memory or files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from metrics_framework.api.correlate import Scores, sources_of
from metrics_framework.api.judge_results import JudgeResult
from metrics_framework.api.settings import PythonLog
from metrics_framework.common.errors import InputError
from metrics_framework.common.logs import Log
from metrics_framework.common.plurals import counted
from metrics_framework.common.suggestions import advice
from metrics_framework.meta_evaluation.judges.names import CONSTANTS, EPSILONS, FEWEST_UNITS, LENGTH, Scoring
from metrics_framework.significance.confidence_level import as_percent

if TYPE_CHECKING:
    from metrics_framework.meta_evaluation.judges.judging import Judging, Panel

MOST_LABELS = 50
FEWEST_DRAWN = 100
"""Below this many outputs, or clusters of outputs, intervals are too short (`benchmarks/judging.py`)."""


def judge(
    ratings: Scores,
    rating: str,
    judges: str | Sequence[str],
    *,
    scoring: Scoring | None = None,
    epsilon: float | str = "skilled",
    q: float = 0.05,
    min_raters: int = 2,
    min_units: int = 30,
    text: str | None = None,
    cluster: str | None = None,
    rater_column: str | None = None,
    confidence: float = 95,
    resamples: int = 1000,
    seed: int = 0,
    log: Log | None = None,
) -> JudgeResult:
    """Tests whether automatic judges may replace raters, as ``fw judge`` does.

    Runs the alternative annotator test for each judge and for sentinels that know nothing of quality, and measures how
    closely judges agree with raters, and raters with each other.

    Args:
        ratings: A table with one row per rating and columns ``instance_id``, ``summarizer_id``, ``rater_id`` and
            scores; rows with lists of ratings; files. Or a list of these, which are joined by input and system.
        rating: The column of the ratings.
        judges: The columns of the judges' scores; or raters of the table who are judges.
        scoring: ``accuracy`` (default for text), ``neg_rmse`` (default for numbers), or ``ranks``, by which a constant
            cannot win.
        epsilon: How much worse than a rater a judge may be: ``experts`` (.2), ``skilled`` (.15), ``crowd`` (.1), or a
            number.
        q: The false discovery rate over raters.
        min_raters: Outputs with fewer ratings are left out.
        min_units: Raters with fewer outputs are left out. Below 30, the signed-rank test replaces the t-test.
        text: The column of the output texts, or of their lengths, for the sentinel of length.
        cluster: A column of the inputs, such as their document, whose outputs are resampled together.
        rater_column: The column of raters.
        confidence: The level of the intervals: a fraction (0.95) or in percent (95).
        resamples: The number of bootstrap resamples of outputs.
        seed: The random seed.
        log: Receives warnings; by default, they are Python warnings.

    Raises:
        InputError: if an argument is invalid, or no rater has enough outputs.
        DataError: if the data are invalid.
        UnknownNameError: if there is no column of a name.

    >>> import metrics_framework as fw
    >>> def rows(rater, change):
    ...     return [{"id": i, "rater": rater, "good": (i * i + (i % change == 0)) % 5} for i in range(120)]
    >>> judged = [{"id": i, "model": (i * i) % 5} for i in range(120)]
    >>> result = fw.judge([rows("ann", 3), rows("bob", 4), rows("eve", 5), judged], "good", "model", scoring="ranks")
    >>> result["model"].test.passes, result["constant"].test.passes
    (True, False)
    """
    from metrics_framework.meta_evaluation.judges.alternative_annotator import AltTestSettings
    from metrics_framework.meta_evaluation.judges.judging import judge_raters
    from metrics_framework.meta_evaluation.judges.rating_panels import PanelColumns, holds_text, panel_of
    from metrics_framework.meta_evaluation.scores.long_tables import read_long_tables

    names = list(dict.fromkeys([judges] if isinstance(judges, str) else judges))
    if not names:
        raise InputError("'judges' must name at least one judge")
    if rating in names:
        raise InputError(f"'{rating}' is both the rating and a judge")
    for name in names:
        if name in CONSTANTS:
            raise InputError(f"'{name}' is the name of a sentinel; rename the column")
    sources, library = sources_of(ratings)
    tables = read_long_tables(sources, rater_column=rater_column)
    columns = PanelColumns(rating, names, text, cluster)
    is_text = holds_text(tables, rating, partly=scoring == "accuracy")
    chosen: Scoring = scoring or ("accuracy" if is_text else "neg_rmse")
    settings = AltTestSettings(chosen, tolerance_of(epsilon), q, min_raters, min_units)
    confidence = as_percent(confidence)
    panel = panel_of(tables, columns, as_labels=is_text and chosen == "accuracy")
    _check(panel, rating, chosen)
    negated = _negated(panel)
    judging = judge_raters(panel, settings, resamples=resamples, seed=seed, confidence=confidence)
    log = PythonLog() if log is None else log
    for warning in [*negated, *_warnings(judging)]:
        log.warn(warning)
    return JudgeResult(judging, rating, names, confidence, resamples, seed, log.warnings, library)


def tolerance_of(epsilon: float | str) -> float:
    """Returns ε as a number.

    Raises:
        InputError: if it is neither a number nor a kind of raters.

    >>> tolerance_of("crowd"), tolerance_of("0.12"), tolerance_of(0)
    (0.1, 0.12, 0.0)
    """
    if isinstance(epsilon, str) and epsilon in EPSILONS:
        return EPSILONS[epsilon]
    try:
        return float(epsilon)
    except ValueError:
        close = advice(str(epsilon), EPSILONS)
        raise InputError(
            f"'epsilon' must be a number or one of {', '.join(EPSILONS)}, got '{epsilon}'{close}"
        ) from None


def _check(panel: Panel, rating: str, scoring: str) -> None:
    import numpy as np

    if len(panel.raters) < 2:
        raise InputError(
            f"'{rating}' has ratings by {len(panel.raters)} rater, but the test needs two or more for each output; "
            "name the raters in a column 'rater_id', or use lists with one rating per rater"
        )
    for name, values in {rating: panel.ratings, **panel.judges}.items():
        different = len(np.unique(values[~np.isnan(values)]))
        if scoring == "accuracy" and different > MOST_LABELS:
            raise InputError(
                f"the scoring 'accuracy' is for labels, but '{name}' has {different} different values; "
                "use neg_rmse or ranks"
            )


def _negated(panel: Panel) -> list[str]:
    """Negates the scores of metrics whose lower values are better, and returns a warning for each."""
    from metrics_framework.metrics.base.direction import direction_of

    negated = [name for name in panel.judges if direction_of(name) is False]
    for name in negated:
        panel.judges[name] *= -1
    return [f"lower values of '{name}' are better, so its scores are negated" for name in negated]


def _joined(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _warnings(judging: Judging) -> list[str]:
    by_name = {report.name: report for report in judging.judges if report.is_sentinel}
    passing = [name for name in (*CONSTANTS, LENGTH) if name in by_name and by_name[name].test.passes]
    warnings = [
        f"'{name}' gives labels that no rater gives: {', '.join(labels)}"
        for name, labels in judging.foreign_labels.items()
        if labels
    ]
    if passing:
        warnings.append(
            f"{_joined(passing)} {'passes' if len(passing) == 1 else 'pass'} the test, so passing shows little: "
            "compare each judge with the constant, or use --scoring ranks, by which a constant cannot win"
        )
    drawn, of = (judging.units, "output") if judging.clusters is None else (judging.clusters, "cluster")
    if drawn < FEWEST_DRAWN:
        warnings.append(
            f"intervals from {counted(drawn, of)} are too short (95 % intervals from 50 contain the value in 92 to "
            f"93 % of cases); use {FEWEST_DRAWN} or more"
        )
    few = sum(rater.n < FEWEST_UNITS for rater in judging.judges[0].test.raters)
    if few:
        warnings.append(
            f"{counted(few, 'rater')} with fewer than {FEWEST_UNITS} outputs: the signed-rank test of so few outputs "
            "rejects true null hypotheses too often (19 % instead of 5 % of 15 outputs, ε = 0.1)"
        )
    return warnings
