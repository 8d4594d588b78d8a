"""Pictures as PNG and PDF, and the charts they are made of."""

from __future__ import annotations

import math
import re
import sys
import xml.etree.ElementTree as ElementTree
import zlib
from pathlib import Path
from typing import Any

import pytest

from metrics_framework.common.errors import FwError, MissingExtraError
from metrics_framework.common.installation import install_extra
from metrics_framework.reports.charts import (
    BEST,
    TIED,
    WORSE,
    Group,
    Row,
    Verdict,
    VerdictColumn,
    forest,
    p_value_matrix,
    rank_chart,
    step_curve,
    verdict_matrix,
)
from metrics_framework.reports.pictures import check_converter, converted, is_picture
from metrics_framework.reports.svg import document
from metrics_framework.significance.multiple_testing import Rank

HOSTILE = '<script>alert("x")</script>\x1b[2J & \u202e'

SVG = "{http://www.w3.org/2000/svg}"


def a_forest(name="sari"):
    rows = [Row(name, 0.3, 0.2, 0.4), Row("without interval", 0.1), Row("undefined", math.nan)]
    return forest("Title", "subtitle", [Group("global", rows, 0.5, "one rater")], "Pearson r")


CHARTS = {
    "forest": a_forest,
    "matrix": lambda name="a": p_value_matrix("T", "s", [name, "b", "c"], [[0, 0.01, 0.2], [0, 0, math.nan], [0] * 3]),
    "ranks": lambda name="a": rank_chart("T", "s", [(name, Rank(1, 1, 2)), ("b", Rank(2, 1, 2))]),
    "curve": lambda name="a": document(
        "T", "s", [step_curve(name, "", ("ε", "accuracy"), [(0.0, 0.5), (1.0, 0.6), (2.0, 0.4)], (1.0, 0.6))]
    ),
}


@pytest.mark.parametrize("chart", CHARTS)
def test_charts_are_well_formed_and_show_hostile_names_as_text(chart: Any) -> None:
    written = CHARTS[chart](HOSTILE)
    assert ElementTree.fromstring(written).tag.endswith("svg")
    assert "<script" not in written
    assert "\x1b" not in written
    assert CHARTS[chart](HOSTILE) == written


@pytest.mark.parametrize("chart", CHARTS)
def test_charts_show_controls_of_the_direction_and_isolate_text_written_from_right_to_left(chart: Any) -> None:
    written = CHARTS[chart]("a\u202eb")
    assert "\u202e" not in written
    assert "a\\u202eb" in written
    assert "\u2068שלום" in CHARTS[chart]("שלום")


def test_a_forest_lists_undefined_estimates_without_a_point() -> None:
    root = ElementTree.fromstring(a_forest())
    points = [one for one in root.iter() if one.get("class") == "point"]
    ranges = [one for one in root.iter() if one.get("class") == "range"]
    texts = [one.text for one in root.iter() if one.tag.endswith("text")]
    assert (len(points), len(ranges)) == (2, 1)
    assert texts.count("undefined") == 2  # its label, and its value
    assert "one rater 0.500" in texts


def test_a_matrix_shows_each_pair_once_and_marks_the_significant_ones() -> None:
    root = ElementTree.fromstring(CHARTS["matrix"]())
    texts = [one.text for one in root.iter() if one.tag.endswith("text")]
    assert [shown for shown in texts if shown in ("0.010", "0.200")] == ["0.010", "0.200"]
    assert [one.text for one in root.iter() if one.get("class") == "strong on middle"] == ["0.010"]
    assert len([one for one in root.iter() if one.get("class") == "empty"]) == 1


@pytest.fixture
def _cairo() -> None:
    """Skips a test where pictures cannot be converted."""
    try:
        check_converter("plot.png")
    except FwError as error:
        pytest.skip(str(error))


@pytest.mark.slow
@pytest.mark.usefixtures("_cairo")
def test_png_and_pdf_files_are_recognized_as_results(tmp_path: Path) -> None:
    for kind, start in (("png", b"\x89PNG"), ("pdf", b"%PDF")):
        path = tmp_path / f"a.{kind}"
        path.write_bytes(converted(a_forest(), kind))
        assert path.read_bytes().startswith(start)
        assert is_picture(str(path))
    (tmp_path / "other.png").write_bytes(b"\x89PNG of another program")
    assert not is_picture(str(tmp_path / "other.png"))
    assert not is_picture(str(tmp_path / "missing.png"))


@pytest.mark.slow
@pytest.mark.usefixtures("_cairo")
def test_the_png_has_valid_chunks(tmp_path: Path) -> None:
    png, position, kinds = converted(a_forest(), "png"), 8, []
    while position < len(png):
        length = int.from_bytes(png[position : position + 4], "big")
        chunk = png[position + 4 : position + 8 + length]
        assert zlib.crc32(chunk) == int.from_bytes(png[position + 8 + length : position + 12 + length], "big")
        kinds.append(chunk[:4])
        position += 12 + length
    assert kinds[:2] == [b"IHDR", b"tEXt"]
    assert kinds[-1] == b"IEND"


def test_a_missing_converter_is_reported_with_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cairosvg", None)
    check_converter("plot.svg")
    with pytest.raises(MissingExtraError, match=re.escape(install_extra("pictures"))):
        check_converter("plot.png")


def test_a_matrix_marks_verdicts_in_words_shades_and_a_dagger() -> None:
    values = [Verdict("0.9", BEST, "good: 0.9, best"), Verdict("0.8", TIED), Verdict("0.1", WORSE), Verdict("")]
    chart = verdict_matrix("T", "s", ["good", "fair", "bad", "none"], [VerdictColumn("human", "r", values)])
    tree = ElementTree.fromstring(chart)
    texts = [one.text for one in tree.iter(f"{SVG}text")]
    assert texts[:2] == ["T", "s"]
    assert {"0.9", "0.8 †", "0.1", "good", "r"} <= {*texts}
    shades = [one.get("fill-opacity") for one in tree.iter(f"{SVG}rect") if one.get("class") == "cell"]
    assert shades == [None, "0.32", "0.06"]
    assert [one.get("class") for one in tree.iter(f"{SVG}rect")][-1] == "empty"
    assert "human" in texts, "a single group has a heading, so that a picture names its rating"
    two = verdict_matrix("T", "s", ["good"], [VerdictColumn(name, "r", [Verdict("1")]) for name in ("human", "other")])
    assert {"human", "other"} <= {one.text for one in ElementTree.fromstring(two).iter(f"{SVG}text")}
