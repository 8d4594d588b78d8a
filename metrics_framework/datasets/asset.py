"""ASSET."""

from __future__ import annotations

from metrics_framework.common.overriding import overrides
from metrics_framework.datasets.dataset import Dataset
from metrics_framework.datasets.parts import ParallelText, Part

_NUMBER_OF_REFERENCES = 10


@Dataset.register("asset")
class Asset(Dataset):
    """ASSET: the sentences of TurkCorpus with ten references that split, drop and reword."""

    @overrides
    def parts(self) -> list[Part]:
        return [_split("test"), _split("valid")]


def _split(split: str) -> ParallelText:
    stem = f"dataset/asset.{split}"
    return ParallelText(
        f"asset-{split}", f"{stem}.orig", [f"{stem}.simp.{number}" for number in range(_NUMBER_OF_REFERENCES)]
    )
