"""Times ``google-rouge`` and the package rouge-score in turns: ``python benchmarks/google_rouge.py``.

Both score the same texts in one process and thread: lines of TurkCorpus, and documents of consecutive lines. The
program ends if a score differs in any bit; then it prints how many times as long the package takes. The text is
TurkCorpus below ``FW_SHARED``; if it is missing, text of the same shape is generated.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from corpora import Corpus, collected, first, runs, stacked, texts, with_references
from rouge_score.rouge_scorer import RougeScorer
from timing import in_turns, ratios, spread

from metrics_framework.metrics.google_rouge import GoogleRouge

REPETITIONS = 5
OUTPUTS = 100
PAPER = ("rouge1", "rouge2", "rougeL")
KINDS: dict[str, dict[str, Any]] = {
    "ROUGE-1/2/L, stemmed": {"rouge_types": PAPER, "use_stemmer": True},
    "ROUGE-1/2/L": {"rouge_types": PAPER},
    "ROUGE-1/2/L/Lsum, stemmed": {"rouge_types": (*PAPER, "rougeLsum"), "use_stemmer": True},
}


def with_line_breaks(corpus: Corpus, words: int, count: int) -> Corpus:
    """Joins consecutive lines to documents of several lines."""
    columns = [list(zip(*corpus.references_list, strict=True)), corpus.summaries]
    rows = (
        (
            "\n".join(columns[1][line] for line in lines),
            ["\n".join(column[line] for line in lines) for column in columns[0]],
            "",
        )
        for lines in runs(corpus, words)
    )
    return first(collected(rows, "documents"), count)


def corpora(corpus: Corpus, count: int) -> dict[str, Corpus]:
    """Returns the texts: lines with one and eight references, and documents of two lengths with one."""
    one = with_references(corpus, 1)
    return {
        "lines, 1 reference": first(one, count),
        "lines, 8 references": first(corpus, count // 4),
        "60 words, 1 reference": with_line_breaks(one, 50, count // 2),
        "200 words, 1 reference": with_line_breaks(one, 190, max(2, count // 10)),
    }


def package(corpus: Corpus, scorer: RougeScorer) -> list[dict[str, Any]]:
    """Scores each output as the package does for several references."""
    pairs = zip(corpus.summaries, corpus.references_list, strict=True)
    return [scorer.score_multi(references, summary) for summary, references in pairs]


def check(found: Sequence[Any], expected: Sequence[Any], what: str) -> None:
    """Ends the program if scores differ."""
    for number, (ours, theirs) in enumerate(zip(found, expected, strict=True)):
        if ours != {kind: score._asdict() for kind, score in theirs.items()}:
            raise SystemExit(f"{what}: output {number}: {ours} is not {theirs}")


def compare(name: str, options: dict[str, Any], all_texts: dict[str, Corpus], repetitions: int) -> None:
    """Prints how many times as long the package takes."""
    metric, scorer = GoogleRouge(**options), RougeScorer(**options)
    print(f"\n{name}: {metric.signature()}")
    for what, corpus in all_texts.items():
        score = partial(metric.score_all, corpus.summaries, corpus.references_list)
        check(score(), package(corpus, scorer), what)
        tasks: dict[str, Callable[[], object]] = {"ours": score, "package": partial(package, corpus, scorer)}
        seconds = in_turns(tasks, repetitions)
        print(f"  {what:24} takes × {spread(ratios(seconds['package'], seconds['ours']))}")


def main() -> None:
    """Runs the comparisons."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--repetitions", type=int, default=REPETITIONS, help="how often each is timed (%(default)s)")
    parser.add_argument("--outputs", type=int, default=OUTPUTS, help="the number of lines to score (%(default)s)")
    arguments = parser.parse_args()
    test_set, text = texts()
    print(f"text: {text}")
    all_texts = corpora(stacked(test_set), arguments.outputs)
    for name, options in KINDS.items():
        compare(name, options, all_texts, arguments.repetitions)


if __name__ == "__main__":
    main()
