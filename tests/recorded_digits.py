"""The hashes of scores and output files on record: ``python tests/recorded_digits.py`` writes them again.

Write them again only if a change of scores or files is intended, and name the change in the changelog. The scores are
those of all metrics without a model, on random texts, with native kernels and their twins; the files are those of the
commands in ``benchmarks/digits.py``. Scores are compared in all digits, numbers in files in six: the last digits of
intervals and tests depend on the version of NumPy and on the CPU.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from benchmark_modules import ROOT, benchmark

RECORD = Path(__file__).with_suffix(".json")
GROUPS = 12
_FRACTION = re.compile(r"-?\d+\.\d+(?:e[-+]?\d+)?")


def hashes(found: Iterable[tuple[str, Mapping[str, str]]]) -> dict[str, str]:
    """Returns a hash of each result, which does not depend on the version of the package."""
    from metrics_framework.version import __version__

    texts = {name: json.dumps(parts, sort_keys=True).replace(f"fw:{__version__}", "fw:") for name, parts in found}
    return {name: hashlib.blake2b(text.encode(), digest_size=8).hexdigest() for name, text in texts.items()}


def rounded(found: Iterable[tuple[str, Mapping[str, str]]]) -> Iterable[tuple[str, Mapping[str, str]]]:
    """Yields results whose fractions are rounded to six digits; those that rounding errors make up are 0."""
    for name, parts in found:
        yield name, {part: _FRACTION.sub(_rounded, text) for part, text in parts.items()}


def _rounded(match: re.Match[str]) -> str:
    number = float(match[0])
    return f"{number if abs(number) > 1e-12 else 0.0:.6g}"


def main() -> None:
    """Writes the record; the folder of a checkout with the benchmark may be given."""
    digits = benchmark("digits", Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT)
    record = {
        "metrics": hashes(digits.digits_of_metrics(GROUPS)),
        "commands": hashes(rounded(digits.digits_of_commands())),
    }
    RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
