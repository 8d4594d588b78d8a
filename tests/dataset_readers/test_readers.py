from __future__ import annotations

import gzip
import io
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from messages import (
    IDS_IN_ALL_OR_NONE,
    NOT_A_JSON_OBJECT,
    NUMBERED_IF_OF_ONE_SYSTEM,
    NUMBERED_OR_NONE,
    SAME_NUMBER_OF_LINES,
)

from metrics_framework.common.errors import DataError, DataErrors, UnknownNameError, UsageError
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.dataset_readers.dataset_reader import load_reader
from metrics_framework.inputs.row_view import Condition

ROW = {
    "instance_id": "1",
    "summarizer_id": "s",
    "summarizer_type": "peer",
    "summary": {"text": "a"},
    "references": [{"text": "b"}, {"text": ["c", "d"]}],
    "source": {"text": "e"},
    "documents": [{"text": ["f"]}, "g"],
    "grade": 3,
}
Write = Callable[..., str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a file of rows (as JSON lines) or of text, and returns its path."""

    def written(name: str, content: str | Sequence[Any]) -> str:
        text = content if isinstance(content, str) else "".join(json.dumps(row) + "\n" for row in content)
        data = text.encode("utf-8")
        (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return str(tmp_path / name)

    return written


def read(reader: str, *paths: str, **options: Any) -> list[EvalInstance]:
    return list(load_reader(reader, **options).read(*paths))


FIELDS = [  # reader, the fields it takes
    ("summary-only", {"summary": "a"}),
    ("reference-based", {"summary": "a", "references": ["b", ["c", "d"]]}),
    ("source-reference-based", {"summary": "a", "references": ["b", ["c", "d"]], "source": "e"}),
    ("document-based", {"summary": "a", "documents": [["f"], "g"]}),
    (
        "default",
        {"summary": "a", "references": ["b", ["c", "d"]], "source": "e", "documents": [["f"], "g"], "grade": 3},
    ),
]


@pytest.mark.parametrize(("reader", "fields"), FIELDS)
@pytest.mark.parametrize("name", ["x.jsonl", "x.jsonl.gz"])
def test_a_reader_takes_its_fields(write: Write, reader: str, fields: dict[str, Any], name: str):
    path = write(name, [ROW, {**ROW, "instance_id": 2}])
    assert read(reader, path) == [
        EvalInstance("1", "s", "peer", fields, path, 1),
        EvalInstance("2", "s", "peer", fields, path, 2),
    ]


MISSING = [  # reader, field that is left out, message
    ("summary-only", "summary", "'summary' is missing; the row has 'instance_id', "),
    ("reference-based", "summary", "'summary' is missing; the row has"),
    ("reference-based", "references", "'references' (or 'reference') is missing; the row has"),
    ("source-reference-based", "source", "'source' is missing; the row has"),
    ("source-reference-based", "references", "'references' (or 'reference') is missing; the row has"),
    ("document-based", "documents", "'documents' (or 'document') is missing; the row has"),
    ("document-based", "instance_id", "'instance_id' is missing; the row has"),
]


@pytest.mark.parametrize(("reader", "name", "message"), MISSING)
def test_a_row_without_a_needed_field_says_where(write: Write, reader: str, name: str, message: str):
    path = write("x.jsonl", [ROW, {key: value for key, value in ROW.items() if key != name}])
    with pytest.raises(DataError) as caught:
        read(reader, path)
    assert str(caught.value).startswith(f"{path}:2: {message}")


def test_rows_of_other_communities_are_read(write: Write):
    row = {"sent_id": 3, "system_id": "s", "system_type": "peer", "prediction": "a", "sources": "e", "reference": "b"}
    (instance,) = read("source-reference-based", write("x.jsonl", [row]))
    assert (instance.instance_id, instance.summarizer_id) == ("3", "s")
    assert instance.fields == {"summary": "a", "references": ["b"], "source": "e"}


def test_an_absent_name_is_that_of_the_file(write: Write, monkeypatch: pytest.MonkeyPatch):
    row = {"instance_id": 1, "summary": "a"}
    paths = [write(name, [row]) for name in ("careful.jsonl.gz", "a.jsonl")]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(row).encode())))
    careful, a, stdin = read("summary-only", *paths, "-")
    assert (careful.summarizer_id, careful.summarizer_type, a.summarizer_id) == ("careful", "peer", "a")
    assert (stdin.summarizer_id, stdin.path, stdin.line) == ("stdin", "-", 1)


TABLES = [  # name, text, references, why
    ("x.csv", "instance_id,summary,reference_0,reference_1\n1,a,b,c\n", ["b", "c"], "numbered with a dash below"),
    ("x.csv", "instance_id,summary,ref1,ref2\n1,a,b,c\n", ["b", "c"], "short"),
    ("x.csv", "instance_id,summary,ref-1,ref.2\n1,a,b,c\n", ["b", "c"], "with other signs"),
    ("x.csv", "instance_id,summary,ref1,ref2\n1,a,,c\n", ["c"], "an empty cell is no reference"),
    ("x.csv", "instance_id,summary,reference\n1,a,b\n", ["b"], "a single one"),
    ("x.tsv", 'instance_id\tsummary\tref1\n1\ta\t"b\n', ['"b'], "a TSV has no quotes"),
    ("x.csv.gz", 'instance_id,summary,ref1\n1,a,"b, c"\n', ["b, c"], "compressed"),
    ("x.csv", "sent_id,simp_sent,ref1\n1,a,b\n", ["b"], "names of others"),
]


@pytest.mark.parametrize(("name", "text", "references", "why"), TABLES)
def test_tables_have_a_column_a_reference(write: Write, name: str, text: str, references: list[str], why: str):
    path = write(name, text)
    assert read("reference-based", path) == [
        EvalInstance("1", "x", "peer", {"summary": "a", "references": references}, path, 2)
    ], why


ROWS = [  # fields beside the ids, references, why
    ({"reference_0": "b", "reference_1": "c"}, ["b", "c"], "as in a table"),
    ({"ref.2": "c", "reference-10": {"text": "b"}}, ["c", "b"], "in the order of the row, texts of any form"),
    ({"reference_0": None, "reference_1": "", "reference_2": "c"}, ["c"], "missing and empty, as in a table"),
    ({"reference_0": "b", "reference": None, "references": None}, ["b"], "null is missing"),
    ({"reference": "b", "ref_id": "c"}, ["b"], "another name"),
]


@pytest.mark.parametrize(("fields", "references", "why"), ROWS)
def test_json_lines_have_numbered_references_too(write: Write, fields: dict[str, Any], references: list[str], why: str):
    path = write("x.jsonl", [{"instance_id": 1, "summary": "a", **fields}])
    for reader in ("reference-based", "default"):
        (instance,) = read(reader, path)
        assert [value if isinstance(value, str) else value["text"] for value in instance.fields["references"]] == (
            references
        ), why


MIXED = [  # name, text, message
    ("x.jsonl", '{"instance_id": 1, "summary": "a", "reference": "b", "reference_2": "c"}',
     f":1: {NUMBERED_OR_NONE}, got 'reference' and 'reference_2'; rename 'reference' to "
     "'reference_1'; or use --columns references=reference+reference_2"),
    ("x.jsonl", '{"instance_id": 1, "summary": "a", "references": ["b"], "ref1": "c"}',
     f":1: {NUMBERED_OR_NONE}, got 'references' and 'ref1'; rename 'references' to 'reference_0'; or use "
     "--columns references=references+ref1"),
    ("x.csv", "instance_id,summary,reference,reference.1,ref0\n1,a,b,c,d\n",
     f":2: {NUMBERED_OR_NONE}, got 'reference' and 'reference.1'; rename 'reference' to "
     "'reference_2'; or use --columns references=reference+reference.1+ref0"),
    ("x.csv", "instance_id,summary,reference,reference\n1,a,b,c\n",
     ":1: repeated column 'reference'; rename or drop one"),
    ("x.csv", "instance_id,summary,references\n1,a,b\n",
     ":2: 'references' must be a non-empty list of texts, got the string 'b'; name one text 'reference', several "
     "'reference_1', 'reference_2', …"),
    ("x.csv", 'instance_id,summary,references\n1,a,"[""b"", ""c""]"\n',
     ":2: a cell of 'references' must be one text, got a list; use one column for each reference: reference_1, "
     "reference_2, …"),
    ("x.csv", "instance_id,summary,ref1,ref2\n1,a,b,c\n2,a,,\n",
     ":3: 'references' must be a non-empty list of texts"),
    ("x.csv", "instance_id,summary,reference\n1,a,\"['b', 'c']\"\n", ":2: a cell of 'reference' must be one text"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "message"), MIXED)
def test_columns_of_references_that_cannot_be_read_are_advised(write: Write, name: str, text: str, message: str):
    path = write(name, text)
    with pytest.raises(DataError) as caught:
        read("reference-based", path)
    assert str(caught.value).startswith(path + message)


def test_the_problems_of_all_files_are_reported_together(write: Write):
    first = write("x.jsonl", '{"instance_id": 1, "summary": "a"}\n{"instance_id"\n{"instance_id": 2}\n')
    second = write("y.jsonl", '[]\n{"instance_id": 2, "summary": 3}\n')
    with pytest.raises(DataErrors) as caught:
        read("summary-only", first, second)
    shown = str(caught.value).split("\n")
    starts = [
        f"{first}:2: is not JSON: ",
        f"{first}:3: 'summary' is missing",
        f"{second}:1: {NOT_A_JSON_OBJECT} the list []",
        f"{second}:2: 'summary' is the number 3, not a text",
    ]
    assert len(shown) == len(starts)
    assert all(line.startswith(start) for line, start in zip(shown, starts, strict=True))


def test_a_problem_of_every_row_is_shown_once_and_twenty_problems_and_a_count_at_most(write: Write):
    path = write("x.jsonl", [{"instance_id": 1, "summary": "a"}, *[{"summary": "a"}] * 358])
    with pytest.raises(DataErrors) as caught:
        read("summary-only", path)
    assert str(caught.value).startswith(f"{path}:2, 3, 4 and 355 more lines: 'instance_id' is missing")
    assert "add it: the id of the input" in str(caught.value)
    assert len(str(caught.value).split("\n")) == 1
    assert caught.value.count == 358
    path = write("x.jsonl", [{"instance_id": number, f"field {number}": 1} for number in range(25)])
    with pytest.raises(DataErrors) as caught:
        read("summary-only", path)
    shown = str(caught.value).split("\n")
    assert len(shown) == 21
    assert shown[19].startswith(f"{path}:20: 'summary' is missing")
    assert shown[20] == "… and 5 more problems"


def test_instances_come_before_the_problems_are_raised(write: Write):
    path = write("x.jsonl", [{"instance_id": 1, "summary": "a"}, {}, {"instance_id": 3, "summary": "c"}])
    instances = load_reader("summary-only").read(path)
    assert [next(instances).instance_id, next(instances).instance_id] == ["1", "3"]
    with pytest.raises(DataError, match=":2: 'instance_id' is missing"):
        next(instances)


# --- the reader "default" with text files beside the rows ---


def test_rows_are_joined_with_lines_of_text_files(write: Write):
    rows = write("x.jsonl", [{"instance_id": 2, "summary": "a"}, {"instance_id": "1", "summary": "b"}])
    references = [write("r0.txt", "first\nsecond\n"), write("r1.txt.gz", "third\nfourth")]
    instances = read("default", rows, references=references, sources=write("s.txt", "one\ntwo\n"))
    assert [one.fields for one in instances] == [
        {"summary": "a", "references": ["second", "fourth"], "source": "two"},
        {"summary": "b", "references": ["first", "third"], "source": "one"},
    ]


def test_documents_of_text_files_belong_to_lines(write: Write):
    files = [write("d0.txt", "first\nsecond\n"), write("d1.txt", "third\nfourth\n")]
    expected = [["first", "third"], ["second", "fourth"]]
    texts = read("plain-text", write("a.txt", "a\nb\n"), documents=files, sources=write("s.txt", "one\ntwo\n"))
    assert [one.fields["documents"] for one in texts] == expected
    assert [one.fields["source"] for one in texts] == ["one", "two"]
    rows = write("x.jsonl", [{"instance_id": number, "summary": "a"} for number in (1, 2)])
    assert [one.fields["documents"] for one in read("default", rows, documents=files)] == expected


@pytest.mark.parametrize("instance_id", ["0", "3", "x", "-1", "1.0", "²", "٣", "9" * 5000])
def test_an_instance_that_is_no_line_number_is_refused(write: Write, instance_id: str):
    rows, sources = write("x.jsonl", [{"instance_id": instance_id, "summary": "a"}]), write("s.txt", "one\ntwo\n")
    with pytest.raises(DataError) as caught:
        read("default", rows, sources=sources)
    assert str(caught.value) == (
        f"{rows}:1: 'instance_id' must be a line number of {sources}, from 1 to 2, to join the two; got '{instance_id}'"
    )


@pytest.mark.parametrize("field", ["references", "source"])
def test_a_field_of_the_row_and_of_text_files_is_refused(write: Write, field: str):
    lines, rows = write("s.txt", "one\n"), write("x.jsonl", [ROW])
    options: dict[str, Any] = {"references": [lines]} if field == "references" else {"sources": lines}
    with pytest.raises(DataError) as caught:
        read("default", rows, **options)
    assert str(caught.value) == f"{rows}:1: '{field}' is in the row and in text files; use only one of them"


# --- the reader "plain-text" ---


def test_plain_text_is_one_system_a_file_and_one_output_a_line(write: Write):
    outputs = [write("careful.txt", "a\nb\n"), write("clumsy.v2.txt.gz", "c\nd")]
    options = {"references": [write("r0.txt", "e\nf\n"), write("r1.txt", "g\n\n")], "sources": write("s.txt", "h\ni\n")}
    instances = read("plain-text", *outputs, **options)
    assert [(one.summarizer_id, one.instance_id, one.fields["summary"]) for one in instances] == [
        ("careful", "1", "a"),
        ("careful", "2", "b"),
        ("clumsy.v2", "1", "c"),
        ("clumsy.v2", "2", "d"),
    ]
    assert [one.fields["references"] for one in instances] == [["e", "g"], ["f", ""]] * 2
    assert [one.fields["source"] for one in instances] == ["h", "i"] * 2
    assert {one.summarizer_type for one in instances} == {"peer"}
    assert (instances[3].path, instances[3].line) == (outputs[1], 2)
    (alone,) = read("plain-text", write("careful.txt", "a\n"))
    assert alone.fields == {"summary": "a"}


CALLS: list[tuple[str, tuple[str, ...], dict[str, Any], type[Exception], str]] = [
    # reader, files, options, error, message
    ("summary-only", (), {}, UsageError, "no input files; 'summary-only' reads files of outputs"),
    ("summary-only", ("no.jsonl",), {}, DataError, r"no\.jsonl: cannot be read: No such file"),
    ("split-document-based", ("x",), {}, UsageError, r"2 files \(the documents, then the summaries\), got 1"),
    ("split-document-based", ("x",) * 3, {}, UsageError, r"2 files \(the documents, then the summaries\), got 3"),
    ("pyramid-based", ("x",), {}, UsageError, r"2 files \(the pyramids, then the annotations\), got 1"),
    ("pyramid-based", ("x",) * 3, {}, UsageError, r"2 files \(the pyramids, then the annotations\), got 3"),
    *(
        ("plain-text", (name,), {}, UsageError, f"--outputs must be plain text, got '{name}'")
        for name in ("x.jsonl", "x.json", "x.csv", "x.tsv.gz")
    ),
    (
        "plain-text",
        ("two.txt",),
        {"sources": "one.txt"},
        DataError,
        f"one.txt:1: ends after 1 line; {SAME_NUMBER_OF_LINES}: two.txt has 2, one.txt has 1",
    ),
    (
        "plain-text",
        ("one.txt", "two.txt"),
        {"systems": ["ours", "ours"]},
        DataError,
        "both belong to system 'ours'; name them, as in --outputs NAME=FILE",
    ),
    (
        "plain-text",
        ("one.txt", "two.txt"),
        {"systems": ["ours"]},
        UsageError,
        "'systems' must have a name for each of the 2 files of outputs, got 1",
    ),
    ("reference", (), {}, UnknownNameError, "unknown dataset reader 'reference'; did you mean 'reference-based'"),
    ("default", (), {"sourcs": "x"}, UnknownNameError, "unknown option 'sourcs' of 'default'; did you mean 'sources'"),
    ("test-set", ("one.txt",), {}, UsageError, "'test-set' needs the option 'test_set'"),
]


@pytest.mark.parametrize(("reader", "files", "options", "error", "message"), CALLS)
def test_files_and_options_that_do_not_fit_are_refused(
    reader: str,
    files: tuple[str, ...],
    options: dict[str, Any],
    error: type[Exception],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.chdir(tmp_path)
    Path("one.txt").write_text("a\n")
    Path("two.txt").write_text("a\nb\n")
    with pytest.raises(error, match=message):
        read(reader, *files, **options)


# --- the reader "split-document-based" ---

DOCUMENTS = [{"instance_id": "d1", "documents": [{"text": "f"}, "g"]}, {"instance_id": 2, "document": ["h", "i"]}]


def test_documents_and_summaries_are_joined(write: Write):
    documents = write("documents.jsonl", DOCUMENTS)
    summaries = write(
        "summaries.jsonl",
        [{"instance_id": "2", "summary": "b"}, {**ROW, "instance_id": "d1", "summarizer_type": "reference"}],
    )
    assert read("split-document-based", documents, summaries) == [
        EvalInstance("2", "summaries", "peer", {"summary": "b", "documents": [["h", "i"]]}, summaries, 1),
        EvalInstance("d1", "s", "reference", {"summary": "a", "documents": ["f", "g"]}, summaries, 2),
    ]


def test_documents_and_summaries_without_ids_are_joined_by_position(write: Write):
    documents = write("documents.jsonl", [{"document": "f"}, {"document": "g", "system": "x"}])
    summaries = write("summaries.jsonl", [{"summary": "a", "system": "s"}, {"summary": "b", "system": "s"}])
    assert read("split-document-based", documents, summaries) == [
        EvalInstance("1", "s", "peer", {"summary": "a", "documents": ["f"]}, summaries, 1),
        EvalInstance("2", "s", "peer", {"summary": "b", "documents": ["g"]}, summaries, 2),
    ]


def test_numbered_rows_of_two_files_are_noted_and_keep_their_numbers(write: Write):
    documents = write("documents.jsonl", [{"document": text} for text in "fgh"])
    summaries = write("summaries.jsonl", [{"summary": text, "split": text} for text in "abc"])
    reader = load_reader("split-document-based")
    reader.set_view({}, [Condition("split", "a", is_equal=False)])
    found = [(one.instance_id, one.fields["summary"]) for one in reader.read(documents, summaries)]
    assert found == [("2", "b"), ("3", "c")]
    counts = reader.take_row_counts()
    assert counts.is_numbered
    assert counts.left_out == 1


DOCUMENT, SUMMARY = {"document": "f"}, {"summary": "a"}
ROWS_WITH_IDS = [{"instance_id": n, "document": "f"} for n in (1, 2)]
SAME_NUMBER = "{s}: both files must have the same number of rows to join rows without 'instance_id': {d} has "
NO_IDS = (
    " has no 'instance_id', but {} has it; rows are joined by 'instance_id', or by their positions if neither file has "
    "it"
)
SPLIT_PROBLEMS = [  # documents, summaries, how the only problem begins
    (DOCUMENTS, [{"instance_id": "x", "summary": "a"}], "{s}:1: no documents of 'x' in {d}"),
    (DOCUMENTS, [{"instance_id": "d1"}], "{s}:1: 'summary' is missing; the row has 'instance_id'"),
    ([*DOCUMENTS, DOCUMENTS[0]], [], "{d}:3: duplicate documents of 'd1' (first on line 1)"),
    ([{"instance_id": "d1"}], [], "{d}:1: 'documents' (or 'document') is missing; the row has"),
    ([*DOCUMENTS, {"documents": ["a"]}], [], "{d}:3: 'instance_id' is missing; the row has 'documents'"),
    ([DOCUMENT] * 2, [SUMMARY] * 4, SAME_NUMBER + "2, {s} has 4"),
    ([DOCUMENT] * 4, [SUMMARY] * 2, SAME_NUMBER + "4, {s} has 2"),
    ([DOCUMENT] * 2, [], SAME_NUMBER + "2, {s} has 0"),
    ([], [SUMMARY] * 2, SAME_NUMBER + "0, {s} has 2"),
    (ROWS_WITH_IDS, [SUMMARY] * 2, "{s}:" + NO_IDS.format("{d}")),
    ([DOCUMENT] * 2, [{"instance_id": 1, **SUMMARY}], "{d}:" + NO_IDS.format("{s}")),
    (
        [DOCUMENT] * 2,
        [{"summary": "a", "system": "s"}, {"summary": "a", "system": "t"}],
        "{s}:2: 'instance_id' is missing, and " + NUMBERED_IF_OF_ONE_SYSTEM + ", but 't' "
        "follows 's'; name the column with the id of the input, as in --columns instance_id=COLUMN; the row has "
        "'summary', 'system'",
    ),
    (
        [DOCUMENT, {"instance_id": 2, "document": "f"}],
        [SUMMARY],
        f"{{d}}:2: 'instance_id' {IDS_IN_ALL_OR_NONE} none",
    ),
]


@pytest.mark.parametrize(("documents", "summaries", "problem"), SPLIT_PROBLEMS)
def test_two_files_that_cannot_be_joined_are_one_problem(
    write: Write, documents: list[Any], summaries: list[Any], problem: str
):
    paths = write("documents.jsonl", documents), write("summaries.jsonl", summaries)
    with pytest.raises(DataError) as caught:
        read("split-document-based", *paths)
    (found,) = str(caught.value).split("\n")
    assert found.startswith(problem.format(d=paths[0], s=paths[1]))


# --- readers by name ---

SPECS = [  # spec, options
    ("plain-text", {"systems": None, "references_per_line": 1}),
    ("plain-text:references_per_line=2", {"systems": None, "references_per_line": 2}),
    ('{"type": "plain-text", "systems": ["a", "b"]}', {"systems": ["a", "b"], "references_per_line": 1}),
]


@pytest.mark.parametrize(("spec", "options"), SPECS)
def test_a_reader_is_built_from_a_spec(spec: str, options: dict[str, Any]):
    reader = load_reader(spec)
    assert {name: getattr(reader, name) for name in options} == options


def test_the_example_data_are_read(datasets_path: Path):
    instances = read("source-reference-based", str(datasets_path / "simplification" / "outputs.jsonl"))
    assert instances
    assert all(len(one.fields["references"]) >= 1 for one in instances)


def test_the_test_data_of_sacrerouge_are_read(shared_path: Callable[[str], Path]):
    folder = shared_path("data/multiling2011")
    summaries = str(folder / "summaries.jsonl")
    assert len(read("reference-based", summaries)) == 12
    assert len(read("split-document-based", str(folder / "documents.jsonl"), summaries)) == 12


@pytest.mark.parametrize("form", [list, tuple])
def test_paths_may_come_as_a_list(form: Callable[..., Sequence[str]], write: Write):
    paths = [write(f"{number}.jsonl", [{**ROW, "instance_id": str(number)}]) for number in range(2)]
    reader = load_reader("default")
    expected = list(reader.read(*paths))
    assert [one.instance_id for one in expected] == ["0", "1"]
    assert list(reader.read(form(paths))) == expected
    assert list(reader.read(paths[0], form(paths[1:]))) == expected
    with pytest.raises(UsageError):
        list(load_reader("split-document-based").read(form(paths[:1])))
