"""Downloads: from a server on this machine that answers well, badly, slowly and not at all."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from web_server import (
    Answer,
    Server,
    another_part,
    as_asked,
    cut_after,
    headed,
    instead,
    moved_to,
    silent,
    status,
    without_ranges,
)

from metrics_framework.common.errors import DataError, DownloadError, UsageError
from metrics_framework.io.download import Patience, content_problem, download, mirrored

CONTENT = bytes(range(256)) * 800
HALF = len(CONTENT) // 2
SUM = hashlib.sha256(CONTENT).hexdigest()
QUICK = Patience(timeout=10, attempts=3, pause=0)
Get = Callable[..., list[int]]


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "below" / "file.txt"


@pytest.fixture
def get(web: Server, target: Path) -> Get:
    """Downloads the file of the server, whose answers are given, and returns how many bytes came at a time."""
    web.files["/file.txt"] = CONTENT

    def run(*answers: Answer, patience: Patience = QUICK) -> list[int]:
        web.script["/file.txt"] = list(answers)
        came: list[int] = []
        download(f"{web.url}/file.txt", str(target), len(CONTENT), SUM, came.append, patience)
        return came

    return run


def part_of(target: Path, content: bytes | None = None) -> Path:
    """Returns the path of the part of a file, with a content if one is given."""
    part = target.with_name("file.txt.part")
    if content is not None:
        part.parent.mkdir(exist_ok=True)
        part.write_bytes(content)
    return part


def test_a_file_comes_whole_and_nothing_else_is_left(get: Get, target: Path) -> None:
    assert sum(get()) == len(CONTENT)
    assert target.read_bytes() == CONTENT
    assert [path.name for path in target.parent.iterdir()] == ["file.txt"]


def test_a_download_goes_on_where_it_stopped(get: Get, web: Server, target: Path) -> None:
    part_of(target, CONTENT[:HALF])
    assert sum(get()) == len(CONTENT) - HALF
    assert web.requests == [("/file.txt", f"bytes={HALF}-")]
    assert target.read_bytes() == CONTENT


PARTS = [  # what is there, requests, why
    (CONTENT, [], "nothing is missing"),
    (b"", [None], "nothing is there"),
    (CONTENT + b"x", [None], "it is too long to be a part"),
]


@pytest.mark.parametrize(("there", "ranges", "why"), PARTS)
def test_what_is_there_decides_what_is_asked_for(
    there: bytes, ranges: list[str | None], why: str, get: Get, web: Server, target: Path
) -> None:
    part_of(target, there)
    get()
    assert [asked for _, asked in web.requests] == ranges, why
    assert target.read_bytes() == CONTENT, why


MENDED = [  # answers before a good one, what is there, ranges asked for, why
    ([without_ranges], HALF, [f"bytes={HALF}-"], "a server that knows no ranges sends all of it"),
    ([headed(Content_Length="\u00b2")], 0, [None], "a length that is none"),
    ([headed(Content_Length="9" * 5000)], 0, [None], "nor is that"),
    ([headed(206, Content_Range="bytes \u00b2-")], HALF, [f"bytes={HALF}-", None], "a range that is none"),
    ([another_part], HALF, [f"bytes={HALF}-", None], "a part that was not asked for is not joined"),
    ([status(416)], HALF, [f"bytes={HALF}-", None], "the server has no such part"),
    ([cut_after(HALF)], 0, [None, f"bytes={HALF}-"], "the connection broke off"),
    ([cut_after(HALF, length=False)], 0, [None, f"bytes={HALF}-"], "the same without a length"),
    ([cut_after(0)], 0, [None, None], "the connection broke off before the first byte"),
    ([status(500), status(503)], 0, [None, None, None], "problems of the server that pass"),
    ([status(429), cut_after(HALF)], 0, [None, None, f"bytes={HALF}-"], "two problems, one after the other"),
]


@pytest.mark.parametrize(("answers", "there", "ranges", "why"), MENDED)
def test_a_passing_problem_is_got_over(
    answers: list[Answer], there: int, ranges: list[str | None], why: str, get: Get, web: Server, target: Path
) -> None:
    part_of(target, CONTENT[:there])
    get(*answers)
    assert [asked for _, asked in web.requests] == ranges, why
    assert target.read_bytes() == CONTENT, why
    assert not part_of(target).exists()


def test_a_redirect_within_the_web_is_followed_and_goes_on_where_the_download_stopped(
    get: Get, web: Server, target: Path
) -> None:
    part_of(target, CONTENT[:HALF])
    web.files["/elsewhere"] = CONTENT
    get(moved_to(f"{web.url}/elsewhere"))
    assert web.requests == [("/file.txt", f"bytes={HALF}-"), ("/elsewhere", f"bytes={HALF}-")]
    assert target.read_bytes() == CONTENT


SHORT = b"<html>Please log in.</html>"
REFUSED = [  # answers, requests, fragment of the message, why
    ([status(404)], 1, "the server answered 404 Not Found", "it is not there, and will not be"),
    ([status(403)], 1, "the server answered 403 Forbidden", "nor may it be had"),
    ([status(500)] * 3, 3, "the server answered 500 Internal Server Error (tried 3 times)", "it does not pass"),
    (
        [cut_after(0)] * 3,
        3,
        f"the connection ended after 0 of {len(CONTENT):,} bytes (tried 3 times)",
        "again and again",
    ),
    ([instead(SHORT)], 1, f"the server has 27 bytes, expected {len(CONTENT):,}", "another file by its length"),
    ([instead(CONTENT[:HALF])], 1, f"the server has {HALF:,} bytes, expected {len(CONTENT):,}", "cut at the server"),
    (
        [instead(CONTENT + b"x", length=False)],
        1,
        f"more than the {len(CONTENT):,} bytes",
        "too long, and not saying so",
    ),
    ([moved_to("file:///etc/passwd")], 1, "is not allowed", "a file is not of the web"),
    ([moved_to("ftp://127.0.0.1/x")] * 3, 3, "unknown url type: ftp", "nor is FTP"),
]


@pytest.mark.parametrize(("answers", "requests", "fragment", "why"), REFUSED)
def test_what_cannot_be_had_is_told_and_never_taken_for_whole(
    answers: list[Answer], requests: int, fragment: str, why: str, get: Get, web: Server, target: Path
) -> None:
    with pytest.raises(DownloadError) as caught:
        get(*answers)
    assert fragment in str(caught.value), why
    assert f"cannot download {web.url}/file.txt: " in str(caught.value)
    assert len(web.requests) == requests, why
    assert not target.exists()


def test_a_wrong_sum_deletes_what_came_and_says_both_sums(get: Get, web: Server, target: Path) -> None:
    wrong = CONTENT[:-1] + b"x"
    with pytest.raises(DownloadError) as caught:
        get(instead(wrong))
    assert hashlib.sha256(wrong).hexdigest() in str(caught.value)
    assert SUM in str(caught.value)
    assert f"cannot download {web.url}/file.txt: what came is not the file expected: it has " in str(caught.value)
    assert "it was deleted" in str(caught.value)
    assert "give --from-dir DIR" in str(caught.value)
    assert list(target.parent.iterdir()) == []


def test_a_page_to_log_in_does_not_spoil_the_next_download(get: Get, web: Server, target: Path) -> None:
    page = instead(SHORT, length=False)
    with pytest.raises(DownloadError, match="the connection ended after 27 of"):
        get(page, page, page)
    assert part_of(target).read_bytes() == SHORT
    web.requests.clear()
    assert sum(get()) == len(CONTENT)
    assert [asked for _, asked in web.requests] == ["bytes=27-", None]
    assert target.read_bytes() == CONTENT
    assert not part_of(target).exists()


ANEW = [  # answers, what is there, ranges asked for, why
    ([], b"x" * HALF, [f"bytes={HALF}-", None], "the beginning is of another file"),
    ([], b"x" * len(CONTENT), [None], "all that is there is of another file"),
    ([instead(SHORT, length=False)], b"", [None, "bytes=27-", None], "the beginning came in this run"),
    ([as_asked, cut_after(HALF)], b"x", ["bytes=1-", None, f"bytes={HALF}-"], "it may break off again"),
]


@pytest.mark.parametrize(("answers", "there", "ranges", "why"), ANEW)
def test_a_wrong_sum_of_what_was_put_together_is_mended_by_beginning_anew(
    answers: list[Answer], there: bytes, ranges: list[str | None], why: str, get: Get, web: Server, target: Path
) -> None:
    part_of(target, there)
    assert sum(get(*answers)) == len(CONTENT), "bytes that were thrown away are not counted"
    assert [asked for _, asked in web.requests] == ranges, why
    assert target.read_bytes() == CONTENT, why
    assert not part_of(target).exists()


def test_what_was_put_together_is_begun_anew_only_once(get: Get, web: Server, target: Path) -> None:
    part_of(target, b"x")
    wrong = b"y" * len(CONTENT)
    with pytest.raises(DownloadError, match=f"it has the SHA-256 {hashlib.sha256(wrong).hexdigest()}"):
        get(as_asked, instead(wrong))
    assert len(web.requests) == 2
    assert list(target.parent.iterdir()) == []


def test_bytes_that_come_twice_are_counted_once(get: Get, target: Path) -> None:
    assert sum(get(cut_after(HALF), without_ranges)) == len(CONTENT)
    assert target.read_bytes() == CONTENT


def test_a_wrong_file_does_not_replace_the_one_that_is_there(get: Get, target: Path) -> None:
    target.parent.mkdir()
    target.write_bytes(b"the old one")
    with pytest.raises(DownloadError):
        get(instead(b"y" * len(CONTENT)))
    assert target.read_bytes() == b"the old one"
    get()
    assert target.read_bytes() == CONTENT


@pytest.mark.parametrize("answer", [silent, cut_after(HALF, hang=True)], ids=["silent", "stops half-way"])
def test_a_server_that_hangs_is_given_up(answer: Answer, get: Get, target: Path) -> None:
    with pytest.raises(DownloadError, match=r"no answer in time \(tried 1 times\)"):
        get(answer, patience=Patience(timeout=0.2, attempts=1, pause=0))
    assert not target.exists()
    if answer is silent:
        assert list(target.parent.iterdir()) == []
    else:
        assert part_of(target).read_bytes() == CONTENT[:HALF]


def test_a_process_killed_half_way_leaves_a_part_with_which_the_next_one_goes_on(
    get: Get, web: Server, target: Path
) -> None:
    web.script["/file.txt"] = [cut_after(HALF, hang=True)]
    script = (
        "from metrics_framework.io.download import download\n"
        f"download({f'{web.url}/file.txt'!r}, {str(target)!r}, {len(CONTENT)}, {SUM!r}, lambda n: print(n, flush=True))"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as process:
        came = 0
        while came < HALF:
            assert process.stdout is not None
            came += int(process.stdout.readline())
        process.kill()
    assert not target.exists()
    assert part_of(target).read_bytes() == CONTENT[:HALF]
    get()
    assert web.requests[-1] == ("/file.txt", f"bytes={HALF}-")
    assert target.read_bytes() == CONTENT


def test_two_processes_do_not_write_to_one_part(get: Get, target: Path) -> None:
    fcntl = pytest.importorskip("fcntl")
    with part_of(target, b"").open("ab") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(DataError, match="is being downloaded by another process"):
            get()
    get()
    assert target.read_bytes() == CONTENT


def test_what_another_process_has_just_brought_is_not_downloaded_again(get: Get, web: Server, target: Path) -> None:
    target.parent.mkdir()
    target.write_bytes(CONTENT)
    assert get() == []
    assert web.requests == []
    assert [path.name for path in target.parent.iterdir()] == ["file.txt"]


def test_a_file_has_its_name_before_another_process_may_write_to_its_part(
    get: Get, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fcntl = pytest.importorskip("fcntl")
    free = []

    def replace(part: str, whole: str) -> None:
        with open(part, "ab") as other:
            try:
                fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
                free.append(part)
            except BlockingIOError:
                os.rename(part, whole)

    monkeypatch.setattr("metrics_framework.io.download.os.replace", replace)
    get()
    assert free == []
    assert target.read_bytes() == CONTENT


def test_a_file_system_without_locks_will_do(get: Get, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fcntl = pytest.importorskip("fcntl")

    def flock(stream: object, operation: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", flock)
    get()
    assert target.read_bytes() == CONTENT


def test_a_folder_that_cannot_be_made_is_wrong_usage(get: Get, web: Server, target: Path) -> None:
    target.parent.write_bytes(b"a file")
    with pytest.raises(UsageError, match=re.escape(f"cannot write to '{part_of(target)}': ")):
        get()
    assert web.requests == []


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full, which takes nothing")
def test_a_full_disk_is_told_with_the_file(get: Get, target: Path) -> None:
    target.parent.mkdir()
    part_of(target).symlink_to("/dev/full")
    with pytest.raises(DataError) as caught:
        get()
    assert (caught.value.path, caught.value.message) == (
        str(part_of(target)),
        "cannot be written: No space left on device",
    )
    assert not target.exists()


def test_without_a_network_the_message_says_what_to_do(web: Server, target: Path) -> None:
    url = f"{web.url}/file.txt"
    web.server_close()
    with pytest.raises(DownloadError) as caught:
        download(url, str(target), len(CONTENT), SUM, patience=QUICK)
    for fragment in (url, str(target), "Connection refused", "--from-dir DIR", "FW_DATA_MIRROR=URL"):
        assert fragment in str(caught.value)


@pytest.mark.parametrize("url", ["http://[::1/file.txt", f"http://{'long' * 20}.invalid/file.txt"])
def test_what_is_no_address_is_told(url: str, target: Path) -> None:
    with pytest.raises(DownloadError, match="it is not an address of the web: ") as caught:
        download(url, str(target), len(CONTENT), SUM, patience=QUICK)
    assert f"cannot download {url}: " in str(caught.value)
    assert list(target.parent.iterdir()) == []


GITHUB = "https://raw.githubusercontent.com/owner/name/0123/a/b.txt"
MIRRORS = [  # FW_DATA_MIRROR, address, address asked, why
    ("", GITHUB, GITHUB, "no mirror"),
    ("http://here:1/x", GITHUB, "http://here:1/x/owner/name/0123/a/b.txt", "the part in front is replaced"),
    ("https://here/", GITHUB, "https://here/owner/name/0123/a/b.txt", "one slash"),
    ("https://here", "https://else/where", "https://else/where", "not of GitHub"),
]


@pytest.mark.parametrize(("mirror", "url", "asked", "why"), MIRRORS)
def test_a_mirror_stands_for_github(
    mirror: str, url: str, asked: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FW_DATA_MIRROR", mirror)
    assert mirrored(url) == asked, why


@pytest.mark.parametrize("mirror", ["/data", "file:///data", "ftp://here"])
def test_a_mirror_that_is_no_web_server_is_refused(mirror: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FW_DATA_MIRROR", mirror)
    with pytest.raises(UsageError, match="must start with http:// or https://"):
        mirrored(GITHUB)


CONTENTS = [  # content, size, sum, problem, why
    (CONTENT, len(CONTENT), SUM, None, "as expected"),
    (b"", len(CONTENT), SUM, "has 0 bytes, expected 204,800", "empty"),
    (b"x" * len(CONTENT), len(CONTENT), SUM, f", expected {SUM}", "another of that size"),
]


@pytest.mark.parametrize(("content", "size", "summed", "problem", "why"), CONTENTS)
def test_content_is_compared(
    content: bytes, size: int, summed: str, problem: str | None, why: str, tmp_path: Path
) -> None:
    (tmp_path / "x").write_bytes(content)
    found = content_problem(str(tmp_path / "x"), size, summed)
    assert found is None if problem is None else problem in str(found), why
