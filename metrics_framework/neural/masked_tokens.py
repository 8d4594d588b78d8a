"""Predicting masked tokens with a masked language model, and the inputs of BLANC-help."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from metrics_framework.common.errors import UsageError
from metrics_framework.neural.encoding import Batches, Encoded, padded
from metrics_framework.neural.models import Loaded
from metrics_framework.text.masking import Masks, fitted


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


class HelpedInputs(NamedTuple):
    """The inputs for a summary and a document.

    Args:
        pairs: For each masking of each sentence, the input with the filler and the input with the summary.
        shortened: The number of sentences whose inputs were shortened.
    """

    pairs: list[tuple[MaskedInput, MaskedInput]]
    shortened: int


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

    def inputs(self, summary: Sequence[str], document: Sequence[str]) -> HelpedInputs:
        """Returns the inputs for a summary and a document, given as sentences."""
        helps = [self._tokens(sentence) for sentence in summary]
        number = sum(map(len, helps))
        result = HelpedInputs([], 0)
        for tokens in map(self._tokens, document):
            sentence, words = fitted(tokens, helps, self._space, self._least_sentence)
            result = result._replace(shortened=result.shortened + (len(sentence) + len(words) < len(tokens) + number))
            fillers = [self._filler] * len(words)
            for indices in self._masks.of(sentence):
                result.pairs.append(
                    (self._input(fillers, sentence, indices), self._input(words, sentence, indices)),
                )
        return result

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
