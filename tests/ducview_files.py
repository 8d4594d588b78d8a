"""Hand-made files in the format of DUCView."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

REGEX = r"[-]*\n(\s*)D[0-9]*\.M\.250\.[A-Z]\.[A-Z]\n[-]*\n"
DTD = """<!DOCTYPE pyramid [
 <!ELEMENT pyramid (startDocumentRegEx?,text,scu*)>
 <!ELEMENT line (#PCDATA)>
 <!ATTLIST part label CDATA #REQUIRED start CDATA #REQUIRED end CDATA #REQUIRED>
]>
"""
SUMMARIES = {"B": "The cat sat\non the mat.", "C": "A cat & a dog sat."}
UNITS = {1: ("a cat sat", {"B": ["The cat sat"], "C": ["A cat", "sat"]}), 2: ("on a mat", {"B": ["on the mat"]})}


def text_of(summaries: dict[str, str]) -> str:
    rule = "-" * 30
    return "\n".join(f"{rule}\n D0601.M.250.A.{name}\n{rule}\n\n{text}\n" for name, text in summaries.items())


def lines(text: str) -> str:
    return "<text>" + "".join(f"<line>{escape(line)}</line>" for line in text.split("\n")) + "</text>"


def part(text: str, start: int) -> str:
    return f'<part label={quoteattr(text)} start="{start}" end="{start + len(text)}"/>'


def pyramid_element(regex: str | None = REGEX, units: dict[int, tuple[str, dict[str, list[str]]]] = UNITS) -> str:
    text = text_of(SUMMARIES)
    header = "" if regex is None else f"<startDocumentRegEx><![CDATA[{regex}]]></startDocumentRegEx>"
    scus = []
    for number, (label, contributors) in units.items():
        inner = ""
        for name, parts in contributors.items():
            begin = text.index(SUMMARIES[name])
            inner += f"<contributor label={quoteattr(' '.join(parts))}>"
            inner += "".join(part(one, text.index(one, begin)) for one in parts) + "</contributor>"
        scus.append(f'<scu uid="{number}" label={quoteattr(f"{label} ({number}.5)")}>{inner}</scu>')
    return f"<pyramid>{header}{lines(text)}{''.join(scus)}</pyramid>"


def pyramid_file(regex: str | None = REGEX) -> str:
    return f'<?xml version="1.0"?>\n{DTD}{pyramid_element(regex)}'


def annotation_file(summary: str, units: dict[int, list[str]]) -> str:
    inner = "".join(
        f'<peerscu uid="{number}" label="({number}) unit (2.5)">'
        + (
            f"<contributor label='x'>{''.join(part(one, summary.index(one)) for one in parts)}</contributor>"
            if parts
            else ""
        )
        + "</peerscu>"
        for number, parts in units.items()
    )
    return (
        f'<?xml version="1.0"?>\n<peerAnnotation>{pyramid_element()}'
        f"<annotation>{lines(summary)}{inner}</annotation></peerAnnotation>"
    )
