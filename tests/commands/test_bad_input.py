"""Bad input and misuse: what ``fw`` says, with which exit code, and that it leaves nothing behind."""

from __future__ import annotations

import errno
import gzip
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from shlex import split
from typing import Any, NamedTuple

import pytest
from messages import (
    BOTH_INPUT_AND_OUTPUT,
    CANNOT_WRITE_LOG,
    CUT_SHORT,
    DUPLICATE_OUTPUT,
    EXPECTED_CONFIDENCE,
    EXPECTED_ENDING,
    GIVEN_TO_TWO_FILES,
    IDS_IN_ALL_OR_NONE,
    ONE_JSON_DOCUMENT,
    ONE_RESULT_FOR_EACH_SUMMARY,
    OUTPUTS_FOR_FEWER_INPUTS,
)
from samples import sampled

FW = [sys.executable, "-m", "metrics_framework"]
DATA, USAGE = 1, 2


def row(**changes: Any) -> str:
    """One good line of input, with changes; ``None`` takes a field out."""
    good = {"instance_id": "1", "summarizer_id": "s", "summary": "a cat", "references": ["a dog"], "source": "the cat"}
    return line({name: value for name, value in {**good, **changes}.items() if value is not None})


def line(value: Any) -> str:
    return json.dumps(value) + "\n"


def rows(*lines: str) -> dict[str, str | bytes]:
    return {"in.jsonl": "".join(lines)}


class Case(NamedTuple):
    """One kind of bad input."""

    name: str
    files: dict[str, str | bytes]
    words: str
    code: int
    fragments: tuple[str, ...]
    why: str


IN = "--input-files in.jsonl"
SCORE = f"sari score out.jsonl {IN}"
EVALUATE = f"sari evaluate macro.json micro.jsonl {IN}"
GOOD = rows(row())
TEXT = {"out.txt": "a\nb\n", "ref.txt": "a\nb\n", "src.txt": "a\nb\n"}
PLUGIN = """
from metrics_framework import (
    CorpusMetric, DatasetReader, EvalInstance, Jackknifer, Metric, MetricsDict, ReferenceBasedMetric
)

@Metric.register("same-key")
class SameKey(ReferenceBasedMetric):
    \"\"\"Gives a score that SARI gives.\"\"\"
    def score_multi_all(self, summaries_list, references_list):
        return [[MetricsDict({"sari": 1.0}) for _ in summaries] for summaries in summaries_list]

@Metric.register("raises")
class Raises(ReferenceBasedMetric):
    \"\"\"Divides by zero.\"\"\"
    def score_multi_all(self, summaries_list, references_list):
        return [[MetricsDict({"x": 1 / 0}) for _ in summaries] for summaries in summaries_list]

@Metric.register("greedy-for-memory")
class GreedyForMemory(ReferenceBasedMetric):
    \"\"\"Wants more memory than there is.\"\"\"
    def score_multi_all(self, summaries_list, references_list):
        return [b" " * 2**62]

@Metric.register("too-few")
class TooFew(ReferenceBasedMetric):
    \"\"\"Forgets an output.\"\"\"
    def score_multi_all(self, summaries_list, references_list):
        return [[] for _ in summaries_list]

@Metric.register("no-score")
class NoScore(ReferenceBasedMetric):
    \"\"\"Gives words instead of numbers.\"\"\"
    def score_multi_all(self, summaries_list, references_list):
        return [[MetricsDict({"no-score": "good"}) for _ in summaries] for summaries in summaries_list]

@Metric.register("plain-dict")
class PlainDict(ReferenceBasedMetric):
    \"\"\"Gives numbers instead of dictionaries.\"\"\"
    def score_multi_all(self, summaries_list, references_list):
        return [[1.0 for _ in summaries] for summaries in summaries_list]

@Metric.register("needy")
class Needy(ReferenceBasedMetric):
    \"\"\"Has an option that must be given.

    Args:
        model: The model.
    \"\"\"
    def __init__(self, model: str):
        super().__init__()
        self.model = model
    def score_multi_all(self, summaries_list, references_list):
        return [[MetricsDict({"needy": 1.0}) for _ in summaries] for summaries in summaries_list]

class Told(ReferenceBasedMetric):
    def value(self):
        return 1.0
    def score_multi_all(self, summaries_list, references_list):
        return [[MetricsDict({self.name: self.value()}) for _ in summaries] for summaries in summaries_list]

@Metric.register("nested-word")
class NestedWord(Told):
    \"\"\"Gives a word instead of a number, two dictionaries down.\"\"\"
    def value(self):
        return {"x": {"deep": "good"}}

@Metric.register("rounding")
class Rounding(Told):
    \"\"\"Has options that are called as flags of the command are.\"\"\"
    def __init__(self, digits: int = 3, strict: bool = False):
        super().__init__()
        self.digits, self.strict = digits, strict
    def value(self):
        return self.digits + 100.0 * self.strict

@Metric.register("truth")
class Truth(Told):
    \"\"\"Must be told yes or no.\"\"\"
    def __init__(self, exact: bool):
        super().__init__()
        self.exact = exact
    def value(self):
        return float(self.exact)

class Greedy(Jackknifer):
    def variants(self, context):
        return [{"references": context["documents"]}]

@Metric.register("greedy")
class GreedyMetric(Told):
    \"\"\"Has a jackknifer that needs a field that is not there.\"\"\"
    jackknifer = Greedy()

class Sums(CorpusMetric, ReferenceBasedMetric):
    def statistics(self, summary, references):
        return [1.0]

@Metric.register("number-of-sums")
class NumberOfSums(Sums):
    \"\"\"Gives a number instead of a dictionary.\"\"\"
    def score_statistics(self, statistics):
        return statistics[0]

@Metric.register("word-of-sums")
class WordOfSums(Sums):
    \"\"\"Gives a word instead of a number.\"\"\"
    def score_statistics(self, statistics):
        return MetricsDict({"word-of-sums": "good"})

@DatasetReader.register("gives-dicts")
class GivesDicts(DatasetReader):
    \"\"\"Gives dictionaries instead of instances.\"\"\"
    def instances(self, input_files, problems):
        yield {"instance_id": "1"}

@DatasetReader.register("gives-whole-numbers")
class GivesWholeNumbers(DatasetReader):
    \"\"\"Gives whole numbers for ids.\"\"\"
    def instances(self, input_files, problems):
        yield EvalInstance(1, "s", "peer", {"summary": "a", "references": ["b"], "source": "c"})
"""
WITH_PLUGIN = {**GOOD, "plugin.py": PLUGIN}
PYRAMID = {"instance_id": "1", "summarizer_ids": ["A"], "scus": [{"scu_id": 1, "contributors": [{"summary_index": 0}]}]}
ANNOTATION = {"instance_id": "1", "summarizer_id": "s", "scus": [{"scu_id": 1}]}
PYRAMIDS = "pyramid-score score out.jsonl --dataset-reader pyramid-based --input-files p.jsonl a.jsonl"
DOCUMENTS = "sari score out.jsonl --dataset-reader split-document-based --input-files"

FIELDS = [
    Case("missing references", rows(row(), row(instance_id="2", references=None)), SCORE, DATA,
         ("in.jsonl:2", "'references' is missing", "'sari'", "'summary'"), "found before scoring, with what is there"),
    Case("missing references in evaluate", rows(row(references=None)), EVALUATE, DATA,
         ("in.jsonl:1", "'references' is missing"), "both commands check alike"),
    Case("missing source", rows(row(source=None)), SCORE, DATA, ("in.jsonl:1", "'source' is missing"), "SARI needs it"),
    Case("missing summary", rows(row(summary=None)), SCORE, DATA,
         ("in.jsonl:1", "'summary' is missing"), "nothing to score"),
    Case("missing instance_id", rows(row(), row(instance_id=None)), SCORE, DATA,
         ("in.jsonl:2", "'instance_id' is missing"), "all rows have ids or none has"),
    Case("instance_id after rows without", rows(row(instance_id=None), row()), SCORE, DATA,
         ("in.jsonl:2", f"'instance_id' {IDS_IN_ALL_OR_NONE}"), "the first row decides"),
    Case("several systems without instance_id", rows(row(instance_id=None), row(instance_id=None, summarizer_id="t")),
         SCORE, DATA, ("in.jsonl:2", "'t' follows 's'", "--columns instance_id=COLUMN"), "positions would not line up"),
    Case("missing field named by a strict reader", rows(row(references=None)),
         f"{SCORE.replace('sari', 'ter')} --dataset-reader reference-based", DATA,
         ("in.jsonl:1", "'references' (or 'reference') is missing"),
         "the reader says which two names do"),
    Case("reader that drops what the metric needs", GOOD, f"{SCORE} --dataset-reader summary-only", USAGE,
         ("'sari' needs 'references'", "'summary-only'"), "the reader does not fit the metric, whatever the rows have"),
    Case("string as references", rows(row(references="a dog")), SCORE, DATA,
         ("in.jsonl:1", "'references' must be a non-empty list of texts", "the string 'a dog'"), "not by character"),
    Case("empty references", rows(row(references=[])), SCORE, DATA,
         ("in.jsonl:1", "'references' must be a non-empty list"), "nothing to compare with"),
    Case("null references only", rows(row(references=[None, None])), SCORE, DATA,
         ("in.jsonl:1", "'references' must be a non-empty list"), "absent ones are left out, then none is left"),
    Case("object as references", rows(row(references={"text": "a dog"})), SCORE, DATA,
         ("in.jsonl:1", "'references' must be a non-empty list"), "an object is no list"),
    Case("number in references", rows(row(references=["a", 5])), SCORE, DATA,
         ("in.jsonl:1", "references[1]", "5"), "says which of them"),
    Case("nested junk in a text", rows(row(summary={"text": [["a"], {"b": 1}]})), SCORE, DATA,
         ("in.jsonl:1", "'summary' must be a text"), "a list of strings is as deep as it goes"),
    Case("text object without text", rows(row(summary={"txt": "a"})), SCORE, DATA,
         ("in.jsonl:1", "'summary' must have a 'text'"), "misspelt key"),
    Case("number as summary", rows(row(summary=5)), SCORE, DATA,
         ("in.jsonl:1", "'summary' must be a text", "5"), "no text"),
    Case("null text", rows(row(source={"text": None})), SCORE, DATA, ("in.jsonl:1", "'source'", "null"), "no text"),
    Case("both names of one field", rows(row(prediction="a cat")), SCORE, DATA,
         ("in.jsonl:1", "'summary' and 'prediction'"), "which of the two counts is not ours to guess"),
]  # fmt: skip
IDS = [
    Case("float id", rows(row(instance_id=1.5)), SCORE, DATA, ("in.jsonl:1", "'instance_id'", "1.5"), "1.0 or 1?"),
    Case("null id", rows(line({"instance_id": None, "summary": "a"})), SCORE, DATA,
         ("in.jsonl:1", "'instance_id'", "null"), "absent in disguise"),
    Case("boolean id", rows(row(instance_id=True)), SCORE, DATA,
         ("in.jsonl:1", "'instance_id'", "True"), "a boolean is no whole number"),
    Case("empty id", rows(row(summarizer_id="")), SCORE, DATA, ("in.jsonl:1", "'summarizer_id'"), "names nothing"),
    Case("list as id", rows(row(summarizer_id=["s"])), SCORE, DATA, ("in.jsonl:1", "'summarizer_id'"), "names nothing"),
    Case("unknown summarizer_type", rows(row(summarizer_type="system")), SCORE, DATA,
         ("in.jsonl:1", "'summarizer_type' must be 'peer' or 'reference'", "'system'"), "both words are listed"),
    Case("list as summarizer_type", rows(row(summarizer_type=["peer"])), SCORE, DATA,
         ("in.jsonl:1", "'summarizer_type' must be 'peer' or 'reference'"), "no word"),
    Case("one system of two types", rows(row(), row(instance_id="2", summarizer_type="reference")), SCORE, DATA,
         ("in.jsonl:2", "'s' is of type 'reference' here, but 'peer' before"), "a slip in the data"),
    Case("duplicate rows", rows(row(), row(instance_id="2"), row()), SCORE, DATA,
         ("in.jsonl:3", f"{DUPLICATE_OUTPUT} 's' for input '1'", "line 1", "--duplicates"), "names both lines"),
    Case("duplicate of mixed id types", rows(row(instance_id=7), row(instance_id="7")), SCORE, DATA,
         ("in.jsonl:2", "duplicate output", "line 1"), "7 and '7' are one id"),
    Case("duplicate across files", {"in.jsonl": row(), "two.jsonl": row(instance_id="2") + row()},
         f"{SCORE} two.jsonl", DATA, ("two.jsonl:2", "duplicate output", "in.jsonl:1"), "both files are named"),
]  # fmt: skip
FILES = [
    Case("broken JSON", rows(row(), '{"instance_id": "2", \n', row(instance_id="3")), SCORE, DATA,
         ("in.jsonl:2", "is not JSON", "column"), "line and column, no trace"),
    Case("JSON array rows", rows("[1, 2]\n"), SCORE, DATA, ("in.jsonl:1", "must be a JSON object"), "no object"),
    Case("JSON number row", rows("17\n"), SCORE, DATA, ("in.jsonl:1", "must be a JSON object", "17"), "no object"),
    Case("one JSON array over many lines", rows("[\n", row(), "]\n"), SCORE, DATA, ("in.jsonl:1",), "JSON, not JSONL"),
    Case("deeply nested JSON", rows("[" * 100_000 + "\n"), SCORE, DATA, ("in.jsonl:1", "nested too deeply"),
         "more brackets than the decoder can go down"),
    Case("whole number too long", rows('{"instance_id": ' + "1" * 5000 + "}\n"), SCORE, DATA,
         ("in.jsonl:1",), "more digits than Python converts"),
    Case("empty file", rows(), SCORE, DATA, ("in.jsonl", "contains no outputs"), "no division by zero"),
    Case("blank-only file", rows("\n", "   \n", "\n"), EVALUATE, DATA, ("in.jsonl", "contains no outputs"), "as empty"),
    Case("no such file", {}, SCORE, DATA, ("in.jsonl", "cannot be read", "No such file"), "named, no trace"),
    Case("no such files", GOOD, f"{SCORE} nope.jsonl neither.csv", DATA,
         ("nope.jsonl: cannot be read", "neither.csv: cannot be read"), "not one a run"),
    Case("no such file, and a problem in another", {"two.jsonl": row(source=None)}, f"{SCORE} two.jsonl", DATA,
         ("in.jsonl: cannot be read", "two.jsonl:1"), "not one a run"),
    Case("input is a folder", {"in.jsonl/x": ""}, SCORE, USAGE, ("in.jsonl", "cannot be read", "folder"), "no file"),
    Case("not UTF-8", rows(row()) | {"in.jsonl": row().encode() + b'{"instance_id": "\xff"}\n'}, SCORE, DATA,
         ("in.jsonl:2", "is not UTF-8", "0xff"), "line and byte"),
    Case("UTF-16", {"in.jsonl": row().encode("utf-16")}, SCORE, DATA, ("in.jsonl:1", "is not UTF-8"), "an export"),
    Case("truncated gz", {"in.jsonl.gz": gzip.compress(row().encode() * 500)[:60]}, f"{SCORE}.gz", DATA,
         ("in.jsonl.gz", CUT_SHORT), "an interrupted copy"),
    Case("gz that is none", {"in.jsonl.gz": row()}, f"{SCORE}.gz", DATA,
         ("in.jsonl.gz", "gzip"), "only the name says so"),
    Case("zst that is none", {"in.jsonl.zst": row()}, f"{SCORE}.zst", DATA,
         ("in.jsonl.zst", CUT_SHORT), "only the name says so"),
    Case("ragged CSV row", {"in.csv": "instance_id,summary,source,reference_0\n1,a,b,c\n2,a,b\n"},
         "sari score out.jsonl --input-files in.csv", DATA, ("in.csv:3", "must have 4 fields", "got 3"), "a comma"),
    Case("ragged TSV row", {"in.tsv": "instance_id\tsummary\tsource\treference_0\n1\ta\tb\tc\td\n"},
         "sari score out.jsonl --input-files in.tsv", DATA, ("in.tsv:2", "must have 4 fields", "got 5"), "a tab more"),
    Case("CSV with a column twice", {"in.csv": "instance_id,summary,summary\n1,a,b\n"},
         "sari score out.jsonl --input-files in.csv", DATA, ("in.csv:1", "duplicate column 'summary'"), "which one?"),
    Case("CSV with an open quote", {"in.csv": 'instance_id,summary,source,reference_0\n1,"a,b,c\n'},
         "sari score out.jsonl --input-files in.csv", DATA, ("in.csv:2", "is not CSV"), "runs to the end of the file"),
    Case("CSV without header", {"in.csv": ""}, "sari score out.jsonl --input-files in.csv", DATA,
         ("in.csv", "is empty", "column names"), "the names are needed"),
    Case("CSV with data for a header", {"in.csv": "1,a cat,the cat,a dog\n2,a,b,c\n"},
         "sari score out.jsonl --input-files in.csv", DATA, ("in.csv:2", "'summary' is missing"), "no header"),
    Case("CSV with an empty name", {"in.csv": "instance_id,,summary\n1,a,b\n"},
         "sari score out.jsonl --input-files in.csv", DATA, ("in.csv:1", "column has no name"), "an index column"),
    Case("CSV with the index of pandas", {"in.csv": ",instance_id,summary\n0,1,a\n"},
         "sari score out.jsonl --input-files in.csv", DATA, ("in.csv:1", "to_csv(…, index=False)"), "to_csv()"),
    Case("many problems", rows(*[row(instance_id=str(n), source=n) for n in range(33)]), SCORE, DATA,
         ("in.jsonl:1:", "in.jsonl:20:", "and 13 more problems"), "twenty are shown, the rest counted"),
    Case("a problem of all rows", rows(*[row(instance_id=str(n), source=None) for n in range(33)], "{\n"), SCORE, DATA,
         ("in.jsonl:1, 2, 3 and 30 more lines: 'source' is missing", "\nin.jsonl:34: "), "once, with its first lines"),
    Case("problems of different kinds together", rows(row(references="x"), "{\n", row(instance_id=1.5)), SCORE, DATA,
         ("in.jsonl:1", "in.jsonl:2", "in.jsonl:3"), "not one a run"),
    Case("problems in two files together", {"in.jsonl": row(source=None), "two.jsonl": "{\n"}, f"{SCORE} two.jsonl",
         DATA, ("in.jsonl:1", "two.jsonl:1"), "not one a file"),
]  # fmt: skip
PLAIN = "sari score out.jsonl --outputs out.txt --references ref.txt --sources src.txt"
TABLE = {"in.csv": "instance_id,summary\n1,a\n3,b\n", **TEXT}
TEXTS = [
    Case("unequal text files", {**TEXT, "ref.txt": "a\n"}, PLAIN, DATA,
         ("ref.txt:1", "ends after 1 line; all files must", "out.txt has 2", "ref.txt has 1"), "no line is dropped"),
    Case("two outputs with one name", {**TEXT, "x/out.txt": "a\nb\n"},
         PLAIN.replace("out.txt", "ours=out.txt ours=x/out.txt"),
         USAGE, (f"--outputs: the name 'ours' {GIVEN_TO_TWO_FILES}",), "they would be one system"),
    Case("names of systems with a reader that does not take them", {**GOOD, **TEXT},
         "sari score out.jsonl --dataset-reader reference-based --outputs ours=in.jsonl",
         USAGE, ("'reference-based' does not accept names of systems",), "not ignored"),
    Case("files with commas in between, as for EASSE", TEXT, PLAIN.replace("ref.txt", "ref.txt,src.txt"), USAGE,
         ("'ref.txt,src.txt'", "ref.txt src.txt"), "the file is missing, its parts are not"),
    Case("jsonl given to --outputs", {**TEXT, **GOOD}, PLAIN.replace("out.txt", "in.jsonl"), USAGE,
         ("--outputs must be plain text, got 'in.jsonl'", "use --input-files"), "the flag that reads it is named"),
    Case("--references with a reader that does not take them", {**GOOD, **TEXT},
         f"{SCORE} --dataset-reader reference-based --references ref.txt", USAGE,
         ("'reference-based' does not accept --references",), "not ignored"),
    Case("--outputs and --input-files", {**GOOD, **TEXT}, f"{PLAIN} {IN}", USAGE,
         ("--outputs and --input-files",), "one way too many"),
    Case("references twice", {**GOOD, **TEXT}, f"{SCORE} --references ref.txt", DATA,
         ("in.jsonl:1", "'references' is in the row", "text files"), "those of the rows or those of the file?"),
    Case("missing reference file", {"out.txt": "a\n", "src.txt": "a\n"}, PLAIN, DATA,
         ("ref.txt", "cannot be read"), "named, no trace"),
    Case("missing text files", {"ref.txt": "a\n", "src.txt": "a\n"}, PLAIN.replace("out.txt", "out.txt two.txt"), DATA,
         ("out.txt: cannot be read", "two.txt: cannot be read"), "not one a run"),
    Case("text without references", TEXT, PLAIN.replace("--references ref.txt ", ""), USAGE,
         ("'sari' needs 'references'", "--references FILE"), "one line, not one for each of theirs"),
    Case("table joined by an id that is no line", TABLE,
         "sari score out.jsonl --input-files in.csv --references ref.txt --sources src.txt", DATA,
         ("in.csv:3", "line number of ref.txt, from 1 to 2", "'3'"), "the line does not exist"),
    Case("empty outputs", {**TEXT, "out.txt": "", "ref.txt": "", "src.txt": ""}, PLAIN, DATA,
         ("out.txt", "contains no outputs"), "no division by zero"),
]  # fmt: skip
READERS = [
    Case("one file for two", rows(row()), f"{DOCUMENTS} in.jsonl", USAGE,
         ("needs 2 files", "got 1"), "which is which is said"),
    Case("no documents for a summary", {"d.jsonl": line({"instance_id": "1", "documents": ["x"]}),
         "s.jsonl": row() + row(instance_id="9")}, f"{DOCUMENTS} d.jsonl s.jsonl", DATA,
         ("s.jsonl:2", "no documents of '9' in d.jsonl"), "the join fails"),
    Case("documents twice", {"d.jsonl": line({"instance_id": "1", "documents": ["x"]}) * 2, "s.jsonl": row()},
         f"{DOCUMENTS} d.jsonl s.jsonl", DATA, ("d.jsonl:2", "duplicate documents", "line 1"), "which of them?"),
    Case("pyramid of a missing input", {"p.jsonl": line(PYRAMID), "a.jsonl": line({**ANNOTATION, "instance_id": "2"})},
         PYRAMIDS, DATA, ("a.jsonl:1", "no pyramid of '2' in p.jsonl"), "the join fails"),
    Case("unit that the pyramid lacks",
         {"p.jsonl": line(PYRAMID), "a.jsonl": line({**ANNOTATION, "scus": [{"scu_id": 5}]})},
         PYRAMIDS, DATA, ("a.jsonl:1", "p.jsonl:1", "5"), "an annotation of another pyramid"),
    Case("pyramid metric with another reader", GOOD, f"pyramid-score score out.jsonl {IN}", DATA,
         ("in.jsonl:1", "'annotation' is missing", "'pyramid-score'"), "its reader must be named"),
    Case("pyramid without units", {"p.jsonl": line({"instance_id": "1", "summarizer_ids": ["A"]}),
         "a.jsonl": line(ANNOTATION)}, PYRAMIDS, DATA, ("p.jsonl:1", "'scus' is missing"), "a field less"),
    Case("misspelt reader", GOOD, f"{SCORE} --dataset-reader reference-base", USAGE,
         ("unknown dataset reader 'reference-base'", "did you mean 'reference-based'?"), "a slip of the pen"),
    Case("broken JSON for a reader", GOOD, f"""{SCORE} --dataset-reader '{{"type": '""", USAGE,
         ("--dataset-reader", "is not JSON"), "the flag is named"),
    Case("reader without type", GOOD, f"""{SCORE} --dataset-reader '{{"references": []}}'""", USAGE,
         ('"type"',), "names nothing to build"),
    Case("unknown option of a reader", GOOD, f"""{SCORE} --dataset-reader '{{"type": "default", "reference": []}}'""",
         USAGE, ("unknown option 'reference' of 'default'", "did you mean 'references'?"), "a slip of the pen"),
]  # fmt: skip
METRICS = [
    Case("misspelt metric", GOOD, f"sarii score out.jsonl {IN}", USAGE,
         ("unknown command or metric 'sarii'", "did you mean 'sari'?"), "a slip of the pen"),
    Case("misspelt --metric", GOOD, f"score out.jsonl --metric sarii {IN}", USAGE,
         ("unknown metric 'sarii'", "did you mean 'sari'?"), "a slip of the pen"),
    Case("misspelt action", GOOD, f"sari eval out.jsonl {IN}", USAGE,
         ("'eval'", "fw sari evaluate", "fw sari score"), "both are named"),
    Case("no action", {}, "sari", USAGE, ("fw sari evaluate", "fw sari score"), "both are named"),
    Case("unknown option of a metric", GOOD, f"score out.jsonl --metric sari:varient=easse {IN}", USAGE,
         ("unknown option 'varient' of 'sari'", "did you mean 'variant'?"), "a slip of the pen"),
    Case("option of another variant", GOOD, f"{SCORE} --keep-recall union", USAGE,
         ("'easse'", "'keep_recall'", "set"), "the variants that have it are named"),
    Case("wrong choice", GOOD, f"{SCORE} --variant esse", USAGE,
         ("--variant", "one of easse", "'esse'"), "all are listed"),
    Case("wrong choice in --metric", GOOD, f"score out.jsonl --metric sari:variant=esse {IN}", USAGE,
         ("'variant'", "one of easse", "'esse'"), "all are listed"),
    Case("word for a number", GOOD, f"{SCORE} --variant t2t --beta-for-deletion much", USAGE,
         ("--beta-for-deletion", "must be a number", "'much'"), "typed flag"),
    Case("word for a truth", GOOD, f"{SCORE} --lowercase=perhaps", USAGE,
         ("--lowercase", "true or false", "'perhaps'"), "typed flag"),
    Case("option without value", GOOD, f"score out.jsonl --metric sari:lowercase {IN}", USAGE,
         ("'lowercase'", "option=value"), "the form is shown"),
    Case("option twice", GOOD, f"score out.jsonl --metric sari:lowercase=true,lowercase=false {IN}", USAGE,
         ("duplicate option 'lowercase'",), "which of them?"),
    Case("required option missing", WITH_PLUGIN, f"--include-packages plugin.py needy score out.jsonl {IN}", USAGE,
         ("--model",), "argparse names the flag"),
    Case("two metrics with one label", GOOD, f"score out.jsonl --metric sari --metric sari:variant=hf {IN}", USAGE,
         ("two metrics", "'sari'", "label"), "a way out is shown"),
    Case("two metrics with one key", WITH_PLUGIN,
         f"--include-packages plugin.py evaluate macro.json micro.jsonl --metric sari --metric same-key {IN}", USAGE,
         ("'sari'", "'same-key'", "label"), "the later must not win"),
    Case("metric that raises", WITH_PLUGIN, f"--include-packages plugin.py raises score out.jsonl {IN}", DATA,
         ("'raises'", "ZeroDivisionError"), "a plug-in fails, not fw"),
    Case("metric that loses an output", WITH_PLUGIN, f"--include-packages plugin.py too-few score out.jsonl {IN}", DATA,
         ("'too-few'", ONE_RESULT_FOR_EACH_SUMMARY), "no truncation"),
    Case("metric that gives words", WITH_PLUGIN,
         f"--include-packages plugin.py no-score evaluate macro.json micro.jsonl {IN}", DATA, ("'no-score'",),
         "a plug-in fails, not fw"),
    Case("metric that gives no dictionaries", WITH_PLUGIN,
         f"--include-packages plugin.py plain-dict score out.jsonl {IN}", DATA,
         ("'plain-dict'",), "a plug-in fails, not fw"),
    Case("plug-in that does not exist", GOOD, f"--include-packages nowhere.py nothing score out.jsonl {IN}", USAGE,
         ("'nowhere.py' is unavailable", "unknown command or metric 'nothing'"), "why the name is unknown"),
    Case("plug-in flag without plug-in", GOOD, "sari score out.jsonl --include-packages", USAGE,
         ("--include-packages must be followed by a package",), "a forgotten word"),
]  # fmt: skip
COMMAND_LINES = [
    Case("no command", {}, "", USAGE, ("usage: fw",), "the help, as an answer to a mistake"),
    Case("unknown command", {}, "evalute", USAGE, ("'evalute'", "did you mean 'evaluate'?"), "a slip of the pen"),
    Case("flag before the command", GOOD, f"--silent {SCORE}", USAGE,
         ("--silent", "unknown flag --silent before the command"), "wrong place"),
    Case("unknown flag", GOOD, f"{SCORE} --varient easse", USAGE,
         ("unknown flag --varient", "did you mean --variant?"), "a slip of the pen"),
    Case("abbreviated flag", GOOD, f"{SCORE} --lower", USAGE, ("unknown flag --lower", "--lowercase"), "not guessed"),
    Case("unknown single-letter flag", GOOD, f"{SCORE} -x", USAGE, ("unknown flag -x",), "there is none"),
    Case("one argument too many", GOOD, f"sari score out.jsonl more.jsonl {IN}", USAGE,
         ("unexpected argument 'more.jsonl'",), "the files it takes are listed"),
    Case("no input", {}, "sari score out.jsonl", USAGE,
         ("no input", "--input-files", "--outputs"), "both ways are shown"),
    Case("no metric", GOOD, f"score out.jsonl {IN}", USAGE, ("no metric", "--metric"), "both ways are shown"),
    Case("standard input twice", {}, "sari score out.jsonl --input-files - -", USAGE,
         ("'-' is given twice",), "the second would be empty"),
    Case("standard input twice, in two flags", {"out.txt": "a\n", "src.txt": "a\n"},
         "sari score out.jsonl --outputs - --references - --sources src.txt", USAGE, ("-", "twice"),
         "the two would share its lines"),
    Case("one file twice", GOOD, f"{SCORE} in.jsonl", USAGE,
         ("'in.jsonl' is given twice",), "every row would be double"),
    Case("two outputs to one path", GOOD, f"sari evaluate same.json same.json {IN}", USAGE,
         ("two outputs", "same.json"), "one would replace the other"),
    Case("two outputs to one path in two spellings", GOOD, f"sari evaluate same.json ./same.json {IN}", USAGE,
         ("two outputs", "same.json"), "one would replace the other"),
    Case("output as argument and flag", GOOD, f"{SCORE} --output-jsonl two.jsonl", USAGE,
         ("output scores", "twice"), "which of them?"),
    Case("output is a folder", {**GOOD, "out.jsonl/x": ""}, SCORE, USAGE,
         ("cannot write to 'out.jsonl'", "folder"), "before the work, not after"),
    Case("output below a file", {**GOOD, "file": ""}, SCORE.replace("out.jsonl", "file/out.jsonl"), USAGE,
         ("cannot write to 'file/out.jsonl'",), "a file is no folder"),
    Case("output is the input", GOOD, f"sari score in.jsonl {IN}", USAGE, ("in.jsonl",), "it would be replaced"),
    Case("log that cannot be written", {**GOOD, "log/x": ""}, f"{SCORE} --log-file log", USAGE,
         (f"{CANNOT_WRITE_LOG} 'log'",), "a folder"),
    Case("unknown value of --duplicates", GOOD, f"{SCORE} --duplicates both", USAGE,
         ("--duplicates", "'both'"), "the values are listed"),
    Case("unknown format", GOOD, f"{EVALUATE} --format word", USAGE, ("--format", "'word'", "markdown"), "listed"),
    Case("word for digits", GOOD, f"{EVALUATE} --digits many", USAGE, ("--digits", "many"), "typed flag"),
    Case("negative digits", GOOD, f"{EVALUATE} --digits -1", USAGE, ("--digits",), "no such number of digits"),
    Case("flag of the other command", GOOD, f"{EVALUATE} --disable-peer-jackknifing", USAGE,
         ("unknown flag --disable-peer-jackknifing",), "evaluate never jackknifes"),
]  # fmt: skip
CONFIG = "score out.jsonl --config config.json"
GOOD_CONFIG = {"metrics": ["sari"], "input_files": ["in.jsonl"]}
CONFIGURATIONS = [
    Case("config with an unknown key", {**GOOD, "config.json": line({**GOOD_CONFIG, "metric": "sari"})}, CONFIG, USAGE,
         ("unknown configuration key 'metric'", "did you mean 'metrics'?"), "a slip of the pen"),
    Case("config that is not JSON", {**GOOD, "config.json": '{"metrics":\n oops}'}, CONFIG, DATA,
         ("config.json:2", "is not JSON", "column"), "line and column"),
    Case("config with a key twice",
         {**GOOD, "config.json": '{"metrics": ["sari"], "metrics": ["ter"], "input_files": ["in.jsonl"]}'}, CONFIG,
         DATA, ("config.json: duplicate key 'metrics'",), "one of the two would go unseen"),
    Case("config with an option of a metric twice",
         {**GOOD, "config.json": '{"metrics": {"type": "sari", "variant": "hf", "variant": "t2t"}}'}, CONFIG,
         DATA, ("config.json: duplicate key 'variant'",), "at every depth"),
    Case("overrides with a key twice", {**GOOD, "config.json": line(GOOD_CONFIG)},
         f"""{CONFIG} --overrides '{{"metrics":"ter","metrics":"sari"}}'""", USAGE,
         ("--overrides: duplicate key 'metrics'",), "the flag is named"),
    Case("metric without a name", GOOD, f"score out.jsonl {IN} --metric ''", USAGE,
         ("name:option=value", "got ''"), "as given"),
    Case("metric in JSON with an option twice", GOOD,
         f"""score out.jsonl {IN} --metric '{{"type":"sari","variant":"hf","variant":"t2t"}}'""", USAGE,
         ("duplicate key 'variant'",), "as variant=hf,variant=t2t is"),
    Case("config with outputs of two kinds", {**GOOD, "config.json": line({**GOOD_CONFIG, "outputs": "out.txt"})},
         CONFIG, USAGE, ("'outputs' and 'input_files'", "use only one of them"), "which of them?"),
    Case("config with a number for outputs", {**GOOD, "config.json": line({"metrics": "sari", "outputs": 5})}, CONFIG,
         USAGE, ("'outputs' must be a path or a list of paths, got the number 5",), "no path"),
    Case("config that is a list", {**GOOD, "config.json": "[]"}, CONFIG, DATA,
         ("config.json", "JSON object"), "no object"),
    Case("config without metrics", {**GOOD, "config.json": line({"input_files": ["in.jsonl"]})}, CONFIG, USAGE,
         ("no metric",), "nothing to do"),
    Case("config with a number for a metric", {**GOOD, "config.json": line({**GOOD_CONFIG, "metrics": [5]})}, CONFIG,
         USAGE, ("metric", "5"), "no spec"),
    Case("config with a number for files", {**GOOD, "config.json": line({**GOOD_CONFIG, "input_files": 5})}, CONFIG,
         USAGE, ("input_files", "5"), "no path"),
    Case("config with a number for an output",
         {**GOOD, "config.json": line({**GOOD_CONFIG, "output_jsonl": 987654})}, "score --config config.json", USAGE,
         ("output_jsonl", "987654"), "no path, and no open file that happens to have this number"),
    Case("config with a wrong option",
         {**GOOD, "config.json": line({**GOOD_CONFIG, "metrics": {"type": "sari", "x": 1}})},
         CONFIG, USAGE, ("unknown option 'x' of 'sari'",), "named with its metric"),
    Case("no such config", GOOD, CONFIG, DATA, ("config.json", "cannot be read"), "named, no trace"),
    Case("overrides that are not JSON", {**GOOD, "config.json": line(GOOD_CONFIG)}, f"{CONFIG} --overrides metrics=ter",
         USAGE, ("--overrides is not JSON",), "the flag is named"),
    Case("overrides that are a list", {**GOOD, "config.json": line(GOOD_CONFIG)}, f"{CONFIG} --overrides []", USAGE,
         ("--overrides must be a JSON object",), "the flag is named"),
]  # fmt: skip
OWN_TEXT = rows(row(), row(summarizer_id="A", summarizer_type="reference", summary="a dog"))
HOLES = rows(row(), row(instance_id="2"), row(summarizer_id="t"))
STRICT = [
    Case("own text among the references", OWN_TEXT, f"{SCORE} --strict", DATA,
         ("1 output", "own text among its references", "--strict"), "inflated scores"),
    Case("own text in another spelling", rows(row(summarizer_type="reference", summary=["a", "dog"])),
         f"{SCORE} --strict", DATA, ("own text among its references",), "the same text as a list of sentences"),
    Case("systems that miss inputs", HOLES, f"{EVALUATE} --strict", DATA,
         ("1 of 2 systems", "'t' 1", "cover different inputs", "--strict"), "scores on different inputs"),
    Case("left-out duplicates", rows(row(), row()), f"{SCORE} --strict --duplicates first", DATA,
         ("1 duplicate output", "--strict"), "not dropped in silence"),
]  # fmt: skip
TABLE_HEADER = "instance_id,summary,source,"
TER_TABLE = "ter score out.jsonl --input-files"
TABLES = [
    Case("TSV with quotes", {"in.tsv": 'instance_id\tsummary\treference_0\n1\t"a ""b"" c"\td\n'},
         f"{TER_TABLE} in.tsv", DATA, ("in.tsv:2", "a cell is quoted", "save the table as CSV"), "not text"),
    Case("CSV with an upper-case column", {"in.csv": f"{TABLE_HEADER}Reference\n1,a,b,c\n"},
         f"{TER_TABLE} in.csv", DATA, ("in.csv:1", "'Reference'", "did you mean 'reference'?"), "it would be ignored"),
    Case("CSV with a blank behind a column", {"in.csv": f"{TABLE_HEADER}reference_0,reference_1 \n1,a,b,c,d\n"},
         f"{TER_TABLE} in.csv", DATA, ("in.csv:1", "'reference_1 '", "did you mean 'reference_1'?"),
         "one of two references would be ignored"),
    Case("CSV with an upper-case id", {"in.csv": "Instance ID,summary,reference\n1,a,b\n"},
         f"{TER_TABLE} in.csv", DATA, ("in.csv:1", "'Instance ID'", "did you mean 'instance_id'?"), "a spreadsheet"),
    Case("CSV separated by semicolons", {"in.csv": "instance_id;summary;reference_0\n1;a;b\n"},
         f"{TER_TABLE} in.csv", DATA, ("in.csv:1", "separated by ';'", "separated by ','"), "a German spreadsheet"),
    Case("one JSON object over many lines", rows('{\n  "instance_id": "1",\n  "summary": "a"\n}\n'), SCORE, DATA,
         ("in.jsonl:1", ONE_JSON_DOCUMENT), "said once, not line by line"),
]  # fmt: skip
STRAY = [
    Case("text file as an output", {**GOOD, **TEXT}, f"sari score ref.txt {IN}", USAGE,
         ("'ref.txt'", f"{EXPECTED_ENDING} .jsonl", "without a flag"), "references without --references"),
    Case("packed table as an output", {**GOOD, "ref.csv.gz": "x"}, f"sari score ref.csv.gz {IN}", USAGE,
         ("'ref.csv.gz'", f"{EXPECTED_ENDING} .jsonl"), "the ending below .gz counts"),
    Case("text file as the second output", {**GOOD, **TEXT}, f"sari evaluate macro.json src.txt {IN}", USAGE,
         ("'src.txt'", f"{EXPECTED_ENDING} .jsonl"), "every argument is checked"),
    Case("text file that is not there as an output", GOOD, f"sari score scores.txt {IN}", USAGE,
         ("'scores.txt'", "in .jsonl, .json or .parquet", "--output-jsonl scores.txt"), "whether there is one or not"),
    Case("metric as an output", GOOD, f"score ter {IN}", USAGE,
         ("'ter' is a metric", "--metric ter"), "there is no --metric"),
    Case("metric as an output of another metric", GOOD, f"sari score ter {IN}", USAGE,
         ("'ter' is a metric", "--metric ter"), "fw sari scores one metric"),
    Case("configuration as the output of a metric", {**GOOD, "config.json": line({"metrics": ["ter"]})},
         f"sari evaluate config.json {IN}", USAGE, ("'config.json' is a configuration", "--config config.json"),
         "it would be overwritten"),
    Case("configuration as an output beside --metric", {**GOOD, "config.json": line({"input_files": ["in.jsonl"]})},
         f"evaluate config.json micro.jsonl --metric sari {IN}", USAGE,
         ("'config.json' is a configuration",), "it would be overwritten"),
    Case("configuration with plain text as an output", {**GOOD, "config.json": line({"outputs": "out.txt"})},
         f"sari evaluate config.json {IN}", USAGE, ("'config.json' is a configuration",), "it would be overwritten"),
    Case("log that is an input", GOOD, f"{SCORE} --log-file in.jsonl", USAGE,
         (f"'in.jsonl' {BOTH_INPUT_AND_OUTPUT}",), "warnings among the data"),
    Case("log that is an output", GOOD, f"{SCORE} --log-file out.jsonl", USAGE,
         ("two outputs", "out.jsonl"), "one would replace the other"),
    Case("configuration that is an output too",
         {**GOOD, "config.json": line({"metrics": ["ter"], "input_files": ["in.jsonl"]})},
         "evaluate --config config.json --macro-output-json config.json", USAGE,
         (f"'config.json' {BOTH_INPUT_AND_OUTPUT}",), "it would be overwritten"),
    Case("references in JSONL", {**TEXT, "ref.jsonl": line({"text": "a"}) * 2},
         PLAIN.replace("ref.txt", "ref.jsonl"), USAGE, ("must be plain text, got 'ref.jsonl'",), "JSON scored as text"),
    Case("references in JSONL beside rows", {**rows(row(references=None)), "ref.jsonl": line({"text": "a"})},
         f"{SCORE} --references ref.jsonl", USAGE, ("must be plain text, got 'ref.jsonl'",), "JSON scored as text"),
    Case("sources in a table", {**TEXT, "src.csv": "a\nb\n"}, PLAIN.replace("src.txt", "src.csv"), USAGE,
         ("must be plain text, got 'src.csv'",), "a header scored as text"),
    Case("one reference file twice", TEXT, PLAIN.replace("ref.txt", "ref.txt ref.txt"), USAGE,
         ("'ref.txt' is given twice",), "two references that are one"),
    Case("one reference file in two spellings", TEXT, PLAIN.replace("ref.txt", "ref.txt ./ref.txt"), USAGE,
         ("'./ref.txt' is given twice",), "two references that are one"),
    Case("one file of rows in two spellings", GOOD, f"{SCORE} ./in.jsonl", USAGE,
         ("'./in.jsonl' is given twice",), "every row would be double"),
    Case("standard input for the references of two systems", {**TEXT, "two.txt": "a\nb\n"},
         "ter score out.jsonl --outputs out.txt two.txt --references -", USAGE,
         ("standard input can be read only once",), "nothing is left for the second"),
]  # fmt: skip
LINE_OF_RAISES = PLUGIN[: PLUGIN.index("1 / 0")].count("\n") + 1
INCLUDED = "--include-packages plugin.py"
PLUGINS = [
    Case("reader that gives dictionaries", WITH_PLUGIN, f"{INCLUDED} {SCORE} --dataset-reader gives-dicts", DATA,
         ("'gives-dicts'", "must yield instances of EvalInstance"), "what is expected is said"),
    Case("reader that gives whole numbers for ids", WITH_PLUGIN,
         f"{INCLUDED} {SCORE} --dataset-reader gives-whole-numbers", DATA,
         ("'gives-whole-numbers'", "ids are strings", "instance_id=1"), "they cannot be sorted among strings"),
    Case("jackknifer without its field", WITH_PLUGIN, f"{INCLUDED} greedy score out.jsonl {IN}", DATA,
         ("Greedy cannot jackknife 'greedy'", "plugin.py:", "KeyError: 'documents'"), "a plug-in fails, not fw"),
    Case("metric that gives a word deep down", WITH_PLUGIN, f"{INCLUDED} nested-word score out.jsonl {IN}", DATA,
         ("'nested-word' must return numbers", "'good'", "'deep'"), "a plug-in fails, not fw"),
    Case("metric that gives a word deep down, evaluated", WITH_PLUGIN,
         f"{INCLUDED} nested-word evaluate macro.json micro.jsonl {IN}", DATA,
         ("'nested-word' must return numbers", "'good'"), "a plug-in fails, not fw"),
    Case("corpus metric that gives numbers instead of dictionaries", WITH_PLUGIN,
         f"{INCLUDED} number-of-sums score out.jsonl {IN}", DATA,
         ("'number-of-sums' must return dictionaries of scores",), "a plug-in fails, not fw"),
    Case("corpus metric that gives words", WITH_PLUGIN,
         f"{INCLUDED} word-of-sums evaluate macro.json micro.jsonl {IN}", DATA,
         ("'word-of-sums' must return numbers", "'good'"), "a plug-in fails, not fw"),
    Case("place of a metric's failure", WITH_PLUGIN, f"{INCLUDED} raises score out.jsonl {IN}", DATA,
         ("failed at", f"plugin.py:{LINE_OF_RAISES}: ZeroDivisionError"), "file and line"),
    Case("metric that wants more memory than there is", WITH_PLUGIN,
         f"{INCLUDED} greedy-for-memory evaluate macro.json micro.jsonl {IN}", DATA,
         ("fw: error: out of memory", "--jobs"), "one line"),
    Case("order that nothing has n-grams of", GOOD, f"chrf score out.jsonl {IN} --char-order 100000000", USAGE,
         ("'char_order'", "1000, got"), "gigabytes of zeros"),
    Case("order that no text has words for", GOOD, f"ibleu score out.jsonl {IN} --max-ngram-order 1000000000", USAGE,
         ("'max_ngram_order' must be an integer from 1 to 1000",), "gigabytes of zeros"),
    Case("required truth missing", WITH_PLUGIN, f"{INCLUDED} truth score out.jsonl {IN}", USAGE,
         ("required", "--exact"), "argparse names the flag"),
    Case("word for a required truth", WITH_PLUGIN, f"{INCLUDED} truth score out.jsonl {IN} --exact=perhaps", USAGE,
         ("--exact", "true or false", "'perhaps'"), "typed flag"),
    Case("word for an option that goes by a prefix", WITH_PLUGIN,
         f"{INCLUDED} rounding evaluate macro.json {IN} --rounding-digits many", USAGE,
         ("--rounding-digits", "'many'"), "typed flag"),
]  # fmt: skip


def scored(instance: object, system: str, kind: str = "peer", **metrics: Any) -> str:
    """One good line of a score file."""
    return line({"instance_id": str(instance), "summarizer_id": system, "summarizer_type": kind, "metrics": metrics})


GRID = [(instance, number) for instance in range(3) for number in range(4)]
SCORES = "".join(scored(one, "abcd"[two], sari=(3 * one + 5 * two) % 11) for one, two in GRID)
HUMAN = "instance_id,system,human\n" + "".join(f"{one},{'abcd'[two]},{(2 * one + two) % 5}\n" for one, two in GRID)
MARKED = "".join(scored(one, "R", "reference", sari_jk=one, human=5) for one in range(3))
JUDGED = "".join(scored(one, "abcd"[two], sari=(3 * one + 5 * two) % 11, human=one * two) for one, two in GRID)
FILES_OF_SCORES: dict[str, str | bytes] = {"a.jsonl": SCORES, "h.csv": HUMAN}
PAIR = "--metrics sari human --resamples 20"
CORRELATE = f"correlate a.jsonl h.csv {PAIR} --output-file out.json --plot out.svg"
MACRO = json.dumps({"metrics": {"sari": 1.0}, "systems": {}}, indent=2) + "\n"


def other_scores(content: str, name: str = "a.jsonl") -> dict[str, str | bytes]:
    return {**FILES_OF_SCORES, name: content}


CORRELATIONS = [
    Case("a confidence level that is no level", FILES_OF_SCORES, f"{CORRELATE} --confidence 100", USAGE,
         ("--confidence", EXPECTED_CONFIDENCE, "'100'"), "0 and 100 percent say nothing"),
    Case("one name for a score and for a group of scores",
         {**FILES_OF_SCORES, "b.jsonl": scored(0, "a", sari={"x": 1.0})}, f"{CORRELATE} b.jsonl", DATA,
         ("b.jsonl:1", "'sari' has two values", "a.jsonl:1"), "both places are named"),
    Case("nested and flat scores with one name",
         {**FILES_OF_SCORES, "b.jsonl": scored(0, "a", n={"x": 1.0}), "c.jsonl": scored(0, "a", n_x=2.0)},
         f"{CORRELATE} b.jsonl c.jsonl", DATA, ("c.jsonl:1", "'0'", "'a'", "n_x"), "which of the two is n_x?"),
    Case("duplicates in a score file", other_scores(SCORES + scored(0, "a", sari=2.0)), CORRELATE, DATA,
         ("a.jsonl:13", "(first at a.jsonl:1)", "--duplicates first"), "both lines are named"),
    Case("duplicates in a table", other_scores(HUMAN + "0,a,3\n", "h.csv"), CORRELATE, DATA,
         ("h.csv:14", "(first at h.csv:2)"), "both lines are named"),
    Case("plain name with references", other_scores(JUDGED + MARKED),
         f"correlate a.jsonl {PAIR} --output-file out.json --summarizer-type all --strict", DATA,
         ("3 outputs without sari", "'R' on '0'", "use 'sari_jk'", "--strict"), "which name to ask for is said"),
    Case("unknown metric", FILES_OF_SCORES, CORRELATE.replace("sari", "sarri"), USAGE,
         ("unknown metric 'sarri'", "did you mean 'sari'?", "Known: human, sari"), "a slip of the pen"),
    Case("metrics in no common output", other_scores(HUMAN.replace("\n0,", "\n7,").replace("\n1,", "\n8,")
         .replace("\n2,", "\n9,"), "h.csv"), CORRELATE, DATA,
         ("no output of type 'peer' has both 'sari' and 'human'", "12 without 'sari', 12 without 'human'"), "counted"),
    Case("words for scores", other_scores(scored(0, "a", sari="good") + scored(0, "b", sari=True)), CORRELATE, DATA,
         ("a.jsonl:1", "'sari' must be a finite number", "'good'", "a.jsonl:2", "True"), "both are told"),
    Case("score beyond the floats", other_scores(scored(0, "a", sari=10**400)), CORRELATE, DATA,
         ("a.jsonl:1", "finite number"), "a whole number has no bounds in JSON"),
    Case("no object of scores", other_scores(line({"instance_id": "0", "summarizer_id": "a", "metrics": 5})),
         CORRELATE, DATA, ("a.jsonl:1", "'metrics' must be an object", "5"), "no scores"),
    Case("outputs instead of scores", other_scores(row()), CORRELATE, DATA,
         ("a.jsonl:1", "'metrics'", "score the outputs first"), "the step before was forgotten"),
    Case("broken JSON in a score file", other_scores(SCORES + '{"instance_id"\n'), CORRELATE, DATA,
         ("a.jsonl:13", "is not JSON"), "line and column"),
    Case("no such score file", {"h.csv": HUMAN}, CORRELATE, DATA,
         ("a.jsonl", "cannot be read", "No such file"), "named, no trace"),
    Case("table without a column of systems", other_scores("instance_id,human\n0,3\n", "h.csv"), CORRELATE, DATA,
         ("h.csv:1", "no column for the system", "instance_id, human"), "what is there is listed"),
    Case("table of text", other_scores("instance_id,system,human\n0,a,good\n", "h.csv"), CORRELATE, USAGE,
         ("unknown metric 'human'", "line 2 has 'good'"), "why it is none"),
    Case("plot in an unknown format", FILES_OF_SCORES, CORRELATE.replace("out.svg", "x.gif"), USAGE,
         ("expected a .svg", "file for --plot", "'x.gif'"), "no format of pictures"),
    Case("one metric twice", FILES_OF_SCORES, CORRELATE.replace("sari human", "sari sari"), USAGE,
         ("two different metrics", "'sari' twice"), "it agrees with itself"),
    Case("output over a score file", FILES_OF_SCORES, CORRELATE.replace("out.json", "a.jsonl"), USAGE,
         (f"'a.jsonl' {BOTH_INPUT_AND_OUTPUT}",), "it would be replaced"),
    Case("output over a table", FILES_OF_SCORES, CORRELATE.replace("out.json", "./h.csv"), USAGE,
         (f"'./h.csv' {BOTH_INPUT_AND_OUTPUT}",), "in another spelling"),
    Case("log of correlations over a score file", FILES_OF_SCORES, f"{CORRELATE} --log-file a.jsonl", USAGE,
         (f"'a.jsonl' {BOTH_INPUT_AND_OUTPUT}",), "warnings among the scores"),
    Case("two outputs of correlations in one file", FILES_OF_SCORES,
         CORRELATE.replace("out.json", "out.svg"), USAGE, ("two outputs", "out.svg"), "one would replace the other"),
    Case("unknown type of summarizer", FILES_OF_SCORES, f"{CORRELATE} --summarizer-type human", USAGE,
         ("--summarizer-type", "'human'", "peer, reference, all"), "the types are listed"),
    Case("macro file instead of scores", other_scores(MACRO, "macro.json"),
         f"correlate macro.json h.csv {PAIR}", DATA,
         ("macro.json:1", ONE_JSON_DOCUMENT), "the other file of evaluate"),
    Case("unknown flag of correlate", FILES_OF_SCORES, f"{CORRELATE} --sead 1", USAGE,
         ("unknown flag --sead", "did you mean --seed?"), "a slip of the pen"),
]  # fmt: skip
CASES = [
    *FIELDS,
    *IDS,
    *FILES,
    *TEXTS,
    *READERS,
    *METRICS,
    *COMMAND_LINES,
    *CONFIGURATIONS,
    *STRICT,
    *TABLES,
    *STRAY,
    *PLUGINS,
    *CORRELATIONS,
]


def write(folder: Path, files: dict[str, str | bytes]) -> None:
    """Writes the files of a case."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def everything_in(folder: Path) -> dict[str, bytes]:
    """Returns every file below a folder with what it holds."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def without_caches(files: dict[str, bytes]) -> dict[str, bytes]:
    return {name: content for name, content in files.items() if "__pycache__" not in name}


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_bad_input_is_refused_with_its_place_and_leaves_nothing(
    case: Case, fw: Callable[..., Any], tmp_path: Path
) -> None:
    write(tmp_path, case.files)
    before = everything_in(tmp_path)
    result = fw(*split(case.words))
    assert result.code == case.code, f"{case.why}\n{result.err}"
    missing = [fragment for fragment in case.fragments if fragment not in result.err]
    assert not missing, f"{case.why}: {missing} not in\n{result.err}"
    assert "Traceback" not in result.err
    assert result.out == ""
    assert without_caches(everything_in(tmp_path)) == before


def test_there_are_no_two_cases_of_one_name() -> None:
    assert len({case.name for case in CASES}) == len(CASES)


EMPTY = [row(instance_id=str(number), summary=text) for number, text in enumerate(["", " \t\n", ["", " "], ["", "a"]])]
EMPTY_OF = "some outputs are empty ('s' 3 of 4)"
TWO_EMPTY = rows(*EMPTY, *(row(instance_id=str(number), summarizer_id="t", summary="") for number in range(4)))
SEVEN_EMPTY = rows(*(row(summarizer_id=name, summary="") for name in "gfedcba"))
WARNED = [  # files, words, what stderr says, why
    (rows(*EMPTY), EVALUATE, EMPTY_OF, "three spellings of nothing, and a text"),
    (rows(*EMPTY), SCORE, EMPTY_OF, "jackknifed too"),
    (rows(*EMPTY), f"{EVALUATE} --jobs 2", EMPTY_OF, "counted in the main process"),
    (rows(*EMPTY), f"fkgl evaluate {IN}", EMPTY_OF, "FKGL of no words is undefined"),
    (TWO_EMPTY, EVALUATE, "('s' 3 of 4, 't' 4 of 4); they are scored as texts without words", "each system"),
    (SEVEN_EMPTY, EVALUATE, "('g' 1 of 1, 'f' 1 of 1, 'e' 1 of 1, 'd' 1 of 1, 'c' 1 of 1, …)", "seven, five are named"),
    (OWN_TEXT, SCORE, "own text among its references", "told, and scored"),
    (HOLES, EVALUATE, f"1 of 2 systems has {OUTPUTS_FOR_FEWER_INPUTS} 2 inputs ('t' 1)", "told, and scored"),
    (rows(row(), row()), f"{SCORE} --duplicates first", "1 duplicate output was skipped", "counted"),
    (rows(row(), row()), f"{EVALUATE} --duplicates last", "1 duplicate output was skipped", "counted"),
]


@pytest.mark.parametrize(("files", "words", "warning", "why"), WARNED)
def test_what_may_mislead_is_a_warning(
    files: dict[str, str | bytes], words: str, warning: str, why: str, fw: Callable[..., Any], tmp_path: Path
) -> None:
    write(tmp_path, files)
    result = fw(*split(words))
    assert (result.code, result.err.count("warning:")) == (0, 1), why
    assert warning in result.err


HOLE = JUDGED.replace('"sari": 0', '"sari": NaN', 1)
CORRELATED = [  # files, words, what stderr says, what the file says, why
    (other_scores(HOLE), "left out: 1 output without sari (for example 'a' on '0')", {"metric1_missing": 1}, "NaN"),
    (other_scores(HOLE.replace("NaN", "null")), "left out: 1 output without sari", {"metric1_missing": 1}, "null"),
    (other_scores(JUDGED + scored(9, "a", sari=1, human=2)), "", {"num_groups_one_system": 1}, "an input of one"),
    (other_scores("".join(scored(number, "abcdefghijkl"[number], sari=number, human=-number) for number in range(12))),
     "", {"num_groups_one_system": 12}, "every input has one system"),
    (other_scores("".join(scored(n % 5, "abcdefghijkl"[n % 12], sari=n % 7, human=n % 4) for n in range(0, 60, 7))),
     "", {}, "nine outputs of twelve systems on five inputs"),
    (other_scores(scored(0, "a", sari=1, human=2)), "", {"num_groups_one_system": 1}, "one output"),
]  # fmt: skip


@pytest.mark.parametrize(("files", "warning", "counts", "why"), CORRELATED, ids=[why for *_, why in CORRELATED])
@pytest.mark.parametrize("method", ["bootstrap-both", "bootstrap-inputs", "bootstrap-systems", "fisher", "none"])
def test_scores_with_holes_are_correlated_and_what_is_left_out_is_counted(
    files: dict[str, str | bytes],
    warning: str,
    counts: dict[str, int],
    why: str,
    method: str,
    fw: Callable[..., Any],
    tmp_path: Path,
) -> None:
    write(tmp_path, files)
    result = fw(*split(f"correlate a.jsonl {PAIR} --output-file out.json --ci {method}"))
    assert result.code == 0, result.err
    assert warning in result.err
    assert "Traceback" not in result.err
    written = json.loads((tmp_path / "out.json").read_text())
    found = {**written["dropped"], **written["summary_level"]}
    assert {name: found[name] for name in counts} == counts


OPTIONS_AS_FLAGS = [  # metric and flags, its score
    ("rounding --digits 4", 3.0),
    ("rounding --digits 4 --rounding-digits 7", 7.0),
    ("rounding --rounding_digits=7 --rounding-strict", 107.0),
    ("rounding --rounding-strict false --strict", 3.0),
    ("truth --exact", 1.0),
    ("truth --exact=false", 0.0),
    ("truth --exact false", 0.0),
]


@pytest.mark.parametrize(("words", "expected"), OPTIONS_AS_FLAGS)
def test_options_that_are_called_as_flags_of_the_command_go_by_a_prefix(
    words: str, expected: float, fw: Callable[..., Any], tmp_path: Path
) -> None:
    write(tmp_path, WITH_PLUGIN)
    metric, *flags = words.split()
    result = fw(*split(INCLUDED), metric, "evaluate", "macro.json", *split(IN), *flags)
    assert result.code == 0, result.err
    assert json.loads((tmp_path / "macro.json").read_text())["metrics"] == {metric: expected}


def test_an_option_called_digits_leaves_the_flag_of_score_alone(fw: Callable[..., Any], tmp_path: Path) -> None:
    """``score`` has no flag ``--digits``, so that the metric's option takes its own name there."""
    write(tmp_path, WITH_PLUGIN)
    result = fw(*split(f"{INCLUDED} rounding score {IN} --digits 9"))
    assert json.loads(result.out)["metrics"] == {"rounding": 9.0}


@pytest.mark.parametrize("ids", [(1, "2"), ("1", 2), (10**30, "b")])
def test_ids_that_are_strings_and_whole_numbers_mix(
    ids: tuple[Any, ...], fw: Callable[..., Any], tmp_path: Path
) -> None:
    write(tmp_path, rows(*[row(instance_id=one, summarizer_id=one) for one in ids]))
    assert fw(*split(SCORE)).code == 0
    written = [json.loads(text) for text in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert sorted(one["instance_id"] for one in written) == sorted(map(str, ids))


def test_an_existing_file_survives_a_run_that_fails(fw: Callable[..., Any], tmp_path: Path) -> None:
    write(tmp_path, {**rows(row(), "{"), "out.jsonl": "old\n"})
    assert fw(*split(SCORE), "--force").code == DATA
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.jsonl", "out.jsonl"]
    assert (tmp_path / "out.jsonl").read_text() == "old\n"


def test_problems_found_after_scoring_began_leave_no_file(fw: Callable[..., Any], tmp_path: Path) -> None:
    """More rows than a batch has, so that some are scored before the broken one is read."""
    write(tmp_path, rows(*[row(instance_id=str(number)) for number in range(5000)], "{\n"))
    for words in (SCORE, EVALUATE):
        result = fw(*split(words))
        assert (result.code, result.out) == (DATA, "")
        assert "in.jsonl:5001" in result.err
        assert [path.name for path in tmp_path.iterdir()] == ["in.jsonl"]


def test_a_failing_run_writes_no_score_to_standard_output(fw: Callable[..., Any], tmp_path: Path) -> None:
    write(tmp_path, rows(*[row(instance_id=str(number)) for number in range(5000)], "{\n"))
    assert fw("sari", "score", "-", "--input-files", "in.jsonl").out == ""


def test_a_folder_that_cannot_be_written_to_is_refused(
    fw: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The refusal of the system is put in by hand: a user who may write everywhere never meets it."""

    def refused(**where: Any) -> Any:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), where["dir"])

    write(tmp_path, GOOD)
    monkeypatch.setattr("tempfile.mkstemp", refused)
    result = fw("sari", "score", "locked/out.jsonl", *split(IN))
    assert result.code == USAGE
    assert "cannot write to 'locked/out.jsonl': Permission denied" in result.err
    assert not (tmp_path / "locked" / "out.jsonl").exists()


PROCESSES = [
    ("empty file", rows(), SCORE, 1, "in.jsonl: contains no outputs"),
    ("broken JSON", rows("{\n"), EVALUATE, 1, "in.jsonl:1: is not JSON"),
    ("unknown flag", GOOD, f"{SCORE} --varient easse", 2, "did you mean --variant?"),
    ("no command", {}, "", 2, "usage: fw"),
    (
        "failing plug-in",
        WITH_PLUGIN,
        f"--include-packages plugin.py raises score out.jsonl {IN}",
        1,
        "ZeroDivisionError",
    ),
]


@pytest.mark.parametrize(("name", "files", "words", "code", "message"), sampled(PROCESSES, 1))
def test_a_process_ends_with_the_exit_code_and_no_traceback(
    name: str, files: dict[str, str | bytes], words: str, code: int, message: str, tmp_path: Path
) -> None:
    write(tmp_path, files)
    done = subprocess.run([*FW, *split(words)], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (code, "")
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize("words", ["score out.jsonl", "evaluate macro.json micro.jsonl"])
def test_an_interrupted_run_ends_with_130_and_leaves_no_file(words: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "input")
    command = [*FW, "sari", *words.split(), "--input-files", "input"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with open(tmp_path / "input", "w") as stream:  # opens once fw reads
        stream.write(row())
        stream.flush()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (130, "")
    assert "interrupted" in err
    assert "Traceback" not in err
    assert [path.name for path in tmp_path.iterdir()] == ["input"]


@pytest.mark.parametrize(
    "words", sampled([f"sari score {IN}", f"sari evaluate {IN}", f"sari evaluate - {IN}", "--help", "list metrics"], 1)
)
def test_a_closed_pipe_ends_a_run_with_141(words: str, tmp_path: Path) -> None:
    write(tmp_path, rows(*[row(instance_id=str(number)) for number in range(2000)]))
    process = subprocess.Popen(
        [*FW, *split(words)], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    err = process.stderr.read()
    process.stderr.close()
    assert process.wait(timeout=30) == 141
    assert "Traceback" not in err
    assert "Exception ignored" not in err
