"""The files, modules, names, commands and flags that pages name in code style and in code blocks exist."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from pages import OF_THIS_VERSION, ROOT, blocks_of, name_of, spans_of
from registries import COMMANDS, METRICS, REGISTRIES

import metrics_framework
from metrics_framework.commands.command import ACTIONS, find_command

PATH = re.compile(r"(?<![\w./<*-])(?:[\w.-]+/)+[\w.*?-]*")
SOURCE = re.compile(r"(?<![\w/.])[a-z_][\w/]*(?:\.(?:py|pyi|c|h)\b|/)(?!\w)")
DOTTED = re.compile(r"(?<![\w./@])(?:fw|metrics_framework)((?:\.[a-zA-Z_]\w*)+)(?![\w+])")
IMPORT = re.compile(r"from (metrics_framework[\w.]*) import ([\w, ]+)")
CALL = re.compile(r"(?:^|[|;&(]\s*|\$ |exec |srun |time )fw +(?:--include-packages \S+ )?(?P<words>[^|;&)]*)")
FLAG = re.compile(r"(?<![\w-])--[a-z](?:[\w-]*\w)?(?![\w…-])")
PROGRAM = re.compile(r"\b((?:benchmarks|docs|tests)/\w+\.py)\b(.*)")
REGISTERED = re.compile(r'(?:\.register|@fw\.metric)\("([^"]+)"\)')

OF_OTHERS = {"moverscore_v2.py", "fw_shout/__init__.py", "fw_shout/shout.py", "raw/"}  # of other programs
OF_PARQUET = {f"metrics_framework.{key}" for key in ("format", "keys", "signature")}  # keys of metadata
OTHER_FLAGS = """--flag --orders
    EASSE: --analysis --orig_sents_path --quality_estimation --refs_sents_paths --sys_sents_path
    sacreBLEU: --citation --detail --download --encoding --list --no-color
    pip and docker: --group --rm"""


def code_of(page: Path) -> list[str]:
    """Returns the code of a page: what is in code style, and the lines of its blocks."""
    return [*spans_of(page), *(line for block in blocks_of(page) for line in block.lines)]


def test_the_paths_that_pages_name_exist() -> None:
    """A path begins with a folder at the top of the checkout, or with one beside the page."""
    missing = []
    for page in OF_THIS_VERSION:
        bases = [ROOT, ROOT / "metrics_framework", page.parent]
        for path in {match[0].rstrip(".") for code in code_of(page) for match in PATH.finditer(code)}:
            first = path.split("/")[0]
            is_ours = any((base / first).is_dir() for base in (ROOT, page.parent)) and first not in ("build", "..", ".")
            if is_ours and not any(list(base.glob(path)) for base in bases):
                missing.append(f"{name_of(page)}: {path}")
    assert missing == []


def test_the_source_files_and_folders_that_pages_and_their_figures_name_exist() -> None:
    """By their name, or by the end of their path; NAME stands for any name."""
    folders = [ROOT / name for name in ("metrics_framework", "tests", "benchmarks", "docs", "datasets")]
    found = [path for folder in folders for path in (folder, *folder.rglob("*"))]
    paths = "\n".join(f"/{name_of(path)}{'/' * path.is_dir()}" for path in found)
    missing = []
    for page in OF_THIS_VERSION:
        blocks = blocks_of(page)
        named = {span for span in spans_of(page) if SOURCE.fullmatch(span)}
        named.update(*(SOURCE.findall(block.text) for block in blocks if block.language == "text"))
        for name in named - OF_OTHERS - {block.file for block in blocks}:
            pattern = re.escape(name).replace("NAME", "[a-z_]+")
            if not re.search(rf"/{pattern}$", paths, re.MULTILINE):
                missing.append(f"{name_of(page)}: {name}")
    assert missing == []


def exists(name: str) -> bool:
    """Returns whether a module or name exists; a module that needs a package that is missing is taken to have it."""
    found: Any = metrics_framework
    parts = name.split(".")
    for length, part in enumerate(parts[1:], start=2):
        if not hasattr(found, part):
            try:
                importlib.import_module(".".join(parts[:length]))
            except ModuleNotFoundError as error:
                return not str(error.name).startswith("metrics_framework")
        found = getattr(found, part)
    return True


def test_the_modules_and_names_that_pages_name_exist() -> None:
    known = {*OF_PARQUET, *(registry.group for registry in REGISTRIES)}
    missing = []
    for page in OF_THIS_VERSION:
        code = "\n".join(code_of(page))
        names = {f"metrics_framework{match[1]}" for match in DOTTED.finditer(code)}
        names |= {f"{module}.{name.split()[0]}" for module, found in IMPORT.findall(code) for name in found.split(",")}
        missing += [f"{name_of(page)}: {name}" for name in names - known if not exists(name)]
    assert missing == []


@cache
def flags() -> dict[str, set[str]]:
    """Returns the flags of all commands; those of a metric are the flags of both its commands."""
    found = {name: set(find_command(name.split())[0]._option_string_actions) for name in COMMANDS.names(aliases=True)}
    for metric in METRICS.names(aliases=True):
        commands = [find_command([metric, action])[0]._option_string_actions for action in ACTIONS]
        found.setdefault(metric, set().union(*commands))
    return found


def calls_of(page: Path) -> Iterator[list[str]]:
    """Yields the words after ``fw`` of each call of a page, and spans that begin with the name of a metric.

    Blocks that run are tested by running them.
    """
    blocks = [block for block in blocks_of(page) if not (block.run and block.language in ("bash", "console"))]
    for code in [*spans_of(page), *(line for block in blocks for line in block.lines)]:
        yield from (match["words"].split() for match in CALL.finditer(code))
        yield from [code.split()] if code.split(" ")[0] in METRICS.names() else []


def test_the_commands_that_pages_call_exist_and_have_the_flags_that_pages_give_them() -> None:
    missing = []
    for page in OF_THIS_VERSION:
        own = set(REGISTERED.findall(page.read_text(encoding="utf-8")))
        for words in calls_of(page):
            name = next((name for name in (" ".join(words[:2]), *words[:1]) if name in flags()), None)
            is_example = not words or words[0] in own or not re.fullmatch(r"[a-z][a-z-]*", words[0])
            if name is None and not is_example:
                missing.append(f"{name_of(page)}: fw {words[0]}")
            elif name is not None:
                given = FLAG.findall(" ".join(words))
                missing += [f"{name_of(page)}: fw {name} {flag}" for flag in given if flag not in flags()[name]]
    assert missing == []


def test_the_programs_of_the_project_have_the_flags_that_pages_give_them() -> None:
    missing = []
    for page in OF_THIS_VERSION:
        for path, words in PROGRAM.findall("\n".join(code_of(page))):
            program = (ROOT / path).read_text(encoding="utf-8")
            missing += [f"{name_of(page)}: {path} {flag}" for flag in FLAG.findall(words) if f'"{flag}"' not in program]
    assert missing == []


def test_the_flags_that_pages_name_are_flags_of_some_command() -> None:
    """Or of a benchmark, or of another program that `OTHER_FLAGS` names."""
    benchmarks = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "benchmarks").glob("*.py"))
    known = set(FLAG.findall(OTHER_FLAGS + benchmarks)).union(*flags().values())
    missing = []
    for page in OF_THIS_VERSION:
        given = {flag for span in spans_of(page) if span.startswith("--") for flag in FLAG.findall(span)}
        missing += [
            f"{name_of(page)}: {flag}" for flag in given if known.isdisjoint((flag, f"--{flag.removeprefix('--no-')}"))
        ]
    assert missing == []
