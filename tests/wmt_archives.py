"""Small archives in the formats of the test sets that sacreBLEU knows, made by us."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Mapping, Sequence

from shared_task_files import tar

SOURCES = ["The cat sat on the mat.", "Two dogs  barked &amp; ran.", "Nobody came.", "It was late, and 95 % slept."]
REFERENCES = [
    "Die Katze saß auf der Matte.",
    "Zwei Hunde bellten und rannten.",
    "Niemand kam.",
    "Es war spät, 95 % schliefen.",
]
OTHER_REFERENCES = [
    "Auf der Matte saß die Katze.",
    "Zwei Hunde bellten.",
    "Keiner kam.",
    "Es war spät; 95 % schliefen.",
]
OUTPUTS = ["Die Katze saß auf einer Matte.", "Zwei Hunde bellten und liefen.", "Niemand kam.", "Spät schliefen 95 %."]
LANGUAGES = ["en", "en", "de", "de"]


def sgm(kind: str, texts: Sequence[str], languages: Sequence[str] = LANGUAGES) -> bytes:
    """Returns an SGM file of documents with two sentences each, and their original languages."""
    lines = [f'<{kind}set setid="newstest">']
    for number, text in enumerate(texts):
        if number % 2 == 0:
            lines.append(f'<doc sysid="x" docid="doc.{number // 2}" genre="news" origlang="{languages[number]}">')
        lines.append(f'<seg id="{number % 2 + 1}">{text} </seg>')
        lines += ["</doc>"] if number % 2 else []
    return "\n".join([*lines, f"</{kind}set>", ""]).encode()


def xml(
    sources: Sequence[str],
    references: Mapping[str, Sequence[str]],
    systems: Mapping[str, Sequence[str]],
    languages: Sequence[str],
) -> bytes:
    """Returns an XML file of WMT 2021 and later: documents with two sentences each.

    Args:
        sources: The sources.
        references: The references of each translator.
        systems: The outputs of each system.
        languages: The original languages.
    """
    columns = {'<src lang="en">': sources}
    columns |= {f'<ref lang="de" translator="{name}">': texts for name, texts in references.items()}
    columns |= {f'<hyp system="{name}" lang="de">': texts for name, texts in systems.items()}
    documents = []
    for first in range(0, len(sources), 2):
        parts = []
        for tag, texts in columns.items():
            segments = "".join(f'<seg id="{n + 1}">{texts[first + n]}</seg>' for n in range(2))
            parts.append(f"{tag}<p>{segments}</p></{tag[1:4]}>\n")
        documents.append(f'<doc origlang="{languages[first]}" id="doc.{first // 2}">\n{"".join(parts)}</doc>')
    return f"<dataset id='x'><collection id='general'>\n{''.join(documents)}\n</collection></dataset>\n".encode()


def text(lines: Sequence[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def compressed(lines: Sequence[str]) -> bytes:
    return gzip.compress(text(lines))


def md5(content: bytes) -> str:
    return hashlib.md5(content, usedforsecurity=False).hexdigest()


SGM_FILES = {
    "test/newstest2017-ende-src.en.sgm": sgm("src", SOURCES),
    "test/newstest2017-ende-ref.de.sgm": sgm("ref", REFERENCES),
}
XML = xml(SOURCES, {"refA": REFERENCES, "refB": OTHER_REFERENCES}, {"NiuTrans": OUTPUTS}, LANGUAGES)
ARCHIVES: Mapping[str, Sequence[bytes]] = {  # test set and language pair, the content of each address
    "wmt17/en-de": [tar(SGM_FILES)],
    "wmt24/en-de": [tar({"xml/wmttest2024.en-de.all.xml": XML})],
    "multi30k/2018/en-de": [
        tar({"test_2018_flickr.en": text(SOURCES)}),
        compressed(SOURCES),
        compressed(REFERENCES),
        compressed(SOURCES),
    ],
    "mtnt2019/en-fr": [
        tar({"MTNT2019/en-fr.final.tsv": text([f"1\t2\t{s}\t{r}" for s, r in zip(SOURCES, REFERENCES, strict=True)])})
    ],
}
