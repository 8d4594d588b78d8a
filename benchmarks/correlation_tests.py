"""Simulates how often tests find a difference between two metrics of equal quality.

Run it with ``python benchmarks/correlation_tests.py`` (some minutes). Two metrics follow the human scores of 12 systems
for 80 inputs equally well. In model A, they have errors of single outputs only; in B each metric also has its
own errors for whole systems, in C for whole inputs. The output is three Markdown tables of the proportions of
simulations with p ≤ .05, with their standard errors:

1. tests of two metrics;
2. tests of the average of the tasks of WMT 2023 over two data sets: with one permutation of a data set for all its
   tasks (``joint``), and with separate permutations for each task (``published``);
3. tests of metrics that also have errors for the outputs of a system for a document of 5 inputs, in model A: without
   clusters, and with documents as clusters.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.meta_evaluation import PRESETS, average_matrix, difference

SYSTEMS, INPUTS, ALPHA = 12, 80, 0.05
MODELS = "ABC"
CASES = (  # statistic, coefficient, level, tests
    ("input, Pearson", "pearson", "input", ("cells", "inputs", "systems", "both")),
    ("input, accuracy", "acc-23", "input", ("cells", "inputs", "systems", "both")),
    ("system, Pearson", "pearson", "system", ("cells", "inputs", "systems", "both", "williams")),
    ("global, Pearson", "pearson", "global", ("cells", "inputs", "systems", "both")),
    ("SPA", "spa", "system", ("systems",)),
    ("SPA (`spa:normal`)", "spa:normal", "system", ("systems", "inputs", "both")),
    ("input, Pearson", "pearson", "input", ("bootstrap-systems", "bootstrap-inputs")),
)
AVERAGES = (  # procedure, test
    ("joint", "inputs"),
    ("joint", "systems"),
    ("joint", "both"),
    ("published", None),
)
DOCUMENT = 5
CLUSTERED = (  # statistic, coefficient, level, tests
    ("input, Pearson", "pearson", "input", ("inputs", "systems", "both")),
    ("system, Pearson", "pearson", "system", ("inputs", "systems", "both")),
    ("global, Pearson", "pearson", "global", ("inputs", "systems", "both")),
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


def of_documents(seed: int) -> tuple[Floats, Floats, Floats]:
    """Draws scores of model A, and adds errors of each metric for the outputs of a system for a document.

    Args:
        seed: The random seed.
    """
    generator = np.random.default_rng([seed, len(MODELS)])
    human, first, second = simulated("A", seed)
    errors = generator.normal(size=(2, SYSTEMS, INPUTS // DOCUMENT)).repeat(DOCUMENT, axis=2)
    return human, first + errors[0], second + errors[1]


def share(simulations: int, p_value: Callable[[int], float]) -> float:
    """Returns the proportion of simulations with p ≤ .05, given the p-value of a seed."""
    return sum(p_value(seed) <= ALPHA for seed in range(simulations)) / simulations


def rejected(model: str, name: str, level: str, test: str, simulations: int, resamples: int = 199) -> float:
    """Returns the proportion of simulations in which a test of two metrics finds a difference."""

    def p_value(seed: int) -> float:
        human, first, second = simulated(model, seed)
        return difference(human, first, second, name, level=level, test=test, resamples=resamples, seed=seed).p_value

    return share(simulations, p_value)


def rejected_average(model: str, procedure: str, test: str | None, simulations: int, resamples: int = 199) -> float:
    """Returns the proportion of simulations in which the averages of two metrics over two data sets differ."""

    def p_value(seed: int) -> float:
        data = {}
        for pair in (0, 1):
            human, first, second = simulated(model, 2 * seed + pair)
            data[f"data set {pair + 1}"] = (human, {"first": first, "second": second})
        published = procedure == "published"
        tasks = PRESETS["wmt23"](data)
        found = average_matrix(tasks, test=test, resamples=resamples, seed=seed, published=published)
        return float(found.p_values[0, 1])

    return share(simulations, p_value)


def rejected_clusters(
    name: str, level: str, test: str, clusters: Sequence[int] | None, simulations: int, resamples: int = 199
) -> float:
    """Returns the proportion of simulations with errors of documents in which a test finds a difference."""

    def p_value(seed: int) -> float:
        scores = of_documents(seed)
        return difference(
            *scores, name, level=level, test=test, resamples=resamples, seed=seed, clusters=clusters
        ).p_value

    return share(simulations, p_value)


def table(simulations: int, resamples: int, cases: Sequence[tuple[str, str, str, Sequence[str]]] = CASES) -> None:
    """Prints the table of tests of two metrics."""
    _heading(simulations, ("statistic", "test", *MODELS))
    for statistic, name, level, tests in cases:
        for test in tests:
            _row(statistic, test, [rejected(model, name, level, test, simulations, resamples) for model in MODELS])


def table_of_averages(simulations: int, resamples: int) -> None:
    """Prints the table of averages over data sets."""
    _heading(simulations, ("procedure", "test", *MODELS))
    for procedure, test in AVERAGES:
        shares = [rejected_average(model, procedure, test, simulations, resamples) for model in MODELS]
        _row(procedure, test or "of each level", shares)


def table_of_clusters(simulations: int, resamples: int) -> None:
    """Prints the table of errors that the inputs of a document share."""
    documents = np.repeat(np.arange(INPUTS // DOCUMENT), DOCUMENT).tolist()
    _heading(simulations, ("statistic", "test", "without clusters", "with clusters"))
    for statistic, name, level, tests in CLUSTERED:
        for test in tests:
            both = (None, documents)
            shares = [rejected_clusters(name, level, test, each, simulations, resamples) for each in both]
            _row(statistic, test, shares)


def _heading(simulations: int, titles: Sequence[str]) -> None:
    error = np.sqrt(ALPHA * (1 - ALPHA) / simulations)
    print(f"\n{simulations} simulations: a proportion of .05 has a standard error of {error:.3f}\n")
    print(f"| {' | '.join(titles)} |\n|{'---|' * len(titles)}")


def _row(what: str, test: str, shares: Sequence[float]) -> None:
    print(f"| {what} | `{test}` | {' | '.join(f'{one:.3f}'.lstrip('0') for one in shares)} |", flush=True)


def main() -> None:
    """Runs the simulations."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--simulations", type=int, default=1000, help="number per cell (default: %(default)s)")
    parser.add_argument(
        "--average-simulations", type=int, default=500, help="number per cell of averages (default: %(default)s)"
    )
    parser.add_argument("--resamples", type=int, default=199, help="permutations per test (default: %(default)s)")
    arguments = parser.parse_args()
    table(arguments.simulations, arguments.resamples)
    table_of_averages(arguments.average_simulations, arguments.resamples)
    table_of_clusters(arguments.simulations, arguments.resamples)


if __name__ == "__main__":
    main()
