"""HSplit."""

from __future__ import annotations

from metrics_framework.common.overriding import overrides
from metrics_framework.datasets.dataset import Dataset
from metrics_framework.datasets.parts import ParallelText, Part

_STEM = "easse/resources/data/test_sets/hsplit/hsplit.tok"


@Dataset.register("hsplit")
class HSplit(Dataset):
    """HSplit: the test sentences of TurkCorpus with four references that only split."""

    @overrides
    def parts(self) -> list[Part]:
        return [ParallelText("hsplit-test", f"{_STEM}.src", [f"{_STEM}.{number}" for number in range(1, 5)])]
