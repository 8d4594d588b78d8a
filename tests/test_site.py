"""The documentation as a site: its navigation, its links, and the checks of what was built."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def docs_modules() -> Any:
    """Returns the modules that build and check the site."""
    pytest.importorskip("mkdocs", reason="needs mkdocs, which the dependency group 'docs' installs")
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        yield SimpleNamespace(hooks=importlib.import_module("site_hooks"), check=importlib.import_module("check_site"))
    finally:
        sys.path.remove(str(ROOT / "docs"))


def test_the_navigation_has_the_headings_and_links_of_an_index(docs_modules: Any) -> None:
    index = "# A\n\n[a](a.md)\n\n## Guides\n\n### Files\n\n- [b](guides/b.md#x): [a](a.md)\n"
    index += "\n## Project\n\n- [c](../CHANGELOG.md)\n"
    assert docs_modules.hooks.navigation(index) == [
        {"Home": "index.md"},
        "a.md",
        {"Guides": [{"Files": ["guides/b.md"]}]},
        {"Project": ["project/CHANGELOG.md"]},
    ]


def test_the_navigation_of_the_command_line_has_the_pages_of_all_commands(docs_modules: Any) -> None:
    (reference,) = docs_modules.hooks.navigation("## Reference\n\n- [Command line](reference/cli.md)\n")[1].values()
    commands = sorted(path.name for path in (ROOT / "docs" / "reference" / "commands").glob("*.md"))
    assert reference == ["reference/cli.md", {"Commands": [f"reference/commands/{name}" for name in commands]}]


LINKS = [  # page of the site, Markdown, what the site gets, why
    ("guides/report.md", "[a](../tutorial.md#b)", "[a](../tutorial.md#b)", "a page of docs/"),
    ("guides/report.md", "[a](../../CHANGELOG.md)", "[a](../project/CHANGELOG.md)", "a page outside docs/"),
    ("project/datasets/README.md", "[a](public/asset.md)", "[a](public/asset.md)", "between pages outside docs/"),
    ("project/CONTRIBUTING.md", "[a](docs/decisions/)", "[a](../decisions/README.md)", "a folder"),
    ("index.md", "[`a`](../setup.py)", "`a`", "a file that the site does not have"),
    ("index.md", "`[a](../setup.py)`", "`[a](../setup.py)`", "code"),
    ("index.md", "```text\n[a](../setup.py)\n```", "```text\n[a](../setup.py)\n```", "a code block"),
    ("index.md", "<!-- a -->\n\n# A", "# A", "a comment before the heading"),
    ("index.md", "[a](https://a.org) [b](#c)", "[a](https://a.org) [b](#c)", "links that need no change"),
    ("index.md", "| `a\\|b` | c \\| d |", "| `a|b` | c \\| d |", "a bar in the code of a table"),
]


@pytest.mark.parametrize(("page", "markdown", "expected", "why"), LINKS, ids=[link[-1] for link in LINKS])
def test_links_lead_to_pages_of_the_site(docs_modules: Any, page: str, markdown: str, expected: str, why: str) -> None:
    at = SimpleNamespace(file=SimpleNamespace(src_uri=page))
    assert docs_modules.hooks.on_page_markdown(markdown, at, None, None) == expected


@pytest.mark.parametrize(
    "loading",
    [
        '<script src="https://a.org/x.js"></script>',
        '<img src="a.png" srcset="b.png 1x, //a.org/b.png 2x">',
        '<link rel="preconnect" href="https://a.org">',
        "<style>@import 'https://a.org/x.css'; p { background: url(a.png) }</style>",
        '<p style="background: url(https://a.org/x.png)">',
        '<pre class="mermaid">',
    ],
)
def test_remote_files_that_a_page_loads_are_found(docs_modules: Any, loading: str, tmp_path: Path) -> None:
    links = '<a href="https://a.org">a</a><img src="data:image/png;base64,//8=">'
    (tmp_path / "fine.html").write_text(links)
    (tmp_path / "page.html").write_text(links + loading)
    assert [found.split()[0] for found in docs_modules.check.remote_loads(tmp_path)] == ["page.html"]


def test_a_list_that_the_site_reads_in_another_way_is_found(docs_modules: Any) -> None:
    page = "<nav><ul><li>x</li></ul></nav><article><h1>A<a class='headerlink'>¶</a></h1><p>b c</p></article>"
    assert docs_modules.check.difference("# A\n\nb\nc\n", page) == ""
    assert docs_modules.check.difference("# A\n\n- b c\n", page) == "0 <li>, not 1; 0 <ul>, not 1"
    assert docs_modules.check.difference("# A\n\nb c d\n", page) == "'', not 'd'"
