"""The files of a guide, for the program that it is about."""

import json
import re
from pathlib import Path

GUIDES = Path(__file__).resolve().parent.parent.parent / "docs" / "guides"
FILE = re.compile(r"<!-- (?:file|not run: the file):? (?P<name>\S+) -->\n```\w+\n(?P<text>.*?)^```$", re.DOTALL | re.M)


def write_files(guide, folder):
    """Writes the files of a guide into a folder."""
    for match in FILE.finditer((GUIDES / guide).read_text(encoding="utf-8")):
        path = folder / match["name"]
        path.parent.mkdir(exist_ok=True)
        path.write_text(match["text"], encoding="utf-8")


def documents_in(path):
    """Returns the documents of a file of a guide."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
