"""Writes the version of the package into the signatures that pages show: ``python docs/versions.py``."""

from __future__ import annotations

import re
from pathlib import Path

from metrics_framework.version import __version__

ROOT = Path(__file__).resolve().parent.parent
VERSION = re.compile(r"(?<=\bfw[: ])\d+(\.\w+)+")


def with_version(text: str) -> str:
    """Returns the text of a page with this version in each signature.

    >>> with_version("signature  ter|refs:1|fw:0.1.0").startswith("signature  ter|refs:1|fw:")
    True
    """
    return VERSION.sub(__version__, text)


if __name__ == "__main__":
    for page in [ROOT / "README.md", *ROOT.glob("docs/**/*.md")]:
        page.write_text(with_version(page.read_text(encoding="utf-8")), encoding="utf-8")
