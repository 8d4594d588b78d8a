"""Hooks of MkDocs: the site from the pages as they are in the repository.

- The navigation is that of docs/index.md: its headings and its links. The section of the reference begins with the
  pages that docs/generate.py makes from the code.
- Pages outside docs/, such as the changelog, are pages of the site, too. Links to other files become plain text.
- Headings have the anchors of code hosts.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

sys.path.insert(0, os.path.dirname(__file__))
from generate import reference_pages
from markdown_parts import anchor

ROOT = Path(__file__).resolve().parent.parent
OUTSIDE = ("CHANGELOG.md", "CONTRIBUTING.md", "benchmarks/README.md", "datasets/**/*.md")
PROJECT = "project"  # the folder of the site with the pages outside docs/
REFERENCE = "Reference"  # the section of the generated pages
ENTRY = re.compile(r"^(?P<level>##+) (?P<heading>.*)|\]\((?P<page>[^)#\s]+\.md)", re.MULTILINE)
LINK = re.compile(
    r"(?P<code>^ *(?P<fence>```+|~~~+).*?^ *(?P=fence) *$|(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`))"
    r"|\[(?P<text>[^\]]*)\]\((?P<target>[^)\s]+)\)",
    re.DOTALL | re.MULTILINE,
)
SHORT_CODE = re.compile(r"<code>([^<\n]{1,30})</code>")
ROW, CODE = re.compile(r"^\|.*", re.MULTILINE), re.compile(r"`[^`]+`")


def on_config(config: Any) -> Any:
    """Sets the navigation, and the anchors of headings."""
    config.nav = navigation((ROOT / "docs" / "index.md").read_text(encoding="utf-8"))
    config.mdx_configs["toc"]["slugify"] = lambda heading, separator: anchor(heading)
    return config


def navigation(index: str) -> list[Any]:
    """Returns the navigation that an index page describes: pages in sections, which are headings of two levels."""
    levels: list[list[Any]] = [[{"Home": "index.md"}]]
    seen = {"index.md"}
    for match in ENTRY.finditer(index):
        if match["heading"]:
            del levels[len(match["level"]) - 1 :]
            levels.append([])
            levels[-2].append({match["heading"]: levels[-1]})
            if match["heading"] == REFERENCE:
                levels[-1] += reference()
        elif (page := site_path(os.path.normpath(f"docs/{match['page']}"))) not in seen:
            seen.add(page)
            levels[-1].append(page)
    return levels[0]


def reference() -> list[Any]:
    """Returns the navigation of the generated pages."""
    pages = list(generated_pages())
    commands = [page for page in pages if page.startswith("reference/commands/")]
    first, *others = [page for page in pages if page not in commands]
    return [first, {"Commands": commands}, *others]


def generated_pages() -> dict[str, str]:
    """Returns the pages that are generated from the code: path in the site to Markdown."""
    return {f"reference/{name}": text for name, text in reference_pages().items()}


def site_path(path: str) -> str | None:
    """Returns the path in the site of a file of the repository; `None` for files that are not part of the site."""
    if os.path.isdir(ROOT / path):
        path = f"{path}/README.md"
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    return f"{PROJECT}/{path}" if any((ROOT / path) in ROOT.glob(pattern) for pattern in OUTSIDE) else None


def repository_path(page: str) -> str:
    """Returns the path in the repository of a page of the site."""
    return page.removeprefix(f"{PROJECT}/") if page.startswith(f"{PROJECT}/") else f"docs/{page}"


def on_files(files: Any, config: Any) -> Any:
    """Adds the generated pages, and the pages outside docs/."""
    for name, text in generated_pages().items():
        files.append(File.generated(config, name, content=text))
    for pattern in OUTSIDE:
        for path in sorted(ROOT.glob(pattern)):
            name = f"{PROJECT}/{path.relative_to(ROOT).as_posix()}"
            files.append(File.generated(config, name, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Makes the links of a page lead to pages of the site."""
    place = page.file.src_uri

    def replaced(match: re.Match[str]) -> str:
        if match["code"] or re.match(r"#|[a-z]+:", match["target"]):
            return match[0]
        name, _, heading = match["target"].partition("#")
        target = site_path(os.path.normpath(os.path.join(os.path.dirname(repository_path(place)), name)))
        if target is None:
            return match["text"]
        relative = os.path.relpath(target, os.path.dirname(place) or ".")
        return f"[{match['text']}]({relative}{'#' if heading else ''}{heading})"

    return LINK.sub(replaced, ROW.sub(lambda row: CODE.sub(_with_bars, row[0]), markdown))


def on_page_content(html: str, page: Any, config: Any, files: Any) -> str:
    """Marks short code, which a line break would spoil: browsers break lines after hyphens, also those of flags."""
    return SHORT_CODE.sub(r'<code class="short">\1</code>', html)


def _with_bars(code: re.Match[str]) -> str:
    """Returns code of a table without the backslashes that code hosts need before bars, and Python-Markdown shows."""
    return code[0].replace("\\|", "|")
