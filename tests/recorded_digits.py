"""The hashes of scores and output files on record: ``python tests/recorded_digits.py`` writes them again.

Write them again only if a change of scores or files is intended, and name the change in the changelog. The scores are
those of all metrics without a model, on random texts, with native kernels and their twins; the files are those of the
commands in ``benchmarks/digits.py``.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
RECORD = Path(__file__).with_suffix(".json")
GROUPS = 12
LIBRARIES = ("numpy", "scipy")


def program(root: Path = ROOT) -> Any:
    """Returns the program that computes digits, as a module."""
    spec = importlib.util.spec_from_file_location("digits", root / "benchmarks" / "digits.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def hashes(found: Iterable[tuple[str, Mapping[str, str]]]) -> dict[str, str]:
    """Returns a hash of each result, which does not depend on the version of the package."""
    from metrics_framework.version import __version__

    texts = {name: json.dumps(parts, sort_keys=True).replace(f"fw:{__version__}", "fw:") for name, parts in found}
    return {name: hashlib.blake2b(text.encode(), digest_size=8).hexdigest() for name, text in texts.items()}


def libraries() -> dict[str, str]:
    """Returns the versions of the packages that the digits of commands depend on."""
    return {name: importlib.metadata.version(name) for name in LIBRARIES}


def main() -> None:
    """Writes the record; the folder of a checkout with the benchmark may be given."""
    digits = program(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT)
    record = {
        "libraries": libraries(),
        "metrics": hashes(digits.digits_of_metrics(GROUPS)),
        "commands": hashes(digits.digits_of_commands()),
    }
    RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
