"""Downloads from a local server that answers correctly, wrongly, slowly or not at all."""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from processes import needs_full_device
from web_server import Answer, Server, cut_after, headed, instead, moved_to, silent, status

from metrics_framework.common.errors import DownloadError, UnreachableError, UsageError
from metrics_framework.io.download import MAX_WAIT, Retries, content_problem, download, mirrored, retry_after

CONTENT = bytes(range(256)) * 800
HALF = len(CONTENT) // 2
SHA256 = hashlib.sha256(CONTENT).hexdigest()
QUICK = Retries(most=2, first_wait=0)
Get = Callable[..., None]


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "below" / "file.txt"


@pytest.fixture
def get(web: Server, target: Path) -> Get:
    """Downloads the file of the server, which answers as given."""
    web.files["/file.txt"] = CONTENT

    def run(*answers: Answer, retries: Retries = QUICK, timeout: float = 10) -> None:
        web.script["/file.txt"] = list(answers)
        download(f"{web.url}/file.txt", str(target), SHA256, len(CONTENT), retries, timeout)

    return run


def test_a_file_is_downloaded_also_after_a_redirect_and_no_other_is_left(get: Get, web: Server, target: Path) -> None:
    get()
    web.files["/elsewhere"] = CONTENT
    get(moved_to(f"{web.url}/elsewhere"))
    assert web.requests == ["/file.txt", "/file.txt", "/elsewhere"]
    assert target.read_bytes() == CONTENT
    assert [path.name for path in target.parent.iterdir()] == ["file.txt"]
    assert content_problem(str(target), len(CONTENT), SHA256) is None


SOLVED = [  # answers before a correct one, requests, why
    ([headed(Content_Length="\u00b2")], 1, "an invalid length is ignored"),
    ([headed(Content_Length="9" * 5000)], 1, "so is one that is too long for a number"),
    ([cut_after(HALF)], 2, "the connection broke off"),
    ([cut_after(HALF, length=False)], 2, "the same without a length"),
    ([cut_after(0)], 2, "the connection broke off before the first byte"),
    ([status(500), status(503)], 3, "temporary problems of the server"),
    ([status(429), cut_after(HALF)], 3, "two problems, one after the other"),
]


@pytest.mark.parametrize(("answers", "requests", "why"), SOLVED)
def test_a_temporary_problem_is_solved_by_another_attempt(
    answers: list[Answer], requests: int, why: str, get: Get, web: Server, target: Path
) -> None:
    get(*answers)
    assert len(web.requests) == requests, why
    assert target.read_bytes() == CONTENT, why


WRONG = CONTENT[:-1] + b"x"
LOGIN_PAGE = b"<html>Please log in.</html>"
REFUSED = [  # answers, requests, fragment of the message, why
    ([status(404)], 1, "the server answered 404 Not Found", "not found now, nor later"),
    ([status(403)], 1, "the server answered 403 Forbidden", "not allowed now, nor later"),
    ([status(500)] * 3, 3, "the server answered 500 Internal Server Error (3 attempts)", "not temporary"),
    ([cut_after(0)] * 3, 3, f"the connection ended after 0 of {len(CONTENT):,} bytes (3 attempts)", "every time"),
    ([instead(LOGIN_PAGE)], 1, f"the server has 27 bytes, expected {len(CONTENT):,}", "another file, by its length"),
    ([instead(LOGIN_PAGE, length=False)] * 3, 3, "the connection ended after 27 of", "the same without a length"),
    ([instead(CONTENT[:HALF])], 1, f"the server has {HALF:,} bytes, expected {len(CONTENT):,}", "half of the file"),
    ([instead(CONTENT + b"x", length=False)], 1, f"more than the {len(CONTENT):,} bytes expected", "too long"),
    ([moved_to("file:///etc/passwd")], 1, "is not allowed", "a file is not on the web"),
    (
        [instead(WRONG)],
        1,
        f"the file has the SHA-256 {hashlib.sha256(WRONG).hexdigest()}, expected {SHA256}; nothing was written",
        "another content of that size",
    ),
    ([silent] * 3, 3, "timed out (3 attempts)", "a server that hangs"),
    ([cut_after(HALF, hang=True)] * 3, 3, "timed out (3 attempts)", "half-way"),
    ([moved_to("ftp://127.0.0.1/x")] * 3, 3, "unknown url type: ftp", "nor is FTP"),
]


@pytest.mark.parametrize(("answers", "requests", "fragment", "why"), REFUSED)
def test_a_failed_download_is_reported_and_writes_nothing(
    answers: list[Answer], requests: int, fragment: str, why: str, get: Get, web: Server, target: Path
) -> None:
    with pytest.raises(DownloadError) as caught:
        get(*answers, timeout=0.2)
    assert fragment in str(caught.value), why
    assert str(caught.value).startswith(f"cannot download {web.url}/file.txt: ")
    assert "use --from-dir DIR" in str(caught.value)
    assert len(web.requests) == requests, why
    assert not target.parent.exists()


def test_a_wrong_file_does_not_replace_the_present_one(get: Get, target: Path) -> None:
    target.parent.mkdir()
    target.write_bytes(b"the old one")
    with pytest.raises(DownloadError):
        get(instead(b"y" * len(CONTENT)))
    assert target.read_bytes() == b"the old one"
    get()
    assert target.read_bytes() == CONTENT


@needs_full_device
def test_a_full_disk_is_reported_with_the_file_and_a_folder_that_cannot_be_made_is_wrong_usage(
    get: Get, target: Path
) -> None:
    target.parent.write_bytes(b"a file")
    with pytest.raises(UsageError, match=re.escape(f"cannot write to '{target}': ")):
        get()
    target.parent.unlink()
    target.parent.mkdir()
    target.symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left on device") as caught:
        get()
    assert caught.value.filename == str(target)


def test_without_a_network_the_message_says_what_to_do(web: Server, target: Path) -> None:
    url = f"{web.url}/file.txt"
    web.server_close()
    with pytest.raises(UnreachableError) as caught:
        download(url, str(target), SHA256, len(CONTENT), QUICK)
    for fragment in (url, str(target), "Connection refused", "--from-dir DIR", "FW_DATA_MIRROR=URL"):
        assert fragment in str(caught.value)


@pytest.mark.parametrize("url", ["http://[::1/file.txt", f"http://{'long' * 20}.invalid/file.txt"])
def test_an_invalid_address_is_reported(url: str, target: Path) -> None:
    with pytest.raises(DownloadError, match="it is not a web address: ") as caught:
        download(url, str(target), SHA256, len(CONTENT), QUICK)
    assert f"cannot download {url}: " in str(caught.value)
    assert not target.parent.exists()


GITHUB = "https://raw.githubusercontent.com/owner/name/0123/a/b.txt"
MIRRORS = [  # FW_DATA_MIRROR, address, address asked, why
    ("", GITHUB, GITHUB, "no mirror"),
    ("http://here:1/x", GITHUB, "http://here:1/x/owner/name/0123/a/b.txt", "the host is replaced"),
    ("https://here/", GITHUB, "https://here/owner/name/0123/a/b.txt", "one slash"),
    ("https://here", "https://else/where", "https://else/where", "not on GitHub"),
]


@pytest.mark.parametrize(("mirror", "url", "asked", "why"), MIRRORS)
def test_a_mirror_replaces_github(mirror: str, url: str, asked: str, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FW_DATA_MIRROR", mirror)
    assert mirrored(url) == asked, why
    for other in ("/data", "file:///data", "ftp://here"):
        monkeypatch.setenv("FW_DATA_MIRROR", other)
        with pytest.raises(UsageError, match="must start with http:// or https://"):
            mirrored(GITHUB)


def test_waits_double_with_jitter_up_to_a_longest_one() -> None:
    retries = Retries(5, 0.5, random.Random(1))
    waits = [retries.wait(attempt) for attempt in range(1, 12)]
    for attempt, wait in enumerate(waits):
        doubled = min(MAX_WAIT, 0.5 * 2**attempt)
        assert doubled / 2 <= wait <= doubled
    assert len({Retries(5, 0.5, random.Random(seed)).wait(5) for seed in range(9)}) > 1
    assert [Retries(2, 1.0).wait(attempt) for attempt in (1, 2, 6, 99)] == [1, 2, 30, 30], "without jitter"
    assert Retries(5, 0.5).wait(1, 12.5) == 12.5, "never shorter than the endpoint asks for"


@pytest.mark.parametrize(
    ("value", "seconds"),
    [(None, None), ("0", 0), ("1.5", 1.5), ("-3", 0), ("nan", None), ("", None), ("Thu, 01 Jan 1970 00:00:10 GMT", 0)],
)
def test_a_header_is_a_number_of_seconds_or_a_date(value: str | None, seconds: float | None) -> None:
    assert retry_after(value, now=20) == seconds
