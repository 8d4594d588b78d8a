"""``fw setup dataset`` and ``fw list datasets``, with a data set of our own."""

from __future__ import annotations

import csv
import hashlib
import io
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tiny_dataset
from json_files import read_rows
from messages import NEEDS_ITS_MANIFEST, NOT_THE_EXPECTED_FILE
from samples import sampled
from tiny_dataset import FILES, ROWS, address, write_files, write_plugin
from web_server import Server, cut_after, instead, status

from metrics_framework.common.errors import DownloadError
from metrics_framework.datasets.set_up import raise_any

Run = Callable[..., Any]


@pytest.fixture
def tiny(fw: Run, tmp_path: Path) -> Run:
    """Runs ``fw`` with the data set of our own as a plug-in."""
    module = write_plugin(tmp_path / "plugin")
    return lambda *words: fw(*words, "--include-packages", module)


@pytest.fixture
def served(web: Server, monkeypatch: pytest.MonkeyPatch) -> Server:
    """A mirror that has the files."""
    monkeypatch.setenv("FW_DATA_MIRROR", web.url)
    web.files.update({address(path): text.encode() for path, text in FILES.items()})
    return web


def home(tmp_path: Path, name: str) -> Path:
    return tmp_path / "home" / "tiny" / f"{name}.jsonl"


# ---- from the network ------------------------------------------------------------------------------------------------


def test_a_data_set_is_downloaded_and_made_into_rows(tiny: Run, served: Server, tmp_path: Path) -> None:
    result = tiny("setup-dataset", "tiny")
    assert result.code == 0, result.err
    assert result.out == "tiny: Three sentences.\nhttps://example.org/tiny\n\nLicence: Apache-2.0\n\n@misc{tiny}\n\n"
    assert result.err.splitlines() == [
        f"fw: set up tiny-test (3 × 2): {home(tmp_path, 'tiny-test')}",
        f"fw: set up tiny-tune (1 × 1): {home(tmp_path, 'tiny-tune')}",
        f"fw: set up tiny-outputs (3 × 2, 2 systems): {home(tmp_path, 'tiny-outputs')}",
    ]
    assert read_rows(home(tmp_path, "tiny-test")) == ROWS
    outputs = read_rows(home(tmp_path, "tiny-outputs"))
    assert [(row["instance_id"], row["summarizer_id"]) for row in outputs] == [
        (row["instance_id"], system) for row in ROWS for system in ("Good", "Bad")
    ]
    assert outputs[3] == {"summarizer_id": "Bad", "summarizer_type": "peer", "summary": "late", **ROWS[1]}
    assert sorted(served.requests) == sorted(map(address, FILES))


def test_one_part_is_set_up_by_its_name_with_its_files_only(tiny: Run, served: Server, tmp_path: Path) -> None:
    assert tiny("setup-dataset", "tiny-tune").code == 0
    assert served.requests == [address("data/tune.src"), address("data/tune.ref.0")]
    assert [path.name for path in home(tmp_path, "").parent.glob("*.jsonl")] == ["tiny-tune.jsonl"]


def test_what_is_there_is_not_made_again_unless_forced(tiny: Run, served: Server, tmp_path: Path) -> None:
    tiny("setup-dataset", "tiny-test")
    place = home(tmp_path, "tiny-test")
    place.write_text("mine\n", encoding="utf-8")
    asked = len(served.requests)
    result = tiny("setup-dataset", "tiny-test")
    assert (result.code, place.read_text(encoding="utf-8")) == (0, "mine\n")
    changed = f"fw: warning: tiny-test has changed since it was set up: {place} (use --force to set it up again)\n"
    assert result.err == changed
    assert tiny("setup-dataset", "tiny-test", "--force").code == 0
    assert read_rows(place) == ROWS
    assert len(served.requests) == asked, "files that are there and whole are not downloaded again"


@pytest.mark.parametrize("folder", [[], ["elsewhere"]], ids=["data home", "another folder"])
def test_a_test_set_that_changed_since_is_not_scored_by_its_name(
    folder: list[str], tiny: Run, served: Server, tmp_path: Path
) -> None:
    tiny("setup-dataset", "tiny-test", *folder)
    path = tmp_path / folder[0] / "tiny-test.jsonl" if folder else home(tmp_path, "tiny-test")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert path.with_name("tiny-test.jsonl.sha256").read_text() == f"{digest}  tiny-test.jsonl\n"
    (tmp_path / "out.txt").write_text("a\nb\nc\n")
    words = ["ter", "evaluate", "--dataset", "tiny-test", "--outputs", "out.txt"]
    assert tiny(*words).code == 0
    path.write_text(path.read_text().replace("cat", "dog"))
    result = tiny(*words)
    assert (result.code, result.out) == (1, "")
    assert result.err == (
        f"fw: error: 'tiny-test' has changed since it was set up: {path} does not have the SHA-256 in {path}.sha256; "
        f"set it up again with fw setup dataset tiny-test --force, or use --dataset {path} for the file as it is\n"
    )
    assert tiny(*[str(path) if word == "tiny-test" else word for word in words]).code == 0
    assert tiny("setup-dataset", "tiny-test", "--force").code == 0
    assert tiny(*words).code == 0


def test_a_test_set_without_a_sum_was_set_up_by_an_earlier_version(tiny: Run, served: Server, tmp_path: Path) -> None:
    tiny("setup-dataset", "tiny-test")
    home(tmp_path, "tiny-test").with_name("tiny-test.jsonl.sha256").unlink()
    (tmp_path / "out.txt").write_text("a\nb\nc\n")
    assert tiny("ter", "evaluate", "--dataset", "tiny-test", "--outputs", "out.txt").code == 0
    assert "is set up already" in tiny("setup-dataset", "tiny-test").err


def test_a_file_that_was_damaged_since_is_downloaded_again(tiny: Run, served: Server, tmp_path: Path) -> None:
    tiny("setup-dataset", "tiny-test")
    [raw] = home(tmp_path, "").parent.rglob("test.src")
    raw.write_bytes(raw.read_bytes()[:-1])
    assert tiny("setup-dataset", "tiny-test", "--force").code == 0
    assert raw.read_bytes() == FILES["data/test.src"].encode()
    assert read_rows(home(tmp_path, "tiny-test")) == ROWS


BAD = [  # answers, fragments of the message, why
    ([status(404)], ["404 Not Found", "--from-dir DIR", "FW_DATA_MIRROR=URL"], "it is not there"),
    ([status(500)] * 3, ["500", "(3 attempts)"], "the server is down"),
    ([cut_after(0)] * 3, ["ended after 0 of"], "the connection breaks off"),
    ([instead(b"x" * len(FILES["data/test.ref.1"].encode()))], ["SHA-256", ", expected "], "another file"),
]


@pytest.mark.parametrize(("answers", "fragments", "why"), BAD)
def test_nothing_is_made_before_every_file_is_whole(
    answers: list[Any], fragments: list[str], why: str, tiny: Run, served: Server, tmp_path: Path
) -> None:
    served.script[address("data/test.ref.1")] = answers
    result = tiny("setup-dataset", "tiny-test")
    assert result.code == 1, why
    assert f"{served.url}{address('data/test.ref.1')}" in result.err
    assert all(fragment in result.err for fragment in fragments), result.err
    assert not home(tmp_path, "tiny-test").exists()
    assert not list(tmp_path.rglob("test.ref.1"))
    assert tiny("setup-dataset", "tiny-test").code == 0, "the next run keeps the files that are complete"
    assert served.requests.count(address("data/test.src")) == 1
    assert read_rows(home(tmp_path, "tiny-test")) == ROWS


def test_without_a_network_the_message_names_address_target_and_both_ways_out(
    tiny: Run, served: Server, tmp_path: Path
) -> None:
    served.server_close()
    result = tiny("setup-dataset", "tiny-tune")
    assert result.code == 1
    assert result.out.startswith("tiny: "), "the licence is told all the same"
    target = tmp_path.joinpath("home", "tiny", "raw", "nobody", "tiny", "data", "tune.src")
    assert f"cannot download {served.url}{address('data/tune.src')}: " in result.err
    assert f"it would be saved as {target}\n" in result.err
    assert "use --from-dir DIR, or set FW_DATA_MIRROR=URL" in result.err


def test_parts_whose_files_came_are_set_up_and_the_problems_of_others_told_together(
    tiny: Run, served: Server, tmp_path: Path
) -> None:
    sums = {"data/tune.src": "the server answered 404 Not Found", "data/tune.ref.0": "the server has 1 bytes"}
    del served.files[address("data/tune.src")]
    served.files[address("data/tune.ref.0")] = b"x"
    result = tiny("setup-dataset", "tiny")
    assert result.code == 1
    told = result.err.splitlines()
    assert told[:3] == [
        f"fw: set up tiny-test (3 × 2): {home(tmp_path, 'tiny-test')}",
        f"fw: set up tiny-outputs (3 × 2, 2 systems): {home(tmp_path, 'tiny-outputs')}",
        "fw: not set up: tiny-tune",
    ]
    for path, problem in sums.items():
        assert f"cannot download {served.url}{address(path)}: {problem}" in result.err
    assert result.err.count("use --from-dir DIR") == 1, "what is the same for all is said once"
    assert "use --from-dir DIR" in told[-1]
    assert read_rows(home(tmp_path, "tiny-test")) == ROWS
    assert not home(tmp_path, "tiny-tune").exists()
    served.files.update({address(path): FILES[path].encode() for path in sums})
    assert tiny("setup-dataset", "tiny").code == 0
    assert home(tmp_path, "tiny-tune").exists()


def test_a_file_of_several_parts_is_asked_for_once(tiny: Run, served: Server, tmp_path: Path) -> None:
    del served.files[address("data/test.src")]
    result = tiny("setup-dataset", "tiny")
    assert result.code == 1
    assert "fw: not set up: tiny-test, tiny-outputs\n" in result.err
    assert served.requests.count(address("data/test.src")) == 1
    assert result.err.count("404 Not Found") == 1
    assert [path.name for path in home(tmp_path, "").parent.glob("*.jsonl")] == ["tiny-tune.jsonl"]


def test_a_server_out_of_reach_is_waited_for_once_and_what_is_there_is_set_up(
    tiny: Run, served: Server, tmp_path: Path
) -> None:
    assert tiny("setup-dataset", "tiny-outputs").code == 0
    home(tmp_path, "tiny-outputs").unlink()
    served.server_close()
    result = tiny("setup-dataset", "tiny")
    assert result.code == 1
    assert f"fw: set up tiny-test (3 × 2): {home(tmp_path, 'tiny-test')}\n" in result.err
    assert "fw: not set up: tiny-tune\n" in result.err
    assert result.err.count("cannot download") == 1
    assert read_rows(home(tmp_path, "tiny-test")) == ROWS
    assert len(read_rows(home(tmp_path, "tiny-outputs"))) == 6


def test_of_many_problems_the_first_are_told_and_the_others_counted() -> None:
    problems = [DownloadError(f"cannot download {number}", "fw: look elsewhere") for number in range(22)]
    with pytest.raises(DownloadError) as caught:
        raise_any(problems)
    told = [f"cannot download {number}" for number in range(20)]
    assert str(caught.value).split("\n") == [*told, "fw: look elsewhere", "… and 2 more problems"]


def test_a_manifest_that_counts_other_lines_is_told(fw: Run, served: Server, tmp_path: Path) -> None:
    module = write_plugin(tmp_path / "plugin", lines=4)
    result = fw("setup-dataset", "tiny-test", "--include-packages", module)
    assert result.code == 1
    assert "test.src: has 3 lines, but the manifest of the data set says 4" in result.err
    assert not home(tmp_path, "tiny-test").exists()


def test_a_file_without_a_known_address_is_asked_for_by_hand(fw: Run, served: Server, tmp_path: Path) -> None:
    module = write_plugin(tmp_path / "plugin", url=None, commit=None)
    words = ["setup-dataset", "tiny-test", "--include-packages", module]
    result = fw(*words)
    assert result.code == 1
    assert "get it from https://example.org/tiny and use --from-dir with its folder" in result.err
    assert fw(*words, "--from-dir", write_files(tmp_path / "files")).code == 0
    assert read_rows(home(tmp_path, "tiny-test")) == ROWS


# ---- from a folder ---------------------------------------------------------------------------------------------------

LAYOUTS = [  # where the files are below the folder, whether flat, why
    ("", False, "a copy of the repository"),
    ("nobody/tiny", False, "by the name of the repository"),
    (f"nobody/tiny/{tiny_dataset.COMMIT}", False, "as a mirror has them"),
    ("", True, "all in one folder"),
    ("deep/down", True, "somewhere below"),
]


@pytest.mark.parametrize(("below", "flat", "why"), LAYOUTS)
def test_files_are_taken_from_a_folder(below: str, flat: bool, why: str, tiny: Run, tmp_path: Path) -> None:
    write_files(tmp_path / "files" / below, flat)
    result = tiny("setup-dataset", "tiny", "--from-dir", tmp_path / "files")
    assert result.code == 0, (why, result.err)
    assert read_rows(home(tmp_path, "tiny-test")) == ROWS, why


def test_a_file_of_another_name_is_known_by_its_content(tiny: Run, tmp_path: Path) -> None:
    for number, path in enumerate(sorted((write_files(tmp_path / "files") / "data").iterdir())):
        path.rename(path.with_name(f"{number}.txt"))
    assert tiny("setup-dataset", "tiny-test", "--from-dir", tmp_path / "files").code == 0
    assert read_rows(home(tmp_path, "tiny-test")) == ROWS


def test_of_files_of_one_name_the_one_with_the_right_content_is_taken(tiny: Run, tmp_path: Path) -> None:
    files = write_files(tmp_path / "files" / "right", flat=True).parent
    for other in ("a", "z"):
        (files / other).mkdir()
        (files / other / "test.src").write_text("Something else.\n", encoding="utf-8")
    assert tiny("setup-dataset", "tiny-test", "--from-dir", files).code == 0
    assert read_rows(home(tmp_path, "tiny-test")) == ROWS


def test_all_files_that_are_missing_or_wrong_are_told_together(tiny: Run, tmp_path: Path) -> None:
    files = write_files(tmp_path / "files")
    (files / "data" / "test.src").unlink()
    (files / "data" / "test.ref.0").write_text("x", encoding="utf-8")
    result = tiny("setup-dataset", "tiny-test", "--from-dir", files)
    assert result.code == 1
    assert f"{files}: must contain 'data/test.src', or 'test.src' in any folder; none found" in result.err
    wrong = files / "data" / "test.ref.0"
    assert f"{wrong}: {NOT_THE_EXPECTED_FILE} 1 bytes, expected 37" in result.err
    assert not home(tmp_path, "tiny-test").exists()


def test_a_part_whose_files_are_all_in_the_folder_is_set_up_without_those_of_others(tiny: Run, tmp_path: Path) -> None:
    files = write_files(tmp_path / "files")
    (files / "data" / "tune.src").unlink()
    (files / "data" / "tune.ref.0").write_text("x", encoding="utf-8")
    result = tiny("setup-dataset", "tiny", "--from-dir", files)
    assert result.code == 1
    assert result.err.splitlines() == [
        f"fw: set up tiny-test (3 × 2): {home(tmp_path, 'tiny-test')}",
        f"fw: set up tiny-outputs (3 × 2, 2 systems): {home(tmp_path, 'tiny-outputs')}",
        "fw: not set up: tiny-tune",
        f"fw: error: {files}: must contain 'data/tune.src', or 'tune.src' in any folder; none found",
        f"{files / 'data' / 'tune.ref.0'}: {NOT_THE_EXPECTED_FILE} 1 bytes, expected 7",
    ]
    assert read_rows(home(tmp_path, "tiny-test")) == ROWS
    assert tiny("sari", "evaluate", "--dataset", "tiny-outputs").code == 0


def test_files_that_do_not_go_together_keep_no_other_part_from_being_set_up(fw: Run, tmp_path: Path) -> None:
    module = write_plugin(tmp_path / "plugin")
    code = module.read_text(encoding="utf-8").replace('"data/tune.ref.0"', '"data/test.ref.0"')
    module.write_text(code, encoding="utf-8")
    files = write_files(tmp_path / "files")
    result = fw("setup-dataset", "tiny", "--from-dir", files, "--include-packages", module)
    assert result.code == 1
    assert "fw: not set up: tiny-tune\nfw: error: " in result.err
    assert "lines" in result.err.splitlines()[-1]
    assert [home(tmp_path, f"tiny-{one}").exists() for one in ("test", "tune", "outputs")] == [True, False, True]


def test_a_folder_that_is_none_is_told(tiny: Run) -> None:
    result = tiny("setup-dataset", "tiny", "--from-dir", "nowhere")
    assert (result.code, "--from-dir must name a folder, got 'nowhere'" in result.err) == (2, True)


# ---- where it goes ---------------------------------------------------------------------------------------------------

HOMES = [  # environment, the data home, why
    ({"FW_DATA": "{tmp}/a"}, "a", "our own variable"),
    ({"FW_DATA": "", "XDG_DATA_HOME": "{tmp}/b"}, "b/metrics_framework", "the user's"),
    ({"FW_DATA": "", "XDG_DATA_HOME": "", "HOME": "{tmp}/c"}, "c/.local/share/metrics_framework", "neither"),
]


@pytest.mark.parametrize(("environment", "folder", "why"), HOMES)
def test_the_data_home(
    environment: dict[str, str], folder: str, why: str, tiny: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value.format(tmp=tmp_path))
    assert tiny("setup-dataset", "tiny-test", "--from-dir", write_files(tmp_path / "files")).code == 0
    assert read_rows(tmp_path / folder / "tiny" / "tiny-test.jsonl") == ROWS, why


def test_a_test_set_put_elsewhere_is_remembered_and_missed_when_it_is_gone(tiny: Run, tmp_path: Path) -> None:
    files = write_files(tmp_path / "files")
    assert tiny("setup-dataset", "tiny-test", "else where", "--from-dir", files).code == 0
    place = tmp_path / "else where" / "tiny-test.jsonl"
    assert read_rows(place) == ROWS
    (tmp_path / "out.txt").write_text(FILES["outputs/Good.tok"], encoding="utf-8")
    words = ["sari", "evaluate", "--dataset", "tiny-test", "--outputs", "out.txt"]
    assert tiny(*words).code == 0
    place.rename(tmp_path / "moved.jsonl")
    result = tiny(*words)
    assert result.code == 1
    assert f"'tiny-test' was set up as {place}, which no longer exists; restore it, or set it up again: " in result.err
    assert "fw setup dataset tiny-test" in result.err
    assert tiny("setup-dataset", "tiny-test", "--from-dir", files).code == 0
    assert read_rows(home(tmp_path, "tiny-test")) == ROWS, "without a folder it goes to the data home again"
    assert tiny(*words).code == 0


def test_parts_can_be_in_different_places_and_the_last_one_counts(tiny: Run, tmp_path: Path) -> None:
    files = write_files(tmp_path / "files")
    for words in (["tiny-test", "one"], ["tiny-tune", "two"], ["tiny-test", "three"]):
        assert tiny("setup-dataset", *words, "--from-dir", files).code == 0
    listed = {row["test set"]: row["set up"] for row in table(tiny("list", "datasets", "--format", "csv").out)}
    assert listed["tiny-test"] == str(tmp_path / "three" / "tiny-test.jsonl")
    assert listed["tiny-tune"] == str(tmp_path / "two" / "tiny-tune.jsonl")
    assert listed["tiny-outputs"] == "no"
    assert tiny("setup-dataset", "tiny-test", "one", "--from-dir", files).code == 0
    listed = {row["test set"]: row["set up"] for row in table(tiny("list", "datasets", "--format", "csv").out)}
    assert listed["tiny-test"] == str(tmp_path / "one" / "tiny-test.jsonl")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="needs file names of any bytes")
def test_a_folder_whose_name_is_not_utf_8_is_remembered(tiny: Run, tmp_path: Path) -> None:
    folder = os.fsdecode(bytes(tmp_path) + b"/caf\xe9")
    (tmp_path / "out.txt").write_text(FILES["outputs/Good.tok"], encoding="utf-8")
    for words in (
        ["setup-dataset", "tiny-test", folder, "--from-dir", str(write_files(tmp_path / "files"))],
        ["sari", "evaluate", "--dataset", "tiny-test", "--outputs", "out.txt"],
    ):
        plugin = ["--include-packages", str(tmp_path / "plugin" / "tiny.py")]
        done = subprocess.run(
            [sys.executable, "-m", "metrics_framework", *words, *plugin], capture_output=True, text=True, cwd=tmp_path
        )
        assert done.returncode == 0, done.stderr
    assert read_rows(Path(folder) / "tiny-test.jsonl") == ROWS


@pytest.mark.parametrize("note", [b"", b"\xff", b"/some/where\n"])
def test_a_damaged_note_of_the_place_is_told_and_the_list_goes_on(note: bytes, tiny: Run, tmp_path: Path) -> None:
    files = write_files(tmp_path / "files")
    assert tiny("setup-dataset", "tiny-test", "out", "--from-dir", files).code == 0
    place = home(tmp_path, "tiny-test").with_suffix(".place")
    place.write_bytes(note)
    result = tiny("sari", "evaluate", "--dataset", "tiny-test", "--outputs", "out.txt")
    assert result.code == 1
    assert f"{place}: must contain a path; delete this file and set the data set up again" in result.err
    rows = {row["data set"]: row for row in table(tiny("list", "datasets", "--format", "csv").out)}
    assert "must contain a path" in rows["tiny"]["set up"]
    assert rows["hsplit"]["set up"] == "no"


def test_a_data_home_that_cannot_remember_is_a_warning(
    tiny: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("FW_DATA", str(tmp_path / "file"))
    result = tiny("setup-dataset", "tiny", "out", "--from-dir", write_files(tmp_path / "files"))
    assert result.code == 0
    for name in ("tiny-test", "tiny-tune"):
        place = tmp_path / "out" / f"{name}.jsonl"
        assert f"--dataset {name} will not find {place}; use --dataset {place}" in result.err
    assert read_rows(tmp_path / "out" / "tiny-test.jsonl") == ROWS


def test_a_folder_that_cannot_be_written_to_is_told(tiny: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    result = tiny("setup-dataset", "tiny-test", "file", "--from-dir", write_files(tmp_path / "files"))
    assert result.code == 2
    assert f"cannot write to '{tmp_path / 'file' / 'tiny-test.jsonl'}'" in result.err


# ---- names and lists -------------------------------------------------------------------------------------------------


def table(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_the_list_has_size_licence_and_place_of_every_test_set(tiny: Run, tmp_path: Path) -> None:
    tiny("setup-dataset", "tiny-test", "--from-dir", write_files(tmp_path / "files"))
    rows = {row["test set"]: row for row in table(tiny("list", "datasets", "--format", "csv").out)}
    assert rows["tiny-test"] == {
        "data set": "tiny",
        "test set": "tiny-test",
        "size": "3 × 2",
        "licence": "Apache-2.0",
        "set up": str(home(tmp_path, "tiny-test")),
    }
    assert rows["asset-test"]["licence"] == "CC BY-NC 4.0 (not for commercial use)"
    assert rows["asset-test"]["set up"] == "no"
    assert "asset-test" in tiny("list", "datasets").out


def test_the_list_fits_a_terminal_and_has_each_licence_once(
    tiny: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"HOME": tmp_path / "user", "FW_DATA": "", "XDG_DATA_HOME": ""}.items():
        monkeypatch.setenv(name, str(value))
    (tmp_path / "user").mkdir()
    files = write_files(tmp_path / "files")
    for words in (["tiny-test"], ["tiny-tune", tmp_path / "user"]):
        assert tiny("setup-dataset", *words, "--from-dir", files).code == 0
    test_sets, licences = (block.splitlines() for block in tiny("list", "datasets").out.split("\n\n"))
    assert max(map(len, [*test_sets, *licences])) <= 100
    places = {line.split()[0]: line.split()[-1] for line in test_sets}
    assert [places[f"tiny-{one}"] for one in ("test", "tune", "outputs")] == [
        "~/.local/share/metrics_framework/tiny",
        "~",
        "no",
    ]
    assert [line.split() for line in licences if line.startswith("tiny")] == [["tiny", "Apache-2.0"]]
    full = {row["data set"]: row["licence"] for row in table(tiny("list", "datasets", "--format", "csv").out)}
    assert " ".join(" ".join(licences[2:]).split()) == " ".join(f"{name} {text}" for name, text in full.items())
    other = tmp_path / "users"  # starts as the user's, and is another
    assert tiny("setup-dataset", "tiny-outputs", other, "--from-dir", files).code == 0
    assert str(other) in tiny("list", "datasets").out.split()


def test_a_data_set_without_its_manifest_is_out_of_use_and_the_others_are_not(tiny: Run, tmp_path: Path) -> None:
    (tmp_path / "plugin" / "manifests" / "tiny.json").unlink()
    result = tiny("list", "datasets", "--format", "csv")
    rows = {row["data set"]: row for row in table(result.out)}
    assert result.code == 0
    assert rows["tiny"]["set up"] == (
        f"unavailable: {tmp_path / 'plugin' / 'manifests' / 'tiny.json'}: cannot be read: "
        f"No such file or directory; {NEEDS_ITS_MANIFEST}"
    )
    assert "tiny" in [line.split()[0] for line in tiny("list", "datasets").out.splitlines() if line]
    assert rows["hsplit"]["set up"] == "no"


# ---- ended before it is done -----------------------------------------------------------------------------------------

ENDS = [("SIGINT", 130, "interrupted"), ("SIGTERM", 143, "terminated")]


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="needs signals of POSIX")
@pytest.mark.parametrize(("name", "code", "told"), sampled(ENDS, 1))
def test_what_has_come_is_kept_when_the_set_up_is_ended(
    name: str, code: int, told: str, tiny: Run, served: Server, tmp_path: Path
) -> None:
    served.script[address("data/test.ref.0")] = [cut_after(5, hang=True)]
    words = ["setup-dataset", "tiny-test", "--include-packages", str(tmp_path / "plugin" / "tiny.py")]
    command = [sys.executable, "-m", "metrics_framework", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while address("data/test.ref.0") not in served.requests and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(getattr(signal, name))
        err = process.communicate(timeout=30)[1]
    assert err == f"fw: {told}; files that are complete are kept; run the same command again to continue\n"
    assert process.returncode == code
    assert tiny("setup-dataset", "tiny-test").code == 0
    assert served.requests.count(address("data/test.src")) == 1
    assert read_rows(home(tmp_path, "tiny-test")) == ROWS
