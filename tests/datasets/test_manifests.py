"""Every data set of the package: that its manifest and its parts fit together, and which files it names."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from messages import NEEDS_ITS_MANIFEST

import metrics_framework.datasets
from metrics_framework.common.errors import DataError
from metrics_framework.datasets import REGISTRY
from metrics_framework.datasets.dataset import LicensedDataset, find_part, find_parts, load_dataset, read_manifest
from metrics_framework.io.download import GITHUB

FOLDER = Path(metrics_framework.datasets.__file__).parent / "manifests"
NAMES = [name for name in REGISTRY.names() if REGISTRY.entries[name].module.startswith("metrics_framework.")]
SIZES = {  # as the papers and the pages of the data sets have them
    "turkcorpus-test": "359 × 8",
    "turkcorpus-tune": "2000 × 8",
    "turkcorpus-test-tok": "359 × 8",
    "turkcorpus-tune-tok": "2000 × 8",
    "turkcorpus-test-tok-cased": "359 × 8",
    "turkcorpus-tune-tok-cased": "2000 × 8",
    "turkcorpus-outputs": "359 × 8, 21 systems",
    "turkcorpus-outputs-tok": "359 × 8, 20 systems",
    "turkcorpus-outputs-xu2016": "359 × 8, 4 systems",
    "asset-test": "359 × 10",
    "asset-valid": "2000 × 10",
    "pwkp-test": "100 × 1",
    "pwkp-valid": "205 × 1",
    "pwkp-outputs": "100 × 1, 10 systems",
    "hsplit-test": "359 × 4",
    "wikisplit-test": "5000 × 1",
    "wikisplit-valid": "5000 × 1",
    "qats-test": "126 × 0, 1 system",
    "simplicity-da-means": "600 outputs",
    "simplicity-da-raters": "9000 ratings",
}


def test_the_data_sets_have_these_parts_of_these_sizes() -> None:
    found = {
        part.name: part.size(dataset.manifest)
        for dataset in map(load_dataset, NAMES)
        if not isinstance(dataset, LicensedDataset)
        for part in dataset.parts()
    }
    assert found == SIZES
    assert sorted(path.stem for path in FOLDER.glob("*")) == NAMES


KINDS_OF_ROWS = {"summaries", "metrics", "documents", "pyramids", "annotations"}


@pytest.mark.parametrize("name", NAMES)
def test_a_data_set_fits_its_manifest_and_says_what_a_person_must_know(name: str) -> None:
    dataset, parts = find_parts(name)
    manifest = dataset.manifest
    assert [part.name for part in parts] == [part.name for part in dataset.parts()]
    for part in parts:
        assert part.name.startswith(f"{name}-")
        assert find_part(part.name)[1] == part
    if isinstance(dataset, LicensedDataset):
        assert dataset.archives
        assert dataset.steps
        assert {part.name.rpartition("-")[2] for part in parts} <= KINDS_OF_ROWS
    assert manifest.name == name
    assert {path for part in parts for path in part.files} == set(manifest.files)
    for path, file in manifest.files.items():
        assert re.fullmatch("[0-9a-f]{64}", file.sha256), path
        assert file.bytes > 0
        assert file.lines > 0
        if file.url is not None:
            assert re.fullmatch("[0-9a-f]{40}", file.commit or ""), path
            assert file.url == f"{GITHUB}/{file.repository}/{file.commit}/{path}"
    assert manifest.licence
    assert manifest.description.endswith(".")
    assert manifest.homepage.startswith(("http://", "https://"))
    assert re.fullmatch(r"@\w+\{[\w-]+,\n(?:  \w+ = \{.*\},?\n)+\}", manifest.citation), manifest.citation
    page = Path(__file__).parents[2] / "datasets" / "public" / f"{name}.md"
    assert f"fw setup dataset {name}" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_every_address_size_and_sum_is_one_that_was_verified(name: str, shared_path: Callable[[str], Path]) -> None:
    if name == "simplicity-da":  # the list has it not; the files themselves are there
        for file in load_dataset(name).manifest.files.values():
            content = (shared_path("data/simplicity_da") / Path(file.path).name).read_bytes()
            assert (file.bytes, file.sha256) == (len(content), hashlib.sha256(content).hexdigest())
            assert file.lines == len(content.rstrip(b"\n").split(b"\n"))
        return
    verified = {entry["url"]: entry for entry in json.loads(shared_path("golden/datasets.json").read_text("utf-8"))}
    for file in load_dataset(name).manifest.files.values():
        assert file.url is not None
        entry = verified[file.url]
        assert (file.bytes, file.sha256) == (entry["bytes"], entry["sha256"])
        assert file.lines - entry["lines"] in (0, 1), "a last line without an end is not counted there"


ENTRY = {"repository": "a/b", "path": "x", "bytes": 1, "sha256": "0", "lines": 1, "commit": None, "url": None}
BROKEN = [  # content, fragment of the message, why
    ("{", "is not the manifest of a data set", "no JSON"),
    ("{}", "'files'", "nothing in it"),
    ('{"files": [{"path": "x"}]}', "missing", "a file without a sum"),
    ('{"files": []}', "missing", "no licence"),
    (json.dumps({"files": [ENTRY, ENTRY]}), "two files have the same path", "a file twice"),
]


@pytest.mark.parametrize(("content", "fragment", "why"), BROKEN)
def test_a_broken_or_missing_manifest_is_told(content: str, fragment: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(content, encoding="utf-8")
    with pytest.raises(DataError) as caught:
        read_manifest(str(tmp_path / "x.json"))
    assert caught.value.path == str(tmp_path / "x.json")
    assert fragment in str(caught.value), why
    with pytest.raises(DataError, match=rf"y\.json: cannot be read: .*; {NEEDS_ITS_MANIFEST}"):
        read_manifest(str(tmp_path / "y.json"))
