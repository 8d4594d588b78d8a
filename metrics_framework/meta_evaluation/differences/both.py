"""The test of other systems and other inputs: the larger of two p-values."""

from __future__ import annotations

from metrics_framework.common.overriding import overrides
from metrics_framework.meta_evaluation.coefficients.coefficient import Coefficient
from metrics_framework.meta_evaluation.differences.difference_test import Compared, DifferenceTest, Tested
from metrics_framework.meta_evaluation.differences.inputs import SwappedInputs
from metrics_framework.meta_evaluation.differences.systems import SwappedSystems
from metrics_framework.meta_evaluation.levels import Level

PARTS: tuple[DifferenceTest, ...] = (SwappedInputs(), SwappedSystems())


@DifferenceTest.register("both")
class InputsAndSystems(DifferenceTest):
    """Takes the larger of the p-values of ``inputs`` and ``systems``: speaks of other systems and other inputs."""

    @property
    @overrides
    def combined(self) -> tuple[DifferenceTest, ...]:
        return PARTS

    @overrides
    def population(self, shape: tuple[int, int], level: Level) -> str:
        return "for other systems and other inputs"

    @overrides
    def refusal(self, coefficient: Coefficient, level: Level) -> str | None:
        return next(filter(None, (part.refusal(coefficient, level) for part in self.combined)), None)

    @overrides
    def compare(self, compared: Compared, first: str, second: str) -> Tested:
        parts = tuple(part.compare(compared, first, second) for part in self.combined)
        return Tested(
            p_value=max(part.p_value for part in parts),
            p_greater=max(part.p_greater for part in parts),
            p_less=max(part.p_less for part in parts),
            test=self.name,
            population=self.population(compared.scores.shape, compared.level),
            permutations=min(part.permutations for part in parts),
            is_exact=all(part.is_exact for part in parts),
            least_p=max(part.least_p for part in parts),
            undefined_draws=max(part.undefined_draws for part in parts),
            notes=tuple(note for part in parts for note in part.notes),
            parts=parts,
        )
