"""Word-level transformations: which source words a simplification deletes, moves, replaces and copies."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

from metrics_framework.alignment.aligner import load_aligner
from metrics_framework.common.overriding import overrides
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.sums import plain_sum
from metrics_framework.data.texts import Text, TextGroups, as_string
from metrics_framework.metrics.base.metric import CACHED_TEXTS, Metric
from metrics_framework.metrics.base.shapes import SourceReferenceBasedMetric
from metrics_framework.text.parts_of_speech import part_of_speech
from metrics_framework.text.tokenizers.tokenizer import WordTokenizerName, load_tokenizer, tokenizer_signature
from metrics_framework.text.word_labels import label_words

Tagger = Literal["coarse", "none"]
LABELS = {"delete": "delete", "move": "move", "replace": "replace", "copy": "keep"}  # score to label
LabelIndices: TypeAlias = Mapping[str, frozenset[int]]
"""For each label, the indices of the source words with this label."""


@Metric.register("transformations")
class Transformations(SourceReferenceBasedMetric):
    """F1 of deleting, moving, replacing and copying source words, compared with the references.

    A word aligner aligns the source with the summary and with each reference. Each source word then has one label:
    deleted, moved, replaced, copied, or none for punctuation; the rules are in
    `metrics_framework.text.word_labels`. For each of the four labels

        score = 100 · max over references of 2 · |S ∩ R| / (|S| + |R|)

    where S and R are the sets of source words with this label for the summary and for the reference; 0 if no word has
    the label. Each label uses its own best reference. ``transformations`` is the mean of the four scores. The score of
    a system is the mean over its outputs. This includes outputs whose references do not have the label, so a system can
    only reach 100 if every output requires the transformation.

    Range: 0 to 100, higher is better. Scores computed with different aligners are not comparable.

    Source: Alva-Manchego, Bingel, Paetzold, Scarton and Specia (IJCNLP 2017) for the labels; EASSE (Alva-Manchego,
    Martin, Scarton and Specia, EMNLP 2019) for the scores. EASSE's aligner also uses a parser.

    Args:
        tokenizer: The tokenizer.
        lowercase: Whether to lowercase text before tokenization; labels always ignore case, but an aligner may not.
        aligner: The word aligner: ``stems``, ``pharaoh:pairs=FILE,alignments=FILE`` or ``simalign:model=FOLDER``; see
            ``fw list aligners``.
        tagger: The part-of-speech tagger: with ``coarse``, a deletion and an addition at the same index with the same
            part of speech are a replacement; with ``none``, they are not.

    Raises:
        UnknownNameError: if the tokenizer, the aligner or the tagger is unknown.
        DataError: if the aligner reads alignments from a file that has none for a text.

    >>> scores = Transformations().score(
    ...     "She wrote a book .", ["She wrote a short book .", "She wrote one ."], "She composed a very short book ."
    ... )
    >>> [f"{name.rpartition('_')[2]} {score:.2f}" for name, score in scores.items()]
    ['transformations 63.10', 'delete 66.67', 'move 0.00', 'replace 100.00', 'copy 85.71']
    """

    score_range = (0, 100)
    splits_at_spaces = True
    citation = "alva-manchego-etal-2017-learning alva-manchego-etal-2019-easse"

    def __init__(
        self,
        tokenizer: WordTokenizerName = "13a",
        lowercase: bool = True,
        aligner: str = "stems",
        tagger: Tagger = "coarse",
    ) -> None:
        super().__init__()
        self.tokenizer = tokenizer
        self.lowercase = lowercase
        self.tagger = tagger
        self.aligner = load_aligner(aligner)
        self._tokenize = load_tokenizer(tokenizer).tokenize

    @overrides
    def files_read(self) -> list[str]:
        return [*super().files_read(), *self.aligner.files_read()]

    @overrides
    def signature_options(self) -> dict[str, Any]:
        return {
            "tok": tokenizer_signature(self.tokenizer),
            "case": "lc" if self.lowercase else "mixed",
            "align": self.aligner.signature(),
            "pos": self.tagger,
        }

    @overrides
    def score_multi_all(
        self, summaries_list: TextGroups, references_list: TextGroups, sources: Sequence[Text]
    ) -> list[list[MetricsDict]]:
        words = functools.lru_cache(CACHED_TEXTS)(self.words)

        @functools.lru_cache(CACHED_TEXTS)
        def label_indices(source: str, text: str) -> LabelIndices:
            return self._label_indices(words(source), words(text))

        results = []
        for summaries, references, source in zip(summaries_list, references_list, map(as_string, sources), strict=True):
            of_references = [label_indices(source, as_string(reference)) for reference in references]
            results.append([_scores(label_indices(source, as_string(summary)), of_references) for summary in summaries])
        return results

    def words(self, text: str) -> list[str]:
        """Returns the words of a text, as they are aligned."""
        return self._tokenize(text.lower() if self.lowercase else text).split()

    def _label_indices(self, source: Sequence[str], target: Sequence[str]) -> LabelIndices:
        pairs = self.aligner.align(source, target)
        labels = label_words(source, target, pairs, part_of_speech if self.tagger == "coarse" else None).source
        return {
            label: frozenset(index for index, word_label in enumerate(labels) if word_label == label)
            for label in LABELS.values()
        }


def _scores(of_summary: LabelIndices, of_references: Sequence[LabelIndices]) -> MetricsDict:
    parts = {
        f"transformations_{name}": 100 * max(_f1(of_summary[label], indices[label]) for indices in of_references)
        for name, label in LABELS.items()
    }
    return MetricsDict({"transformations": plain_sum(parts.values()) / len(parts), **parts})


def _f1(first: frozenset[int], second: frozenset[int]) -> float:
    size = len(first) + len(second)
    return 2 * len(first & second) / size if size else 0.0
