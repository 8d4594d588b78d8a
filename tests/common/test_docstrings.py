from __future__ import annotations

from metrics_framework.common.docstrings import parse_docstring

TEXT = """Measures the length.

    More on it,
    in two lines.

    Args:
        lowest: The least number,
            told in two lines.
        names (list of str): Some names: many.

    Raises:
        InputError: never.

    Source: a paper.

    >>> 1 + 1
    2
    """


def test_a_docstring_is_taken_apart():
    parsed = parse_docstring(TEXT)
    assert parsed.summary == "Measures the length."
    assert parsed.description.startswith("More on it,\nin two lines.")
    assert parsed.arguments == {"lowest": "The least number, told in two lines.", "names": "Some names: many."}


def test_a_paragraph_behind_a_section_belongs_to_the_description_and_a_doctest_does_not():
    description = parse_docstring(TEXT).description
    assert description.endswith("Source: a paper.")
    assert ">>>" not in description
    assert "InputError" not in description


def test_no_docstring_is_an_empty_one():
    for text in (None, ""):
        assert parse_docstring(text) == ("", "", [])
