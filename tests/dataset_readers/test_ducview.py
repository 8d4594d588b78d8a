"""The reader ``ducview``, as a user runs it."""

from __future__ import annotations

from pathlib import Path

import pytest
from ducview_files import annotation_file, pyramid_file
from messages import UNITS_OF_THE_PYRAMID

import metrics_framework as fw
from metrics_framework.common.errors import DataErrors


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    contents = {
        "114.D0601.M.250.J.5.pan": annotation_file("A cat sat.", {1: ["A cat sat"], 2: []}),
        "114.D0601.M.250.J.6.pan": annotation_file("It sat on the mat.", {2: ["on the mat"]}),
        "D0601.pyr": pyramid_file(),
    }
    for name, content in contents.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    return [tmp_path / name for name in contents]


def test_the_files_are_scored_like_json(files: list[Path]) -> None:
    result = fw.evaluate(files=files, reader="ducview", metrics="pyramid-score")
    # weights 2 and 1, 3 / 2 = 2 units: an ideal weight of 3; without B, only unit 1 remains
    scores = {name: scores["modified_pyramid_score"] for name, scores in result.systems.items()}
    assert scores == {"5": pytest.approx(2 / 3), "6": pytest.approx(1 / 3), "B": 1.0, "C": 0.5}


def test_the_pyramid_in_an_annotation_stands_in_for_a_missing_one(files: list[Path]) -> None:
    instances = list(fw.load_reader("ducview", include_reference_annotations=False).read(list(map(str, files[:2]))))
    assert [(one.instance_id, one.summarizer_id) for one in instances] == [("D0601", "5"), ("D0601", "6")]


def test_the_problems_of_all_files_are_reported(files: list[Path]) -> None:
    files[0].write_text("<pyramid>", encoding="utf-8")
    files[1].write_text(annotation_file("A cat.", {7: ["cat"]}), encoding="utf-8")
    with pytest.raises(DataErrors) as caught:
        list(fw.load_reader("ducview").read(list(map(str, files))))
    assert [problem.path for problem in caught.value.problems] == list(map(str, files[:2]))
    assert f"'scus' {UNITS_OF_THE_PYRAMID} at " in str(caught.value)


def test_a_second_pyramid_is_refused(files: list[Path], tmp_path: Path) -> None:
    (tmp_path / "D0601.xml").write_text(pyramid_file(), encoding="utf-8")
    with pytest.raises(fw.DataError, match=r"duplicate pyramid of 'D0601' \(first in .*D0601.pyr\)"):
        list(fw.load_reader("ducview").read([*map(str, files), str(tmp_path / "D0601.xml")]))


def test_the_files_can_be_visualized(files: list[Path]) -> None:
    page = fw.visualize_pyramid(files, reader="ducview")
    assert page.data["notes"] == []
    (pyramid,) = page.data["pyramids"]
    assert [segment["text"] for segment in pyramid["models"][0]["segments"]] == ["The cat sat", " ", "on the mat", "."]
