"""Text that a terminal or a page can show, whatever its characters."""

from __future__ import annotations

import pytest

from metrics_framework.common.errors import printable
from metrics_framework.reports.formats.output_format import OutputFormat, display_width
from metrics_framework.reports.svg import replaced_for_page

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
