"""The aligner ``simalign``: words aligned by the vectors that a language model has for them."""

from __future__ import annotations

import functools
import hashlib
import os
from collections.abc import Sequence
from typing import Any, Literal, get_args

from overrides import overrides

from metrics_framework.alignment.aligner import Aligner
from metrics_framework.common.errors import DataError, MissingExtraError, UnknownNameError, UsageError, message_of

Matching = Literal["inter", "itermax", "mwmf"]
LETTERS = {"inter": "a", "itermax": "i", "mwmf": "m"}  # how simalign's constructor calls them
DIGITS_OF_HASH = 12
_BLOCK = 1 << 20


@Aligner.register("simalign")
class SimalignAligner(Aligner):
    """Aligns words whose vectors are most alike, with the package simalign and a language model in a local folder.

    Nothing is downloaded. The words of both texts are cut into the pieces that the model knows; words are aligned if
    pieces of them are. A text without words is aligned to nothing.

    The signature has the matching, the layer, and the first twelve digits of a SHA-256 of the files of the model.

    Source: Jalili Sabet, Dufter, Yvon and Schütze (Findings of EMNLP 2020).

    Args:
        model: The folder of a model in the form of Hugging Face's transformers.
        matching: Which pairs to take of the table of likenesses: those best for both words (``inter``), repeatedly
            (``itermax``), or the matching of greatest sum (``mwmf``).
        layer: The layer of the model whose vectors are compared.

    Raises:
        UsageError: if the model is not a folder.
        MissingExtraError: if the package simalign is not installed.
        DataError: if simalign fails, as it does for texts that are longer than the model can take.
    """

    def __init__(self, model: str, matching: Matching = "inter", layer: int = 8) -> None:
        if matching not in get_args(Matching):
            raise UnknownNameError("matching", matching, get_args(Matching), owner="'simalign'")
        if not os.path.isdir(model):
            raise UsageError(
                f"'model' of the aligner 'simalign' must be a folder that holds a model, got '{model}'; "
                "nothing is downloaded, so fetch the model first"
            )
        self.model = model
        self.matching = matching
        self.layer = layer

    @overrides
    def align(self, source: Sequence[str], target: Sequence[str]) -> list[tuple[int, int]]:
        if not source or not target:
            return []
        aligner = _loaded(self.model, self.matching, self.layer)
        try:
            found = aligner.get_word_aligns(list(source), list(target))[self.matching]
        except Exception as error:
            raise DataError(
                f"simalign cannot align texts of {len(source)} and {len(target)} words: {message_of(error)}; "
                "a model takes texts up to a length of its own"
            ) from error
        return sorted((int(one), int(other)) for one, other in found)

    @overrides
    def signature(self) -> str:
        return f"{super().signature()}.{self.matching}.{self.layer}.{_hash_of(self.model)}"


@functools.lru_cache(maxsize=1)
def _loaded(model: str, matching: str, layer: int) -> Any:
    """Loads the model once a process; it stays out of the aligner, which goes to other processes."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")  # read when transformers is imported
    try:
        from simalign import SentenceAligner
    except ImportError as error:
        raise MissingExtraError("the aligner 'simalign'", "simalign", "simalign") from error
    return SentenceAligner(model=model, token_type="bpe", matching_methods=LETTERS[matching], layer=layer)


@functools.lru_cache(maxsize=8)
def _hash_of(folder: str) -> str:
    """Returns the first digits of the hash of all files of a folder, by name."""
    digest = hashlib.sha256()
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            digest.update(name.encode("utf-8", "surrogateescape") + b"\0")
            with open(path, "rb") as stream:
                while block := stream.read(_BLOCK):
                    digest.update(block)
    return digest.hexdigest()[:DIGITS_OF_HASH]
