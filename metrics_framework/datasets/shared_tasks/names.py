"""Names of the files of an evaluation, which state the input and the author."""

from __future__ import annotations

import posixpath
from typing import NamedTuple

from metrics_framework.common.errors import DataError


class Output(NamedTuple):
    """An output: its input and its author.

    Attributes:
        instance_id: The input, in the form of SacreROUGE: ``d301``, or ``d0801-A`` for a part of an input.
        summarizer_id: The author: letters for people, digits for systems.
    """

    instance_id: str
    summarizer_id: str

    @property
    def summarizer_type(self) -> str:
        """``reference`` for people, ``peer`` for systems."""
        return "reference" if self.summarizer_id.isalpha() else "peer"

    def ids(self) -> dict[str, str]:
        """Returns the fields of a row that identify the output."""
        return {**self._asdict(), "summarizer_type": self.summarizer_type}


def instance_id(text: str) -> str:
    """Returns the id of an input, in the form of SacreROUGE.

    >>> instance_id("D301"), instance_id("D0801-A")
    ('d301', 'd0801-A')
    """
    name, hyphen, part = text.partition("-")
    return f"{name.lower()}{hyphen}{part}"


def author_of(text: str) -> str:
    """Returns the id of an author; numbers have no leading zeros.

    >>> author_of("01"), author_of("A")
    ('1', 'A')
    """
    return str(int(text)) if text.isdecimal() else text


def output_of(path: str) -> Output:
    """Returns the output in a file: the name starts with the input and ends with the author.

    Raises:
        DataError: if the name has another form.

    >>> output_of("UpdateSumm08_eval/ROUGE/peers/D0801-A.M.100.A.14")
    Output(instance_id='d0801-A', summarizer_id='14')
    """
    parts = posixpath.basename(path).split(".")
    if len(parts) < 2 or not parts[0] or not parts[-1]:
        raise DataError("has an unexpected name; expected INPUT.….AUTHOR, such as D0801-A.M.100.A.14", path)
    return Output(instance_id(parts[0]), author_of(parts[-1]))


def document_output(path: str, words: int) -> Output:
    """Returns the output in a file whose name ends with the name of the single document that is summarized.

    Args:
        path: The name of the file.
        words: The number of parts of the name of a document, between full stops.

    Raises:
        DataError: if the name has another form.

    >>> document_output("D30001.P.10.T.A.APW19981016.0240", 2)
    Output(instance_id='APW19981016.0240', summarizer_id='A')
    """
    parts = posixpath.basename(path).split(".")
    if len(parts) < 5 + words:
        raise DataError("has an unexpected name; expected CLUSTER.….AUTHOR.DOCUMENT", path)
    return Output(".".join(parts[5 : 5 + words]), author_of(parts[4]))
