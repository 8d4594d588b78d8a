"""Hostile strings, and what each kind of output may contain of them."""

from __future__ import annotations

import csv
import io
import json
import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from html.parser import HTMLParser
from typing import Any

HOSTILE = {  # string: why
    "\x1b[2J\x1b]0;title\x07": "clears a terminal and sets its title",
    "\x9b31m red \x7f\x85": "the same with C1 controls; DEL; another line break",
    "a\nfw: wrote system scores to b\r\nc": "adds a line of ours",
    "a\u2028b\u2029c": "line ends of Unicode",
    "\u202egnp.exe\u2066 \u200f": "changes the text direction",
    "lone \ud800 \udcff": "cannot be encoded",
    "nul \x00 byte": "ends a string of C",
    "\n\\input{/etc/passwd}%": "leaves a comment of LaTeX",
    "[1cm] ^^5cinput $x$ & # ~ _ {": "markup of LaTeX",
    "*{9}{c}": "a star after the end of a row",
    "<script>alert(1)</script><img src=x onerror=alert(1)>": "markup of HTML",
    "</script></table>&lt;b&gt;": "ends elements",
    "![a](http://x) [b](javascript:x) `c` | **d** ``` \\|": "markup of Markdown",
    "=HYPERLINK(1)": "a formula",
    "+1+cmd|' /C calc'!A0": "a formula",
    "-2+3": "a formula",
    "@SUM(1)": "a formula",
    "\t=1+1": "a formula after a tab",
    "x;=1+1": "a formula after a semicolon",
    "猫 שלום \U0001f9d1\u200d\U0001f52c": "text",
}
PLAIN = {text: f"plain{number}" for number, text in enumerate(HOSTILE)}
"""A harmless string in place of each hostile one; everything else of a run is the same."""

CONTROLS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""What no output may contain; the only control is the line feed."""


CONTINUED = re.compile("\n {11}")
"""The end of a line of a note that is continued on the next one."""


def check_text(text: str, plain: str) -> None:
    """Checks text for a terminal: no controls, and no line more than with harmless strings."""
    assert not CONTROLS.search(text), ascii(CONTROLS.search(text))
    whole, expected = (len(CONTINUED.sub(" ", part).split("\n")) for part in (text, plain))  # notes are wrapped
    assert whole == expected, "a string adds or removes lines"


def check_lines(text: str, plain: str) -> None:
    """Checks a text of a plug-in, whose lines are its own."""
    assert not CONTROLS.search(text.replace("\t", "")), ascii(CONTROLS.search(text))


def check_table(text: str, plain: str) -> None:
    """Checks a table for a terminal, whose lines depend on the length of the strings."""
    check_lines(text, plain)
    assert "\nfw: wrote" not in text, "a string adds a line"


def check_latex(text: str, plain: str) -> None:
    check_text(text, plain)
    lines, plain_lines = text.splitlines(), plain.splitlines()
    assert [line[:1] == "%" for line in lines] == [line[:1] == "%" for line in plain_lines], "a comment stays one"
    assert not [line for line in lines if line.startswith(("[", "*"))], "the argument of the line break before"
    harmless = {"textbackslash", "textasciitilde", "textasciicircum", "textless", "textgreater", "textbar", "symbol"}
    harmless |= {"textasciigrave", "textasciteriskcentered", "textasteriskcentered"}
    commands, expected = (
        Counter(re.findall(r"\\([a-zA-Z]+|.)", "\n".join(line for line in part if line[:1] != "%")))
        for part in (lines, plain_lines)
    )
    added = {name for name in commands if commands[name] != expected[name]}
    assert added <= harmless | set("&%$#_{}"), added
    bare = [re.sub(r"\\.", "", "\n".join(line for line in part if line[:1] != "%")) for part in (lines, plain_lines)]
    for character in "&%#^~$":
        assert bare[0].count(character) == bare[1].count(character), character
    assert bare[0].count("{") == bare[0].count("}")


def check_markdown(text: str, plain: str) -> None:
    check_text(text, plain)
    outside, expected = (re.sub(r"(?<!\\)(`+)(?!`).*?(?<!`)\1(?!`)", "", part) for part in (text, plain))
    unescaped, plain_unescaped = (re.sub(r"\\.", "", part) for part in (outside, expected))
    for markup in (r"\|", "<", r"\*\*", "`", r"\]\(", "&#?[a-z0-9]+;(?<!&[lg]t;)(?<!&amp;)"):
        assert len(re.findall(markup, unescaped)) == len(re.findall(markup, plain_unescaped)), markup


def check_separated(delimiter: str, strict: bool) -> Callable[[str, str], None]:
    def check(text: str, plain: str) -> None:
        check_text(text.replace("\t", "") if delimiter == "\t" else text, plain)
        shapes = []
        for part in (text, plain):
            quoting = csv.QUOTE_MINIMAL if strict else csv.QUOTE_NONE
            rows = list(csv.reader(io.StringIO(part), delimiter=delimiter, quoting=quoting))
            shapes.append(list(map(len, rows)))
            for cell in (cell for row in rows for cell in row):
                if re.match(r"\s*[=+\-@]", cell) or re.search(r";\s*[=+\-@]", cell):
                    float(cell)
        assert shapes[0] == shapes[1], "a string adds or removes cells"

    return check


class _Tags(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: Counter[Any] = Counter()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag != "wbr":  # where a line may be broken, after an underscore
            self.found[tag, tuple(sorted(name for name, _ in attrs))] += 1

    def handle_endtag(self, tag: str) -> None:
        self.found[f"/{tag}"] += 1


def check_html(text: str, plain: str) -> None:
    text.encode("utf-8")
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]", text)
    added, removed = _Tags(text).found - _Tags(plain).found, _Tags(plain).found - _Tags(text).found
    assert (added, removed) == (Counter(), Counter()), "a string adds or removes elements"


def check_svg(text: str, plain: str) -> None:
    """Checks the kinds of elements: their number depends on the space for names."""
    kinds = [{(one.tag, *sorted(one.attrib)) for one in ET.fromstring(part).iter()} for part in (text, plain)]
    assert kinds[0] == kinds[1], "a string adds or removes elements"


def check_json(text: str, plain: str) -> None:
    """Checks a JSON text or JSON lines: no controls, and every string is read back as it is."""
    check_text(text, plain)
    rows, plain_rows = (
        [json.loads(part)] if part.startswith(("{\n", "[\n")) else list(map(json.loads, part.splitlines()))
        for part in (text, plain)
    )
    found, expected = (strings_in(without_cautions(part)) for part in (as_plain(rows), plain_rows))
    assert found == expected, "a string is not read back as it is"


def strings_in(value: Any) -> set[str]:
    """Returns the keys and strings of a JSON value."""
    if isinstance(value, dict):
        return set(value).union(*map(strings_in, value.values()))
    if isinstance(value, list):
        return set[str]().union(*map(strings_in, value))
    return {value} if isinstance(value, str) else set()


def without_cautions(rows: Sequence[Any]) -> list[Any]:
    """Leaves out sentences that list the first names only, which are others in another order."""
    lists = "answers", "cautions", "warnings"
    return [{key: row[key] for key in row if key not in lists} if isinstance(row, dict) else row for row in rows]


def as_plain(value: Any) -> Any:
    """Replaces hostile strings by harmless ones in a JSON value."""
    if isinstance(value, dict):
        return {as_plain(key): as_plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return list(map(as_plain, value))
    if isinstance(value, str):
        for text, harmless in [*PLAIN.items(), *((text.strip(), plain) for text, plain in PLAIN.items())]:
            value = value.replace(text, harmless)  # ids have no spaces around them
    return value


CHECKS: Mapping[str, Callable[[str, str], None]] = {
    "text": check_text,
    "lines": check_lines,
    "table": check_table,
    "latex": check_latex,
    "markdown": check_markdown,
    "csv": check_separated(",", strict=True),
    "tsv": check_separated("\t", strict=False),
    "html": check_html,
    "svg": check_svg,
    "json": check_json,
}
"""The check of each kind of output: of its text with hostile strings, and with harmless ones."""
