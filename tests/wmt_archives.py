"""Small archives in the formats of the test sets that sacreBLEU knows, made by us."""

from __future__ import annotations

import gzip
import hashlib
import io
import tarfile
import zipfile
from collections.abc import Mapping, Sequence

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


def sgm(kind: str, texts: Sequence[str]) -> bytes:
    """Returns an SGM file with two documents, the first written in English and the second in German."""
    lines = [f'<{kind}set setid="newstest">']
    for number, text in enumerate(texts):
        if number % 2 == 0:
            lines.append(f'<doc sysid="x" docid="doc.{number // 2}" genre="news" origlang="{LANGUAGES[number]}">')
        lines.append(f'<seg id="{number % 2 + 1}">{text} </seg>')
        lines += ["</doc>"] if number % 2 else []
    return "\n".join([*lines, f"</{kind}set>", ""]).encode()


def xml() -> bytes:
    """Returns an XML file of WMT 2021 and later, with two references and the outputs of a system."""
    documents = []
    for first in (0, 2):
        texts = {
            '<src lang="en">': SOURCES,
            '<ref lang="de" translator="refA">': REFERENCES,
            '<ref lang="de" translator="refB">': OTHER_REFERENCES,
            '<hyp system="NiuTrans" lang="de">': OUTPUTS,
        }
        parts = "".join(
            f"{tag}<p>"
            + "".join(f'<seg id="{n + 1}">{lines[first + n]}</seg>' for n in range(2))
            + f"</p></{tag[1:4]}>\n"
            for tag, lines in texts.items()
        )
        documents.append(f'<doc origlang="{LANGUAGES[first]}" id="doc.{first // 2}">\n{parts}</doc>')
    return f"<dataset id='x'><collection id='general'>\n{''.join(documents)}\n</collection></dataset>\n".encode()


def tar(files: Mapping[str, bytes]) -> bytes:
    """Returns a compressed tar archive."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return stream.getvalue()


def zipped(files: Mapping[str, bytes]) -> bytes:
    """Returns a zip archive."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()


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
ARCHIVES: Mapping[str, Sequence[bytes]] = {  # test set and language pair, the content of each address
    "wmt17/en-de": [tar(SGM_FILES)],
    "wmt24/en-de": [tar({"xml/wmttest2024.en-de.all.xml": xml()})],
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
