"""``fw setup dataset`` with the published files, and scores against the test sets that come of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from json_files import read_json, read_rows
from web_server import Server

from metrics_framework.datasets.dataset import load_dataset
from metrics_framework.evaluation.external_sort import Run

PLACES = {  # test set: folder of the shared data with its files
    "turkcorpus-test": "turkcorpus/detok",
    "turkcorpus-test-tok": "turkcorpus/tokenized",
    "asset-test": "asset",
    "pwkp-test": "pwkp",
}
SIZES = {"turkcorpus-test": (359, 8), "turkcorpus-test-tok": (359, 8), "asset-test": (359, 10), "pwkp-test": (100, 1)}


@pytest.fixture
def published(web: Server, shared_path: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Serves the published files of a test set as the addresses of its manifest have them."""
    monkeypatch.setenv("FW_DATA_MIRROR", web.url)

    def serve(name: str) -> None:
        dataset = load_dataset(name.partition("-")[0])
        [part] = [part for part in dataset.parts() if part.name == name]
        for path in part.files:
            url = dataset.manifest.files[path].url or ""
            place = shared_path(f"data/{PLACES[name]}/{Path(path).name}")
            web.files[url.removeprefix("https://raw.githubusercontent.com")] = place.read_bytes()

    return serve


@pytest.mark.parametrize("name", PLACES)
def test_a_public_data_set_is_set_up_from_its_published_files(
    name: str, published: Callable[..., None], fw: Run, tmp_path: Path
) -> None:
    published(name)
    result = fw("setup-dataset", name, "out")
    assert result.code == 0, result.err
    assert "Licence: " in result.out
    rows = read_rows(tmp_path / "out" / f"{name}.jsonl")
    assert [row["instance_id"] for row in rows] == [str(number + 1) for number in range(SIZES[name][0])]
    assert {len(row["references"]) for row in rows} == {SIZES[name][1]}


@pytest.mark.parametrize(("name", "form"), [("turkcorpus-test", "detok"), ("turkcorpus-test-tok", "tokenized")])
def test_sari_against_a_test_set_set_up_from_published_files_is_the_published_number(
    name: str, form: str, published: Callable[..., None], fw: Run, shared_path: Callable[[str], Path]
) -> None:
    published(name)
    assert fw("setup-dataset", name).code == 0
    golden = json.loads(shared_path("golden/sari.json").read_text(encoding="utf-8"))["corpus"]
    systems = ("SBMT-SARI", "PBMT-R")
    outputs = [shared_path(f"data/turkcorpus/outputs/{form}/{system}.txt") for system in systems]
    options = {"detok": [], "tokenized": ["--variant", "star"]}[form]
    result = fw("sari", "evaluate", "m.json", "--dataset", name, "--outputs", *outputs, *options)
    assert result.code == 0, result.err
    scores = read_json("m.json")["systems"]
    row = {"detok": "easse", "tokenized": "star_legacy"}[form]
    for system in systems:
        assert scores[system]["sari"] == pytest.approx(golden[f"{form}/{system}"][row]["sari"], rel=1e-9)


def test_the_ratings_of_simplicity_da_correlate_as_those_of_its_tables_do(
    fw: Run, shared_path: Callable[[str], Path], tmp_path: Path
) -> None:
    folder = shared_path("data/simplicity_da")
    assert fw("setup-dataset", "simplicity-da", "--from-dir", folder).code == 0
    place = tmp_path / "home" / "simplicity-da"
    means, single = read_rows(place / "simplicity-da-means.jsonl"), read_rows(place / "simplicity-da-raters.jsonl")
    assert (len(means), len(single)) == (600, 600)
    assert {len(row["metrics"]["simplicity"]) for row in single} == {15}
    words = ["--metrics", "fluency", "simplicity_zscore", "--ci", "none", "--format", "csv"]
    [ours, theirs] = [
        fw("correlate", path, *words) for path in (place / "simplicity-da-means.jsonl", folder / "simplicity_DA.csv")
    ]
    assert (ours.code, theirs.code) == (0, 0), ours.err
    assert ours.out == theirs.out
    average = {key(row): sum(row["metrics"]["simplicity"]) / 15 for row in single}
    for row in means:
        assert average[key(row)] == pytest.approx(row["metrics"]["simplicity"], abs=5e-9)


def key(row: dict[str, Any]) -> tuple[str, str]:
    return row["instance_id"], row["summarizer_id"]
