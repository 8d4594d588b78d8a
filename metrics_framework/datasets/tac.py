"""TAC 2008 to 2011: update and guided summarization; the files of the tasks from 2009 on differ only in their names."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from metrics_framework.common.errors import DataError
from metrics_framework.common.overriding import overrides
from metrics_framework.datasets.dataset import Dataset, FolderPart, Part
from metrics_framework.datasets.shared_task_files import find_file, paragraphs_in
from metrics_framework.datasets.shared_tasks import SharedTask


@Dataset.register("tac2008")
class Tac2008(SharedTask):
    """TAC 2008: update summaries of 48 topics of news articles, with references and ratings; licensed by NIST."""


@Dataset.register("tac2009")
class Tac2009(SharedTask):
    """TAC 2009: update summaries of 44 topics of news articles, with references and ratings; licensed by NIST."""


@Dataset.register("tac2010")
class Tac2010(SharedTask):
    """TAC 2010: guided summaries of 46 topics of news articles, with references and ratings; licensed by NIST."""


@Dataset.register("tac2011")
class Tac2011(SharedTask):
    """TAC 2011: guided summaries of 44 topics of news articles, with references and ratings; licensed by NIST.

    Its documents are articles of the English Gigaword corpus, which the Linguistic Data Consortium licenses.
    """

    further_steps = ("For the documents, get English Gigaword from the Linguistic Data Consortium (LDC2009T13)",)

    @overrides
    def parts(self) -> list[Part]:
        return [*super().parts(), FolderPart("tac2011-documents", self, "documents", _gigaword_rows)]


_TOPICS = "GuidedSumm11_test_topics.xml.txt"
_TOPIC = re.compile(r'<topic\s+id\s*=\s*"([^"]+)".*?</topic>', re.DOTALL | re.IGNORECASE)
_SET = re.compile(r"<docset([ab])\b.*?</docset\1>", re.DOTALL | re.IGNORECASE)
_DOCUMENT = re.compile(r'<doc\s+id\s*=\s*"([^"]+)"', re.IGNORECASE)
_LENGTH_OF_LDC_ID = len(".LDC2009T13")
_LENGTH_OF_FILE = len("NYT_ENG_200501")


def _gigaword_rows(folder: str) -> Iterator[dict[str, Any]]:
    """Yields the documents of every input.

    Args:
        folder: A folder with the file of topics and the files of Gigaword, such as ``nyt_eng_200501.gz``.

    Raises:
        DataError: if a file or a document is missing.
    """
    path = find_file(folder, _TOPICS)
    with open(path, encoding="utf-8", errors="replace") as stream:
        content = stream.read()
    topics = list(_TOPIC.finditer(content))
    if not topics:
        raise DataError("contains no topics", path)
    unpacked = lru_cache(maxsize=1)(_unpacked)  # inputs share files
    for topic in topics:
        for documents in _SET.finditer(topic[0]):
            ids = [name[:-_LENGTH_OF_LDC_ID] for name in _DOCUMENT.findall(documents[0])]
            yield {
                "instance_id": f"{topic[1].strip()[:-1].lower()}-{documents[1].upper()}",
                "documents": [{"filename": name, "text": _article(folder, name, unpacked)} for name in ids],
            }


def _article(folder: str, name: str, unpacked: Callable[[str], bytes]) -> list[str]:
    """Returns the paragraphs of an article of Gigaword."""
    path = find_file(folder, f"{name[:_LENGTH_OF_FILE].lower()}.gz")
    content = unpacked(path)
    start = content.find(f'<DOC id="{name}"'.encode())
    end = content.find(b"</DOC>", start)
    if start < 0 or end < 0:
        raise DataError(f"does not contain the document '{name}'", path)
    return paragraphs_in(content[start:end])


def _unpacked(path: str) -> bytes:
    try:
        with gzip.open(path) as stream:
            return stream.read()
    except (OSError, EOFError) as error:
        raise DataError(f"cannot be read: {error}", path) from None
