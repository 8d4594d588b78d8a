"""The inputs of BLANC-help: masked sentences after a summary, and after a filler."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from metrics_framework.common.errors import UsageError
from metrics_framework.neural.masked_tokens import MaskedInput
from metrics_framework.neural.models import Loaded
from metrics_framework.text.masking import Masks, fitted


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
