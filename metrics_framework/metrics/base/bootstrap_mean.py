"""The average that the program ROUGE-1.5.5 prints: the mean of the means of bootstrap resamples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from metrics_framework.common.errors import InputError
from metrics_framework.common.overriding import overrides
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.metrics.base.totals import Total

RESAMPLES = 1000
_MULTIPLIER, _INCREMENT, _BITS = 0x5DEECE66D, 11, 48
_FIRST_BITS = 0x330E


class BootstrapMean(Total):
    """The mean of 1000 bootstrap resamples of the outputs, with the random numbers of ROUGE-1.5.5.

    The program seeds the random numbers of Perl with 0 for the first resample, 1 for the second, and so on, so it
    prints the same averages each time. Perl from version 5.20 on has the generator drand48 on all systems. The program
    sorts evaluations by their ids as texts; they are numbered from 1, as SacreROUGE does, in the order of the outputs.
    So the average depends on the order of the outputs, and older versions of Perl print other last digits.

    All scores are kept in memory.

    >>> total = BootstrapMean()
    >>> for share in (20.0, 28.571):
    ...     total.add(MetricsDict({"rouge-1": {"recall": share}}), None)
    >>> total.score()
    {'rouge-1': {'recall': 24.285}}
    """

    def __init__(self) -> None:
        self._scores: list[MetricsDict] = []

    @overrides
    def add(self, scores: MetricsDict, statistics: Sequence[float] | None) -> None:
        self._scores.append(scores)
        self.count += 1

    @overrides
    def score(self) -> MetricsDict:
        if not self.count:
            raise InputError("cannot compute the score of zero outputs")
        flat = [list(scores.flatten().values()) for scores in self._scores]
        means = iter(bootstrap_means(flat))
        return self._scores[0].map(lambda _: next(means))


def bootstrap_means(rows: Sequence[Sequence[float]]) -> list[float]:
    """Returns the mean of each column over 1000 resamples of the rows, rounded to three decimal places.

    It is computed from shares with five decimal places, as in the program, so that ties are rounded alike.

    Args:
        rows: The scores of each output, from 0 to 100.
    """
    import numpy

    values: Any = numpy.array([[round(score / 100, 5) for score in row] for row in rows])
    values = values[sorted(range(len(rows)), key=lambda index: f"{index + 1}.1")]
    states = (numpy.arange(RESAMPLES, dtype=numpy.uint64) << numpy.uint64(16)) + numpy.uint64(_FIRST_BITS)
    mask = numpy.uint64((1 << _BITS) - 1)
    sums = numpy.zeros((RESAMPLES, values.shape[1]))
    for _ in rows:
        states = (states * numpy.uint64(_MULTIPLIER) + numpy.uint64(_INCREMENT)) & mask  # modulo 2^64, then 2^48
        draws = states.astype(float) * 2.0**-_BITS * len(rows)
        sums += values[draws.astype(int)]
    means = sums / len(rows)
    totals = numpy.zeros(values.shape[1])
    for mean in means:  # one after the other, as in the program; NumPy's sum adds pairwise
        totals += mean
    return [round(round(float(mean), 5) * 100_000) / 1000 for mean in totals / RESAMPLES]
