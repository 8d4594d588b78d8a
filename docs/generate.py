"""Generates the reference pages from the code: ``python docs/generate.py``."""

from __future__ import annotations

import argparse
import inspect
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from load_stub import PATH as LOAD_STUB
from load_stub import load_stub
from python_page import python_page

from metrics_framework.commands import REGISTRY as COMMANDS
from metrics_framework.commands.arguments import BOOLEAN_NOTE, Parser
from metrics_framework.commands.lookup import ACTIONS, find_command
from metrics_framework.commands.overview import help_text
from metrics_framework.common.construct import options_of
from metrics_framework.common.docstrings import parse_docstring
from metrics_framework.common.option import REQUIRED, Option
from metrics_framework.common.registrable import Registry
from metrics_framework.data.error_spans import ErrorSpan
from metrics_framework.data.pyramid import Pyramid, PyramidAnnotation, Scu
from metrics_framework.dataset_readers import REGISTRY as READERS
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.metrics import REGISTRY as METRICS
from metrics_framework.metrics.base.metric import Metric, load
from metrics_framework.testing.contracts import Example, example_of
from metrics_framework.testing.flat_passage import COMMAND

FOLDER = Path(__file__).parent / "reference"
NOTE = "<!-- Written by docs/generate.py; a test fails when it is out of date. -->\n"

UNITS = Pyramid("1", ("A", "B"), ("reference", "reference"), ("", ""), (Scu(1, (0, 1)),))
REPEATED_FLAGS = (
    "A flag that takes several values adds up when it is repeated: `--references a.txt --references b.txt` is "
    "`--references a.txt b.txt`.\nA flag that takes one value must not be repeated with another one."
)
TESTED = ("simplification",)  # extras that are installed wherever the pages are written
PAGE_WIDTH = 79  # of help texts without a terminal
EXAMPLES = {  # for metrics that do not score texts
    "error-spans": Example({"predicted_spans": [[ErrorSpan(0, 5)]], "spans": [[ErrorSpan(2, 7)]]}),
    "pyramid-score": Example({"annotation": [PyramidAnnotation("1", "S", "peer", "", (1,))], "pyramid": [UNITS]}),
}
NEEDED = {  # options required for scoring
    **{name: {"parser": COMMAND} for name in ("samsa", "samsa-abl")},
    "jury": {"judges": ["a+b"]},
    "precomputed": {"file": "scores.jsonl"},
    "external": {"command": "sh -c 'while read -r row; do echo ${#row}; done'"},
}


def pages() -> dict[str, str]:
    """Returns the generated pages: file name to text."""
    return {
        "cli.md": cli_page(),
        "metrics.md": metrics_page(),
        "python.md": f"{NOTE}\n{python_page()}",
        "readers.md": readers_page(),
    }


def built_in(registry: Registry) -> list[str]:
    """Returns the names registered by this package, without plug-ins."""
    return [name for name in registry.names() if registry.entries[name].module.startswith("metrics_framework.")]


def cli_page() -> str:
    """Returns the page with the help of every command."""
    parts = [
        NOTE,
        "# Command line\n",
        _fence("console", f"$ fw --help\n{help_text(PAGE_WIDTH)}"),
        f"{BOOLEAN_NOTE}.\n\n{REPEATED_FLAGS}\n",
    ]
    for name in COMMANDS.names():
        parts += [f"## fw {name}\n", *_command([name])]
    for name in built_in(METRICS):
        for action in ACTIONS:
            parts.append(f"## fw {name} {action}\n")
            parts.append(
                f"The flags of [fw {action}](#fw-{action}) except `--metric`, `--config` and `--overrides`, and:\n"
            )
            parser, _, _ = find_command([name, action])
            parser.complete_help()
            parts.append(
                _flags(parser, [group for group in parser._action_groups if group.title == f"options of {name}"])
            )
    return "\n".join(parts)


def _command(words: list[str]) -> list[str]:
    parser, _, _ = find_command(words)
    parser.complete_help()
    groups = [group for group in parser._action_groups if group._group_actions]
    examples = [_fence("text", parser.epilog)] if parser.epilog else []
    return [f"{parser.description}\n", f"    {_usage(parser)}\n", _flags(parser, groups), *examples]


def _usage(parser: Parser) -> str:
    if parser.usage:
        return parser.usage
    positionals = [str(action.metavar or action.dest) for action in parser._actions if not action.option_strings]
    return f"{parser.prog} {' '.join(word.upper() for word in positionals)} [flags]"


def _flags(parser: Parser, groups: list[argparse._ArgumentGroup]) -> str:
    rows = []
    for action in [action for group in groups for action in group._group_actions]:
        if action.help in (None, argparse.SUPPRESS) or action.dest == "help":
            continue
        names = ", ".join(f"`{flag}`" for flag in action.option_strings) or f"`{action.metavar or action.dest}`"
        rows.append(f"| {names} | {_values(action)} | {_cell((action.help or '').replace('%%', '%'))} |")
    if not rows:
        return "No further options.\n"
    return "\n".join(["| flag | value | meaning |", "|---|---|---|", *rows]) + "\n"


def _values(action: argparse.Action) -> str:
    if action.nargs == 0:
        return ""
    metavar = action.metavar if isinstance(action.metavar, tuple) else (action.metavar or action.dest,)
    words = [str(choice) for choice in action.choices or metavar]
    if len(words) == 1 and words[0].startswith("{"):
        words = words[0].strip("{}").split(",")
    value = (" " if isinstance(action.metavar, tuple) else ", ").join(f"`{word}`" for word in words)
    return f"{value} …" if action.nargs in ("+", "*") else value


def metrics_page() -> str:
    """Returns the page with description, options and scores of every metric."""
    parts = [NOTE, "# Metrics\n"]
    for name in built_in(METRICS):
        metric = load(name, **NEEDED.get(name, {}))
        text = parse_docstring(type(metric).__doc__)
        better = {True: "Higher is better", False: "Lower is better", None: "No direction"}[metric.higher_is_better]
        low, high = metric.score_range
        bounds = f"from {'−∞' if low is None else f'{low:g}'} to {'∞' if high is None else f'{high:g}'}"
        parts += [f"## {name}\n", f"{text.summary}\n"]
        if text.description:
            parts.append(f"{text.description}\n")
        parts.append(f"Takes {_names(metric.fields)}. {better}; {bounds}.\n")
        parts += _written(metric, EXAMPLES.get(name) or example_of(metric))
        parts.append(_options(options_of(type(metric), Metric)))
        if metric.citation:
            parts.append(_fence("bibtex", inspect.cleandoc(metric.citation)))
    return "\n".join(parts)


def _written(metric: Any, example: Example | None) -> list[str]:
    """Lists the scores of a metric; empty without an example to score, or if it needs more than this package."""
    if example is None or any(getattr(needed, "extra", "") not in TESTED for needed in metric.requirements):
        return []
    scores = metric.evaluate(*example.of(metric))[0].flatten()
    jackknifed = "; `fw score` adds each with the suffix `_jk`" if metric.jackknifer is not None else ""
    return [f"Writes: {_names(scores)}{jackknifed}.\n"]


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def readers_page() -> str:
    """Returns the page with description and options of every reader."""
    parts = [NOTE, "# Dataset readers\n"]
    for name in built_in(READERS):
        reader = READERS.get(name)
        text = parse_docstring(reader.__doc__)
        parts += [f"## {name}\n", f"{text.summary}\n"]
        if text.description:
            parts.append(f"{text.description}\n")
        parts.append(f"Input files: {reader.files_meaning}.\n")
        parts.append(_options(options_of(reader, DatasetReader)))
    return "\n".join(parts)


def _options(options: list[Option]) -> str:
    if not options:
        return "No options.\n"
    lines = ["| option | values | default | meaning |", "|---|---|---|---|"]
    for option in options:
        names = _names((option.name, *option.aliases))
        default = "required" if option.default is REQUIRED else f"`{option.default}`"
        lines.append(f"| {names} | {_cell(option.expected())} | {default} | {_cell(option.help)} |")
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    """Returns a text for a cell of a table, in which it is neither a cell nor a tag."""
    return text.replace("|", "\\|").replace("<", "&lt;")


def _fence(language: str, text: str) -> str:
    return f"```{language}\n{text}\n```\n"


def main() -> int:
    """Writes the pages and the stub of `load`, or with ``--check`` lists those that are out of date."""
    stale = []
    written = {FOLDER / name: text for name, text in pages().items()}
    for path, text in {**written, FOLDER.parents[1] / LOAD_STUB: load_stub()}.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(path.name)
            if "--check" not in sys.argv:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
    print(f"{'out of date' if '--check' in sys.argv else 'written'}: {', '.join(stale) or 'nothing'}")
    return 1 if stale and "--check" in sys.argv else 0


if __name__ == "__main__":
    COMMANDS.search()
    sys.exit(main())
