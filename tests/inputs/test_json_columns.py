"""JSON lines as columns: the same outputs and problems as row by row."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from metrics_framework.common.errors import Problems
from metrics_framework.data.eval_instance import OutputColumns
from metrics_framework.dataset_readers import row_reader as json_columns
from metrics_framework.dataset_readers.dataset_reader import load_reader
from metrics_framework.evaluation.checked_input import batches_of_piece
from metrics_framework.io.reading import Piece

pytestmark = pytest.mark.usefixtures("kernels")  # the native decoder reads what it can; without it, Python reads all

USUAL = {"instance_id": "1", "summarizer_id": "s", "summarizer_type": "peer", "source": "a", "summary": "b"}
VALUES: list[Any] = [
    *("", "é\ud83d", "a: b", 7, -1, 2.5, True, None, {}, {"text": "a"}),
    *([], ["a"], ["a", "b"], [["a"]], [1]),
]
NAMES = [
    *USUAL,
    *("references", "reference", "ref_1", "documents", "document", "system", "id", "output", "note", "Summary", ""),
]
ODD_LINES = [
    "", " ", "{", "[", "[1]", "null", '{"a": 1}}', '{"instance_id": "1", "instance_id": "2"}', "\ufeff{}", "{'a': 1}",
    '{"instance_id": 1, "summary": "\\ud800", "references": ["x"]}', '{"instance_id": NaN}', '{"a": "\x01"}', "\t{}",
    '{"instance_id": "1", "note": {"a": 1, "a": 2}}', ' {"instance_id": "2", "summary": "b", "references": ["c"]}',
    '{"instance_id": 123456789012345678901234567890, "summary": "b"}', '{"instance_id": "1", "summary": "b"}\r',
]  # fmt: skip


def row(number: int, changes: dict[str, Any]) -> str:
    return json.dumps({**USUAL, "references": ["c", "d"], "instance_id": str(number), **changes})


LINES = st.one_of(
    st.builds(row, st.integers(0, 9), st.just({})),
    st.builds(row, st.integers(0, 9), st.dictionaries(st.sampled_from(NAMES), st.sampled_from(VALUES), max_size=2)),
    st.dictionaries(st.sampled_from(NAMES), st.sampled_from(VALUES)).map(json.dumps),
    st.sampled_from(ODD_LINES),
    st.tuples(st.integers(0, 80), st.characters(codec="utf-8")).map(lambda cut: row(1, {})[: cut[0]] + cut[1]),
)
FILES = st.one_of(st.lists(LINES, max_size=12), st.builds(lambda line, count: [line] * count, LINES, st.integers(1, 9)))


def outcome(path: str, size: int, row_by_row: bool) -> tuple[Any, ...]:
    """Reads a file; returns its outputs and its problems."""
    reader, piece, problems = load_reader("default"), Piece(path, "s"), Problems()
    if row_by_row:
        batches = [list(reader.instances_of(piece, problems))]
    else:
        batches = [list(batch.instances) for batch in batches_of_piece(reader, piece, problems, None, size)]
        assert max(map(len, batches), default=0) <= size
    shown = [(repr(instance), list(instance.fields)) for batch in batches for instance in batch]
    return shown, list(map(str, problems.kept)), problems.count, piece.lines, piece.stopped


def kinds(path: Path, *lines: str) -> list[bool]:
    """Writes lines; returns for each batch of two whether it came as columns."""
    path.write_text("\n".join(lines))
    columns = load_reader("default").columns_of(Piece(str(path), "s"), Problems(), None, 2)
    assert columns is not None
    return [isinstance(batch, OutputColumns) for batch in columns]


@example([row(0, {"document": ["a"]})], 1, b"")
@example(['{"instance_id": []}'] * 2, 1, b"")  # no log of Pearmut, although all members are lists of entries
@given(FILES, st.integers(1, 4), st.sampled_from([b"", b"\n", b"\n\xff\n"]))
@pytest.mark.parametrize("at_a_time", [1, 2, 128])
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_outputs_and_problems_are_those_of_rows(
    tmp_path: Path, at_a_time: int, lines: list[str], size: int, end: bytes
) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes("\n".join(lines).encode("utf-8", "surrogatepass") + end)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_columns, "ROWS_AT_A_TIME", at_a_time)
        as_columns = outcome(str(path), size, row_by_row=False)
    assert as_columns == outcome(str(path), size, row_by_row=True)


def test_usual_rows_are_columns(tmp_path: Path) -> None:
    path, rows = tmp_path / "rows.jsonl", [row(number, {}) for number in range(6)]
    assert kinds(path, *rows[:5]) == [True, True, True]
    assert kinds(path, *rows[:2], "{", *rows[3:]) == [True, True, True]
    unusual: list[dict[str, Any]] = [{"summary": ["b"]}, {"references": [["c"]]}]
    for change in (*unusual, {"reference": "c"}, {"reference": ["c"]}, {"ref_1": "c"}):
        found = kinds(path, *rows[:3], row(3, {**change, "references": None}), rows[4])
        assert found[0] is True
        assert found[2:] in ([True], [])


def test_a_field_without_a_name_is_kept_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(row(0, {"": "a"}) + "\n" + row(1, {"": "b"}))
    columns = next(iter(load_reader("default").columns_of(Piece(str(path), "s"), Problems(), None, 2) or []))
    assert isinstance(columns, OutputColumns)
    assert columns.column("") == ["a", "b"]


def test_tables_and_readers_with_own_fields_have_no_columns(tmp_path: Path) -> None:
    piece = Piece(str(tmp_path / "rows.jsonl"), "s")
    assert load_reader("reference-based").columns_of(piece, Problems(), None, 2) is None
    assert load_reader("default").columns_of(Piece("rows.csv", "s"), Problems(), None, 2) is None
