"""Simulates how often tests find a difference between two metrics of equal quality.

Run it with ``python benchmarks/correlation_tests.py`` (some minutes). Two metrics follow the human scores of 12 systems
for 80 inputs equally well. In model A, they have errors of single outputs only; in B each metric also has its
own errors for whole systems, in C for whole inputs. The output is a Markdown table of the proportions of simulations with
p ≤ .05; their standard errors are in the first line.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np

from metrics_framework.meta_evaluation import difference
from metrics_framework.significance.arrays import Floats

SYSTEMS, INPUTS, ALPHA = 12, 80, 0.05
MODELS = "ABC"
CASES = (  # statistic, coefficient, level, tests
    ("input, Pearson", "pearson", "input", ("cells", "rows-cols", "inputs", "systems", "both")),
    ("input, accuracy", "acc-23", "input", ("cells", "inputs", "systems", "both", "pairs")),
    ("system, Pearson", "pearson", "system", ("cells", "inputs", "systems", "both", "williams")),
    ("global, Pearson", "pearson", "global", ("cells", "inputs", "systems", "both", "williams")),
    ("SPA", "spa:normal", "system", ("systems",)),
    ("input, Pearson", "pearson", "input", ("bootstrap-systems", "bootstrap-inputs", "bootstrap-both")),
)


def simulated(model: str, seed: int, systems: int = SYSTEMS, inputs: int = INPUTS) -> tuple[Floats, Floats, Floats]:
    """Draws human scores and two metrics of equal quality.

    Args:
        model: ``A`` (errors of single outputs), ``B`` (also of systems) or ``C`` (also of inputs).
        seed: The random seed.
        systems: The number of systems.
        inputs: The number of inputs.
    """
    generator = np.random.default_rng([seed, MODELS.index(model)])
    quality = 0.6 * generator.normal(size=(systems, 1)) + generator.normal(size=(1, inputs))
    quality = quality + generator.normal(size=(systems, inputs))
    human = quality + 0.7 * generator.normal(size=quality.shape)
    return human, _metric(quality, model, generator), _metric(quality, model, generator)


def _metric(quality: Floats, model: str, generator: np.random.Generator) -> Floats:
    metric = quality + generator.normal(size=quality.shape)
    if model == "B":
        metric = metric + 0.6 * generator.normal(size=(len(quality), 1))
    if model == "C":
        metric = metric + generator.normal(size=(1, quality.shape[1]))
    return np.asarray(metric)


def rejected(
    model: str, name: str, level: str, test: str, simulations: int, resamples: int = 199, first_seed: int = 0
) -> float:
    """Returns the proportion of simulations with p ≤ .05."""
    count = 0
    for seed in range(first_seed, first_seed + simulations):
        human, first, second = simulated(model, seed)
        found = difference(human, first, second, name, level=level, test=test, resamples=resamples, seed=seed)
        count += found.p_value <= ALPHA
    return count / simulations


def table(simulations: int, resamples: int, cases: Sequence[tuple[str, str, str, Sequence[str]]] = CASES) -> None:
    """Prints the table."""
    error = np.sqrt(ALPHA * (1 - ALPHA) / simulations)
    print(f"{simulations} simulations: a proportion of .05 has a standard error of {error:.3f}\n")
    print(f"| statistic | test | {' | '.join(MODELS)} |\n|---|---|{'---|' * len(MODELS)}")
    for statistic, name, level, tests in cases:
        for test in tests:
            shares = [rejected(model, name, level, test, simulations, resamples) for model in MODELS]
            print(f"| {statistic} | {test} | {' | '.join(f'{share:.3f}' for share in shares)} |", flush=True)


def main() -> None:
    """Runs the simulations."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--simulations", type=int, default=1000, help="number per cell (default: %(default)s)")
    parser.add_argument("--resamples", type=int, default=199, help="arrangements per test (default: %(default)s)")
    arguments = parser.parse_args()
    table(arguments.simulations, arguments.resamples)


if __name__ == "__main__":
    main()
