"""Times the metrics of readability and simplification against plain Python, and the shortcuts of sentence splitting.

Run it with ``python benchmarks/readability.py``. Every comparison first checks that corpus scores, output scores or
sentences are equal, and prints how many times as long the other side takes:

    plain   the formula computed from texts: each reference again, patterns for each word, the package for each text
    asked   the sentences of pysbd or nltk, for texts that are not cached

``left whole`` is the share of texts that are recognized as one sentence without calling the package. The text is
TurkCorpus, and ASSET's references, below ``FW_SHARED``; if they are missing, text of the same shape is generated.
Punkt is compared if nltk's data is installed.
"""

from __future__ import annotations

import argparse
import math
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from corpora import Corpus, stacked, texts
from tables import Line, Table, show
from timing import in_turns, ratios, spread
from turkcorpus import SHARED

from metrics_framework.common.errors import FwError
from metrics_framework.metrics.base.metric import load
from metrics_framework.text import readability, sentences
from metrics_framework.text.sentences import SplitterName, sentence_splitter
from metrics_framework.text.tokenizers.tokenizer import load_tokenizer

tokenize_13a = load_tokenizer("13a").tokenize

REPETITIONS = 5
METRICS = ("fkgl", "token-f1", "ibleu", "fkbleu")
OF_METRICS = Table("CPU time of plain Python over that of this package", ("metric", "splitter", "plain"), (12, 12, 0))
OF_SENTENCES = Table(
    "CPU time of the package itself over that of this one", ("text", "splitter", "left whole", "asked"), (24, 12, 14, 0)
)
Numbers = list[float]
Split = Callable[[str], Sequence[str]]


# ---- plain Python ---------------------------------------------------------------------------------------------------


def words_of(text: str) -> list[str]:
    """Returns the words of 13a."""
    return tokenize_13a(text.rstrip()).split()


def plain_syllables(word: str) -> int:
    """Counts by the rules, pattern by pattern."""
    if word in readability.listed_syllables():
        return readability.listed_syllables()[word]
    stem = word.rstrip("e")
    return len(re.findall("[aeiouy]+", stem)) + sum(change for found, change in readability._RULES if found(stem))


def plain_counts(text: str, split: Split) -> list[int]:
    """Counts words, sentences and syllables."""
    tokenized = tokenize_13a(text.lower())
    words = tokenized.split()
    return [len(words), len(split(tokenized)), sum(map(plain_syllables, words))]


def plain_grade(counts: Sequence[float]) -> float:
    """Returns FKGL."""
    words, cut, spoken = counts
    return max(0.0, 0.39 * (words / cut) + 11.8 * (spoken / words) - 15.59) if words and cut else 0.0


def ngrams(words: list[str], order: int) -> Counter[tuple[str, ...]]:
    """Counts the n-grams of one order."""
    return Counter(zip(*(words[start:] for start in range(order)), strict=False))


def plain_statistics(summary: str, references: Sequence[str]) -> list[int]:
    """Returns the lengths, matches and totals of BLEU."""
    words = words_of(summary)
    others = [words_of(reference) for reference in references]
    nearest = min((abs(len(other) - len(words)), len(other)) for other in others)[1]
    matches, totals = [], []
    for order in range(1, 5):
        wanted: Counter[tuple[str, ...]] = Counter()
        for other in others:
            wanted |= ngrams(other, order)
        found = ngrams(words, order)
        matches.append(sum((found & wanted).values()))
        totals.append(sum(found.values()))
    return [len(words), nearest, *matches, *totals]


def plain_bleu(statistics: Sequence[float]) -> float:
    """Returns BLEU, smoothed by halves, over the orders of which there are n-grams."""
    length, other, *numbers = statistics
    if not any(numbers[:4]):
        return 0.0
    halves, logarithms = 1.0, []
    for matching, total in zip(numbers[:4], numbers[4:], strict=True):
        if total:
            halves *= 1 if matching else 2
            logarithms.append(math.log(100 * matching / total if matching else 100 / (halves * total)))
    return min(1.0, math.exp(1 - other / length)) * math.exp(sum(logarithms) / len(logarithms))


def plain_ibleu(statistics: Sequence[float]) -> float:
    """Returns iBLEU of the statistics against the references and against the source."""
    return 0.9 * plain_bleu(statistics[:10]) - 0.1 * plain_bleu(statistics[10:20])


def plain_fkbleu(statistics: Sequence[float]) -> float:
    """Returns FKBLEU."""
    gain = plain_grade(statistics[20:23]) - plain_grade(statistics[23:])
    return plain_ibleu(statistics) / (1 + math.exp(-gain))


def of_sums(vectors: list[list[int]], score: Callable[[Sequence[float]], float]) -> Numbers:
    """Returns the score of all outputs, then of each."""
    return [score([sum(column) for column in zip(*vectors, strict=True)]), *map(score, vectors)]


def plain_f1(summary: str, reference: str) -> float:
    """Returns the F1 of the words of both."""
    one, other = Counter(words_of(summary.lower())), Counter(words_of(reference.lower()))
    total = sum(one.values()) + sum(other.values())
    return 100 * (2 * sum((one & other).values()) / total if total else 1.0)


def plain(metric: str, corpus: Corpus, split: Split) -> Numbers:
    """Returns what the metric gives for all outputs, then for each."""
    if metric == "fkgl":
        return of_sums([plain_counts(text, split) for text in corpus.summaries], plain_grade)
    if metric == "token-f1":
        scores = [max(plain_f1(summary, text) for text in references) for summary, references, _ in corpus.rows()]
        return [sum(scores) / len(scores), *scores]
    vectors = [
        plain_statistics(summary, references) + plain_statistics(summary, [source])
        for summary, references, source in corpus.rows()
    ]
    if metric == "ibleu":
        return of_sums(vectors, plain_ibleu)
    pairs = zip(vectors, corpus.summaries, corpus.sources, strict=True)
    return of_sums(
        [[*vector, *plain_counts(text, split), *plain_counts(source, split)] for vector, text, source in pairs],
        plain_fkbleu,
    )


# ---- comparisons ----------------------------------------------------------------------------------------------------


def asked(name: SplitterName) -> Split:
    """Returns the package's own cutting."""
    if name == "punkt":
        from nltk.tokenize import sent_tokenize

        found: Split = sent_tokenize
        return found
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pysbd
    segment: Split = pysbd.Segmenter(language="en", clean=False).segment
    return segment


def splitters() -> list[SplitterName]:
    """Returns those that can be used here."""
    names: list[SplitterName] = []
    for name in ("pysbd", "punkt"):
        try:
            sentence_splitter(name)  # type: ignore[arg-type]
        except FwError as error:
            print(f"without {name}: {error}")
        else:
            names.append(name)  # type: ignore[arg-type]
    return names


def ours(metric: str, corpus: Corpus, splitter: SplitterName) -> Numbers:
    """Returns the scores of this package: of all outputs, then of each."""
    options = {"splitter": splitter} if metric in ("fkgl", "fkbleu") else {}
    built = load(metric, **options)
    columns = {"summary": corpus.summaries, "references": corpus.references_list, "source": corpus.sources}
    macro, micro = built.evaluate(*(columns[name] for name in built.fields))
    return [scores[metric] for scores in (macro, *micro)]


def of_metrics(corpus: Corpus, repetitions: int) -> Iterator[Line]:
    """Compares the metrics, those that cut sentences with each splitter."""
    known = splitters()
    for metric in METRICS:
        for name in known if metric in ("fkgl", "fkbleu") else ["none"]:
            split = asked(name) if name != "none" else sentence_splitter("none")
            tasks = {
                "ours": lambda metric=metric, name=name: ours(metric, corpus, name),
                "plain": lambda metric=metric, split=split: plain(metric, corpus, split),
            }
            one, other = tasks["ours"](), tasks["plain"]()
            if not all(math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-12) for a, b in zip(one, other, strict=True)):
                raise SystemExit(f"{metric}, {name}: the scores differ")
            seconds = in_turns(tasks, repetitions)
            found = ratios(seconds["plain"], seconds["ours"])
            cutting = name if metric in ("fkgl", "fkbleu") else "-"
            yield Line(OF_METRICS, (metric, cutting, f"× {spread(found)}"), {"ratios": found})


def of_sentences(texts_by_name: dict[str, list[str]], repetitions: int) -> Iterator[Line]:
    """Compares the sentences of different texts, as they are and as FKGL cuts them."""
    for name in splitters():
        split, real = sentence_splitter(name), asked(name)
        for title, found in texts_by_name.items():
            for form, normalize in (
                ("", str),
                (", for FKGL", lambda text: tokenize_13a(text.lower())),
            ):
                different = list(dict.fromkeys(map(normalize, found)))
                tasks = {
                    "ours": lambda split=split, different=different: [list(split(text)) for text in different],
                    "asked": lambda real=real, different=different: [list(real(text)) for text in different],
                }
                if tasks["ours"]() != tasks["asked"]():
                    raise SystemExit(f"{title}{form}, {name}: the sentences differ")
                seconds = in_turns(tasks, repetitions)
                gain = ratios(seconds["asked"], seconds["ours"])
                share = f"{100 * sum(is_left_whole(name, text) for text in different) / len(different):.0f} %"
                cells = (f"{title}{form}", name, share, f"× {spread(gain)}")
                yield Line(OF_SENTENCES, cells, {"ratios": gain})


def is_left_whole(name: SplitterName, text: str) -> bool:
    """Returns whether a text is one sentence without calling the package."""
    if name == "punkt":
        return not sentences._may_be_split_by_punkt(text)
    return bool(sentences._is_one_sentence_for_pysbd(text))


def asset() -> list[str]:
    """Returns ASSET's references, where they are."""
    paths = sorted((SHARED / "data" / "asset").glob("asset.test.simp.*"))
    return [text for path in paths for text in path.read_text(encoding="utf-8").splitlines()]


def main() -> None:
    """Runs the comparisons."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--repetitions", type=int, default=REPETITIONS, help="how often each is timed (%(default)s)")
    repetitions = parser.parse_args().repetitions
    test_set, text = texts()
    print(f"text: {text}")
    corpus = stacked(test_set)
    show(of_metrics(corpus, repetitions))
    references = [reference for references in test_set.references_list for reference in references]
    known = {"TurkCorpus": test_set.sources + references, "ASSET": asset()}
    show(of_sentences({title: found for title, found in known.items() if found}, repetitions))


if __name__ == "__main__":
    main()
