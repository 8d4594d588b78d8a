"""BLANC-help: how much a summary helps a masked language model to predict words of its document."""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal, NamedTuple

from metrics_framework.common.errors import UsageError
from metrics_framework.common.overriding import overrides
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.texts import Text, TextGroups
from metrics_framework.metrics.base.batch_scores import in_groups
from metrics_framework.metrics.base.metric import Metric
from metrics_framework.metrics.base.neural_metric import DocumentSentencesMetric
from metrics_framework.neural.encoding import Batches, Encoded, padded, valid_text
from metrics_framework.neural.models import Loaded, quiet
from metrics_framework.text.sentences import sentence_splitter, sentences_of

Measure = Literal["relative", "improve"]
Item = dict[str, list[str]]


@Metric.register("blanc")
@dataclass(eq=False, repr=False)
class Blanc(DocumentSentencesMetric):
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

    Raises:
        UsageError: if ``gap_mask`` is not from 1 to ``gap``, or the model does not exist or has no mask token.
        UnknownNameError: if the measure or the splitter is unknown.
        DataError: if the model is not a masked language model.
        MissingExtraError: if torch, transformers or the package of the splitter is not installed.
    """

    score_range = (-1, 1)
    citation = "vasilyev-etal-2020-fill"

    ratios = ("blanc_help",)
    option_aliases = {  # the names in the package blanc
        "model_name": "model",
        "help_sep": "separator",
        "len_sent_allow_cut": "min_sentence_tokens",
        "inference_batch_size": "batch_size",
    }
    task = "masked-lm"
    items_per_store = 32  # each with many inputs
    note_of_cut = "inputs of {outputs} are longer than the model allows; sentences or summaries are shortened"
    usual_model = "bert-base-uncased"

    gap: int = 2
    gap_mask: int = 1
    min_token_length_normal: int = 4
    min_token_length_lead: int = 2
    min_token_length_followup: int = 100
    filler_token: str = "."
    separator: str = ""
    measure: Measure = "relative"
    min_sentence_tokens: int = 100

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.gap_mask <= self.gap:
            raise UsageError(f"'gap_mask' must be from 1 to 'gap', got {self.gap_mask} with a gap of {self.gap}")
        if self.min_sentence_tokens < 0:
            raise UsageError(f"'min_sentence_tokens' must not be negative, got {self.min_sentence_tokens}")
        lengths = self.min_token_length_normal, self.min_token_length_lead, self.min_token_length_followup
        self._masks = Masks(self.gap, self.gap_mask, *lengths)

    @overrides
    def score_multi_all(self, summaries_list: TextGroups, documents_list: TextGroups) -> list[list[MetricsDict]]:
        items = [
            {"summary": self._sentences(summary), "document": document}
            for summaries, documents in zip(summaries_list, documents_list, strict=True)
            for document in [[sentence for text in documents for sentence in self._sentences(text)]]
            for summary in summaries
        ]
        return in_groups((MetricsDict({"blanc_help": score}) for score in self._scores(items)), summaries_list)

    def _sentences(self, text: Text) -> list[str]:
        """Returns the sentences of a text in Unicode's compatibility decomposition, as in the package blanc."""
        parts = [text] if isinstance(text, str) else text
        decomposed = [valid_text(unicodedata.normalize("NFKD", part)) for part in parts]
        return list(sentences_of(decomposed, sentence_splitter(self.splitter)))

    def _scores(self, items: Sequence[Item]) -> list[float]:
        measure, counts_list = MEASURES[self.measure], self.cached_scores(items, self._count, [int] * 5)
        return [measure(*counts) if any(counts) else math.nan for counts in counts_list]

    def _count(self, items: Sequence[Item]) -> list[list[int]]:
        """Returns the four counts of each item, and the number of sentences whose inputs are shortened."""
        loaded = self.loaded()
        maker = InputMaker(loaded, self._masks, self.filler_token, self.separator, self.min_sentence_tokens)
        with quiet():
            inputs = [maker.inputs(item["summary"], item["document"]) for item in items]
        flat = [masked_input for pairs, _ in inputs for pair in pairs for masked_input in pair]
        correct = iter(correct_predictions(loaded, flat, self.batches))
        return [[*_counts([(next(correct), next(correct)) for _ in pairs]), shortened] for pairs, shortened in inputs]


def _counts(correct: Sequence[tuple[Sequence[bool], Sequence[bool]]]) -> list[int]:
    """Returns S(0, 0), S(0, 1), S(1, 0), S(1, 1), given whether masked tokens are correct with filler and summary."""
    counts = Counter(pair for filler, summary in correct for pair in zip(filler, summary, strict=True))
    return [counts[pair] for pair in ((False, False), (False, True), (True, False), (True, True))]


class MaskedInput(NamedTuple):
    """An input with masked tokens.

    Args:
        ids: The ids of its tokens, with special tokens and masks.
        masked: The index and the id of each token that is masked.
    """

    ids: tuple[int, ...]
    masked: tuple[tuple[int, int], ...]


def correct_predictions(loaded: Loaded, inputs: Sequence[MaskedInput], batches: Batches) -> list[list[bool]]:
    """Returns whether the model's most probable token is the masked one, for each masked token of each input.

    Equal inputs are computed once.

    Args:
        loaded: A model for the task ``masked-lm``.
        inputs: The inputs; none is longer than the model allows.
        batches: Runs the model.
    """
    unique = list(dict.fromkeys(inputs))

    def compute(indices: list[int]) -> list[list[bool]]:
        batch = [unique[index] for index in indices]
        predicted = iter(_most_probable(loaded, batch))
        return [[next(predicted) == id_ for _, id_ in masked_input.masked] for masked_input in batch]

    results = batches.run([len(masked_input.ids) for masked_input in unique], compute)
    correct = dict(zip(unique, results, strict=True))
    return [correct[masked_input] for masked_input in inputs]


def _most_probable(loaded: Loaded, batch: Sequence[MaskedInput]) -> list[int]:
    """Returns the most probable id of each masked token of a batch, input by input."""
    import torch

    rows = [row for row, masked_input in enumerate(batch) for _ in masked_input.masked]
    columns = [column for masked_input in batch for column, _ in masked_input.masked]

    def keep_masked(_: Any, states: tuple[Any, ...]) -> tuple[Any, ...]:
        return (states[0][rows, columns],)

    # The last layer multiplies by the size of the vocabulary: for all tokens of a batch, its result has gigabytes.
    hook = loaded.model.get_output_embeddings().register_forward_pre_hook(keep_masked)
    try:
        with torch.inference_mode():
            encoded = [Encoded(list(masked_input.ids), [], False) for masked_input in batch]
            logits = loaded.model(**padded(loaded, encoded)).logits
    finally:
        hook.remove()
    most_probable: list[int] = logits.argmax(-1).tolist()
    return most_probable


class InputMaker:
    """Makes the inputs of BLANC-help.

    Args:
        loaded: A model for the task ``masked-lm``.
        masks: Which tokens of a sentence are masked.
        filler: The token that is repeated in place of the summary.
        separator: The text between the summary and a sentence.
        least_sentence: The number of tokens of a sentence that are kept if an input is too long.

    Raises:
        UsageError: if the model has no mask token, or no tokens for the start and the end of an input.
    """

    def __init__(self, loaded: Loaded, masks: Masks, filler: str, separator: str, least_sentence: int) -> None:
        self._tokenizer: Any = loaded.tokenizer
        for name in ("mask_token", "cls_token", "sep_token"):
            if getattr(self._tokenizer, name, None) is None:
                raise UsageError(
                    f"'model' must be a masked language model whose tokenizer has a {name}, such as bert-base-uncased"
                )
        self._masks = masks
        self._filler = filler
        self._separator = self._tokens(separator)
        self._space = loaded.max_length - len(self._separator) - 2
        self._least_sentence = least_sentence

    def inputs(
        self, summary: Sequence[str], document: Sequence[str]
    ) -> tuple[list[tuple[MaskedInput, MaskedInput]], int]:
        """Returns the inputs for a summary and a document, given as sentences.

        Returns:
            For each masking of each sentence, the input with the filler and the input with the summary; and the number
            of sentences whose inputs were shortened.
        """
        helps = [self._tokens(sentence) for sentence in summary]
        number = sum(map(len, helps))
        pairs, shortened = [], 0
        for tokens in map(self._tokens, document):
            sentence, words = fitted(tokens, helps, self._space, self._least_sentence)
            shortened += len(sentence) + len(words) < len(tokens) + number
            fillers = [self._filler] * len(words)
            for indices in self._masks.of(sentence):
                pairs.append((self._input(fillers, sentence, indices), self._input(words, sentence, indices)))
        return pairs, shortened

    def _tokens(self, text: str) -> list[str]:
        tokens: list[str] = self._tokenizer.tokenize(text)
        return tokens

    def _input(self, helps: Sequence[str], sentence: Sequence[str], indices: Sequence[int]) -> MaskedInput:
        tokenizer = self._tokenizer
        before = [tokenizer.cls_token, *helps, *self._separator]
        masked = list(sentence)
        for index in indices:
            masked[index] = tokenizer.mask_token
        answers = tokenizer.convert_tokens_to_ids([sentence[index] for index in indices])
        ids = tokenizer.convert_tokens_to_ids([*before, *masked, tokenizer.sep_token])
        positions = [len(before) + index for index in indices]
        return MaskedInput(tuple(ids), tuple(zip(positions, answers, strict=True)))


CONTINUATION = "##"
"""The prefix of tokens that continue a word, in WordPiece vocabularies."""


@dataclass(frozen=True)
class Masks:
    """Which tokens of a sentence are masked.

    Args:
        gap: The number of inputs made from a sentence: each masks some of every ``gap`` tokens.
        gap_mask: The number of neighbouring tokens, of every ``gap``, that an input masks.
        normal: The fewest characters of a masked token that is a word.
        lead: The fewest characters of a masked token that begins a word of several tokens.
        followup: The fewest characters, without the prefix, of a masked token that continues a word.
    """

    gap: int
    gap_mask: int
    normal: int
    lead: int
    followup: int

    def of(self, tokens: Sequence[str]) -> list[list[int]]:
        """Returns the indices of the masked tokens of each input; an input without any is left out.

        >>> Masks(2, 1, 4, 2, 100).of(["jack", "drove", "his", "mini", "##van"])
        [[0], [1, 3]]
        """
        long_enough = [index for index in range(len(tokens)) if self._is_long_enough(tokens, index)]
        gap = min(self.gap, len(tokens))
        inputs = [[index for index in long_enough if self._is_masked(index % gap, i, gap)] for i in range(gap)]
        return [indices for indices in inputs if indices]

    def _is_masked(self, offset: int, first: int, gap: int) -> bool:
        end = first + self.gap_mask
        if gap == 1:
            return True
        if end >= gap:
            return offset >= first or offset < end % gap
        return first <= offset < end

    def _is_long_enough(self, tokens: Sequence[str], index: int) -> bool:
        token = tokens[index]
        if token.startswith(CONTINUATION):
            return len(token) - len(CONTINUATION) >= self.followup
        is_lead = index + 1 < len(tokens) and tokens[index + 1].startswith(CONTINUATION)
        return len(token) >= (self.lead if is_lead else self.normal)


def fitted(
    sentence: Sequence[str], summary: Sequence[Sequence[str]], space: int, least_sentence: int
) -> tuple[list[str], list[str]]:
    """Shortens a sentence and a summary until both fit into an input.

    The end of the sentence is removed first, but ``least_sentence`` tokens remain; then the last sentences of the
    summary. If its first sentence alone does not fit, the start of that sentence is removed.

    Args:
        sentence: The tokens of a sentence of a document.
        summary: The tokens of each sentence of the summary.
        space: The number of tokens that an input has for both.
        least_sentence: The number of tokens of the sentence that are kept.

    Returns:
        The tokens of the sentence and of the summary.

    >>> fitted("a b c d".split(), [["e", "f"], ["g"]], space=5, least_sentence=3)
    (['a', 'b', 'c'], ['e', 'f'])
    """
    words = list(chain.from_iterable(summary))
    excess = len(words) + len(sentence) - space
    if excess <= 0:
        return list(sentence), words
    kept = list(sentence[: max(len(sentence) - excess, min(len(sentence), least_sentence))])[:space]
    return kept, _first_sentences(summary, space - len(kept))


def _first_sentences(summary: Sequence[Sequence[str]], space: int) -> list[str]:
    """Returns the tokens of as many first sentences as fit; of the first sentence, its last tokens if it does not."""
    words: list[str] = []
    for number, sentence in enumerate(summary):
        if len(words) + len(sentence) > space:
            return words if number else list(sentence[len(sentence) - space :])
        words += sentence
    return words


def relative(neither: int, helped: int, harmed: int, both: int) -> float:
    """Returns the measure ``relative``: the accuracy with the summary minus the accuracy with the filler.

    Args:
        neither: The number of masked tokens that are predicted wrongly with both.
        helped: The number that is predicted correctly with the summary only.
        harmed: The number that is predicted correctly with the filler only.
        both: The number that is predicted correctly with both. At least one number is positive.

    >>> relative(5, 3, 1, 7)
    0.125
    """
    return (helped - harmed) / (neither + helped + harmed + both)


def improve(neither: int, helped: int, harmed: int, both: int) -> float:
    """Returns the measure ``improve``: ``helped`` / (``neither`` + ``helped`` + ``both``), 0 if all are harmed.

    The arguments are those of `relative`.

    >>> improve(5, 3, 1, 7)
    0.2
    """
    return helped / (neither + helped + both) if neither + helped + both else 0.0


MEASURES = {"relative": relative, "improve": improve}
