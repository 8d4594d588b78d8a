"""Texts as the token ids of a model, batches of them that fit into memory, and the hidden states of an encoder."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from metrics_framework.common.errors import InputError, ProcessError
from metrics_framework.neural.models import Loaded, quiet

if TYPE_CHECKING:
    import torch


class Encoded(NamedTuple):
    """A text, or a pair of texts, as a model reads it.

    Attributes:
        ids: The ids of its tokens, including special tokens; at most as many as the model allows.
        types: The number of the text of each token, for models that distinguish the texts of a pair; else empty.
        is_cut: Whether the text is longer than the model allows, so that its end is ignored.
    """

    ids: list[int]
    types: list[int]
    is_cut: bool


def valid_text(text: str) -> str:
    """Replaces lone surrogates, which no tokenizer accepts.

    >>> valid_text("a \\ud800 b")
    'a \ufffd b'
    """
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def encode(loaded: Loaded, *texts: Sequence[str]) -> list[Encoded]:
    """Encodes texts or pairs of texts with the tokenizer of a model.

    A text that is longer than the model allows is cut at its end; of a pair, the longer text is cut.

    Args:
        loaded: The model.
        texts: The texts; for pairs, the first texts and the second ones.
    """
    columns = [list(map(valid_text, column)) for column in texts]
    if not any(columns):
        return []
    with quiet():
        full = loaded.tokenizer(*columns, truncation=False, verbose=False)
        is_cut = [len(ids) > loaded.max_length for ids in full["input_ids"]]
        cut: Any = full
        if any(is_cut):
            cut = loaded.tokenizer(*columns, truncation=True, max_length=loaded.max_length, verbose=False)
    types = cut.get("token_type_ids") or [[]] * len(is_cut)
    return [Encoded(*fields) for fields in zip(cut["input_ids"], types, is_cut, strict=True)]


def texts_without_tokens(loaded: Loaded, encoded: Mapping[str, Encoded]) -> set[str]:
    """Returns the texts that are encoded like the empty text: the tokenizer drops all their characters."""
    (empty,) = encode(loaded, [""])
    return {text for text, one in encoded.items() if one.ids == empty.ids}


def offsets_of(loaded: Loaded, text: str) -> list[tuple[int, int]]:
    """Returns the first character of each token of a text and the one after its last, (0, 0) for special tokens."""
    with quiet():
        encoded = loaded.tokenizer(
            valid_text(text), truncation=True, max_length=loaded.max_length, return_offsets_mapping=True, verbose=False
        )
    return [(int(start), int(end)) for start, end in encoded["offset_mapping"]]


def padded(loaded: Loaded, batch: Sequence[Encoded], padding_type: int = 0) -> dict[str, torch.Tensor]:
    """Returns the inputs of a model for a batch: ids, attention mask and types, padded at the end, on its device.

    Args:
        loaded: The model.
        batch: The texts.
        padding_type: The type of padding tokens.
    """
    import torch

    length = max(len(encoded.ids) for encoded in batch)
    padding = loaded.tokenizer.pad_token_id or 0
    rows = {
        "input_ids": [encoded.ids + [padding] * (length - len(encoded.ids)) for encoded in batch],
        "attention_mask": [[1] * len(encoded.ids) + [0] * (length - len(encoded.ids)) for encoded in batch],
    }
    if all(encoded.types for encoded in batch):
        rows["token_type_ids"] = [encoded.types + [padding_type] * (length - len(encoded.types)) for encoded in batch]
    return {name: torch.tensor(values, device=loaded.device) for name, values in rows.items()}


def hidden_states(loaded: Loaded, batch: Sequence[Encoded], layers: int = 1) -> list[torch.Tensor]:
    """Returns the hidden states of each text of a batch, as float32 on the CPU.

    Args:
        loaded: An encoder.
        batch: The texts.
        layers: The number of last layers.

    Returns:
        For each text an array of shape (layers, tokens, size of the model); the last layer is the last row.
    """
    import torch

    inputs = padded(loaded, batch)
    with torch.inference_mode():
        if layers == 1:
            states = loaded.model(**inputs).last_hidden_state.unsqueeze(0)
        else:
            states = torch.stack(loaded.model(**inputs, output_hidden_states=True).hidden_states[-layers:])
        states = states.float().cpu()
        return [states[:, index, : len(encoded.ids)].clone() for index, encoded in enumerate(batch)]


T = TypeVar("T")
_OUT_OF_MEMORY = ("out of memory", "can't allocate memory", "not enough memory")


def batches_by_length(lengths: Sequence[int], batch_size: int) -> list[list[int]]:
    """Divides inputs into batches of similar length, so that little is padded.

    Args:
        lengths: The length of each input.
        batch_size: The number of inputs per batch.

    Returns:
        The indices of the inputs of each batch; the longest inputs first, so that a lack of memory shows at the start.

    >>> batches_by_length([3, 9, 4, 9], 3)
    [[1, 3, 2], [0]]
    """
    order = sorted(range(len(lengths)), key=lambda index: (-lengths[index], index))
    return [order[start : start + batch_size] for start in range(0, len(order), batch_size)]


class Batches:
    """Runs functions on batches; if the memory does not suffice, halves the size of all later batches.

    Args:
        batch_size: The number of inputs per batch.

    Raises:
        InputError: if the batch size is below 1.
    """

    def __init__(self, batch_size: int) -> None:
        if batch_size < 1:
            raise InputError(f"'batch_size' must be at least 1, got {batch_size}")
        self.batch_size = batch_size
        self._size_asked_for = batch_size

    def run(self, lengths: Sequence[int], compute: Callable[[list[int]], Sequence[T]]) -> list[T]:
        """Returns one result per input, in the given order.

        Args:
            lengths: The length of each input.
            compute: Returns the results of the inputs with the given indices.

        Raises:
            ProcessError: if the memory does not suffice for a single input.
        """
        results: dict[int, T] = {}
        batches = batches_by_length(lengths, self.batch_size)[::-1]
        while batches:
            batch = batches.pop()
            if len(batch) > self.batch_size:
                batches += [batch[self.batch_size :], batch[: self.batch_size]]
                continue
            try:
                results.update(zip(batch, compute(batch), strict=True))
            except (MemoryError, RuntimeError) as error:
                if not is_out_of_memory(error):
                    raise
                self._halve(len(batch), lengths[batch[0]], error)
                batches.append(batch)
        return [results[index] for index in range(len(lengths))]

    def of_encoded(self, encoded: Sequence[Encoded], compute: Callable[[list[Encoded]], Sequence[T]]) -> list[T]:
        """Returns one result per encoded text; `compute` returns those of a batch."""
        return self.run([len(one.ids) for one in encoded], lambda batch: compute([encoded[index] for index in batch]))

    def values_of(
        self, encoded: Sequence[Encoded], compute: Callable[[list[Encoded]], Sequence[Sequence[float]]]
    ) -> list[list[Any]]:
        """Returns the values of each encoded text, and last a list with whether it is truncated."""
        values = self.of_encoded(encoded, compute)
        return [[*some, [one.is_cut]] for some, one in zip(values, encoded, strict=True)]

    def notes(self) -> list[str]:
        """Returns a note if the memory did not suffice for the batch size."""
        if self.batch_size == self._size_asked_for:
            return []
        return [
            f"the memory did not suffice for batches of {self._size_asked_for}; "
            f"smaller ones were used, down to {self.batch_size}"
        ]

    def _halve(self, size: int, length: int, error: BaseException) -> None:
        if size == 1:
            raise ProcessError(
                f"out of memory for a single input of length {length}; use a smaller model, 'precision' bfloat16 or "
                "another device"
            ) from error
        self.batch_size = size // 2
        torch = sys.modules.get("torch")
        if torch is not None and torch.cuda.is_available():
            torch.cuda.empty_cache()


def is_out_of_memory(error: BaseException) -> bool:
    """Returns whether an error means that the memory of the computer or of a graphics card does not suffice."""
    return isinstance(error, MemoryError) or any(words in str(error).lower() for words in _OUT_OF_MEMORY)
