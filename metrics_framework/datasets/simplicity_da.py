"""Simplicity-DA."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from metrics_framework.common.overriding import overrides
from metrics_framework.datasets.dataset import Dataset, Manifest, Part, Rows
from metrics_framework.inputs.tables import read_rows

_ASPECTS = ("fluency", "fluency_zscore", "meaning", "meaning_zscore", "simplicity", "simplicity_zscore")


@Dataset.register("simplicity-da")
class SimplicityDa(Dataset):
    """Simplicity-DA: outputs of six systems with human ratings of simplicity, fluency and meaning."""

    @overrides
    def parts(self) -> list[Part]:
        means = Ratings("simplicity-da-means", "data/simplicity_DA.csv", "outputs", _means)
        ratings = "ratings_per_annotator/simplicity_DA_ratings.csv"
        return [means, Ratings("simplicity-da-raters", ratings, "ratings", _single_ratings)]


@dataclass(frozen=True)
class Ratings(Part):
    """The outputs with their ratings.

    Args:
        name: The name.
        file: The table.
        unit: What its rows are.
        read: Yields the rows of the part, given the path of the table.
    """

    file: str
    unit: str
    read: Callable[[str], Rows] = field(compare=False)

    @property
    @overrides
    def files(self) -> Sequence[str]:
        return [self.file]

    @overrides
    def rows(self, paths: Mapping[str, str]) -> Rows:
        return self.read(paths[self.file])

    @overrides
    def size(self, manifest: Manifest) -> str:
        return f"{manifest.files[self.file].lines - 1} {self.unit}"


def _means(path: str) -> Rows:
    """Yields the outputs, each with the mean of its ratings and of its standardised ratings."""
    for _, cells in read_rows(path, as_texts=True):
        yield {**_output(cells), "metrics": {aspect: float(cells[aspect]) for aspect in _ASPECTS}}


def _single_ratings(path: str) -> Rows:
    """Yields the outputs, each with the list of its ratings of simplicity and the list of their raters."""
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for _, cells in read_rows(path, as_texts=True):
        new = {**_output(cells), "raters": [], "metrics": {"simplicity": []}}
        row = rows.setdefault((cells["sent_id"], cells["sys_name"]), new)
        row["raters"].append(cells["rater_id"])
        row["metrics"]["simplicity"].append(float(cells["simplicity"]))
    yield from rows.values()


def _output(cells: Mapping[str, str]) -> dict[str, Any]:
    return {
        "instance_id": cells["sent_id"],
        "summarizer_id": cells["sys_name"],
        "summarizer_type": "peer",
        "summary": cells["simp_sent"],
        "source": cells["orig_sent"],
    }
