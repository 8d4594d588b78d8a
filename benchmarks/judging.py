"""Simulates the intervals of `fw test-judge` and the tests of single raters under known truth.

Run it with ``python benchmarks/judging.py``. It prints the coverage of 95 % intervals of all that ``fw test-judge``
prints, how often the alternative annotator test rejects a true null hypothesis for one rater at 5 %, of independent
outputs and of clusters of outputs, and how often juries are found to be better than the best single judge.
"""

from __future__ import annotations

import argparse

import numpy as np

from metrics_framework.meta_evaluation.judge.alternative_annotator import RULES, RaterDifferences
from metrics_framework.meta_evaluation.judge.jury import compare_jury
from metrics_framework.meta_evaluation.judge.panels import Panel
from metrics_framework.meta_evaluation.judge.request import SCORINGS, AltTestSettings, Scoring
from metrics_framework.meta_evaluation.judge.study import judge_raters
from metrics_framework.significance.clusters import Clusters
from metrics_framework.significance.interval_methods import Interval

SIMULATIONS = 2000


def rejections(units: int, epsilon: float, simulations: int, seed: int = 0) -> float:
    """Returns how often the test of one rater rejects mean(d) ≥ ε at 5 % where the mean is ε."""
    stream = np.random.default_rng((seed, units, int(100 * epsilon)))
    ties = 0.4
    better = (1 - ties + epsilon) / 2  # of the rater, so that the mean of d is ε
    shares = [1 - ties - better, ties, better]
    rejected = 0
    for _ in range(simulations):
        differences = stream.choice([-1.0, 0.0, 1.0], size=units, p=shares)
        rejected += RaterDifferences([differences]).p_values(epsilon)[0] <= 0.05
    return rejected / simulations


def rejections_with_clusters(clusters: int, size: int, epsilon: float, simulations: int, seed: int = 0) -> list[float]:
    """Returns how often the test rejects mean(d) ≥ ε at 5 % where the mean is ε: ignoring clusters, and with them.

    The differences of a cluster are alike: those of an underlying normal number correlate by one half.
    """
    from scipy.special import ndtri

    stream = np.random.default_rng((seed, clusters, size, int(100 * epsilon)))
    ties = 0.4
    cuts = ndtri([(1 - ties - epsilon) / 2, (1 + ties - epsilon) / 2])
    groups = Clusters.of(np.repeat(np.arange(clusters), size).tolist(), clusters * size)
    rejected = np.zeros(2)
    for _ in range(simulations):
        shared, own = stream.normal(size=(clusters, 1)), stream.normal(size=(clusters, size))
        differences = np.searchsorted(cuts, np.sqrt(0.5) * (shared + own).ravel()) - 1.0
        tests = (RaterDifferences([differences]), RaterDifferences([differences], [groups]))
        rejected += [test.p_values(epsilon)[0] <= 0.05 for test in tests]
    return [float(share) for share in rejected / simulations]


def _panel(units: int, stream: np.random.Generator) -> Panel:
    """Returns ratings by three raters, from 1 to 5, and a judge."""
    quality = stream.normal(3.4, 0.8, units)
    noise = np.array([[-0.1], [0.2], [-0.3]]) + stream.normal(0, 0.9, (3, units))
    judge = np.clip(np.round(quality + 0.3 + stream.normal(0, 0.5, units)), 1, 5)
    return Panel({"judge": judge}, np.clip(np.round(quality + noise), 1, 5), ["a", "b", "c"])


def _numbers(panel: Panel, resamples: int) -> dict[str, Interval]:
    judging = judge_raters(panel, AltTestSettings("neg_rmse", 0.15), resamples=resamples)
    report = judging.judges[0]
    agreement = report.agreement
    found = {"ρ": report.advantage, "α": agreement.alpha, "κ": agreement.kappa, "κ of raters": judging.raters.kappa}
    for name, interval in (("signed error", agreement.signed_error), ("spread", agreement.spread)):
        if interval is not None:
            found[name] = interval
    return found


def coverage_of_judges(units: int, simulations: int, seed: int = 0) -> dict[str, float]:
    """Returns the coverage of the intervals of ``fw test-judge``; the truth is that of 300,000 outputs."""
    truth = _numbers(_panel(300_000, np.random.default_rng(seed)), 1)
    covered = dict.fromkeys(truth, 0)
    for number in range(simulations):
        for name, found in _numbers(_panel(units, np.random.default_rng((seed, units, number))), 400).items():
            covered[name] += found.lower <= truth[name].value <= found.upper
    return {name: count / simulations for name, count in covered.items()}


def jury_better(noise: list[float], units: int, scoring: Scoring, simulations: int, seed: int = 0) -> list[float]:
    """Returns how often juries are found to be better than the best single judge at 5 %.

    Args:
        noise: The standard deviation of the errors of each single judge.
        units: The number of outputs.
        scoring: How judges and raters are scored.
        simulations: The number of data sets.
        seed: Their seed.

    Returns:
        The shares for a further judge that is as good as the best single one, for the mean, rounded to the scale, and
        for the median of the single judges.
    """
    found = np.zeros(3)
    for number in range(simulations):
        stream = np.random.default_rng((seed, units, number))
        quality = stream.normal(3.4, 0.8, units)
        ratings = np.clip(np.round(quality + stream.normal(0, 0.9, (3, units))), 1, 5)
        errors = stream.normal(0, 1, (len(noise) + 1, units)) * np.array([*noise, min(noise)])[:, None]
        *singles, equal = np.clip(np.round(quality + errors), 1, 5)
        juries = (equal, np.round(np.mean(singles, axis=0)), np.median(singles, axis=0))
        for index, jury in enumerate(juries):
            judges = {**{str(one): values for one, values in enumerate(singles)}, "jury": jury}
            found[index] += jury_p_value(Panel(judges, ratings, ["a", "b", "c"]), scoring) <= 0.05
    return [float(share) for share in found / simulations]


def jury_p_value(panel: Panel, scoring: Scoring) -> float:
    """Returns the p-value that the jury of a panel is no better than the best single judge."""
    wins = {name: RULES[scoring].wins(values, panel.ratings).judge for name, values in panel.judges.items()}
    singles = {name: Interval(0.0) for name in wins if name != "jury"}
    clusters = Clusters.of(None, panel.ratings.shape[1])
    return compare_jury("jury", wins, singles, clusters, trials=1000, seed=0).p_value


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--simulations", type=int, default=SIMULATIONS)
    simulations = parser.parse_args().simulations
    print("Coverage of 95 % intervals of fw test-judge, three raters")
    for units in (50, 100, 200):
        found = coverage_of_judges(units, simulations // 5)
        print(f"{units:7}  " + "  ".join(f"{name} {value:.3f}" for name, value in found.items()))
    print("\nShare of true null hypotheses that the test of one rater rejects at 5 %")
    print("outputs  " + "  ".join(f"ε = {epsilon}" for epsilon in (0.0, 0.1, 0.2)))
    for units in (15, 30, 60, 200):
        values = "  ".join(f"{rejections(units, epsilon, simulations):7.3f}" for epsilon in (0.0, 0.1, 0.2))
        print(f"{units:7}  {values}")
    print("\nThe same of clusters of outputs that are alike, ε = 0.1: clusters ignored / as given")
    print("clusters  " + "  ".join(f"of {size} outputs" for size in (2, 5)))
    for clusters in (15, 30, 60):
        found = (rejections_with_clusters(clusters, size, 0.1, simulations) for size in (2, 5))
        print(f"{clusters:8}  " + "  ".join(f"{ignored:.3f} / {given:.3f}" for ignored, given in found))
    print("\nShare of juries found to be better than the best single judge at 5 %: one as good as it, mean, median")
    for noise in ([0.6, 0.6, 0.6], [1.0, 1.0, 1.0], [0.6, 1.2, 1.2], [0.3, 1.5, 1.5]):
        for scoring in SCORINGS:
            shares = jury_better(noise, 150, scoring, simulations // 4)
            print(f"errors {noise}  {scoring:8}  " + "  ".join(f"{share:.3f}" for share in shares))


if __name__ == "__main__":
    main()
