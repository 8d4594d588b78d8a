"""WikiSplit."""

from __future__ import annotations

from metrics_framework.common.overriding import overrides
from metrics_framework.datasets.dataset import Dataset
from metrics_framework.datasets.parts import ParallelText, Part

_FOLDER = "easse/resources/data/test_sets/wikisplit"


@Dataset.register("wikisplit")
class WikiSplit(Dataset):
    """WikiSplit: sentences that an edit of Wikipedia split into two."""

    @overrides
    def parts(self) -> list[Part]:
        return [_split("test"), _split("valid")]


def _split(split: str) -> ParallelText:
    stem = f"{_FOLDER}/wikisplit.{split}.untok"
    return ParallelText(f"wikisplit-{split}", f"{stem}.orig", [f"{stem}.split"])
