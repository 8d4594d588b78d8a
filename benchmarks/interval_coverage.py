"""Simulates the default intervals and tests of every command: how often they contain the truth, or reject a true null.

Run it with ``python benchmarks/interval_coverage.py``. Each cell is a kind of data: few units, ties, holes, clusters of
1 to 8 units, skewed scores, raters or systems that are nearly equal. A replicate draws data and calls the function of
the command with its defaults. The truth is the mean of what the same function returns for very many units. For tests,
two systems or metrics are exchangeable, and ε of the alternative annotator test is the true difference.

A Markdown table for each command has a line for each cell, and a column for each interval (the proportion that contain
the truth) and each test (the proportion with p ≤ .05, ``p`` before its name). Proportions have their Monte-Carlo
error. Those outside .93 to .97, or .03 to .07 for tests, are followed by ``*`` if the output has a warning or a caution
in most replicates, or else by ``!``; in brackets is the proportion of replicates without this interval or p-value.

Replicates are divided between processes (``--jobs``). With the same seed, every replicate has the same draws, which are
drawn once. On two idle CPUs, all cells with 1,000 replicates take about an hour.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from corpora import texts

import metrics_framework as fw
from metrics_framework.common.arrays import Floats, Indices
from metrics_framework.meta_evaluation.prefer import agreement_with_people
from metrics_framework.significance import compared_systems, paired_tests
from metrics_framework.significance.clusters import bootstrap_weights

LARGE, LARGE_SYSTEMS, TRUTHS, EPSILONS = 3000, 300, 4, 20
SIZES = (1, 1, 2, 3, 5, 8)
ALPHA = 0.05
Generator = np.random.Generator
Ends = tuple[float, float, float]
"""A value and the ends of its interval."""
SHAPES: Mapping[str, Callable[[Floats], Floats]] = {
    "normal": lambda numbers: numbers,
    "skewed": np.exp,
    "1 to 5": lambda numbers: np.clip(np.round(3.4 + numbers), 1, 5),
    "0/1": lambda numbers: np.where(numbers > 0.84, 1.0, 0.0),
}


class Cell(NamedTuple):
    """A kind of data: the number of units, the shape of scores, the share of missing ones, and how rows correlate."""

    name: str
    units: int
    shape: str = "normal"
    clustered: bool = False
    holes: float = 0.0
    shared: float = 0.6

    def clusters(self, count: int) -> Indices:
        """Returns the cluster of each output; as many clusters as outputs if they are independent."""
        return np.repeat(np.arange(count), np.resize(SIZES, count) if self.clustered else 1)

    @property
    def cluster(self) -> str | None:
        """The column of clusters."""
        return "document" if self.clustered else None


class Outcome(NamedTuple):
    """What an output says: values with the ends of their intervals, p-values of true null hypotheses, and warnings."""

    intervals: Mapping[str, Ends] = {}
    p_values: Mapping[str, float | None] = {}
    warnings: Sequence[str] = ()

    def hits(self, truth: Mapping[str, float]) -> dict[str, bool | None]:
        """Returns whether intervals contain the truth, and whether tests reject; `None` without interval or p-value."""
        held = {
            name: None if math.isnan(lower) else bool(lower <= truth[name] <= upper)
            for name, (_, lower, upper) in self.intervals.items()
        }
        tests = self.p_values.items()
        rejected = {f"p {name}": None if p is None or math.isnan(p) else bool(p <= ALPHA) for name, p in tests}
        return held | rejected


Study = Callable[[Generator, Cell], Outcome]
Map = Callable[..., Iterable[tuple[dict[str, bool | None], bool]]]


def cells(few: int, usual: int) -> list[Cell]:
    """Returns the kinds of data that each command gets."""
    return [
        Cell("few", few),
        Cell("usual", usual),
        Cell("many", 4 * usual),
        Cell("ties", usual, "1 to 5"),
        Cell("0/1", usual, "0/1"),
        Cell("holes", usual, holes=0.3),
        Cell("clusters", usual, clustered=True),
        Cell("skew", usual, "skewed"),
        Cell("nearly equal", usual, shared=0.98),
    ]


def normal(stream: Generator, rows: int, clusters: Indices) -> Floats:
    """Draws standard normal numbers, shape (rows, outputs), that correlate by one half within clusters."""
    of_clusters = stream.normal(size=(rows, clusters[-1] + 1))[:, clusters]
    return np.asarray(np.sqrt(0.5) * (of_clusters + stream.normal(size=of_clusters.shape)))


def alike(stream: Generator, rows: int, clusters: Indices, shared: float) -> Floats:
    """Draws standard normal rows that correlate with each other."""
    return math.sqrt(shared) * normal(stream, 1, clusters) + math.sqrt(1 - shared) * normal(stream, rows, clusters)


def table(stream: Generator, cell: Cell, clusters: Indices, **columns: Floats) -> list[dict[str, Any]]:
    """Returns a row for each output with its scores, shape (systems, inputs), without the holes."""
    kept = stream.random(next(iter(columns.values())).shape) >= cell.holes
    return [
        {
            "instance_id": int(index),
            "summarizer_id": f"s{system}",
            "document": int(clusters[index]),
            **{name: float(values[system, index]) for name, values in columns.items()},
        }
        for system, index in zip(*np.nonzero(kept), strict=True)
    ]


def ends(
    record: Mapping[str, Any], name: str = "value", prefix: str = "", last: Sequence[str] = ("lower", "upper")
) -> Ends:
    """Returns a value and the ends of its interval; NaN where there is none."""
    found = [record.get(key) for key in (name, prefix + last[0], prefix + last[1])]
    value, lower, upper = (math.nan if number is None else float(number) for number in found)
    return value, lower, upper


def compared(stream: Generator, cell: Cell) -> Outcome:
    """Compares the mean scores of two exchangeable systems."""
    clusters = cell.clusters(cell.units)
    scores = SHAPES[cell.shape](alike(stream, 2, clusters, cell.shared))
    found = fw.compare(scores=table(stream, cell, clusters, score=scores), clusters=cell.cluster, log=_quiet)
    (pair,) = found["score"].pairs
    intervals = {
        "score": next(ends_of(one.score, one.interval) for one in found["score"].systems if one.system == "s0"),
        "difference": ends_of(pair.difference, pair.interval),
    }
    return Outcome(intervals, {"difference": pair.p_value}, warnings_of(found))


def warnings_of(found: Any) -> list[str]:
    """Returns the warnings and cautions of a result."""
    return [*found.warnings, *_cautions(json.loads(found.to_json()) if hasattr(found, "to_json") else found.as_json())]


def _cautions(content: Any) -> Iterator[str]:
    """Yields the cautions of a results file, wherever they are."""
    if isinstance(content, dict):
        for key, value in content.items():
            yield from value if key == "cautions" and isinstance(value, list) else _cautions(value)
    elif isinstance(content, list):
        for value in content:
            yield from _cautions(value)


def ends_of(value: float, interval: Any) -> Ends:
    """Returns a value and the ends of its interval."""
    return value, interval.lower, interval.upper


def evaluated(stream: Generator, cell: Cell) -> Outcome:
    """Evaluates two exchangeable systems on sentences that are drawn with replacement."""
    text = texts()[0]
    lines = stream.integers(len(text.sources), size=cell.units).tolist()
    pairs = [stream.permutation([text.outputs[name][line] for name in list(text.outputs)[:2]]) for line in lines]
    outputs = {name: [str(pair[index]) for pair in pairs] for index, name in enumerate("ab")}
    references, sources = ([column[line] for line in lines] for column in (text.references_list, text.sources))
    data: dict[str, Any] = {
        "references": references,
        "sources": sources,
        "confidence": 95,
        "checks": False,
        "log": _quiet,
    }
    found = fw.evaluate(["bleu", "sari", "ter"], outputs, **data)
    first, second = found.to_records()
    names = ("bleu", "sari", "ter")
    intervals = {name: ends(first, name, f"{name}_", ("low", "high")) for name in names}
    return Outcome(intervals, {name: second[f"{name}_p"] for name in names}, warnings_of(found))


def correlated(stream: Generator, cell: Cell, level: str, tested: bool) -> Outcome:
    """Correlates two metrics of equal quality: without errors for whole systems if they are tested.

    The units are systems. The effects of inputs are those of all replicates, so that intervals over systems have one
    truth.
    """
    systems, clusters = cell.units, cell.clusters(60 if not cell.clustered else 18)
    inputs = normal(np.random.default_rng(0), 1, clusters)
    quality = 0.5 * stream.normal(size=(systems, 1)) + inputs + stream.normal(size=(systems, len(clusters)))
    noise = math.sqrt((1 - cell.shared) / 0.4)
    human, one, other = (quality + noise * normal(stream, systems, clusters) for _ in range(3))
    if not tested:
        one, other = (metric + 0.25 * noise * stream.normal(size=(systems, 1)) for metric in (one, other))
    scores = dict(
        zip(("human", "one", "other"), (SHAPES[cell.shape](each / 1.8) for each in (human, one, other)), strict=True)
    )
    options: dict[str, Any] = {"levels": level, "log": _quiet}
    options |= {"test": "default", "ci": "none"} if tested else {}
    if tested or level == "global":  # elsewhere intervals are over systems, for which clusters of inputs are no option
        options["cluster"] = cell.cluster
    found = fw.correlate(table(stream, cell, clusters, **scores), ["one", "other"], "human", **options)
    if tested:
        records = found.to_records("differences")
        return Outcome({}, {record["coefficient"]: record["p_value"] for record in records}, warnings_of(found))
    records = [record for record in found.to_records() if record["metric1"] == "one"]
    return Outcome({record["coefficient"]: ends(record) for record in records}, {}, warnings_of(found))


def agreed(stream: Generator, cell: Cell) -> Outcome:
    """Measures the agreement of three raters."""
    clusters = cell.clusters(cell.units)
    ratings = np.round(SHAPES[cell.shape](alike(stream, 3, clusters, cell.shared)), 1)
    rows = table(stream, cell, clusters, rating=ratings)
    for row in rows:
        row["rater"] = row.pop("summarizer_id")
    options: dict[str, Any] = {"cluster": cell.cluster, "log": _quiet}
    numbers = fw.agreement(rows, "rating", **options)
    found = {"default": ends(numbers.to_records()[0])}
    if cell.shape in ("0/1", "1 to 5"):
        labels = fw.agreement(rows, "rating", ["krippendorff", "gwet", "fleiss"], labels=True, **options)
        found |= {f"{record['statistic']}, labels": ends(record) for record in labels.to_records()}
    return Outcome(found, {}, warnings_of(numbers))


@cache
def _epsilon(cell: Cell) -> float:
    """Returns the true difference of the raters, who are exchangeable, and the judge."""
    large = cell._replace(units=LARGE)
    found = (_judged(np.random.default_rng(number), large, 0.15)["model"].test.raters for number in range(EPSILONS))
    return float(np.mean([rater.rater_wins - rater.judge_wins for raters in found for rater in raters]))


def _judged(stream: Generator, cell: Cell, epsilon: float) -> Any:
    clusters = cell.clusters(cell.units)
    numbers = alike(stream, 4, clusters, cell.shared)
    numbers[3] = 0.8 * numbers[3] + 0.6 * stream.normal(size=numbers.shape[1])
    ratings = np.round(SHAPES[cell.shape](numbers), 1)
    rows = table(stream, cell, clusters, rating=ratings[:3])
    for row in rows:
        row["rater"] = row.pop("summarizer_id")
    scores = zip(clusters.tolist(), ratings[3].tolist(), strict=True)
    model = [{"instance_id": index, "document": one, "model": score} for index, (one, score) in enumerate(scores)]
    options: dict[str, Any] = {
        "epsilon": epsilon,
        "cluster": cell.cluster,
        "log": _quiet,
        "min_units": min(30, cell.units),
    }
    return fw.judge([rows, model], "rating", "model", **options)


def judged(stream: Generator, cell: Cell) -> Outcome:
    """Tests whether a judge may replace three raters."""
    found = _judged(stream, cell, _epsilon(cell._replace(name="", units=0)))
    names = ("advantage_probability", "alpha", "kappa", "signed_error", "spread")
    record = found.to_records()[0]
    p_value = found["model"].test.raters[0].p_value
    return Outcome({name: ends(record, name, f"{name}_") for name in names}, {"one rater": p_value}, warnings_of(found))


def estimated(stream: Generator, cell: Cell) -> Outcome:
    """Estimates the mean ratings of two exchangeable systems from some ratings and the scores of a judge."""
    clusters = cell.clusters(cell.units + 100)
    numbers = alike(stream, 2, clusters, 0.5)
    scores = math.sqrt(cell.shared) * numbers + math.sqrt(1 - cell.shared) * normal(stream, 2, clusters)
    ratings, scores = SHAPES[cell.shape](numbers), SHAPES[cell.shape](scores)
    rows: list[dict[str, Any]] = table(stream, cell, clusters, rating=ratings, score=scores)
    for row in rows:
        row["rating"] = row["rating"] if row["document"] < cell.units else None
    options: dict[str, Any] = {"cluster": cell.cluster, "pass_fail": cell.shape == "0/1", "log": _quiet}
    found = fw.estimate(rows, "rating", "score", **options)
    one, _, difference = found.to_records()
    intervals = {"mean": ends(one), "difference": ends(difference)}
    if "corrected" in one:
        intervals["corrected share"] = ends(one, "corrected", "corrected_")
    return Outcome(intervals, {"difference": difference["p_value"]}, warnings_of(found))


def preferred(stream: Generator, cell: Cell) -> Outcome:
    """Estimates strengths of four systems from the votes of a judge, and compares them with those of two people."""
    strengths = np.array([2.5 if cell.shape == "skewed" else 0.8, 0.3, -0.3, -0.8])
    clusters = cell.clusters(cell.units)
    quality = 0.5 * normal(stream, 4, clusters)
    scale = math.sqrt(0.4 / (1 - cell.shared))

    def votes(order: Sequence[int], raters: Sequence[str]) -> Iterator[dict[str, Any]]:
        for one, other in combinations(range(4), 2):
            odds = scale * (strengths[order[one]] - strengths[order[other]] + quality[one] - quality[other])
            size = len(raters), len(clusters)
            wins = stream.random(size) < 1 / (1 + np.exp(-odds))
            tied = stream.random(size) < 0.3 * (cell.shape == "1 to 5")
            for rater, index in zip(*np.nonzero(stream.random(size) >= cell.holes), strict=True):
                winner = "tie" if tied[rater, index] else "a" if wins[rater, index] else "b"
                names = {"system_a": f"s{one}", "system_b": f"s{other}", "rater": raters[rater]}
                yield {"input": int(index), "document": int(clusters[index]), "winner": winner, **names}

    judge, people = [*votes((1, 0, 2, 3), ["judge"])], [*votes((0, 1, 2, 3), ["ann", "bob"])]
    found = fw.prefer(judge, against=people, cluster=cell.cluster, log=_quiet)
    everything = found.as_json()
    (first,) = (record for record in everything["systems"] if record["system"] == "s0")
    intervals = {"strength": ends(first, "strength"), "win rate": ends(first, "win_rate", "win_rate_")}
    intervals["agreement"] = ends(everything["against"][0], "agreement")
    intervals["τ-b"] = ends(everything["ranking"]["judges"][0], "tau_b")
    return Outcome(intervals, {}, warnings_of(found))


def _quiet(_: object) -> None:
    """Receives notes and warnings."""


STUDIES: Mapping[str, tuple[Study, list[Cell]]] = {
    "evaluate": (evaluated, cells(10, 20)[:3]),
    "compare": (compared, cells(8, 20)),
    **{
        f"correlate, {level}": (partial(correlated, level=level, tested=False), cells(6, 12)[:2] + cells(6, 12)[3:])
        for level in ("input", "system", "global", "within-system")
    },
    **{
        f"correlate --test, {level}": (
            partial(correlated, level=level, tested=True),
            cells(6, 12)[:2] + cells(6, 12)[3:],
        )
        for level in ("input", "system", "global", "within-system")
    },
    "agreement": (agreed, cells(10, 25)),
    "test-judge": (judged, cells(15, 60)),
    "estimate": (estimated, cells(10, 30)),
    "prefer": (preferred, cells(8, 25)),
}


def draw_once() -> None:
    """Keeps the draws of bootstraps, which are the same in every replicate."""

    @cache
    def kept(inputs: int, resampling: Any, count: int | None = None) -> list[Floats]:
        return [*bootstrap_weights(inputs, resampling, count)]

    for module in (compared_systems, paired_tests, agreement_with_people):
        module.bootstrap_weights = lambda *arguments: iter(kept(*arguments))


def proportion(hits: Sequence[bool | None], wanted: float, has_warning: bool) -> str:
    """Returns a proportion with its error, its mark, and the proportion of replicates without a result."""
    known = [hit for hit in hits if hit is not None]
    if not known:
        return "none"
    share = sum(known) / len(known)
    error = math.sqrt(max(share * (1 - share), wanted * (1 - wanted) / 4) / len(known))
    mark = "" if abs(share - wanted) <= 0.02 + 1e-9 else "*" if has_warning else "!"
    without = f" ({1 - len(known) / len(hits):.2f})" if len(known) < len(hits) else ""
    return f"{share:.3f} ± {error:.3f}{mark}{without}"


def replicate(study: Study, cell: Cell, truth: Mapping[str, float], number: int) -> tuple[dict[str, bool | None], bool]:
    """Returns whether each interval holds the truth and each test rejects, and whether the output has a warning."""
    try:
        outcome = study(np.random.default_rng((number, zlib.crc32(cell.name.encode()))), cell)
    except fw.InputError:  # such as votes that do not determine strengths
        outcome = Outcome()
    return outcome.hits(truth), bool(outcome.warnings)


def line(study: Study, cell: Cell, replicates: int, large: int, mapped: Map = map) -> dict[str, str]:
    """Simulates a cell; returns a proportion for each interval and each test.

    Args:
        study: What is simulated.
        cell: The kind of data.
        replicates: The number of data sets.
        large: The number of units of which the values are the truth; 0 if nothing has an interval.
        mapped: Maps a function over numbers, perhaps in several processes.
    """
    truth: dict[str, float] = {"difference": 0.0}  # of exchangeable systems
    if large:
        outcomes = [study(np.random.default_rng(number), cell._replace(units=large)) for number in range(TRUTHS)]
        values = {name: [each.intervals[name][0] for each in outcomes] for name in outcomes[0].intervals}
        truth = {name: float(np.mean(several)) for name, several in values.items()} | truth
    found, warned = zip(*mapped(partial(replicate, study, cell, truth), range(replicates)), strict=True)
    has_warning = 2 * sum(warned) > replicates
    return {
        name: proportion(
            [hits.get(name) for hits in found],
            ALPHA if name.startswith("p ") else 1 - ALPHA,
            has_warning,
        )
        for name in dict.fromkeys(name for hits in found for name in hits)
    }


def main() -> None:
    """Prints a table for each command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--replicates", type=int, default=1000, help="number per cell (default: %(default)s)")
    parser.add_argument("--only", default="", metavar="NAME", help="commands or cells whose name contains NAME")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="number of processes (default: %(default)s)")
    arguments = parser.parse_args()
    with ProcessPoolExecutor(arguments.jobs, initializer=draw_once) as pool:
        chunks = max(1, arguments.replicates // 40)
        print_tables(arguments.only, arguments.replicates, partial(pool.map, chunksize=chunks))


def print_tables(only: str, replicates: int, mapped: Map) -> None:
    """Prints the table of each command."""
    for command, (study, kinds) in STUDIES.items():
        chosen = [cell for cell in kinds if only in command or only in cell.name]
        large = 0 if "--test" in command else LARGE_SYSTEMS if "correlate" in command else LARGE
        columns: list[str] = []
        for cell in chosen:
            found = line(study, cell, replicates, large, mapped)
            if not columns:
                columns = [*found]
                names = " | ".join([f"{command}, {replicates} replicates", *columns])
                print(f"\n| {names} |\n|{'---|' * (1 + len(columns))}")
            values = [found.pop(name, "") for name in columns] + [f"{name} {value}" for name, value in found.items()]
            print(f"| {cell.name}, {cell.units} | {' | '.join(values)} |", flush=True)


if __name__ == "__main__":
    main()
