"""The papers to cite, by name: for metrics, coefficients, tests, corrections and data sets, which declare theirs."""

from __future__ import annotations

import hashlib
import inspect
import re
from collections.abc import Iterable, Mapping

from metrics_framework.common.definitions import defined_at
from metrics_framework.common.errors import DataError, PluginError, UnknownNameError, say_taken, spelled
from metrics_framework.common.registrable import bibtex
from metrics_framework.data.texts import shown
from metrics_framework.datasets import REGISTRY as DATASETS
from metrics_framework.datasets.catalogue import CataloguedSet, is_catalogued
from metrics_framework.datasets.dataset import find_parts, is_name
from metrics_framework.io.reading import read_blocks
from metrics_framework.meta_evaluation.coefficients import REGISTRY as COEFFICIENTS
from metrics_framework.meta_evaluation.differences import REGISTRY as TESTS
from metrics_framework.metrics import REGISTRY as METRICS
from metrics_framework.metrics.base.metric import Metric, parse_metric
from metrics_framework.significance import multiple_testing, resampling
from metrics_framework.version import __version__

_OWN = f"""@misc{{metrics-framework,
    author = "{{The metrics\\_framework authors}}", year = "2026", note = "Version {__version__}",
    title = "metrics\\_framework: metrics for text generation and their meta-evaluation"
}}"""


ENTRIES = "\\endinput\n\nEntries for a .bib file, which fw cite FILE.tex -o refs.bib writes:"
"""Is before the BibTeX in the file of a paper."""


def sealed(text: str) -> str:
    """Returns a text with its hash, by which `is_edited` knows it again."""
    return f"{text}\n\n% SHA-256 of the text above: {hashlib.sha256(text.encode()).hexdigest()}\n"


def is_edited(text: str) -> bool:
    """Returns whether the file of a paper or of BibTeX, perhaps without the last line break, was edited."""
    return f"{text.rstrip()}\n" != sealed(text.rpartition("\n\n%")[0])


def known_names() -> list[str]:
    """Returns the names of all that declares a citation; data sets of sacreBLEU have one, too."""
    names = [name for registry in (METRICS, COEFFICIENTS, TESTS, DATASETS) for name in registry.names()]
    return [*names, *_of_functions()]


def _of_functions() -> Mapping[str, str]:
    from metrics_framework.meta_evaluation import challenge
    from metrics_framework.meta_evaluation.rater_agreement.agreement_coefficients import COEFFICIENTS as AGREEMENT
    from metrics_framework.significance import non_inferiority

    of_agreement = {name: coefficient.citation for name, coefficient in AGREEMENT.items()}
    modules = (resampling, multiple_testing, non_inferiority, challenge)
    of_modules = {name: key for module in modules for name, key in module.CITATIONS.items()}
    others = {"autorank": "kocmi-etal-2025-preliminary", "easse": "alva-manchego-etal-2019-easse", "fw": ""}
    return {**of_modules, **of_agreement, **others}


def citation_of(name: str) -> str:
    """Returns the papers to cite for a metric, a coefficient, a test, a correction, a data set or this program.

    Args:
        name: Its name; or a file of ``--paper``, for all that it cites.

    Returns:
        BibTeX; an empty string if it declares none.

    Raises:
        UnknownNameError: if there is nothing of this name.
        DataError: if the file cannot be read, or is another one.

    >>> citation_of("holm").partition("{")[2].partition(",")[0]
    'holm-1979-simple'
    """
    if name.endswith(".tex"):
        return _of_paper(name)
    registries = (METRICS, COEFFICIENTS, TESTS)
    if not any(registry.spelled(name) for registry in registries):
        name = parse_metric(name)[0]  # says how a name of another program is read
    for registry in registries:
        if registry.spelled(name):
            found = inspect.cleandoc(registry.get(name).citation)
            if found and not found.startswith("@"):
                where = f"{defined_at(registry.get(name))}: the citation of the {registry.kind} '{name}'"
                raise PluginError(f"{where} must be BibTeX, as in @misc{{KEY, author = …}}, got {shown(found)}")
            return found
    given = _of_functions()
    if (known := spelled(name, [*DATASETS.names(), *given])) and known != name:
        say_taken(name, f"'{known}'")
        name = known
    if is_name(name):
        return find_parts(name)[0].manifest.citation
    if is_catalogued(name):
        return CataloguedSet(name.partition("/")[0]).manifest.citation
    if name in given:
        return bibtex(given[name]) or _OWN
    kind = "metric, coefficient, test, correction or data set"
    listed_by = ", ".join(f"fw list {what}" for what in ("metrics", "coefficients", "tests", "datasets"))
    raise UnknownNameError(kind, name, known_names(), answer=Metric.registry().answer(name), listed_by=listed_by)


def _of_paper(path: str) -> str:
    if found := "\n".join(read_blocks(path, lambda: 0)).partition(ENTRIES)[2].rpartition("\n\n%")[0]:
        return found
    raise DataError("is no file of --paper, so it has no BibTeX", path)


def cite(*names: str) -> str:
    """Returns the papers to cite, as BibTeX, each once; see `fw cite`.

    Args:
        names: Metrics, coefficients, tests, corrections, data sets, ``fw``, or files of ``--paper``.

    Raises:
        UnknownNameError: if there is nothing of a name.

    >>> cite("holm", "ter").count("@")
    2
    """
    return joined(map(citation_of, names))


def joined(citations: Iterable[str]) -> str:
    """Joins BibTeX of several names, each entry once by its key.

    >>> joined(["@misc{x, year = 1}", "@misc{y, year = 2}", "@misc{x, year = {1}}"]).count("@")
    2
    """
    entries: dict[str, str] = {}
    for entry in re.split(r"^(?=@)", "\n".join(citations), flags=re.MULTILINE):
        entries.setdefault(entry.partition("{")[2].partition(",")[0].strip(), entry.strip())
    return "\n\n".join(filter(None, entries.values()))


def entries_of(bibtex: str) -> dict[str, str]:
    """Returns the entries of a citation by their keys, without those that have no author.

    >>> [*entries_of('@misc{x, author = "Kim, Jo"}\\n\\n@misc{y, title = "Cite the data you read"}')]
    ['x']
    """
    entries = re.split(r"^(?=@)", bibtex, flags=re.MULTILINE)
    return {
        start[1]: text.strip()
        for text in entries
        if (start := re.match(r"@\w+\s*\{\s*([^,\s]+),", text)) and re.search(r"\bauthor\s*=", text)
    }
