"""SummaC: whether each piece of a summary is entailed by a piece of its documents."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from metrics_framework.common.overriding import overrides
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.texts import Text, as_string
from metrics_framework.metrics.base.metric import Metric
from metrics_framework.metrics.base.neural_metric import (
    Context,
    Item,
    ModelInputsMetric,
    SourceField,
    Value,
    check_positive,
    source_sentences,
    source_text,
)
from metrics_framework.neural.classification import entailments
from metrics_framework.neural.models import Precision
from metrics_framework.neural.summac import (
    PERCENTILES,
    Convolution,
    Operation,
    Variant,
    ZeroShot,
    check_variant,
    compared_pieces,
    signed_options,
)
from metrics_framework.text.sentences import (
    SentencesName,
    granularities,
    sentence_splitter,
    sentences_of,
    splitter_signature,
)


@Metric.register("summac")
class SummaC(ModelInputsMetric):
    """SummaC: whether each piece of a summary is entailed by a piece of its documents.

    Documents (joined by spaces) and summary are split into pieces; those of at most 10 characters are left out, and so
    are those of the documents after the first 100. A model of natural language inference reads each piece of the
    documents with each piece of the summary.

    - Variant ``zs`` (zero-shot): for each piece of the summary, ``op1`` of the probabilities of entailment over the
      pieces of the documents, minus ``op1`` of those of contradiction; then ``op2`` over the pieces of the summary.
    - Variant ``conv``: for each piece of the summary, a histogram of the probabilities of entailment over the pieces of
      the documents, in ``bins``, and a linear layer; the mean over the pieces of the summary, another linear layer, and
      the second one of its two classes.

    The score is 0 if no piece of the documents or the summary is left. A pair of more than ``max_length`` tokens loses
    the end of its longer text, and the run reports the number of such pairs.

    Range: -1 to 1 for ``zs``, 0 to 1 for ``conv``; higher is better. The score of a system is the mean.

    Source: Laban, Schnabel, Bennett and Hearst (TACL 2022). Equal to their program on the same sentences except for
    rounding; it splits sentences with Punkt.

    Args:
        model: The folder of a classifier with the classes entailment, contradiction and neutral, or its name on the
            Hugging Face hub.
        variant: The variant.
        granularity: The pieces: sentence, document, paragraph (at empty lines, else at line ends) or 2sents, or two of
            them joined by a hyphen for documents and summary.
        op1: How probabilities are combined over the pieces of the documents, for ``zs``.
        op2: How values are combined over the pieces of the summary, for ``zs``.
        use_con: Whether to subtract the probabilities of contradiction, for ``zs``.
        weights: The file of the weights of both layers, for ``conv``.
        bins: The edges of the bins, for ``conv``; by default those of the published weights.
        against: The field that the summary is compared with: the documents, or the source.
        sentences: How texts are split into sentences; a list of several sentences is not split further.
        max_length: The largest number of tokens of a pair.
        device: The device that runs the model: ``cpu``, ``cuda``, ``cuda:1``, ``mps``, or ``auto`` for CUDA if it is
            available, else the CPU.
        batch_size: The number of pairs per batch; it changes scores only by rounding.
        precision: The type of the weights of the model.
        cache: Whether to keep probabilities on disk.

    Raises:
        UsageError: if an option is invalid or of the other variant, or there is no such model or device.
        DataError: if the model or the weights cannot be loaded.
        MissingExtraError: if torch, transformers or nltk (for ``punkt``) is not installed.
    """

    task = "sequence-classification"
    required_context_fields = ("documents",)  # by default
    value_form = (float, float)
    ratios = ("summac",)
    score_range = (-1, 1)
    usual_model = "tals/albert-xlarge-vitaminc-mnli"
    citation = """@article{laban-etal-2022-summac,
    title = "{S}umma{C}: Re-Visiting {NLI}-based Models for Inconsistency Detection in Summarization",
    author = "Laban, Philippe and Schnabel, Tobias and Bennett, Paul N. and Hearst, Marti A.",
    journal = "Transactions of the Association for Computational Linguistics",
    volume = "10",
    year = "2022",
    url = "https://aclanthology.org/2022.tacl-1.10",
    pages = "163--177",
}"""

    def __init__(
        self,
        model: str | None = None,
        variant: Variant = "zs",
        granularity: str = "sentence",
        op1: Operation = "max",
        op2: Operation = "mean",
        use_con: bool = True,
        weights: str | None = None,
        bins: Sequence[float] | None = None,
        against: SourceField = "documents",
        sentences: SentencesName = "own",
        max_length: int = 500,
        device: str = "auto",
        batch_size: int = 16,
        precision: Precision = "float32",
        cache: bool = True,
    ) -> None:
        super().__init__([against], model, device, batch_size, precision, cache)
        check_variant(variant, ZeroShot(op1, op2, use_con), weights, bins)
        check_positive(max_length=max_length)
        self._granularities = granularities(granularity)
        self._split = sentence_splitter(sentences)
        self.variant = variant
        self.granularity = granularity
        self.op1, self.op2, self.use_con = op1, op2, use_con
        self.weights, self.bins = weights, bins
        self.against = against
        self.sentences: SentencesName = sentences
        self.max_length = max_length

    @overrides
    def signature_options(self) -> dict[str, Any]:
        options = {**super().signature_options(), "sentences": splitter_signature(self.sentences)}
        return signed_options(options, self.variant, self.weights, self.bins)

    @overrides
    def cache_options(self) -> dict[str, Any]:
        return {"max_length": self.max_length, "precision": self.precision}

    @overrides
    def items_of(self, summary: Text, context: Context) -> list[list[Item]]:
        texts = source_text(context), as_string(summary)
        sentences = source_sentences(context, self._split), sentences_of(summary, self._split)
        return compared_pieces(texts, sentences, self._granularities)

    @overrides
    def compute(self, items: Sequence[Item]) -> list[Value]:
        pairs = [(document, piece) for document, piece in items]
        return [
            [*value, [is_cut]] for *value, is_cut in entailments(self.loaded(), pairs, self.max_length, self.batches)
        ]

    @overrides
    def combined(self, values: Sequence[Sequence[Value]]) -> MetricsDict:
        scoring = self._convolution or ZeroShot(self.op1, self.op2, self.use_con)
        return MetricsDict(summac=scoring.score(values) if values else 0.0)

    @functools.cached_property
    def _convolution(self) -> Convolution | None:
        return None if self.weights is None else Convolution(self.weights, self.bins or PERCENTILES)
