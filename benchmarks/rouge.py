"""Times ``rouge`` and other implementations of ROUGE in turns: ``python benchmarks/rouge.py``.

All score the same texts in one process and thread: lines of TurkCorpus, and documents of consecutive lines. First
ROUGE-1, ROUGE-2 and ROUGE-L of one reference, with stemming, relative to the package rouge-score; its stems differ, so
the program compares the scores without stemming, and ends if one differs by more than rounding. Then all measures
(ROUGE-1 to 4, L, W, S and SU) with eight references and jackknifing, relative to the Python twin, whose scores must be
equal, and without jackknifing relative to the package rouge-metric, if it is installed. The text is TurkCorpus below
``FW_SHARED``; if it is missing, text of the same shape is generated.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from corpora import Corpus, first, stacked, texts, with_references
from google_rouge import with_line_breaks
from rouge_score.rouge_scorer import RougeScorer
from timing import in_turns, ratios, spread

from metrics_framework.kernels.dispatch import VARIABLE, Request
from metrics_framework.metrics.rouge import Rouge
from metrics_framework.text.rouge_words import RougeWords, lines_of

REPETITIONS = 5
OUTPUTS = 2000
ROUNDED = 0.000501  # of scores from 0 to 100 with three decimal places
NAMES = {"rouge1": "rouge-1", "rouge2": "rouge-2", "rougeL": "rouge-l"}
ALL: dict[str, Any] = {"compute_rouge_l": True, "skip_bigram_gap_length": 4, "wlcs_weight": 1.2}


def without_line_breaks(corpus: Corpus) -> Corpus:
    """Returns the texts as one line each: rougeL of rouge-score ignores lines."""
    references_list = [[text.replace("\n", " ") for text in texts] for texts in corpus.references_list]
    return Corpus([text.replace("\n", " ") for text in corpus.summaries], references_list, corpus.sources, corpus.kind)


def by_package(corpus: Corpus, scorer: RougeScorer) -> list[dict[str, Any]]:
    """Scores each output with rouge-score."""
    return [
        scorer.score(references[0], summary)
        for summary, references in zip(corpus.summaries, corpus.references_list, strict=True)
    ]


def check_package(corpus: Corpus) -> None:
    """Ends the program if scores without stemming differ from those of rouge-score by more than rounding."""
    ours = Rouge(2, use_porter_stemmer=False, compute_rouge_l=True).score_all(corpus.summaries, corpus.references_list)
    theirs = by_package(corpus, RougeScorer([*NAMES], use_stemmer=False))
    for number, (scores, expected) in enumerate(zip(ours, theirs, strict=True)):
        for kind, score in expected.items():
            found = scores[NAMES[kind]]
            if (
                max(abs(found["recall"] - 100 * score.recall), abs(found["precision"] - 100 * score.precision))
                > ROUNDED
            ):
                raise SystemExit(f"output {number}: {kind}: {found} is not {score}")


def compare_package(name: str, corpus: Corpus, repetitions: int) -> None:
    """Prints how many times as long rouge-score takes for ROUGE-1, ROUGE-2 and ROUGE-L with stemming."""
    check_package(corpus)
    metric, scorer = Rouge(2, compute_rouge_l=True), RougeScorer([*NAMES], use_stemmer=True)
    tasks: dict[str, Callable[[], object]] = {
        "ours": partial(metric.score_all, corpus.summaries, corpus.references_list),
        "package": partial(by_package, corpus, scorer),
    }
    seconds = in_turns(tasks, repetitions)
    print(f"  {name:24} rouge-score takes × {spread(ratios(seconds['package'], seconds['ours']))}")


def scored(metric: Rouge, corpus: Corpus, request: int, kernels: str) -> Any:
    """Scores with one implementation of the kernels."""
    os.environ[VARIABLE] = kernels
    return metric.score_batch(request, [[text] for text in corpus.summaries], corpus.references_list)


def by_rouge_metric(package: Any, summaries: Sequence[Any], references_list: Sequence[Any]) -> Any:
    """Scores words with rouge-metric."""
    return package.evaluate_tokenized(summaries, references_list)


def rouge_metric_task(corpus: Corpus) -> Callable[[], object] | None:
    """Returns what scores the words of a corpus with rouge-metric; `None` if it is not installed."""
    if importlib.util.find_spec("rouge_metric") is None:
        return None
    from rouge_metric import PyRouge

    package = PyRouge(rouge_n=(1, 2, 3, 4), rouge_l=True, rouge_w=True, rouge_w_weight=1.2, rouge_s=True, rouge_su=True)
    words = RougeWords()

    def read(text: str) -> list[list[str]]:
        return [words.words(line) for line in lines_of(text)]

    summaries = [read(text) for text in corpus.summaries]
    return partial(
        by_rouge_metric, package, summaries, [[read(text) for text in own] for own in corpus.references_list]
    )


def compare_all(name: str, corpus: Corpus, repetitions: int) -> None:
    """Prints how many times as long the twin and rouge-metric take for all measures."""
    metric = Rouge(**ALL)
    plain, jackknifed = int(Request.SCORES), int(Request.SCORES | Request.JACKKNIFED)
    native, twin = (scored(metric, corpus, jackknifed, kernels) for kernels in ("native", "python"))
    if (native.scores, native.jackknifed) != (twin.scores, twin.jackknifed):
        raise SystemExit(f"{name}: the native scores differ from those of the twin")
    tasks: dict[str, Callable[[], object]] = {
        "native": partial(scored, metric, corpus, jackknifed, "native"),
        "native without jackknifing": partial(scored, metric, corpus, plain, "native"),
        "twin": partial(scored, metric, corpus, jackknifed, "python"),
    }
    peer = rouge_metric_task(corpus)
    if peer is not None:
        tasks["rouge-metric"] = peer
    seconds = in_turns(tasks, repetitions)
    per_output = 1e6 / len(corpus)
    print(f"  {name:24} native, jackknifed: {spread([s * per_output for s in seconds['native']])} µs per output")
    jackknifing = ratios(seconds["native"], seconds["native without jackknifing"])
    print(f"  {'':24} jackknifing takes × {spread(jackknifing)} of scores alone")
    print(f"  {'':24} the twin takes × {spread(ratios(seconds['twin'], seconds['native']))}")
    if peer is not None:
        slower = ratios(seconds["rouge-metric"], seconds["native without jackknifing"])
        print(f"  {'':24} rouge-metric takes × {spread(slower)}, given words, without jackknifing")


def main() -> None:
    """Runs the comparisons."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--repetitions", type=int, default=REPETITIONS, help="how often each is timed (%(default)s)")
    parser.add_argument("--outputs", type=int, default=OUTPUTS, help="the number of lines to score (%(default)s)")
    arguments = parser.parse_args()
    test_set, text = texts()
    corpus, count = stacked(test_set), arguments.outputs
    one = with_references(corpus, 1)
    print(f"text: {text}\n\nROUGE-1, ROUGE-2 and ROUGE-L with stemming, one reference")
    compare_package("lines", first(one, count), arguments.repetitions)
    for words in (60, 200):
        documents = without_line_breaks(with_line_breaks(one, words - 10, max(2, count * 10 // words)))
        compare_package(f"{words} words", documents, arguments.repetitions)
    print("\nROUGE-1 to 4, L, W-1.2, S4 and SU4 with stemming, eight references, jackknifed")
    compare_all("lines", first(corpus, max(2, count // 20)), arguments.repetitions)
    compare_all("100 words", with_line_breaks(corpus, 90, max(2, count // 80)), arguments.repetitions)


if __name__ == "__main__":
    main()
