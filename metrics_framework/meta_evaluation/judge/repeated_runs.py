"""How far a judge agrees with itself: the scores of repeated runs on the same outputs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation.intervals.resamples import Interval, UnitResamples
from metrics_framework.meta_evaluation.rater_agreement.agreement_coefficients import KrippendorffAlpha
from metrics_framework.meta_evaluation.scores.long_tables import LongTables, Unit
from metrics_framework.significance.clusters import Clusters
from metrics_framework.significance.proportions import Proportion, wilson


@dataclass(frozen=True)
class RepeatedRuns:
    """The agreement of repeated runs of a judge.

    Attributes:
        runs: The columns.
        outputs: The number of outputs with the scores of two runs or more.
        left_out: The number of outputs with the score of one run only.
        level: The level of measurement of alpha.
        alpha: Krippendorff's alpha of the runs, with an interval over outputs.
        flips: The share of outputs whose score is not the same in all runs.
        differing_pairs: The share of pairs of runs that differ, mean over outputs.
    """

    runs: Sequence[str]
    outputs: int
    left_out: int
    level: str
    alpha: Interval
    flips: Proportion
    differing_pairs: float

    def as_json(self) -> dict[str, Any]:
        """Returns the results by the names of the JSON file."""
        return {
            "runs": list(self.runs),
            "outputs": self.outputs,
            "left_out": self.left_out,
            "level": self.level,
            "alpha": self.alpha.as_json(),
            "flips": self.flips._asdict(),
            "differing_pairs": self.differing_pairs,
        }


def runs_of(
    tables: LongTables, columns: Sequence[str], *, confidence: float = 95, resamples: int = 1000, seed: int = 0
) -> RepeatedRuns:
    """Returns how far columns with the scores of repeated runs agree; texts are labels.

    Raises:
        InputError: if no output has the scores of two runs.
        UnknownNameError: if there is no column of a name.
        DataError: if a value is not a number, or contradicts another row.
    """
    is_text = any(tables.holds_text(name) for name in columns)
    found: list[Mapping[Unit, Any]] = [(tables.texts if is_text else tables.numbers)(name) for name in columns]
    values = _numbered(found)
    try:
        return repeated_runs(values, columns, as_labels=is_text, confidence=confidence, resamples=resamples, seed=seed)
    except InputError as error:
        raise InputError(f"{error}; the columns are {', '.join(columns)}") from None


def _numbered(runs: Sequence[Mapping[Unit, Any]]) -> Floats:
    """Returns the scores of each run and output; labels are numbered."""
    units = sorted({unit for run in runs for unit in run})
    texts = sorted({value for run in runs for value in run.values() if isinstance(value, str)})
    codes = {text: float(number) for number, text in enumerate(texts)}
    rows = [[codes.get(run[unit], run[unit]) if unit in run else math.nan for unit in units] for run in runs]
    return np.array(rows, dtype=np.float64)


def repeated_runs(
    values: Floats,
    runs: Sequence[str],
    *,
    as_labels: bool = False,
    confidence: float = 95,
    resamples: int = 1000,
    seed: int = 0,
) -> RepeatedRuns:
    """Computes the agreement of repeated runs.

    Args:
        values: The scores, shape (runs, outputs); NaN where missing; labels are numbered.
        runs: The names of the runs.
        as_labels: Whether scores are labels.
        confidence: The level of the intervals, in percent.
        resamples: The number of bootstrap resamples of outputs.
        seed: The seed of the resamples.

    Raises:
        InputError: if no output has the scores of two runs.

    >>> import numpy as np
    >>> found = repeated_runs(np.array([[1.0, 2, 3, 4], [1, 2, 3, 3], [1, 2, np.nan, 4]]), ["a", "b", "c"])
    >>> found.flips.value, found.differing_pairs, round(found.alpha.value, 3)
    (0.25, 0.16666666666666666, 0.928)
    """
    scored = (~np.isnan(values)).sum(axis=0)
    used = values[:, scored > 1]
    if not used.shape[1]:
        raise InputError("no output has the scores of two runs")
    level = KrippendorffAlpha.label_weights if as_labels else KrippendorffAlpha.default_weights
    drawn = UnitResamples(Clusters.of(None, used.shape[1]), resamples, seed, confidence)
    flips = np.nanmax(used, axis=0) != np.nanmin(used, axis=0)
    return RepeatedRuns(
        list(runs),
        used.shape[1],
        int((scored == 1).sum()),
        str(level),
        KrippendorffAlpha(used, str(level)).interval(drawn),
        wilson(float(flips.sum()), len(flips), confidence),
        float(np.mean([_differing_pairs(scores[~np.isnan(scores)]) for scores in used.T])),
    )


def _differing_pairs(scores: Floats) -> float:
    pairs = list(combinations(scores.tolist(), 2))
    return float(np.mean([one != other for one, other in pairs]))
