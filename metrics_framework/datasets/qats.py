"""QATS."""

from __future__ import annotations

from overrides import overrides

from metrics_framework.datasets.dataset import Dataset
from metrics_framework.datasets.parts import Part, SystemOutputs

STEM = "easse/resources/data/test_sets/qats/qats.test"


@Dataset.register("qats")
class Qats(Dataset):
    """QATS: sentences paired with outputs of simplification systems, without references."""

    @overrides
    def parts(self) -> list[Part]:
        return [SystemOutputs("qats-test", f"{STEM}.orig", [], {"qats": f"{STEM}.simp"})]
