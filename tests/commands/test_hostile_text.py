"""Hostile strings in everything that comes from files, through every output of every command."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import warnings
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hostile_text import CHECKS, HOSTILE, PLAIN, check_text
from json_files import write_json, write_rows
from samples import sampled
from tiny_dataset import address, write_plugin
from web_server import Handler, Server

from metrics_framework.commands import REGISTRY as COMMANDS
from metrics_framework.reports.formats import REGISTRY as FORMATS

Run = Callable[..., Any]

NAMES = list(HOSTILE)
FORMAT_NAMES = [*FORMATS.names(), "json"]


class Case(NamedTuple):
    """A command line and the kind of each of its outputs; ``{}`` in an argument stands for every string in turn."""

    command: str
    words: str
    outputs: dict[str, str]


INPUT = "--input-files in.jsonl"
MARKS = "marks.jsonl --score mark --resamples 40 --trials 40"
CASES = [
    *(
        Case("evaluate", f"--config labels.json {INPUT} --format {name} --log-file log", {"out": name, "log": "text"})
        for name in FORMAT_NAMES
    ),
    *(
        Case("evaluate", f"--metric ter {INPUT} --format {name} --confidence --resamples 40", {"out": name})
        for name in FORMAT_NAMES
    ),
    Case("evaluate", f"--metric bleu --metric ter {INPUT} --format sacrebleu-json", {"out": "json"}),
    Case("evaluate", f"--metric bleu --metric ter {INPUT} --format sacrebleu-text", {"out": "text"}),
    Case("bleu evaluate", f"{INPUT} --paired-bs --paired-bs-n 40", {"out": "table"}),
    Case("evaluate", f"-o t.tex --metric ter {INPUT}", {"t.tex": "latex"}),
    Case("evaluate", f"-o t.md --metric ter {INPUT}", {"t.md": "markdown"}),
    Case("evaluate", f"m.json o.jsonl --config labels.json {INPUT}", {"m.json": "json", "o.jsonl": "json"}),
    *(
        Case("evaluate", f"--metric ter {INPUT} --pooled --confidence --resamples 40 -o {name}", {name: form})
        for name, form in (("t.tex", "latex"), ("t.md", "markdown"), ("t.csv", "csv"), ("t.txt", "table"))
    ),
    Case("correlate", "scores.jsonl --metrics sari human -o t.md", {"t.md": "markdown"}),
    Case("evaluate", f"- --metric ter {INPUT} --confidence --resamples 40", {"out": "json"}),
    Case("ter evaluate", f"m.json - {INPUT}", {"out": "json", "m.json": "json"}),
    Case("score", f"o.jsonl --config labels.json {INPUT} --log-file log", {"o.jsonl": "json", "log": "text"}),
    Case("score", f"- --metric ter {INPUT}", {"out": "json"}),
    Case("evaluate", f"m.json --metric ter {INPUT} --jobs 2", {"out": "table", "m.json": "json"}),
    *(Case("correlate", f"scores.jsonl --metrics sari human --format {name}", {"out": name}) for name in FORMAT_NAMES),
    *(
        Case("correlate", f"scores.jsonl --human human --metric={{}} --ci none --format {name}", {"out": name})
        for name in FORMAT_NAMES
    ),
    *(
        Case("agreement", f"scores.jsonl --rating={{}} --by summarizer_id --format {name}", {"out": name})
        for name in FORMAT_NAMES
    ),
    Case(
        "correlate",
        "scores.jsonl table.csv --metrics sari human --output-file r.json --plot p.svg --log-file log",
        {"r.json": "json", "p.svg": "svg", "log": "text", "out": "text"},
    ),
    Case(
        "correlate",
        "scores.jsonl --human human --metric sari --ci none --coefficient pearson,acc-eq "
        "--plot p.svg --epsilon-plot e.svg",
        {"p.svg": "svg", "e.svg": "svg"},
    ),
    *(
        Case("plan", f"mean ratings.jsonl --rating mark --raters 1 --half-width 0.5 --format {name}", {"out": name})
        for name in FORMAT_NAMES
    ),
    Case("plan", "mean ratings.jsonl --rating mark --raters 1 --half-width 0.5 --plot p.svg", {"p.svg": "svg"}),
    *(Case("prefer", f"votes.jsonl --format {name} --ridge 1 --show pairs", {"out": name}) for name in FORMAT_NAMES),
    Case("prefer", "votes.jsonl --ridge 1 --plot p.svg --rank-plot k.svg", {"p.svg": "svg", "k.svg": "svg"}),
    Case(
        "prefer", "votes.jsonl --ridge 1 --against votes.jsonl --subset area --output-file r.json", {"r.json": "json"}
    ),
    *(Case("compare", f"{MARKS} --format {name}", {"out": name}) for name in FORMAT_NAMES),
    Case("compare", f"{MARKS} --plot p.svg", {"p.svg": "svg"}),
    *(Case("challenge", f"pairs.jsonl --metric ter --format {name}", {"out": name}) for name in FORMAT_NAMES),
    Case("challenge", "pairs.jsonl --metric ter --plot p.svg", {"p.svg": "svg"}),
    *(
        Case("gate", f"runs.jsonl --against runs.jsonl --metric={{}} --scale 0-10 --format {name}", {"out": name})
        for name in FORMAT_NAMES
    ),
    *(
        Case(
            "judge",
            f"ratings.jsonl --rating mark --judge judged --min-units 1 --format {name}",
            {"out": name},
        )
        for name in FORMAT_NAMES
    ),
    Case(
        "judge",
        "ratings.jsonl --rating mark --judge judged --min-units 1 --forest-plot p.svg --report r.html",
        {"p.svg": "svg", "r.html": "html"},
    ),
    Case(
        "estimate",
        "ratings.jsonl --rating mark --judge judged --forest-plot p.svg --report r.html",
        {"p.svg": "svg", "r.html": "html"},
    ),
    *(
        Case("estimate", f"ratings.jsonl --rating mark --judge judged --format {name}", {"out": name})
        for name in FORMAT_NAMES
    ),
    *(
        Case("agreement", f"ratings.jsonl --rating mark --pairwise --format {name}", {"out": name})
        for name in FORMAT_NAMES
    ),
    Case("report", f"r.html --metric ter {INPUT} --scores-files scores.jsonl --resamples 40", {"r.html": "html"}),
    Case("visualize", f"rouge v.html {INPUT}", {"v.html": "html"}),
    Case("write-pairs", f"pairs.txt {INPUT}", {}),
    *(
        Case("list", f"{what} --format {name} --include-packages plugin.py", {"out": name})
        for what in ("metrics", "readers", "datasets")
        for name in FORMATS.names()
    ),
    Case("cite", "evil --include-packages plugin.py", {"out": "lines"}),
    Case("--help", "--include-packages plugin.py", {"out": "lines"}),
    Case("help", "evil --include-packages plugin.py", {"out": "lines"}),
    Case("evil evaluate", "--help --include-packages plugin.py", {"out": "lines"}),
    Case("evil evaluate", f"{INPUT} --include-packages plugin.py", {"out": "table"}),
    Case("completion", "bash", {"out": "text"}),
    Case("complete-words", "-- correlate --m", {"out": "text"}),
]
PLUGIN = """
from metrics_framework import Metric, MetricsDict, ReferenceBasedMetric

TEXT = {text!a}
DOCUMENT = {document!a}

@Metric.register("evil")
class Evil(ReferenceBasedMetric):
    __doc__ = DOCUMENT + chr(10) * 2 + "    Args:" + chr(10) + "        option: " + DOCUMENT
    citation = "@misc{{evil, title = " + TEXT + "}}"

    def __init__(self, option: str = TEXT):
        super().__init__()

    def score_multi_all(self, summaries_list, references_list):
        return [[MetricsDict({{"evil": 1.0}}) for _ in summaries] for summaries in summaries_list]

    def signature(self, **observed):
        return TEXT

    def other_signatures(self, refs):
        return {{"other": TEXT}}
"""


def write_files(names: Sequence[str]) -> None:
    """Writes files with the names wherever a file can have text."""
    ids = [(system, instance) for system in names for instance in "12"] + [(names[0], instance) for instance in names]
    rows = [
        {"instance_id": instance, "summarizer_id": system, "summary": f"a {number % 7}", "references": ["a 1", "a 3"]}
        for number, (system, instance) in enumerate(ids)
    ]
    write_rows("in.jsonl", [{**row, "source": "a b"} for row in rows])
    labels = [{"type": "ter", "label": name} for name in names]
    write_json("labels.json", {"metrics": labels})
    scores = [
        {
            "instance_id": instance,
            "summarizer_id": system,
            "metrics": {"sari": number % 5, "human": number % 3, **dict.fromkeys(names, number % 11)},
            "signature": {"sari": " ".join(names), **{name: name for name in names}},
        }
        for number, (system, instance) in enumerate(ids)
    ]
    write_rows("scores.jsonl", scores)
    write_rows(
        "runs.jsonl",
        [{"instance_id": one, "summarizer_id": names[0], "metrics": dict.fromkeys(names, 1)} for one in names],
    )
    texts = {"source": "a b", "good": "a 1", "bad": "a 2", "reference": "a 1"}
    write_rows("pairs.jsonl", [{"phenomenon": name, "category": name, **texts} for name in names])
    votes = [
        {"input": number, "system_a": a, "system_b": b, "winner": ("model_a", "tie", "model_b")[number % 3], "area": a}
        for number, (a, b) in enumerate(pairwise([*names, names[0]]))
    ]
    write_rows("votes.jsonl", votes)
    pairs = [(system, instance) for system in names for instance in "123"]
    marks = [{"instance_id": i, "summarizer_id": s, "mark": n * n % 5} for n, (s, i) in enumerate(pairs)]
    scored = [
        {**{key: mark[key] for key in ("instance_id", "summarizer_id")}, "metrics": {"mark": mark["mark"]}}
        for mark in marks
    ]
    write_rows("marks.jsonl", scored)
    judged = [
        {**mark, "rater": rater, "mark": (mark["mark"] + number) % 4, "judged": mark["mark"]}
        for mark in marks
        for number, rater in enumerate(names[:3])
    ]
    write_rows("ratings.jsonl", judged)
    text = " ".join(names)
    document = text.encode("utf-8", "ignore").decode()  # Python accepts no surrogates in a docstring
    Path("plugin.py").write_text(PLUGIN.format(text=text, document=document), encoding="utf-8")
    columns = [name for name in names if not set(name) & set('\n\r\0\ud800\udcff,|"')]
    table = [["instance_id", "summarizer_id", *columns], ["1", "1", *columns], ["2", "1", *columns]]
    Path("table.csv").write_text("\n".join(map(",".join, table)), encoding="utf-8")


def outputs_of(fw: Run, new_registries: Any, case: Case, names: Sequence[str]) -> dict[str, str]:
    write_files(names)
    words = f"{case.command} {case.words}".split()
    with new_registries():
        done = fw(*(word.format(name) for word in words for name in (names if "{}" in word else [""])))
    assert done.code == 0, done.err
    files = {name: Path(name).read_text(encoding="utf-8") for name in case.outputs if name != "out"}
    for name in files:
        os.unlink(name)
    return {"out": done.out, "err": done.err, **files}


@pytest.mark.parametrize("case", sampled((pytest.param(case, id=f"{case.command} {case.words}") for case in CASES), 6))
def test_no_output_of_a_command_contains_more_than_the_text(case: Case, fw: Run, new_registries: Any) -> None:
    write_plugin(Path("data"))
    outputs, plain = (outputs_of(fw, new_registries, case, names) for names in (NAMES, list(PLAIN.values())))
    for output, kind in {"err": "text", **case.outputs}.items():
        CHECKS[kind](outputs[output], plain[output])


def test_every_command_is_in_the_table() -> None:
    words = {case.command.split()[0] for case in [*CASES, *ERRORS]}
    listed = {COMMANDS.get(word).registered_name for word in words & set(COMMANDS.names(aliases=True))}
    assert set(COMMANDS.names()) <= listed, "add a case for a new command"


# ---- messages --------------------------------------------------------------------------------------------------------


class Faulty(NamedTuple):
    """A command line that ends with an error, and the files that it reads; ``{}`` is a hostile string."""

    command: str
    words: Sequence[str]
    files: dict[str, Any]
    why: str


ROW = {"instance_id": "1", "summarizer_id": "s", "summary": "a", "references": ["b"], "source": "c"}
SCORES = {"instance_id": "1", "summarizer_id": "s", "metrics": {"sari": 1.0}}
IN = ["--input-files", "in.jsonl"]
ERRORS = [
    Faulty("ter evaluate", ["--input-files", "{}"], {}, "a missing file"),
    Faulty("ter evaluate", ["--baseline", "{}", "--confidence", *IN], {"in.jsonl": [ROW]}, "an unknown system"),
    Faulty("ter evaluate", [*IN, "--log-file", "in.jsonl/{}/log"], {"in.jsonl": [ROW]}, "a log file"),
    Faulty("ter evaluate", IN, {"in.jsonl": [{**ROW, "references": None, "{}": 1}]}, "an unknown key"),
    Faulty("ter evaluate", IN, {"in.jsonl": [{**ROW, "instance_id": "{}"}] * 2}, "a duplicate input"),
    Faulty("ter evaluate", IN, {"in.jsonl": [{**ROW, "summarizer_id": "{}"}] * 2}, "a duplicate system"),
    Faulty("ter evaluate", IN, {"in.jsonl": [{**ROW, "summarizer_type": "{}"}]}, "an unknown type"),
    Faulty("ter evaluate", IN, {"in.jsonl": [{**ROW, "references": "{}"}]}, "a text for a list"),
    Faulty("ter evaluate", IN, {"in.jsonl": [{**ROW, "references": [["{}"], {"{}": 1}]}]}, "an object for a text"),
    Faulty("evaluate", ["--metric", "{}", *IN], {"in.jsonl": [ROW]}, "an unknown metric"),
    Faulty("evaluate", ["--metric", "ter:{}=1", *IN], {"in.jsonl": [ROW]}, "an unknown option"),
    Faulty("evaluate", ["--config", "c.json", *IN], {"in.jsonl": [ROW], "c.json": {"{}": 1}}, "an unknown key"),
    Faulty("evaluate", ["--config", "c.json"], {"c.json": {"metrics": ["ter"], "input_files": "{}"}}, "a file"),
    Faulty("score", ["--metric", "ter", "--dataset-reader", "{}", *IN], {"in.jsonl": [ROW]}, "an unknown reader"),
    Faulty("correlate", ["s.jsonl", "--metrics", "sari", "{}"], {"s.jsonl": [SCORES]}, "an unknown score"),
    Faulty(
        "correlate",
        ["s.jsonl", "--metrics", "sari", "x"],
        {"s.jsonl": [{**SCORES, "metrics": {"{}": 1.0}}]},
        "known scores",
    ),
    Faulty(
        "correlate",
        ["s.jsonl", "--metrics", "sari", "x"],
        {"s.jsonl": [{**SCORES, "metrics": {"{}": "{}"}}]},
        "a text for a score",
    ),
    Faulty(
        "correlate",
        ["s.jsonl", "--metrics", "sari", "x"],
        {"s.jsonl": [{**SCORES, "signature": {"{}": 3}}]},
        "a number for a signature",
    ),
    Faulty("agreement", ["s.jsonl", "--rating", "{}"], {"s.jsonl": [SCORES]}, "an unknown rating"),
    Faulty("agreement", ["s.jsonl", "--rating", "q"], {"s.jsonl": [{**SCORES, "q": "{}"}]}, "a text for a rating"),
    Faulty("partial-conjunction-test", ["{}", "x.json"], {}, "a missing file"),
    Faulty(
        "stat-sig-test",
        ["s.jsonl", "--dependent-metric", "sari", "--metric-A", "{}", "--metric-B", "x"],
        {"s.jsonl": [SCORES]},
        "an unknown score",
    ),
    Faulty("ratings", ["{}", "x.tsv"], {}, "an unknown format"),
    Faulty("ratings", ["esa", "x.jsonl"], {"x.jsonl": [{**ROW, "rater": "{}", "score": "{}"}]}, "a text for a score"),
    Faulty("report", ["{}", *IN], {"in.jsonl": [ROW]}, "a file that is no page"),
    Faulty("ter evaluate", ["--engine", "{}", *IN], {"in.jsonl": [ROW]}, "an unknown engine"),
    Faulty("list", ["{}"], {}, "an unknown registry"),
    Faulty("cite", ["{}"], {}, "an unknown metric"),
    Faulty("setup-metric", ["{}"], {}, "an unknown metric"),
    Faulty("setup-dataset", ["{}"], {}, "an unknown data set"),
    Faulty("completion", ["{}"], {}, "an unknown shell"),
    Faulty("write-pairs", ["p.txt", *IN], {"in.jsonl": [{**ROW, "source": "||| {}"}]}, "a word that separates"),
    Faulty(
        "write-votes",
        ["v.jsonl", "--model", "m", "--url", "{}", *IN],
        {"in.jsonl": [ROW, {**ROW, "summarizer_id": "t"}]},
        "an address",
    ),
    Faulty("write-votes", ["v.jsonl", *IN, "--systems", "{}"], {"in.jsonl": [ROW]}, "an unknown system"),
    Faulty("llm-judge evaluate", ["--template", "{}", *IN], {"in.jsonl": [ROW]}, "an unknown template"),
    Faulty("{}", [], {}, "an unknown command"),
    Faulty("ter evaluate", ["--include-packages", "{}", *IN], {"in.jsonl": [ROW]}, "a package"),
]


def filled(value: Any, text: str) -> Any:
    if isinstance(value, dict):
        return {filled(key, text): filled(inner, text) for key, inner in value.items()}
    if isinstance(value, list):
        return [filled(inner, text) for inner in value]
    return value.replace("{}", text) if isinstance(value, str) else value


@pytest.mark.parametrize("case", sampled((pytest.param(case, id=f"{case.command}: {case.why}") for case in ERRORS), 3))
def test_no_message_contains_more_than_the_text(case: Faulty, fw: Run) -> None:
    for number, text in enumerate(NAMES):
        if any("{}" in word for word in (case.command, *case.words)) and re.search("^-|[\0\ud800]", text):
            continue  # no argument of a command line, or a flag
        messages = []
        for name in (text, f"harmless {number}"):
            for path, content in filled(case.files, name).items():
                write_rows(path, content) if isinstance(content, list) else write_json(path, content)
            done = fw(*case.command.replace("{}", name).split(" "), *filled(list(case.words), name))
            messages.append(done.out + done.err)
        assert "fw: " in messages[0], ascii(text)
        check_text(*messages)


@pytest.mark.parametrize("jobs", ["1", pytest.param("2", marks=pytest.mark.slow)])
@pytest.mark.parametrize("raised", ["ValueError(TEXT)", "SystemExit(TEXT)", "MemoryError(TEXT)", "KeyError(TEXT)"])
def test_what_a_plug_in_raises_is_printable(fw: Run, raised: str, jobs: str) -> None:
    write_files(NAMES)
    plugin = Path("plugin.py").read_text(encoding="utf-8").replace("return [[MetricsDict", f"raise {raised}  # ")
    Path("plugin.py").write_text(plugin, encoding="utf-8")
    done = fw("evil", "evaluate", *IN, "--include-packages", "plugin.py", "--jobs", jobs)
    assert done.code == 1
    check_text(done.err, "\n")
    if "Memory" not in raised:
        assert done.err.startswith("fw: error: the metric 'evil' failed at ")


@pytest.mark.parametrize("text", NAMES, ids=ascii)
def test_what_a_broken_plug_in_raises_is_printable(fw: Run, text: str) -> None:
    Path("broken.py").write_text(f"raise ValueError({text!a})", encoding="utf-8")
    done = fw("list", "profiles", "--include-packages", "broken.py")
    check_text(done.err, "\n")
    assert done.err.startswith("fw: warning: the plug-in 'broken.py' is unavailable: ValueError: ")


def test_the_reason_phrase_of_a_server_is_printable(fw: Run, web: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(handler: Handler) -> None:
        handler.wfile.write(b"HTTP/1.1 404 \x1b[2J\x1b]0;title\x07\x9b31m\r\nContent-Length: 0\r\n\r\n")
        handler.close_connection = True

    monkeypatch.setenv("FW_DATA_MIRROR", web.url)
    module = write_plugin(Path("data"))
    web.script[address("data/tune.src")] = [answer]
    done = fw("setup-dataset", "tiny-tune", "--include-packages", module)
    assert done.code == 1
    assert "the server answered 404 \\x1b[2J\\x1b]0;title\\x07\\x9b31m\n" in done.err
    check_text(done.err, done.err)


# ---- file names ------------------------------------------------------------------------------------------------------


def test_file_names_are_printable_wherever_they_are_printed(fw: Run) -> None:
    names = [text.translate({ord("/"): "_", 0: None, 0xD800: None, ord("="): "_"}) for text in NAMES]
    for name in names:
        Path(f"d/{name}").parent.mkdir(exist_ok=True)
        Path(f"d/{name}.txt").write_text("a b\nc\n", encoding="utf-8")
        Path(f"d/{name}.ref").write_text("a b\nd\n", encoding="utf-8")
        done = fw(
            *("ter", "evaluate", f"d/{name}.json", f"d/{name}.jsonl", "--outputs", f"d/{name}.txt"),
            *("--references", f"d/{name}.ref", "--log-file", f"d/{name}.log"),
        )
        assert done.code == 0, done.err
        log = Path(f"d/{name}.log").read_text(encoding="utf-8")
        check_text(done.err, "\n\n")
        check_text(log, "\n\n")
        check_text(done.out, "\n" * done.out.count("\n"))
        assert [line.split(" ")[0] for line in done.err.splitlines()] == ["fw:", "fw:"]


def test_warnings_and_tracebacks_of_python_are_printable(fw: Run) -> None:
    text = "a\x1b[2J\nfw: wrote b\x9b\u202e"
    Path("noisy.py").write_text(f"import warnings\nwarnings.warn({text!a})\n", encoding="utf-8")
    code = (
        "from metrics_framework.commands.app import main, prepare_process\nprepare_process()\n"
        f"main(['list', 'profiles', '--include-packages', 'noisy.py'])\nraise ValueError({text!a})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=False)
    escaped = "a\\x1b[2J\\nfw: wrote b\\x9b\\u202e"
    assert f"noisy.py:2: UserWarning: {escaped}\n" in done.stderr
    assert "\nTraceback (most recent call last):\n" in done.stderr
    check_text(done.stderr, done.stderr)


# ---- in Python -------------------------------------------------------------------------------------------------------


def test_results_in_python_contain_no_more_than_the_text() -> None:
    import metrics_framework as fw

    shown = []
    for names in (NAMES, list(PLAIN.values())):
        systems = {name: ["a b", "b"] if index else ["a b"] for index, name in enumerate(names)}
        rows = [
            {"instance_id": str(number), "summarizer_id": name, "summary": text, "references": ["a", "c"]}
            for name, texts in systems.items()
            for number, text in enumerate(texts)
        ]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = fw.evaluate("ter", rows)
        told = [str(one.message) for one in caught]
        assert len(told) == 1, told
        shown.append((str(result), result._repr_html_(), repr(result), *told))
    for text, plain, kind in zip(*shown, ("table", "html", "text", "text"), strict=True):
        CHECKS[kind](text, plain)
