"""Simulates how often the tests of `fw gate` err, and how often their intervals contain the truth.

Run it with ``python benchmarks/gate.py [TABLE …] [--simulations 1000]``. It prints a table for outcomes of 0 and 1, for
scores of several distributions, of which all or few change, for rare changes that a sample does not show, for clusters
of inputs, and for the alarms of five metrics. α and the margin are .05; δ is the true difference. The standard error of
a rate of .05 is .007 with the default of 1,000 simulations.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.significance.clusters import Clusters
from metrics_framework.significance.multiple_testing import holm
from metrics_framework.significance.non_inferiority import Answer, Question, answer

MARGIN = ALPHA = 0.05
ASKED = Question(MARGIN, ALPHA)
SIMULATIONS = 1000
Draw = Callable[[np.random.Generator, int, float], Floats]
"""Draws a number of differences with a true mean."""
Rates = Mapping[str, float]


def rates(answers: Iterable[Answer], truth: float) -> Rates:
    """Returns the share of answers in which each test finds something, that pass, and whose interval has the truth."""
    rows = [
        (
            *(p <= ALPHA for p in (one.p_better, one.p_worse, one.p_no_worse)),
            min(one.p_better, one.p_no_worse) <= ALPHA,
            one.lower <= truth <= one.upper,
        )
        for one in answers
    ]
    return dict(zip(("better", "worse", "no worse", "passes", "covers"), np.mean(rows, axis=0).tolist(), strict=True))


def simulated(
    draw: Draw, inputs: int, truth: float, simulations: int, question: Question = ASKED, *, is_binary: bool = False
) -> Rates:
    """Returns the rates of simulated runs, whose scores are between 0 and 1."""
    streams = (np.random.default_rng((number, inputs)) for number in range(simulations))
    answers = (answer(draw(stream, inputs, truth), question, 1.0, is_binary=is_binary) for stream in streams)
    return rates(answers, truth)


def span(found: Iterable[Rates], *names: str) -> str:
    """Writes the range of rates over cells."""
    values = [one[name] for one in found for name in names]
    return "–".join(dict.fromkeys(f"{end:.3f}" for end in (min(values), max(values))))


def print_row(*cells: object) -> None:
    """Prints a row of a table."""
    print(f"| {' | '.join(map(str, cells))} |", flush=True)


def print_header(*cells: str) -> None:
    """Prints the head of a table."""
    print()
    print_row(*cells)
    print_row(*["---"] * len(cells))


# ---- outcomes of 0 and 1 ---------------------------------------------------------------------------------------------


def independent(accuracy: float) -> Draw:
    """Draws differences of outcomes of independent runs, of which the old one has an accuracy."""

    def draw(stream: np.random.Generator, inputs: int, truth: float) -> Floats:
        right: Floats = (stream.random((2, inputs)) < np.array([[accuracy + truth], [accuracy]])).astype(float)
        return right[0] - right[1]

    return draw


def dependent(share: float) -> Draw:
    """Draws differences of outcomes of which a share changes."""

    def draw(stream: np.random.Generator, inputs: int, truth: float) -> Floats:
        shares = [(share + truth) / 2, (share - truth) / 2, 1 - share]
        drawn: Floats = stream.choice([1.0, -1.0, 0.0], size=inputs, p=shares)
        return drawn

    return draw


def print_outcomes(simulations: int) -> None:
    """Prints the rates of outcomes as ranges over cells."""
    cells = [(draw, inputs) for draw in map(independent, (0.1, 0.5, 0.9)) for inputs in (50, 200, 2000)]
    cells += [(draw, inputs) for draw in map(dependent, (0.1, 0.25)) for inputs in (50, 200, 2000)]
    equal, lower = (
        [simulated(draw, inputs, truth, simulations, is_binary=True) for draw, inputs in cells]
        for truth in (0.0, -MARGIN)
    )
    print_header("outcomes", "range over cells")
    print_row("false worse (δ = 0)", span(equal, "worse"))
    print_row("false better (δ = 0)", span(equal, "better"))
    print_row("false no worse (δ = −.05)", span(lower, "no worse"))
    print_row("coverage of the 90 % interval", span([*equal, *lower], "covers"))
    powers = []
    for share in (0.02, 0.1, 0.25, 0.5):
        for margin in (0.02, 0.05):
            pilot = np.repeat([1.0, -1.0, 0.0], np.rint([5000 * share, 5000 * share, 10_000 * (1 - share)]).astype(int))
            needed = int(answer(pilot, Question(margin), is_binary=True).needed)
            powers.append(simulated(dependent(share), needed, 0.0, simulations, Question(margin), is_binary=True))
    print_row("power at the needed number", span(powers, "no worse"))


# ---- scores ----------------------------------------------------------------------------------------------------------


def normal(deviation: float) -> Draw:
    """Draws normal differences."""
    return lambda stream, inputs, truth: stream.normal(truth, deviation, inputs)


def exponential(scale: float) -> Draw:
    """Draws exponential gains, or losses if the scale is negative."""
    return lambda stream, inputs, truth: truth + scale * (stream.exponential(1, inputs) - 1)


def log_normal_losses(stream: np.random.Generator, inputs: int, truth: float) -> Floats:
    """Draws log-normal losses with σ = .8."""
    return truth - 0.1 * (stream.lognormal(0, 0.8, inputs) - math.exp(0.8**2 / 2))


def changed(share: float) -> Draw:
    """Draws changes of a share of the inputs."""

    def draw(stream: np.random.Generator, inputs: int, truth: float) -> Floats:
        changes = stream.normal(truth / share, 0.25, inputs).clip(-1, 1)
        return np.where(stream.random(inputs) < share, changes, 0.0)

    return draw


def rare(large: float) -> Draw:
    """Draws a large change of 3 % of the inputs, and a small one of the others, which are equal."""

    def draw(stream: np.random.Generator, inputs: int, truth: float) -> Floats:
        return truth + np.where(stream.random(inputs) < 0.03, large, -large * 0.03 / 0.97).clip(-0.95, 0.95)

    return draw


def only_losses(stream: np.random.Generator, inputs: int, truth: float) -> Floats:
    """Draws losses of 1."""
    return -(stream.random(inputs) < -truth).astype(float)


DISTRIBUTIONS: Mapping[str, tuple[Draw, Sequence[int]]] = {
    **{
        name: (draw, (20, 30, 50, 100))
        for name, draw in {
            "normal, sd .1": normal(0.1),
            "normal, sd .25": normal(0.25),
            "exponential losses": exponential(-0.2),
            "exponential gains": exponential(0.2),
            "log-normal losses (σ .8)": log_normal_losses,
            "15 % changed": changed(0.15),
            "30 % changed": changed(0.3),
            "60 % changed": changed(0.6),
            "3 % losses of .97, else +.03": rare(-0.97),
            "3 % gains of .97, else −.03": rare(0.97),
        }.items()
    },
    "losses of 1 only": (only_losses, (60, 100, 300)),
}


def print_scores(simulations: int) -> None:
    """Prints the rates of each distribution as ranges over sizes, and the share that passes for each size."""
    print_header("n = 20, 30, 50, 100", "worse", "better", "no worse", "coverage", "passes at δ = 0")
    for name, (draw, sizes) in DISTRIBUTIONS.items():
        equal = [simulated(draw, inputs, 0.0, simulations) for inputs in sizes]
        lower = [simulated(draw, inputs, -MARGIN, simulations) for inputs in sizes]
        passes = " ".join(f"{one['passes']:.2f}" for one in equal)
        errors = (span(equal, "worse"), span(equal, "better"), span(lower, "no worse"))
        print_row(name, *errors, span(equal, "covers"), passes)
    pilot = np.random.default_rng(0).normal(0, 1, 200)
    pilot = 0.25 * (pilot - pilot.mean()) / pilot.std(ddof=1)
    needed = int(answer(pilot, ASKED).needed)
    power = simulated(normal(0.25), needed, 0.0, simulations)["no worse"]
    print(f"\nnormal, sd .25: {needed} inputs are needed; their power is {power:.3f}")


def print_unseen_tail(simulations: int) -> None:
    """Prints how often a mean of 0 seems lower because gains of 3 % of the inputs are not among those drawn."""

    def draw(stream: np.random.Generator, inputs: int, truth: float) -> Floats:
        return np.where(stream.random(inputs) < 0.03, 0.97, stream.normal(-0.03, 0.01, inputs))

    sizes = (20, 30, 50, 100, 300)
    print_header("unseen-tail, n", *map(str, sizes))
    print_row("false worse", *(f"{simulated(draw, inputs, 0.0, simulations)['worse']:.2f}" for inputs in sizes))


# ---- clusters and several metrics ------------------------------------------------------------------------------------


def clustered(count: int, has_equal_sizes: bool, truth: float, simulations: int, *, is_ignored: bool = False) -> Rates:
    """Returns the rates of normal differences in clusters, with half of the variance between clusters."""
    answers = []
    for number in range(simulations):
        stream = np.random.default_rng((number, count, 7))
        sizes = np.full(count, 8) if has_equal_sizes else np.ceil(stream.lognormal(1.8, 0.7, count)).astype(int)
        codes = np.repeat(np.arange(count), sizes)
        drawn = stream.normal(truth, 0.1, count)[codes] + stream.normal(0, 0.1, len(codes))
        clusters = None if is_ignored else Clusters.of(codes.tolist(), len(codes))
        answers.append(answer(drawn, ASKED, 1.0, clusters=clusters))
    return rates(answers, truth)


def print_clusters(simulations: int) -> None:
    """Prints the rates of clusters of equal sizes, and of log-normal ones."""
    print_header("8, 15, 30, 60 clusters", "false worse", "false no worse", "coverage")
    for name, options in {
        "equal sizes": {"has_equal_sizes": True},
        "log-normal sizes": {"has_equal_sizes": False},
        "log-normal sizes, clusters ignored": {"has_equal_sizes": False, "is_ignored": True},
    }.items():
        rates_of = partial(clustered, simulations=simulations, **options)
        equal, lower = ([rates_of(count, truth=truth) for count in (8, 15, 30, 60)] for truth in (0.0, -MARGIN))
        print_row(name, span(equal, "worse"), span(lower, "no worse"), span(equal, "covers"))


def print_several(simulations: int) -> None:
    """Prints how often five metrics raise an alarm, and pass although one of them loses the margin."""
    alarms, passes = np.zeros(2), 0
    for number in range(simulations):
        stream = np.random.default_rng((number, 5))
        equal = [answer(normal(0.1)(stream, 200, 0.0), ASKED) for _ in range(5)]
        p_values = [one.p_worse for one in equal]
        alarms += min(p_values) <= ALPHA, min(holm(p_values)) <= ALPHA
        lower = answer(normal(0.1)(stream, 200, -MARGIN), ASKED)
        passes += all(one.p_no_worse <= ALPHA for one in (*equal[1:], lower))
    print_header("five metrics", "rate")
    print_row("alarm, uncorrected", f"{alarms[0] / simulations:.3f}")
    print_row("alarm, Holm", f"{alarms[1] / simulations:.3f}")
    print_row("passes with one metric at −.05", f"{passes / simulations:.3f}")


TABLES: Mapping[str, Callable[[int], None]] = {
    "outcomes": print_outcomes,
    "scores": print_scores,
    "unseen-tail": print_unseen_tail,
    "clusters": print_clusters,
    "several": print_several,
}


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*", choices=[[], *TABLES], default=[], metavar="TABLE", help=", ".join(TABLES))
    parser.add_argument("--simulations", type=int, default=SIMULATIONS, help="the number of simulations of a cell")
    arguments = parser.parse_args()
    for name, print_table in TABLES.items():
        if not arguments.tables or name in arguments.tables:
            print_table(arguments.simulations)


if __name__ == "__main__":
    main()
