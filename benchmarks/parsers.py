"""Parsers of rows: twice the rows, twice the columns or a cell of twice the length take at most 2.5 times as long.

Run: python benchmarks/parsers.py [--size N]
"""

from __future__ import annotations

import argparse
import csv
import gc
import io
import json
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from metrics_framework.common.errors import Problems
from metrics_framework.inputs.tables import read_rows

LIMIT = 2.5
REPETITIONS = 5
DOUBLINGS = 3
"""The ratio is the mean of three doublings, because a single one may be that at which data leave a cache of the CPU."""
Cells = Sequence[dict[str, Any]]


def delimited(path: Path, rows: Cells, delimiter: str) -> None:
    """Writes a text table."""
    stream = io.StringIO()
    writer = csv.DictWriter(stream, [*rows[0]], delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    path.write_text(stream.getvalue(), encoding="utf-8")


def in_utf_16(path: Path, rows: Cells) -> None:
    """Writes a table as Excel does."""
    delimited(path, rows, "\t")
    path.write_text(path.read_text(encoding="utf-8"), encoding="utf-16")


def with_index(path: Path, rows: Cells) -> None:
    """Writes a table with the index of pandas and an empty column."""
    delimited(path, [{"": number, **row, " ": ""} for number, row in enumerate(rows)], ",")


def columns(path: Path, rows: Cells) -> None:
    """Writes an object of columns."""
    path.write_text(json.dumps({name: [row[name] for row in rows] for name in rows[0]}))


def arrow(path: Path, rows: Cells, *, parquet: bool) -> None:
    """Writes Arrow or Parquet."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.Table.from_pylist(list(rows))
    if parquet:
        pq.write_table(table, path)
        return
    with pa.ipc.new_file(str(path), table.schema) as writer:
        writer.write_table(table)


def workbook(path: Path, rows: Cells) -> None:
    """Writes an Excel workbook."""
    import openpyxl

    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet()
    for row in ([*rows[0]], *(list(row.values()) for row in rows)):
        sheet.append(row)
    book.save(path)


def label_studio(path: Path, rows: Cells) -> None:
    """Writes tasks, of which each column is an answer."""
    tasks = []
    for row in rows:
        result = [{"from_name": name, "value": {"rating": value}} for name, value in row.items()]
        tasks.append({"id": row["id"], "data": {}, "annotations": [{"id": 1, "completed_by": 1, "result": result}]})
    path.write_text(json.dumps(tasks))


def form(path: Path, rows: Cells) -> None:
    """Writes a form of Google, with a person in each row and an item in each column."""
    names = {name: f"{name} [Quality]" for name in rows[0]}
    delimited(path, [{names[name]: value for name, value in row.items()} for row in rows], ",")


PARSERS: dict[str, Callable[[Path, Cells], object]] = {
    "JSON lines": lambda path, rows: path.write_text("".join(json.dumps(row) + "\n" for row in rows)),
    "JSON array": lambda path, rows: path.write_text(json.dumps(rows)),
    "JSON over lines": lambda path, rows: path.write_text(json.dumps(rows, indent=1)),
    "JSON columns": columns,
    "CSV": lambda path, rows: delimited(path, rows, ","),
    "CSV with an index": with_index,
    "CSV with ;": lambda path, rows: delimited(path, rows, ";"),
    "TSV": lambda path, rows: delimited(path, rows, "\t"),
    "TSV in UTF-16": in_utf_16,
    "Parquet": lambda path, rows: arrow(path, rows, parquet=True),
    "Arrow": lambda path, rows: arrow(path, rows, parquet=False),
    "Excel": workbook,
    "Label Studio": label_studio,
    "Google Forms": form,
}


def table(rows: int, width: int, length: int) -> Cells:
    """Returns rows of an id and cells of one letter, repeated."""
    return [{"id": number, **{f"c{column}": "x" * length for column in range(width)}} for number in range(rows)]


def seconds(path: Path) -> float:
    """Returns the shortest CPU time in which the rows of a file are read."""
    times = []
    gc.disable()  # its passes do not grow with the input alone
    for _ in range(REPETITIONS):
        start = time.process_time()
        problems = Problems()
        read = sum(1 for _ in read_rows(str(path), problems))
        times.append(time.process_time() - start)
        assert read
        assert not problems
    return min(times)


def growth(size: int, folder: Path) -> Iterator[tuple[str, str, float, float]]:
    """Yields parser, what is doubled, seconds and the ratio of seconds."""
    shapes = {"rows": (size // 4, 4, 5), "columns": (4, size // 2, 5), "length": (4, 4, 10 * size)}
    for parser, write in PARSERS.items():
        for what, (rows, width, length) in shapes.items():
            if (parser, what) in (("Excel", "length"), ("Excel", "columns")) and size > 800:
                continue  # a workbook has at most 16,384 columns and 32,767 characters in a cell
            times = []
            for factor in (1, 2**DOUBLINGS):
                doubled = {name: factor if name == what else 1 for name in shapes}
                path = folder / "table"
                write(path, table(rows * doubled["rows"], width * doubled["columns"], length * doubled["length"]))
                times.append(seconds(path))
            yield parser, what, times[0], (times[1] / max(times[0], 1e-9)) ** (1 / DOUBLINGS)


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=10_000, help="rows, columns, and a 20th of the length of a cell")
    with tempfile.TemporaryDirectory() as folder:
        print(f"{'parser':20}{'twice the':12}{'seconds':>9}{'ratio':>8}")
        for name, what, least, ratio in growth(parser.parse_args().size, Path(folder)):
            print(f"{name:20}{what:12}{least:9.4f}{ratio:8.2f}{'  above the limit' if ratio > LIMIT else ''}")


if __name__ == "__main__":
    main()
