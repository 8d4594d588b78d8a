"""``evaluate`` and ``score`` from end to end: the forms of input, the files written, the ways to ask for them."""

from __future__ import annotations

import csv
import functools
import gzip
import io
import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from shlex import split
from typing import Any

import pytest
from json_files import read_json, read_rows, write_json, write_rows
from samples import sampled

import metrics_framework
from metrics_framework.evaluation import checked_input as validation
from metrics_framework.evaluation.external_sort import ExternalSort, Run

SYSTEMS = ("careful", "timid", "clumsy")
PLUGIN = '''
from metrics_framework import CorpusMetric, Metric, MetricsDict, ReferenceBasedMetric, ReferencesJackknifer


class Numeric(ReferenceBasedMetric):
    jackknifer = ReferencesJackknifer()

    def scores(self, value):
        return {"test": value}

    def score_multi_all(self, summaries_list, references_list):
        return [
            [MetricsDict(self.scores(sum(float(summary) * float(one) for one in references))) for summary in summaries]
            for summaries, references in zip(summaries_list, references_list)
        ]


@Metric.register("test")
class Plain(Numeric):
    """Adds up the products of summary and references."""


@Metric.register("nested")
class Nested(Numeric):
    """Nests its scores, as ROUGE does."""

    def scores(self, value):
        return {"n-1": {"precision": value, "recall": value / 2}, "n-2": {"precision": 0.0, "recall": [value, 1.0]}}


@Metric.register("fails-late")
class FailsLate(Numeric):
    """Fails at the number 13."""

    def scores(self, value):
        return {"fails-late": 1 / (value - 13)}


@Metric.register("infinite")
class Infinite(Numeric):
    """Is infinite for large products."""

    def scores(self, value):
        found = value if value < 100 else -float("inf")
        return {"infinite": found, "infinite_sum": found, "infinite_list": [float("inf"), 1.0]}


@Metric.register("infinite-corpus")
class InfiniteCorpus(CorpusMetric, ReferenceBasedMetric):
    """Is infinite for a corpus."""

    def statistics(self, summary, references):
        return [1.0]

    def score_statistics(self, statistics):
        return MetricsDict({"infinite-corpus": float("inf")})
'''


@pytest.fixture(scope="session")
def outputs(datasets_path: Path) -> Path:
    """The example outputs, as JSONL."""
    return datasets_path / "simplification" / "outputs.jsonl"


@pytest.fixture(scope="session")
def rows(outputs: Path) -> list[dict[str, Any]]:
    return read_rows(outputs)


@pytest.fixture
def few(rows: list[dict[str, Any]], tmp_path: Path) -> Path:
    """The outputs for the first four inputs."""
    return write_rows(tmp_path / "few.jsonl", rows[:12])


@pytest.fixture
def numbers(tmp_path: Path) -> Path:
    """Numbers, for the metrics of the plug-in, and the plug-in."""
    (tmp_path / "plugin.py").write_text(PLUGIN)
    return write_rows(tmp_path / "numbers.jsonl", [numeric("1", "p", "peer", "1", ["10", "100", "1000"])])


def numeric(instance_id: str, summarizer_id: str, kind: str, summary: str, references: list[str]) -> dict[str, Any]:
    names = {"instance_id": instance_id, "summarizer_id": summarizer_id, "summarizer_type": kind}
    return {**names, "summary": {"text": summary}, "references": [{"text": one} for one in references]}


def flags_of(name: str, rows: list[dict[str, Any]], outputs: Path, folder: Path) -> str:
    """Writes the example data in one of the forms that fw reads, and returns the flags to read it."""
    data = outputs.read_bytes()
    if name == "text":
        texts = " ".join(str(outputs.parent / f"{system}.txt") for system in SYSTEMS)
        references = " ".join(str(outputs.parent / f"references.{index}.txt") for index in range(3))
        return f"--outputs {texts} --references {references} --sources {outputs.parent / 'sources.txt'}"
    if name in ("csv", "tsv"):
        table(folder / f"in.{name}", rows)
    elif name == "table and text files":
        table(folder / "in.csv", rows, texts=False)
        references = " ".join(str(outputs.parent / f"references.{index}.txt") for index in range(3))
        return f"--input-files in.csv --references {references} --source-file {outputs.parent / 'sources.txt'}"
    elif name == "jsonl.gz":
        (folder / "in.jsonl.gz").write_bytes(gzip.compress(data))
    elif name == "jsonl.zst":
        zstandard = pytest.importorskip("zstandard")
        (folder / "in.jsonl.zst").write_bytes(zstandard.compress(data))
    elif name == "several files":
        for system in SYSTEMS:
            own = [row for row in rows if row["summarizer_id"] == system]
            write_rows(
                folder / f"{system}.jsonl", [{k: v for k, v in row.items() if k != "summarizer_id"} for row in own]
            )
        return "--input-files careful.jsonl timid.jsonl clumsy.jsonl"
    elif name == "other names":
        write_rows(folder / "in.jsonl", [renamed(row) for row in rows])
        return "--input-file in.jsonl"
    elif name == "bare strings, Windows line ends":
        bare = [{**row, "summary": row["summary"]["text"], "source": [row["source"]["text"]]} for row in rows]
        text = "\ufeff" + "\r\n\r\n".join(json.dumps(row) for row in bare)
        (folder / "in.jsonl").write_bytes(text.encode())
        return "--input-files in.jsonl"
    else:
        return f"--input-files {outputs}"
    return f"--input-files in.{name}"


def table(path: Path, rows: list[dict[str, Any]], texts: bool = True) -> None:
    """Writes rows as a table, references in columns of their own."""
    lines = []
    for row in rows:
        cells = {
            "instance_id": row["instance_id"],
            "system_id": row["summarizer_id"],
            "prediction": row["summary"]["text"],
        }
        if texts:
            cells["source"] = row["source"]["text"]
            cells.update({f"reference_{index}": one["text"] for index, one in enumerate(row["references"])})
        lines.append(cells)
    with path.open("w", encoding="utf-8", newline="") as stream:
        if path.suffix == ".tsv":
            stream.writelines("\t".join(cells) + "\n" for cells in [list(lines[0]), *(line.values() for line in lines)])
        else:
            writer = csv.DictWriter(stream, list(lines[0]))
            writer.writeheader()
            writer.writerows(lines)


def renamed(row: dict[str, Any]) -> dict[str, Any]:
    names = {
        "summary": "hypothesis",
        "summarizer_id": "system_id",
        "summarizer_type": "system_type",
        "source": "sources",
    }
    return {names.get(name, name): value for name, value in row.items()} | {"instance_id": int(row["instance_id"])}


FORMS = [
    "jsonl",
    "text",
    "csv",
    "tsv",
    "table and text files",
    "jsonl.gz",
    "jsonl.zst",
    "several files",
    "other names",
    "bare strings, Windows line ends",
]


@pytest.fixture(scope="session")
def expected(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """What Python says of the example outputs: system to its score, and (input, system) to its score."""
    sari = metrics_framework.load("sari")
    systems, single = {}, {}
    for system in SYSTEMS:
        own = [row for row in rows if row["summarizer_id"] == system]
        columns = (
            [row["summary"]["text"] for row in own],
            [[one["text"] for one in row["references"]] for row in own],
            [row["source"]["text"] for row in own],
        )
        systems[system], micro = sari.evaluate(*columns)
        single.update({(row["instance_id"], system): scores for row, scores in zip(own, micro, strict=True)})
    return {"systems": systems, "single": single}


@pytest.mark.parametrize("form", sampled(FORMS, 5))
def test_every_form_of_the_same_data_gives_the_same_scores(
    form: str, rows: list[dict[str, Any]], outputs: Path, expected: dict[str, Any], fw: Run, tmp_path: Path
) -> None:
    flags = flags_of(form, rows, outputs, tmp_path)
    result = fw("sari", "evaluate", "macro.json", "micro.jsonl", *split(flags))
    assert result.code == 0, result.err
    assert read_json(tmp_path / "macro.json")["systems"] == expected["systems"]
    micro = {(row["instance_id"], row["summarizer_id"]): row["metrics"] for row in read_rows(tmp_path / "micro.jsonl")}
    assert micro == expected["single"]
    assert fw("sari", "score", "scores.jsonl", "--disable-peer-jackknifing", *split(flags)).code == 0
    scored = {
        (row["instance_id"], row["summarizer_id"]): row["metrics"] for row in read_rows(tmp_path / "scores.jsonl")
    }
    assert scored == expected["single"]


def test_standard_input_is_a_file(
    outputs: Path, expected: dict[str, Any], fw: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(outputs.read_bytes())))
    assert fw("sari", "evaluate", "macro.json", "--input-files", "-").code == 0
    assert read_json(tmp_path / "macro.json")["systems"] == expected["systems"]


# ---- the files -------------------------------------------------------------------------------------------------------


def test_the_macro_file_has_its_keys_in_their_order(outputs: Path, fw: Run, tmp_path: Path) -> None:
    fw("sari", "evaluate", "macro.json", "--input-files", outputs)
    macro = read_json(tmp_path / "macro.json")
    fixed = ["metrics", "systems", "num_instances", "signature"]
    assert [key for key in macro if key in fixed] == fixed
    assert set(macro) - set(fixed) <= {"num_outputs", "other_signatures", "format"}
    assert list(macro["metrics"]) == ["sari", "sari_keep", "sari_del", "sari_add"]
    assert list(macro["systems"]) == list(macro["num_outputs"]) == list(SYSTEMS), "in the order of the input"
    assert macro["num_instances"] == 48
    assert macro["signature"]["sari"].startswith("sari|variant:easse|tok:13a|case:lc|")


def test_with_one_system_metrics_is_its_score(rows: list[dict[str, Any]], fw: Run, tmp_path: Path) -> None:
    write_rows(tmp_path / "in.jsonl", [row for row in rows if row["summarizer_id"] == "timid"])
    fw("sari", "evaluate", "macro.json", "--input-files", "in.jsonl")
    macro = read_json(tmp_path / "macro.json")
    assert macro["metrics"] == macro["systems"]["timid"]


@pytest.mark.parametrize("words", ["evaluate macro.json out.jsonl", "score out.jsonl"])
def test_rows_have_their_keys_in_their_order_and_the_first_one_the_signature(
    words: str, few: Path, fw: Run, tmp_path: Path
) -> None:
    fw("sari", *words.split(), "--input-files", few)
    first, *others = read_rows(tmp_path / "out.jsonl")
    keys = ["instance_id", "summarizer_id", "summarizer_type", "metrics"]
    assert list(first) == [*keys, "signature"]
    assert all(list(row) == keys for row in others)
    assert first["signature"]["sari"].startswith("sari|variant:easse|tok:13a|case:lc|deletion:f1|")
    text = (tmp_path / "out.jsonl").read_bytes()
    assert text.startswith(
        b'{"instance_id": "1", "summarizer_id": "careful", "summarizer_type": "peer", "metrics": {"sari": '
    )
    assert text.endswith(b"}\n")
    assert b"\r" not in text


def test_scores_keep_their_nesting_and_jk_goes_on_the_outermost_name(numbers: Path, fw: Run, tmp_path: Path) -> None:
    plug_in = ("--include-packages", "plugin.py", "nested")
    fw(*plug_in, "score", "out.jsonl", "--input-files", numbers)
    assert read_rows(tmp_path / "out.jsonl")[0]["metrics"] == {
        "n-1": {"precision": 1110.0, "recall": 555.0},
        "n-2": {"precision": 0.0, "recall": [1110.0, 1.0]},
        "n-1_jk": {"precision": 740.0, "recall": 370.0},
        "n-2_jk": {"precision": 0.0, "recall": [740.0, 1.0]},
    }
    fw(*plug_in, "evaluate", "macro.json", "micro.jsonl", "--input-files", numbers)
    nested = {"n-1": {"precision": 1110.0, "recall": 555.0}, "n-2": {"precision": 0.0, "recall": [1110.0, 1.0]}}
    assert read_json(tmp_path / "macro.json")["metrics"] == nested
    assert read_rows(tmp_path / "micro.jsonl")[0]["metrics"] == nested


@pytest.mark.parametrize("flags", [(), ("--outputs", "out.txt"), ("--outputs", "out.txt", "--references", "ref.txt")])
def test_a_configuration_can_say_what_the_flags_of_plain_text_say(
    flags: tuple[str, ...], fw: Run, tmp_path: Path
) -> None:
    for name, text in {"out.txt": "the cat was\n", "ref.txt": "the cat sat\n"}.items():
        (tmp_path / name).write_text(text)
    given = {key: f"{key[:3]}.txt" for key in ("outputs", "references") if f"--{key}" not in flags}
    write_json(tmp_path / "config.json", {"metrics": ["ter"], **given})
    assert fw("evaluate", "macro.json", *flags, "--config", "config.json").code == 0
    assert list(read_json(tmp_path / "macro.json")["systems"]) == ["out"]


def test_flags_win_over_outputs_of_a_configuration(numbers: Path, fw: Run, tmp_path: Path) -> None:
    write_json(tmp_path / "config.json", {"metrics": ["ter"], "outputs": "nowhere.txt"})
    assert fw("evaluate", "macro.json", "--config", "config.json", "--input-files", numbers).code == 0
    assert list(read_json(tmp_path / "macro.json")["systems"]) == ["p"]


def test_the_help_of_a_configuration_names_the_keys_it_may_have(fw: Run, tmp_path: Path) -> None:
    for command in ("evaluate", "score", "report"):
        text = " ".join(fw(command, "--help-all").out.split())
        keys = text.split("JSON file with any of the keys ")[1].split(";")[0].split(", ")
        write_json(tmp_path / "config.json", {"no such key": 1})
        refused = fw(command, "--config", "config.json", "out.html" if command == "report" else "-").err
        known, _, more = refused.split("Known: ")[1].strip().rstrip(".").partition(" and ")
        assert [known.split(", "), more] == [sorted(keys)[:8], f"{len(keys) - 8} more"]


@pytest.mark.parametrize(("outputs", "expected"), [("src.txt", 0.0), ("ref.txt", 100.0)])
def test_sources_and_references_can_be_outputs_too(outputs: str, expected: float, fw: Run, tmp_path: Path) -> None:
    """The system that changes nothing, and the best there is, are the commonest baselines."""
    (tmp_path / "src.txt").write_text("the cat sat\n")
    (tmp_path / "ref.txt").write_text("a dog was\n")
    words = ("--outputs", outputs, "--references", "ref.txt", "--sources", "src.txt")
    assert fw("sari", "evaluate", *words).code == 0
    assert fw("bleu", "evaluate", "macro.json", *words[:4], "--max-ngram-order", 3).code == 0
    assert read_json(tmp_path / "macro.json")["metrics"]["bleu"] == pytest.approx(expected)


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_is_infinite_counts_as_not_defined(jobs: int, numbers: Path, fw: Run, tmp_path: Path) -> None:
    write_rows(numbers, [numeric("1", "p", "peer", "1", ["10"]), numeric("2", "p", "peer", "200", ["1"])])
    words = ("--include-packages", "plugin.py", "infinite", "evaluate", "macro.json", "micro.jsonl")
    result = fw(*words, "--input-files", numbers, "--jobs", jobs)
    assert (result.code, "inf" in result.out.replace("infinite", "")) == (0, False)
    expected = [
        {"infinite": 10.0, "infinite_sum": 10.0, "infinite_list": [None, 1.0]},
        {"infinite": None, "infinite_sum": None, "infinite_list": [None, 1.0]},
    ]
    assert [row["metrics"] for row in read_rows(tmp_path / "micro.jsonl")] == expected
    macro = read_json(tmp_path / "macro.json")
    assert macro["metrics"] == expected[0]
    assert macro["undefined"] == {"infinite": 1, "infinite_sum": 1, "infinite_list": 2}
    for name, count in macro["undefined"].items():
        said = "1 output; it is" if count == 1 else f"{count} outputs; they are"
        assert f"'{name}' is undefined for {said} excluded from its mean" in result.err
    assert fw(*words, "--input-files", numbers, "--strict").code == 1


def test_an_infinite_score_of_a_sum_is_null_and_no_number_in_the_table(numbers: Path, fw: Run, tmp_path: Path) -> None:
    words = ("--include-packages", "plugin.py", "infinite-corpus", "evaluate", "macro.json")
    result = fw(*words, "--input-files", numbers)
    assert result.code == 1
    assert read_json(tmp_path / "macro.json")["metrics"]["infinite-corpus"] is None
    assert "undefined" in result.out


def test_evaluate_keeps_the_order_of_the_input_and_score_sorts(
    rows: list[dict[str, Any]], fw: Run, tmp_path: Path
) -> None:
    shuffled = random.Random(1).sample(rows, len(rows))
    write_rows(tmp_path / "in.jsonl", shuffled)
    fw("sari", "evaluate", "macro.json", "micro.jsonl", "--input-files", "in.jsonl")
    fw("sari", "score", "scores.jsonl", "--input-files", "in.jsonl")
    identities = [(row["instance_id"], row["summarizer_id"]) for row in shuffled]
    assert [(row["instance_id"], row["summarizer_id"]) for row in read_rows(tmp_path / "micro.jsonl")] == identities
    by_number = sorted(identities, key=lambda identity: (int(identity[0]), identity[1]))
    assert [(row["instance_id"], row["summarizer_id"]) for row in read_rows(tmp_path / "scores.jsonl")] == by_number


# ---- jackknifing -----------------------------------------------------------------------------------------------------


def test_jackknifed_scores_equal_the_published_ones(
    shared_path: Callable[[str], Path], fw: Run, tmp_path: Path
) -> None:
    (tmp_path / "plugin.py").write_text(PLUGIN)
    cases = json.loads(shared_path("golden/sacrerouge.json").read_text())["jackknife"]
    assert len(cases) == 8
    plug_in = ("--include-packages", "plugin.py", "test")
    for name, case in cases.items():
        write_rows(tmp_path / "in.jsonl", [numeric(*row) for row in case["input"]])
        if name == "other_type":  # there scored without a word, here refused
            assert fw(*plug_in, "score", "out.jsonl", "--input-files", "in.jsonl").code == 1
            continue
        for flags, expected in (((), "score"), (("--disable-peer-jackknifing",), "score_no_peer_jk")):
            assert fw(*plug_in, "score", "out.jsonl", "--input-files", "in.jsonl", *flags).code == 0
            found = {
                f"{row['instance_id']}/{row['summarizer_id']}": row["metrics"]
                for row in read_rows(tmp_path / "out.jsonl")
            }
            assert found == {key: pytest.approx(scores, rel=1e-9) for key, scores in case[expected].items()}, name
        assert fw(*plug_in, "evaluate", "macro.json", "micro.jsonl", "--input-files", "in.jsonl").code == 0
        assert read_json(tmp_path / "macro.json")["metrics"] == pytest.approx(case["evaluate"]["macro"], rel=1e-9)
        assert [row["metrics"] for row in read_rows(tmp_path / "micro.jsonl")] == case["evaluate"]["micro"]


JACKKNIFED = [  # type, references, scores, scores without peer jackknifing, why
    ("peer", ["10", "100", "1000"], {"test": 1110.0, "test_jk": 740.0}, {"test": 1110.0}, "(1100 + 1010 + 110) / 3"),
    ("peer", ["10"], {"test": 10.0}, {"test": 10.0}, "nothing to leave out"),
    ("reference", ["10", "100"], {"test_jk": 110.0}, {"test_jk": 110.0}, "its own text was left out already"),
    ("reference", ["10"], {"test_jk": 10.0}, {"test_jk": 10.0}, "the same with one reference"),
    (
        "peer",
        ["10", "10", "1000"],
        {"test": 1020.0, "test_jk": 680.0},
        {"test": 1020.0},
        "equal references count twice",
    ),
]


@pytest.mark.parametrize(("kind", "references", "scores", "without", "why"), JACKKNIFED)
def test_score_jackknifes_peers_and_marks_references(
    kind: str, references: list[str], scores: Any, without: Any, why: str, numbers: Path, fw: Run, tmp_path: Path
) -> None:
    write_rows(numbers, [numeric("1", "x", kind, "1", references)])
    for flags, expected in (([], scores), (["--disable-peer-jackknifing"], without)):
        fw("--include-packages", "plugin.py", "test", "score", "out.jsonl", "--input-files", numbers, *flags)
        assert read_rows(tmp_path / "out.jsonl")[0]["metrics"] == expected, why


def test_a_metric_without_jackknifer_gives_everyone_plain_scores(fw: Run, tmp_path: Path) -> None:
    (tmp_path / "plugin.py").write_text(
        PLUGIN.replace("    jackknifer = ReferencesJackknifer()\n", "    jackknifer = None\n")
    )
    write_rows(
        tmp_path / "in.jsonl",
        [numeric("1", name, kind, "1", ["2", "3"]) for name, kind in (("p", "peer"), ("A", "reference"))],
    )
    fw("--include-packages", "plugin.py", "test", "score", "out.jsonl", "--input-files", "in.jsonl")
    assert [row["metrics"] for row in read_rows(tmp_path / "out.jsonl")] == [{"test": 5.0}, {"test": 5.0}]


# ---- the ways to ask -------------------------------------------------------------------------------------------------

WAYS = [
    "macro.json micro.jsonl --input-files few.jsonl --variant hf",
    "--input-files few.jsonl --variant hf macro.json micro.jsonl",
    "--variant hf macro.json --input-files few.jsonl --digits 3 micro.jsonl",
    "macro.json --variant hf micro.jsonl --input-files few.jsonl",
    "--macro-output-json macro.json --micro-output-jsonl micro.jsonl --input-files few.jsonl --variant=hf",
    "--macro_output_json macro.json --micro_output_jsonl=micro.jsonl --input_files few.jsonl --variant hf",
    "macro.json --micro-output-jsonl micro.jsonl --input-file few.jsonl --variant hf",
    "--variant hf --lowercase macro.json micro.jsonl --input-files few.jsonl",
    "macro.json micro.jsonl --input-files few.jsonl --variant hf --dataset-reader source-reference-based",
    "macro.json micro.jsonl --input-files few.jsonl --variant hf --dataset_reader default",
    """macro.json micro.jsonl --input-files few.jsonl --variant hf --dataset-reader '{"type": "default"}'""",
]


@pytest.mark.parametrize("words", WAYS)
def test_positionals_and_flags_come_in_any_order_and_spelling(words: str, few: Path, fw: Run, tmp_path: Path) -> None:
    fw(*split("sari evaluate expected.json expected.jsonl --input-files few.jsonl --variant hf"))
    result = fw("sari", "evaluate", *split(words))
    assert result.code == 0, result.err
    assert read_json(tmp_path / "macro.json") == read_json(tmp_path / "expected.json")
    assert (tmp_path / "micro.jsonl").read_bytes() == (tmp_path / "expected.jsonl").read_bytes()


BOOLEANS = [
    ("", "lc"),
    ("--lowercase", "lc"),
    ("--lowercase true", "lc"),
    ("--lowercase=yes", "lc"),
    ("--lowercase 1", "lc"),
    ("--no-lowercase", "mixed"),
    ("--lowercase false", "mixed"),
    ("--lowercase=FALSE", "mixed"),
    ("--lowercase no", "mixed"),
    ("--lowercase off", "mixed"),
    ("--lowercase --no-lowercase", "mixed"),
    ("--no-lowercase --lowercase", "lc"),
]


@pytest.mark.parametrize(("flags", "case"), BOOLEANS)
def test_booleans_have_three_forms(flags: str, case: str, few: Path, fw: Run, tmp_path: Path) -> None:
    assert fw("sari", "evaluate", *split(flags), "macro.json", "--input-files", few).code == 0
    assert f"|case:{case}|" in read_json(tmp_path / "macro.json")["signature"]["sari"]


SPECS = [
    ["--metric", "sari:variant=hf,lowercase=false"],
    ["--metric", "sari:variant=hf, lowercase=no"],
    ["--metric", '{"type": "sari", "variant": "hf", "lowercase": false}'],
    ["--metric", '{"name": "sari", "variant": "hf", "lowercase": "false"}'],
    ["--config", "config.json"],
    ["--config", "config.json", "--overrides", '{"metrics": ["sari:variant=hf,lowercase=false"]}'],
]


@pytest.mark.parametrize("flags", sampled(SPECS, 4))
def test_a_metric_and_its_options_can_be_given_in_many_ways(
    flags: list[str], few: Path, fw: Run, tmp_path: Path
) -> None:
    config = {"metrics": [{"type": "sari", "variant": "hf", "lowercase": False}]}
    write_json(tmp_path / "config.json", config)
    result = fw("evaluate", "macro.json", "--input-files", few, *flags)
    assert result.code == 0, result.err
    assert read_json(tmp_path / "macro.json")["signature"]["sari"].startswith("sari|variant:hf|tok:13a|case:mixed|")


def test_several_metrics_score_in_one_pass(few: Path, fw: Run, tmp_path: Path) -> None:
    metrics = ["sari", "sari:variant=xu2016,label=paper", "sari:variant=hf,label=card"]
    words = [word for metric in metrics for word in ("--metric", metric)]
    assert fw("evaluate", "macro.json", "micro.jsonl", *words, "--input-files", few).code == 0
    assert fw("score", "scores.jsonl", *words, "--input-files", few).code == 0
    macro = read_json(tmp_path / "macro.json")
    parts = ("", "_keep", "_del", "_add")
    assert list(macro["metrics"]) == [name + part for name in ("sari", "paper", "card") for part in parts]
    assert list(macro["signature"]) == ["sari", "paper", "card"]
    assert macro["signature"]["paper"].startswith("sari|variant:xu2016|")
    for label, options in (("sari", []), ("paper", ["--variant", "xu2016"]), ("card", ["--variant", "hf"])):
        fw("sari", "evaluate", "one.json", "one.jsonl", "--input-files", few, *options)
        alone = read_json(tmp_path / "one.json")["metrics"]
        assert {part: macro["metrics"][label + part] for part in parts} == {
            part: alone["sari" + part] for part in parts
        }
        singles = read_rows(tmp_path / "one.jsonl")
        joint = read_rows(tmp_path / "micro.jsonl")
        assert [row["metrics"][label] for row in joint] == [row["metrics"]["sari"] for row in singles]
    first = read_rows(tmp_path / "scores.jsonl")[0]
    assert list(first["metrics"]) == [
        name + part + mark for name in ("sari", "paper", "card") for mark in ("", "_jk") for part in parts
    ]
    assert list(first["signature"]) == ["sari", "paper", "card"]


CONFIG = {
    "metrics": [{"name": "sari"}],
    "dataset_reader": {"type": "source-reference-based"},
    "input_files": ["few.jsonl"],
}
CONFIGURED = [  # words, what the configuration says besides, why
    ("evaluate --config config.json macro.json micro.jsonl", {}, "as a flag"),
    ("evaluate config.json macro.json micro.jsonl", {}, "as the first argument"),
    ("evaluate --config config.json",
     {"macro_output_json": "macro.json", "micro_output_jsonl": "micro.jsonl"}, "outputs too"),
    ("evaluate --config config.json macro.json",
     {"macro_output_json": "no", "micro_output_jsonl": "micro.jsonl"}, "arguments win"),
    ("evaluate --config config.json macro.json micro.jsonl", {"input_files": "few.jsonl"}, "one file"),
    ("evaluate --config config.json macro.json micro.jsonl", {"metrics": "sari"}, "one metric"),
    ("evaluate --config config.json macro.json micro.jsonl", {"metrics": {"type": "sari"}}, "one metric as an object"),
    ("evaluate --config config.json macro.json micro.jsonl --input-files few.jsonl",
     {"input_files": ["no"]}, "flags win"),
    ("evaluate --config config.json macro.json micro.jsonl --metric sari", {"metrics": ["no"]}, "flags win"),
    ("evaluate --config config.json macro.json micro.jsonl --dataset-reader default",
     {"dataset_reader": "no"}, "flags win"),
    ("""evaluate --config config.json macro.json micro.jsonl --overrides '{"input_files": ["few.jsonl"]}'""",
     {"input_files": ["no"]}, "overrides win"),
    ("""evaluate config.json macro.json micro.jsonl --overrides '{"dataset_reader": {"type": "default"}}'""",
     {"dataset_reader": {"type": "no"}}, "overrides win at every depth"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "more", "why"), sampled(CONFIGURED, 5))
def test_a_configuration_says_what_flags_say(
    words: str, more: dict[str, Any], why: str, few: Path, fw: Run, tmp_path: Path
) -> None:
    fw(*split("sari evaluate expected.json expected.jsonl --input-files few.jsonl"))
    write_json(tmp_path / "config.json", {**CONFIG, **more})
    result = fw(*split(words))
    assert result.code == 0, f"{why}\n{result.err}"
    assert read_json(tmp_path / "macro.json") == read_json(tmp_path / "expected.json"), why
    assert (tmp_path / "micro.jsonl").read_bytes() == (tmp_path / "expected.jsonl").read_bytes(), why


def test_score_takes_a_configuration_too(few: Path, fw: Run, tmp_path: Path) -> None:
    fw(*split("sari score expected.jsonl --input-files few.jsonl"))
    write_json(tmp_path / "config.json", CONFIG)
    assert fw("score", "config.json", "out.jsonl").code == 0
    assert (tmp_path / "out.jsonl").read_bytes() == (tmp_path / "expected.jsonl").read_bytes()


# ---- what goes where -------------------------------------------------------------------------------------------------


def test_without_outputs_evaluate_prints_a_table_and_score_its_rows(few: Path, fw: Run, tmp_path: Path) -> None:
    table = fw("sari", "evaluate", "--input-files", few)
    assert table.out.splitlines()[0].split() == ["system", "outputs", "sari"]
    assert "signature  sari|" in table.out
    assert table.err == ""
    scores = fw("sari", "score", "--input-files", few)
    assert len([json.loads(line) for line in scores.out.splitlines()]) == 12
    assert [path.name for path in tmp_path.iterdir()] == ["few.jsonl"]


@pytest.mark.parametrize("words", ["evaluate - micro.jsonl", "evaluate macro.json -"])
def test_when_standard_output_carries_data_the_table_goes_to_standard_error(words: str, few: Path, fw: Run) -> None:
    result = fw("sari", *words.split(), "--input-files", few)
    data = json.loads(result.out) if words.endswith("micro.jsonl") else list(map(json.loads, result.out.splitlines()))
    assert len(data) in (6, 12)
    assert "system" in result.err
    assert "signature  sari|" in result.err


def test_silent_prints_data_and_errors_only(few: Path, fw: Run, tmp_path: Path) -> None:
    assert fw("sari", "evaluate", "macro.json", "--input-files", few, "--silent")[1:] == ("", "")
    assert fw("sari", "score", "out.jsonl", "--input-files", few, "--silent")[1:] == ("", "")
    data = fw("sari", "score", "--input-files", few, "--silent")
    assert (data.out, data.err) == ((tmp_path / "out.jsonl").read_text(encoding="utf-8"), "")
    assert "cannot be read" in fw("sari", "score", "--input-files", "no.jsonl", "--silent").err


def test_a_log_file_takes_notes_and_warnings_also_when_silent(
    rows: list[dict[str, Any]], fw: Run, tmp_path: Path
) -> None:
    write_rows(tmp_path / "in.jsonl", rows[:4])  # the fourth is the only output for the second input
    loud = fw("sari", "evaluate", "macro.json", "--input-files", "in.jsonl", "--log-file", "log.txt")
    assert "fw: warning: 2 of 3 systems" in loud.err
    assert "2 of 3 systems" in (tmp_path / "log.txt").read_text()
    fw("sari", "score", "out.jsonl", "--input-files", "in.jsonl", "--log-file", "log.txt", "--silent")
    log = (tmp_path / "log.txt").read_text()
    assert "2 of 3 systems" in log  # nothing is lost of earlier runs
    assert "4 outputs to out.jsonl" in log


# ---- the same bytes --------------------------------------------------------------------------------------------------

VARIANTS = ["easse", "xu2016"]  # sums of whole numbers, and of fractions


@pytest.mark.parametrize("variant", VARIANTS)
def test_runs_in_batches_of_any_size_write_the_same_bytes(
    variant: str, outputs: Path, fw: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def files(size: int | None) -> list[bytes]:
        if size is not None:
            small = functools.partial(validation.checked_batches, size=size)
            monkeypatch.setattr("metrics_framework.evaluation.run.checked_batches", small)
        flags = ("--variant", variant, "--input-files", outputs)
        assert fw("sari", "evaluate", "macro.json", "micro.jsonl", *flags).code == 0
        assert fw("sari", "score", "scores.jsonl", *flags).code == 0
        return [(tmp_path / name).read_bytes() for name in ("macro.json", "micro.jsonl", "scores.jsonl")]

    expected = files(None)
    assert files(None) == expected
    for size in (1, 7, 144):
        assert files(size) == expected, size


def test_scores_sorted_on_disk_equal_those_sorted_in_memory(
    rows: list[dict[str, Any]], fw: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_rows(tmp_path / "in.jsonl", random.Random(2).sample(rows, len(rows)))
    fw("sari", "score", "expected.jsonl", "--input-files", "in.jsonl")
    monkeypatch.setattr("metrics_framework.evaluation.output_rows.ExternalSort", functools.partial(ExternalSort, 10))
    fw("sari", "score", "out.jsonl", "--input-files", "in.jsonl")
    assert (tmp_path / "out.jsonl").read_bytes() == (tmp_path / "expected.jsonl").read_bytes()


def test_texts_of_every_kind_pass_through(fw: Run, tmp_path: Path) -> None:
    """Line ends that are none in a file, emoji, right-to-left text, lone surrogates as JSON can escape them."""
    odd = ["a\u2028b", "a\x85b", "a\x0bb\x1cc", "👩‍🚀", "שלום", "\ud800", "", 'tab\tquote"', "\ufeff"]
    given = [
        {"instance_id": text or "empty", "summarizer_id": "s", "summary": text, "references": [text], "source": text}
        for text in odd
    ]
    write_rows(tmp_path / "in.jsonl", given)
    assert fw("sari", "score", "out.jsonl", "--input-files", "in.jsonl").code == 0
    written = [
        json.loads(line)["instance_id"]
        for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").split("\n")[:-1]
    ]
    assert sorted(written) == sorted(text or "empty" for text in odd)


@pytest.mark.slow
def test_a_metric_that_fails_late_leaves_no_file(numbers: Path, fw: Run, tmp_path: Path) -> None:
    """It fails in the second batch."""
    write_rows(
        numbers, [numeric(str(number), "p", "peer", "13" if number == 2999 else "1", ["1"]) for number in range(3000)]
    )
    before = {path.name for path in tmp_path.iterdir()}
    for words in ("score out.jsonl", "evaluate macro.json micro.jsonl", "score", "evaluate - micro.jsonl"):
        result = fw("--include-packages", "plugin.py", "fails-late", *words.split(), "--input-files", numbers)
        assert (result.code, result.out) == (1, ""), words
        assert "'fails-late' failed at" in result.err
        assert re.search(r"plugin\.py:\d+: ZeroDivisionError", result.err)
        assert {path.name for path in tmp_path.iterdir()} - {"__pycache__"} == before
