"""The documentation as a site: its navigation, its links, and the checks of what was built."""

from __future__ import annotations

import doctest
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

pytest.importorskip("mkdocs", reason="needs mkdocs, which the dependency group 'docs' installs")

import check_site
import markdown_parts
import site_hooks
import versions


@pytest.mark.parametrize("module", [check_site, markdown_parts, versions])
def test_the_examples_of_the_programs_of_the_documentation_print_what_they_say(module: ModuleType) -> None:
    results = doctest.testmod(module)
    assert results.attempted
    assert not results.failed


def test_the_navigation_has_the_headings_and_links_of_an_index() -> None:
    index = "# A\n\n[a](a.md)\n\n## Guides\n\n### Files\n\n- [b](guides/b.md#x): [a](a.md)\n"
    index += "\n## Project\n\n- [c](../CHANGELOG.md)\n"
    assert site_hooks.navigation(index) == [
        {"Home": "index.md"},
        "a.md",
        {"Guides": [{"Files": ["guides/b.md"]}]},
        {"Project": ["project/CHANGELOG.md"]},
    ]


def test_the_section_of_the_reference_begins_with_the_generated_pages() -> None:
    (section,) = site_hooks.navigation("## Reference\n\n- [Stability](reference/stability.md)\n")[1].values()
    commands = [name for name in site_hooks.generated_pages() if name.startswith("reference/commands/")]
    others = [f"reference/{name}.md" for name in ("metrics", "readers", "python", "arrays", "stability")]
    assert section == ["reference/cli.md", {"Commands": commands}, *others]


LINKS = [  # page of the site, Markdown, what the site gets, why
    ("guides/report.md", "[a](../tutorial.md#b)", "[a](../tutorial.md#b)", "a page of docs/"),
    ("guides/report.md", "[a](../../CHANGELOG.md)", "[a](../project/CHANGELOG.md)", "a page outside docs/"),
    ("project/datasets/README.md", "[a](public/asset.md)", "[a](public/asset.md)", "between pages outside docs/"),
    ("project/CONTRIBUTING.md", "[a](docs/decisions/)", "[a](../decisions/README.md)", "a folder"),
    ("index.md", "[`a`](../setup.py)", "`a`", "a file that the site does not have"),
    ("index.md", "`[a](../setup.py)`", "`[a](../setup.py)`", "code"),
    ("index.md", "```text\n[a](../setup.py)\n```", "```text\n[a](../setup.py)\n```", "a code block"),
    ("index.md", "[a](https://a.org) [b](#c)", "[a](https://a.org) [b](#c)", "links that need no change"),
    ("index.md", "| `a\\|b` | c \\| d |", "| `a|b` | c \\| d |", "a bar in the code of a table"),
]


@pytest.mark.parametrize(("page", "markdown", "expected", "why"), LINKS, ids=[link[-1] for link in LINKS])
def test_links_lead_to_pages_of_the_site(page: str, markdown: str, expected: str, why: str) -> None:
    at = SimpleNamespace(file=SimpleNamespace(src_uri=page))
    assert site_hooks.on_page_markdown(markdown, at, None, None) == expected


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
def test_remote_files_that_a_page_loads_are_found(loading: str, tmp_path: Path) -> None:
    links = '<a href="https://a.org">a</a><img src="data:image/png;base64,//8=">'
    (tmp_path / "fine.html").write_text(links)
    (tmp_path / "page.html").write_text(links + loading)
    assert [found.split()[0] for found in check_site.remote_loads(tmp_path)] == ["page.html"]


def test_a_list_that_the_site_reads_in_another_way_is_found() -> None:
    page = "<nav><ul><li>x</li></ul></nav><article><h1>A<a class='headerlink'>¶</a></h1><p>b c</p></article>"
    assert check_site.difference("# A\n\nb\nc\n", page) == ""
    assert check_site.difference("# A\n\n- b c\n", page) == "0 <li>, not 1; 0 <ul>, not 1"
    assert check_site.difference("# A\n\nb c d\n", page) == "'', not 'd'"
