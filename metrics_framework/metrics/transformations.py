"""Word-level transformations: whether a simplification deletes, moves, replaces and keeps the words it should."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, TypeAlias

from overrides import overrides

from metrics_framework.alignment.aligner import load_aligner
from metrics_framework.data.jackknifers import ReferencesJackknifer
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.sums import plain_sum
from metrics_framework.data.texts import Text, as_string
from metrics_framework.metrics.base.metric import Metric
from metrics_framework.metrics.base.shapes import SourceReferenceBasedMetric
from metrics_framework.text.parts_of_speech import part_of_speech
from metrics_framework.text.tokenizers.tokenizer import WordTokenizerName, load_tokenizer
from metrics_framework.text.word_labels import label_words

Tagger = Literal["coarse", "none"]
LABELS = {"delete": "delete", "move": "move", "replace": "replace", "copy": "keep"}  # score to label
MOST_PAIRS_KNOWN = 2**14
Places: TypeAlias = Mapping[str, frozenset[int]]


@Metric.register("transformations")
class Transformations(SourceReferenceBasedMetric):
    """Compares which words of the source the summary and a reference delete, move, replace and copy.

    The words of the source are aligned with those of the summary and of each reference, and each word of the source
    gets the label of what was done to it: deleted, moved, replaced, copied, or none for punctuation; the rules stand in
    `metrics_framework.text.word_labels`. For each of the four

        score = 100 · max over references of 2 · |S ∩ R| / (|S| + |R|)

    where S are the words of the source that have the label with the summary, and R with the reference; 0 where no word
    has it. The greatest is taken for each label by itself. ``transformations`` is the mean of the four. The score of
    a system is the mean over its outputs, also over those whose references do not have the label: a system can
    reach 100 only where all outputs need the transformation.

    Range: 0 to 100, higher is better. Scores of different aligners cannot be compared.

    Source: Alva-Manchego, Bingel, Paetzold, Scarton and Specia (IJCNLP 2017) for the labels; EASSE (Alva-Manchego,
    Martin, Scarton and Specia, EMNLP 2019) for the scores, whose aligner asks a parser.

    Args:
        tokenizer: How text is tokenized.
        lowercase: Whether text is lower-cased before it is tokenized; the labels ignore case in any event, but an
            aligner may not.
        aligner: What aligns words: ``stems``, ``pharaoh:pairs=FILE,alignments=FILE`` or ``simalign:model=FOLDER``
            (``fw list aligners`` shows all).
        tagger: What tells parts of speech, so that a deletion and an addition at one index can be a replacement;
            ``none`` leaves them as they are.

    Raises:
        UnknownNameError: if there is no tokenizer, aligner or tagger of that name.
        DataError: if the aligner reads alignments from a file that does not have those of a text.

    >>> scores = Transformations().score(
    ...     "She wrote a book .", ["She wrote a short book .", "She wrote one ."], "She composed a very short book ."
    ... )
    >>> [f"{name.rpartition('_')[2]} {score:.2f}" for name, score in scores.items()]
    ['transformations 63.10', 'delete 66.67', 'move 0.00', 'replace 100.00', 'copy 85.71']
    """

    score_range: ClassVar[tuple[float | None, float | None]] = (0, 100)
    citation: ClassVar[str] = """@inproceedings{alva-manchego-etal-2017-learning,
    title = "Learning How to Simplify From Explicit Labeling of Complex-Simplified Text Pairs",
    author = "Alva-Manchego, Fernando and Bingel, Joachim and Paetzold, Gustavo and Scarton, Carolina and
        Specia, Lucia",
    booktitle = "Proceedings of the Eighth International Joint Conference on Natural Language Processing
        (Volume 1: Long Papers)",
    year = "2017",
    address = "Taipei, Taiwan",
    publisher = "Asian Federation of Natural Language Processing",
    url = "https://aclanthology.org/I17-1030",
    pages = "295--305",
}

@inproceedings{alva-manchego-etal-2019-easse,
    title = "{EASSE}: Easier Automatic Sentence Simplification Evaluation",
    author = "Alva-Manchego, Fernando and Martin, Louis and Scarton, Carolina and Specia, Lucia",
    booktitle = "Proceedings of the 2019 Conference on Empirical Methods in Natural Language Processing and the
        9th International Joint Conference on Natural Language Processing: System Demonstrations",
    year = "2019",
    address = "Hong Kong, China",
    publisher = "Association for Computational Linguistics",
    url = "https://aclanthology.org/D19-3009",
    pages = "49--54",
}"""

    def __init__(
        self,
        tokenizer: WordTokenizerName = "13a",
        lowercase: bool = True,
        aligner: str = "stems",
        tagger: Tagger = "coarse",
    ) -> None:
        super().__init__(jackknifer=ReferencesJackknifer())
        self.tokenizer = tokenizer
        self.lowercase = lowercase
        self.tagger = tagger
        self.aligner = load_aligner(aligner)
        self._tokenize = load_tokenizer(tokenizer).tokenize

    @overrides
    def signature_options(self) -> dict[str, Any]:
        case = "lc" if self.lowercase else "mixed"
        return {"tok": self.tokenizer, "case": case, "align": self.aligner.signature(), "pos": self.tagger}

    @overrides
    def score_multi_all(
        self,
        summaries_list: Sequence[Sequence[Text]],
        references_list: Sequence[Sequence[Text]],
        sources: Sequence[Text],
    ) -> list[list[MetricsDict]]:
        # Groups may share texts: the jackknifed ones have all but one of their references in common.
        words = functools.lru_cache(MOST_PAIRS_KNOWN)(self.words)

        @functools.lru_cache(MOST_PAIRS_KNOWN)
        def places(source: str, text: str) -> Places:
            return self._places(words(source), words(text))

        results = []
        for summaries, references, of_group in zip(summaries_list, references_list, sources, strict=True):
            source = as_string(of_group)
            wanted = [places(source, as_string(reference)) for reference in references]
            results.append([_scores(places(source, as_string(summary)), wanted) for summary in summaries])
        return results

    def words(self, text: str) -> list[str]:
        """Returns the words of a text that are aligned."""
        return self._tokenize(text.lower() if self.lowercase else text).split()

    def _places(self, source: Sequence[str], target: Sequence[str]) -> Places:
        """Returns for each label the places of the words of the source that have it."""
        pairs = self.aligner.align(source, target)
        labels = label_words(source, target, pairs, part_of_speech if self.tagger == "coarse" else None).source
        return {
            label: frozenset(place for place, found in enumerate(labels) if found == label) for label in LABELS.values()
        }


def _scores(done: Places, wanted: Sequence[Places]) -> MetricsDict:
    parts = {
        f"transformations_{name}": 100 * max(_f1(done[label], reference[label]) for reference in wanted)
        for name, label in LABELS.items()
    }
    return MetricsDict({"transformations": plain_sum(parts.values()) / len(parts), **parts})


def _f1(done: frozenset[int], wanted: frozenset[int]) -> float:
    size = len(done) + len(wanted)
    return 2 * len(done & wanted) / size if size else 0.0
