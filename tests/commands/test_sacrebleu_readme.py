"""Every command of sacreBLEU's README beside its counterpart, from the guide and a second list: run, and compared.

The test sets of the README cannot be downloaded by a test. Small test sets take their places, in sacreBLEU's folder and
in that of ``fw``; output files have the names that the README uses.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

import pytest
from wmt_archives import md5, sgm, tar, xml

from metrics_framework.commands.app import main

pytest.importorskip("sacrebleu")
from sacrebleu.dataset import DATASETS

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "datasets" / "simplification"
PAGES = (ROOT / "docs" / "guides" / "coming-from.md", Path(__file__).with_name("sacrebleu_readme.md"))
ROW = re.compile(
    r"^\| `(?P<theirs>[^`]*\bsacrebleu [^`]*)`(?P<note>[^|]*) \| `(?P<ours>[^`]*\bfw [^`]*)` \|$", re.MULTILINE
)
SHELL = """
sacrebleu() {{ "{python}" -m sacrebleu "$@"; }}
fw() {{ "{python}" -m metrics_framework "$@"; }}
jq() {{ "{python}" -c 'import json, sys; print(json.load(sys.stdin)["score"])'; }}
"""


class Row(NamedTuple):
    """A command of sacreBLEU and its counterpart."""

    theirs: str
    ours: str


def rows() -> list[Row]:
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES).replace("\\|", "\N{BROKEN BAR}")
    found = [match.group(*Row._fields) for match in ROW.finditer(text)]
    return [Row(*(command.replace("\N{BROKEN BAR}", "|") for command in row)) for row in found]


def lines(name: str) -> list[str]:
    return (EXAMPLES / name).read_text(encoding="utf-8").splitlines()


SOURCES, REFERENCES, OTHERS = lines("sources.txt"), lines("references.0.txt"), lines("references.1.txt")
LANGUAGES = ["en" if number % 4 < 2 else "de" for number in range(len(SOURCES))]
OUTPUTS = {
    "output.detok.txt": lines("careful.txt"),
    "ref.detok.txt": lines("references.0.txt"),  # --echo writes it too, perhaps in another process of pytest -n
    "my-wmt13-output.txt": lines("clumsy.txt"),
    "system": lines("careful.txt"),
    "newstest2017.LIUM-NMT.4900.en-de": lines("careful.txt"),
    "newstest2017.online-A.0.en-de": lines("clumsy.txt"),
    "newstest2017.online-B.0.en-de": lines("timid.txt"),
    "newstest2017.online-F.0.en-de": [*lines("careful.txt")[:40], *lines("clumsy.txt")[40:]],
}
JAPANESE = ["猫が縁側で眠っている。", "明日は東京で会議があります。", "本を三冊買いました。"]
JAPANESE_OUTPUTS = ["猫は縁側で寝ている。", "明日、東京で会議がある。", "本を三冊買った。"]


def archives() -> dict[str, dict[str, bytes]]:
    """Returns the files in the archive of each test set of the README."""
    documents = sgm("src", SOURCES, LANGUAGES), sgm("ref", REFERENCES, LANGUAGES)
    with_output = xml(SOURCES, {"A": REFERENCES, "B": OTHERS}, {"NiuTrans": OUTPUTS["system"]}, LANGUAGES)
    return {
        "wmt17": dict(zip(_files("wmt17", "en-de"), documents, strict=True)),
        "wmt13": dict(zip(_files("wmt13", "de-en"), documents, strict=True)),
        "wmt21": {_files("wmt21", "en-de")[0]: with_output},
        "wmt21/systems": {_files("wmt21/systems", "zh-en")[0]: with_output},
    }


PAIRS = {"wmt17": "en-de", "wmt13": "de-en", "wmt21": "en-de", "wmt21/systems": "zh-en"}


def _files(name: str, pair: str) -> Sequence[str]:
    return list(DATASETS[name].langpairs[pair])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Gives a folder with the output files, where both programs have the test sets and need no network."""
    path = tmp_path_factory.mktemp("readme")
    for name, texts in OUTPUTS.items():
        (path / name).write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    for name, texts in (("ref1", REFERENCES), ("ref2", OTHERS), ("kyoto-test.ref.ja", JAPANESE)):
        (path / name).write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    (path / "kyoto-test.hyp.ja").write_text("".join(f"{text}\n" for text in JAPANESE_OUTPUTS), encoding="utf-8")
    tabbed = zip(REFERENCES, OTHERS, strict=True)
    (path / "refs.tsv").write_text("".join("\t".join(pair) + "\n" for pair in tabbed), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FW_DATA", str(path / "data"))
        for name, files in archives().items():
            entry, archive = DATASETS[name], tar(files)
            raw = path / "sacrebleu" / name / "raw"
            raw.mkdir(parents=True)
            (raw / entry._get_tarball_filename(entry.data[0])).write_bytes(archive)
            with tarfile.open(fileobj=BytesIO(archive)) as members:
                members.extractall(raw, filter="data")
            patch.setattr(entry, "md5", [md5(archive)])
            patch.setattr(entry, "_rawdir", str(raw))
            assert main(["setup-dataset", name, "--pair", PAIRS[name]]) == 0
        yield path


@pytest.fixture
def run(folder: Path) -> Callable[[str], tuple[int, str]]:
    """Runs a command line in a shell; returns its exit code and what it prints, and writes to files, on the way."""
    environment = {
        **os.environ,
        "SACREBLEU": str(folder / "sacrebleu"),
        "FW_DATA": str(folder / "data"),
        "PYTHONPATH": str(ROOT),
        "NO_COLOR": "1",
    }

    def run(command: str) -> tuple[int, str]:
        text = {} if "(JSON)" in command or "latex" in command else {"SACREBLEU_FORMAT": "text"}
        script = SHELL.format(python=sys.executable) + command.replace(" (JSON)", "")
        written = re.search(r"> (\S+)$", command)
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=folder,
            env={**environment, **text},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        printed = (folder / written[1]).read_text(encoding="utf-8") if written else done.stdout
        return done.returncode, printed or done.stderr

    return run


def test_every_command_of_the_readme_is_compared() -> None:
    """The README is part of the installed package."""
    from importlib.metadata import metadata

    readme = str(metadata("sacrebleu").get_payload())
    examples = re.findall(r"^ {0,4}\$ (.*sacrebleu .*)$|^ {4}\$? ?(sacrebleu -t wmt13.*)$", readme, re.MULTILINE)
    commands = {" ".join((first or second).split()) for first, second in examples}
    assert len(commands) > 25
    listed = " ".join(row.theirs for row in rows())
    missing = [
        command
        for command in commands
        if " ".join(command.replace("| head 2", "| head -2").split()) not in listed
        and not any(known in command for known in KNOWN_TO_DIFFER)
    ]
    assert not missing


KNOWN_TO_DIFFER = (
    "translate.sh",  # a system of the reader's
    "wmt21/system -l",  # a typing error of the README
    "jq -r .score",  # the same command as the next one, and jq
    "pip install",
)


@pytest.mark.slow
@pytest.mark.parametrize("row", rows(), ids=[row.ours for row in rows()])
def test_a_command_and_its_counterpart_print_the_same(row: Row, run: Callable[[str], tuple[int, str]]) -> None:
    if "ja-mecab" in row.ours or "en-ja" in row.ours:
        pytest.importorskip("MeCab")
        pytest.importorskip("ipadic")
    as_json = "-f json" in row.ours
    their_code, theirs = run(f"{row.theirs}{' (JSON)' if as_json else ''}")
    our_code, ours = run(row.ours)
    if "asdf" in row.ours:
        assert their_code
        assert our_code
        assert fields_in(theirs) <= fields_in(ours)
        return
    assert (their_code, our_code) == (0, 0), f"{theirs}\n{ours}"
    expected, found = comparable(theirs, row), comparable(ours, row)
    if "latex" in row.ours:  # the table of fw may have more columns
        remaining = iter(found)
        found = [number for number in expected if number in remaining]
    assert found == expected
    assert expected


def fields_in(message: str) -> set[str]:
    """Returns the fields that a message lists."""
    return set(re.findall(r"[\w:]+", message.rpartition("available fields")[2])) & {"src", "ref:A", "ref:B", "docid"}


def comparable(printed: str, row: Row) -> Sequence[str]:
    """Returns what two outputs have in common."""
    if "test-sets" in row.ours:
        return sorted({name for name in re.findall(r"^([\w./]+) ", printed, re.MULTILINE) if name in DATASETS})
    if "latex" in row.ours:
        numbers: list[str] = re.findall(r"\d+\.\d\b", printed.partition("bottomrule")[0].partition("midrule")[2])
        return [number for number in numbers if number != "4900.0"]
    if "--paired" in row.ours:  # the explanation of the test is shorter
        return [
            line for line in printed.splitlines() if line.startswith(("│", "├", "╞", "╒", "╘", " - BLEU", " - chrF"))
        ]
    return [printed]
