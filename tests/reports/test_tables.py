"""Tables as text, whatever stands in their cells."""

from __future__ import annotations

import pytest

from metrics_framework.reports.tables import render, visible

HOSTILE = [  # cell, what a person sees of it, why
    ("two\nlines\r\u2028", "two\\nlines\\r\\u2028", "a row is a line"),
    ("\x1b[31mred\x00\x9b", "\\x1b[31mred\\x00\\x9b", "these steer a terminal"),
    ("\u202eevil\u2069", "\\u202eevil\\u2069", "these turn the line round"),
    ("lone \ud800", "lone \\ud800", "no encoding has it"),
    ("שלום café 👩\u200d👧", "שלום café 👩\u200d👧", "these are text"),
    ("\u00a0a b", "\u00a0a b", "blanks are text too"),
]


@pytest.mark.parametrize(("cell", "seen", "why"), HOSTILE)
@pytest.mark.parametrize("format", ["table", "markdown", "latex"])
def test_a_cell_stays_in_its_line_and_steers_nothing(format: str, cell: str, seen: str, why: str) -> None:
    assert visible(cell) == seen, why
    of_cell = render(["system", "s"], [[cell, "1"], ["other", "2"]], format)
    assert of_cell == render(["system", "s"], [[seen, "1"], ["other", "2"]], format)
    plain = render(["system", "s"], [["plain", "1"], ["other", "2"]], format)
    assert len(of_cell.splitlines()) == len(plain.splitlines())


def test_tables_of_data_keep_every_sign() -> None:
    assert render(["system", "s"], [["\u202ea\x1b", "1"]], "csv").splitlines()[1] == "\u202ea\x1b,1"
