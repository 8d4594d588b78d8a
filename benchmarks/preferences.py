"""Simulates intervals of strengths and ranks from votes under known truth, and times them against choix.

Run it with ``python benchmarks/preferences.py``. It prints the coverage of 95 % intervals of strengths and of
the effect of a covariate, and how often all intervals of ranks hold the true ranks at once: for independent votes, and
for inputs on which the strengths differ, with and without clusters. ``--rankings`` prints the coverage of the intervals
of Kendall's τ-b between the rankings of a judge and of people instead, ``--speed`` ratios of CPU time.
"""

from __future__ import annotations

import argparse
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import timing

from metrics_framework.meta_evaluation import bradley_terry
from metrics_framework.meta_evaluation.prefer.agreement_with_people import kendall_b, ranking_agreements
from metrics_framework.meta_evaluation.prefer.request import PreferenceRequest
from metrics_framework.meta_evaluation.prefer.strengths import ranks
from metrics_framework.meta_evaluation.prefer.votes import Vote

SIMULATIONS = 2000
STRENGTHS = np.array([0.9, 0.5, 0.5, 0.0, -0.6, -1.3])
STRENGTHS = STRENGTHS - STRENGTHS.mean()
PAIRS = np.array(list(combinations(range(len(STRENGTHS)), 2)))
NAMES = [f"s{number}" for number in range(len(STRENGTHS))]


class Coverage(NamedTuple):
    """How often intervals hold the truth.

    Attributes:
        strengths: The share of intervals of strengths.
        coefficient: The share of intervals of the effect of a covariate; NaN without one.
        ranks: The share of data sets in which the intervals of all ranks do at once.
        undefined: The number of data sets in which the votes do not determine the strengths.
    """

    strengths: float
    coefficient: float
    ranks: float
    undefined: int

    def __str__(self) -> str:
        parts = [f"strengths {self.strengths:.3f}", f"all ranks at once {self.ranks:.3f}"]
        if self.coefficient == self.coefficient:
            parts.insert(1, f"covariate {self.coefficient:.3f}")
        return ", ".join(parts) + (f" ({self.undefined} undefined)" if self.undefined else "")


def coverage(
    inputs: int,
    simulations: int,
    *,
    spread: float = 0.0,
    clustered: bool = False,
    effect: float | None = None,
    ties: float = 0.0,
    seed: int = 0,
) -> Coverage:
    """Simulates votes on all pairs of six systems for each input.

    Args:
        inputs: The number of inputs.
        simulations: The number of simulated data sets.
        spread: The standard deviation of the quality of a system over inputs.
        clustered: Whether errors are computed over inputs.
        effect: The effect of a covariate; `None` for none.
        ties: The share of votes that become ties.
        seed: The random seed.
    """
    stream = np.random.default_rng((seed, inputs, int(100 * spread), int(100 * ties)))
    truth, true_effect = _truth(spread, effect, ties)
    held = np.zeros(3)
    undefined = 0
    for _ in range(simulations):
        votes, covariate, clusters = _votes(stream, inputs, spread, effect, ties)
        try:
            model = bradley_terry(votes, covariates=covariate, clusters=clusters if clustered else None)
        except ValueError:
            undefined += 1
            continue
        order = [model.systems.index(name) for name in NAMES]
        _, lower, upper = (of_systems[order] for of_systems in model.intervals())
        held[0] += np.mean((lower <= truth) & (truth <= upper))
        found = ranks(model)
        held[1] += all(_holds(found[place], truth, number) for number, place in enumerate(order))
        if covariate is not None:  # the coefficient is in standard deviations of the covariate in this sample
            interval = model.interval(model.coefficients[0], model.coefficient_errors[0])
            held[2] += interval.lower <= true_effect * covariate["length"].std() <= interval.upper
    shares = held / max(1, simulations - undefined)
    return Coverage(shares[0], shares[2] if effect is not None else np.nan, shares[1], undefined)


def _holds(rank: Any, truth: np.ndarray, system: int) -> bool:
    """Returns whether an interval holds a true rank; systems of equal strength share all their ranks."""
    best = 1 + int(np.sum(truth > truth[system] + 1e-6))
    worst = len(truth) - int(np.sum(truth < truth[system] - 1e-6))
    return (
        bool(rank.best <= worst and rank.worst >= best) if best == worst else rank.best <= best <= worst <= rank.worst
    )


def _votes(
    stream: np.random.Generator, inputs: int, spread: float, effect: float | None, ties: float
) -> tuple[list[tuple[str, str, str]], dict[str, np.ndarray] | None, list[int]]:
    quality = STRENGTHS + spread * stream.standard_normal((inputs, len(STRENGTHS)))
    length = stream.standard_normal((inputs, len(STRENGTHS))) + 0.5 * STRENGTHS
    odds = quality[:, PAIRS[:, 0]] - quality[:, PAIRS[:, 1]]
    difference = length[:, PAIRS[:, 0]] - length[:, PAIRS[:, 1]]
    odds = odds + (effect or 0.0) * difference
    wins = stream.random(odds.shape) < 1 / (1 + np.exp(-odds))
    tied = stream.random(odds.shape) < ties
    words = np.where(tied, "tie", np.where(wins, "a", "b"))
    votes = [
        (NAMES[first], NAMES[second], str(word))
        for row in words
        for (first, second), word in zip(PAIRS, row, strict=True)
    ]
    clusters = [number for number in range(inputs) for _ in PAIRS]
    return votes, None if effect is None else {"length": difference.ravel()}, clusters


_TRUTHS: dict[tuple[float, float | None, float], tuple[np.ndarray, float]] = {}


def _truth(spread: float, effect: float | None, ties: float) -> tuple[np.ndarray, float]:
    """Returns the strengths that the estimates converge to, from 20,000 inputs if there is no formula, and the effect.

    Strengths that vary over inputs shrink, as do those with ties; systems of equal strength stay equal.
    """
    key = spread, effect, ties
    if key not in _TRUTHS:
        if not spread and not ties:
            return STRENGTHS, effect or 0.0
        stream = np.random.default_rng((99, int(100 * spread), int(100 * ties)))
        votes, covariate, _ = _votes(stream, 20_000, spread, effect, ties)
        model = bradley_terry(votes, covariates=covariate)
        strengths = model.strengths[[model.systems.index(name) for name in NAMES]]
        strengths[[1, 2]] = strengths[[1, 2]].mean()
        _TRUTHS[key] = strengths, float("nan")
    return _TRUTHS[key]


def print_coverage(simulations: int) -> None:
    """Prints the coverage for several numbers of inputs."""
    print(f"{simulations:,} data sets each; 6 systems, two of them equal, 15 votes an input")
    for inputs in (10, 20, 40, 100):
        print(f"\n{inputs} inputs")
        print("  independent votes          ", coverage(inputs, simulations))
        print("  with 20 % ties             ", coverage(inputs, simulations, ties=0.2))
        print("  with a covariate           ", coverage(inputs, simulations, effect=0.5))
        print("  varying over inputs        ", coverage(inputs, simulations, spread=1.0, clustered=True))
        print("  the same, without clusters ", coverage(inputs, simulations, spread=1.0))


ORDERS = {  # name: the strengths of people, the order of the judge
    "4 systems, same order": (np.linspace(1, -1, 4), [0, 1, 2, 3]),
    "6 systems, same order": (np.linspace(1, -1, 6), [0, 1, 2, 3, 4, 5]),
    "6 systems, the first two swapped": (np.linspace(1, -1, 6), [1, 0, 2, 3, 4, 5]),
    "6 systems, mixed": (np.linspace(1, -1, 6), [2, 0, 4, 1, 5, 3]),
    "6 systems, opposite order": (np.linspace(1, -1, 6), [5, 4, 3, 2, 1, 0]),
    "10 systems, same order": (np.linspace(1, -1, 10), list(range(10))),
    "10 systems, neighbours swapped": (np.linspace(1, -1, 10), [1, 0, 3, 2, 5, 4, 7, 6, 9, 8]),
}


def coverage_of_rankings(
    strengths: np.ndarray, order: list[int], inputs: int, simulations: int, resamples: int = 400
) -> tuple[float, float, float]:
    """Returns the true τ-b, its mean estimate, and the share of defined intervals that contain the truth.

    Each input has a vote of a judge and two of people on each pair of systems; qualities vary over inputs with a
    standard deviation of .5.
    """
    truth = float(kendall_b(strengths[order], strengths))
    values, covered = [], []
    for number in range(simulations):
        stream = np.random.default_rng((number, inputs))
        judge = _votes_of(stream, strengths[order], inputs, ["judge"])
        people = _votes_of(stream, strengths, inputs, ["one", "other"])
        request = PreferenceRequest("natural", [], None, 0.0, "holm", 95.0, "tie", None, resamples, number)
        tau_b = ranking_agreements(judge, people, request)[0].tau_b
        if tau_b.is_defined:
            values.append(tau_b.value)
            covered.append(tau_b.lower - 1e-9 <= truth <= tau_b.upper + 1e-9)
    return truth, float(np.mean(values)), float(np.mean(covered))


def _votes_of(stream: np.random.Generator, strengths: np.ndarray, inputs: int, raters: list[str]) -> list[Vote]:
    quality = strengths + 0.5 * stream.standard_normal((inputs, len(strengths)))
    votes = []
    for number, row in enumerate(quality):
        for rater in raters:
            for first, second in combinations(range(len(strengths)), 2):
                wins = stream.random() < 1 / (1 + np.exp(row[second] - row[first]))
                votes.append(Vote(f"s{first}", f"s{second}", "a" if wins else "b", str(number), rater))
    return votes


def print_rankings(simulations: int) -> None:
    """Prints the coverage of the intervals of τ-b."""
    print(f"Share of 95 % intervals of τ-b that contain the truth, {simulations} data sets each")
    print("| systems | τ-b | 10 inputs | 20 | 50 | 100 |\n|---|---|---|---|---|---|")
    for name, (strengths, order) in ORDERS.items():
        found = [coverage_of_rankings(strengths, order, inputs, simulations) for inputs in (10, 20, 50, 100)]
        cells = [f"{covered:.2f} (mean {mean:.2f})" for _, mean, covered in found]
        print(f"| {name} | {found[0][0]:.2f} | {' | '.join(cells)} |", flush=True)


def print_speed(repetitions: int) -> None:
    """Prints the CPU time of choix, relative to that of `bradley_terry`, which also computes errors."""
    import choix

    stream = np.random.default_rng(1)
    for systems, count in ((20, 20_000), (200, 100_000)):
        pairs = stream.integers(0, systems, (count, 2))
        pairs = pairs[pairs[:, 0] != pairs[:, 1]]
        odds = (pairs[:, 1] - pairs[:, 0]) / systems * 4
        wins = stream.random(len(pairs)) < 1 / (1 + np.exp(-odds))
        ordered = np.where(wins[:, None], pairs, pairs[:, ::-1])
        names = [f"s{number:03}" for number in range(systems)]
        votes = [
            (names[first], names[second], "a" if won else "b")
            for (first, second), won in zip(pairs.tolist(), wins.tolist(), strict=True)
        ]
        numbers = [tuple(pair) for pair in ordered.tolist()]
        tasks = {
            "ours": lambda votes=votes: bradley_terry(votes),
            "choix": lambda numbers=numbers, systems=systems: choix.ilsr_pairwise(systems, numbers, alpha=1e-6),
        }
        seconds = timing.in_turns(tasks, repetitions)
        ratios = timing.spread(timing.ratios(seconds["choix"], seconds["ours"]))
        print(f"{systems} systems, {len(votes):,} votes: choix (ilsr_pairwise) takes {ratios} times as long")


def main() -> None:
    """Runs the simulations or the comparison."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--simulations", type=int, default=SIMULATIONS)
    parser.add_argument("--rankings", action="store_true", help="simulate the agreement of rankings")
    parser.add_argument("--speed", action="store_true", help="time instead of simulating")
    parser.add_argument("--repetitions", type=int, default=5)
    arguments = parser.parse_args()
    if arguments.speed:
        print_speed(arguments.repetitions)
    elif arguments.rankings:
        print_rankings(arguments.simulations)
    else:
        print_coverage(arguments.simulations)


if __name__ == "__main__":
    main()
