"""Scores of all pairs of texts: one matrix (decision 0053)."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from metrics_framework.common.errors import InputError, UsageError
from metrics_framework.data.lists import as_plain, is_list
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.texts import check_text, shown
from metrics_framework.kernels.dispatch import Request, native_kernel
from metrics_framework.metrics.base.checks import check_list

if TYPE_CHECKING:
    from metrics_framework.metrics.base.array_scores import Floats

CELLS_AT_ONCE = 4096
"""The number of scores that are dictionaries at the same time, if Python computes them."""


class PairwiseScores:
    """Scores each of some texts against each of other texts."""

    def pairwise(
        self: Any,
        hypotheses: Sequence[str],
        references: Sequence[str] | None = None,
        *,
        source: str | None = None,
        score: str | None = None,
    ) -> Floats:
        """Scores every hypothesis against every reference alone, for minimum Bayes risk decoding or self-BLEU.

        Each cell equals ``score(hypothesis, [reference])`` to the last bit; but neural networks compute slightly
        different numbers in batches of other texts. Texts are prepared once, and equal texts compared once.

        Args:
            hypotheses: The texts to score: the rows of the matrix. They are strings: a list of lists is an error,
                because it may be the hypotheses of several inputs.
            references: The texts to compare them with: the columns; by default, the hypotheses.
            source: The source that all hypotheses simplify or translate, for metrics that need it.
            score: The flat name of the score, such as ``rouge1_fmeasure``; by default, the score with the name of the
                metric, or its only one.

        Returns:
            A matrix of 64-bit floats with a row for each hypothesis and a column for each reference; NaN where the
            score is undefined.

        Raises:
            InputError: if a list contains something else than texts, the source is missing or superfluous, or the
                metric does not compare outputs with references.
            UsageError: if the metric has no such score.

        >>> from metrics_framework import load
        >>> load("ter").pairwise(["a cat sat", "a cat", "the cat sat"]).round(1).tolist()
        [[0.0, 50.0, 33.3], [33.3, 0.0, 66.7], [33.3, 100.0, 0.0]]
        """
        import numpy as np

        check_pairs(self, source)
        rows = Distinct("hypotheses", hypotheses)
        columns = rows if references is None else Distinct("references", references)
        if not rows.texts or not columns.texts:
            return np.empty((len(rows.places), len(columns.places)))
        matrix = _matrix(self, rows.texts, columns.texts, source, score)
        if len(rows.places) == len(rows.texts) and len(columns.places) == len(columns.texts):
            return matrix
        return matrix[np.ix_(rows.places, columns.places)]


class Distinct:
    """The distinct texts of a list.

    Args:
        name: The name of the argument, for error messages.
        values: The list.

    Attributes:
        texts: Each different text once, in order of first occurrence.
        places: For each text of the list its index in `texts`.

    Raises:
        InputError: if something in the list is not a text.
    """

    def __init__(self, name: str, values: Any) -> None:
        known: dict[str, int] = {}
        self.texts: list[Any] = []
        self.places: list[int] = []
        for index, value in enumerate(check_list(name, values)):
            text = _check_string(value, f"{name}[{index}]")
            place = known.setdefault(text, len(known))
            self.places.append(place)
            if place == len(self.texts):
                self.texts.append(text)


def _check_string(value: Any, name: str) -> str:
    """Returns a text that is a string, without objects of other libraries.

    Raises:
        InputError: if it is a list, or no text.
    """
    text = as_plain(value)
    if isinstance(text, (list, tuple)):
        raise InputError(
            f"'{name}' must be a string, got {shown(text)}; call pairwise() once for each input, or join the sentences "
            'of a text with " ".join(…)'
        )
    check_text(text, name)
    return str(text)


def check_pairs(metric: Any, source: Any) -> None:
    """Checks that a metric can compare single texts, with or without a source.

    Raises:
        InputError: if it cannot, or a source is missing or superfluous.
    """
    others = {*metric.fields} - {"summary", "references", "source"}
    if others or "references" not in metric.fields:
        raise InputError(
            "pairwise() needs a metric that compares the summary with references, and at most with a source; the "
            f"fields of '{metric.name}' are: {', '.join(metric.fields)}"
        )
    if ("source" in metric.fields) != (source is not None):
        problem = "needs the source of the hypotheses; pass source="
        raise InputError(f"'{metric.name}' {problem if source is None else 'does not use a source; leave it out'}")
    if source is not None:
        _check_string(source, "source")


def _matrix(metric: Any, rows: list[Any], columns: list[Any], source: Any, score: str | None) -> Floats:
    import numpy as np

    if metric.has_kernel and metric.kernel_requests & Request.SCORES:
        kernel = native_kernel(metric.kernel_name, Request.PAIRS)
        if kernel is not None:
            name = _name_of(metric, _scores(metric, rows[:1], columns[:1], source)[0], score)
            groups = _groups(metric, rows, [columns], source)
            found = metric.native(functools.partial(kernel, cell=name), *groups)
            if found is not None:
                return np.frombuffer(found[0][0]).reshape(len(rows), len(columns))
    matrix = np.empty((len(rows), len(columns)))
    width = max(1, CELLS_AT_ONCE // len(rows))
    for start in range(0, len(columns), width):
        block = columns[start : start + width]
        scores = _scores(metric, rows, block, source)
        name = _name_of(metric, scores[0], score)
        cells = np.array([_number(one, name) for one in scores]).reshape(len(block), len(rows))
        matrix[:, start : start + width] = cells.T
    return matrix


def _scores(metric: Any, rows: list[Any], columns: list[Any], source: Any) -> list[MetricsDict]:
    """Returns the scores of all rows with the first column, with the second, and so on."""
    groups = _groups(metric, rows, [[column] for column in columns], source)
    scores: list[MetricsDict] = metric.score_batch(Request.SCORES, *groups, checked=True).scores
    return scores


def _groups(metric: Any, rows: list[Any], references_list: list[list[Any]], source: Any) -> list[list[Any]]:
    """Returns the arguments of ``score_multi_all``: all rows with each list of references."""
    count = len(references_list)
    values: Mapping[str, list[Any]] = {
        "summary": [rows] * count,
        "references": references_list,
        "source": [as_plain(source)] * count,
    }
    return [values[field] for field in metric.fields]


def _name_of(metric: Any, scores: MetricsDict, score: str | None) -> str:
    """Returns the flat name of the score of a pair."""
    flat = scores.flatten()
    names = [name for name, value in flat.items() if not is_list(value)]
    name = score or (names[0] if len(names) == 1 else metric.name)
    if name in names:
        return name
    if score is None:
        problem = f"'{metric.name}' has several scores"
    else:
        problem = f"the score '{name}' of '{metric.name}' is {'a list' if name in flat else 'unknown'}"
    raise UsageError(f"{problem}; pass score=, one of {', '.join(names)}")


def _number(scores: MetricsDict, name: str) -> float:
    value = scores[name] if name in scores else scores.flatten()[name]
    return math.nan if value is None else float(value)
