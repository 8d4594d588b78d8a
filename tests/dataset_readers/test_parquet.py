"""Parquet files have the scores, the errors and the rows of the same outputs in JSON lines."""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from messages import DUPLICATE_OUTPUT

import metrics_framework as fw
from metrics_framework.common.errors import DataError, FwError, Problems
from metrics_framework.data.eval_instance import OutputColumns
from metrics_framework.dataset_readers.dataset_reader import DatasetReader, load_reader
from metrics_framework.dataset_readers.rows_of_fields import DefaultReader
from metrics_framework.io.reading import Piece

pa = pytest.importorskip("pyarrow", reason="the extra 'parquet' is not installed")
pq = pytest.importorskip("pyarrow.parquet")

TEXTS = st.text(st.sampled_from("ab c.é😀\n\u2028"), max_size=12)
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "summary": TEXTS | st.lists(TEXTS, min_size=1, max_size=3),
            "references": st.lists(TEXTS, min_size=1, max_size=3),
            "source": TEXTS | st.none(),
            "more": st.integers(0, 9) | st.none(),
        }
    ),
    min_size=1,
    max_size=12,
)
OUTPUTS = [
    {"instance_id": str(number // 2), "summarizer_id": f"s{number % 2}", "summary": f"a cat {number}"}
    | {"references": ["a dog 1", f"cat {number}"], "source": "a cat sat"}
    for number in range(10)
]


def write(path: Path, rows: list[dict[str, Any]], group: int = 3, schema: Any = None) -> str:
    """Writes rows as Parquet, and beside it as JSON lines."""
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), path, row_group_size=group)
    path.with_suffix(".jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def in_lines(message: str) -> str:
    return re.sub(r"\.parquet:row (\d+)", r".jsonl:\1", message)


def outcome(path: str, *metrics: str, **options: Any) -> Any:
    """Returns the rows and the scores of a file, or its errors, in words that do not depend on the format."""
    lines: list[str] = []
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = fw.evaluate(metrics, files=[path], write=lines.append, **options)
    except FwError as error:
        plain = in_lines(str(error)).replace(".parquet", ".jsonl")
        return re.sub(r"more row(s?): ", r"more line\1: ", plain.replace("first in row", "first on line"))
    messages = [in_lines(str(warning.message)) for warning in caught]
    messages = [message for message in messages if "empty sources" not in message]  # Parquet reads them if needed only
    return "".join(lines), result.metrics, result.systems, result.num_instances, messages


def agree(path: str, *metrics: str, **options: Any) -> Any:
    """Returns the outcome of both formats, which is the same."""
    of_parquet = outcome(path, *metrics, **options)
    assert of_parquet == outcome(path.replace(".parquet", ".jsonl"), *metrics, **options)
    return of_parquet


def is_taken_as_columns(path: str, *fields: str) -> bool:
    problems = Problems()
    batches = load_reader("default").columns_of(Piece(path, "s"), problems, fields, 4)
    assert batches is not None
    found = list(batches)
    problems.raise_any()
    return all(isinstance(batch, OutputColumns) for batch in found)


@settings(max_examples=15)
@given(rows=ROWS, group=st.integers(1, 5))
def test_any_rows_have_the_outcome_of_json_lines(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, Any]], group: int
) -> None:
    is_list = [isinstance(row["summary"], list) for row in rows]
    if any(is_list):
        for row in rows:  # a column has one type
            row["summary"] = row["summary"] if isinstance(row["summary"], list) else [row["summary"]]
    ids = [{"instance_id": number, "summarizer_id": "s"} for number in range(len(rows))]
    names = ("summary", "references", "source", "more")
    numbered = [of_row | {name: row[name] for name in names} for of_row, row in zip(ids, rows, strict=True)]
    path = write(tmp_path_factory.getbasetemp() / "any.parquet", numbered, group)
    agree(path, "ter")
    agree(path, "sari")


@pytest.mark.parametrize(
    ("metric", "jobs"), [("ter", 1), ("ter", 2), ("sari:variant=hf", 1), ("bleu", 2), ("sent-bleu", 1)]
)
def test_real_texts_have_the_same_rows(tmp_path: Path, metric: str, jobs: int) -> None:
    source = Path(__file__).parents[2] / "datasets" / "simplification" / "outputs.jsonl"
    rows = [json.loads(line) for line in source.read_text(encoding="utf-8").splitlines()]
    path = write(tmp_path / "real.parquet", rows, 20)
    agree(path, metric, jobs=jobs)


CASES = [  # what replaces fields of the fifth row, and why
    ({"summary": None}, "a text is missing"),
    ({"references": None}, "all references are missing"),
    ({"references": []}, "there are no references"),
    ({"instance_id": None}, "an id is missing"),
    ({"instance_id": ""}, "an id is empty"),
    ({"summarizer_id": None}, "a system is missing"),
    ({"instance_id": "1", "summarizer_id": "s0"}, "a duplicate"),
    ({"references": ["a", None]}, "one of several references is missing"),
    ({"summary": ""}, "an empty output"),
]


@pytest.mark.parametrize(("replaced", "why"), CASES)
def test_unusual_values_have_the_words_of_json_lines(tmp_path: Path, replaced: dict[str, Any], why: str) -> None:
    rows = [*OUTPUTS[:4], {**OUTPUTS[4], **replaced}, *OUTPUTS[5:]]
    agree(write(tmp_path / "x.parquet", rows), "ter")


@pytest.mark.parametrize("name", ["summary", "references", "instance_id", "source"])
def test_columns_of_other_types_are_named_with_their_rows(tmp_path: Path, name: str) -> None:
    found = agree(write(tmp_path / "x.parquet", [{**row, name: 1.5} for row in OUTPUTS]), "sari")
    assert "x.jsonl:1, 2, 3 and 7 more lines: " in found
    assert f"'{name}" in found


@pytest.mark.filterwarnings("ignore:references that differ")
def test_usual_types_names_and_forms_are_taken_as_columns(tmp_path: Path) -> None:
    text, texts = pa.dictionary(pa.int32(), pa.string()), pa.large_list(pa.large_string())
    objects = [
        {**row, "summary": {"text": row["summary"]}, "references": [{"text": text} for text in row["references"]]}
        for row in OUTPUTS
    ]
    others = [{"sent_id": 1, "system_id": "s", "prediction": "a cat", "reference": "a dog"}]
    more = [{**row, "source": 5, "vector": [1.0] * 4, "more": {"a": None}} for row in OUTPUTS]
    for rows in (objects, others):
        path = write(tmp_path / "x.parquet", rows)
        assert is_taken_as_columns(path, "summary", "references")
        agree(path, "ter")
    path = write(tmp_path / "x.parquet", more)
    assert is_taken_as_columns(path, "summary", "references"), "only needed columns are read"
    fw.evaluate("ter", files=[path])
    agree(write(tmp_path / "y.parquet", [*objects[:4], {**objects[4], "summary": {"text": None}}, *objects[5:]]), "ter")
    schemas = [
        None,
        pa.schema({"instance_id": pa.int64(), "summarizer_id": text, "summary": text, "references": texts}),
        pa.schema({"instance_id": pa.uint8(), "summary": pa.large_string(), "references": pa.list_(pa.string())}),
    ]
    if hasattr(pa, "string_view"):
        schemas.append(pa.schema({"instance_id": pa.string_view(), "summary": pa.string_view(), "references": texts}))
    for schema in schemas:
        rows = [{**row, "instance_id": number} for number, row in enumerate(OUTPUTS)]
        if schema is not None and not pa.types.is_integer(schema.field("instance_id").type):
            rows = [{**row, "instance_id": str(row["instance_id"])} for row in rows]
        if schema is not None:
            rows = [{name: row[name] for name in schema.names} for row in rows]
        path = write(tmp_path / "x.parquet", rows, schema=schema)
        assert is_taken_as_columns(path, "summary", "references")
        agree(path, "ter")


def test_numbered_references_are_collected_without_missing_ones(tmp_path: Path) -> None:
    rows = [
        {"instance_id": str(number), "summary": "a cat", "reference_0": "a dog", "reference_1": other}
        for number, other in enumerate(["a cat", None, ""])
    ]
    path = write(tmp_path / "x.parquet", rows)
    assert is_taken_as_columns(path, "summary", "references")
    lines = agree(path, "ter")[0].splitlines()
    assert [json.loads(line)["metrics"]["ter"] for line in lines] == [0.0, 50.0, 50.0]
    agree(write(tmp_path / "y.parquet", [{**row, "reference": "a"} for row in rows]), "ter")
    agree(write(tmp_path / "z.parquet", [{**row, "reference_0": None, "reference_1": None} for row in rows]), "ter")


def test_two_names_of_a_field_are_an_error_of_the_file(tmp_path: Path) -> None:
    path = write(tmp_path / "x.parquet", [{**OUTPUTS[0], "prediction": "a"}])
    with pytest.raises(DataError, match=r"x\.parquet: 'summary' and 'prediction' both name the output"):
        fw.evaluate("ter", files=[path])
    path = write(tmp_path / "x.parquet", [{**OUTPUTS[0], "Summary ": "a"}])
    with pytest.raises(DataError, match=r"x\.parquet: 'summary' and 'Summary ' both name the output"):
        fw.evaluate("ter", files=[path])


@pytest.mark.filterwarnings("ignore:references that differ")
def test_files_of_both_formats_are_read_together(tmp_path: Path) -> None:
    a = write(tmp_path / "a.parquet", [{k: v for k, v in row.items() if k != "summarizer_id"} for row in OUTPUTS[::2]])
    b = write(tmp_path / "b.parquet", [{k: v for k, v in row.items() if k != "summarizer_id"} for row in OUTPUTS[1::2]])
    both = [a.replace("parquet", "jsonl"), b.replace("parquet", "jsonl")]
    expected = fw.evaluate("ter", files=both)
    for files in ([a, both[1]], [a, b], [both[0], b]):
        for jobs in (1, 2):
            found = fw.evaluate("ter", files=files, jobs=jobs)
            assert (found.systems, list(found.systems)) == (expected.systems, ["a", "b"])


def test_duplicates_are_found_across_row_groups(tmp_path: Path) -> None:
    path = write(tmp_path / "x.parquet", [*OUTPUTS, OUTPUTS[2]])
    for jobs in (1, 2):
        with pytest.raises(DataError, match=rf"row 11: {DUPLICATE_OUTPUT} 's0' for input '1' \(first in row 3\)"):
            fw.evaluate("ter", files=[path], jobs=jobs)
    agree(path, "ter", duplicates="first")
    agree(path, "ter", duplicates="last")


def test_pieces_are_ranges_of_row_groups(tmp_path: Path) -> None:
    path = write(tmp_path / "x.parquet", OUTPUTS, 2)
    reader = load_reader("default")
    for size in (1, 700, 10**9):
        found, before, problems = [], 0, Problems()
        pieces = reader.pieces([path], size)
        assert pieces is not None
        for piece in pieces:
            found += [(before + (row.line or 0), row.instance_id) for row in reader.instances_of(piece, problems)]
            rows = piece.lines
            piece.lines = 0
            list(reader.columns_of(piece, problems, ["summary"], 3) or ())
            assert piece.lines == rows
            before += rows
        assert found == [(number, row["instance_id"]) for number, row in enumerate(OUTPUTS, 1)]
    assert len(reader.pieces([path], 1) or ()) == 5


def test_a_metric_gets_any_column_it_needs_and_a_subclass_that_changes_rows_reads_rows(tmp_path: Path) -> None:
    class Upper(DefaultReader):
        def fields(self, row: Any) -> dict[str, Any]:
            assert row["more"] == {"a": [1, 2]}  # nested values are kept for plug-ins
            return {**super().fields(row), "summary": row["summary"].upper()}

    path = write(tmp_path / "x.parquet", [{**row, "more": {"a": [1, 2]}} for row in OUTPUTS])
    reader: DatasetReader = Upper()
    assert reader.columns_of(Piece(path, "s"), Problems(), ["summary"], 9) is None
    assert {row.fields["summary"] for row in reader.read(path)} == {f"A CAT {number}" for number in range(10)}
    batch = next(load_reader("default").columns_of(Piece(path, "s"), Problems(), ["more"], 4) or iter(()))
    assert isinstance(batch, OutputColumns)
    assert (batch.names, batch.column("more")) == (["more"], [{"a": [1, 2]}] * 3)
    agree(path, "ter")


def test_files_of_pandas_and_polars_are_read(tmp_path: Path) -> None:
    expected = outcome(write(tmp_path / "x.parquet", OUTPUTS), "sari")
    pandas = pytest.importorskip("pandas")
    pandas.DataFrame(OUTPUTS).astype({"summarizer_id": "category"}).iloc[::-1].iloc[::-1].to_parquet(
        tmp_path / "x.parquet"
    )
    assert outcome(str(tmp_path / "x.parquet"), "sari") == expected
    polars = pytest.importorskip("polars")
    polars.DataFrame(OUTPUTS).write_parquet(tmp_path / "x.parquet")
    assert outcome(str(tmp_path / "x.parquet"), "sari") == expected
