"""The benchmarks run, compare scores before they time anything, and name what they could not compare."""

from __future__ import annotations

import importlib.util
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from benchmark_modules import benchmark
from chromium import chromium_path
from twins import requires_native

ROOT = Path(__file__).resolve().parent.parent
BENCHMARKS = ROOT / "benchmarks"
pytestmark = pytest.mark.slow


RUNS = [  # what is run, the packages that it needs, and the number of places of its output that match a pattern
    (
        "agreement.py --outputs 30 --many 200",
        "krippendorff",
        r"^(twice 200 outputs, )?(nominal|ordinal|interval|ratio) ",
        7,
    ),
    (
        "agreement_coverage.py --coefficient cohen --simulations 2 --population 500",
        "",
        r"^\| *(5|10|20|50)% \|",
        4,
    ),
    ("bertscore.py --inputs 3 --size 32 --repetitions 1", "torch transformers bert_score", "package takes × ", 4),
    ("compare.py --systems 3 --inputs 40 --statistics-only --repetitions 1", "sacrebleu", r"^ *paired-\w\w +stat", 2),
    (
        "compare_command.py --systems 4 --inputs 30 --before . --repetitions 1",
        "",
        r"^bleu, 6 pairs: [0-9.]+ \(.+\) s, [0-9.]+ \(.+\) of the time before$",
        1,
    ),
    (
        "correlate_command.py --metrics 3 --inputs 8 --wmt-metrics 2 --before . --repetitions 1"
        " --only 'no test' 'all levels' SPA preset",
        "",
        r"^.+: [0-9.]+ \(.+\) s; before × [0-9.]+ \(.+\)$",
        4,
    ),
    (
        "correlation_differences.py --systems 4 --inputs 12 --resamples 20 --metrics 3 --repetitions 1",
        "",
        "input   kendall   inputs",
        1,
    ),
    (
        "correlation_tests.py --simulations 2 --average-simulations 2 --resamples 19",
        "",
        r"^\| (SPA \| `systems`|joint \| `inputs`|published \| `of each level`|input, Pearson \| `inputs`) \|",
        5,  # Pearson without clusters, and of documents
    ),
    (
        "detectable_power.py --systems 12 --studies 8 --resamples 49",
        "",
        r"^\| `pearson` \| input \| `inputs` \| \.\d\d: (\.\d\d|1\.00) \|$",
        1,
    ),
    ("first_call.py --repetitions 1", "rouge_score_rs", "^(sentences|documents) ", 3),
    ("gate.py --simulations 4", "", r"^\| .+ \|( \d\.\d+(–\d\.\d+)? \|){3}", 15),
    ("google_rouge.py --repetitions 1 --outputs 4", "rouge_score", "takes × ", 12),
    ("interval_coverage.py --replicates 2 --only compare", "", r"^\| [a-z0-9/ ]+, \d+ \|( \d\.\d+ ± [^|]+ \|){3}$", 9),
    ("learned_metrics.py --memory --rows 8 --inputs 2", "torch transformers", r"8 outputs: \d+ MiB", 1),
    ("learned_metrics.py --repetitions 1 --inputs 3 --size 32", "torch transformers", "takes × ", 2),
    ("many_outputs.py --outputs 9000 --resamples 200", "", r"^(bleu|sari|ter) +of [ab] .* \d+\.\d % apart$", 6),
    ("pairwise.py --repetitions 1 --texts 4 --pairs 2 --many 8", "fastchrf", "takes × ", 32),
    ("reward.py --prompts 2 --repetitions 1 --references 2", "", "^(ter|sent-bleu|sari|chrf), 2 references$", 4),
    ("rouge.py --repetitions 1 --outputs 4", "rouge_score", "(rouge-score|the twin) takes × ", 5),
    ("samsa.py --sources 4 --repetitions 1", "pysbd", "4 sources, 4 systems; splitter: pysbd", 1),
    ("score_files.py --rows 300 --repetitions 1", "", "^(jsonl|csv|two files|nested) ", 4),
    (
        "transformations.py --quick --repetitions 1",
        "",
        "^  (transformations|tokens|alignments|labels|25|100) |% of the pairs in common",
        8,
    ),
    (
        "versions.py --quick --repetitions 2 --before . --only 'sari, one*' 'google-rouge, rougeL*'",
        "",
        "^(sari|goo)",
        2,
    ),
    (
        "weighted_points.py --systems 3 --inputs 12 --resamples 40 --twin-resamples 2 --repetitions 1",
        "",
        "the twin takes × ",
        5 * 2 * 3,
    ),
]


@pytest.fixture(autouse=True)
def _modules(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Lets the modules of the benchmarks be imported."""
    before = set(sys.modules)
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    yield
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(BENCHMARKS)):
            del sys.modules[name]


@pytest.mark.parametrize(("command", "needed", "pattern", "count"), RUNS, ids=[command for command, *_ in RUNS])
def test_a_small_run_has_all_its_lines(command: str, needed: str, pattern: str, count: int) -> None:
    for package in needed.split():
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"needs the package {package}")
    program, *words = shlex.split(command)
    done = subprocess.run(
        [sys.executable, str(BENCHMARKS / program), *words], capture_output=True, encoding="utf-8", cwd=ROOT
    )
    assert done.returncode == 0, done.stderr
    assert len(re.findall(pattern, done.stdout, re.MULTILINE)) == count, done.stdout


def peers(*words: str) -> subprocess.CompletedProcess[str]:
    """Runs the comparisons."""
    command = [sys.executable, str(BENCHMARKS / "peers.py"), *words]
    return subprocess.run(command, capture_output=True, encoding="utf-8", cwd=ROOT)


def reported(tmp_path: Path, *words: str) -> tuple[str, list[Any]]:
    """Runs small comparisons; returns what was printed and the lines of numbers."""
    done = peers("--quick", "--json", str(tmp_path / "numbers.json"), *words)
    assert done.returncode == 0, done.stderr
    return done.stdout, json.loads((tmp_path / "numbers.json").read_text(encoding="utf-8"))["lines"]


def names() -> list[str]:
    """Returns what the comparisons are called."""
    return peers("--list").stdout.split()


def test_ter_and_sari_are_compared_and_equal(tmp_path: Path) -> None:
    pytest.importorskip("sacrebleu")
    printed, lines = reported(tmp_path, "--only", "ter", "sari")
    assert [(line["what"], line["equality"], len(line["ratios"])) for line in lines] == [
        ("ter", "equal", 2),
        ("ter", "equal", 2),
        ("sari", "equal", 2),
        ("sari", "equal", 2),
    ]
    assert all(ratio > 0 for line in lines for ratio in line["ratios"])
    assert "text: " in printed
    assert "  ter               sacrebleu 2.6" in printed
    assert "µs per output" in printed


def test_a_rust_peer_of_bleu_is_equal_but_for_rounding(tmp_path: Path) -> None:
    pytest.importorskip("bleuscore")
    _, lines = reported(tmp_path, "--only", "bleu")
    found = [line["equality"] for line in lines if line["peer"].startswith("bleuscore")]
    assert len(found) == 2
    assert all(equality == "equal" or equality.endswith(("e-14", "e-13")) for equality in found), found


@requires_native
def test_the_benchmark_of_ngram_graphs_compares_before_it_times() -> None:
    code = "import corpora, ngram_graphs; ngram_graphs.compare(corpora.generated(), 1, sizes=((1, 2),))"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", cwd=BENCHMARKS)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("\n2 groups, texts of about ")
    assert done.stdout.count("the twin takes × ") == 4


def test_intervals_and_tests_are_simulated() -> None:
    words = ("--simulations", "20", "--inputs", "3", "12", "--metrics", "ter")
    command = [sys.executable, str(BENCHMARKS / "coverage.py"), *words]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", cwd=ROOT)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    rows = {
        name.strip(): list(map(int, cells))
        for _, name, *cells, _ in (
            line.split("|") for line in lines if "%" not in line and "--" not in line and "|" in line
        )
    }
    assert len(rows) == 6 * 4 + 6 * 2
    assert rows["mean, normal, percentile"][0] < rows["mean, normal, jackknife"][0]
    assert rows["ter, randomization"][0] == 0  # three inputs cannot be significant
    assert rows["mean, normal, bootstrap"][0] > 10
    assert rows["documents of 5, ignored, jackknife"][1] < rows["documents of 5, clustered, jackknife"][1]


def test_every_command_has_intervals_or_tests_that_hold_or_not(monkeypatch: pytest.MonkeyPatch) -> None:
    import interval_coverage

    monkeypatch.setattr(interval_coverage, "LARGE", 200)
    for command, (study, cells) in interval_coverage.STUDIES.items():
        for cell in (cells[0], *(one for one in cells if one.clustered)):
            found = interval_coverage.line(study, cell, 2, 0 if "--test" in command else 40)
            assert found, command
            shape = r"none|[01]\.\d{3} ± \d\.\d{3}[*!]?( \(0\.50\))?$"
            assert all(re.match(shape, text) for text in found.values()), found


def test_every_comparison_gives_lines_that_were_checked_or_say_why_not(tmp_path: Path) -> None:
    counts = {}
    for name in names():
        _, lines = reported(tmp_path, "--only", name, "--repetitions", "1")
        counts[name] = len(lines)
        for line in lines:
            assert line.keys() & {"equality", "checked", "different", "absent", "bytes"}, line
    assert all(counts.values()), counts


def test_nothing_is_timed_when_scores_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    import contenders
    import speed
    from corpora import Corpus

    wrong = contenders.Contender("pytest", "wrong", lambda corpus: lambda: [0.0])
    work = contenders.Work("ter", contenders.our_corpus_score("ter"), (wrong,))
    monkeypatch.setattr(speed, "in_turns", lambda *_: pytest.fail("something was timed"))
    with pytest.raises(SystemExit, match="wrong: scores differ by up to 50"):
        list(speed.compare(work, [Corpus(["b a"], [["a b"]], ["a b"], "lines")], 1))


@requires_native
def test_the_benchmarks_of_ter_and_bleu_compare() -> None:
    pytest.importorskip("sacrebleu")
    import bleu
    import ter
    from corpora import first, generated, stacked
    from speed import compare

    corpus = first(stacked(generated()), 4)
    (line,) = ter.compared([corpus], 1)
    assert set(line.raw) == {"twin", "native", "counts"}
    assert [line.cells[-1] for work in bleu.WORKS for line in compare(work, [corpus], 1)] == ["equal"] * 3


def test_the_benchmark_of_readability_compares_metrics_and_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    import readability
    from corpora import first, generated, stacked

    monkeypatch.setattr(readability, "splitters", lambda: ["pysbd"])
    corpus = first(stacked(generated()), 4)
    assert [line.cells[0] for line in readability.of_metrics(corpus, 1)] == ["fkgl", "token-f1", "ibleu", "fkbleu"]
    assert [line.cells[2] for line in readability.of_sentences({"lines": corpus.sources}, 1)] == ["100 %"] * 2


def test_the_benchmark_of_resampling_compares_intervals_and_tests() -> None:
    pytest.importorskip("sacrebleu")
    import resampling
    from corpora import generated

    from metrics_framework.significance.resampling import SACREBLEU, Resampling

    few, text = Resampling(**{**SACREBLEU, "resamples": 100}), generated()
    outputs = {system: lines[:50] for system, lines in text.outputs.items()}
    text = text._replace(sources=text.sources[:50], references_list=text.references_list[:50], outputs=outputs)
    rows = resampling.compared(text, 1, few, 1)
    tasks = [(name, task) for name in ("bleu", "chrf", "ter") for task in ("intervals", "test")]
    assert [row[1:3] for row in rows] == tasks
    assert resampling.shared_draws(text, 1, few, 1)


@pytest.mark.filterwarnings("ignore::metrics_framework.TextWarning")  # two of twelve summaries are like their neighbors
@pytest.mark.usefixtures("tiny_models")  # which skips without the extra 'neural'
def test_the_benchmark_of_equality_computes_differences(shared_path: Callable[[str], Path]) -> None:
    module = benchmark("learned_metrics_equality")
    folder = shared_path("golden/learned/summaries.json").parent
    saved = json.loads((folder / "summaries.json").read_text(encoding="utf-8"))
    assert 0 < module.bartscore(folder, saved) < 1e-5
    wrong = {name: [value + 0.5 for value in values] for name, values in saved["bartscore"].items()}
    assert module.bartscore(folder, {**saved, "bartscore": wrong}) == pytest.approx(0.5, abs=1e-5)
    assert module.Row("m", 2e-6).cells() == ["m", "2e-06", ""]


@requires_native
def test_same_bytes_finds_a_difference_between_two_checkouts(tmp_path: Path) -> None:
    package = tmp_path / "metrics_framework"
    package.mkdir()
    for path in (ROOT / "metrics_framework").iterdir():
        (package / path.name).symlink_to(path)
    (package / "version.py").unlink()
    (package / "version.py").write_text('__version__ = "0.0.planted"\n', encoding="utf-8")
    command = [sys.executable, str(BENCHMARKS / "same_bytes.py"), "--before", str(ROOT), "--after", str(tmp_path)]
    same = subprocess.run([*command, "--only", "fw cite sari"], capture_output=True, encoding="utf-8")
    assert (same.returncode, same.stdout.splitlines()[-1:]) == (0, ["1 of 1 commands print and write the same bytes"])
    differs = subprocess.run([*command, "--only", "m.jsonl $TEXTS"], capture_output=True, encoding="utf-8")
    assert differs.stdout.splitlines()[-1] == "0 of 1 commands print and write the same bytes"
    assert "  file m.json: " in differs.stdout
    assert differs.returncode == 1


def test_a_page_about_more_systems_than_there_are_is_written_opened_and_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if chromium_path() is None:
        pytest.skip("needs Chromium, which is not installed (set FW_CHROMIUM if it is not on the path)")
    import report
    from corpora import generated
    from turkcorpus import TurkCorpus

    full = generated()
    few = TurkCorpus(
        full.sources[:12], full.references_list[:12], {name: texts[:12] for name, texts in full.outputs.items()}
    )
    path = report.write_report(few, 6, tmp_path)
    monkeypatch.setattr(report, "REPETITIONS", 1)
    report.measured(path)
    printed = capsys.readouterr().out
    assert all(name in printed for name in ("open", *report.ACTIONS))
    assert "console: nothing; requests: none" in printed
