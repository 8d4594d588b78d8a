"""The aligner ``simalign``: word alignments from the embeddings of a language model."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Sequence
from typing import Any, Literal

from metrics_framework.alignment.aligner import Aligner
from metrics_framework.common.errors import DataError, MissingExtraError, UsageError, message_of
from metrics_framework.common.overriding import overrides
from metrics_framework.io.content import hash_of
from metrics_framework.io.model_files import code_files, needs_code, needs_safe_weights, not_loaded, pickles

Matching = Literal["inter", "itermax", "mwmf"]
_METHODS = {"inter": "a", "itermax": "i", "mwmf": "m"}  # the names in the constructor of simalign


@Aligner.register("simalign")
class SimalignAligner(Aligner):
    """Aligns words with similar embeddings, with the package simalign and a language model in a local folder.

    Nothing is downloaded. A model whose configuration names its own Python code (``auto_map``) is an error: simalign
    would ask on standard input whether to run it. Weights are read as tensors only. The model splits words into
    subwords; words are aligned if any of their subwords are. A text without words has no alignment.

    The signature contains the matching, the layer, and the first twelve digits of a SHA-256 of the files of the model.

    Source: Jalili Sabet, Dufter, Yvon and Schütze (Findings of EMNLP 2020).

    Args:
        model: The folder of a model in the format of Hugging Face's transformers.
        matching: The pairs to select from the similarity matrix: those that are best for both words (``inter``), the
            same repeatedly (``itermax``), or a matching of maximal weight (``mwmf``).
        layer: The layer of the model whose embeddings are compared.

    Raises:
        UsageError: if the model is not a folder.
        MissingExtraError: if the package simalign is not installed.
        DataError: if the model cannot be loaded or has its own code, or simalign fails, for example because a text is
            too long for the model.
    """

    def __init__(self, model: str, matching: Matching = "inter", layer: int = 8) -> None:
        if not os.path.isdir(model):
            raise UsageError(
                f"'model' of the aligner 'simalign' must be the folder of a model, got '{model}'; "
                "nothing is downloaded, so download the model first"
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
            pairs = aligner.get_word_aligns(list(source), list(target))[self.matching]
        except Exception as error:
            raise DataError(
                f"simalign cannot align texts of {len(source)} and {len(target)} words: {message_of(error)}; "
                "a model has a maximal text length"
            ) from error
        return sorted((int(left), int(right)) for left, right in pairs)

    @overrides
    def signature(self) -> str:
        return f"{super().signature()}.{self.matching}.{self.layer}.{hash_of(self.model, is_flat=True)}"


@functools.lru_cache(maxsize=1)
def _loaded(model: str, matching: str, layer: int) -> Any:
    """Loads the model once per process; the aligner, which is sent to other processes, does not contain it."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")  # read when transformers is imported
    try:
        from simalign import SentenceAligner
    except ImportError as error:
        raise MissingExtraError("the aligner 'simalign'", "simalign", "simalign") from error
    _check_files(model)
    try:
        return SentenceAligner(model=model, token_type="bpe", matching_methods=_METHODS[matching], layer=layer)
    except Exception as error:  # of transformers, safetensors or torch, each with its own classes
        raise not_loaded("model", model, model, error) from error


def _check_files(model: str) -> None:
    """Raises an error for a model that could run code: simalign leaves all options of transformers at their defaults.

    Newer versions of transformers read pickles as tensors only by default.
    """
    if code_files(model):
        raise needs_code("model", model, model)
    if pickles(model):
        from transformers import PreTrainedModel

        option = inspect.signature(PreTrainedModel.from_pretrained).parameters.get("weights_only")
        if option is None or option.default is not True:
            raise needs_safe_weights(model, model, "this needs a newer version of transformers")
