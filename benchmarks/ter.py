"""Times TER: sacreBLEU and this package, on the same words and in turns.

Run it with ``python benchmarks/ter.py``. Every comparison first checks that all scores, edits and lengths are equal, of
each output and of all together, and prints how many times as long sacreBLEU takes, as the median and the range over
repetitions in turns. The text is TurkCorpus below ``FW_SHARED``; where that is absent, text of the same shape is
generated. Segments of about 100 and 200 words are made of lines that follow each other.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from sacrebleu.metrics import TER

from metrics_framework.metrics.ter import Ter
from metrics_framework.text.tercom import tercom_words

SHARED = Path(os.environ.get("FW_SHARED", Path(__file__).resolve().parent.parent.parent / "shared"))
REFERENCES, REPETITIONS = 8, 5
SYSTEMS = ("SBMT-SARI", "PBMT-R", "Dress-Ls", "Hybrid")
ROWS = 40  # of each system, so that sacreBLEU is done in time


class Corpus(NamedTuple):
    """Outputs with their references."""

    summaries: list[str]
    references_list: list[list[str]]


def published() -> Corpus | None:
    """Reads some lines of TurkCorpus, those of each system behind each other; `None` where it is absent."""
    folder = SHARED / "data" / "turkcorpus"
    if not folder.exists():
        return None

    def lines(name: str) -> list[str]:
        return (folder / name).read_text(encoding="utf-8").removesuffix("\n").split("\n")

    columns = [lines(f"detok/test.truecase.detok.simp.{index}") for index in range(REFERENCES)]
    references_list = [list(row) for row in zip(*columns, strict=True)]
    corpus = Corpus([], [])
    for number, system in enumerate(SYSTEMS):
        chosen = slice(number * ROWS, (number + 1) * ROWS)
        corpus.summaries.extend(lines(f"outputs/detok/{system}.txt")[chosen])
        corpus.references_list.extend(references_list[chosen])
    return corpus


def generated() -> Corpus:
    """Makes sentences of the same length, whose rewritings change, drop and move some words."""
    generator = random.Random(0)
    words = [f"w{index}" for index in range(2000)] + ["the", "a", "of", ",", "and"] * 200

    def rewritten(source: list[str]) -> str:
        kept = [word for word in source if generator.random() > 0.05]
        changed = [generator.choice(words) if generator.random() < 0.1 else word for word in kept]
        if generator.random() < 0.3:
            start, target = generator.randrange(len(changed)), generator.randrange(len(changed))
            block = changed[start : start + 3]
            del changed[start : start + 3]
            changed[target:target] = block
        return " ".join(changed) + " ."

    sources = [generator.choices(words, k=generator.randint(8, 35)) for _ in range(len(SYSTEMS) * ROWS)]
    return Corpus(
        [rewritten(source) for source in sources],
        [[rewritten(source) for _ in range(REFERENCES)] for source in sources],
    )


def with_references(corpus: Corpus, number: int) -> Corpus:
    """Keeps some references of each output."""
    return Corpus(corpus.summaries, [references[:number] for references in corpus.references_list])


def joined(corpus: Corpus, words: int, count: int) -> Corpus:
    """Joins lines to the first ``count`` segments of at least so many words, with one reference each."""
    long = Corpus([], [])
    summary: list[str] = []
    reference: list[str] = []
    for text, references in zip(*corpus, strict=True):
        summary.append(text)
        reference.append(references[0])
        if len(" ".join(reference).split()) >= words:
            long.summaries.append(" ".join(summary))
            long.references_list.append([" ".join(reference)])
            summary, reference = [], []
    return Corpus(long.summaries[:count], long.references_list[:count])


def by_this_package(corpus: Corpus) -> tuple[Any, list[Any]]:
    """Scores with this package; texts are cut into words anew."""
    tercom_words.cache_clear()
    macro, micro = Ter().evaluate(*corpus)
    return tuple(macro.values()), [tuple(scores.values()) for scores in micro]


def by_sacrebleu(corpus: Corpus) -> tuple[Any, list[Any]]:
    """Scores with sacreBLEU; a new instance has an empty cache."""
    metric = TER()
    counts = metric._extract_corpus_statistics(corpus.summaries, list(zip(*corpus.references_list, strict=True)))
    scores = [metric._aggregate_and_compute(part) for part in (counts, *([one] for one in counts))]
    first, *rest = [(score.score, score.num_edits, score.ref_length) for score in scores]
    return first, rest


def cpu_time(function: Callable[[Corpus], object], corpus: Corpus) -> float:
    """Runs a function and returns its CPU time."""
    start = time.process_time()
    function(corpus)
    return time.process_time() - start


def compare(title: str, corpus: Corpus, repetitions: int) -> None:
    """Checks that both give the same scores; prints how many times as long sacreBLEU takes."""
    if by_this_package(corpus) != by_sacrebleu(corpus):
        raise SystemExit(f"{title}: the scores differ")
    ratios = []
    for _ in range(repetitions):
        ours = statistics.mean(cpu_time(by_this_package, corpus) for _ in range(3))  # it is short: one run says little
        ratios.append(cpu_time(by_sacrebleu, corpus) / ours)
    words = statistics.mean(len(text.split()) for references in corpus.references_list for text in references)
    print(
        f"  {title:28} {len(corpus.summaries):4} × {words:4.0f} words   "
        f"× {statistics.median(ratios):6.1f}  ({min(ratios):.1f} to {max(ratios):.1f})"
    )


def main() -> None:
    """Runs the comparisons."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--repetitions", type=int, default=REPETITIONS, help="how often each is timed (%(default)s)")
    repetitions = parser.parse_args().repetitions
    corpus = published()
    print("text: TurkCorpus, de-tokenized" if corpus else "text: generated")
    corpus = corpus or generated()
    print("scores equal in every comparison; CPU time of sacreBLEU over that of this package, one core:")
    compare("1 reference", with_references(corpus, 1), repetitions)
    compare("8 references", corpus, repetitions)
    compare("1 reference, joined lines", joined(corpus, 100, 8), repetitions)
    compare("1 reference, joined lines", joined(corpus, 200, 4), repetitions)


if __name__ == "__main__":
    main()
