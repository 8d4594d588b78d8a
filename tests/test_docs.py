"""Runs the code blocks of the README and of `docs/` as `pages` describes, and follows the links of all pages."""

from __future__ import annotations

import contextlib
import doctest
import importlib
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pictures
import pytest
from generate import reference_pages
from kind_contracts import KIND_CHECKS
from markdown_parts import anchor
from messages import TEXT_TOO_LONG
from pages import DOCS, LINKING, PAGES, PUBLIC, ROOT, Block, blocks_of, name_of, prose
from registries import COMMANDS, METRICS, REGISTRIES
from versions import with_version

from metrics_framework.commands.app import main
from metrics_framework.commands.command import find_command
from metrics_framework.common import plugins
from metrics_framework.common.registrable import Registry
from metrics_framework.metrics.base.neural_metric import NeuralMetric
from metrics_framework.testing.contracts import CHECKS, example_of
from metrics_framework.text.sentences import NoPunktData

GALLERY, PICTURES = DOCS / "gallery.md", DOCS / "pictures"
SLOW = {"docs/guides/plan-a-study.md"}
RUN = [
    pytest.param(page, marks=[pytest.mark.slow] * (name_of(page) in SLOW), id=name_of(page))
    for page in PAGES
    if page != GALLERY and any(block.run for block in blocks_of(page))
]
LINK = re.compile(r"(?<!!)\[[^\]]*\]\((?P<target>[^)\s]+)\)|!\[[^\]]*\]\((?P<image>[^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.*)$", re.MULTILINE)
INSTALLING = re.compile(r"(?:(?:python3? -m )?(?:pip|pytest|venv)|git|source)\b[^&]*(?:&& *|$)")
MAX_PICTURE_BYTES = 60_000
SHELL_SIGNS = set("|<>;&$*{}()`~")


class Reader:
    """Does what a reader of a page does, in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.names: dict[str, Any] = {"__name__": "__main__"}

    def follow(self, block: Block) -> None:
        if block.file is not None:
            (self.folder / block.file).write_text(block.text, encoding="utf-8")
        elif block.language == "bash":
            self._bash(block)
        elif block.language == "console":
            self._console(block)
        elif block.language == "python":
            self._python(block)

    def _bash(self, block: Block) -> None:
        for line in block.lines:
            command = INSTALLING.sub("", line)
            if command and not command.startswith("#"):
                code, printed = run(command)
                assert code == 0, f"line {block.line}: {command}\n{printed}"

    def _console(self, block: Block) -> None:
        for command, expected in sessions(block.text):
            code, printed = run(command)
            same = re.fullmatch(pattern_of(expected), printed.strip("\n"))
            assert same, f"line {block.line}: $ {command}\nprinted:\n{printed}\nthe page has:\n{expected}"
            assert code == 0 or "error" in expected, f"line {block.line}: $ {command} ended with {code}"

    def _python(self, block: Block) -> None:
        if not block.text.lstrip().startswith(">>>"):
            exec(compile(block.text, f"<line {block.line}>", "exec"), self.names)
            return
        test = doctest.DocTestParser().get_doctest(block.text, self.names, f"line {block.line}", None, block.line)
        report = io.StringIO()
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
        runner.run(test, out=report.write, clear_globs=False)
        assert not runner.failures, report.getvalue()
        self.names.update(test.globs)


def sessions(text: str) -> Iterator[tuple[str, str]]:
    """Gives each command of a console block with what stands below it."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, expected = part.replace("\\\n", " ").partition("\n")
        yield " ".join(command.split()), expected.strip("\n")


def pattern_of(expected: str) -> str:
    lines = [
        r"(?:.*\n)*?.*" if line == "…" else "[^\n]*".join(map(re.escape, line.split("…")))
        for line in expected.split("\n")
    ]
    return "\n".join(f"(?:{line})" for line in lines) if expected else ""


def run(command: str) -> tuple[int, str]:
    """Runs a command: in this process if it is a plain call of fw, else in a shell."""
    if command.startswith("fw ") and not SHELL_SIGNS & set(command):
        printed = io.StringIO()
        with as_a_new_process(), contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            return main(shlex.split(command)[1:]), printed.getvalue()
    fw = f'fw() {{ "{sys.executable}" -m metrics_framework "$@"; }}\npython() {{ "{sys.executable}" "$@"; }}\n'
    environment = {**os.environ, "PYTHONUNBUFFERED": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        ["bash", "-c", fw + command], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    return done.returncode, done.stdout.decode()


@contextlib.contextmanager
def as_a_new_process() -> Iterator[None]:
    """Lets nothing that is imported or registered outlive the command or the page that imported it."""
    for registry in REGISTRIES:
        registry.search()
    kept = [(registry, dict(registry.entries), dict(registry.conflicts)) for registry in REGISTRIES]
    path, modules = list(sys.path), set(sys.modules)
    imported, failures = dict(plugins._imported), dict(plugins._failures)
    sys.path.insert(0, os.getcwd())
    importlib.invalidate_caches()
    try:
        yield
    finally:
        for registry, entries, conflicts in kept:
            registry.entries, registry.conflicts = entries, conflicts
        for name in set(sys.modules) - modules:
            if str(getattr(sys.modules[name], "__file__", None)).startswith(os.getcwd() + os.sep):
                del sys.modules[name]
        sys.path[:] = path
        plugins._imported, plugins._failures = imported, failures


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Reader]:
    """Gives a reader in an empty folder with the example data, and without the data of Punkt, as most will be."""

    def without_data() -> None:
        raise NoPunktData([])

    monkeypatch.setattr("metrics_framework.text.sentences._punkt", without_data)
    os.symlink(ROOT / "datasets", tmp_path / "datasets")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FW_PLUGINS", raising=False)
    with as_a_new_process():
        yield Reader(Path(os.path.realpath(tmp_path)))


@pytest.mark.parametrize("page", RUN)
def test_the_code_blocks_of_a_page_run_and_print_what_it_says(page: Path, reader: Reader) -> None:
    for block in blocks_of(page):
        if block.run and not block.is_public:
            reader.follow(block)


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in PAGES if any(b.is_public for b in blocks_of(page))], ids=name_of)
def test_the_code_blocks_on_public_data_run_and_print_what_the_page_says(
    page: Path, reader: Reader, shared_path: Callable[[str], Path]
) -> None:
    for name, place in PUBLIC.items():
        os.symlink(shared_path(place), reader.folder / name)
    for block in blocks_of(page):
        if block.run and block.is_public:
            reader.follow(block)


@pytest.mark.slow
def test_the_commands_of_the_gallery_run_and_write_its_plots_and_tables(reader: Reader) -> None:
    """Byte for byte. Screenshots depend on the fonts of a machine, and are not compared."""
    for block in blocks_of(GALLERY):
        reader.follow(block)
    drawn = {path.name: path for path in PICTURES.glob("*.svg")}
    tables = {name: pictures.made_of(name) for name in drawn if pictures.made_of(name)[0] in pictures.TABLES}
    for name, (table, scheme) in tables.items():
        assert pictures.TABLES[table] in pictures.commands()
        (reader.folder / name).write_text(pictures.table(table, scheme, reader.folder), encoding="utf-8")
    differing = [name for name in drawn if drawn[name].read_bytes() != (reader.folder / name).read_bytes()]
    assert sorted(differing) == [], "run: python docs/pictures.py"


def test_the_gallery_has_a_picture_of_each_kind_of_page_and_plot() -> None:
    kinds, shown = set(), set()
    for name in COMMANDS.names():
        parser, command, _ = find_command(name.split())
        actions = parser._option_string_actions
        flags = [flag for flag in actions if re.search(r"(plot|report)$", flag) and actions[flag].nargs != 0]
        kinds |= {(type(command), flag) for flag in flags}
    for line in filter(re.compile("fw ").match, (line for block in blocks_of(GALLERY) for line in block.lines)):
        _, command, words = find_command(line.split()[1:])
        shown |= {(type(command), word) for word in words}
    assert kinds - shown == set()


def test_every_picture_is_shown_and_every_shown_picture_exists() -> None:
    shown = {name for _, text in texts_of(LINKING) for name in re.findall(r"pictures/([\w.-]+)", text)}
    assert shown == {path.name for path in PICTURES.iterdir()}
    assert [path.name for path in PICTURES.iterdir() if path.stat().st_size > MAX_PICTURE_BYTES] == []


def written_kinds(folder: Path) -> Iterator[str]:
    """Writes the code that pages print and that registers something or tests it; yields the names of modules."""
    for index, block in enumerate(block for page in PAGES for block in blocks_of(page) if block.language == "python"):
        name = Path(block.file or f"printed_{index}.py").stem
        if name.startswith("test_") or re.search(r"^@(fw\.metric|\w+\.register)\(", block.text, re.MULTILINE):
            (folder / f"{name}.py").write_text(block.text, encoding="utf-8")
            yield name


def printed(reader: Reader, registry: Registry) -> Iterator[type[Any]]:
    """Yields the classes of a kind that pages print."""
    for module in written_kinds(reader.folder):
        with as_a_new_process():
            before = set(registry.entries)
            importlib.import_module(module)
            yield from (registry.get(name) for name in sorted(registry.entries.keys() - before))


@pytest.mark.slow
def test_the_classes_that_pages_print_are_typed(tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="needs the group 'dev'")
    files = [str(tmp_path / f"{name}.py") for name in written_kinds(tmp_path)]
    command = [sys.executable, "-m", "mypy", "--strict", *files]
    paths = {**os.environ, "MYPYPATH": os.pathsep.join([str(tmp_path), str(ROOT)])}
    done = subprocess.run(command, cwd=ROOT, env=paths, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout
    assert len(files) >= 15


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("registry", [METRICS, *KIND_CHECKS], ids=lambda registry: registry.kind)
def test_every_class_that_a_page_prints_keeps_what_its_kind_promises(reader: Reader, registry: Registry) -> None:
    for kind in printed(reader, registry):
        if registry is not METRICS:
            KIND_CHECKS[registry](kind, reader.folder)
            continue
        for check in [] if issubclass(kind, NeuralMetric) else CHECKS:
            check(kind(), example_of(kind()))


@pytest.mark.slow
def test_the_neural_metric_that_a_page_prints_keeps_the_contract(
    reader: Reader, tiny_models: Callable[..., str], no_network: None
) -> None:
    kinds = printed(reader, METRICS)
    kind = next(kind for kind in kinds if issubclass(kind, NeuralMetric))
    metric = kind(model=tiny_models())
    assert metric.score("the cat", ["a dog", "the cat"])["embedding-cosine"] == pytest.approx(1)
    assert metric.score("cat " * 99, ["a dog"]) == metric.score("cat " * 99, ["a dog"])  # the second from the cache
    assert metric.notes() == [f"embedding-cosine: 1 text {TEXT_TOO_LONG}"]
    for check in CHECKS:
        check(metric, example_of(metric))


def texts_of(pages: list[Path]) -> list[tuple[str, str]]:
    return [(name_of(page), page.read_text("utf-8")) for page in pages]


def test_every_relative_link_leads_somewhere() -> None:
    """Only generated pages may lead to generated pages, which the repository does not have."""
    generated = {f"docs/reference/{name}": text for name, text in reference_pages().items()}
    texts = {ROOT / name: prose(text) for name, text in [*texts_of(LINKING), *generated.items()]}
    headings = {page: set(map(anchor, HEADING.findall(text))) for page, text in texts.items()}
    broken = []
    for page, text in texts.items():
        for match in LINK.finditer(text):
            target = match["target"] or match["image"]
            name, _, heading = target.partition("#")
            path = (page.parent / name).resolve() if name else page
            if re.match(r"[a-z]+:", target):
                continue
            exists = path.exists() or {name_of(page), name_of(path)} <= generated.keys()
            if not exists or (heading and heading not in headings.get(path, ())):
                broken.append(f"{name_of(page)}: {target}")
    assert broken == []


def test_the_map_of_the_documentation_names_every_page() -> None:
    """With the list of decisions, which is a page of its own."""
    maps = [DOCS / "index.md", DOCS / "decisions" / "README.md"]
    linked = {
        (page.parent / match["target"].split("#")[0]).resolve()
        for page in maps
        for match in LINK.finditer(page.read_text("utf-8"))
        if match["target"]
    }
    assert sorted(map(name_of, {*DOCS.rglob("*.md")} - linked - {maps[0]})) == []


def test_no_page_names_a_place_on_one_machine() -> None:
    place = re.compile(r"(?<![\w./])/(tmp|home|work|root)/|\.\./shared")
    assert [page for page, text in texts_of(LINKING) if place.search(text)] == []


def test_lines_are_as_long_as_those_of_the_code_at_most() -> None:
    """Except for tables and lines with a link, which cannot be wrapped anywhere."""
    lines = [(page, line) for page, text in texts_of(LINKING) for line in prose(text).splitlines()]
    assert [at for at in lines if len(at[1]) > 120 and not at[1].startswith("|") and "](" not in at[1]] == []


def test_signatures_show_this_version() -> None:
    stale = [page for page, text in texts_of(PAGES) if with_version(text) != text]
    assert stale == [], "run: python docs/versions.py"
