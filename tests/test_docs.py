"""Runs the code blocks of the README and of `docs/`, and follows their links.

How a page says what is done with a block:

- ``bash``: every ``fw`` command runs and must succeed; calls of pip, pytest and git are left out.
- ``console``: a line ``$ command`` runs, the lines below must be what it prints on both streams. A line ``…`` stands
  for any lines, ``…`` within a line for any characters. A command may fail where the output shows an error.
- ``python``: is executed, or tested as a doctest if it starts with ``>>>``.
- ``<!-- file: name -->`` above a block of any language: the block is written to that file.
- ``<!-- not run: reason -->`` above a block: it is left out.

The blocks of a page run in order, in one temporary folder in which `datasets/` is the example data. Blocks that name a
file of `PUBLIC` run only where the public data are. The version in a signature, such as ``fw:0``, stands for the
current one, so that a release changes no page.
"""

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
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pictures
import pytest
from generate import reference_pages
from markdown_parts import anchor
from messages import TEXT_TOO_LONG
from registries import COMMANDS, REGISTRIES

from metrics_framework.commands.app import main
from metrics_framework.commands.lookup import find_command
from metrics_framework.common import plugins
from metrics_framework.testing.contracts import CHECKS, check_the_citation_is_bibtex, example_of
from metrics_framework.text.sentences import NoPunktData
from metrics_framework.version import __version__

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGES = [path for path in [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))] if path.exists()]
LINKING = [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "datasets").rglob("*.md"))]
GALLERY, PICTURES = DOCS / "gallery.md", DOCS / "pictures"
PUBLIC = {
    "simplicity_DA.csv": "data/simplicity_da/simplicity_DA.csv",
    "simplicity_DA_ratings.csv": "data/simplicity_da/simplicity_DA_ratings.csv",
    **{f"asset.test.simp.{number}": f"data/asset/asset.test.simp.{number}" for number in range(10)},
}

FENCE = re.compile(
    r"^(?P<indent> *)(?P<fence>```+|~~~+)(?P<language>\w*)[^\n]*\n(?P<text>.*?)^ *(?P=fence) *$",
    re.DOTALL | re.MULTILINE,
)
DIRECTIVE = re.compile(r"<!--\s*(?P<kind>file|not run):\s*(?P<value>[^\n]*?)\s*-->\s*\Z")
LINK = re.compile(r"(?<!!)\[[^\]]*\]\((?P<target>[^)\s]+)\)|!\[[^\]]*\]\((?P<image>[^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.*)$", re.MULTILINE)
VERSION = re.compile(r"(?<=\bfw:)\d+(\.\w+)+(?=[\s'\"`]|$)")
INSTALLING = re.compile(r"(?:(?:python3? -m )?(?:pip|pytest|venv)|git|source)\b[^&]*(?:&& *|$)")
MAX_PICTURE_BYTES = 60_000
SHELL_SIGNS = set("|<>;&$*{}()`~")


@dataclass
class Block:
    """One code block of a page."""

    language: str
    text: str
    line: int
    file: str | None
    run: bool

    @property
    def is_public(self) -> bool:
        return any(name in self.text for name in (*PUBLIC, "asset.test.simp")) or "da.jsonl" in self.text


def blocks_of(page: Path) -> list[Block]:
    text = VERSION.sub(__version__, page.read_text(encoding="utf-8"))
    found = []
    for match in FENCE.finditer(text):
        directive = DIRECTIVE.search(text[: match.start()])
        kind, value = (directive["kind"], directive["value"]) if directive else ("", "")
        line = text[: match.start()].count("\n") + 2
        file = value if kind == "file" else None
        found.append(Block(match["language"], textwrap.dedent(match["text"]), line, file, kind != "not run"))
    return found


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


class Reader:
    """Does what a reader of a page does, in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self.session = Session()

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
        for line in joined_lines(block.text):
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
        with as_a_new_process(), self.session.continued():
            if not block.text.lstrip().startswith(">>>"):
                exec(compile(block.text, f"<line {block.line}>", "exec"), self.names)
                return
            test = doctest.DocTestParser().get_doctest(block.text, self.names, f"line {block.line}", None, block.line)
            report = io.StringIO()
            runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
            runner.run(test, out=report.write, clear_globs=False)
            assert not runner.failures, report.getvalue()
            self.names.update(test.globs)


class Session:
    """What the Python blocks of a page have imported and registered, which the commands between them do not see."""

    def __init__(self) -> None:
        self.modules: dict[str, Any] = {}
        self.entries: list[dict[str, Any]] = [{} for _ in searched()]

    @contextlib.contextmanager
    def continued(self) -> Iterator[None]:
        sys.modules.update(self.modules)
        for registry, entries in zip(searched(), self.entries, strict=True):
            registry.entries.update(entries)
        yield
        self.modules = {name: sys.modules[name] for name in modules_of_the_folder()}
        self.entries = [dict(registry.entries) for registry in searched()]


def joined_lines(text: str) -> list[str]:
    return [line.strip() for line in text.replace("\\\n", " ").split("\n")]


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
    """Lets no plug-in outlive the command that imported it."""
    kept = {registry: (dict(registry.entries), dict(registry.conflicts)) for registry in searched()}
    path = list(sys.path)
    imported, failures = dict(plugins._imported), dict(plugins._failures)
    sys.path.insert(0, os.getcwd())
    importlib.invalidate_caches()
    try:
        yield
    finally:
        for registry, (entries, conflicts) in kept.items():
            registry.entries, registry.conflicts = entries, conflicts
        for name in modules_of_the_folder():
            del sys.modules[name]
        sys.path[:] = path
        plugins._imported, plugins._failures = imported, failures


def modules_of_the_folder() -> list[str]:
    """Returns the names of the modules that were imported from the reader's folder."""
    folder = os.getcwd() + os.sep
    return [name for name, module in sys.modules.items() if str(getattr(module, "__file__", None)).startswith(folder)]


def searched() -> list[Any]:
    for registry in REGISTRIES:
        registry.search()
    return list(REGISTRIES)


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reader:
    """Gives a reader in an empty folder with the example data, and without the data of Punkt, as most will be."""

    def without_data() -> None:
        raise NoPunktData([])

    monkeypatch.setattr("metrics_framework.text.sentences._punkt", without_data)
    os.symlink(ROOT / "datasets", tmp_path / "datasets")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FW_PLUGINS", raising=False)
    return Reader(Path(os.path.realpath(tmp_path)))


@pytest.mark.parametrize("page", [page for page in PAGES if page != GALLERY], ids=name_of)
def test_the_code_blocks_of_a_page_run_and_print_what_it_says(page: Path, reader: Reader) -> None:
    for block in blocks_of(page):
        if block.run and not block.is_public:
            reader.follow(block)


@pytest.mark.parametrize("page", [page for page in PAGES if any(b.is_public for b in blocks_of(page))], ids=name_of)
def test_the_code_blocks_on_public_data_run_and_print_what_the_page_says(
    page: Path, reader: Reader, shared_path: Callable[[str], Path]
) -> None:
    for name, place in PUBLIC.items():
        os.symlink(shared_path(place), reader.folder / name)
    for block in blocks_of(page):
        if block.run and block.is_public:
            reader.follow(block)


def test_the_commands_of_the_gallery_run_and_write_its_plots_and_tables(
    reader: Reader,
) -> None:
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
        flags = [flag for flag in parser._option_string_actions if re.search(r"(plot|report)$", flag)]
        kinds |= {(type(command), flag) for flag in flags}
    for line in joined_lines(GALLERY.read_text(encoding="utf-8")):
        if line.startswith("fw "):
            _, command, words = find_command(line.split()[1:])
            shown |= {(type(command), word) for word in words}
    assert kinds - shown == set()


def test_every_picture_is_shown_and_every_shown_picture_exists() -> None:
    shown = {name for page in LINKING for name in re.findall(r"pictures/([\w.-]+)", page.read_text(encoding="utf-8"))}
    assert shown == {path.name for path in PICTURES.iterdir()}
    assert [path.name for path in PICTURES.iterdir() if path.stat().st_size > MAX_PICTURE_BYTES] == []


def test_the_neural_metric_of_the_guide_keeps_the_contract(
    reader: Reader, tiny_models: Callable[..., str], no_network: None
) -> None:
    for block in blocks_of(DOCS / "guides" / "add-a-metric.md"):
        if block.file == "embedding_cosine.py":
            reader.follow(block)
    with as_a_new_process():
        sys.path.insert(0, str(reader.folder))
        metric = importlib.import_module("embedding_cosine").EmbeddingCosine(model=tiny_models())
        assert metric.score("the cat", ["a dog", "the cat"])["embedding-cosine"] == pytest.approx(1)
        assert metric.score("cat " * 99, ["a dog"]) == metric.score("cat " * 99, ["a dog"])  # the second from the cache
        assert metric.notes() == [f"embedding-cosine: 1 text {TEXT_TOO_LONG}"]
        for check in CHECKS:
            if check is not check_the_citation_is_bibtex:
                check(metric, example_of(metric))


def test_every_relative_link_leads_somewhere() -> None:
    generated = {DOCS / "reference" / name: text for name, text in reference_pages().items()}
    written = {page: page.read_text(encoding="utf-8") for page in LINKING}
    prose = {page: FENCE.sub("", text) for page, text in {**written, **generated}.items()}
    headings = {page: set(map(anchor, HEADING.findall(text))) for page, text in prose.items()}
    broken = []
    for page, text in prose.items():
        for match in LINK.finditer(text):
            target = match["target"] or match["image"]
            name, _, heading = target.partition("#")
            path = (page.parent / name).resolve() if name else page
            if re.match(r"[a-z]+:", target) or ((path.exists() or path in generated) and not heading):
                continue
            if heading not in headings.get(path, ()):
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
    found = [
        name_of(page)
        for page in LINKING
        if re.search(r"(?<![\w./])/(tmp|home|work|root)/|\.\./shared", page.read_text("utf-8"))
    ]
    assert found == []


def test_the_files_and_folders_that_the_page_on_architecture_names_exist() -> None:
    """In its figures, too."""
    page = ROOT / "docs" / "explanation" / "architecture.md"
    named = re.findall(r"(?<![\w/.])[\w/]+(?:\.(?:py|c|h)\b|/)", page.read_text(encoding="utf-8"))
    folders = (ROOT / "metrics_framework", ROOT / "benchmarks")
    paths = [path.as_posix() + "/" * path.is_dir() for root in folders for path in (root, *root.rglob("*"))]
    assert [name for name in named if not any(path.endswith(f"/{name}") for path in paths)] == []


@pytest.mark.parametrize("page", LINKING, ids=name_of)
def test_lines_are_as_long_as_those_of_the_code_at_most(page: Path) -> None:
    """Except for tables, code blocks and lines with a link, which cannot be wrapped anywhere."""
    parts = page.read_text(encoding="utf-8").split("```")
    lines = (line for part in parts[::2] for line in part.splitlines())
    assert not [line for line in lines if len(line) > 120 and not line.startswith("|") and "](" not in line]
