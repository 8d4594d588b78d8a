"""Who scores in the benchmarks: this package and its peers, each from the texts as its users have them."""

from __future__ import annotations

import importlib.metadata
import os
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from corpora import Corpus

from metrics_framework.kernels import dispatch
from metrics_framework.metrics.base.metric import load

Task: TypeAlias = Callable[[], list[float]]
ROUNDING = 1e-9  # of scores up to 100
COMPENSATED = 1e-12 if sys.version_info >= (3, 12) else 0.0  # sacreBLEU sums logarithms with sum() (decision 0013)
ANY = float("inf")
OURS = "metrics-framework"
ROUGE_TYPES = ("rouge1", "rouge2", "rougeL")
PARTS = {  # what a score is made of: for us and for sacreBLEU
    "ter": (("ter", "ter_num_edits", "ter_ref_length"), ("score", "num_edits", "ref_length")),
    "bleu": (("bleu",), ("score",)),
    "chrf": (("chrf",), ("score",)),
}


class Contender(NamedTuple):
    """A program that scores.

    Args:
        package: The name of what has to be installed.
        call: What is called.
        prepare: Takes texts and returns the task to time, which gives scores.
        allowed: How far its scores may lie from ours: 0 for the same definition to the last digit.
    """

    package: str
    call: str
    prepare: Callable[[Corpus], Task]
    allowed: float = 0.0

    def version(self) -> str | None:
        """Returns the version of the package, `None` where it is not installed."""
        try:
            return importlib.metadata.version(self.package)
        except importlib.metadata.PackageNotFoundError:
            return None

    def absence(self) -> str:
        """Says why it cannot run, or nothing."""
        return "" if self.version() else f"{self.package} is not installed"

    def __str__(self) -> str:
        return self.call if self.package == OURS else f"{self.package} {self.version() or ''} {self.call}"


class Work(NamedTuple):
    """Something to score, by this package and by peers."""

    name: str
    ours: Contender
    peers: tuple[Contender, ...]


# ---- this package ---------------------------------------------------------------------------------------------------


def our_corpus_score(metric: str, **options: Any) -> Contender:
    """Scores all outputs together, and gives the score of each too, which no peer does at the same time."""

    def prepare(corpus: Corpus) -> Task:
        return lambda: [load(metric, **options).evaluate(corpus.summaries, corpus.references_list)[0][metric]]

    return Contender(OURS, "evaluate", prepare)


def our_sentence_scores(metric: str, **options: Any) -> Contender:
    """Scores each output."""

    def prepare(corpus: Corpus) -> Task:
        return lambda: [
            scores[metric] for scores in load(metric, **options).score_all(corpus.summaries, corpus.references_list)
        ]

    return Contender(OURS, "score_all", prepare)


def our_scores(metric: str, kernels: str | None = None, **options: Any) -> Contender:
    """Scores all outputs together and each, and compares all of it."""
    parts = PARTS[metric][0]

    def prepare(corpus: Corpus) -> Task:
        def scores() -> list[float]:
            macro, micro = load(metric, **options).evaluate(corpus.summaries, corpus.references_list)
            return [found[part] for found in (macro, *micro) for part in parts]

        return with_kernels(kernels, scores)

    return Contender(OURS, kernels or "evaluate", prepare)


def our_error_rates(metric: str) -> Contender:
    """Counts the edits of each output with its first reference."""
    names = [f"{metric}_{kind}" for kind in ("substitutions", "deletions", "insertions")]

    def prepare(corpus: Corpus) -> Task:
        references_list = [references[:1] for references in corpus.references_list]

        def counts() -> list[float]:
            micro = load(metric).evaluate(corpus.summaries, references_list)[1]
            return [scores[name] for scores in micro for name in names]

        return counts

    return Contender(OURS, "evaluate", prepare)


def our_rouge(use_stemmer: bool) -> Contender:
    """Scores each output with ROUGE-1, ROUGE-2 and ROUGE-L against its first reference."""

    def prepare(corpus: Corpus) -> Task:
        references_list = [references[:1] for references in corpus.references_list]

        def scores() -> list[float]:
            metric = load("google-rouge", rouge_types=ROUGE_TYPES, use_stemmer=use_stemmer)
            micro = metric.evaluate(corpus.summaries, references_list)[1]
            return [found[kind]["fmeasure"] for found in micro for kind in ROUGE_TYPES]

        return scores

    return Contender(OURS, "evaluate", prepare)


def our_sari(kernels: str | None = None) -> Contender:
    """Computes SARI, by the kernels in use or by others; compares the scores of all and of each."""

    def prepare(corpus: Corpus) -> Task:
        def scores() -> list[float]:
            macro, micro = load("sari").evaluate(corpus.summaries, corpus.references_list, corpus.sources)
            return [*macro.values(), *(found["sari"] for found in micro)]

        return with_kernels(kernels, scores)

    return Contender(OURS, {None: "evaluate", "python": "Python twin"}.get(kernels, str(kernels)), prepare)


def with_kernels(kernels: str | None, task: Task) -> Task:
    """Lets a task run by some kernels, or by those in use."""
    if kernels is None:
        return task

    def run() -> list[float]:
        before = os.environ.get(dispatch.VARIABLE)
        os.environ[dispatch.VARIABLE] = kernels
        try:
            return task()
        finally:
            del os.environ[dispatch.VARIABLE]
            os.environ.update({} if before is None else {dispatch.VARIABLE: before})

    return run


# ---- peers ----------------------------------------------------------------------------------------------------------


def sacrebleu_corpus_score(metric: str, **options: Any) -> Contender:
    """Scores all outputs with sacreBLEU; a new instance has an empty cache."""

    def prepare(corpus: Corpus) -> Task:
        from sacrebleu import metrics

        kind = getattr(metrics, metric)
        streams = list(map(list, zip(*corpus.references_list, strict=True)))
        return lambda: [kind(**options).corpus_score(corpus.summaries, streams).score]

    return Contender("sacrebleu", "corpus_score", prepare, _allowed(metric))


def sacrebleu_scores(metric: str, **options: Any) -> Contender:
    """Scores all outputs together and each with sacreBLEU, from the same counts."""
    parts = PARTS[metric][1]

    def prepare(corpus: Corpus) -> Task:
        from sacrebleu import metrics

        kind = getattr(metrics, metric.upper())
        streams = list(map(list, zip(*corpus.references_list, strict=True)))

        def scores() -> list[float]:
            scorer = kind(**options)
            counts = scorer._extract_corpus_statistics(corpus.summaries, streams)
            found = [scorer._aggregate_and_compute(rows) for rows in (counts, *([row] for row in counts))]
            return [getattr(score, part) for score in found for part in parts]

        return scores

    return Contender("sacrebleu", "of all and each", prepare, _allowed(metric))


def sacrebleu_sentence_scores(metric: str, **options: Any) -> Contender:
    """Scores each output with sacreBLEU."""

    def prepare(corpus: Corpus) -> Task:
        from sacrebleu import metrics

        kind = getattr(metrics, metric)

        def scores() -> list[float]:
            sentence_score = kind(**options).sentence_score
            pairs = zip(corpus.summaries, corpus.references_list, strict=True)
            return [sentence_score(summary, references).score for summary, references in pairs]

        return scores

    return Contender("sacrebleu", "sentence_score", prepare, _allowed(metric))


def _allowed(metric: str) -> float:
    """Returns how far scores of sacreBLEU may lie from ours."""
    return COMPENSATED if metric.lower() == "bleu" else 0.0


def bleuscore_compute() -> Contender:
    """Scores all outputs with bleuscore: 13a, the nearest length, no smoothing; from 0 to 1, another last digit."""

    def prepare(corpus: Corpus) -> Task:
        import bleuscore

        compute: Any = bleuscore.compute
        return lambda: [100 * compute(corpus.references_list, corpus.summaries, ref_len_method="closest")["bleu"]]

    return Contender("bleuscore", "compute", prepare, allowed=ROUNDING)


def fastchrf_pairwise() -> Contender:
    """Scores each output against each reference with fastchrf and takes the best, as chrF does."""

    def prepare(corpus: Corpus) -> Task:
        from fastchrf import pairwise_chrf

        groups = [[summary] for summary in corpus.summaries]
        return lambda: [max(scores) for (scores,) in pairwise_chrf(groups, corpus.references_list)]

    return Contender("fastchrf", "pairwise_chrf", prepare, allowed=ROUNDING)


def fastchrf_aggregate() -> Contender:
    """Scores each output against all references together with fastchrf: another definition with two and more."""

    def prepare(corpus: Corpus) -> Task:
        from fastchrf import aggregate_chrf

        groups = [[summary] for summary in corpus.summaries]
        return lambda: [score for (score,) in aggregate_chrf(groups, corpus.references_list)]

    return Contender("fastchrf", "aggregate_chrf", prepare, allowed=ANY)


def rapidfuzz_counts(of_words: bool) -> Contender:
    """Counts the edits of each output with rapidfuzz."""

    def prepare(corpus: Corpus) -> Task:
        from rapidfuzz.distance import Levenshtein

        def counts() -> list[float]:
            found: list[float] = []
            for summary, (reference, *_) in zip(corpus.summaries, corpus.references_list, strict=True):
                texts = (reference.split(), summary.split()) if of_words else (reference.strip(), summary.strip())
                tags = Counter(tag for tag, _, _ in Levenshtein.editops(*texts).as_list())
                found += [tags["replace"], tags["delete"], tags["insert"]]
            return found

        return counts

    return Contender("rapidfuzz", "split, editops" if of_words else "editops", prepare)


def rapidfuzz_distances(of_words: bool) -> Contender:
    """Measures only the distance of each output with rapidfuzz: a third of the numbers."""

    def prepare(corpus: Corpus) -> Task:
        from rapidfuzz.distance import Levenshtein

        def distances() -> list[float]:
            found: list[float] = []
            for summary, (reference, *_) in zip(corpus.summaries, corpus.references_list, strict=True):
                texts = (reference.split(), summary.split()) if of_words else (reference.strip(), summary.strip())
                found += [Levenshtein.distance(*texts), 0, 0]
            return found

        return distances

    return Contender("rapidfuzz", "split, distance" if of_words else "distance", prepare, allowed=ANY)


def jiwer_counts(of_words: bool) -> Contender:
    """Counts the edits of each output with jiwer, which gives them for all outputs together: another call for each."""

    def prepare(corpus: Corpus) -> Task:
        import jiwer

        process: Any = jiwer.process_words if of_words else jiwer.process_characters

        def counts() -> list[float]:
            found: list[float] = []
            for summary, (reference, *_) in zip(corpus.summaries, corpus.references_list, strict=True):
                edits = process(reference, summary)
                found += [edits.substitutions, edits.deletions, edits.insertions]
            return found

        return counts

    return Contender("jiwer", "process_words" if of_words else "process_characters", prepare)


def rouge_score_rs(use_stemmer: bool) -> Contender:
    """Scores each output with rouge-score-rs in one call, on one core."""

    def prepare(corpus: Corpus) -> Task:
        from rouge_score_rs import RougeScorer

        references = [references[0] for references in corpus.references_list]

        def scores() -> list[float]:
            scorer: Any = RougeScorer(list(ROUGE_TYPES), use_stemmer=use_stemmer)
            found = scorer.score_batch(references, corpus.summaries)
            return [one[kind].fmeasure for one in found for kind in ROUGE_TYPES]

        return scores

    return Contender("rouge-score-rs", "score_batch", prepare)


def rouge_rust() -> Contender:
    """Scores each output with rouge-rust in one call, on one core; it has no stemmer."""

    def prepare(corpus: Corpus) -> Task:
        import fast_rouge

        references = [references[0] for references in corpus.references_list]

        def scores() -> list[float]:
            found: Any = fast_rouge.score_batch(references, corpus.summaries)
            return [one[kind].fmeasure for one in found for kind in ROUGE_TYPES]

        return scores

    return Contender("rouge-rust", "score_batch", prepare, allowed=ANY)


# ---- who against whom -----------------------------------------------------------------------------------------------

CHRFPP: dict[str, Any] = {"word_order": 2}
SARI = Work("sari", our_sari(), (our_sari("python"),))
TER = Work("ter", our_corpus_score("ter"), (sacrebleu_corpus_score("TER"),))
BLEU = Work("bleu", our_corpus_score("bleu"), (sacrebleu_corpus_score("BLEU", force=True), bleuscore_compute()))
CHRF = Work("chrf", our_corpus_score("chrf"), (sacrebleu_corpus_score("CHRF"),))
CHRF_PLUS = Work("chrf++", our_corpus_score("chrf", **CHRFPP), (sacrebleu_corpus_score("CHRF", **CHRFPP),))
CORPUS_WORKS = (TER, BLEU, CHRF, CHRF_PLUS, SARI)
EDIT_WORKS = tuple(
    Work(name, our_error_rates(name), (rapidfuzz_counts(words), rapidfuzz_distances(words), jiwer_counts(words)))
    for name, words in (("wer", True), ("cer", False))
)
ROUGE_WORKS = (
    Work("rouge", our_rouge(False), (rouge_score_rs(False), rouge_rust())),
    Work("rouge-stemmed", our_rouge(True), (rouge_score_rs(True),)),
)
CHRF_SENTENCES = Work(
    "chrf-sentences",
    our_sentence_scores("chrf"),
    (sacrebleu_sentence_scores("CHRF"), fastchrf_pairwise(), fastchrf_aggregate()),
)
SENTENCE_WORKS = (
    Work("ter-sentences", our_sentence_scores("ter"), (sacrebleu_sentence_scores("TER"),)),
    Work(
        "bleu-sentences", our_sentence_scores("sent-bleu"), (sacrebleu_sentence_scores("BLEU", effective_order=True),)
    ),
    CHRF_SENTENCES,
    Work("chrf++-sentences", our_sentence_scores("chrf", **CHRFPP), (sacrebleu_sentence_scores("CHRF", **CHRFPP),)),
)
