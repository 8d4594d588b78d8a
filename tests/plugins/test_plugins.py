"""Plug-ins as users have them: installed packages, packages and files named on the command line or in FW_PLUGINS."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from json_files import read_json, write_rows

pytestmark = pytest.mark.slow  # every run of ``fw`` is a process

HERE = Path(__file__).parent
ROW = {"instance_id": "1", "summarizer_id": "s", "summary": "a cat sat", "references": ["A cat", "it sat"]}
ROWS = [ROW, {**ROW, "instance_id": "2", "summary": "no dog"}]
DESIGN_EXAMPLE = """
from metrics_framework import Metric, MetricsDict, ReferenceBasedMetric, ReferencesJackknifer


def f(summary, references):
    return float(summary) * sum(map(float, references))


@Metric.register("my-metric")
class MyMetric(ReferenceBasedMetric):
    def __init__(self):
        super().__init__(["summary"], ["references"], jackknifer=ReferencesJackknifer())

    def score_multi_all(self, summaries_list, references_list):
        return [[MetricsDict({"my-metric": f(s, refs)}) for s in summaries]
                for summaries, refs in zip(summaries_list, references_list)]
"""


WITH_OPTIONS = '''
"""Metrics of my own."""
from typing import Optional
from metrics_framework import Metric, MetricsDict, ReferenceFreeMetric


@Metric.register("words")
class Words(ReferenceFreeMetric):
    """Counts words."""

    def __init__(self, factor: int = 1, ends: str = "", limit: Optional[int] = None, strict_case=False):
        super().__init__(["summary"])
        self.factor, self.limit = factor, limit

    def score_multi_all(self, summaries_list):
        return [[self.scores(summary) for summary in summaries] for summaries in summaries_list]

    def scores(self, summary):
        return MetricsDict(words=self.factor * len(summary.split()[: self.limit]))
'''
TAKEN = DESIGN_EXAMPLE.replace('"my-metric"', '"sari"')


class Result(NamedTuple):
    """What a run of ``fw`` left behind."""

    code: int
    out: str
    err: str


def run(folder: Path, *words: object, **environment: str) -> Result:
    """Runs ``fw`` in a process of its own."""
    inherited = {name: value for name, value in os.environ.items() if name not in ("FW_PLUGINS", "PYTHONPATH")}
    done = subprocess.run(
        [sys.executable, "-m", "metrics_framework", *map(str, words)],
        cwd=folder,
        env={**inherited, **environment},
        capture_output=True,
        encoding="utf-8",
    )
    assert "Traceback" not in done.stderr
    return Result(done.returncode, done.stdout, done.stderr)


def metrics_in(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line)["metrics"] for line in path.read_text().splitlines()]


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """A file of two outputs of one system."""
    return write_rows(tmp_path / "in.jsonl", ROWS)


# ---- installed packages ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder in which both plug-ins are installed, by pip and without a network."""
    needs_setuptools()
    folder = tmp_path_factory.mktemp("plug-ins")
    copies = [folder / "from" / name for name in ("fw_example_plugin", "fw_broken_plugin")]
    for copy in copies:
        shutil.copytree(HERE / copy.name, copy)
    target = folder / "site"
    offline = ["--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check"]
    command = [sys.executable, "-m", "pip", "install", "--quiet", *offline, "--target", str(target), *map(str, copies)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return str(target)


@pytest.fixture
def installed(site: str, tmp_path: Path) -> Callable[..., Result]:
    """Runs ``fw`` with both plug-ins."""
    return lambda *words: run(tmp_path, *words, PYTHONPATH=site)


def needs_setuptools() -> None:
    try:
        found = tuple(int(part) for part in version("setuptools").split(".")[:2])
    except PackageNotFoundError:
        found = (0, 0)
    if found < (70, 1):
        pytest.skip("needs setuptools 70.1 or later to install a plug-in without a network")


def test_help_lists_an_installed_plug_in_without_importing_it(site: Path, tmp_path: Path) -> None:
    script = (
        "import sys; from metrics_framework.commands.app import main; main(['--help']); "
        "print([name for name in sys.modules if name.startswith(('fw_', 'a_package'))], file=sys.stderr)"
    )
    environment = {**os.environ, "PYTHONPATH": site}
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr.strip()) == (0, "[]")
    for name in ("word-overlap", "length-ratio-corpus", "broken-metric"):
        assert f"  {name} " in done.stdout
    assert "fw_example_plugin-1.0" in done.stdout


def test_the_options_of_an_installed_metric_are_documented_flags(installed: str, tmp_path: Path) -> None:
    text = installed("word-overlap", "evaluate", "--help").out
    for flag in (
        "--scale FLOAT",
        "--least N",
        "--suffix TEXT",
        "--count {types,tokens}",
        "--limit N",
        "--lowercase [BOOL]",
        "--ignored TEXT …",
    ):
        assert flag.replace(" [BOOL]", "") in text, flag
    for help_text in ("what a perfect summary scores (default: 100)", "words that do not count", "(default: true"):
        assert help_text in " ".join(text.split())
    assert "kwargs" not in text


OPTIONS = [  # flags, scores of the two outputs, why
    ([], [100.0, 0.0], "the defaults"),
    (["--scale", "1"], [1.0, 0.0], "a float"),
    (["--least", "6"], [50.0, 0.0], "an int"),
    (["--suffix", "x"], [100.0, 0.0], "a string"),
    (["--count", "types"], [100.0, 0.0], "a choice"),
    (["--limit", "2", "--least", "4"], [50.0, 0.0], "an int that may be absent"),
    (["--limit", "none"], [100.0, 0.0], "its absence"),
    (["--no-lowercase"], [200 / 3, 0.0], "a boolean of the parent: 'A' is not 'a'"),
    (["--lowercase", "false"], [200 / 3, 0.0], "the same, with a word"),
    (["--lowercase=no"], [200 / 3, 0.0], "the same, joined"),
    (["--ignored", "a", "cat", "no"], [100.0, 0.0], "a list of the parent"),
    (["--ignored", "a", "cat", "--least", "4"], [25.0, 0.0], "one of three words is left"),
]


@pytest.mark.parametrize(("flags", "expected", "why"), OPTIONS)
def test_the_flags_of_an_installed_metric_are_typed(
    flags: list[str], expected: list[float], why: str, installed: str, rows: Path, tmp_path: Path
) -> None:
    words = ["word-overlap", "evaluate", "macro.json", "micro.jsonl", "--input-files", rows, *flags]
    result = installed(*words)
    assert result.code == 0, result.err
    assert [scores["word-overlap"] for scores in metrics_in(tmp_path / "micro.jsonl")] == pytest.approx(expected), why


def test_an_installed_metric_is_jackknifed_and_signed(installed: str, rows: Path, tmp_path: Path) -> None:
    words = ["word-overlap", "score", "out.jsonl", "--input-files", rows, "--limit", "2"]
    assert installed(*words).code == 0
    first, second = (json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines())
    assert first["metrics"] == {"word-overlap": 100.0, "word-overlap_jk": 50.0}  # "a cat": both words, then none
    assert second["metrics"] == {"word-overlap": 0.0, "word-overlap_jk": 0.0}
    signature = first["signature"]["word-overlap"]
    assert signature.startswith(
        "word-overlap|scale:100.0|least:1|suffix:|count:tokens|limit:2|lowercase:yes|ignored:none"
    )


def test_an_installed_corpus_metric_scores_systems_by_sums(installed: str, tmp_path: Path) -> None:
    texts = [("1", "a b c", "a"), ("2", "a", "a b c")]
    given = [
        {"instance_id": one, "summarizer_id": "s", "summary": summary, "source": source}
        for one, summary, source in texts
    ]
    write_rows(tmp_path / "in.jsonl", given)
    words = ["length-ratio-corpus", "evaluate", "macro.json", "micro.jsonl", "--input-files", "in.jsonl"]
    assert installed(*words).code == 0
    assert metrics_in(tmp_path / "micro.jsonl") == [{"length-ratio-corpus": 3.0}, {"length-ratio-corpus": 1 / 3}]
    assert read_json(tmp_path / "macro.json")["metrics"] == {"length-ratio-corpus": 1.0}  # 4 / 4


READERS = ["pipe-separated", '{"type": "pipe-separated", "separator": ";"}', "pipe-separated:separator=;"]


@pytest.mark.parametrize("reader", READERS)
def test_an_installed_reader_reads(reader: str, installed: str, tmp_path: Path) -> None:
    line = "1|s|a cat sat|the cat sat|A cat|it sat\n"
    (tmp_path / "in.txt").write_text(line if reader == "pipe-separated" else line.replace("|", ";"))
    words = ["word-overlap", "evaluate", "macro.json", "--dataset-reader", reader, "--input-files", "in.txt"]
    result = installed(*words)
    assert result.code == 0, result.err
    assert read_json(tmp_path / "macro.json")["systems"] == {"s": {"word-overlap": 100.0}}


def test_the_problems_of_an_installed_reader_have_their_places(installed: str, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("1|s|a|b|c\n1|s\n2\n")
    words = ["sari", "score", "out.jsonl", "--dataset-reader", "pipe-separated", "--input-files", "in.txt"]
    result = installed(*words)
    assert result.code == 1
    assert "in.txt:2: needs five fields, got 2" in result.err
    assert "in.txt:3: needs five fields, got 1" in result.err


def test_lists_say_where_a_plug_in_comes_from(installed: str, tmp_path: Path) -> None:
    metrics = installed("list", "metrics", "--format", "tsv")
    assert metrics.code == 0
    lines = {line.split("\t")[0]: line for line in metrics.out.splitlines()}
    assert "fw_example_plugin-1.0" in lines["word-overlap"]
    assert "built in" in lines["sari"]
    readers = installed("list", "readers", "--format", "tsv").out
    assert "pipe-separated\tfiles of lines with fields between bars\tfw_example_plugin-1.0" in readers
    coefficients = installed("list", "coefficients", "--format", "tsv").out
    listed = {line.split("\t")[0]: line.split("\t")[1:] for line in coefficients.splitlines()}
    assert listed["concordance"][0] == "Lin ρc"
    assert listed["concordance"][-2] == "fw_example_plugin-1.0"


def test_a_broken_plug_in_disables_only_its_own_names(installed: str, rows: Path, tmp_path: Path) -> None:
    broken = installed("broken-metric", "score", "out.jsonl", "--input-files", rows)
    assert broken.code == 1
    for fragment in ("'broken-metric'", "fw_broken_plugin-1.0", "a_package_that_nobody_has"):
        assert fragment in broken.err
    reader = installed("word-overlap", "score", "--dataset-reader", "broken-reader", "--input-files", rows)
    assert reader.code == 1
    assert "'broken-reader'" in reader.err
    listed = installed("list", "metrics")
    assert listed.code == 0
    assert "unavailable: " in next(line for line in listed.out.splitlines() if line.startswith("broken-metric"))
    works = installed("word-overlap", "score", "out.jsonl", "--input-files", rows)
    assert (works.code, works.err.count("warning")) == (0, 0)


def test_completion_knows_installed_names(installed: str, tmp_path: Path) -> None:
    assert installed("complete-words", "--", "word").out == "word-overlap\n"
    assert installed("complete-words", "--", "word-overlap", "score", "--sca").out == "--scale\n"
    broken = installed("complete-words", "--", "broken-metric", "score", "--")
    assert (broken.code, broken.out) == (0, "")


# ---- names taken twice -----------------------------------------------------------------------------------------------


def entry_points(folder: Path, package: str, lines: str) -> None:
    """Makes what an installer leaves behind of a package's entry points."""
    metadata = folder / f"{package}-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "entry_points.txt").write_text(f"[metrics_framework.metrics]\n{lines}\n")


def test_an_installed_name_taken_twice_names_both_and_leaves_the_others(rows: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    entry_points(site, "their_sari", "sari = their_sari:Sari")
    result = run(tmp_path, "sari", "score", "out.jsonl", "--input-files", rows, PYTHONPATH=str(site))
    assert result.code == 1
    for fragment in ("'sari' is registered twice", "metrics_framework.metrics.sari", "their_sari-1.0"):
        assert fragment in result.err
    assert run(tmp_path, "cite", "pyramid-score", PYTHONPATH=str(site)).code == 0
    shown = run(tmp_path, "--help", PYTHONPATH=str(site))
    assert shown.code == 0
    assert "their_sari-1.0" in shown.out


def test_two_packages_with_one_name_are_both_named(tmp_path: Path) -> None:
    site = tmp_path / "site"
    entry_points(site, "one", "mine = one:Mine")
    entry_points(site, "two", "mine = two:Mine")
    result = run(tmp_path, "mine", "score", PYTHONPATH=str(site))
    assert result.code == 1
    assert "one-1.0" in result.err
    assert "two-1.0" in result.err


def test_a_file_that_takes_a_known_name_is_refused(rows: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(TAKEN)
    ways: list[tuple[list[str], dict[str, str]]] = [
        (["--include-packages", "mine.py", "sari", "score", "--input-files", str(rows)], {}),
        (["sari", "score", "--input-files", str(rows)], {"FW_PLUGINS": "mine"}),
    ]
    for words, environment in ways:
        result = run(tmp_path, *words, **environment)
        assert (result.code, result.out) == (1, "")
        for fragment in ("'sari' is registered twice", "metrics_framework.metrics.sari", "mine.MyMetric"):
            assert fragment in result.err


def test_two_files_of_one_name_that_register_one_metric_are_refused(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.py").write_text(DESIGN_EXAMPLE)
    result = run(tmp_path, "--include-packages", "a/mine.py,b/mine.py", "my-metric", "--help")
    assert result.code == 1
    assert "'my-metric' is registered twice" in result.err


# ---- FW_PLUGINS and --include-packages -------------------------------------------------------------------------------


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A working folder with a package, a module and a file of metrics."""
    package = tmp_path / "own_package"
    package.mkdir()
    (package / "__init__.py").write_text("from own_package import mine\n")
    (package / "mine.py").write_text(DESIGN_EXAMPLE)
    (tmp_path / "words.py").write_text(WITH_OPTIONS)
    write_rows(
        tmp_path / "in.jsonl",
        [{"instance_id": "1", "summarizer_id": "p", "summary": "1", "references": ["10", "100", "1000"]}],
    )
    return tmp_path


MINE = ["my-metric", "score", "out.jsonl", "--input-files", "in.jsonl"]
WAYS = [
    (["--include-packages", "own_package", *MINE], "", "a package of the working folder, before the command"),
    ([*MINE, "--include-packages", "own_package"], "", "after it"),
    ([*MINE[:3], "--include-packages", "own_package", *MINE[3:]], "", "in the middle"),
    (["--include-packages=own_package", *MINE], "", "joined"),
    (["--include_packages", "own_package", *MINE], "", "with an underscore"),
    (["--include-packages", "own_package.mine", *MINE], "", "a module of a package"),
    (["--include-packages", "own_package/mine.py", *MINE], "", "a file"),
    (["--include-packages", "./own_package/mine.py", *MINE], "", "a file in another spelling"),
    (["--include-packages", "words,own_package", *MINE], "", "a list with commas"),
    ([*MINE, "--include-packages", "words", "own_package"], "", "a list with blanks"),
    (["--include-packages", "words", "--include-packages", "own_package", *MINE], "", "twice"),
    (MINE, "own_package", "the environment"),
    (MINE, "words own_package.mine", "the environment, with blanks"),
    (MINE, "words,own_package", "the environment, with commas"),
    (["--include-packages", "own_package", *MINE], "own_package", "both"),
]


@pytest.mark.parametrize(("words", "variable", "why"), WAYS, ids=[why for _, _, why in WAYS])
def test_plug_ins_are_found_however_they_are_named(words: list[str], variable: str, why: str, own: Path) -> None:
    result = run(own, *words, FW_PLUGINS=variable)
    assert result.code == 0, result.err
    assert metrics_in(own / "out.jsonl") == [{"my-metric": 1110.0, "my-metric_jk": 740.0}]


def test_help_lists_named_plug_ins(own: Path) -> None:
    assert "my-metric" in run(own, "--include-packages", "own_package", "--help").out
    assert "my-metric" in run(own, "--help", FW_PLUGINS="own_package").out
    assert "my-metric" not in run(own, "--help").out


BROKEN = [  # content, what the warning says
    ("import a_package_that_nobody_has\n", "No module named 'a_package_that_nobody_has'"),
    ("def broken(:\n", "SyntaxError"),
    ("raise ValueError('not today')\n", "ValueError: not today"),
    ("import sys; sys.exit('no licence')\n", "no licence"),
]


@pytest.mark.parametrize(("content", "reason"), BROKEN)
def test_a_broken_named_plug_in_is_reported_and_left_out(content: str, reason: str, own: Path) -> None:
    (own / "broken.py").write_text(content)
    for name in ("broken", "broken.py"):
        result = run(own, "--include-packages", f"{name},own_package", *MINE)
        assert result.code == 0, result.err
        assert "warning: the plug-in" in result.err
        assert reason in result.err


def test_a_name_that_a_broken_plug_in_would_have_is_unknown_with_the_reason(own: Path) -> None:
    (own / "broken.py").write_text("import a_package_that_nobody_has\n" + DESIGN_EXAMPLE)
    result = run(own, "--include-packages", "broken.py", *MINE)
    assert result.code == 2
    assert "'broken.py' is unavailable: ModuleNotFoundError" in result.err.splitlines()[-1]


def test_the_line_of_a_file_that_fails_is_named(own: Path) -> None:
    (own / "broken.py").write_text("import json\n\njson.loads(1)\n" + DESIGN_EXAMPLE)
    result = run(own, "--include-packages", "broken.py", "--version")
    assert "the plug-in 'broken.py' is unavailable: TypeError: " in result.err
    assert result.err.endswith(" (line 3)\n")


def test_a_file_that_registers_nothing_is_reported(own: Path) -> None:
    (own / "forgotten.py").write_text(DESIGN_EXAMPLE.replace('@Metric.register("my-metric")', ""))
    result = run(own, "--include-packages", "forgotten.py", *MINE)
    assert result.code == 2
    expected = "the plug-in 'forgotten.py' registers nothing; add @Metric.register(\"NAME\") to 'MyMetric'"
    assert result.err.splitlines()[0] == f"fw: warning: {expected}"
    assert "registers nothing" not in run(own, "--include-packages", "own_package/mine.py", *MINE).err


def test_a_file_of_references_after_plug_ins_is_not_imported(own: Path) -> None:
    for name, text in {"reference": "10\n", "newstest.de": "11\n"}.items():
        (own / name).write_text(text)
    (own / "output").write_text("1\n")
    words = ["my-metric", "evaluate", "--include-packages", "words.py", "own_package/mine.py"]
    result = run(own, *words, "newstest.de", "reference", "-i", "output", "-b")
    assert (result.code, result.err) == (0, "")


def test_a_file_in_place_of_a_metric_is_explained(own: Path) -> None:
    for words in (["evaluate", "--metric", "words.py"], ["words.py", "evaluate"]):
        result = run(own, *words, "--input-files", "in.jsonl")
        assert "add --include-packages words.py and use its registered name" in result.err, words


# ---- the working folder ----------------------------------------------------------------------------------------------

POISON = 'open("POISONED", "w").close()\nraise SystemExit("imported unasked")\n'


def test_nothing_of_the_working_folder_is_imported_unasked(datasets_path: Path, tmp_path: Path) -> None:
    for name in ("metrics", "data", "dataset_readers", "commands", "plugins", "io_", "common", "text", "kernels"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(POISON)
    for name in ("sari", "conftest", "setup", "tokenizers", "mine", "fw", "streams"):
        (tmp_path / f"{name}.py").write_text(POISON)
    outputs = datasets_path / "simplification" / "outputs.jsonl"
    runs = [["--help"], ["list", "metrics"], ["list", "readers"], ["--version"]]
    runs += [["sari", action, "out.json", "--input-files", outputs] for action in ("score", "evaluate")]
    for words in runs:
        result = run(tmp_path, *words)
        assert (result.code, "POISONED" in os.listdir(tmp_path)) == (0, False), words


def test_the_working_folder_hides_no_module_of_others(own: Path) -> None:
    """A plug-in of the working folder is asked for; a folder beside it that is called like a known package is not."""
    (own / "jsonlines").mkdir()
    (own / "jsonlines" / "__init__.py").write_text(POISON)
    script = "import sys; sys.path.remove(''); from metrics_framework.commands.app import main; sys.exit(main())"
    words = [sys.executable, "-c", script, "--include-packages", "own_package", *MINE]
    assert subprocess.run(words, cwd=own, capture_output=True).returncode == 0
    assert "POISONED" not in os.listdir(own)
