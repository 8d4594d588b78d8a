"""``--columns``, ``--where`` and rows without ids, in every format and in every command that reads rows.

Each run must have the result of the same command on plain rows, which were renamed, numbered and left out by hand.
"""

from __future__ import annotations

import csv
import gzip
import json
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from json_files import read_json, write_json
from messages import NEEDS_ROWS
from samples import sampled

from metrics_framework.dataset_readers.dataset_reader import load_reader
from metrics_framework.inputs.row_view import parsed_columns, parsed_conditions

Run = Callable[..., Any]
Rows = list[dict[str, Any]]
SYSTEMS = ("ours", "theirs")
COLUMNS = "--columns summary=generated,references=gold_a+gold_b,source=article"
WHERE = "--where split=dev --where year!=2019"
TEXTS = ("the cat sat on the mat", "a dog ran far away", "birds sing", "the old house is red", "we ate rice today")


def own_rows(system: str) -> Rows:
    """Returns rows with names and conditions of their own, in which the second reference may be missing."""
    shift = SYSTEMS.index(system)
    return [
        {
            "generated": TEXTS[(number + shift) % 5],
            "gold_a": TEXTS[number % 5] + " too",
            "gold_b": TEXTS[number % 3] if number % 4 else "",
            "article": TEXTS[number % 5],
            "split": ("dev", "dev", "test")[number % 3],
            "year": 2018 + number % 4,
            "doc": f"d{number // 2}",
        }
        for number in range(24)
    ]


def plain_rows(system: str, *, filtered: bool = True) -> Rows:
    """Returns the same rows under the names of fields, without those that do not meet the conditions."""
    return [
        {
            "instance_id": number,
            "summarizer_id": system,
            "summary": row["generated"],
            "references": [text for text in (row["gold_a"], row["gold_b"]) if text],
            "source": row["article"],
            "split": row["split"],
            "doc": row["doc"],
        }
        for number, row in enumerate(own_rows(system), 1)
        if not filtered or (row["split"] == "dev" and row["year"] != 2019)
    ]


def write_lines(path: str, rows: Rows, between: str = "") -> None:
    Path(path).write_text(between.join(json.dumps(row) + "\n" for row in rows))


def write_table(path: str, rows: Rows) -> None:
    with open(path, "w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, delimiter="\t" if path.endswith(".tsv") else ",")
        writer.writerows([list(rows[0]), *(list(row.values()) for row in rows)])


def write_parquet(path: str, rows: Rows) -> None:
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pyarrow.Table.from_pylist(rows), path, row_group_size=5)


FORMATS: dict[str, Callable[[str, Rows], None]] = {
    "jsonl": write_lines,
    "csv": write_table,
    "tsv": write_table,
    "parquet": write_parquet,
    "jsonl.gz": lambda path, rows: Path(path).write_bytes(
        gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode())
    ),
}


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    """Writes the rows of both systems in a format, and returns the files as words of a command."""
    monkeypatch.chdir(tmp_path)
    for system in SYSTEMS:
        write_lines(f"{system}.plain.jsonl", plain_rows(system))
        write_lines(f"{system}.all.jsonl", plain_rows(system, filtered=False))

    def written(format: str) -> str:
        for system in SYSTEMS:
            FORMATS[format](f"{system}.{format}", own_rows(system))
        return " ".join(f"{system}.{format}" for system in SYSTEMS)

    return written


PLAIN = "ours.plain.jsonl theirs.plain.jsonl"


@pytest.fixture
def run(fw: Run) -> Run:
    """Runs ``fw`` with the words of a text."""
    return lambda text: fw(*text.split())


def scores(path: str) -> list[tuple[Any, ...]]:
    rows = map(json.loads, Path(path).read_text().splitlines())
    return [(row["instance_id"], row["summarizer_id"], row["metrics"]) for row in rows]


@pytest.mark.parametrize("jobs", sampled(["", "--jobs 2"], 1))
@pytest.mark.parametrize("format", FORMATS)
def test_own_columns_conditions_and_numbers_give_the_scores_of_plain_rows(
    format: str, jobs: str, files: Callable[[str], str], run: Run
) -> None:
    found = run(f"evaluate m.json r.jsonl -m ter -m sari {COLUMNS} {WHERE} {jobs} --input-files {files(format)}")
    assert found.code == 0, found.err
    assert "left out 24 rows" in found.err  # of each system, 8 of split test and 4 others of 2019
    assert run(f"evaluate pm.json pr.jsonl -m ter -m sari --input-files {PLAIN}").code == 0
    assert scores("r.jsonl") == scores("pr.jsonl")
    macro, plain = read_json("m.json"), read_json("pm.json")
    assert len(macro.pop("warnings")) == len(plain.pop("warnings")), "the same texts, in other files"
    assert macro.pop("rows") == {
        "columns": {"summary": "generated", "references": "gold_a+gold_b", "source": "article"},
        "where": ["split=dev", "year!=2019"],
        "left_out": 24,
    }
    assert macro == plain


@pytest.mark.parametrize("jobs", sampled(["", "--jobs 2"], 1))
@pytest.mark.parametrize("format", ["jsonl", "parquet"])
def test_rows_are_numbered_by_their_position_however_they_are_read(
    format: str, jobs: str, files: Callable[[str], str], run: Run
) -> None:
    names = files(format)
    if format == "jsonl":
        write_lines("ours.jsonl", own_rows("ours"), between="\n")  # blank lines are no rows
    found = run(f"ter evaluate m.json r.jsonl {COLUMNS} {jobs} --input-files {names}")
    assert found.code == 0, found.err
    assert "numbered by their position" in found.err
    run("ter evaluate pm.json pr.jsonl --input-files ours.all.jsonl theirs.all.jsonl")
    assert scores("r.jsonl") == scores("pr.jsonl")


def test_a_pipe_is_numbered(files: Callable[[str], str], run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    files("jsonl")
    os.mkfifo("ours")
    writer = threading.Thread(target=write_lines, args=("ours", own_rows("ours")))
    writer.start()
    found = run(f"ter evaluate m.json r.jsonl {COLUMNS} {WHERE} --jobs 2 --input-files ours")
    writer.join()
    assert found.code == 0, found.err
    run("ter evaluate pm.json pr.jsonl --input-files ours.plain.jsonl")
    assert scores("r.jsonl") == scores("pr.jsonl")


COMMANDS = {  # a command with its output, in which INPUT is replaced
    "score": ("score OUT.jsonl -m ter INPUT", "OUT.jsonl"),
    "metric score": ("ter score OUT.jsonl INPUT", "OUT.jsonl"),
    "metric evaluate": ("ter evaluate --format json -o OUT.txt INPUT", "OUT.txt"),
    "compare": ("compare -m ter --output-file OUT.json --trials 20 --resamples 50 INPUT", "OUT.json"),
    "compare by cluster": (
        "compare -m ter --cluster doc --output-file OUT.json --trials 20 --resamples 50 INPUT",
        "OUT.json",
    ),
    "write-pairs": ("write-pairs OUT.txt INPUT", "OUT.txt"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_that_reads_rows_has_the_options(name: str, files: Callable[[str], str], run: Run) -> None:
    command, output = COMMANDS[name]
    inputs = files("jsonl")
    results = []
    for words in (f"--input-files {inputs} {COLUMNS} {WHERE}", f"--input-files {PLAIN}"):
        found = run(command.replace("INPUT", words))
        assert found.code == 0, found.err
        text = Path(output).read_text()
        content = json.loads(text) if text.startswith("{\n") else text
        if isinstance(content, dict):
            for name in ("rows", "warnings"):  # which name the files
                content.pop(name, None)
        results.append(content)
        Path(output).unlink()
    assert results[0] == results[1]


def test_a_report_has_the_rows_of_the_options(files: Callable[[str], str], run: Run) -> None:
    command = "report OUT.html -m ter --profile translation --input-files"
    for words in (f"{files('jsonl')} {COLUMNS} {WHERE}", PLAIN):
        found = run(f"{command} {words}")
        assert "2 systems on 12 sentences" in found.err, found.err
        assert '"the cat sat on the mat"' in Path("OUT.html").read_text()


def test_a_visualization_has_the_rows_of_the_options(files: Callable[[str], str], run: Run) -> None:
    pages = []
    for words in (f"{files('jsonl')} {COLUMNS} {WHERE}", PLAIN):
        found = run(f"visualize rouge OUT.html --input-files {words}")
        assert found.code == 0, found.err
        pages.append(Path("OUT.html").read_text().replace(".plain.jsonl", ".jsonl"))
    assert pages[0] == pages[1]


def test_a_configuration_has_the_options(files: Callable[[str], str], run: Run) -> None:
    config = {
        "metrics": ["ter"],
        "input_files": files("jsonl").split(),
        "columns": {"summary": "generated", "references": ["gold_a", "gold_b"]},
        "where": ["split=dev", "year!=2019"],
    }
    write_json("config.json", config)
    assert run("evaluate --config config.json --macro-output-json m.json --micro-output-jsonl r.jsonl").code == 0
    run(f"ter evaluate pm.json pr.jsonl --input-files {PLAIN}")
    assert scores("r.jsonl") == scores("pr.jsonl")


def test_documents_have_the_columns_and_outputs_also_the_conditions(run: Run) -> None:
    write_lines("documents.jsonl", [{"doc": "1", "article": "the cat sat"}, {"doc": "2", "article": "a dog"}])
    outputs = [{"doc": "1", "generated": "a cat", "split": "test"}, {"doc": "2", "generated": "a dog", "split": "dev"}]
    write_lines("outputs.jsonl", outputs)
    reader = load_reader("split-document-based")
    columns = parsed_columns("instance_id=doc,documents=article,summary=generated")
    reader.set_view(columns, parsed_conditions("split=dev"))
    (instance,) = reader.read("documents.jsonl", "outputs.jsonl")
    assert (instance.instance_id, instance.fields) == ("2", {"summary": "a dog", "documents": ["a dog"]})


def test_pyramids_have_the_columns_and_annotations_also_the_conditions(run: Run) -> None:
    units = [
        {"scu_id": 1, "contributors": [{"summary_index": 0}]},
        {"scu_id": 2, "contributors": [{"summary_index": 0}]},
    ]
    pyramid = {"summarizer_ids": ["A"], "summarizer_types": ["reference"], "summaries": ["a"], "units": units}
    write_lines("pyramids.jsonl", [{**pyramid, "topic": topic} for topic in ("1", "2")])
    annotation = {"summarizer_id": "s", "summary": "a", "units": [{"scu_id": 1}]}
    write_lines("annotations.jsonl", [{**annotation, "topic": topic, "split": f"s{topic}"} for topic in ("1", "2")])
    found = run(
        "pyramid-score evaluate m.json r.jsonl --dataset-reader pyramid-based:include_reference_annotations=false "
        "--columns instance_id=topic,scus=units --where split=s2 --input-files pyramids.jsonl annotations.jsonl"
    )
    assert found.code == 0, found.err
    ((topic, system, values),) = scores("r.jsonl")
    assert (topic, system, values["modified_pyramid_score"]) == ("2", "s", 0.5)  # 1 of the 2 units of the ideal summary


def test_spans_have_columns_and_conditions(run: Run) -> None:
    span = [{"start": 0, "end": 1}]
    rows = [{"n": n, "errors": span, "found": span, "split": f"s{n}", "summary": "ab"} for n in (1, 2)]
    write_lines("spans.jsonl", rows)
    reader = load_reader("error-spans")
    columns = parsed_columns("instance_id=n,spans=errors,predicted_spans=found")
    reader.set_view(columns, parsed_conditions({"split": "s2"}))
    assert [instance.instance_id for instance in reader.read("spans.jsonl")] == ["2"]


REFUSED = [  # words, fragments of the message, why
    (
        "--columns summary=generted",
        ("ours.jsonl:1", "'generted' is missing", "did you mean 'generated'"),
        "no such column",
    ),
    ("--columns sumary=generated", ("'sumary'", "did you mean 'summary'"), "no such field"),
    ("--columns summary=generated,summary=article", ("'summary' twice",), "which of them?"),
    ("--columns references=gold_a,reference=gold_b", ("twice", "references=COLUMN+COLUMN"), "two forms of a field"),
    ("--columns summary=generated+article", ("'summary' has one value",), "one text"),
    ("--columns ter", ("'ter'", "--scores"), "the former name of --scores"),
    (
        f"{COLUMNS} --where split=dve",
        ("leaves out all 48 rows", "'dev' (32)", "'test' (16)", "did you mean 'dev'"),
        "typo",
    ),
    (f"{COLUMNS} --where splt=dev", ("ours.jsonl:1", "'splt' is missing", "did you mean 'split'"), "no such column"),
    (f"{COLUMNS} --where split", ("'split'", "COLUMN=VALUE"), "no value"),
    ("", ("needs 'references'", "--columns references=COLUMN"), "the message names the option"),
]


def test_a_table_without_a_header_has_the_names_that_are_given(fw: Run, tmp_path: Path) -> None:
    table = tmp_path / "rows.csv"
    table.write_text("1,a cat,the cat,a dog\n2,a,b,a\n")
    words = ["--input-files", table, "--column-names", "instance_id", "summary", "ref_1", "ref_2"]
    for condition, ter in ([], 100 / 3), (["--where", "instance_id=2"], 0):
        result = fw("ter", "evaluate", *words, *condition, "--format", "json")
        assert json.loads(result.out)["metrics"]["ter"] == pytest.approx(ter)


@pytest.mark.parametrize(("words", "fragments", "why"), REFUSED, ids=[why for *_, why in REFUSED])
@pytest.mark.parametrize("jobs", sampled(["", "--jobs 2"], 1))
def test_wrong_columns_and_conditions_are_refused(
    words: str, fragments: tuple[str, ...], why: str, jobs: str, files: Callable[[str], str], run: Run
) -> None:
    found = run(f"ter evaluate m.json {words} {jobs} --input-files {files('jsonl')}")
    assert found.code in (1, 2), why
    assert [fragment for fragment in fragments if fragment not in found.err] == [], found.err
    assert not Path("m.json").exists()


def test_options_without_effect_are_refused(files: Callable[[str], str], run: Run) -> None:
    Path("a.txt").write_text("a\n")
    shutil.copy("a.txt", "r.txt")
    for words, fragment in (
        ("ter evaluate -i a.txt -r r.txt --where split=dev", "'plain-text' reads no rows"),
        (f"ter evaluate --by split --input-files {PLAIN} --sentence-level", "no output as sacreBLEU"),
        (f"ter evaluate m.json r.jsonl --by split --input-files {PLAIN}", "writes no output scores"),
        ("ter evaluate --by split -i a.txt -r r.txt", NEEDS_ROWS),
    ):
        found = run(words)
        assert (found.code, fragment in found.err) == (2, True), found.err


def test_a_column_that_is_not_used_is_reported(files: Callable[[str], str], run: Run) -> None:
    rows = [
        {"instance_id": 1, "summary": "the gold", "hypothesis": "x", "generated": "a", "reference": "a", "output": "b"}
    ]
    write_lines("in.jsonl", rows)
    found = run("ter evaluate --columns summary=generated --format csv --input-files in.jsonl")
    assert "in,1,0.0," in found.out
    assert "the column 'summary' is not used" in found.err
    assert "the column 'hypothesis' is not used" in found.err
    assert "'output'" not in found.err  # a name that may mean something else
    found = run("ter evaluate --columns summary=generated,references=summary --input-files in.jsonl")
    assert "'summary' is not used" not in found.err


@pytest.mark.parametrize("jobs", sampled(["", "--jobs 2"], 1))
@pytest.mark.parametrize("format", ["jsonl", "parquet"])
def test_rows_of_several_systems_need_ids(format: str, jobs: str, files: Callable[[str], str], run: Run) -> None:
    rows = [{"system": "a" if number < 300 else "b", "summary": "a", "reference": "a b c"} for number in range(600)]
    FORMATS[format](f"in.{format}", rows)
    found = run(f"ter evaluate {jobs} --input-files in.{format}")
    row = "row 301" if format == "parquet" else "301"
    assert f"in.{format}:{row}" in found.err
    assert "'b' follows 'a'" in found.err
    assert "--columns instance_id=COLUMN" in found.err


PLUGIN = """
from metrics_framework import DatasetReader, RowReader
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.inputs.rows import text

@DatasetReader.register("own-fields")
class OwnFields(RowReader):
    row_fields = ("mt",)

    def fields(self, row):
        return {"summary": text(row, "mt"), "references": [text(row, "gold_a")]}

@DatasetReader.register("own-files")
class OwnFiles(RowReader):
    def instances_of(self, piece, problems):
        yield EvalInstance("1", "s", "peer", {"summary": "a", "references": ["a"]}, piece.path, 1)

    def fields(self, row):
        raise NotImplementedError
"""


def test_readers_of_plugins_have_the_options_or_refuse_them(files: Callable[[str], str], run: Run) -> None:
    Path("plugin.py").write_text(PLUGIN)
    files("jsonl")
    own = "--include-packages plugin.py ter evaluate --input-files ours.jsonl --format csv --dataset-reader"
    found = run(f"{own} own-fields --columns mt=generated --where split=test")
    assert "ours,8," in found.out, found.err
    for jobs in ("", "--jobs 2"):
        found = run(f"{own} own-files --where split=test {jobs}")
        assert (found.code, "no effect on the dataset reader 'own-files'" in found.err) == (2, True), found.err


def test_numbered_rows_are_joined_with_text_files_by_line(files: Callable[[str], str], run: Run) -> None:
    files("jsonl")
    Path("refs.txt").write_text("".join(f"{row['gold_a']}\n" for row in own_rows("ours")))
    found = run(
        "ter evaluate --columns summary=generated --where split=dev --references refs.txt --input-files ours.jsonl"
    )
    plain = run("ter evaluate --columns summary=generated,reference=gold_a --where split=dev --input-files ours.jsonl")
    assert (found.code, found.out) == (0, plain.out), found.err
