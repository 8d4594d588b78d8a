"""Times the quality features: plain Python by the definitions, the same with rapidfuzz, and this package, in turns.

Run it with ``python benchmarks/quality.py``. It first checks that all give the same features for every output, then
prints how many times as long the others take, with the splitter of sentences that the signature names and with none.
Plain Python has the programme of the distance cell by cell, multisets of words, the splitter asked for each text, and
looks words up in the same table. The text is TurkCorpus below ``FW_SHARED``; where that is absent, text of the same
shape is generated.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from corpora import texts
from timing import in_turns, ratios, spread
from turkcorpus import SYSTEMS, TurkCorpus

from metrics_framework.metrics.quality_estimation import QualityEstimation
from metrics_framework.text.frequencies import WordRarity, rarity_by_wordfreq
from metrics_framework.text.sentences import SentenceSplitter
from metrics_framework.text.tokenizers import tokenize_13a

REPETITIONS = 5
PARTS: dict[str, dict[str, Any]] = {  # what is left out
    "all features": {},
    "without lexical complexity": {"lexical_complexity": False},
    "without sentences": {"splitter": "none"},
    "without both": {"lexical_complexity": False, "splitter": "none"},
}
Distance = Callable[[str, str], int]


class Groups(NamedTuple):
    """Groups of outputs, one a source."""

    summaries_list: list[list[str]]
    sources: list[str]


class Plain:
    """The features by their definitions.

    Args:
        distance: Counts the characters to insert and delete.
        split: Splits a text into sentences.
        rarity: Knows how rare words are.
    """

    def __init__(self, distance: Distance, split: SentenceSplitter, rarity: WordRarity) -> None:
        self.distance = distance
        self.split = split
        self.rarity = rarity

    def __call__(self, groups: Groups) -> list[list[dict[str, float]]]:
        pairs = zip(*groups, strict=True)
        return [[self.features(summary, source) for summary in summaries] for summaries, source in pairs]

    def features(self, summary: str, source: str) -> dict[str, float]:
        """Computes all features of a pair."""
        text, other = tokenize_13a(summary.lower()), tokenize_13a(source.lower())
        words, others = Counter(text.split()), Counter(other.split())
        longer = max(words.total(), others.total())
        lengths = len(text) + len(other)
        return {
            "compression_ratio": len(text) / len(other),
            "sentence_splits": len(self.split(text)) / len(self.split(other)),
            "levenshtein_similarity": (lengths - self.distance(text, other)) / lengths,
            "exact_copies": float(text == other),
            "additions_proportion": (words - others).total() / longer,
            "deletions_proportion": (others - words).total() / longer,
            "lexical_complexity": self.third_quartile(text),
        }

    def third_quartile(self, text: str) -> float:
        """Takes the third quartile of the rarities of content words."""
        rarities = sorted(self.rarity[word] for word in text.split() if self.rarity[word] >= 0)
        if not rarities:
            return math.log(1 + len(self.rarity.ranks))
        place = (len(rarities) - 1) * 0.75
        index = int(place)
        lower, upper = rarities[index], rarities[min(index + 1, len(rarities) - 1)]
        return lower + (upper - lower) * (place - index)


def cell_by_cell(first: str, second: str) -> int:
    """Counts the characters to insert and delete."""
    row = list(range(len(second) + 1))
    for above, one in enumerate(first, 1):
        diagonal, row[0] = row[0], above
        for column, other in enumerate(second, 1):
            least = diagonal if one == other else 1 + min(row[column], row[column - 1])
            diagonal, row[column] = row[column], least
    return row[-1]


def rapid(first: str, second: str) -> int:
    """Counts them with rapidfuzz."""
    from rapidfuzz.distance import Indel

    return Indel.distance(first, second)


def package_splitter(name: str) -> SentenceSplitter:
    """Returns the splitter of a package as its users call it, with nothing around it."""
    if name == "punkt":
        from nltk import sent_tokenize

        return lambda text: list(sent_tokenize(text))
    if name == "pysbd":
        import pysbd

        segmenter = pysbd.Segmenter(language="en", clean=False)
        return lambda text: list(segmenter.segment(text))
    return lambda text: [text]


def check(found: Sequence[Sequence[Any]], expected: Sequence[Sequence[Any]], what: str) -> None:
    """Ends the program where features differ."""
    for group, others in zip(found, expected, strict=True):
        for one, other in zip(group, others, strict=True):
            if not one.approx_equal(other, 1e-12):
                raise SystemExit(f"{what}: {other} is not {one}")


def corpora(test_set: TurkCorpus) -> dict[str, Groups]:
    """Takes one system alone, and all of them together."""
    alone = [[summary] for summary in test_set.outputs[SYSTEMS[0]]]
    together = [list(row) for row in zip(*test_set.outputs.values(), strict=True)]
    return {
        "1 system": Groups(alone, test_set.sources),
        f"{len(SYSTEMS)} systems": Groups(together, test_set.sources),
    }


def compare(splitter: Any, test_set: TurkCorpus, repetitions: int) -> None:
    """Prints how many times as long others take with a splitter."""
    metric = QualityEstimation(splitter=splitter)
    split, rarity = package_splitter(metric.splitter), rarity_by_wordfreq()
    others = {
        "plain Python": Plain(cell_by_cell, split, rarity),
        "plain Python with rapidfuzz": Plain(rapid, split, rarity),
    }
    print(f"\n{metric.signature()}")
    for title, groups in corpora(test_set).items():
        ours = metric.score_multi_all(*groups)
        for name, other in others.items():
            check(ours, other(groups), name)
        tasks: dict[str, Callable[[], object]] = {"ours": partial(metric.score_multi_all, *groups)}
        tasks |= {name: partial(other, groups) for name, other in others.items()}
        seconds = in_turns(tasks, repetitions)
        for name in others:
            print(f"  {title:10} {name:28} takes × {spread(ratios(seconds[name], seconds['ours']))}")


def shares(groups: Groups, repetitions: int) -> None:
    """Prints what is left of our time without a part."""
    metrics = {name: QualityEstimation(**options) for name, options in PARTS.items()}
    tasks = {name: partial(metric.score_multi_all, *groups) for name, metric in metrics.items()}
    seconds = in_turns(tasks, repetitions)
    print("\nOur time, in units of that for all features")
    for name, values in seconds.items():
        print(f"  {name:28} {spread(ratios(values, seconds['all features']))}")


def main() -> None:
    """Runs the comparisons."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--repetitions", type=int, default=REPETITIONS, help="how often each is timed (%(default)s)")
    repetitions = parser.parse_args().repetitions
    test_set, text = texts()
    print(f"text: {text}")
    for splitter in ("auto", "none"):
        compare(splitter, test_set, repetitions)
    shares(corpora(test_set)[f"{len(SYSTEMS)} systems"], repetitions)


if __name__ == "__main__":
    main()
