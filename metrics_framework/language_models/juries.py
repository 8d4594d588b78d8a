"""Juries: several judges, their common score, and how far they agree."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any, Literal, NamedTuple

from metrics_framework.common.errors import UsageError, counted

Aggregate = Literal["mean", "median", "majority"]
_URL = re.compile("@(?=https?://)")
_OTHER = re.compile(r"[^\w.-]+")


class Juror(NamedTuple):
    """One judge of a jury.

    Attributes:
        label: Its name in scores: that of the model, without characters such as slashes.
        model: The name of the model, as the endpoint knows it.
        url: The base URL of its endpoint; `None` for that of the jury.
    """

    label: str
    model: str
    url: str | None


def jurors_of(judges: Sequence[str]) -> list[Juror]:
    """Returns the judges of a jury.

    Args:
        judges: Names of models, ``MODEL@URL`` for one of another endpoint; one text may name several: ``a+b+c``.

    Raises:
        UsageError: if there are fewer than two, or two have the same name.

    >>> [juror.label for juror in jurors_of(["org/a+b@http://localhost:8000/v1"])]
    ['org-a', 'b']
    """
    words = judges[0].split("+") if len(judges) == 1 else judges
    jurors = []
    for word in (word.strip() for word in words):
        model, *urls = _URL.split(word, maxsplit=1)
        jurors.append(Juror(_OTHER.sub("-", model).strip("-"), model, urls[0] if urls else None))
    labels = [juror.label for juror in jurors]
    if len(jurors) < 2 or not all(labels):
        raise UsageError(f"'judges' must name two models or more, such as a+b+c, got '{'+'.join(words)}'")
    if len(set(labels)) < len(labels):
        raise UsageError(f"'judges' must name different models, got '{'+'.join(words)}'")
    return jurors


def options_of_juror(juror: Juror, options: Mapping[str, Any], is_first: bool) -> dict[str, Any]:
    """Returns the options of one judge, given those of the jury.

    Each judge writes its own batch, with its label in the name. The first one reads the results of all into the cache.

    Args:
        juror: The judge.
        options: The options of the jury.
        is_first: Whether it is the first judge.

    >>> options_of_juror(Juror("org-a", "org/a", None), {"write_batch": "all.jsonl"}, True)["write_batch"]
    'all.org-a.jsonl'
    """
    batch, results = options.get("write_batch"), options.get("read_batch") or ()
    if batch is not None:
        start, dot, ending = batch.rpartition(".")
        batch = f"{start}.{juror.label}{dot}{ending}" if dot else batch
    return {
        **options,
        "model": juror.model,
        "url": options.get("url") if juror.url is None else juror.url,
        "answers": None,
        "write_batch": batch,
        "read_batch": results if is_first else (),
        "calls": options.get("calls", True) and not results,
    }


def most_frequent(scores: Sequence[float]) -> float:
    """Returns the most frequent score; the mean of those that are equally frequent.

    >>> most_frequent([1, 3, 3]), most_frequent([0, 1]), most_frequent([5, 1, 2])
    (3.0, 0.5, 2.6666666666666665)
    """
    counts = Counter(scores)
    most = max(counts.values())
    return mean([score for score, count in counts.items() if count == most])


def mean(scores: Sequence[float]) -> float:
    """Returns the mean of scores, rounded once."""
    return math.fsum(scores) / len(scores)


def median(scores: Sequence[float]) -> float:
    """Returns the middle score, or the mean of both.

    >>> median([3, 1, 9]), median([1, 2, 4, 9])
    (3.0, 3.0)
    """
    ordered, middle = sorted(scores), len(scores) // 2
    return mean(ordered[middle : middle + 1] if len(ordered) % 2 else ordered[middle - 1 : middle + 1])


AGGREGATES: Mapping[Aggregate, Callable[[Sequence[float]], float]] = {
    "mean": mean,
    "median": median,
    "majority": most_frequent,
}
"""How the scores of the judges become one."""


def aggregated(scores: Sequence[float], aggregate: Aggregate) -> float:
    """Returns the common score of the judges that have one; NaN if none has."""
    defined = [score for score in scores if not math.isnan(score)]
    return float(AGGREGATES[aggregate](defined)) if defined else math.nan


class JuryAgreement:
    """Collects the scores of judges, and describes how far they agree.

    Args:
        labels: The names of the judges.
    """

    def __init__(self, labels: Sequence[str]) -> None:
        self._labels = labels
        self._rows: list[Sequence[float]] = []

    def add(self, scores: Sequence[float]) -> None:
        """Adds the scores of an output, in the order of the judges."""
        self._rows.append(scores)

    def notes(self) -> list[str]:
        """Returns a line with Krippendorff's alpha, and one about each pair of judges."""
        if not self._rows:
            return []
        alpha = interval_alpha(self._rows)
        shown = "undefined" if math.isnan(alpha) else f"{alpha:.3f}"
        return [
            f"agreement of {counted(len(self._labels), 'judge')} on {counted(len(self._rows), 'output')}: "
            f"Krippendorff's α (interval) {shown}",
            *(self._pair(one, other) for one, other in combinations(range(len(self._labels)), 2)),
        ]

    def _pair(self, one: int, other: int) -> str:
        both = [row[other] - row[one] for row in self._rows if not math.isnan(row[one] + row[other])]
        names = f"{self._labels[one]} and {self._labels[other]}"
        if not both:
            return f"{names} have no output in common"
        equal = sum(difference == 0 for difference in both)
        return (
            f"{names} agree on {equal:,} of {counted(len(both), 'output')} ({100 * equal / len(both):.1f} %); "
            f"mean difference {mean(both):+.4g}, in absolute value {mean(list(map(abs, both))):.4g}"
        )


def interval_alpha(units: Sequence[Sequence[float]]) -> float:
    """Computes Krippendorff's alpha at the interval level; NaN if all scores are equal.

    It equals the coefficient of ``fw agreement``, which needs the scores of the whole run in memory as an array.

    Args:
        units: The scores of each output; NaN where a judge has none.

    >>> round(interval_alpha([[1, 1], [2, 2], [3, 4]]), 6)
    0.878049
    """
    paired = [[score for score in unit if not math.isnan(score)] for unit in units]
    paired = [unit for unit in paired if len(unit) > 1]
    scores = [score for unit in paired for score in unit]
    if not scores:
        return math.nan
    centre = mean(scores)
    expected = len(scores) * math.fsum((score - centre) ** 2 for score in scores)
    observed = math.fsum(
        len(unit) / (len(unit) - 1) * math.fsum((score - mean(unit)) ** 2 for score in unit) for unit in paired
    )
    return 1 - (len(scores) - 1) * observed / expected if expected else math.nan
