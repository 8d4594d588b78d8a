"""Strategies that several tests draw from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from hypothesis import strategies as st

from metrics_framework.common.arrays import Floats
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.pyramid import Pyramid, Scu

WORDS = ["the", "cat", "sat", "on", "a", "mat", "dog", ".", ",", "Straße", "naïve", "猫", "🐈"]
# What breaks careless code: line ends that are none in a file, blanks of all kinds, marks that join to what
# stands before them, letters that change length in lower case, right-to-left text, faces of several code points.
SPECIAL = [
    "\u2028",
    "\x85",
    "\x0b",
    "\x1c",
    "\u00a0",
    "\u3000",
    "\u200b",
    "\ufeff",
    "e\u0301",
    "İ",
    "ß",
    "שלום",
    "👩‍🚀",
]


def texts() -> st.SearchStrategy[str]:
    """Texts of every kind of Unicode that a UTF-8 file can hold."""
    pieces = st.sampled_from(WORDS + SPECIAL) | st.text(max_size=5)
    return st.lists(pieces, max_size=8).map(" ".join)


def lines() -> st.SearchStrategy[str]:
    """Texts of one line: without a line feed, and with no carriage return at the end, which would belong to it."""
    return texts().map(lambda text: text.replace("\n", " ").rstrip("\r"))


def tokens(max_size: int = 8) -> st.SearchStrategy[list[str]]:
    """Lists of tokens, of few kinds, so that they repeat."""
    return st.lists(st.sampled_from(WORDS), max_size=max_size)


def sentences(max_size: int = 8) -> st.SearchStrategy[str]:
    """Texts of ordinary words."""
    return tokens(max_size).map(" ".join)


def references(max_size: int = 4) -> st.SearchStrategy[list[str]]:
    """The references of one output."""
    return st.lists(sentences(), min_size=1, max_size=max_size)


def references_lists(outputs: int) -> st.SearchStrategy[list[list[str]]]:
    """The references of several outputs, not equally many each."""
    return st.lists(references(), min_size=outputs, max_size=outputs)


def numbers() -> st.SearchStrategy[float]:
    """Scores: whole numbers and eighths, of which sums are exact."""
    return st.integers(-1000, 1000) | st.integers(-8000, 8000).map(lambda eighths: eighths / 8)


def metrics_dicts() -> st.SearchStrategy[MetricsDict]:
    """Scores: numbers, lists of numbers and dictionaries of these."""
    return alike(1).map(lambda drawn: drawn[0])


@st.composite
def alike(draw: st.DrawFn, count: int) -> list[MetricsDict]:
    """Several scores with the same keys."""
    shape = draw(metrics_shapes())
    wanted = count * _size(shape)
    drawn = iter(draw(st.lists(numbers(), min_size=wanted, max_size=wanted)))
    return [_filled(shape, drawn) for _ in range(count)]


def metrics_shapes() -> st.SearchStrategy[Any]:
    """The keys of scores, nested up to three deep: `None` stands for a number, n for a list of n numbers."""
    names = st.sampled_from(["a", "b", "c", "rouge-1", "f1"])
    shapes = st.none() | st.integers(0, 3)
    for _ in range(2):
        shapes = st.none() | st.integers(0, 3) | st.dictionaries(names, shapes, min_size=1, max_size=2)
    return st.dictionaries(names, shapes, min_size=1, max_size=3)


def _size(shape: Any) -> int:
    if isinstance(shape, dict):
        return sum(map(_size, shape.values()))
    return 1 if shape is None else int(shape)


def _filled(shape: Any, drawn: Iterator[float]) -> Any:
    if isinstance(shape, dict):
        return MetricsDict({key: _filled(inner, drawn) for key, inner in shape.items()})
    return next(drawn) if shape is None else [next(drawn) for _ in range(shape)]


@st.composite
def pyramids(draw: st.DrawFn, least: int = 0) -> Pyramid:
    """Pyramids of up to five model summaries."""
    count = draw(st.integers(least, 5))
    contributors = st.sets(st.integers(0, count - 1), min_size=1) if count else st.nothing()
    units = draw(st.lists(contributors, max_size=6)) if count else []
    return Pyramid(
        "d1",
        tuple("ABCDE"[:count]),
        ("reference",) * count,
        tuple(f"text {index}" for index in range(count)),
        tuple(Scu(number, tuple(sorted(unit))) for number, unit in enumerate(units, 1)),
    )


@st.composite
def score_matrices(draw: st.DrawFn, largest: int = 6, unit: int = 4, least: int = 1) -> tuple[Floats, Floats]:
    """Human scores and those of a metric, shape (systems, inputs), with ties and missing scores.

    Args:
        draw: Draws from other strategies.
        largest: The largest number of systems and of inputs.
        unit: Scores are integers divided by this number.
        least: The least number of systems.
    """
    shape = draw(st.integers(least, largest)), draw(st.integers(1, largest))
    size, values = shape[0] * shape[1], draw(st.sampled_from([1, 3, 40]))
    scores = st.lists(st.integers(0, values), min_size=size, max_size=size)
    human, metric = (np.array(draw(scores), float).reshape(shape) / unit for _ in range(2))
    for matrix in (human, metric) if draw(st.booleans()) else ():
        kept = draw(st.lists(st.sampled_from([True, True, True, False]), min_size=size, max_size=size))
        matrix[~np.reshape(kept, shape)] = np.nan
    return human, metric
