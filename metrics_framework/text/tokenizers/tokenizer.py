"""The base class of tokenizers, the names that metrics offer, and the tokenizers without own rules."""

from __future__ import annotations

import functools
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Annotated, ClassVar, Literal, TypeAlias

from metrics_framework.common.errors import FwError, MissingExtraError
from metrics_framework.common.options import NamesFrom
from metrics_framework.common.overriding import overrides
from metrics_framework.common.registrable import Registrable
from metrics_framework.text.tokenizers import REGISTRY

Tokenize: TypeAlias = Callable[[str], str]
Unit: TypeAlias = Literal["word", "character", "model"]


class Tokenizer(Registrable, registry=REGISTRY):
    """Splits a text into tokens, without changing the case.

    Attributes:
        unit: The kind of tokens: words, for every metric; characters of languages written without spaces, for metrics
            that compare tokens; or the units of a model, for metrics that reproduce sacreBLEU.
        sacrebleu_name: The name of the tokenizer in sacreBLEU, `None` if sacreBLEU does not have it.
        packages: The required packages.
        extra: The extra of this project that installs them.
        definition: The version of its definition, raised when its tokens change.

    Raises:
        MissingExtraError: if a required package is not installed.
    """

    unit: ClassVar[Unit] = "word"
    sacrebleu_name: ClassVar[str | None] = None
    packages: ClassVar[Sequence[str]] = ()
    extra: ClassVar[str] = ""
    definition: ClassVar[int] = 1

    def __init__(self) -> None:
        if not self.packages:
            return
        import importlib.util

        for package in self.packages:
            if importlib.util.find_spec(package) is None:
                raise MissingExtraError(f"the tokenizer '{self.registered_name}'", package, self.extra)

    def __call__(self, text: str) -> list[str]:
        """Returns the tokens of a text."""
        return self.tokenize(text).split()

    @abstractmethod
    def tokenize(self, text: str) -> str:
        """Returns the tokens of a text, with one space between them."""

    def sacrebleu_signature(self) -> str | None:
        """Returns the value of ``tok`` in sacreBLEU's signature, `None` if sacreBLEU does not have the tokenizer."""
        return self.sacrebleu_name


def load_tokenizer(name: str) -> Tokenizer:
    """Builds a tokenizer by name, a function that returns the tokens of a text.

    Args:
        name: The name.

    Raises:
        UnknownNameError: if there is no tokenizer with this name.
        MissingExtraError: if a required package is not installed.

    >>> load_tokenizer("13a").tokenize("It isn't 3.5% (yet).")
    "It isn't 3.5 % ( yet ) ."
    >>> load_tokenizer("13a")("Yes, it is.")
    ['Yes', ',', 'it', 'is', '.']
    """
    tokenizer: Tokenizer = Tokenizer.by_name(name)()
    return tokenizer


def tokenizer_signature(name: str) -> str:
    """Returns the value of a tokenizer in signatures: its name, and its definition if that has changed.

    >>> tokenizer_signature("13a"), tokenizer_signature("penn")
    ('13a', 'penn.2')
    """
    definition = Tokenizer.by_name(name).definition
    return name if definition == 1 else f"{name}.{definition}"


def tokenizer_names(*units: Unit) -> list[str]:
    """Returns the names of the tokenizers with these units; tokenizers of broken plug-ins are left out."""
    names = []
    for name in REGISTRY.names(aliases=True):
        try:
            if REGISTRY.get(name).unit in units:
                names.append(name)
        except FwError:
            continue
    return names


WordTokenizerName: TypeAlias = Annotated[str, NamesFrom(functools.partial(tokenizer_names, "word"))]
TokenizerName: TypeAlias = Annotated[str, NamesFrom(functools.partial(tokenizer_names, "word", "character"))]
AnyTokenizerName: TypeAlias = Annotated[
    str, NamesFrom(functools.partial(tokenizer_names, "word", "character", "model"))
]


@Tokenizer.register("none")
class NoTokenizer(Tokenizer):
    """Leaves the text unchanged: its tokens are already separated by spaces."""

    sacrebleu_name = "none"

    @overrides
    def tokenize(self, text: str) -> str:
        return text


@Tokenizer.register("char")
class Characters(Tokenizer):
    """Every character is a token, as in sacreBLEU.

    >>> Characters().tokenize("猫, 犬")
    '猫 ,   犬'
    """

    unit = "character"
    sacrebleu_name = "char"

    @overrides
    def tokenize(self, text: str) -> str:
        return " ".join(text)


@functools.cache
def _moses() -> Callable[..., str]:
    from sacremoses import MosesTokenizer

    tokenize: Callable[..., str] = MosesTokenizer(lang="en").tokenize
    return tokenize


@Tokenizer.register("moses")
class Moses(Tokenizer):
    """The Moses tokenizer for English, without escaping ``&``, ``<`` and similar characters (package sacremoses)."""

    packages = ("sacremoses",)
    extra = "moses"

    @overrides
    def tokenize(self, text: str) -> str:
        return _moses()(text, return_str=True, escape=False)
