"""`load_test_set`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from messages import SET_UP_WITH
from tiny_dataset import REFERENCES, ROWS, SOURCES

import metrics_framework as fw
from metrics_framework.common.errors import DataErrors, UnknownNameError
from metrics_framework.common.logs import Log
from metrics_framework.datasets.dataset import find_parts
from metrics_framework.datasets.set_up import set_up
from metrics_framework.io.jsonl import to_line


def written(tmp_path: Path, *lines: str) -> str:
    (tmp_path / "set.jsonl").write_text("".join(lines), encoding="utf-8")
    return str(tmp_path / "set.jsonl")


def test_a_test_set_has_sources_and_references_side_by_side(tmp_path: Path) -> None:
    found = fw.load_test_set(written(tmp_path, *map(to_line, ROWS)))
    assert found.instance_ids == ["1", "2", "3"]
    assert found.sources == SOURCES
    assert found.references_list == REFERENCES
    score = fw.load("sari").evaluate(["A cat sat.", "It was night.", "Dogs."], found.references_list, found.sources)
    assert score[0]["sari"] > 0
    line = '{"sent_id": 7, "orig_sent": {"text": ["A cat.", "It sat."]}, "references": [{"text": "A cat sat."}]}\n'
    found = fw.load_test_set(written(tmp_path, line))
    assert found == (["7"], [["A cat.", "It sat."]], [["A cat sat."]])
    assert fw.load_test_set(written(tmp_path, '{"instance_id": "1", "source": "a"}\n')).references_list == [[]]
    with pytest.raises(UnknownNameError, match="did you mean 'asset-test'"):
        fw.load_test_set("asset-tset")


def test_a_test_set_that_is_set_up_goes_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shared_path: Callable[[str], Path]
) -> None:
    monkeypatch.setenv("FW_DATA", str(tmp_path))
    with pytest.raises(fw.DataError, match=f"{SET_UP_WITH}: fw setup dataset pwkp-test"):
        fw.load_test_set("pwkp-test")
    dataset, parts = find_parts("pwkp-test")
    set_up(dataset, parts, None, Log(silent=True), str(shared_path("data/pwkp")))
    found = fw.load_test_set("pwkp-test")
    assert (len(found.sources), len(found.references_list)) == (100, 100)


BROKEN = [  # line, fragment of the message, why
    ('{"source": "a"}', "'instance_id' is missing", "no id"),
    ('{"instance_id": "1"}', "'source' is missing", "no source"),
    ('{"instance_id": "1", "source": 3}', "'source' is the number 3, not a text", "no text"),
    (
        '{"instance_id": "1", "source": "a", "references": [3]}',
        "is the number 3, not a text",
        "no text among the references",
    ),
    (
        '{"instance_id": "1", "source": "a", "references": "b"}',
        "'references' must be a non-empty list",
        "one reference, bare",
    ),
    ('{"instance_id": "1", "source": "a", "summary": "b"}', "a test set must have no outputs", "outputs"),
    ("{", "is not JSON", "no JSON"),
]


@pytest.mark.parametrize(("line", "fragment", "why"), BROKEN)
def test_a_row_that_does_not_fit_is_told_with_its_place(line: str, fragment: str, why: str, tmp_path: Path) -> None:
    path = written(tmp_path, to_line(ROWS[0]), line + "\n")
    with pytest.raises(fw.DataError) as caught:
        fw.load_test_set(path)
    assert (caught.value.path, caught.value.line) == (path, 2), why
    assert fragment in str(caught.value), why


def test_all_bad_rows_are_told_together(tmp_path: Path) -> None:
    path = written(tmp_path, '{"source": "a"}\n', to_line(ROWS[0]), "{\n", '{"instance_id": "1"}\n')
    with pytest.raises(DataErrors) as caught:
        fw.load_test_set(path)
    assert [(problem.path, problem.line) for problem in caught.value.problems] == [(path, 1), (path, 3), (path, 4)]
