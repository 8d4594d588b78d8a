"""SummaC: whether each piece of a summary is entailed by a piece of its documents."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from metrics_framework.common.errors import DataError, UnknownChoiceError, UsageError, message_of
from metrics_framework.common.overriding import overrides
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.texts import Text, as_string
from metrics_framework.io.content import hash_of
from metrics_framework.io.model_files import needs_safe_weights
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
from metrics_framework.text.sentences import SentencesName, sentence_splitter, sentences_of, splitter_signature

if TYPE_CHECKING:
    from numpy import ndarray
Variant = Literal["zs", "conv"]
Operation = Literal["max", "mean", "min"]
Granularity = Literal["sentence", "document", "paragraph", "2sents"]


@Metric.register("summac")
@dataclass(eq=False, repr=False)
class SummaC(ModelInputsMetric):
    """SummaC: whether each piece of a summary is entailed by a piece of its documents.

    Documents (joined by spaces) and summary are split into pieces. Sentences and paragraphs of at most 10 characters
    are left out, before sentences are paired (``2sents``), and so are the pieces of the documents after the first 100.
    A model of natural language inference reads each piece of the documents with each piece of the summary.

    - Variant ``zs`` (zero-shot): for each piece of the summary, ``op1`` of the probabilities of entailment over the
      pieces of the documents, minus ``op1`` of those of contradiction; then ``op2`` over the pieces of the summary.
    - Variant ``conv``: for each piece of the summary, a histogram of the probabilities of entailment over the pieces of
      the documents, in ``bins``, and a linear layer; the mean over the first 10 pieces of the summary, another linear
      layer, and the second one of its two classes.

    If no piece of the documents or the summary is left, both probabilities are 0: so is the score of ``zs``. A pair of
    more than ``max_length`` tokens loses the end of its longer text, and the run reports the number of such pairs.

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
        batch_size: The number of pairs per batch; it changes scores only by rounding.

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
    definition = 2  # pieces and their numbers are those of the program
    cached_by = ("max_length", "precision")
    usual_model = "tals/albert-xlarge-vitaminc-mnli"
    citation = "laban-etal-2022-summac"

    variant: Variant = "zs"
    granularity: str = "sentence"
    op1: Operation = "max"
    op2: Operation = "mean"
    use_con: bool = True
    weights: str | None = None
    bins: Sequence[float] | None = None
    against: SourceField = "documents"
    sentences: SentencesName = "own"
    max_length: int = 500
    batch_size: int = field(default=16, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.read_fields([self.against])
        _check_variant(self.variant, ZeroShot(self.op1, self.op2, self.use_con), self.weights, self.bins)
        check_positive(max_length=self.max_length)
        self._granularities = granularities(self.granularity)
        self._split = sentence_splitter(self.sentences)

    @overrides
    def signature_options(self) -> dict[str, Any]:
        options = {**super().signature_options(), "sentences": splitter_signature(self.sentences)}
        if self.weights is not None:
            options["weights"] = hash_of(self.weights)
            options["bins"] = "percentile" if self.bins is None else "+".join(f"{edge:g}" for edge in self.bins)
        unused = ZeroShot._fields if self.variant == "conv" else ("weights", "bins")
        return {name: value for name, value in options.items() if name not in unused}

    @overrides
    def items_of(self, summary: Text, context: Context) -> list[list[Item]]:
        texts = source_text(context), as_string(summary)
        sentences = source_sentences(context, self._split), sentences_of(summary, self._split)
        documents, pieces = map(pieces_of, texts, sentences, self._granularities)
        kept = pieces[:MAX_SUMMARY_PIECES] if self.variant == "conv" else pieces
        return [[[document, piece] for document in documents[:MAX_DOCUMENT_PIECES]] for piece in kept if documents]

    @overrides
    def compute(self, items: Sequence[Item]) -> list[Value]:
        return entailments(self.loaded(), items, self.max_length, self.batches)

    @overrides
    def combined(self, values: Sequence[Sequence[Value]]) -> MetricsDict:
        scoring = self._convolution or ZeroShot(self.op1, self.op2, self.use_con)
        return MetricsDict(summac=scoring.score(values or [[(0.0, 0.0)]]))

    @functools.cached_property
    def _convolution(self) -> Convolution | None:
        return None if self.weights is None else Convolution(self.weights, self.bins or PERCENTILES)


OPERATIONS: dict[str, Callable[[Sequence[float]], float]] = {
    "max": max,
    "mean": lambda values: math.fsum(values) / len(values),
    "min": min,
}
PERCENTILES = (
    *(0.0, 0.01, 0.02, 0.03, 0.04, 0.07, 0.13, 0.37, 0.9, 0.91, 0.92, 0.93, 0.94, 0.95, 0.955, 0.96, 0.965, 0.97),
    *(0.975, 0.98, 0.985, 0.99, 0.995, 1.0),
)
"""The edges of the bins of the published weights of SummaC-Conv."""
MAX_DOCUMENT_PIECES = 100
MAX_SUMMARY_PIECES = 10
"""The largest number of pieces of a summary that the convolutional variant reads."""
MAX_DROPPED = 10
"""The largest number of characters of a sentence or paragraph that is left out."""


class ZeroShot(NamedTuple):
    """The variant without trained layers.

    Attributes:
        op1: How probabilities are combined over the pieces of the documents.
        op2: How values are combined over the pieces of the summary.
        use_con: Whether to subtract the probabilities of contradiction.
    """

    op1: Operation = "max"
    op2: Operation = "mean"
    use_con: bool = True

    def score(self, values: Sequence[Sequence[Sequence[float]]]) -> float:
        """Returns the score, given for each piece of the summary the probabilities with each piece of the documents.

        >>> ZeroShot("max", "min", True).score([[(0.75, 0.5), (0.25, 0.0)], [(0.5, 0.25)]])
        0.25
        """
        first = OPERATIONS[self.op1]
        scores = [
            first([value[0] for value in group]) - (first([value[1] for value in group]) if self.use_con else 0.0)
            for group in values
        ]
        return OPERATIONS[self.op2](scores)


def granularities(name: str) -> tuple[Granularity, Granularity]:
    """Returns the granularities of document and summary.

    Args:
        name: One for both, or two joined by a hyphen.

    Raises:
        UnknownChoiceError: if there is none of this name.

    >>> granularities("paragraph-sentence"), granularities("sentence")
    (('paragraph', 'sentence'), ('sentence', 'sentence'))
    """
    document, _, summary = name.partition("-")
    known: tuple[Granularity, ...] = get_args(Granularity)
    chosen = [one for wanted in (document, summary or document) for one in known if one == wanted]
    if len(chosen) != 2:
        raise UnknownChoiceError("granularity", name, [*known, "two of them joined by -"])
    return chosen[0], chosen[1]


def pieces_of(text: str, sentences: Sequence[str], granularity: Granularity) -> list[str]:
    """Returns the pieces of a text.

    Args:
        text: The text.
        sentences: Its sentences.
        granularity: What a piece is. Pairs of sentences overlap.

    >>> pieces_of("", ["The cat sat.", "It did.", "The dog left.", "It rained."], "2sents")
    ['The cat sat. The dog left.', 'The dog left.']
    """
    if granularity == "document":
        return [text]
    if granularity == "paragraph":
        sentences = [part.strip() for part in text.split("\n\n" if "\n\n" in text else "\n")]
    kept = [piece for piece in sentences if len(piece) > MAX_DROPPED]
    return [" ".join(kept[start : start + 2]) for start in range(len(kept))] if granularity == "2sents" else kept


def _check_variant(variant: str, zero_shot: ZeroShot, weights: str | None, bins: Sequence[float] | None) -> None:
    """Checks the options of a variant.

    Raises:
        UsageError: if an option belongs to the other variant, or the weights are missing.
    """
    if variant == "zs" and (weights is not None or bins is not None):
        raise UsageError("'weights' and 'bins' are options of the variant conv")
    if variant == "conv" and zero_shot != ZeroShot():
        raise UsageError("'op1', 'op2' and 'use_con' are options of the variant zs")
    if variant == "conv" and weights is None:
        raise UsageError("the variant conv needs 'weights', the file of the weights of its layers")


class Convolution:
    """The layers of SummaC-Conv: the score of a summary from histograms of entailment.

    Args:
        path: A file of PyTorch with the published weights: ``mlp`` and ``layer_final``.
        bins: The edges of the bins of a histogram.

    Raises:
        DataError: if the file cannot be read as tensors only, lacks weights, or has another number of bins.
    """

    def __init__(self, path: str, bins: Sequence[float]) -> None:
        weights = _weights(path)
        self._bins = list(bins)
        self._hidden, self._hidden_bias = weights["mlp.weight"], weights["mlp.bias"]
        self._final, self._final_bias = weights["layer_final.weight"], weights["layer_final.bias"]
        expected = self._hidden.shape[-1]
        if len(bins) - 1 != expected:
            raise DataError(f"has weights for {expected} bins, but 'bins' has {len(bins)} edges", path)

    def score(self, values: Sequence[Sequence[Sequence[float]]]) -> float:
        """Returns the score, given for each piece of the summary the probabilities with each piece of the documents."""
        import numpy as np

        counts = np.stack([np.histogram([value[0] for value in group], bins=self._bins)[0] for group in values])
        mean = float((counts @ self._hidden[0] + self._hidden_bias[0]).mean())
        logits = mean * self._final.sum(axis=1) + self._final_bias  # the program repeats the mean for each input
        exponentials = np.exp(logits - logits.max())
        return float(exponentials[1] / exponentials.sum())


def _weights(path: str) -> dict[str, ndarray]:
    import pickle

    import torch

    try:
        content: Any = torch.load(path, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as error:
        raise needs_safe_weights(path, "", message_of(error).strip().splitlines()[0]) from error
    except (RuntimeError, EOFError, OSError, ValueError) as error:
        raise DataError(f"cannot be read as weights of PyTorch: {message_of(error).splitlines()[0]}", path) from error
    names = ("mlp.weight", "mlp.bias", "layer_final.weight", "layer_final.bias")
    if not isinstance(content, dict) or not set(names) <= content.keys():
        raise DataError(f"is not the file of weights of SummaC-Conv: it must have {', '.join(names)}", path)
    return {name: content[name].double().numpy() for name in names}
