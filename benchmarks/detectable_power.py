"""Simulates how often a test finds a difference of the size that ``--detectable`` says it detects in 80 % of cases.

Run ``python benchmarks/detectable_power.py`` (some minutes). Two metrics follow the human scores; the second has
larger errors. They are chosen such that the difference between the two coefficients, on average over studies, equals
the least detectable difference that the test states. The output is a Markdown table: for each number of
systems that difference, and the proportion of studies with p ≤ .05.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.meta_evaluation.coefficients.lookup import checked_coefficient
from metrics_framework.meta_evaluation.differences.compared_metrics import compare_metrics
from metrics_framework.meta_evaluation.differences.difference_test import MetricTable, TestSettings

ALPHA = 0.05
SYSTEMS = (10, 12, 15, 30)
INPUTS = 40
CASES = (  # coefficient, level, test
    ("pearson", "system", "systems"),
    ("spearman", "system", "systems"),
    ("kendall-b", "system", "systems"),
    ("spa:normal", "system", "systems"),
    ("pearson", "input", "inputs"),
    ("kendall-b", "input", "inputs"),
    ("pearson", "input", "systems"),
)
ERRORS = 0.3
"""The standard deviation of the errors of the better metric for a system; inputs have five times as much."""


class Studies(NamedTuple):
    """Averages over simulated studies with the same errors.

    Attributes:
        difference: The mean difference between the coefficients.
        detectable: The mean of the stated least detectable differences, where one is stated.
        stated: The proportion of studies that state one.
        found: The proportion of studies with p ≤ .05.
    """

    difference: float
    detectable: float
    stated: float
    found: float


def study(seed: int, errors: float, systems: int, inputs: int) -> tuple[Floats, Floats, Floats]:
    """Draws human scores and two metrics.

    Args:
        seed: The random seed.
        errors: How many times as large the errors of the second metric are.
        systems: The number of systems.
        inputs: The number of inputs.
    """
    generator = np.random.default_rng(seed)
    shape = systems, inputs
    quality = generator.normal(size=(systems, 1)) + generator.normal(size=(1, inputs)) + generator.normal(size=shape)
    human = quality + 0.7 * generator.normal(size=shape)
    of_systems, of_outputs = generator.normal(size=(2, systems, 1)), generator.normal(size=(2, *shape))
    first, second = (
        quality + ERRORS * factor * (of_systems[number] + 5 * of_outputs[number])
        for number, factor in ((0, 1.0), (1, errors))
    )
    return human, first, second


def simulated(case: tuple[str, str, str], errors: float, systems: int, number: int, resamples: int) -> Studies:
    """Simulates studies.

    Args:
        case: Coefficient, level and test.
        errors: How many times as large the errors of the second metric are.
        systems: The number of systems.
        number: The number of studies.
        resamples: The number of permutations.
    """
    name, level, test = case
    differences, detectable, found = [], [], 0
    for seed in range(number):
        human, first, second = study(seed, errors, systems, INPUTS)
        coefficient, at, options = checked_coefficient(name, level, seed=seed)
        compared = compare_metrics(
            MetricTable(human, {"first": first, "second": second}),
            coefficient,
            at,
            {"first": options, "second": options},
            TestSettings(test, resamples, seed, power=True),
        )
        ((power,),) = compared.power.values()
        differences.append(compared.values["first"] - compared.values["second"])
        detectable.append(power.least_detectable)
        found += bool(compared.p_values[0, 1] <= ALPHA)
    has_one = ~np.isnan(detectable)
    mean = float(np.mean(np.array(detectable)[has_one])) if has_one.any() else np.nan
    return Studies(float(np.mean(differences)), mean, float(has_one.mean()), found / number)


def at_the_stated_difference(case: tuple[str, str, str], systems: int, number: int, resamples: int) -> Studies | None:
    """Searches the errors at which the expected difference is the stated one, on a scale of powers of two.

    Returns:
        The studies; `None` if no errors make the difference so large.
    """
    least, largest = 0.0, 6.0
    found = simulated(case, 2.0**largest, systems, max(40, number // 4), resamples)
    if not found.difference >= found.detectable:
        return None
    for _ in range(6):
        middle = (least + largest) / 2
        found = simulated(case, 2.0**middle, systems, max(40, number // 4), resamples)
        least, largest = (least, middle) if found.difference >= found.detectable else (middle, largest)
    return simulated(case, 2.0 ** ((least + largest) / 2), systems, number, resamples)


def table(systems: Sequence[int], number: int, resamples: int) -> None:
    """Prints the table."""
    error = np.sqrt(0.8 * 0.2 / number)
    print(f"{number} studies of {INPUTS} inputs: a proportion of .8 has a standard error of {error:.3f}\n")
    print(f"| coefficient | level | test | {' | '.join(f'{count} systems' for count in systems)} |")
    print(f"|---|---|---|{'---|' * len(systems)}")
    for case in CASES:
        cells = []
        for count in systems:
            found = at_the_stated_difference(case, count, number, resamples)
            cells.append("none" if found is None else f"{found.detectable:.2f}: {found.found:.2f}".replace("0.", "."))
        print(f"| `{case[0]}` | {case[1]} | `{case[2]}` | {' | '.join(cells)} |", flush=True)


def main() -> None:
    """Runs the simulations."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--systems", type=int, nargs="+", default=list(SYSTEMS), help="numbers of systems")
    parser.add_argument("--studies", type=int, default=300, help="number per cell (default: %(default)s)")
    parser.add_argument("--resamples", type=int, default=199, help="permutations per test (default: %(default)s)")
    arguments = parser.parse_args()
    table(arguments.systems, arguments.studies, arguments.resamples)


if __name__ == "__main__":
    main()
