"""Citations by name: everything that was published has one, and ``fw cite`` prints it."""

from __future__ import annotations

import re
from typing import Any

import pytest

from metrics_framework.commands.app import main
from metrics_framework.common.errors import PluginError, UnknownNameError
from metrics_framework.datasets import REGISTRY as DATASETS
from metrics_framework.meta_evaluation.challenge import CITATIONS as CHALLENGES
from metrics_framework.meta_evaluation.coefficients import REGISTRY as COEFFICIENTS
from metrics_framework.meta_evaluation.coefficients.pearson import Pearson
from metrics_framework.meta_evaluation.differences import REGISTRY as TESTS
from metrics_framework.meta_evaluation.rater_agreement.agreement_coefficients import COEFFICIENTS as AGREEMENT
from metrics_framework.metrics import REGISTRY as METRICS
from metrics_framework.reports.citations import citation_of, cite, entries_of, known_names
from metrics_framework.significance.multiple_testing import CORRECTIONS
from metrics_framework.significance.non_inferiority import CITATIONS as GATES
from metrics_framework.significance.resampling import TEST_NAMES

NAMES = [
    *(name for registry in (METRICS, COEFFICIENTS, TESTS, DATASETS) for name in registry.names()),
    *(*TEST_NAMES, *CORRECTIONS, *GATES, *AGREEMENT, *CHALLENGES, "autorank", "easse", "fw"),
]
UNPUBLISHED = {"none"}
WITHOUT_AUTHOR = {"external", "precomputed"}
"""Metrics that are whatever the user's program or file is."""


@pytest.mark.parametrize("name", sorted({*NAMES} - UNPUBLISHED))
def test_everything_published_has_a_citation(name: str) -> None:
    found = citation_of(name)
    assert found, f"'{name}' cites nothing: in its class, set citation to BibTeX or keys of citations.bib"
    assert found.count("{") == found.count("}") > 0
    entries = entries_of(found)
    assert entries or name in WITHOUT_AUTHOR
    for key, entry in entries.items():
        assert re.match(rf"@\w+\{{{re.escape(key)},\n", entry)
        assert re.search(r"\b(title|booktitle)\s*=", entry)
        assert re.search(r"\byear\s*=\s*[\"{]?\d{4}\b", entry)


def test_no_name_means_two_things() -> None:
    names = known_names()
    assert sorted(names) == sorted({*names}) == sorted({*NAMES} - UNPUBLISHED)


CITED = [  # name, key of an entry
    ("kendall", "kendall-1945-treatment"),
    ("williams", "williams-1959-comparison"),
    ("inputs", "deutsch-etal-2021-statistical"),
    ("randomization", "riezler-maxwell-2005-pitfalls"),
    ("by", "benjamini-yekutieli-2001-control"),
    ("krippendorff", "krippendorff-2011-computing"),
    ("asset-test", "alva-manchego-etal-2020-asset"),
    ("easse", "alva-manchego-etal-2019-easse"),
    ("fw", "metrics-framework"),
]


@pytest.mark.parametrize(("name", "key"), CITED)
def test_fw_cite_knows_data_sets_tests_coefficients_and_fw(name: str, key: str, capsys: Any) -> None:
    assert main(["cite", name, name]) == 0
    assert re.findall(r"^@\w+\{(.*),$", capsys.readouterr().out, re.MULTILINE) == [key]


def test_an_entry_that_several_names_cite_is_printed_once(capsys: Any) -> None:
    names = ["sari", "bleu", "ibleu", "turkcorpus", "asset", "fw"]
    assert main(["cite", *names]) == 0
    printed = capsys.readouterr().out
    keys = re.findall(r"^@\w+\{(.*),$", printed, re.MULTILINE)
    assert len({*keys}) == len(keys) == 6
    assert printed == f"{cite(*names)}\n"


def test_test_sets_of_sacrebleu_have_their_citation() -> None:
    pytest.importorskip("sacrebleu")
    assert "bojar-EtAl:2014:W14-33" in citation_of("wmt14/en-de") == citation_of("wmt14")


def test_an_unknown_name_is_an_error_with_the_closest_one() -> None:
    with pytest.raises(UnknownNameError, match="unknown metric, coefficient, test, correction or data set 'kendal-b'"):
        citation_of("kendal-b")


def test_a_citation_that_is_no_bibtex_is_an_error_with_its_class(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Pearson, "citation", "pearson-1895")
    with pytest.raises(
        PluginError, match=r"pearson\.py:\d+: .*'pearson' must be BibTeX, .* got the string 'pearson-1895'"
    ):
        citation_of("pearson")


def test_what_declares_no_citation_is_a_note(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr(Pearson, "citation", "")
    assert main(["cite", "pearson"]) == 0
    assert capsys.readouterr() == ("", "fw: 'pearson' has no citation\n")
