"""Times intervals and paired tests: sacreBLEU and this package, from the same statistics and in turns.

Run it with ``python benchmarks/resampling.py``. Statistics are computed beforehand; what is timed is the
resampling. sacreBLEU makes intervals of one score, this package of all that the metric gives (five of BLEU). Each
comparison first checks that the intervals and p-values of both sides are equal, as far as the single precision in which
sacreBLEU adds up goes. The text is TurkCorpus below ``FW_SHARED``, repeated for more inputs; where that is absent, text
of the same shape is generated.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any, NamedTuple

from corpora import texts
from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.significance import _bootstrap_resample, _paired_ar_test
from timing import in_turns, ratios, spread
from turkcorpus import SYSTEMS, TurkCorpus

from metrics_framework.metrics.base.metric import load
from metrics_framework.significance.compared_systems import bootstrap_intervals
from metrics_framework.significance.paired_tests import paired_p_values
from metrics_framework.significance.resampling import SACREBLEU, Resampling
from metrics_framework.significance.score_vectors import ScoreVectors

REPETITIONS = 7
METRICS = {"bleu": BLEU, "chrf": CHRF, "ter": TER}
SINGLE = 1e-4
"""How far scores of sums in single precision may be off, on a scale of 100."""


class Side(NamedTuple):
    """The statistics of two systems under one metric, for both programs."""

    name: str
    theirs: Any
    statistics: list[list[Any]]
    ours: tuple[ScoreVectors, ScoreVectors]


def sides(text: TurkCorpus, name: str, copies: int) -> Side:
    """Computes the statistics of two systems on several copies of the inputs."""
    metric, theirs = load(name), METRICS[name]()
    streams = [list(stream) for stream in zip(*text.references_list, strict=True)]
    statistics, ours = [], []
    for system in SYSTEMS[:2]:
        summaries = text.outputs[system]
        statistics.append(theirs._extract_corpus_statistics(summaries, streams) * copies)
        groups = metric.statistics_multi_all([[summary] for summary in summaries], text.references_list)
        vectors = [vector for (vector,) in groups] * copies
        ours.append(ScoreVectors.of_statistics(metric, [str(number) for number in range(len(vectors))], vectors))
    return Side(name, theirs, statistics, (ours[0], ours[1]))


def check(side: Side, resampling: Resampling) -> None:
    """Ends the run where the intervals, or the p-values but for ties, differ."""
    (found,) = bootstrap_intervals(side.ours[:1], resampling)
    scores = sorted(
        score.score for score in _bootstrap_resample(side.statistics[0], side.theirs, resampling.resamples)[1]
    )
    cut = resampling.resamples // 40
    expected = scores[cut], scores[-1 - cut]
    one: Any = found[side.name]
    if max(abs(one.lower - expected[0]), abs(one.upper - expected[1])) > SINGLE:
        raise SystemExit(f"{side.name}: the intervals differ: {one} and {expected}")
    (compared,) = paired_p_values([side.ours], resampling=resampling)
    p: Any = compared.p_values[side.name]
    theirs = paired(side, resampling)["system"][0].p_value
    if not theirs <= p + 1e-12 or (side.name != "ter" and abs(p - theirs) > 1e-12):  # ties count here
        raise SystemExit(f"{side.name}: the p-values differ: {p} and {theirs}")


class Known:
    """Gives sacreBLEU the statistics of a system, so that they are not computed within what is timed."""

    def __init__(self, side: Side) -> None:
        self._extract_corpus_statistics = lambda hypotheses, references: side.statistics[1]
        self._aggregate_and_compute = side.theirs._aggregate_and_compute


def paired(side: Side, resampling: Resampling) -> dict[str, Any]:
    """Runs the paired randomization test of sacreBLEU."""
    from sacrebleu.significance import Result

    first = side.theirs._aggregate_and_compute(side.statistics[0])
    baseline = {side.name: (side.statistics[0], Result(first.score))}
    texts = [""] * len(side.statistics[0])
    metrics: Any = {side.name: Known(side)}
    _, results = _paired_ar_test(baseline, "system", texts, None, metrics, resampling.resamples, -1, resampling.seed)
    return {"system": [results[side.name]]}


def compared(text: TurkCorpus, copies: int, resampling: Resampling, repetitions: int) -> list[tuple[str, ...]]:
    """Compares both programs, metric by metric."""
    rows = []
    for name in METRICS:
        side = sides(text, name, copies)
        check(side, resampling)
        tasks: dict[str, Callable[[], object]] = {
            "intervals": lambda side=side: bootstrap_intervals(side.ours[:1], resampling),
            "sacreBLEU intervals": lambda side=side: _bootstrap_resample(
                side.statistics[0], side.theirs, resampling.resamples
            ),
            "test": lambda side=side: paired_p_values([side.ours], resampling=resampling),
            "sacreBLEU test": lambda side=side: paired(side, resampling),
        }
        seconds = in_turns(tasks, repetitions)
        for task in ("intervals", "test"):
            ratio = spread(ratios(seconds[f"sacreBLEU {task}"], seconds[task]))
            rows.append((f"{len(side.statistics[0]):,} inputs", name, task, str(ratio)))
    return rows


def shared_draws(text: TurkCorpus, copies: int, resampling: Resampling, repetitions: int) -> str:
    """Compares the intervals of two systems under three metrics, computed together and one at a time."""
    several = [one for name in METRICS for one in sides(text, name, copies).ours]
    if bootstrap_intervals(several, resampling) != [bootstrap_intervals([one], resampling)[0] for one in several]:
        raise SystemExit("intervals that are computed together differ from those computed one at a time")
    tasks: dict[str, Callable[[], object]] = {
        "together": lambda: bootstrap_intervals(several, resampling),
        "alone": lambda: [bootstrap_intervals([one], resampling) for one in several],
    }
    seconds = in_turns(tasks, repetitions)
    return str(spread(ratios(seconds["alone"], seconds["together"])))


def main() -> None:
    """Runs the comparisons."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--repetitions", type=int, default=REPETITIONS, help="how often each is timed (%(default)s)")
    parser.add_argument("--copies", type=int, nargs="+", default=[1, 10], help="how often the inputs are repeated")
    arguments = parser.parse_args()
    text, name = texts()
    resampling = Resampling(**SACREBLEU)
    print(f"text: {name}; {resampling.resamples} resamples; CPU time of sacreBLEU over this package")
    for copies in arguments.copies:
        for row in compared(text, copies, resampling, arguments.repetitions):
            print(f"  {row[0]:<14}{row[1]:<6}{row[2]:<11}{row[3]}")
        together = shared_draws(text, copies, resampling, arguments.repetitions)
        print(f"  six at once, over one at a time: {together}")


if __name__ == "__main__":
    main()
