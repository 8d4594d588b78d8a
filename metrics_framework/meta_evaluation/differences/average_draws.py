"""The permutations of several tasks: one of each data set for all its tasks, or separate ones as in shared tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation.differences.difference_settings import TestSettings
from metrics_framework.meta_evaluation.differences.difference_test import chosen_test, load_test
from metrics_framework.meta_evaluation.differences.inputs import SwappedInputs
from metrics_framework.meta_evaluation.differences.measured_tasks import MeasuredTask
from metrics_framework.meta_evaluation.differences.metric_set import MetricSet
from metrics_framework.meta_evaluation.differences.permutation_test import PermutationTest
from metrics_framework.meta_evaluation.levels import Level
from metrics_framework.meta_evaluation.sums.permutations import Permutations


@dataclass(frozen=True)
class AverageDraw:
    """The permutations of all tasks.

    Args:
        tests: The test of each task.
        permutations: The permutations of each data set of each task.
        population: The population of which they speak.
    """

    tests: Sequence[str]
    permutations: Sequence[Sequence[Permutations]]
    population: str

    @property
    def first(self) -> Permutations:
        """The first permutations, whose number all have."""
        return self.permutations[0][0]


def joint_draws(
    tasks: Sequence[MeasuredTask], data_sets: Mapping[str, MetricSet], settings: TestSettings
) -> list[AverageDraw]:
    """Draws one permutation of each data set for all its tasks; one result for each test that the chosen one combines.

    Args:
        tasks: The tasks.
        data_sets: Data set to its scores.
        settings: The settings of the test; ``inputs`` by default.

    Raises:
        InputError: if the test swaps no scores.
    """
    chosen = load_test(settings.test) if settings.test else SwappedInputs()
    used = list(dict.fromkeys(part.data_set for task in tasks for part in task.parts))
    draws = []
    for test in chosen.combined:
        if not isinstance(test, PermutationTest):
            raise InputError(f"averages need a test that swaps scores, got '{chosen.name}'; use 'inputs' or 'systems'")
        seeds = [_seed_of(settings.seed, index) if index else settings.seed for index in range(len(used))]
        drawn = dict(zip(used, test.draw([data_sets[name] for name in used], settings, seeds), strict=True))
        draws.append(
            AverageDraw(
                [chosen.name] * len(tasks),
                [[drawn[part.data_set] for part in task.parts] for task in tasks],
                _population(test, [data_sets[name] for name in used], tasks[0].level),
            )
        )
    return draws


def published_draw(tasks: Sequence[MeasuredTask], settings: TestSettings) -> AverageDraw:
    """Draws permutations separately for each task, by the test of its level unless one is given.

    Raises:
        InputError: if the test swaps no scores.
    """
    tests, permutations = [], []
    for number, task in enumerate(tasks):
        test = chosen_test(task.level, settings.test)
        if not isinstance(test, PermutationTest):
            raise InputError(
                f"the procedure 'published' needs one test that swaps scores, got '{test.name}'; use 'inputs' or "
                "'systems'"
            )
        seed = _seed_of(settings.seed, number)
        tests.append(test)
        permutations.append(
            [
                test.draw([part.scores], settings, [seed + index], enumerate_all=False)[0]
                for index, part in enumerate(task.parts)
            ]
        )
    scores = [part.scores for task in tasks for part in task.parts]
    populations = dict.fromkeys(_population(test, scores, task.level) for test, task in zip(tests, tasks, strict=True))
    return AverageDraw([test.name for test in tests], permutations, "; ".join(populations))


def _seed_of(seed: int, number: int) -> int:
    return int(np.random.SeedSequence([seed, number]).generate_state(1)[0])


def _population(test: PermutationTest, scores: Sequence[MetricSet], level: Level) -> str:
    shapes = {one.shape for one in scores}
    return test.population(shapes.pop(), level) if len(shapes) == 1 else test.population_of_data_sets
