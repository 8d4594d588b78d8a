"""A metric that is undefined for chosen outputs, and outputs of systems for which it is undefined unequally often."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from metrics_framework.commands.command import Command
from metrics_framework.significance.paired_tests import paired_p_values
from metrics_framework.significance.resampling import Resampling
from metrics_framework.significance.score_vectors import ScoreVectors

PLUGIN = '''
import math
from metrics_framework import Metric, MetricsDict, ReferenceFreeMetric, as_string


@Metric.register("patchy")
class Patchy(ReferenceFreeMetric):
    """Counts words; undefined for outputs with a question mark."""

    higher_is_better = True

    def score_multi_all(self, summaries_list):
        return [[self.one(as_string(summary)) for summary in group] for group in summaries_list]

    def one(self, text):
        words = float(len(text.split()))
        score = math.nan if "?" in text else words
        return MetricsDict({"patchy": score, "patchy_pair": [words, score], "patchy_words": words})
'''
INPUTS = 24
MISSING = {"a": 4, "b": 1, "c": 14}
"""System to its number of outputs without a score."""
WORDS = ["the", "cat", "sat", "on", "a", "mat"]


def is_missing(system: str, number: int) -> bool:
    return number in random.Random(system).sample(range(INPUTS), MISSING[system])


def made(missing: str = "some") -> list[dict[str, Any]]:
    """Returns outputs; ``missing`` is ``some``, ``none`` or ``all``."""
    rows = []
    for number in range(INPUTS):
        for place, system in enumerate(MISSING):
            chosen = random.Random(f"{number} {system}")
            text = " ".join(chosen.choices(WORDS, k=chosen.randrange(3, 9) + place))
            mark = missing == "all" or (missing == "some" and is_missing(system, number))
            row = {"instance_id": str(number), "summarizer_id": system, "summarizer_type": "peer"}
            rows.append(
                {**row, "summary": text + "?" * mark, "references": ["the cat sat on a mat"], "source": "a cat"}
            )
    return rows


def written(path: Path, missing: str = "some") -> str:
    """Writes the plug-in and the outputs, and returns the name of the file."""
    path.joinpath("plugin.py").write_text(PLUGIN, encoding="utf-8")
    name = f"{missing}.jsonl"
    path.joinpath(name).write_text("".join(f"{json.dumps(row)}\n" for row in made(missing)), encoding="utf-8")
    return name


def scored(missing: str = "some") -> dict[str, dict[str, float]]:
    """Returns, for each system, input to score, without those that are undefined."""
    found: dict[str, dict[str, float]] = {system: {} for system in MISSING}
    for row in made(missing):
        if "?" not in row["summary"]:
            found[row["summarizer_id"]][row["instance_id"]] = float(len(row["summary"].split()))
    return found


def counts(missing: str = "some") -> dict[str, str]:
    """Returns, for each system, how many outputs have a score, as in tables for people."""
    return {system: f"{len(scores)}/{INPUTS}" for system, scores in scored(missing).items()}


def commands() -> list[str]:
    return Command.registry().names()


def common_with(baseline: str) -> dict[str, int]:
    """Returns, for each other system, the number of inputs for which both have a score."""
    found = scored()
    return {name: len(found[name].keys() & found[baseline].keys()) for name in found if name != baseline}


def expected_p_values(test: Any, resampling: Resampling) -> dict[str, Any]:
    """Tests the scores on the inputs that both systems have, as if there were no other inputs."""
    found = scored()
    expected = {}
    for name in ("b", "c"):
        inputs = sorted(found["a"].keys() & found[name].keys(), key=int)
        pair = [ScoreVectors.of_scores(inputs, [{"m": found[one][key]} for key in inputs]) for one in ("a", name)]
        (tested,) = paired_p_values([(pair[0], pair[1])], test, resampling)
        expected[name] = tested.p_values["m"]
    return expected
