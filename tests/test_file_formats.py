"""Files that earlier releases wrote are read, and files of later formats are refused (decision 0002).

If a test here fails because a format has changed, keep reading the files in ``tests/formats``, raise the version in
``data/file_formats.py``, and add the files of the
last release with ``python tests/written_files.py tests/formats/VERSION``.
"""

from __future__ import annotations

import ast
import json
import unicodedata
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from written_files import COMMANDS, write_files

import metrics_framework as fw
from metrics_framework.commands.app import main
from metrics_framework.commands.output_paths import is_foreign
from metrics_framework.common.errors import DataError
from metrics_framework.data.file_formats import FORMATS, check_format
from metrics_framework.datasets.dataset import read_manifest
from metrics_framework.inputs.score_files import read_score_files
from metrics_framework.language_models.answer_file import described_answers
from metrics_framework.version import __version__

FORMATS_OF_FILES = Path(__file__).resolve().parent / "formats"
RELEASES = sorted(FORMATS_OF_FILES.iterdir())
DOCUMENTS = [name for name in COMMANDS if name.endswith(".json")]
NEWER = 99
pytestmark = pytest.mark.parametrize("release", RELEASES, ids=lambda path: path.name)


def document(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def state_of(release: Path) -> dict[str, Any]:
    state: dict[str, Any] = ast.literal_eval((release / "accumulator.txt").read_text(encoding="utf-8"))
    return {**state, "unicode": unicodedata.unidata_version}


def test_rows_are_read(release: Path) -> None:
    files = [release / name for name in ("micro.jsonl", "scores.jsonl", "scores.parquet")]
    for file in files:
        pytest.importorskip("pyarrow") if file.suffix == ".parquet" else None
        read = read_score_files([str(file)])
        assert {"ter", "bleu"} <= read.signatures.keys()
        assert len(read.rows) == 12
        assert {"instance_id", "summarizer_id"} <= vars(read.rows[0]).keys()
        assert sum(row.metrics["ter"] or 0 for row in read.rows) > 0
    assert read_score_files([str(files[0]), str(files[1])]).warnings == []
    assert fw.load("precomputed", file=str(files[1]), score="ter").higher_is_better is False


def test_ratings_votes_and_answers_are_read(release: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ratings = read_score_files([str(release / "ratings.jsonl")])
    assert [row.metrics["esa"] for row in ratings.rows] == [[80, 90], [40], [75]]
    answers = described_answers([str(release / "answers.jsonl")])
    assert answers["1", "careful"] == ['m, direct-assessment: 94. {"score": 94}']
    assert main(["prefer", str(release / "votes.jsonl")]) == 0
    assert "careful" in capsys.readouterr().out


def test_the_results_of_tests_are_read(release: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(release / "stat-sig-test.json")
    assert main(["partial-conjunction-test", file, file, "--names", "a", "b", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["names"] == ["a", "b"]


def test_manifests_are_read(release: Path) -> None:
    manifest = read_manifest(str(release / "manifest.json"))
    assert manifest.name == "wikisplit"
    assert manifest.files


def test_states_of_accumulators_are_read(release: Path) -> None:
    ter = fw.Accumulator("ter")
    ter.load_state_dict(state_of(release))
    assert ter.compute()["ter"] == 50.0


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents_are_recognized_as_results(release: Path, name: str) -> None:
    assert not is_foreign(str(release / name))


@pytest.fixture(scope="module")
def now(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files of this release."""
    pytest.importorskip("httpx", reason="needs the extra 'judge'")
    folder = tmp_path_factory.mktemp("now")
    with pytest.MonkeyPatch.context() as patch:
        for variable in ("no_proxy", "OPENAI_BASE_URL", "OPENAI_API_KEY"):
            patch.setenv(variable, "")
        patch.setenv("FW_CACHE", str(folder / "cache"))
        write_files(folder, [name for name in COMMANDS if not name.endswith(".parquet")])
    return folder


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents_have_the_keys_of_their_version(release: Path, name: str, now: Path) -> None:
    """Other programs read them by their keys, so none of them leaves without a new version of the format."""
    before, written = document(release / name), document(now / name)
    kind = written.get("command", "macro")
    if "format" in written:
        assert written["format"] == FORMATS[kind]
    if before.get("format", 1) == written.get("format", 1):
        assert missing_keys(before, written) == []


@pytest.mark.parametrize("name", ["micro.jsonl", "scores.jsonl", "ratings.jsonl", "answers.jsonl", "votes.jsonl"])
def test_rows_have_the_keys_of_their_version(release: Path, name: str, now: Path) -> None:
    first = [json.loads(file.read_text(encoding="utf-8").split("\n")[0]) for file in (release / name, now / name)]
    if first[0].get("format", 1) == first[1].get("format", 1) == FORMATS["rows"]:
        assert list(first[0]) == list(first[1])


def missing_keys(before: Any, now: Any, path: str = "") -> list[str]:
    """Returns the keys that a document does not have any more, at any depth; a list counts by its first item."""
    if isinstance(before, Mapping) and isinstance(now, Mapping):
        inner = [
            path_of for key in before if key in now for path_of in missing_keys(before[key], now[key], f"{path}/{key}")
        ]
        return [*(f"{path}/{key}" for key in before if key not in now), *inner]
    both_lists = isinstance(before, list) and isinstance(now, list) and before and now
    return missing_keys(before[0], now[0], f"{path}[0]") if both_lists else []


def _rows(release: Path, folder: Path) -> str:
    lines = (release / "scores.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    first = json.dumps({**json.loads(lines[0]), "format": NEWER})
    (folder / "rows.jsonl").write_text("\n".join([first, *lines[1:]]), encoding="utf-8")
    return str(folder / "rows.jsonl")


def _newer(release: Path, folder: Path, name: str) -> str:
    (folder / name).write_text(json.dumps({**document(release / name), "format": NEWER}), encoding="utf-8")
    return str(folder / name)


READERS: Mapping[str, Callable[[Path, Path], object]] = {
    "correlate": lambda release, folder: read_score_files([_rows(release, folder)]),
    "precomputed": lambda release, folder: fw.load("precomputed", file=_rows(release, folder)).signature(),
    "manifest": lambda release, folder: read_manifest(_newer(release, folder, "manifest.json")),
    "accumulator": lambda release, _: fw.Accumulator("ter").load_state_dict({**state_of(release), "format": NEWER}),
}


@pytest.mark.parametrize("reader", READERS)
def test_a_later_format_is_refused(release: Path, reader: str, tmp_path: Path) -> None:
    with pytest.raises(
        (DataError, fw.InputError), match=f"version {NEWER} of the format .* fw {__version__} .* update"
    ):
        READERS[reader](release, tmp_path)


def test_a_later_format_of_a_test_is_refused(release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = _newer(release, tmp_path, "stat-sig-test.json")
    assert main(["partial-conjunction-test", file, file, "--names", "a", "b"]) == 1
    assert f"stat-sig-test.json: has version {NEWER}" in capsys.readouterr().err


def test_a_later_format_in_parquet_is_refused(release: Path, tmp_path: Path) -> None:
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    table = parquet.read_table(release / "scores.parquet")
    metadata = {**table.schema.metadata, b"metrics_framework.format": str(NEWER).encode()}
    parquet.write_table(
        pa.Table.from_batches(table.to_batches()).replace_schema_metadata(metadata), tmp_path / "s.parquet"
    )
    with pytest.raises(DataError, match=f"version {NEWER}"):
        read_score_files([str(tmp_path / "s.parquet")])


@pytest.mark.parametrize("value", [0, -1, True, "2", None, 1.5])
def test_a_version_is_an_integer_from_1_on(release: Path, value: Any) -> None:
    with pytest.raises(DataError, match="must be the version of a format"):
        check_format({"format": value}, "macro", "macro.json")


def test_rows_of_others_may_have_a_key_of_this_name(release: Path, tmp_path: Path) -> None:
    row = {"instance_id": "1", "summarizer_id": "a", "metrics": {"m": 1}, "format": "html"}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row), encoding="utf-8")
    assert len(read_score_files([str(tmp_path / "rows.jsonl")]).rows) == 1
