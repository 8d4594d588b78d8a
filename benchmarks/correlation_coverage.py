"""Measures how often 95 % confidence intervals of coefficients contain the true value, by simulation.

Run it with ``python benchmarks/correlation_coverage.py``. The model, with all standard deviations 1 unless stated:

    quality = system + input + cell        human = quality + noise        metric = quality + error + noise

where ``system`` has the standard deviation .5, and ``error``, an error of the metric for each system, .25. Human scores
are rounded to quarters, which makes ties. Every simulation draws new systems and inputs. The true value depends on the
question that an interval answers:

- over inputs: the mean of the coefficient of these systems over other sets of as many inputs (20 sets);
- over systems: the coefficient of infinitely many systems on these inputs (500 systems);
- over both, and Fisher's: the mean of the coefficient of infinitely many systems over sets of as many inputs (20 sets,
  400 systems each). At the levels ``input`` and ``system``, inputs as such do not matter, and both are the same.

The table shows the proportion of intervals that contain the true value; undefined intervals do not. It is a multiple of
1 / simulations, with a Monte-Carlo error of about √(.95 · .05 / simulations).
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable, Sequence

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.meta_evaluation import coefficient
from metrics_framework.meta_evaluation.choices import INTERVAL_METHODS, LEVELS, CoefficientOptions, Level
from metrics_framework.meta_evaluation.coefficients.lookup import load_coefficient
from metrics_framework.meta_evaluation.groups.score_pair import ScorePair
from metrics_framework.meta_evaluation.intervals import (
    IntervalRequest,
    Key,
    has_interval,
    shared_intervals,
)
from metrics_framework.significance.interval_methods import Interval

SYSTEMS = (6, 8, 12, 20, 40)
INPUTS, SIMULATIONS, RESAMPLES = 60, 250, 500
NAMES = ("pearson", "spearman", "kendall-b", "acc-23", "pdp", "spa:normal", "pairwise-accuracy")
SYSTEM_SPREAD, SYSTEM_ERROR = 0.5, 0.25
OTHER_INPUTS, OTHER_SYSTEMS, MANY_SYSTEMS = 20, 400, 500

Effects = tuple[Floats, Floats]


def system_effects(generator: np.random.Generator, systems: int, arguments: argparse.Namespace) -> Effects:
    """Draws the qualities of systems and the metric's errors for them, both of shape (systems, 1)."""
    quality, error = generator.normal(size=(2, systems, 1))
    return arguments.spread * quality, arguments.error * error


def scores(generator: np.random.Generator, systems: Effects, inputs: Floats) -> tuple[Floats, Floats]:
    """Draws human scores and those of a metric, shape (systems, inputs), from effects of systems and of inputs."""
    quality, error = systems
    shape = len(quality), len(inputs)
    true = quality + inputs + generator.normal(size=shape)
    human = np.round(4 * (true + generator.normal(size=shape))) / 4
    return human, true + error + generator.normal(size=shape)


def value(key: Key, human: Floats, metric: Floats) -> float:
    """Computes the coefficient of a key."""
    return coefficient(human, metric, key[1], level=key[0], ci="none").value


def keys_of(names: Sequence[str], levels: Sequence[Level]) -> list[Key]:
    """Returns level and name of every coefficient at every level where it is defined."""
    return [(level, name) for name in names for level in levels if level in load_coefficient(name).levels]


def keys_with(method: str, keys: Sequence[Key]) -> list[Key]:
    """Returns the keys for which a method is an interval."""
    refused = {"fisher-shrunken": {"input", "global", "within-system"}, "bca-inputs": {"system"}}.get(method, set())
    return [key for key in keys if key[0] not in refused and has_interval(load_coefficient(key[1]), method)]


def intervals(human: Floats, metric: Floats, keys: Sequence[Key], request: IntervalRequest) -> dict[Key, Interval]:
    """Computes intervals of several coefficients from the same resamples."""
    scores, wanted = ScorePair(human, metric), {}
    for level, name in keys:
        options, _ = load_coefficient(name).fitted(scores, level, CoefficientOptions())
        wanted[level, name] = load_coefficient(name), options
    return shared_intervals([(scores, wanted)], request)[0]


def mean_values(keys: Sequence[Key], data: Iterable[tuple[Floats, Floats]]) -> dict[Key, float]:
    """Averages the coefficients of several data sets."""
    sets = list(data)
    return {key: float(np.nanmean([value(key, *one) for one in sets])) for key in keys}


def true_values(keys: Sequence[Key], arguments: argparse.Namespace) -> dict[Key, float]:
    """Estimates the mean of the coefficients of infinitely many systems over sets of inputs."""
    generator = np.random.default_rng([arguments.seed, 0])
    effects = (
        (system_effects(generator, OTHER_SYSTEMS, arguments), generator.normal(size=arguments.inputs))
        for _ in range(OTHER_INPUTS)
    )
    return mean_values(keys, (scores(generator, *one) for one in effects))


def covered(
    keys: Sequence[Key], systems: int, arguments: argparse.Namespace, everywhere: dict[Key, float]
) -> dict[tuple[str, Key], float]:
    """Returns the proportion of intervals that contain the true value, of every method and key."""
    generator = np.random.default_rng([arguments.seed, systems])
    hits: dict[tuple[str, Key], int] = {}
    of_inputs = [key for key in keys if key[0] in ("global", "within-system")]
    for simulation in range(arguments.simulations):
        effects, inputs = system_effects(generator, systems, arguments), generator.normal(size=arguments.inputs)
        data = scores(generator, effects, inputs)
        others = (scores(generator, effects, generator.normal(size=arguments.inputs)) for _ in range(OTHER_INPUTS))
        truth = {"inputs": mean_values(keys, others)}
        many = scores(generator, system_effects(generator, MANY_SYSTEMS, arguments), inputs)
        truth["systems"] = everywhere | mean_values(of_inputs, [many])
        for method in arguments.methods:
            request = IntervalRequest(method, resamples=arguments.resamples, seed=simulation)
            true = truth.get(method.rpartition("-")[2], everywhere)
            for key, found in intervals(*data, keys_with(method, keys), request).items():
                hits[method, key] = hits.get((method, key), 0) + (found.lower <= true[key] <= found.upper)
    return {key: count / arguments.simulations for key, count in hits.items()}


def main() -> None:
    """Prints one line for each method, level and coefficient."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--systems", type=int, nargs="+", default=SYSTEMS)
    parser.add_argument("--inputs", type=int, default=INPUTS)
    parser.add_argument("--simulations", type=int, default=SIMULATIONS)
    parser.add_argument("--resamples", type=int, default=RESAMPLES)
    parser.add_argument("--names", nargs="+", default=NAMES)
    parser.add_argument("--levels", nargs="+", default=LEVELS)
    parser.add_argument("--methods", nargs="+", default=INTERVAL_METHODS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--spread", type=float, default=SYSTEM_SPREAD, help="standard deviation of system")
    parser.add_argument("--error", type=float, default=SYSTEM_ERROR, help="standard deviation of error")
    arguments = parser.parse_args()
    keys = keys_of(arguments.names, arguments.levels)
    everywhere = true_values(keys, arguments)
    columns = {systems: covered(keys, systems, arguments, everywhere) for systems in arguments.systems}
    error = 100 * math.sqrt(0.95 * 0.05 / arguments.simulations)
    print(f"{arguments.inputs} inputs, {arguments.simulations} simulations (± {error:.1f} points), 95 % intervals")
    print(f"{'level':14} {'coefficient':18} {'method':18} true " + " ".join(f"S={n:<3}" for n in arguments.systems))
    for level, name in keys:
        for method in arguments.methods:
            if (method, (level, name)) in columns[arguments.systems[0]]:
                row = " ".join(f"{columns[n][method, (level, name)]:5.3f}" for n in arguments.systems)
                print(f"{level:14} {name:18} {method:18} {everywhere[level, name]:4.2f} {row}")


if __name__ == "__main__":
    main()
