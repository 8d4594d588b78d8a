"""Names on a terminal, on a page and in tables of LaTeX, Markdown and spreadsheets are text, whatever they contain."""

from __future__ import annotations

import csv

import pytest

from metrics_framework.common.errors import printable
from metrics_framework.reports.formats.output_format import Note, OutputFormat
from metrics_framework.reports.formats.text_table import display_width
from metrics_framework.reports.svg import replaced_for_page

LATEX = [  # cell, as it is written, why
    (r"\input{x}", r"\textbackslash{}input\{x\}", "a command"),
    ("a\n\\input x", r"a\textbackslash{}n\textbackslash{}input x", "a line break"),
    ("^^5cinput", r"\textasciicircum{}\textasciicircum{}5cinput", "a backslash in TeX's notation"),
    ("[1cm]", "{}[1cm]", "the argument of the line break of the row before"),
    ("*", "{}*", "the star of that line break"),
    ("a[1]*", "a[1]*", "elsewhere they are characters"),
    ("<a|b>", r"\textless{}a\textbar{}b\textgreater{}", "other characters in the encoding OT1"),
    ('"a', r"\symbol{34}a", "a shorthand of babel"),
]
MARKDOWN = [
    ("<img src=x onerror=alert(1)>", "&lt;img src=x onerror=alert(1)&gt;", "HTML"),
    ("&lt;b&gt; & c", "&amp;lt;b&amp;gt; & c", "an entity, and a character"),
    ("[a](javascript:x)", r"\[a\](javascript:x)", "a link"),
    ("![a](http://x)", r"!\[a\](http://x)", "an image, which is loaded"),
    (r"a\|b|c", r"a\\\|b\|c", "cells"),
    ("`a` *b* **c**", r"\`a\` \*b\* \*\*c\*\*", "code and emphasis"),
    ("~~a~~", r"\~\~a\~\~", "struck out"),
    ("_a_ sari_keep __b", r"\_a\_ sari_keep \_\_b", "an underscore inside a word is a character"),
    ("45.12 ± 0.88*", "45.12 ± 0.88*", "so is a single star"),
]
SPREADSHEET = [
    ("=HYPERLINK(1)", "'=HYPERLINK(1)", "a formula"),
    ("+1+cmd|' /C calc'!A0", "'+1+cmd|' /C calc'!A0", "a formula"),
    ("-2+3", "'-2+3", "a formula"),
    ("@SUM(1)", "'@SUM(1)", "a formula of Lotus 1-2-3"),
    ("  =1+1", "'  =1+1", "some programs leave out spaces"),
    ("＝1+1", "'＝1+1", "a full-width sign, with Japanese settings"),
    ("a;=1+1", "a;'=1+1", "a cell of its own where semicolons separate cells"),
    ("\t=1+1", "\\t=1+1", "a tab is escaped"),
    ("-0.5", "-0.5", "a number"),
    ("-1e-05", "-1e-05", "a number"),
    ("-inf", "-inf", "no formula"),
    ("a=b-c", "a=b-c", "no formula"),
    ("", "", "an empty cell"),
]


LINES = {"latex": (2, 5), "markdown": (0, 3), "csv": (0, 2), "tsv": (0, 2)}
"""The indices of the headings and of the second row."""


def written_twice(format: str, cell: str) -> list[str]:
    """Returns two lines of a table: the headings, of which the cell is the last, and the row that it begins."""
    lines = OutputFormat.by_name(format)().render(["s", cell], [["plain", "1"], [cell, "2"]]).splitlines()
    return [lines[index] for index in LINES[format]]


@pytest.mark.parametrize(("cell", "written", "why"), LATEX)
def test_latex_reads_a_name_as_text(cell: str, written: str, why: str) -> None:
    head, row = written_twice("latex", cell)
    assert row == rf"{written} & 2 \\", why
    assert head == rf"s & {written.removeprefix('{}')} \\", why


@pytest.mark.parametrize(("cell", "written", "why"), MARKDOWN)
def test_markdown_reads_a_name_as_text(cell: str, written: str, why: str) -> None:
    head, row = written_twice("markdown", cell)
    assert row.startswith(f"| {written} "), why
    assert head.endswith(f" {written} |"), why


@pytest.mark.parametrize(("cell", "written", "why"), SPREADSHEET)
def test_a_spreadsheet_runs_no_name(cell: str, written: str, why: str) -> None:
    head, row = csv.reader(written_twice("csv", cell))
    assert (row, head) == ([written, "2"], ["s", written]), why
    assert written_twice("tsv", cell)[1] == f"{written}\t2", why


@pytest.mark.parametrize(
    ("note", "latex", "markdown", "why"),
    [
        ("a\n\\input{x}", "% a\\n\\input{x}", "- `a\\n\\input{x}`", "a line break ends a comment"),
        ("a\r\\input{x}", "% a\\r\\input{x}", "- `a\\r\\input{x}`", "so does a carriage return"),
        ("a`<b>``", "% a`<b>``", "- ``` a`<b>`` ```", "a backtick ends code"),
        ("sari|case:lc", "% sari|case:lc", "- `sari|case:lc`", "a signature as it is"),
    ],
)
def test_a_note_stays_a_note(note: str, latex: str, markdown: str, why: str) -> None:
    signature = Note("signature", note, is_signature=True)
    written = {name: OutputFormat.by_name(name)().with_notes("", [signature]) for name in ("latex", "markdown")}
    assert written == {
        "latex": f"\n% signature: {latex.removeprefix('% ')}",
        "markdown": f"\n\n- signature: {markdown.removeprefix('- ')}",
    }, why
    plain = OutputFormat.by_name("latex")().with_notes("", [note])
    assert plain == f"\n{latex}", why


def test_the_meaning_of_a_mark_is_text_in_latex() -> None:
    note = Note("*", "differs from '\\input{x}\n%'")
    shown = OutputFormat.by_name("latex")().with_notes("", [note]).splitlines()[-1]
    assert shown == r"{\footnotesize $^{*}$: differs from '\textbackslash{}input\{x\}\textbackslash{}n\%'.\par}"


def test_a_note_that_is_no_signature_is_text_in_markdown() -> None:
    assert OutputFormat.by_name("markdown")().with_notes("", ["<b>: *a* *b*"]) == "\n\n- &lt;b&gt;: \\*a\\* \\*b\\*"


HOSTILE = [  # cell, as it is printed, why
    ("two\nlines\r\u2028", "two\\nlines\\r\\u2028", "a row is a line"),
    ("\x1b[31mred\x00\x9b", "\\x1b[31mred\\x00\\x9b", "these control a terminal"),
    ("\u202eevil\u2069", "\\u202eevil\\u2069", "these change the text direction"),
    ("lone \ud800", "lone \\ud800", "no encoding has it"),
    ("שלום café 👩\u200d👧", "שלום café 👩\u200d👧", "these are text"),
    ("\u00a0a b", "\u00a0a b", "spaces are text"),
]
WIDTHS = [  # text, columns of a terminal, why
    ("cat", 3, "ASCII"),
    ("猫のシステム", 12, "CJK characters take two columns"),
    ("ＡＢ", 4, "so do full-width letters"),
    ("ｶﾅ", 2, "half-width ones take one"),
    ("cafe\u0301", 4, "a combining accent takes none"),
    ("a\u200bb", 2, "neither does a zero-width space"),
    ("± –", 3, "ambiguous characters are narrow outside CJK fonts"),
]


@pytest.mark.parametrize(("cell", "seen", "why"), HOSTILE)
@pytest.mark.parametrize("format", ["table", "markdown", "latex", "csv", "tsv"])
def test_a_cell_stays_on_its_line_and_controls_nothing(format: str, cell: str, seen: str, why: str) -> None:
    render = OutputFormat.by_name(format)().render
    assert printable(cell) == seen, why
    of_cell = render(["system", "s"], [[cell, "1"], ["other", "2"]])
    assert of_cell == render(["system", "s"], [[seen, "1"], ["other", "2"]])
    plain = render(["system", "s"], [["plain", "1"], ["other", "2"]])
    assert len(of_cell.splitlines()) == len(plain.splitlines())


@pytest.mark.parametrize(("text", "columns", "why"), WIDTHS)
def test_display_width(text: str, columns: int, why: str) -> None:
    assert display_width(text) == columns, why


@pytest.mark.parametrize(
    ("text", "on_page"),
    [("a\tb\n", "a\tb\n"), ("\x00\x9b", "��"), ("\ud800", "�"), ("\ufffe", "�"), ("猫 👩", "猫 👩")],
)
def test_a_page_shows_what_it_can_hold(text: str, on_page: str) -> None:
    assert replaced_for_page(text) == on_page
