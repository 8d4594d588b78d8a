"""Simulates how often 95 % intervals contain the true score, and how often tests find a difference that is none.

Run it with ``python benchmarks/coverage.py`` (20 minutes). A simulation draws the outputs of a system for some inputs
from a population whose score is known: numbers from a normal and from a lognormal (skewed) distribution, whose score is
the mean; documents of five numbers that share an effect of their document; such documents of three domains of different
means and sizes (½, ⅓ and ⅙ of the documents), whose score is the mean over domains; and TurkCorpus below ``FW_SHARED``,
or generated text, whose score is that of all its sentences. For the tests, two equal systems swap their outputs for
each input with probability ½. Documents are resampled as wholes and, for comparison, as if their numbers were
independent; the number of inputs is that of documents. The output is a Markdown table of percentages, with their
standard errors.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from corpora import texts
from turkcorpus import SYSTEMS, TurkCorpus

from metrics_framework.common.arrays import Floats
from metrics_framework.metrics.base.metric import load
from metrics_framework.significance.compared_systems import bootstrap_intervals
from metrics_framework.significance.paired_tests import paired_p_values
from metrics_framework.significance.resampling import INTERVAL_METHODS, IntervalMethod, Resampling
from metrics_framework.significance.score_vectors import ScoreVectors

INPUTS = (3, 5, 8, 10, 20, 40, 100)
ALPHA = 0.05
TESTS = ("randomization", "bootstrap")
OUTPUTS_OF_DOCUMENT = 5
Generator: TypeAlias = np.random.Generator


class Numbers:
    """Scores of outputs from a distribution; the score of a system is their mean.

    Args:
        name: The name of the score in the table.
        draw: Draws numbers.
        truth: Their expectation.
    """

    def __init__(self, name: str, draw: Callable[[Generator, int], Floats], truth: float) -> None:
        self.name, self.score, self.truth = name, "mean", truth
        self._draw = draw

    def system(self, generator: Generator, inputs: int) -> ScoreVectors:
        """Returns the outputs of a system for some inputs."""
        return ScoreVectors.of_columns(_ids(self._size(inputs)), {"mean": self._draw(generator, inputs)})

    def clusters(self, inputs: int) -> dict[str, str] | None:
        """Returns the cluster of each input, if there are clusters."""
        return None

    def _size(self, inputs: int) -> int:
        return inputs

    def pair(self, generator: Generator, inputs: int) -> tuple[ScoreVectors, ScoreVectors]:
        """Returns the outputs of two equal systems."""
        return self.system(generator, inputs), self.system(generator, inputs)


class Documents(Numbers):
    """Scores of five outputs per document: normal numbers plus a normal effect of the document.

    Args:
        name: The name of the score in the table.
        is_clustered: Whether documents are resampled as wholes.
    """

    def __init__(self, name: str, is_clustered: bool) -> None:
        super().__init__(name, self._numbers, 0.0)
        self.is_clustered = is_clustered

    @staticmethod
    def _numbers(generator: Generator, documents: int) -> Floats:
        effects = generator.normal(size=documents).repeat(OUTPUTS_OF_DOCUMENT)
        numbers: Floats = effects + generator.normal(size=len(effects))
        return numbers

    def clusters(self, documents: int) -> dict[str, str] | None:
        """Returns the document of each input; `None` to ignore documents."""
        if not self.is_clustered:
            return None
        return {name: str(number // OUTPUTS_OF_DOCUMENT) for number, name in enumerate(_ids(self._size(documents)))}

    def _size(self, inputs: int) -> int:
        return OUTPUTS_OF_DOCUMENT * inputs


class Domains(Documents):
    """Documents of three domains; the score of a system is the mean over domains of the means of their outputs."""

    def __init__(self, name: str) -> None:
        super().__init__(name, is_clustered=True)
        self.truth = 1.0

    def system(self, generator: Generator, inputs: int) -> ScoreVectors:
        """Returns the outputs of a system for some documents."""
        domains = np.resize([0, 0, 0, 1, 1, 2], inputs).repeat(OUTPUTS_OF_DOCUMENT)
        ids = _ids(self._size(inputs))
        system = ScoreVectors.of_columns(ids, {"mean": domains + self._numbers(generator, inputs)})
        return system.averaged_over(dict(zip(ids, map(str, domains), strict=True)), ["0", "1", "2"])


class Sentences:
    """Outputs for sentences of a test set, drawn with replacement.

    Args:
        metric: The metric.
        text: The test set with the outputs of systems.
    """

    def __init__(self, metric: str, text: TurkCorpus) -> None:
        self.name = self.score = metric
        self._metric: Any = load(metric)
        arguments = [text.references_list, text.sources][: len(self._metric.fields) - 1]
        self._systems = []
        for system in SYSTEMS[:2]:
            groups = self._metric.statistics_multi_all([[summary] for summary in text.outputs[system]], *arguments)
            self._systems.append(np.array([vector for (vector,) in groups], dtype=np.float64))
        self.truth = self._metric.score_statistics(self._systems[0].sum(axis=0).tolist())[metric]

    def _vectors(self, statistics: Floats) -> ScoreVectors:
        return ScoreVectors.of_statistics(self._metric, _ids(len(statistics)), statistics)

    def clusters(self, inputs: int) -> dict[str, str] | None:
        """Returns the cluster of each input, if there are clusters."""
        return None

    def system(self, generator: Generator, inputs: int) -> ScoreVectors:
        """Returns the outputs of a system for some inputs."""
        return self._vectors(self._systems[0][generator.integers(len(self._systems[0]), size=inputs)])

    def pair(self, generator: Generator, inputs: int) -> tuple[ScoreVectors, ScoreVectors]:
        """Returns the outputs of two equal systems: for each input, those of two systems in random order."""
        drawn = generator.integers(len(self._systems[0]), size=inputs)
        is_swapped = generator.integers(2, size=(inputs, 1), dtype=bool)
        one, other = (statistics[drawn] for statistics in self._systems)
        return self._vectors(np.where(is_swapped, other, one)), self._vectors(np.where(is_swapped, one, other))


def _ids(inputs: int) -> list[str]:
    return [str(number) for number in range(inputs)]


def populations(metrics: Sequence[str], text: TurkCorpus) -> list[Numbers | Sentences]:
    """Returns the populations to draw from."""
    normal = Numbers("mean, normal", lambda generator, count: generator.normal(size=count), 0.0)
    skewed = Numbers("mean, lognormal", lambda generator, count: generator.lognormal(size=count), float(np.exp(0.5)))
    documents = [Documents("documents of 5, clustered", True), Documents("documents of 5, ignored", False)]
    documents.append(Domains("documents of 5 of 3 domains, clustered"))
    return [normal, skewed, *documents, *(Sentences(metric, text) for metric in metrics)]


def covered(population: Numbers | Sentences, inputs: int, method: IntervalMethod, simulations: int) -> float:
    """Returns the proportion of intervals that contain the true score; an undefined interval does not."""
    count = 0
    for seed in range(simulations):
        system = population.system(np.random.default_rng([seed, inputs]), inputs)
        system = system.clustered(population.clusters(inputs))
        (found,) = bootstrap_intervals([system], Resampling(seed=seed, method=method))
        interval: Any = found[population.score]
        count += bool(interval.lower <= population.truth <= interval.upper)
    return count / simulations


def rejected(population: Numbers | Sentences, inputs: int, test: Any, simulations: int) -> float:
    """Returns the proportion of tests of two equal systems with p < 0.05."""
    count = 0
    for seed in range(simulations):
        pair = population.pair(np.random.default_rng([seed, inputs]), inputs)
        (found,) = paired_p_values([pair], test, Resampling(seed=seed), population.clusters(inputs))
        count += float(found.p_values[population.score]) < ALPHA  # type: ignore[arg-type]
    return count / simulations


def show(title: str, columns: Sequence[Any], rows: Sequence[tuple[str, Callable[[int], float]]]) -> None:
    """Prints a table of percentages line by line."""
    print(f"\n| {title} | {' | '.join(map(str, columns))} |")
    print(f"|---{'|---' * len(columns)}|")
    for name, share in rows:
        print(f"| {name} |", end="", flush=True)
        for inputs in columns:
            print(f" {100 * share(inputs):.0f} |", end="", flush=True)
        print()


def main() -> None:
    """Runs the simulations."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--simulations", type=int, default=500, help="number per cell (default: %(default)s)")
    parser.add_argument(
        "--inputs", type=int, nargs="+", default=INPUTS, help="numbers of inputs (default: %(default)s)"
    )
    parser.add_argument("--metrics", nargs="*", default=["bleu"], help="corpus metrics (default: %(default)s)")
    parser.add_argument("--tests", nargs="+", default=TESTS, help="paired tests (default: %(default)s)")
    parser.add_argument("--only", choices=("intervals", "tests"), help="one of the two tables")
    arguments = parser.parse_args()
    text, name = texts()
    count = arguments.simulations
    error = 100 * np.sqrt(ALPHA * (1 - ALPHA) / count)
    print(f"text: {name}; {count} simulations per cell: 95 % and 5 % have a standard error of {error:.1f} points")
    drawn_from = populations(arguments.metrics, text)
    if arguments.only != "tests":
        rows = [
            (f"{p.name}, {method}", lambda inputs, p=p, method=method: covered(p, inputs, method, count))
            for p in drawn_from
            for method in INTERVAL_METHODS
        ]
        show("95 % intervals that contain the score (%)", arguments.inputs, rows)
    if arguments.only != "intervals":
        rows = [
            (f"{p.name}, {test}", lambda inputs, p=p, test=test: rejected(p, inputs, test, count))
            for p in drawn_from
            for test in arguments.tests
        ]
        show("tests of equal systems with p < .05 (%)", arguments.inputs, rows)


if __name__ == "__main__":
    main()
