"""Multidimensional quality metrics (MQM): errors that raters mark in outputs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, NamedTuple

from metrics_framework.common.errors import DataError, Problems, counted
from metrics_framework.common.overriding import overrides
from metrics_framework.datasets.dataset import declared_in
from metrics_framework.inputs.tables import read_rows
from metrics_framework.inputs.values import plain_number
from metrics_framework.meta_evaluation.ratings.rating_format import RatingFormat, about_input, annotation_rows
from metrics_framework.metrics.base.direction import BETTER_HIGHER, BETTER_LOWER

_ATTENTION_CHECK = "hotw-test"
"""The severity of lines that record whether a rater noticed an error planted to keep raters attentive."""


@RatingFormat.register("mqm")
class Mqm(RatingFormat):
    """Reads MQM annotations: a table with one error per line.

    The columns are those of ids (seg_id, system, …), the rater, category and severity; others are ignored. A rater's
    score of an output is minus the sum of the weights of its errors: non-translation 25, critical and major 5, minor 1
    (punctuation 0.1), neutral and no-error 0 (Freitag et al., 2021). An output whose only line is no-error has the
    score 0, an output without a line has no score. Attention checks (HOTW-test) are left out. Rows have ``mqm``, a list
    with one score per rater, ``mqm_errors``, the number of errors of each severity, and ``document`` and ``domain``, if
    the table has them.

    Args:
        weights: A table with the columns category, severity and weight, which replaces the usual weights; the first row
            that matches is used, an empty cell matches everything.
    """

    has_roles: ClassVar[bool] = True

    def __init__(self, weights: str = "") -> None:
        self.weights = weights
        self._read = ""
        self._errors: list[str] = []

    @overrides
    def rows(self, path: str, problems: Problems) -> Iterator[dict[str, Any]]:
        weights = read_weights(self.weights) if self.weights else freitag_2021()
        outputs: dict[tuple[str, str], dict[str, list[tuple[float, str]]]] = {}
        about: dict[tuple[str, str], dict[str, str]] = {}
        for row, (category, severity) in annotation_rows(path, ("category", "severity"), problems, self.rules):
            with problems.at(path, row.line):
                severity = severity.casefold().replace("_", "-")
                if severity == _ATTENTION_CHECK:
                    self.dropped["attention check"] += 1
                    continue
                weight = weight_of(weights, category, severity)
                about.setdefault(row.unit, about_input(row))
                errors = outputs.setdefault(row.unit, {}).setdefault(row.rater or "", [])
                errors.append((weight, severity))
        self.dropped.update(self.rules.left_out)
        lists = [errors for raters in outputs.values() for errors in raters.values()]
        severities = sorted({severity for errors in lists for _, severity in errors})
        self._errors = sorted({severity for errors in lists for weight, severity in errors if weight > 0})
        self._read = f"{counted(sum(map(len, lists)), 'annotation')} of {counted(len(outputs), 'output')}"
        for (instance, system), raters in outputs.items():
            of_raters = dict(sorted(raters.items()))
            scores = [-math.fsum(weight for weight, _ in errors) or 0.0 for errors in of_raters.values()]  # 0, not −0
            found = [Counter(severity for _, severity in errors) for errors in of_raters.values()]
            counts = {name: [of_rater[name] for of_rater in found] for name in severities}
            metrics = {"mqm": scores, "mqm_errors": counts}
            ids = {"instance_id": instance, "summarizer_id": system, **about[instance, system]}
            yield {**ids, "raters": [*of_raters], "metrics": metrics}

    @overrides
    def signature(self) -> str:
        return f"{super().signature()}|weights:{self.weights or 'Freitag-2021'}"

    @overrides
    def signatures(self) -> dict[str, str]:
        signature = self.signature()
        lower = {f"mqm_errors_{severity}": f"{signature}|{BETTER_LOWER}" for severity in self._errors}
        return {**super().signatures(), "mqm": f"{signature}|{BETTER_HIGHER}", **lower}

    @overrides
    def notes(self) -> Sequence[str]:
        source = f"weights of {self.weights}" if self.weights else "weights of Freitag et al. (2021)"
        return [f"{self._read}; {source}", *super().notes()]


class ErrorWeight(NamedTuple):
    """The weight of some errors.

    Args:
        category: The start of the category, in lower case; empty for every category.
        severity: The severity, in lower case; empty for every severity.
        weight: The weight.
    """

    category: str
    severity: str
    weight: float

    def applies(self, category: str, severity: str) -> bool:
        """Returns whether an error, in lower case, has this weight."""
        return category.startswith(self.category) and self.severity in ("", severity)


def freitag_2021() -> list[ErrorWeight]:
    """Returns the weights of Freitag et al. (2021), "Experts, Errors, and Context"; the first that applies is used."""
    return [ErrorWeight(*weight) for weight in declared_in("wmt.json")["mqm"]]


def read_weights(path: str) -> list[ErrorWeight]:
    """Reads a table with the columns ``category``, ``severity`` and ``weight``; the first row that applies is used.

    Args:
        path: A ``.csv`` or ``.tsv`` file. An empty category or severity matches all; a category matches all that start
            with it; case does not matter.

    Raises:
        DataError: if a column is missing, a weight is not a number, or the table has no rows.
    """
    weights = []
    for line, cells in read_rows(path, as_texts=True):
        for column in ErrorWeight._fields:
            if column not in cells:
                raise DataError(f"has no column '{column}'; its columns are {', '.join(cells)}", path, 1)
        category, severity = (cells[name].strip().casefold() for name in ("category", "severity"))
        weight = plain_number(cells["weight"])
        if weight is None:
            raise DataError(f"'weight' must be a number, got '{cells['weight']}'", path, line)
        weights.append(ErrorWeight(category, severity, weight))
    if not weights:
        raise DataError("contains no weights", path)
    return weights


def weight_of(weights: Sequence[ErrorWeight], category: str, severity: str) -> float:
    """Returns the weight of an error.

    Raises:
        DataError: if no weight applies.

    >>> [weight_of(freitag_2021(), *one) for one in (("Fluency/Punctuation", "Minor"), ("Non-translation!", "Major"))]
    [0.1, 25]
    """
    for one in weights:
        if one.applies(category.strip().casefold(), severity.strip().casefold()):
            return one.weight
    known = dict.fromkeys(one.severity for one in weights if one.severity)
    raise DataError(
        f"no weight for severity '{severity}' of category '{category}'; known severities: {', '.join(known)}"
    )
