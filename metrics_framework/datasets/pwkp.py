"""PWKP."""

from __future__ import annotations

from metrics_framework.common.overriding import overrides
from metrics_framework.datasets.dataset import Dataset
from metrics_framework.datasets.parts import ParallelText, Part, SystemOutputs, outputs_in

_EASSE = "easse/resources/data"
_OUTPUTS = f"{_EASSE}/system_outputs/pwkp/test"


@Dataset.register("pwkp")
class Pwkp(Dataset):
    """PWKP (WikiSmall): sentences of Wikipedia paired with sentences of Simple English Wikipedia."""

    @overrides
    def parts(self) -> list[Part]:
        test = _split("test")
        outputs = outputs_in(self.manifest, _OUTPUTS)
        return [test, _split("valid"), SystemOutputs("pwkp-outputs", test.source, test.references, outputs)]


def _split(split: str) -> ParallelText:
    stem = f"{_EASSE}/test_sets/pwkp/pwkp.{split}"
    return ParallelText(f"pwkp-{split}", f"{stem}.orig", [f"{stem}.simp"])
