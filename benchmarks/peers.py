"""Compares this package with every peer that is installed: ``python benchmarks/peers.py``.

Scores are compared before anything is timed; if the definition of a peer differs, its line shows the difference. Both
sides run alternately on the same texts, in one process and thread; whole commands run in new processes. Ratios are of
CPU times, including those of children; the program prints the median and, in parentheses, the range over the
repetitions. Peers that are not installed are listed as absent; ``pip install -e . --group bench`` installs all.

The text is TurkCorpus in ``FW_SHARED``; if it is missing, text with the same statistics is generated.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import platform
import sys
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TypeAlias

os.environ["RAYON_NUM_THREADS"] = "1"  # before a peer written in Rust is imported

from contenders import CORPUS_WORKS, EDIT_WORKS, ROUGE_WORKS, SARI, SENTENCE_WORKS, Contender
from corpora import stacked, texts
from memory import by_memory
from odd_texts import differences
from score_command import score_command
from settings import QUICK, Settings, Sizes
from speed import by_references, by_rows, by_words, of_corpus, of_lengths, of_sentences
from tables import Line, markdown, show

from metrics_framework.kernels import dispatch

REPETITIONS, QUICK_REPETITIONS = 5, 2
Comparison: TypeAlias = Callable[[Settings], Iterator[Line]]


def comparisons() -> dict[str, Comparison]:
    """Returns the comparisons by name, in the order of the output."""
    named: dict[str, Comparison] = {}
    named |= {work.name: functools.partial(of_corpus, work) for work in CORPUS_WORKS}
    named |= {work.name: functools.partial(of_sentences, work) for work in SENTENCE_WORKS}
    named |= {work.name: functools.partial(of_lengths, work) for work in (*EDIT_WORKS, *ROUGE_WORKS)}
    named["odd-texts"] = differences
    for kind, function in (("words", by_words), ("references", by_references), ("rows", by_rows)):
        named |= {f"{work.name}-{kind}": functools.partial(function, work) for work in CORPUS_WORKS}
    named |= {f"{work.name}-memory": functools.partial(by_memory, work) for work in CORPUS_WORKS if work is not SARI}
    named["fw-score"] = score_command
    return named


def selected(patterns: list[str] | None) -> dict[str, Comparison]:
    """Returns the comparisons that match one of the patterns, or all without patterns."""
    named = comparisons()
    for pattern in patterns or []:
        if not any(fnmatchcase(name, pattern) for name in named):
            raise SystemExit(f"no comparison is called '{pattern}'; there are: {', '.join(named)}")
    return {
        name: comparison
        for name, comparison in named.items()
        if patterns is None or any(fnmatchcase(name, pattern) for pattern in patterns)
    }


def versions() -> list[str]:
    """Returns the version of each package, or that it is absent."""
    sides: list[Contender] = [side for work in (*CORPUS_WORKS, *SENTENCE_WORKS) for side in (work.ours, *work.peers)]
    return [f"{package} {version or 'absent'}" for package, version in {s.package: s.version() for s in sides}.items()]


def parsed() -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0], allow_abbrev=False)
    parser.add_argument("--only", nargs="+", metavar="NAME", help="comparisons, as names or patterns such as 'ter*'")
    parser.add_argument("--list", action="store_true", help="list the comparisons and exit")
    parser.add_argument("--quick", action="store_true", help="small inputs, to check that everything runs")
    parser.add_argument(
        "--repetitions", type=int, help=f"how often each is timed ({REPETITIONS}; quick: {QUICK_REPETITIONS})"
    )
    parser.add_argument("--score-rows", type=int, help=f"rows for fw score ({Sizes.score_rows:,})")
    parser.add_argument("--markdown", action="store_true", help="print Markdown tables at the end")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers of every repetition")
    return parser.parse_args()


def main() -> None:
    """Runs the selected comparisons and prints them."""
    arguments = parsed()
    chosen = selected(arguments.only)
    if arguments.list:
        print("\n".join(chosen))
        return
    test_set, text = texts()
    sizes = QUICK if arguments.quick else Sizes()
    if arguments.score_rows:
        sizes = Sizes(**{**vars(sizes), "score_rows": arguments.score_rows})
    repetitions = arguments.repetitions or (QUICK_REPETITIONS if arguments.quick else REPETITIONS)
    about = {
        "text": text,
        "repetitions": repetitions,
        "python": platform.python_version(),
        "kernels": dispatch.implementation(),
        "packages": versions(),
    }
    progress = sys.stderr if arguments.markdown else sys.stdout

    def write(words: str) -> None:
        print(words, file=progress, flush=True)

    write(
        "\n".join(f"{name}: {', '.join(value) if isinstance(value, list) else value}" for name, value in about.items())
    )
    settings = Settings(stacked(test_set), sizes, repetitions)
    lines = show((line for comparison in chosen.values() for line in comparison(settings)), write)
    if arguments.markdown:
        print(markdown(lines))
    if arguments.json:
        report = about | {"lines": [{"table": line.table.title, **line.raw} for line in lines]}
        arguments.json.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
