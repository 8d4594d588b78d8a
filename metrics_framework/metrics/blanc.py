"""BLANC-help: how much a summary helps a masked language model to predict words of its document."""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

from metrics_framework.common.errors import UnknownChoiceError, UsageError, counted
from metrics_framework.common.overriding import overrides
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.texts import Text
from metrics_framework.io.disk_cache import cache_key
from metrics_framework.metrics.base.metric import Metric
from metrics_framework.metrics.base.neural_metric import NeuralMetric
from metrics_framework.metrics.base.shapes import DocumentBasedMetric
from metrics_framework.neural.encoding import valid_text
from metrics_framework.neural.masked_tokens import InputMaker, correct_predictions
from metrics_framework.neural.models import Precision, quiet
from metrics_framework.text.masking import Masks, improve, relative
from metrics_framework.text.sentences import (
    SplitterName,
    resolve_splitter,
    sentence_splitter,
    sentences_of,
    splitter_signature,
)

Measure = Literal["relative", "improve"]
Item = dict[str, list[str]]
MEASURES = {"relative": relative, "improve": improve}


@Metric.register("blanc")
class Blanc(NeuralMetric, DocumentBasedMetric):
    """BLANC-help: how much a summary helps a masked language model to predict words of its document.

    Each sentence of the document yields up to ``gap`` inputs. In input k, the tokens i with (i - k) mod ``gap`` <
    ``gap_mask`` are masked if they are long enough. The model predicts the masked tokens twice: after the summary, and
    after as many filler tokens as the summary has. With S(f, s) the number of masked tokens that are predicted wrongly
    (f = 0) or correctly (f = 1) with the filler, and wrongly (s = 0) or correctly (s = 1) with the summary,
    ``blanc_help`` = (S(0, 1) - S(1, 0)) / (S(0, 0) + S(0, 1) + S(1, 0) + S(1, 1)): the accuracy with the summary minus
    the accuracy with the filler. The measure ``improve`` is S(0, 1) / (S(0, 0) + S(0, 1) + S(1, 1)).

    An empty summary scores 0; if no token can be masked, the score is NaN (the package blanc returns 0). The sentences
    of several documents are counted together. If an input is too long for the model, the end of the sentence is removed
    first, down to ``min_sentence_tokens`` tokens, then the last sentences of the summary; the run reports the number of
    outputs with shortened inputs. BLANC-tune, which trains the model on every summary, is not part of this package.

    Range: -1 to 1, higher is better. The score of a system is the mean over its outputs.

    Source: Vasilyev, Dharnidharka and Bohannon (Eval4NLP 2020), with the defaults of the package blanc 0.3.4; the paper
    has ``gap`` 6. Equal to the package on the same sentences, which it splits with Punkt.

    Args:
        model: The masked language model: a local folder or a name on the Hugging Face hub.
        gap: One of every ``gap`` tokens is masked in an input.
        gap_mask: The number of neighbouring tokens, of every ``gap`` tokens, that are masked in an input.
        min_token_length_normal: The fewest characters of a masked token that is a whole word.
        min_token_length_lead: The fewest characters of a masked token that begins a word of several tokens.
        min_token_length_followup: The fewest characters of a masked token that continues a word; only WordPiece
            vocabularies mark such tokens (``##``).
        filler_token: The token that is repeated in place of the summary.
        separator: Text between the summary and the sentence.
        measure: How successes are counted.
        min_sentence_tokens: The number of tokens of a sentence that are kept if an input is too long.
        splitter: The sentence splitter; a list of several sentences is not split further.
        device: The device that runs the model.
        batch_size: The number of inputs per batch.
        precision: The type of the weights of the model.
        cache: Whether to keep scores on disk.

    Raises:
        UsageError: if ``gap_mask`` is not from 1 to ``gap``, or the model does not exist or has no mask token.
        UnknownNameError: if the measure or the splitter is unknown.
        DataError: if the model is not a masked language model.
        MissingExtraError: if torch, transformers or the package of the splitter is not installed.
    """

    score_range: ClassVar[tuple[float | None, float | None]] = (-1, 1)
    citation: ClassVar[str] = """@inproceedings{vasilyev-etal-2020-fill,
    title = "Fill in the {BLANC}: Human-free quality estimation of document summaries",
    author = "Vasilyev, Oleg and Dharnidharka, Vedant and Bohannon, John",
    booktitle = "Proceedings of the First Workshop on Evaluation and Comparison of NLP Systems",
    year = "2020",
    publisher = "Association for Computational Linguistics",
    url = "https://aclanthology.org/2020.eval4nlp-1.2",
    doi = "10.18653/v1/2020.eval4nlp-1.2",
    pages = "11--20",
}"""

    ratios: ClassVar[Sequence[str]] = ("blanc_help",)
    option_aliases: ClassVar[Mapping[str, str]] = {  # the names in the package blanc
        "model_name": "model",
        "help_sep": "separator",
        "len_sent_allow_cut": "min_sentence_tokens",
        "inference_batch_size": "batch_size",
    }
    task = "masked-lm"
    items_per_store = 32  # each with many inputs
    usual_model = "bert-base-uncased"

    def __init__(
        self,
        model: str | None = None,
        gap: int = 2,
        gap_mask: int = 1,
        min_token_length_normal: int = 4,
        min_token_length_lead: int = 2,
        min_token_length_followup: int = 100,
        filler_token: str = ".",
        separator: str = "",
        measure: Measure = "relative",
        min_sentence_tokens: int = 100,
        splitter: SplitterName = "auto",
        device: str = "auto",
        batch_size: int = 32,
        precision: Precision = "float32",
        cache: bool = True,
    ) -> None:
        super().__init__(model, device, batch_size, precision, cache)
        if not 1 <= gap_mask <= gap:
            raise UsageError(f"'gap_mask' must be from 1 to 'gap', got {gap_mask} with a gap of {gap}")
        if measure not in MEASURES:
            raise UnknownChoiceError("measure", measure, MEASURES)
        if min_sentence_tokens < 0:
            raise UsageError(f"'min_sentence_tokens' must not be negative, got {min_sentence_tokens}")
        self.filler_token = filler_token
        self.separator = separator
        self.measure = measure
        self.min_sentence_tokens = min_sentence_tokens
        self.splitter = resolve_splitter(splitter)
        self._masks = Masks(gap, gap_mask, min_token_length_normal, min_token_length_lead, min_token_length_followup)
        self._shortened: set[str] = set()

    @overrides
    def signature_options(self) -> dict[str, Any]:
        options = super().signature_options()
        options["split"] = splitter_signature(self.splitter)
        del options["splitter"]
        return options

    @overrides
    def notes(self) -> Sequence[str]:
        if not self._shortened:
            return super().notes()
        outputs = counted(len(self._shortened), "output")
        note = (
            f"{self.name}: inputs of {outputs} are longer than the model allows; sentences or summaries are shortened"
        )
        return [*super().notes(), note]

    @overrides
    def score_multi_all(
        self, summaries_list: Sequence[Sequence[Text]], documents_list: Sequence[Sequence[Text]]
    ) -> list[list[MetricsDict]]:
        items = [
            {"summary": self._sentences(summary), "document": document}
            for summaries, documents in zip(summaries_list, documents_list, strict=True)
            for document in [[sentence for text in documents for sentence in self._sentences(text)]]
            for summary in summaries
        ]
        scores = iter(self._scores(items))
        return [[MetricsDict({"blanc_help": next(scores)}) for _ in summaries] for summaries in summaries_list]

    def _sentences(self, text: Text) -> list[str]:
        """Returns the sentences of a text in Unicode's compatibility decomposition, as in the package blanc."""
        parts = [text] if isinstance(text, str) else text
        decomposed = [valid_text(unicodedata.normalize("NFKD", part)) for part in parts]
        return list(sentences_of(decomposed, sentence_splitter(self.splitter)))

    def _scores(self, items: Sequence[Item]) -> list[float]:
        counts_list = self.cached_scores(items, self._count, [int] * 5)
        self._shortened.update(cache_key(item) for item, counts in zip(items, counts_list, strict=True) if counts[-1])
        measure = MEASURES[self.measure]
        return [measure(*counts) if any(counts) else math.nan for *counts, _ in counts_list]

    def _count(self, items: Sequence[Item]) -> list[list[int]]:
        """Returns the four counts of each item, and the number of sentences whose inputs are shortened."""
        loaded = self.loaded()
        maker = InputMaker(loaded, self._masks, self.filler_token, self.separator, self.min_sentence_tokens)
        with quiet():
            inputs = [maker.inputs(item["summary"], item["document"]) for item in items]
        flat = [masked_input for of_item in inputs for pair in of_item.pairs for masked_input in pair]
        correct = iter(correct_predictions(loaded, flat, self.batches))
        return [
            [*_counts([(next(correct), next(correct)) for _ in of_item.pairs]), of_item.shortened] for of_item in inputs
        ]


def _counts(correct: Sequence[tuple[Sequence[bool], Sequence[bool]]]) -> list[int]:
    """Returns S(0, 0), S(0, 1), S(1, 0), S(1, 1), given whether masked tokens are correct with filler and summary."""
    counts = Counter(pair for filler, summary in correct for pair in zip(filler, summary, strict=True))
    return [counts[pair] for pair in ((False, False), (False, True), (True, False), (True, True))]
