"""QATS."""

from __future__ import annotations

from metrics_framework.common.overriding import overrides
from metrics_framework.datasets.dataset import Dataset
from metrics_framework.datasets.parts import Part, SystemOutputs

_STEM = "easse/resources/data/test_sets/qats/qats.test"


@Dataset.register("qats")
class Qats(Dataset):
    """QATS: sentences paired with outputs of simplification systems, without references."""

    @overrides
    def parts(self) -> list[Part]:
        return [SystemOutputs("qats-test", f"{_STEM}.orig", [], {"qats": f"{_STEM}.simp"})]
