from __future__ import annotations

import io
from pathlib import Path

import pytest
from messages import CANNOT_WRITE_LOG

from metrics_framework.common.errors import DataError, UsageError
from metrics_framework.common.logs import Log


def test_notes_and_warnings_are_printed_and_repeated_warnings_once():
    stream = io.StringIO()
    log = Log(stream=stream)
    log.note("scored")
    log.warn("odd")
    log.warn("odd")
    assert stream.getvalue() == "fw: scored\nfw: warning: odd\n"
    assert log.warnings == ["odd"]


def test_they_go_to_standard_error(capsys: pytest.CaptureFixture[str]):
    Log().note("scored")
    assert capsys.readouterr() == ("", "fw: scored\n")


def test_a_strict_run_ends_with_a_warning():
    with pytest.raises(DataError, match=r"odd .*--strict"):
        Log(strict=True).warn("odd")


def test_a_silent_run_still_writes_its_file(tmp_path: Path):
    stream = io.StringIO()
    with Log(silent=True, file=str(tmp_path / "log.txt"), stream=stream) as log:
        log.warn("odd é")
    assert stream.getvalue() == ""
    assert (tmp_path / "log.txt").read_text(encoding="utf-8") == "fw: warning: odd é\n"


def test_a_file_that_cannot_be_written_is_a_usage_error(tmp_path: Path):
    with pytest.raises(UsageError, match=CANNOT_WRITE_LOG):
        Log(file=str(tmp_path / "absent" / "log.txt"))


def test_a_message_is_one_printable_line_in_both_places(tmp_path: Path):
    stream = io.StringIO()
    with Log(file=str(tmp_path / "log.txt"), stream=stream) as log:
        log.note("wrote scores to a\nfw: b\x1b]0;title\x07 \ud800.json")
    expected = "fw: wrote scores to a\\nfw: b\\x1b]0;title\\x07 \\ud800.json\n"
    assert stream.getvalue() == (tmp_path / "log.txt").read_text(encoding="utf-8") == expected


class InterruptedStream(io.StringIO):
    """A stream after each write of which a signal arrives."""

    def write(self, text: str) -> int:
        super().write(text)
        raise KeyboardInterrupt


def test_a_signal_does_not_come_between_a_message_and_its_line_break(tmp_path: Path):
    stream = InterruptedStream()
    with pytest.raises(KeyboardInterrupt):
        Log(stream=stream).note("wrote the scores")
    assert stream.getvalue() == "fw: wrote the scores\n"
