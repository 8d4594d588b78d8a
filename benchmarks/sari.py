"""Times the variants and tokenizers of SARI against each other, on the outputs of four systems.

Run it with ``python benchmarks/sari.py``. It first checks that every variant gives the same scores in groups as one by
one, then prints what each costs as a multiple of what ``easse`` costs, as the median and the range over repetitions in
turns. The text is TurkCorpus below ``FW_SHARED``; where that is absent, text of the same shape is generated.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from typing import NamedTuple

from corpora import texts
from timing import in_turns, ratios, spread
from turkcorpus import SYSTEMS, TurkCorpus

from metrics_framework.metrics.sari import VARIANTS, Sari
from metrics_framework.text.tokenizers.tokenizer import load_tokenizer, tokenizer_names

REPETITIONS = 7


class Groups(NamedTuple):
    """Groups of outputs: one group a sentence, one output a system."""

    summaries_list: list[list[str]]
    references_list: list[list[str]]
    sources: list[str]


def grouped(test_set: TurkCorpus) -> Groups:
    """Puts the outputs for each sentence together."""
    by_sentence = [list(row) for row in zip(*test_set.outputs.values(), strict=True)]
    return Groups(by_sentence, test_set.references_list, test_set.sources)


def check(metric: Sari, groups: Groups) -> None:
    """Ends the program when groups do not give what outputs give one by one."""
    for summaries, references, source in list(zip(*groups, strict=True))[:20]:
        alone = [metric.score(summary, references, source) for summary in summaries]
        if metric.score_multi(summaries, references, source) != alone:
            raise SystemExit(f"{metric.signature()}: groups and single outputs differ")


def show(title: str, tasks: Mapping[str, Callable[[], object]], unit: str, repetitions: int) -> None:
    """Prints what each task costs in units of one of them."""
    for task in tasks.values():
        task()
    seconds = in_turns(tasks, repetitions)
    print(f"\n{title}")
    for name, values in seconds.items():
        print(f"  {name:14} {spread(ratios(values, seconds[unit]))}")


def tokenizing(name: str, lines: list[str]) -> Callable[[], object]:
    """Returns a task that tokenizes all texts."""
    tokenize = load_tokenizer(name).tokenize
    return lambda: [tokenize(line) for line in lines]


def scoring(metric: Sari, groups: Groups) -> Callable[[], object]:
    """Returns a task that scores all outputs."""
    return lambda: metric.score_multi_all(*groups)


def main() -> None:
    """Runs the comparisons."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--repetitions", type=int, default=REPETITIONS, help="how often each is timed (%(default)s)")
    repetitions = parser.parse_args().repetitions
    test_set, text = texts()
    print(f"text: {text}")
    groups = grouped(test_set)
    variants = {name: Sari(variant=name) for name in VARIANTS}  # type: ignore[arg-type]
    for metric in variants.values():
        check(metric, groups)
    alone = groups._replace(summaries_list=[group[:1] for group in groups.summaries_list])
    tasks = {name: scoring(metric, groups) for name, metric in variants.items()}
    tasks["easse, alone"] = scoring(variants["easse"], alone)
    show(
        f"Scoring {len(SYSTEMS)} systems together, in units of easse; 'alone' is one of them",
        tasks,
        "easse",
        repetitions,
    )
    lines = [line for references in groups.references_list for line in references]
    names = [name for name in tokenizer_names("word", "character") if name != "moses"]
    show("Tokenizing, in units of 13a", {name: tokenizing(name, lines) for name in names}, "13a", repetitions)


if __name__ == "__main__":
    main()
