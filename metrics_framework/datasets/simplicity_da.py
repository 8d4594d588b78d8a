"""Simplicity-DA."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from metrics_framework.common.overriding import overrides
from metrics_framework.datasets.dataset import Dataset, Manifest, Part
from metrics_framework.inputs.tables import read_table

_ASPECTS = ("fluency", "fluency_zscore", "meaning", "meaning_zscore", "simplicity", "simplicity_zscore")
_MEANS = "data/simplicity_DA.csv"
_RATINGS = "ratings_per_annotator/simplicity_DA_ratings.csv"


@Dataset.register("simplicity-da")
class SimplicityDa(Dataset):
    """Simplicity-DA: outputs of six systems with human ratings of simplicity, fluency and meaning."""

    @overrides
    def parts(self) -> list[Part]:
        return [MeanRatings("simplicity-da-means"), SingleRatings("simplicity-da-raters")]


@dataclass(frozen=True)
class MeanRatings(Part):
    """The outputs, each with the mean of its ratings and of its standardised ratings."""

    @property
    @overrides
    def files(self) -> Sequence[str]:
        return [_MEANS]

    @overrides
    def rows(self, paths: Mapping[str, str]) -> Iterator[dict[str, Any]]:
        for _, cells in read_table(paths[_MEANS]):
            yield {**_output(cells), "metrics": {aspect: float(cells[aspect]) for aspect in _ASPECTS}}

    @overrides
    def size(self, manifest: Manifest) -> str:
        return f"{manifest.files[_MEANS].lines - 1} outputs"


@dataclass(frozen=True)
class SingleRatings(Part):
    """The outputs, each with the list of its ratings of simplicity and the list of their raters."""

    @property
    @overrides
    def files(self) -> Sequence[str]:
        return [_RATINGS]

    @overrides
    def rows(self, paths: Mapping[str, str]) -> Iterator[dict[str, Any]]:
        rows: dict[tuple[str, str], dict[str, Any]] = {}
        for _, cells in read_table(paths[_RATINGS]):
            new = {**_output(cells), "raters": [], "metrics": {"simplicity": []}}
            row = rows.setdefault((cells["sent_id"], cells["sys_name"]), new)
            row["raters"].append(cells["rater_id"])
            row["metrics"]["simplicity"].append(float(cells["simplicity"]))
        yield from rows.values()

    @overrides
    def size(self, manifest: Manifest) -> str:
        return f"{manifest.files[_RATINGS].lines - 1} ratings"


def _output(cells: Mapping[str, str]) -> dict[str, Any]:
    return {
        "instance_id": cells["sent_id"],
        "summarizer_id": cells["sys_name"],
        "summarizer_type": "peer",
        "summary": cells["simp_sent"],
        "source": cells["orig_sent"],
    }
