"""The code and the pages use the plain words of the field: idioms to avoid, and what to write instead."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ["metrics_framework", "docs", "datasets", "benchmarks"]
ENDINGS = {".c", ".css", ".h", ".html", ".js", ".md", ".py", ".pyi"}

# A space in a pattern also matches a line break with the comment or quotation mark of the next line. Allowed are
# "stand-alone", "told apart", the example "mends clocks" and lists of words ("stand stood", "told throw", "whoever
# whatever"), and the title "Together We Stand {NP}ow{ER}-ed".
IDIOMS = [  # pattern, example, what to write
    (r"\btold\b(?! (apart|throw)|\|throw)", "told", "reported, passed"),
    (r"\btells? (whether|how|where|which|what)\b", "tells whether", "returns whether, shows how"),
    (r"\bso many\b", "so many", "the number of …, too many"),
    (r"\b(so much|no more) memory\b", "no more memory", "enough memory, out of memory"),
    (r"\bstand(s|ing)?\b(?!-alone| stood| {NP})", "stands", "is in, appears, means"),
    (r"\bbehind (a|an|it|them|their|its|each|one|the|which|what|all)\b", "behind the", "after, from"),
    (r"\b(digits?|places?|figures?|signs?) behind\b", "digits behind", "decimal places, characters after"),
    (r"\b(take|takes|took|taking) note\b", "takes note", "records, adds"),
    (r"\bnot to be had\b", "not to be had", "unavailable, not installed"),
    (r"\b(is|are) of (no )?use\b", "is of no use", "is unused, has no effect, helps"),
    (r"\bdear(er|est)?\b", "dear", "expensive, slow"),
    (r"\bmend(s|ed|ing)?\b(?! clocks)", "mends", "fixes, repairs"),
    (
        r"\bcut(s|ting)? (into|up|texts?|((a|an|the|each|every) (texts?|sentences?|words?)))\b",
        "cuts texts",
        "tokenizes",
    ),
    (r"\b(usable|free|several|more) processors?\b", "usable processors", "available CPUs"),
    (r"\bsuch (a one|ones)\b", "such a one", "the noun again"),
    (r"\b(one|some) of (ours|theirs)\b", "one of ours", "the noun again"),
    (r"\bg(ive|ives|ave|iven|iving) back\b", "gives back", "returns"),
    (r"\bmisses (?=['{])", "misses ", "'x' is missing"),
    (r"\bblanks\b|\b(a|each|every|no|one|single|the|two) blank\b(?! (line|row|cell))", "blanks", "spaces"),
    (r"\bof (its|one's|our|their|your) own\b", "of its own", "its own, separate, new"),
    (r"\b(is|are|was|were) not there\b", "is not there", "is missing, does not exist"),
    (r"\b(in silence|without a word)\b", "in silence", "silently"),
    (r"\bwhoever\b(?! whatever)", "whoever", "users who, code that"),
    (r"\bwhite space\b", "white space", "whitespace, spaces"),
    (
        r"\b(put|puts|brings?|brought) ((it|them|all|rows) )?(in order|together)\b",
        "puts in order",
        "sorts, groups, combines",
    ),
    (r"\bin one go\b", "in one go", "in one call, in one pass"),
    (r"\b(is|are|was|were) not defined\b", "is not defined", "is undefined"),
    (r"\b(made?|makes?|no|more|enough|less|too little) room\b|\broom for\b", "makes room", "allocates, space"),
    (r"\bwhat (is|are) too (short|long|large|small)\b", "what is too short", "short texts"),
]


def files() -> list[Path]:
    """Returns the files of the package, with its C sources and the report's page, and the documentation."""
    found = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in ENDINGS]
    pages = [path for path in ROOT.glob("*.md") if path.name != "CONTRIBUTING.md"]  # its table lists the idioms
    return sorted([*found, *pages])


def idioms(paths: Iterable[Path]) -> Iterator[str]:
    """Yields, for each idiom found, file and line, the words and what to write."""
    for path in paths:
        text = path.read_text(encoding="utf-8")
        for pattern, _, better in IDIOMS:
            for found in re.finditer(pattern.replace(" ", r"[\s#*/\"]+"), text, re.IGNORECASE):
                line = text.count("\n", 0, found.start()) + 1
                yield f"{path}:{line}: '{' '.join(found[0].split())}'; write: {better}"


def test_no_idiom_is_in_the_package_or_its_pages() -> None:
    found = sorted(idioms(files()))
    assert not found, "\n".join([f"{len(found)} idioms", *found])


@pytest.mark.parametrize(("example", "better"), [idiom[1:] for idiom in IDIOMS])
def test_an_idiom_is_found_with_its_line(example: str, better: str, tmp_path: Path) -> None:
    page = tmp_path / "page.py"
    page.write_text(f'"""Reads a file."""\n# It {example}{{name}}.\n', encoding="utf-8")
    assert [found.rpartition("; write: ")[2] for found in idioms([page])] == [better]
    assert next(idioms([page])).startswith(f"{page}:2: '{example.strip()}'")


@pytest.mark.parametrize("text", ["so\nmany", "# so\n    # many", "/* so\n * many */", '"so "\n"many"', "So  many"])
def test_an_idiom_is_found_across_a_line_break(text: str, tmp_path: Path) -> None:
    page = tmp_path / "page.py"
    page.write_text(text, encoding="utf-8")
    assert len(list(idioms([page]))) == 1


@pytest.mark.parametrize(
    "text", ["cannot be told apart", "a stand-alone program", "misses the point", "standard", "amended"]
)
def test_plain_words_are_no_idioms(text: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(text, encoding="utf-8")
    assert not list(idioms([page]))
