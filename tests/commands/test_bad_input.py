"""Bad input and misuse: what ``fw`` says, with which exit code, and that it leaves nothing behind."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from shlex import split
from typing import Any, NamedTuple

import pytest
from json_files import read_json, read_rows
from messages import (
    BOTH_INPUT_AND_OUTPUT,
    CANNOT_WRITE_LOG,
    DUPLICATE_OUTPUT,
    EXPECTED_ENDING,
    GIVEN_TO_TWO_FILES,
    IDS_IN_ALL_OR_NONE,
    ONE_RESULT_FOR_EACH_SUMMARY,
    OUTPUTS_FOR_FEWER_INPUTS,
)
from samples import sampled

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
    fragments: tuple[str, ...]
    words: str
    code: int


IN = "--input-files in.jsonl"
SCORE = f"sari score out.jsonl {IN}"


def bad(name: str, files: Any, *fragments: str, words: str = SCORE, code: int = DATA) -> Case:
    """Returns a case, by its name, the rows of ``in.jsonl`` or all files, and parts of the message."""
    return Case(name, rows(files) if isinstance(files, str) else files, fragments, words, code)


EVALUATE = f"sari evaluate macro.json micro.jsonl {IN}"
GOOD = rows(row())
TEXT = {"out.txt": "a\nb\n", "ref.txt": "a\nb\n", "src.txt": "a\nb\n"}
PLUGIN = """
from metrics_framework import (
    CorpusMetric, DatasetReader, EvalInstance, Jackknifer, Metric, MetricsDict, ReferenceBasedMetric
)

@Metric.register("same-key")
class SameKey(ReferenceBasedMetric):
    def score_multi_all(self, summaries_list, references_list):
        return [[MetricsDict({"sari": 1.0}) for _ in summaries] for summaries in summaries_list]

@Metric.register("greedy-for-memory")
class GreedyForMemory(ReferenceBasedMetric):
    def score_multi_all(self, summaries_list, references_list):
        return [b" " * 2**62]

@Metric.register("too-few")
class TooFew(ReferenceBasedMetric):
    def score_multi_all(self, summaries_list, references_list):
        return [[] for _ in summaries_list]

@Metric.register("plain-dict")
class PlainDict(ReferenceBasedMetric):
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
    def value(self):
        return {"x": {"deep": "good"}}

@Metric.register("rounding")
class Rounding(Told):
    def __init__(self, digits: int = 3, strict: bool = False):
        super().__init__()
        self.digits, self.strict = digits, strict
    def value(self):
        return self.digits + 100.0 * self.strict

@Metric.register("truth")
class Truth(Told):
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
    jackknifer = Greedy()

class Sums(CorpusMetric, ReferenceBasedMetric):
    def statistics(self, summary, references):
        return [1.0]

@Metric.register("number-of-sums")
class NumberOfSums(Sums):
    def score_statistics(self, statistics):
        return statistics[0]

@Metric.register("word-of-sums")
class WordOfSums(Sums):
    def score_statistics(self, statistics):
        return MetricsDict({"word-of-sums": "good"})

@DatasetReader.register("gives-dicts")
class GivesDicts(DatasetReader):
    def instances(self, input_files, problems):
        yield {"instance_id": "1"}

@DatasetReader.register("gives-whole-numbers")
class GivesWholeNumbers(DatasetReader):
    def instances(self, input_files, problems):
        yield EvalInstance(1, "s", "peer", {"summary": "a", "references": ["b"], "source": "c"})
"""
WITH_PLUGIN = {**GOOD, "plugin.py": PLUGIN}
PYRAMID = {"instance_id": "1", "summarizer_ids": ["A"], "scus": [{"scu_id": 1, "contributors": [{"summary_index": 0}]}]}
ANNOTATION = {"instance_id": "1", "summarizer_id": "s", "scus": [{"scu_id": 1}]}
PYRAMIDS = "pyramid-score score out.jsonl --dataset-reader pyramid-based --input-files p.jsonl a.jsonl"
DOCUMENTS = "sari score out.jsonl --dataset-reader split-document-based --input-files"

FIELDS = [
    bad("missing references", rows(row(), row(instance_id="2", references=None)), "in.jsonl:2",
        "'sari' needs 'references'", "'summary'"),
    bad("missing source", row(source=None), "in.jsonl:1", "needs 'source'"),
    bad("missing summary", row(summary=None), "in.jsonl:1", "needs 'summary'"),
    bad("missing instance_id", rows(row(), row(instance_id=None)), "in.jsonl:2", "'instance_id' is missing"),
    bad("instance_id after rows without", rows(row(instance_id=None), row()), "in.jsonl:2",
        f"'instance_id' {IDS_IN_ALL_OR_NONE}"),
    bad("several systems without instance_id", rows(row(instance_id=None), row(instance_id=None, summarizer_id="t")),
        "in.jsonl:2", "'t' follows 's'", "--columns instance_id=COLUMN"),
    bad("missing field named by a strict reader", row(references=None), "in.jsonl:1",
        "'references' (or 'reference') is missing",
        words=f"{SCORE.replace('sari', 'ter')} --dataset-reader reference-based"),
    bad("reader that drops what the metric needs", GOOD, "'sari' needs 'references'", "'summary-only'",
        words=f"{SCORE} --dataset-reader summary-only", code=USAGE),
    bad("string as references", row(references="a dog"), "in.jsonl:1", "'references' must be a non-empty list of texts",
        "the string 'a dog'"),
    bad("both names of one field", row(prediction="a cat"), "in.jsonl:1", "'summary' and 'prediction'"),
]  # fmt: skip
IDS = [
    bad("float id", row(instance_id=1.5), "in.jsonl:1", "'instance_id'", "1.5"),
    bad("unknown summarizer_type", row(summarizer_type="system"), "in.jsonl:1",
        "'summarizer_type' must be 'peer' or 'reference'", "'system'"),
    bad("one system of two types", rows(row(), row(instance_id="2", summarizer_type="reference")), "in.jsonl:2",
        "'s' is of type 'reference' here, but 'peer' before"),
    bad("duplicate rows", rows(row(), row(instance_id="2"), row()), "in.jsonl:3",
        f"{DUPLICATE_OUTPUT} 's' for input '1'", "line 1", "--duplicates"),
    bad("duplicate of mixed id types", rows(row(instance_id=7), row(instance_id="7")), "in.jsonl:2", "duplicate output",
        "line 1"),
    bad("duplicate across files", {"in.jsonl": row(), "two.jsonl": row(instance_id="2") + row()}, "two.jsonl:2",
        "duplicate output", "in.jsonl:1", words=f"{SCORE} two.jsonl"),
]  # fmt: skip
FILES = [
    bad("broken JSON", rows(row(), '{"instance_id": "2", \n', row(instance_id="3")), "in.jsonl:2", "is not JSON",
        "column"),
    bad("one JSON array without its end", rows("[\n", row()), "in.jsonl:2", "expected ',' or ']'"),
    bad("empty file", rows(), "in.jsonl", "contains no outputs"),
    bad("no such file", {}, "in.jsonl", "cannot be read", "No such file"),
    bad("no such files", GOOD, "nope.jsonl: cannot be read", "neither.csv: cannot be read",
        words=f"{SCORE} nope.jsonl neither.csv"),
    bad("no such file, and a problem in another", {"two.jsonl": row(source=None)}, "in.jsonl: cannot be read",
        "two.jsonl:1", words=f"{SCORE} two.jsonl"),
    bad("input is a folder", {"in.jsonl/x": ""}, "in.jsonl", "cannot be read", "folder", code=USAGE),
    bad("not UTF-8", rows(row()) | {"in.jsonl": row().encode() + b'{"instance_id": "\xff"}\n'}, "in.jsonl:2",
        "is not UTF-8", "0xff"),
    bad("gz that is none", {"in.jsonl.gz": row()}, "in.jsonl.gz", "gzip", words=f"{SCORE}.gz"),
    bad("ragged CSV row", {"in.csv": "instance_id,summary,source,reference_0\n1,a,b,c\n2,a,b\n"}, "in.csv:3",
        "must have 4 fields", "got 3", words="sari score out.jsonl --input-files in.csv"),
    bad("CSV with data for a header", {"in.csv": "1,a cat,the cat,a dog\n2,a,b,c\n"}, "in.csv: has no header",
        "--column-names", words="sari score out.jsonl --input-files in.csv"),
    bad("many problems", rows(*[row(instance_id=str(n), source=n) for n in range(33)]), "in.jsonl:1:", "in.jsonl:20:",
        "and 13 more problems"),
    bad("a problem of all rows", rows(*[row(instance_id=str(n), source=None) for n in range(33)], "{\n"),
        "in.jsonl:1, 2, 3 and 30 more lines: the metric 'sari' needs 'source'", "\nin.jsonl:34: "),
    bad("problems of different kinds together", rows(row(references="x"), "{\n", row(instance_id=1.5)), "in.jsonl:1",
        "in.jsonl:2", "in.jsonl:3"),
    bad("problems in two files together", {"in.jsonl": row(source=None), "two.jsonl": "{\n"}, "in.jsonl:1",
        "two.jsonl:1", words=f"{SCORE} two.jsonl"),
]  # fmt: skip
PLAIN = "sari score out.jsonl --outputs out.txt --references ref.txt --sources src.txt"
TEXTS = [
    bad("two outputs with one name", {**TEXT, "x/out.txt": "a\nb\n"},
        f"--outputs: the name 'ours' {GIVEN_TO_TWO_FILES}",
        words=PLAIN.replace("out.txt", "ours=out.txt ours=x/out.txt"), code=USAGE),
    bad("names of systems with a reader that does not take them", {**GOOD, **TEXT},
        "'reference-based' does not accept names of systems",
        words="sari score out.jsonl --dataset-reader reference-based --outputs ours=in.jsonl", code=USAGE),
    bad("--references with a reader that does not take them", {**GOOD, **TEXT},
        "'reference-based' does not accept --references",
        words=f"{SCORE} --dataset-reader reference-based --references ref.txt", code=USAGE),
    bad("--outputs and --input-files", {**GOOD, **TEXT}, "--outputs and --input-files", words=f"{PLAIN} {IN}",
        code=USAGE),
    bad("missing reference file", {"out.txt": "a\n", "src.txt": "a\n"}, "ref.txt", "cannot be read", words=PLAIN),
    bad("missing text files", {"ref.txt": "a\n", "src.txt": "a\n"}, "out.txt: cannot be read",
        "two.txt: cannot be read", words=PLAIN.replace("out.txt", "out.txt two.txt")),
    bad("text without references", TEXT, "'sari' needs 'references'", "--references FILE",
        words=PLAIN.replace("--references ref.txt ", ""), code=USAGE),
    bad("empty outputs", {**TEXT, "out.txt": "", "ref.txt": "", "src.txt": ""}, "out.txt", "contains no outputs",
        words=PLAIN),
]  # fmt: skip
READERS = [
    bad("no documents for a summary",
        {"d.jsonl": line({"instance_id": "1", "documents": ["x"]}), "s.jsonl": row() + row(instance_id="9")},
        "s.jsonl:2", "no documents of '9' in d.jsonl", words=f"{DOCUMENTS} d.jsonl s.jsonl"),
    bad("unit that the pyramid lacks",
        {"p.jsonl": line(PYRAMID), "a.jsonl": line({**ANNOTATION, "scus": [{"scu_id": 5}]})}, "a.jsonl:1", "p.jsonl:1",
        "5", words=PYRAMIDS),
    bad("pyramid metric with another reader", GOOD, "in.jsonl:1", "'pyramid-score' needs 'annotation'",
        words=f"pyramid-score score out.jsonl {IN}"),
    bad("misspelt reader", GOOD, "unknown dataset reader 'reference-base'", "did you mean 'reference-based'?",
        words=f"{SCORE} --dataset-reader reference-base", code=USAGE),
    bad("broken JSON for a reader", GOOD, "--dataset-reader", "is not JSON",
        words=f"""{SCORE} --dataset-reader '{{"type": '""", code=USAGE),
    bad("reader without type", GOOD, '"type"', words=f"""{SCORE} --dataset-reader '{{"references": []}}'""",
        code=USAGE),
]  # fmt: skip
METRICS = [
    bad("misspelt action", GOOD, "'eval'", "fw sari evaluate", "fw sari score", words=f"sari eval out.jsonl {IN}",
        code=USAGE),
    bad("no action", {}, "fw sari evaluate", "fw sari score", words="sari", code=USAGE),
    bad("unknown option of a metric", GOOD, "unknown option 'varient' of 'sari'", "did you mean 'variant'?",
        words=f"score out.jsonl --metric sari:varient=easse {IN}", code=USAGE),
    bad("option of another variant", GOOD, "'easse'", "--keep-recall", "set", words=f"{SCORE} --keep-recall union",
        code=USAGE),
    bad("wrong choice", GOOD, "--variant", "one of easse", "'esse'", words=f"{SCORE} --variant esse", code=USAGE),
    bad("word for a number", GOOD, "--beta-for-deletion", "must be a number", "'much'",
        words=f"{SCORE} --variant t2t --beta-for-deletion much", code=USAGE),
    bad("required option missing", WITH_PLUGIN, "--model",
        words=f"--include-packages plugin.py needy score out.jsonl {IN}", code=USAGE),
    bad("two metrics with one label", GOOD, "two metrics", "'sari'", "label",
        words=f"score out.jsonl --metric sari --metric sari:variant=hf {IN}", code=USAGE),
    bad("two metrics with one key", WITH_PLUGIN, "'sari'", "'same-key'", "label",
        words=f"--include-packages plugin.py evaluate macro.json micro.jsonl --metric sari --metric same-key {IN}",
        code=USAGE),
    bad("metric that loses an output", WITH_PLUGIN, "'too-few'", ONE_RESULT_FOR_EACH_SUMMARY,
        words=f"--include-packages plugin.py too-few score out.jsonl {IN}"),
    bad("metric that gives no dictionaries", WITH_PLUGIN, "'plain-dict'",
        words=f"--include-packages plugin.py plain-dict score out.jsonl {IN}"),
    bad("plug-in that does not exist", GOOD, "'nowhere.py' is unavailable", "unknown command or metric 'nothing'",
        words=f"--include-packages nowhere.py nothing score out.jsonl {IN}", code=USAGE),
    bad("plug-in flag without plug-in", GOOD, "--include-packages must be followed by a package",
        words="sari score out.jsonl --include-packages", code=USAGE),
]  # fmt: skip
COMMAND_LINES = [
    bad("no command", {}, "usage: fw", words="", code=USAGE),
    bad("unknown command", {}, "'evalute'", "did you mean 'evaluate'?", words="evalute", code=USAGE),
    bad("flag before the command", GOOD, "--silent", "unknown flag --silent before the command",
        words=f"--silent {SCORE}", code=USAGE),
    bad("abbreviated flag", GOOD, "unknown flag --lower", "--lowercase", words=f"{SCORE} --lower", code=USAGE),
    bad("unknown single-letter flag", GOOD, "unknown flag -x", words=f"{SCORE} -x", code=USAGE),
    bad("one argument too many", GOOD, "unexpected argument 'more.jsonl'",
        words=f"sari score out.jsonl more.jsonl {IN}", code=USAGE),
    bad("no input", {}, "no input", "--input-files", "--outputs", words="sari score out.jsonl", code=USAGE),
    bad("standard input twice", {}, "'-' is given twice", words="sari score out.jsonl --input-files - -", code=USAGE),
    bad("standard input twice, in two flags", {"out.txt": "a\n", "src.txt": "a\n"}, "-", "twice",
        words="sari score out.jsonl --outputs - --references - --sources src.txt", code=USAGE),
    bad("one file twice", GOOD, "'in.jsonl' is given twice", words=f"{SCORE} in.jsonl", code=USAGE),
    bad("two outputs to one path", GOOD, "two outputs", "same.json", words=f"sari evaluate same.json same.json {IN}",
        code=USAGE),
    bad("two outputs to one path in two spellings", GOOD, "two outputs", "same.json",
        words=f"sari evaluate same.json ./same.json {IN}", code=USAGE),
    bad("output as argument and flag", GOOD, "output scores", "twice", words=f"{SCORE} --output-jsonl two.jsonl",
        code=USAGE),
    bad("output is a folder", {**GOOD, "out.jsonl/x": ""}, "cannot write to 'out.jsonl'", "folder", code=USAGE),
    bad("output below a file", {**GOOD, "file": ""}, "cannot write to 'file/out.jsonl'",
        words=SCORE.replace("out.jsonl", "file/out.jsonl"), code=USAGE),
    bad("log that cannot be written", {**GOOD, "log/x": ""}, f"{CANNOT_WRITE_LOG} 'log'",
        words=f"{SCORE} --log-file log", code=USAGE),
    bad("unknown value of --duplicates", GOOD, "--duplicates", "'both'", words=f"{SCORE} --duplicates both",
        code=USAGE),
    bad("word for digits", GOOD, "--digits", "many", words=f"{EVALUATE} --digits many", code=USAGE),
    bad("negative digits", GOOD, "--digits", words=f"{EVALUATE} --digits -1", code=USAGE),
    bad("flag of the other command", GOOD, "unknown flag --disable-peer-jackknifing",
        words=f"{EVALUATE} --disable-peer-jackknifing", code=USAGE),
]  # fmt: skip
CONFIG = "score out.jsonl --config config.json"
GOOD_CONFIG = {"metrics": ["sari"], "input_files": ["in.jsonl"]}
CONFIGURATIONS = [
    bad("config with an unknown key", {**GOOD, "config.json": line({**GOOD_CONFIG, "metric": "sari"})},
        "unknown configuration key 'metric'", "did you mean 'metrics'?", words=CONFIG, code=USAGE),
    bad("config that is not JSON", {**GOOD, "config.json": '{"metrics":\n oops}'}, "config.json:2", "is not JSON",
        "column", words=CONFIG),
    bad("config with a key twice",
        {**GOOD, "config.json": '{"metrics": ["sari"], "metrics": ["ter"], "input_files": ["in.jsonl"]}'},
        "config.json: duplicate key 'metrics'", words=CONFIG),
    bad("config with an option of a metric twice",
        {**GOOD, "config.json": '{"metrics": {"type": "sari", "variant": "hf", "variant": "t2t"}}'},
        "config.json: duplicate key 'variant'", words=CONFIG),
    bad("overrides with a key twice", {**GOOD, "config.json": line(GOOD_CONFIG)},
        "--overrides: duplicate key 'metrics'",
        words=f"""{CONFIG} --overrides '{{"metrics":"ter","metrics":"sari"}}'""", code=USAGE),
    bad("metric without a name", GOOD, "no metric; use --metric NAME", words=f"score out.jsonl {IN} --metric ''",
        code=USAGE),
    bad("metric in JSON with an option twice", GOOD, "duplicate key 'variant'",
        words=f"""score out.jsonl {IN} --metric '{{"type":"sari","variant":"hf","variant":"t2t"}}'""", code=USAGE),
    bad("config with outputs of two kinds", {**GOOD, "config.json": line({**GOOD_CONFIG, "outputs": "out.txt"})},
        "'outputs' and 'input_files'", "use only one of them", words=CONFIG, code=USAGE),
    bad("config with a number for outputs", {**GOOD, "config.json": line({"metrics": "sari", "outputs": 5})},
        "'outputs' must be a path or a list of paths, got the number 5", words=CONFIG, code=USAGE),
    bad("config that is a list", {**GOOD, "config.json": "[]"}, "config.json", "JSON object", words=CONFIG),
    bad("config without metrics", {**GOOD, "config.json": line({"input_files": ["in.jsonl"]})}, "no metric",
        words=CONFIG, code=USAGE),
    bad("config with a number for a metric", {**GOOD, "config.json": line({**GOOD_CONFIG, "metrics": [5]})}, "metric",
        "5", words=CONFIG, code=USAGE),
    bad("config with a number for files", {**GOOD, "config.json": line({**GOOD_CONFIG, "input_files": 5})},
        "input_files", "5", words=CONFIG, code=USAGE),
    bad("config with a number for an output", {**GOOD, "config.json": line({**GOOD_CONFIG, "output_jsonl": 987654})},
        "output_jsonl", "987654", words="score --config config.json", code=USAGE),
    bad("config with a wrong option",
        {**GOOD, "config.json": line({**GOOD_CONFIG, "metrics": {"type": "sari", "x": 1}})},
        "unknown option 'x' of 'sari'", words=CONFIG, code=USAGE),
    bad("no such config", GOOD, "config.json", "cannot be read", words=CONFIG),
    bad("overrides that are not JSON", {**GOOD, "config.json": line(GOOD_CONFIG)}, "--overrides is not JSON",
        words=f"{CONFIG} --overrides metrics=ter", code=USAGE),
    bad("overrides that are a list", {**GOOD, "config.json": line(GOOD_CONFIG)}, "--overrides must be a JSON object",
        words=f"{CONFIG} --overrides []", code=USAGE),
]  # fmt: skip
OWN_TEXT = rows(row(), row(summarizer_id="A", summarizer_type="reference", summary="a dog"))
HOLES = rows(row(), row(instance_id="2"), row(summarizer_id="t"))
STRICT = [
    bad("own text among the references", OWN_TEXT, "1 of 1 outputs", "own text among their references", "--strict",
        words=f"{SCORE} --strict"),
    bad("own text in another spelling", row(summarizer_type="reference", summary=["a", "dog"]),
        "own text among their references", words=f"{SCORE} --strict"),
    bad("systems that miss inputs", HOLES, "1 of 2 systems", "'t' 1", "cover different inputs", "--strict",
        words=f"{EVALUATE} --strict"),
    bad("left-out duplicates", rows(row(), row()), "1 duplicate output", "--strict",
        words=f"{SCORE} --strict --duplicates first"),
]  # fmt: skip
TABLE_HEADER = "instance_id,summary,source,"
TER_TABLE = "ter score out.jsonl --input-files"
TABLES = [
    bad("TSV with quotes", {"in.tsv": 'instance_id\tsummary\treference_0\n1\t"a ""b"" c"\td\n'}, "in.tsv:2",
        "a cell is quoted", "save the table as CSV", words=f"{TER_TABLE} in.tsv"),
]  # fmt: skip
STRAY = [
    bad("text file as an output", {**GOOD, **TEXT}, "'ref.txt'", f"{EXPECTED_ENDING} .jsonl", "without a flag",
        words=f"sari score ref.txt {IN}", code=USAGE),
    bad("packed table as an output", {**GOOD, "ref.csv.gz": "x"}, "'ref.csv.gz'", f"{EXPECTED_ENDING} .jsonl",
        words=f"sari score ref.csv.gz {IN}", code=USAGE),
    bad("text file as the second output", {**GOOD, **TEXT}, "'src.txt'", f"{EXPECTED_ENDING} .jsonl",
        words=f"sari evaluate macro.json src.txt {IN}", code=USAGE),
    bad("text file that is not there as an output", GOOD, "'scores.txt'", "in .jsonl, .json or .parquet",
        "--output-jsonl scores.txt", words=f"sari score scores.txt {IN}", code=USAGE),
    bad("metric as an output of another metric", GOOD, "'ter' is a metric", "--metric ter",
        words=f"sari score ter {IN}", code=USAGE),
    bad("configuration as the output of a metric", {**GOOD, "config.json": line({"metrics": ["ter"]})},
        "'config.json' is a configuration", "--config config.json", words=f"sari evaluate config.json {IN}",
        code=USAGE),
    bad("configuration as an output beside --metric", {**GOOD, "config.json": line({"input_files": ["in.jsonl"]})},
        "'config.json' is a configuration", words=f"evaluate config.json micro.jsonl --metric sari {IN}", code=USAGE),
    bad("configuration with plain text as an output", {**GOOD, "config.json": line({"outputs": "out.txt"})},
        "'config.json' is a configuration", words=f"sari evaluate config.json {IN}", code=USAGE),
    bad("log that is an output", GOOD, "two outputs", "out.jsonl", words=f"{SCORE} --log-file out.jsonl", code=USAGE),
    bad("configuration that is an output too",
        {**GOOD, "config.json": line({"metrics": ["ter"], "input_files": ["in.jsonl"]})},
        f"'config.json' {BOTH_INPUT_AND_OUTPUT}", words="evaluate --config config.json --macro-output-json config.json",
        code=USAGE),
    bad("references in JSONL", {**TEXT, "ref.jsonl": line({"text": "a"}) * 2}, "must be plain text, got 'ref.jsonl'",
        words=PLAIN.replace("ref.txt", "ref.jsonl"), code=USAGE),
    bad("references in JSONL beside rows", {**rows(row(references=None)), "ref.jsonl": line({"text": "a"})},
        "must be plain text, got 'ref.jsonl'", words=f"{SCORE} --references ref.jsonl", code=USAGE),
    bad("sources in a table", {**TEXT, "src.csv": "a\nb\n"}, "must be plain text, got 'src.csv'",
        words=PLAIN.replace("src.txt", "src.csv"), code=USAGE),
    bad("one reference file twice", TEXT, "'ref.txt' is given twice", words=PLAIN.replace("ref.txt", "ref.txt ref.txt"),
        code=USAGE),
    bad("one reference file in two spellings", TEXT, "'./ref.txt' is given twice",
        words=PLAIN.replace("ref.txt", "ref.txt ./ref.txt"), code=USAGE),
    bad("one file of rows in two spellings", GOOD, "'./in.jsonl' is given twice", words=f"{SCORE} ./in.jsonl",
        code=USAGE),
    bad("standard input for the references of two systems", {**TEXT, "two.txt": "a\nb\n"},
        "standard input can be read only once", words="ter score out.jsonl --outputs out.txt two.txt --references -",
        code=USAGE),
]  # fmt: skip
INCLUDED = "--include-packages plugin.py"
PLUGINS = [
    bad("reader that gives dictionaries", WITH_PLUGIN, "'gives-dicts'", "must yield instances of EvalInstance",
        words=f"{INCLUDED} {SCORE} --dataset-reader gives-dicts"),
    bad("reader that gives whole numbers for ids", WITH_PLUGIN, "'gives-whole-numbers'", "ids are strings",
        "instance_id=1", words=f"{INCLUDED} {SCORE} --dataset-reader gives-whole-numbers"),
    bad("jackknifer without its field", WITH_PLUGIN, "Greedy cannot jackknife 'greedy'", "plugin.py:",
        "KeyError: 'documents'", words=f"{INCLUDED} greedy score out.jsonl {IN}"),
    bad("metric that gives a word deep down", WITH_PLUGIN, "'nested-word' must return numbers", "'good'", "'deep'",
        words=f"{INCLUDED} nested-word score out.jsonl {IN}"),
    bad("corpus metric that gives numbers instead of dictionaries", WITH_PLUGIN,
        "'number-of-sums' must return dictionaries of scores", words=f"{INCLUDED} number-of-sums score out.jsonl {IN}"),
    bad("metric that wants more memory than there is", WITH_PLUGIN, "fw: error: out of memory", "--jobs",
        words=f"{INCLUDED} greedy-for-memory evaluate macro.json micro.jsonl {IN}"),
    bad("order that nothing has n-grams of", GOOD, "--char-order", "1000, got",
        words=f"chrf score out.jsonl {IN} --char-order 100000000", code=USAGE),
    bad("order that no text has words for", GOOD, "--max-ngram-order must be an integer from 1 to 1000",
        words=f"ibleu score out.jsonl {IN} --max-ngram-order 1000000000", code=USAGE),
    bad("required truth missing", WITH_PLUGIN, "required", "--exact", words=f"{INCLUDED} truth score out.jsonl {IN}",
        code=USAGE),
    bad("word for a required truth", WITH_PLUGIN, "--exact", "true or false", "'perhaps'",
        words=f"{INCLUDED} truth score out.jsonl {IN} --exact=perhaps", code=USAGE),
    bad("word for an option that goes by a prefix", WITH_PLUGIN, "--rounding-digits", "'many'",
        words=f"{INCLUDED} rounding evaluate macro.json {IN} --rounding-digits many", code=USAGE),
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
PAIR = "--metrics sari human"
CORRELATE = f"correlate a.jsonl h.csv {PAIR} --output-file out.json --plot out.svg"
MACRO = json.dumps({"metrics": {"sari": 1.0}, "systems": {}}, indent=2) + "\n"


def other_scores(content: str, name: str = "a.jsonl") -> dict[str, str | bytes]:
    return {**FILES_OF_SCORES, name: content}


CORRELATIONS = [
    bad("nested and flat scores with one name",
        {**FILES_OF_SCORES, "b.jsonl": scored(0, "a", n={"x": 1.0}), "c.jsonl": scored(0, "a", n_x=2.0)}, "c.jsonl:1",
        "'0'", "'a'", "n_x", words=f"{CORRELATE} b.jsonl c.jsonl"),
    bad("duplicates in a score file", other_scores(SCORES + scored(0, "a", sari=2.0)), "a.jsonl:13",
        "(first at a.jsonl:1)", "--duplicates first", words=CORRELATE),
    bad("plain name with references", other_scores(JUDGED + MARKED), "3 outputs without sari", "'R' on '0'",
        "use 'sari_jk'", "--strict",
        words=f"correlate a.jsonl {PAIR} --output-file out.json --summarizer-type all --strict"),
    bad("unknown metric", FILES_OF_SCORES, "unknown metric 'sarri'", "did you mean 'sari'?", "Known: human, sari",
        words=CORRELATE.replace("sari", "sarri"), code=USAGE),
    bad("metrics in no common output",
        other_scores(HUMAN.replace("\n0,", "\n7,").replace("\n1,", "\n8,") .replace("\n2,", "\n9,"), "h.csv"),
        "no output of type 'peer' has both 'sari' and 'human'", "12 without 'sari', 12 without 'human'",
        words=CORRELATE),
    bad("words for scores", other_scores(scored(0, "a", sari="good") + scored(0, "b", sari=True)), "a.jsonl:1",
        "'sari' must be a finite number", "'good'", "a.jsonl:2", "True", words=CORRELATE),
    bad("outputs instead of scores", other_scores(row()), "unknown metric 'sari'", "a.jsonl has no scores",
        "score its outputs first", words=CORRELATE, code=USAGE),
    bad("plot in an unknown format", FILES_OF_SCORES, "expected a .svg", "file for --plot", "'x.gif'",
        words=CORRELATE.replace("out.svg", "x.gif"), code=USAGE),
    bad("one metric twice", FILES_OF_SCORES, "two different metrics", "'sari' twice",
        words=CORRELATE.replace("sari human", "sari sari"), code=USAGE),
    bad("output over a score file", FILES_OF_SCORES, f"'a.jsonl' {BOTH_INPUT_AND_OUTPUT}",
        words=CORRELATE.replace("out.json", "a.jsonl"), code=USAGE),
    bad("macro file instead of scores", other_scores(MACRO, "macro.json"), "macro.json:1",
        "is missing; the row has 'metrics'", words=f"correlate macro.json h.csv {PAIR}"),
]  # fmt: skip
CASES = [*FIELDS, *IDS, *FILES, *TEXTS, *READERS, *METRICS, *COMMAND_LINES, *CONFIGURATIONS]
CASES += [*STRICT, *TABLES, *STRAY, *PLUGINS, *CORRELATIONS]


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
    assert result.code == case.code, result.err
    missing = [fragment for fragment in case.fragments if fragment not in result.err]
    assert not missing, f"{missing} not in\n{result.err}"
    assert "Traceback" not in result.err
    assert result.out == ""
    assert len(result.err.splitlines()) <= 3 or re.match("usage|fw: error: in.jsonl", result.err), (
        "only lists of problems are longer"
    )
    assert without_caches(everything_in(tmp_path)) == before


def test_there_are_no_two_cases_of_one_name() -> None:
    assert len({case.name for case in CASES}) == len(CASES)


EMPTY = [row(instance_id=str(number), summary=text) for number, text in enumerate(["", " \t\n", ["", " "], ["", "a"]])]
EMPTY_OF = "empty outputs: 3 of 4 outputs of 's' (first at in.jsonl:1)"
TWO_EMPTY = rows(*EMPTY, *(row(instance_id=str(number), summarizer_id="t", summary="") for number in range(4)))
SEVEN_EMPTY = rows(*(row(summarizer_id=name, summary="") for name in "gfedcba"))
WARNED = [  # files, words, what stderr says, why
    (rows(*EMPTY), EVALUATE, EMPTY_OF, "three spellings of nothing, and a text"),
    (rows(*EMPTY), SCORE, EMPTY_OF, "jackknifed too"),
    (rows(*EMPTY), f"{EVALUATE} --jobs 2", EMPTY_OF, "counted in the main process"),
    (rows(*EMPTY), f"fkgl evaluate {IN}", EMPTY_OF, "FKGL of no words is undefined"),
    (TWO_EMPTY, EVALUATE, "in.jsonl:1), 4 of 4 outputs of 't'; they are scored as texts without words", "each system"),
    (SEVEN_EMPTY, EVALUATE, "1 of 1 outputs of 'd', 1 of 1 outputs of 'c', 2 others;", "seven, five are named"),
    (OWN_TEXT, SCORE, "own text among their references", "told, and scored"),
    (HOLES, EVALUATE, f"1 of 2 systems has {OUTPUTS_FOR_FEWER_INPUTS} 2 inputs ('t' 1)", "told, and scored"),
    (rows(row(), row()), f"{SCORE} --duplicates first", "1 duplicate output was skipped", "counted"),
    (rows(row(), row()), f"{EVALUATE} --duplicates last", "1 duplicate output was skipped", "counted"),
]


@pytest.mark.parametrize(("files", "words", "warning", "why"), sampled(WARNED, 6))
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
@pytest.mark.parametrize(
    "method", sampled(["bootstrap-both", "bootstrap-inputs", "bootstrap-systems", "fisher", "none"])
)
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
    written = read_json(tmp_path / "out.json")
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
    assert read_json(tmp_path / "macro.json")["metrics"] == {metric: expected}


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
    written = read_rows(tmp_path / "out.jsonl")
    assert sorted(one["instance_id"] for one in written) == sorted(map(str, ids))


def test_problems_found_after_scoring_began_leave_no_file(fw: Callable[..., Any], tmp_path: Path) -> None:
    """More rows than a batch has, so that some are scored before the broken one is read."""
    write(tmp_path, rows(*[row(instance_id=str(number)) for number in range(5000)], "{\n"))
    for words in (SCORE, EVALUATE):
        result = fw(*split(words))
        assert (result.code, result.out) == (DATA, "")
        assert "in.jsonl:5001" in result.err
        assert [path.name for path in tmp_path.iterdir()] == ["in.jsonl"]
