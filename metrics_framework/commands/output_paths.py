"""Checks the output paths of a run, before any work is done."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress

from metrics_framework.common.errors import PARQUET, DataError, MissingExtraError, UsageError
from metrics_framework.io.locations import exists, size_of
from metrics_framework.io.reading import STANDARD, uncompressed_name
from metrics_framework.io.writing import is_stream, output_path
from metrics_framework.reports.formats.output_format import DEFAULT_FORMAT


def refuse_overwriting(
    outputs: Collection[str], inputs: Iterable[str], *, force: bool, log_file: str | None = None
) -> None:
    """Rejects two outputs with the same path, and an output that would replace an input or a file of another program.

    An existing file in an input folder is an input, too. Standard output counts as an output if it is redirected to a
    file.

    Args:
        outputs: The files that are replaced.
        inputs: The files and folders that are read.
        force: Whether outputs may replace files that are not results of ``fw``.
        log_file: A further output, which is appended to.

    Raises:
        UsageError: if a file would be overwritten.
    """
    read = {os.path.realpath(path.removeprefix("file://")): path for path in inputs if path != STANDARD}
    folders = [path + os.sep for path in read if os.path.isdir(path)]
    written: set[str] = set()
    for path in [*outputs, *filter(None, [log_file])]:
        real = path if path == STANDARD else os.path.realpath(path.removeprefix("file://"))
        if real in read or (real.startswith(tuple(folders)) and os.path.exists(real)):
            raise UsageError(
                f"'{path}' is both an input and an output of this run; choose another output file "
                "(arguments without a flag are output files)"
            )
        if real in written:
            raise UsageError(f"two outputs would be written to '{path}'; choose a different file for each")
        written.add(real)
    with suppress(OSError):  # standard output is closed
        standard = os.fstat(1)
        for path in [*read, *written] if stat.S_ISREG(standard.st_mode) else ():  # as in fw … --input-files x >> x
            if os.path.exists(path) and os.path.samestat(os.stat(path), standard):
                raise UsageError(
                    f"'{path}' is a file of this run, but standard output is redirected to it; use another"
                )
    for path in () if force else outputs:
        if is_foreign(path):
            raise UsageError(f"'{path}' exists and is not a result of fw; use another file, or --force to overwrite it")
        if _is_edited_paper(path):
            raise UsageError(f"'{path}' was edited after fw wrote it; use another file, or --force to overwrite it")


HTML_MARK = '<meta name="generator" content="metrics_framework">'
SVG_MARK = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 '
PAPER_MARK, BIBTEX_MARK = "% Methods of a paper, tables and BibTeX: ", "% BibTeX of fw cite "
MAX_DOCUMENT = 50_000_000
"""The number of characters of a JSON document that are examined; results are shorter."""
FORCE_HELP = "overwrite existing files, even if they are not results of fw"
OUTPUT_HELP = "write the table to a file instead of printing it; the ending selects the format, such as .tex or .md"
PAPER_HELP = r"LaTeX file for a paper: a paragraph for the methods section, tables, and BibTeX after \endinput"
FORMAT_HELP = f"format of the table (default: by the ending of --output, else {DEFAULT_FORMAT})"


def is_foreign(path: str) -> bool:
    """Returns whether an output would replace a file that is not an earlier result; an empty file may be replaced.

    Results are scores, correlations, tables, reports, plots, pairs and votes.

    Raises:
        UsageError: if a remote store does not report whether the file exists.
    """
    if not (_has_content(path) if "://" in path else os.path.isfile(path) and os.path.getsize(path)):
        return False
    if path.endswith(PARQUET):
        is_result = _is_parquet_result(path)
    elif (start := _start(path)).startswith(("{", "[")):
        is_result = _is_json_result(start) or _is_json_result(_start(path, MAX_DOCUMENT))
    elif start.startswith(SVG_MARK):
        is_result = "\nsvg { background: #fff; " in start
    else:
        is_result = is_table(start) or HTML_MARK in start[:1000] or " ||| " in start.partition("\n")[0]
    if is_result or is_stream(path):
        return False
    from metrics_framework.reports.pictures import is_picture

    return not is_picture(path)


def check_ending(flag: str, path: str, endings: Sequence[str]) -> None:
    """Rejects the file of a flag that has another ending than its content; standard output has none.

    Raises:
        UsageError: if it has.
    """
    if output_path(path) != STANDARD and not uncompressed_name(path).lower().endswith(tuple(endings)):
        raise UsageError(f"expected a {' or '.join(endings)} file for {flag}, got '{path}'")


def _is_edited_paper(path: str) -> bool:
    """Returns whether an output would replace a file of ``--paper`` or ``fw cite`` that someone edited."""
    if is_stream(path) or not (_has_content(path) if "://" in path else os.path.isfile(path)):
        return False
    if not _start(path, 1).startswith((PAPER_MARK, BIBTEX_MARK)):
        return False
    from metrics_framework.reports.citations import is_edited

    return is_edited(_start(path, MAX_DOCUMENT))


def _has_content(path: str) -> bool:
    """Returns whether a remote output is a file that is not empty.

    Raises:
        UsageError: if a remote store does not report it.
    """
    try:
        return exists(path) and size_of(path) != 0
    except DataError as problem:
        raise UsageError(f"{problem}; --force skips the check that the output replaces no other file") from None


def _start(path: str, size: int = 100_000) -> str:
    """Returns the first lines of a file, at least as many characters as the size; an empty string if it is no text."""
    from metrics_framework.io.reading import read_blocks

    blocks: list[str] = []
    try:
        for block in read_blocks(path, lambda: 0):
            blocks.append(block)
            if sum(map(len, blocks)) > size:
                break
    except (DataError, MissingExtraError):
        return ""
    return "\n".join(blocks)


def _is_parquet_result(path: str) -> bool:
    from metrics_framework.io.parquet import has_scores

    try:
        return has_scores(path)
    except (DataError, MissingExtraError):
        return False


def _is_json_result(text: str) -> bool:
    """Returns whether a document, or its first line, is the JSON of a result."""
    import json

    for part in (text.partition("\n")[0], text):
        try:
            content = json.loads(part)
        except (ValueError, RecursionError):
            continue
        first = content[0] if isinstance(content, list) and content else content
        if not isinstance(first, dict):
            continue
        if first.keys() >= {"metrics", "signature"} and isinstance(first["signature"], dict):
            return True
        if str(first.get("signature", "")).startswith("llm-judge|"):  # of votes
            return True
        if first.keys() >= {"metric1", "metric2", "signatures"}:  # of a correlation
            return True
        if str(first.get("command", "")).startswith("fw "):  # of the other analyses
            return True
    return False


_FIRST_HEADERS = {
    "system": ("outputs", "strength"),
    "metric": ("against", "rank", "system", "old", "verdict"),
    "judge": ("test", "system", "systems", "ties", "subset", "is_sentinel"),
    "rating": ("statistic", "group"),
    "first": ("second",),
    "level": ("coefficient",),
    "metric1": ("metric2",),
    "system_a": ("system_b",),
}
"""The first header of each kind of table to the second ones; each analysis adds its own."""


def _pattern() -> str:
    """Returns a pattern of the start of a table in each format; compiled when it is needed: that takes milliseconds."""
    labels = "|".join(_FIRST_HEADERS)
    markdown, latex, html, columns = (
        "|".join(f"{first}{between}({'|'.join(seconds)})" for first, seconds in _FIRST_HEADERS.items())
        for between in (r"\ +\|\ ", r"\ &\ ", "</th><th[^>]*>", r"[,\t]")
    )
    return rf"""({labels}|score)\ .*\n─+(\ \ ─+)*\n           # text
    |\|\ ({markdown})\ +\|                             # Markdown
    |({columns}|[^,\t\n]+[,\t]metric[,\t]system)[,\t]    # CSV, TSV, also with a column of data sets
    |(\\begin{{table}}\[t\]\n\\centering\n)?\\begin{{tabular}}{{l+r*}}\n\\toprule\n({latex})\ &
    |%\ Metrics\ and\ human\ ratings:\                  # fw correlate --task-table
    |%\ Methods\ of\ a\ paper,\ tables\ and\ BibTeX:\      # --paper
    |%\ BibTeX\ of\ fw\ cite\                               # fw cite --output
    |<\?xml\ [^\n]*\n<testsuite\ name="fw\ gate"          # fw gate --junit
    |╒═+╤|[\w+]+\|nrefs:\S+\ =\                         # the shapes of sacreBLEU
    |<table>\n<thead>\n<tr><th[^>]*>({html})</th>"""


_ANSWERS = r"\A((% |<p>)?(Best|Only|No) metric [^\n]*(\n[^\n]+)*\n\n)+"
"""Matches the paragraphs above the tables of ``fw correlate``."""
_WITHOUT_COUNTS = r"""\|\ system\ +\|
    |(\\begin{table}\[t\]\n\\centering\n)?\\begin{tabular}{lr+}\n\\toprule\nsystem\ &
    |<table>\n<thead>\n<tr><th[^>]*>system</th>"""
"""Matches the start of a table that may also come from another program."""


def is_table(start: str) -> bool:
    """Returns whether the start of a file is that of a table of scores or correlations."""
    start = re.sub(_ANSWERS, "", start, count=1)
    return re.match(_pattern(), start, re.VERBOSE) is not None or (
        re.match(_WITHOUT_COUNTS, start, re.VERBOSE) is not None
        and re.search(r"\bsignature\b.*\|fw:", start) is not None
    )
