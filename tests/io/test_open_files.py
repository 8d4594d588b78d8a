"""Open files are read in strings of complete lines, whatever the size of a read."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics_framework.io import open_files
from metrics_framework.io.open_files import OpenFile, in_open_file

pytestmark = pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="files in memory exist on Linux only")
LINES = st.lists(st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"])))


@given(lines=LINES, size=st.integers(1, 20), has_end=st.booleans())
def test_texts_are_complete_lines(lines: list[str], size: int, has_end: bool) -> None:
    text = "\n".join(lines) + "\n" * has_end
    with pytest.MonkeyPatch.context() as patch, OpenFile(in_open_file(b"??" + text.encode()) or -1, 2) as file:
        patch.setattr(open_files, "_BYTES_READ", size)
        texts = list(file.texts())
        if "\n" in text:
            assert file.first_line() == text[: text.index("\n") + 1]
    assert "".join(texts) == text
    assert all(part.endswith("\n") for part in texts[:-1])
