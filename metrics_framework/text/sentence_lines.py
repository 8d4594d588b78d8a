"""Sentences as lines: what the metrics of ROUGE compare sentence by sentence.

The names are those of the splitters of `metrics_framework.text.sentences`. With ``lines`` and ``<q>``, the items of a
list are sentences, and are split further at line breaks and separators; other splitters split strings, across their
lines, and leave the items of a list of several sentences as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

from metrics_framework.common.errors import UnknownChoiceError
from metrics_framework.data.texts import Text
from metrics_framework.text.sentences import (
    SEPARATOR,
    SplitterName,
    resolve_splitter,
    sentence_splitter,
    sentences_of,
    splitter_signature,
)


class SentenceLines:
    """Writes each sentence of a text on a separate line.

    Args:
        name: How texts are split into sentences.

    Attributes:
        name: The same; for ``auto``, the splitter that is used.

    Raises:
        UnknownChoiceError: if the name is unknown.
        MissingExtraError: if the splitter needs a package that is not installed.
        NoPunktData: if it needs Punkt's data, which is not installed.

    >>> SentenceLines("<q>")("It rained .<q>Dan left ."), SentenceLines("none")(" It rained. ")
    ('It rained .\\nDan left .', ' It rained. ')
    """

    def __init__(self, name: SplitterName = "lines") -> None:
        if name not in get_args(SplitterName):
            raise UnknownChoiceError("sentences", name, get_args(SplitterName))
        self.name: SplitterName = name
        self._splitter: SplitterName | None = None
        if name != "lines" and name != "<q>":
            self.name = self._splitter = resolve_splitter(name)
        self._split = None if self._splitter is None else sentence_splitter(self._splitter)

    def __call__(self, text: Text) -> str:
        """Returns a text whose lines are its sentences."""
        if self._split is not None:
            return "\n".join(sentence.replace("\n", " ") for sentence in sentences_of(text, self._split))
        joined = text if isinstance(text, str) else "\n".join(text)
        return joined.replace(SEPARATOR, "\n") if self.name == "<q>" else joined

    def of_groups(self, groups: Sequence[Sequence[Sequence[Text]]]) -> Sequence[Sequence[Sequence[Text]]]:
        """Returns groups of texts for a native kernel, which splits them at line breaks."""
        if self.name == "lines":
            return groups
        return [[list(map(self, texts)) for texts in texts_list] for texts_list in groups]

    def signature_options(self) -> dict[str, Any]:
        """Returns the entry of a signature; none for ``lines``, the default."""
        if self._splitter is not None:
            return {"split": splitter_signature(self._splitter)}
        return {} if self.name == "lines" else {"split": self.name}
