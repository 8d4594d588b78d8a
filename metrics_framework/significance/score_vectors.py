"""The outputs of a system as vectors that add up to its score: what can be resampled, swapped and left out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, TypeAlias

from metrics_framework.common.errors import InputError
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.metrics.base.batch_scores import Statistics
from metrics_framework.metrics.base.metric import CorpusMetric

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats: TypeAlias = npt.NDArray[np.float64]


class ScoreVectors:
    """The outputs of one system under one metric.

    Make them with `of_statistics` or `of_scores`.

    Args:
        ids: Which input each output belongs to.
        vectors: Shape (outputs, width); those of the outputs for one input are added up.
        scores_of: Makes scores of sums of vectors, shape (sums, width): flat name to numbers of shape (sums,), or
            (sums, places) where the score is a list; NaN where a score is not defined.
        meaning: What the numbers of a vector are; only vectors of one meaning are added up or compared.

    Attributes:
        inputs: The inputs, each once: numbers by their value, then all others as strings.
        vectors: One vector an input.
        scores_of: As above.
        meaning: As above.

    Raises:
        InputError: if there are no outputs, or not as many vectors as ids.
    """

    def __init__(
        self,
        ids: Sequence[str],
        vectors: Floats,
        scores_of: Callable[[Floats], dict[str, Floats]],
        meaning: Sequence[str],
    ) -> None:
        _check_length(ids, vectors)
        self.scores_of = scores_of
        self.meaning = meaning
        order = sorted(range(len(ids)), key=lambda place: in_order(ids[place]))
        groups = [(name, list(places)) for name, places in groupby(order, key=lambda place: ids[place])]
        self.inputs = [name for name, _ in groups]
        self.vectors = _sums(vectors, [places for _, places in groups])

    @classmethod
    def of_statistics(
        cls, metric: CorpusMetric, ids: Sequence[str], statistics: Sequence[Statistics] | Floats
    ) -> ScoreVectors:
        """Takes the additive statistics of outputs; the score is that of their sum.

        Args:
            metric: The metric.
            ids: Which input each output belongs to.
            statistics: The statistics of each output, shape (outputs, statistics).
        """
        import numpy as np

        kind = np.int64 if metric.statistics_are_whole else np.float64

        def scores_of(sums: Floats) -> dict[str, Floats]:
            defined = np.asarray(np.isfinite(sums).all(axis=1))
            scores = _columns([metric.score_statistics(row) for row in sums[defined].astype(kind).tolist()])
            return {name: _spread(values, defined) for name, values in scores.items()}

        return cls(ids, np.asarray(statistics, dtype=np.float64), scores_of, (metric.signature(),))

    @classmethod
    def of_scores(cls, ids: Sequence[str], scores: Sequence[Mapping[str, Any]]) -> ScoreVectors:
        """Takes the scores of outputs; the score of the system is their mean.

        As in `metrics.base.totals.MeanTotal`, the mean is over the outputs for which a score is defined; NaN if there
        are none. Where an output has an infinite score, no resample has a score.

        Args:
            ids: Which input each output belongs to.
            scores: The scores of each output, under the same names for all of them.
        """
        _check_length(ids, scores)
        return cls.of_columns(ids, _columns(scores))

    @classmethod
    def of_columns(cls, ids: Sequence[str], columns: Mapping[str, Floats]) -> ScoreVectors:
        """Does the same as `of_scores` with the numbers of each score, shape (outputs,) or (outputs, places)."""
        import numpy as np

        names = sorted(columns)
        flat = [columns[name].reshape(len(ids), -1) for name in names]
        ends = np.cumsum([values.shape[1] for values in flat])[:-1]
        shapes = {name: values.shape[1:] for name, values in columns.items()}
        numbers = np.concatenate([np.empty((len(ids), 0)), *flat], axis=1)
        defined = ~np.isnan(numbers)
        numbers = np.where(np.isinf(numbers), np.nan, np.where(defined, numbers, 0.0))
        width = numbers.shape[1]

        def scores_of(sums: Floats) -> dict[str, Floats]:
            counts = sums[:, width:]
            means = np.where(counts > 0, sums[:, :width] / np.maximum(counts, 1), np.nan)
            parts = dict(zip(names, np.split(means, ends, axis=1), strict=False))
            return {name: parts[name].reshape(len(sums), *shape) for name, shape in shapes.items()}

        meaning = [f"{name} {shapes[name]}" for name in names]
        return cls(ids, np.concatenate([numbers, defined], axis=1), scores_of, meaning)

    @classmethod
    def joined(cls, several: Sequence[ScoreVectors]) -> ScoreVectors:
        """Joins the outputs of systems under one metric, as if one had written all of them.

        Raises:
            InputError: if they are not under one metric.
        """
        import numpy as np

        check_meaning(several)
        numbers: dict[str, int] = {}
        places = [[numbers.setdefault(name, len(numbers)) for name in one.inputs] for one in several]
        vectors = np.zeros((len(numbers), several[0].vectors.shape[1]))
        for one, rows in zip(several, places, strict=True):
            vectors[rows] += one.vectors
        return cls(list(numbers), vectors, several[0].scores_of, several[0].meaning)

    def only(self, inputs: Sequence[str]) -> ScoreVectors:
        """Returns the outputs for some of the inputs."""
        places = {name: place for place, name in enumerate(self.inputs)}
        return ScoreVectors(inputs, self.vectors[[places[name] for name in inputs]], self.scores_of, self.meaning)


def in_order(name: str) -> tuple[bool, int, str, str]:
    """Returns the key that puts ids in order: numbers by their value, then all others as strings.

    >>> sorted(["b", "10", "9", "a1"], key=in_order)
    ['9', '10', 'a1', 'b']
    """
    if not (name.isascii() and name.isdigit()):
        return True, 0, name, name
    digits = name.lstrip("0")
    return False, len(digits), digits, name


def check_meaning(several: Sequence[ScoreVectors]) -> None:
    """Refuses outputs that are not under one metric.

    Raises:
        InputError: if they are not.
    """
    for one in several[1:]:
        if list(one.meaning) != list(several[0].meaning):
            raise InputError(
                f"outputs of several systems must be under one metric, got {', '.join(several[0].meaning)} for one and "
                f"{', '.join(one.meaning)} for another"
            )


def _check_length(ids: Sequence[str], values: Sequence[Any] | Floats) -> None:
    if not len(ids) or len(ids) != len(values):
        raise InputError(f"there must be outputs, and an id for each, got {len(values)} outputs and {len(ids)} ids")


def _sums(vectors: Floats, groups: Sequence[list[int]]) -> Floats:
    """Adds up the vectors of each group, from the first to the last."""
    import numpy as np

    sums = vectors[[places[0] for places in groups]]
    for nth in range(1, max(map(len, groups))):
        having = [place for place, places in enumerate(groups) if len(places) > nth]
        sums[having] += vectors[[groups[place][nth] for place in having]]
    return np.ascontiguousarray(sums, dtype=np.float64)


def _columns(scores: Sequence[Mapping[str, Any]]) -> dict[str, Floats]:
    """Turns the scores of outputs into numbers: flat name to an array of shape (outputs,) or (outputs, places)."""
    import numpy as np

    if not scores:
        return {}
    nested = any(isinstance(value, Mapping) for value in scores[0].values())  # most are not, and copies take time
    rows = [MetricsDict(one).flatten() for one in scores] if nested else scores
    return {name: np.array([row[name] for row in rows], dtype=np.float64) for name in rows[0]}


def _spread(values: Floats, places: npt.NDArray[np.bool_]) -> Floats:
    """Puts values where they belong, and NaN everywhere else."""
    import numpy as np

    spread = np.full((len(places), *values.shape[1:]), np.nan)
    spread[places] = values
    return spread
