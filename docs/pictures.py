"""Makes the pictures of the gallery: ``python docs/pictures.py [NAME …]``, of all pictures without a name.

The commands of docs/gallery.md run in a temporary folder. A picture is a plot that they write, the table that one of
them prints, or a screenshot of a page that they write, which needs Chromium and Pillow.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from terminal_picture import shortened, terminal_svg

ROOT = Path(__file__).resolve().parent.parent
GALLERY = ROOT / "docs" / "gallery.md"
FOLDER = ROOT / "docs" / "pictures"
SCHEMES = ("light", "dark")
WIDTH = 900  # pixels of a screenshot
COLOURS = 128
IMAGE = re.compile(r"pictures/([\w.-]+)")
BLOCK = re.compile(r"^```(bash|console)\n(.*?)^```", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Screenshot:
    """The upper part of a page.

    Attributes:
        page: The file that a command writes.
        width: The width of the window, in CSS pixels.
        height: The height of the window, in CSS pixels.
        hidden: Selects the elements to leave out.
    """

    page: str
    width: int = 1000
    height: int = 900
    hidden: str = ""


PARTS = "#facts, #lengths, #plots, #compare, #buckets, .controls, .legend, tbody.baselines"  # of the page of fw report
SCREENSHOTS = {
    "report": Screenshot("report.html", 1200, 866, hidden=PARTS),
    "report-analysis": Screenshot(
        "report.html", 1200, 880, hidden="header, #facts, #table, #lengths, #sentences, .plots figure:nth-child(n + 3)"
    ),
    "summaries": Screenshot("summaries.html", 1200, 866, hidden=PARTS),
    **{name: Screenshot(f"{name}.html", hidden=".facts") for name in ("correlate", "judge", "estimate")},
    **{name: Screenshot(f"{name}.html", height=800, hidden="#facts, .facts, #files") for name in ("rouge", "pyramid")},
}
TABLES = {"compare-table": "fw compare --metric sari --metric ter --input-files datasets/simplification/outputs.jsonl"}
# The policy of the pages forbids further style sheets, but not styles of single elements.
ARRANGE = """(hidden) => {
  for (const one of document.querySelectorAll(hidden)) one.style.display = "none";
  for (const one of document.querySelectorAll("section")) one.style.marginTop = "2rem";
  document.querySelector("h1").style.marginTop = ".5rem";
}"""


def names() -> list[str]:
    """Returns the files of the pictures in the gallery."""
    return sorted(set(IMAGE.findall(GALLERY.read_text(encoding="utf-8"))))


def commands() -> list[str]:
    """Returns the commands of the gallery, in order."""
    found = []
    for language, text in BLOCK.findall(GALLERY.read_text(encoding="utf-8")):
        lines = text.replace("\\\n", " ").splitlines()
        marked = lines if language == "bash" else [line[2:] for line in lines if line.startswith("$ ")]
        found += [" ".join(line.split()) for line in marked if line.startswith("fw ")]
    return found


def table(name: str, scheme: str, folder: Path) -> str:
    """Returns the picture of a table, which the command of that table prints in a folder."""
    return terminal_svg(TABLES[name], shortened(_run(TABLES[name], folder)), scheme)


def _run(command: str, folder: Path) -> str:
    arguments = [sys.executable, "-m", "metrics_framework", *shlex.split(command)[1:]]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(arguments, cwd=folder, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout


def made_of(name: str) -> tuple[str, str]:
    """Returns the picture that a file shows, and its colour scheme: light unless the name of the file says dark."""
    stem = name.partition(".")[0]
    base, _, scheme = stem.rpartition("-")
    return (base, scheme) if scheme in SCHEMES else (stem, "light")


def make(name: str, folder: Path) -> None:
    """Writes a picture, from the files that the commands of the gallery wrote to a folder."""
    base, scheme = made_of(name)
    if base in TABLES:
        (FOLDER / name).write_text(table(base, scheme, folder), encoding="utf-8")
    elif name.endswith(".svg"):
        (FOLDER / name).write_bytes((folder / name).read_bytes())
    else:
        _screenshot(SCREENSHOTS[base], scheme, folder, FOLDER / name)


def _screenshot(shot: Screenshot, scheme: str, folder: Path, path: Path) -> None:
    sys.path.insert(0, str(ROOT / "tests"))
    from chromium import Page

    with Page() as page, page.like(shot.width, shot.height, scheme=scheme, scale=WIDTH / shot.width):
        page.call("Emulation.setScrollbarsHidden", hidden=True)
        page.open(folder / shot.page)
        page.run(f"({ARRANGE})({json.dumps(shot.hidden or 'none')})")
        page.wait()
        page.screenshot(path)
    _reduce(path)


def _reduce(path: Path) -> None:
    """Limits the colours of a picture, which halves its file."""
    from PIL import Image

    with Image.open(path) as picture:
        plain = picture.convert("RGB")
    reduced = plain.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, kmeans=1, dither=Image.Dither.NONE)
    reduced.save(path, optimize=True)


def main() -> int:
    """Makes the pictures that the command line names, or all of them."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "datasets").symlink_to(ROOT / "datasets")
        for command in commands():
            _run(command, folder)
        for picture in sys.argv[1:] or names():
            make(picture, folder)
            print(f"{picture}: {(FOLDER / picture).stat().st_size / 1000:.1f} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
