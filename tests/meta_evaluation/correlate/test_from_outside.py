"""A coefficient and a test of differences of other packages in all sections and outputs of `correlate`."""

from __future__ import annotations

import json
import math
import warnings
from typing import ClassVar

import numpy as np
import pytest
from brute_force.results import differing, numbers_of
from brute_force.study import Part, expected, rows_of
from concordance import registered_concordance
from difference_cases import power_of_test
from samples import sampled

import metrics_framework as fw
from metrics_framework.commands.arguments import Parser
from metrics_framework.commands.correlate import Correlate
from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation import difference, difference_matrix
from metrics_framework.meta_evaluation.differences.difference_test import DifferenceTest
from metrics_framework.meta_evaluation.differences.permutation_tests import PermutationTest

SYSTEMS, INPUTS = 6, 10
TITLE = "Lin ρc"
REQUEST = {
    "levels": ["input", "system", "global", "within-system"],
    "coefficients": ["concordance"],
    "ci": "default",
    "confidence": 90.0,
    "two_tailed": True,
    "resamples": 40,
    "seed": 0,
    "test": "default",
    "correct": "holm",
    "data_sets": None,
    "preset": "",
    "average_test": "joint",
    "epsilon": None,
    "threshold": None,
    "sign_flips": 1000,
    "stream": "default",
    "min_group": 2,
    "cluster": None,
    "slices": "kind",
    "partial": (),
    "humans_as_metrics": True,
}


@pytest.fixture
def concordance(monkeypatch):
    """Registers Lin's concordance."""
    with registered_concordance() as kind:
        monkeypatch.setattr(kind, "__hash__", None)  # as data classes have it
        yield


@pytest.fixture
def kinds(monkeypatch):
    """Registers a test that swaps systems of one kind together."""
    registry = DifferenceTest.registry()
    registry.search()
    monkeypatch.setattr(registry, "entries", dict(registry.entries))

    @DifferenceTest.register("kinds")
    class SwappedKinds(PermutationTest):
        """Swaps the scores of two metrics for all systems of a kind, of which there are two."""

        unit: ClassVar[str] = "kinds"
        population_of_data_sets: ClassVar[str] = "for other kinds of systems"

        def population(self, shape, level):
            return f"for other kinds of systems, not only these {shape[0]}"

        def refusal(self, coefficient, level):
            return "'kinds' needs levels of several systems; use 'inputs'" if level == "within-system" else None

        def units(self, systems, clusters):
            return 2

        def arranged(self, source, systems, clusters):
            return source.permutations(rows=source.signs("rows")[:, np.arange(systems) % 2])

    return SwappedKinds


def part(seed=0):
    """Returns scores with holes, and ratings of three people."""
    generator = np.random.default_rng(seed)
    quality = generator.normal(0.5 * np.arange(SYSTEMS)[:, None], 1, (SYSTEMS, INPUTS))
    ratings = np.round(quality[:, :, None] + generator.normal(0, 0.7, (SYSTEMS, INPUTS, 3)))
    ratings[generator.random(quality.shape) < 0.1] = math.nan
    metrics = {name: scale * quality + generator.normal(0, 1, quality.shape) for name, scale in (("A", 1), ("B", 0.6))}
    every = np.arange(SYSTEMS)[:, None] % 2 + np.zeros(INPUTS)
    return Part(ratings, metrics, quality, None, {f"k{kind}": every == kind for kind in range(2)})


def three_matrices():
    """Returns the human scores and those of two metrics."""
    one = part()
    return one.human, *one.metrics.values()


def correlate(rows, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fw.correlate(rows, ["A", "B"], "human", **options)


TESTS = ["inputs", "systems", "both", "cells", "bootstrap-inputs", "bootstrap-systems"]
INTERVALS = ["default", "bootstrap-inputs", "bootstrap-systems", "bootstrap-both", "bca-systems"]
INTERVALS += ["jackknife-inputs", "jackknife-systems"]
CASES = [
    *({"test": test} for test in TESTS),
    *({"ci": ci} for ci in INTERVALS),
    {"data_sets": "task", "test": "inputs"},
    {"data_sets": "task", "test": "systems", "average_test": "published"},
    {"min_group": 6},
]


@pytest.mark.parametrize("options", sampled(CASES, 2), ids=str)
def test_all_sections_of_a_coefficient_from_outside_equal_brute_force(concordance, options):
    request = {**REQUEST, **options}
    parts = {name: part(seed) for seed, name in enumerate(["cs-uk", "en-de"] if request["data_sets"] else [""])}
    found, wanted = numbers_of(correlate(rows_of(parts), **request).study), expected(parts, request)
    assert {"values", "intervals", "groups", "slices: values", "raters: values", "ceilings"} <= found.keys()
    assert "p-values of differences" in found
    assert ("p-values of averages" in found) == bool(request["data_sets"])
    assert not differing(found, wanted)


def test_a_test_that_is_invalid_for_it_says_which_to_use(concordance):
    with pytest.raises(InputError, match=r"'williams' is valid for .* got 'concordance' .* use the test 'systems'"):
        correlate(rows_of({"": part()}), **{**REQUEST, "test": "williams", "resamples": None})


def test_its_results_have_all_forms(concordance):
    result = correlate(rows_of({"": part()}), **{**REQUEST, "detectable": True, "ci": "bootstrap-inputs"})
    for text in (str(result), result.table("markdown"), result.page()):
        assert TITLE in text
    assert r"Lin $\rho$c" in result.table("latex")
    row = json.loads(result.to_json())
    assert row["correlations"][0]["system_level"]["concordance"]["value"] == pytest.approx(
        result["A"].levels["system"].estimates["concordance"].value
    )
    assert {one["coefficient"] for one in row["comparisons"]} == {"concordance"}
    assert all(one["power"] for one in row["comparisons"])
    for of in ("correlations", "differences"):
        assert {record["coefficient"] for record in result.to_records(of)} == {"concordance"}
    for picture in (result.plot(), *(result.plot(kind) for kind in ("forest", "p-values", "ranks"))):
        assert TITLE in picture


def fw_correlate(*words):
    command, parser = Correlate(), Parser(prog="fw correlate")
    command.add_arguments(parser)
    return command.run(parser.parse([*map(str, words)]))


@pytest.fixture
def table(tmp_path):
    """A file of scores."""
    path = tmp_path / "scores.tsv"
    rows = [row | {"human": sum(row["human"])} for row in rows_of({"": part()}) if "human" in row]
    lines = ["\t".join(rows[0]), *("\t".join(map(str, row.values())) for row in rows)]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


METRICS = ("--metric", "A", "--metric", "B", "--human", "human", "--resamples", 30)


def test_the_command_computes_it_and_draws_it(concordance, table, tmp_path, capsys):
    pictures = [
        word
        for flag in ("plot", "forest-plot", "rank-plot", "p-value-plot")
        for word in (f"--{flag}", tmp_path / f"{flag}.svg")
    ]
    words = ("--coefficient", "concordance", "--test", "inputs", "--detectable", "--slice", "kind", *pictures)
    assert fw_correlate(table, *METRICS, *words, "--output-file", tmp_path / "out.json") == 0
    assert TITLE in capsys.readouterr().out
    assert "concordance" in json.loads((tmp_path / "out.json").read_text())["correlations"][0]["global"]
    for picture in pictures[1::2]:
        assert TITLE in picture.read_text(encoding="utf-8")


# ---- a test of differences -------------------------------------------------------------------------------------------

POPULATION = f"for other kinds of systems, not only these {SYSTEMS}"


def swapped_by_kind(human, metrics):
    """Returns the p-value of Pearson's r of the means of systems, by hand."""
    missing = np.isnan(human)
    human = np.nanmean(human, axis=1)
    scaled = []
    for scores in metrics:
        cells = np.where(missing, math.nan, scores)
        scaled.append(np.nanmean((cells - np.nanmean(cells)) / np.nanstd(cells), axis=1))
    differences = []
    for swapped in ([], [0], [1], [0, 1]):
        chosen = np.isin(np.arange(len(human)) % 2, swapped)
        sides = [np.where(chosen, *pair) for pair in (scaled[::-1], scaled)]
        values = [np.corrcoef(human, side)[0, 1] for side in sides]
        differences.append(abs(values[0] - values[1]))
    return float(np.mean(np.array(differences) >= differences[0] - 1e-12))


def test_a_test_from_outside_equals_the_swaps_by_hand(kinds):
    data = part()
    options = {"levels": "system", "coefficients": "pearson", "ci": "none", "detectable": True}
    result = correlate(rows_of({"": data}), test="kinds", **options)
    found = result.comparisons[0].found
    assert found.p_values[0, 1] == pytest.approx(swapped_by_kind(data.human, data.metrics.values()))
    assert (found.test, found.population, found.permutations, found.least_p) == ("kinds", POPULATION, 4, 0.5)
    (power,) = (one for powers in found.power.values() for one in powers)
    assert (power.unit, power.units, power.population) == ("kinds", 2, POPULATION)
    row = json.loads(result.to_json())["comparisons"][0]
    assert (row["test"], row["population"], row["permutations"]) == ("kinds", POPULATION, 4)
    assert {record["population"] for record in result.to_records("differences")} == {POPULATION}
    note = f"{POPULATION}; test 'kinds', all 4 permutations"
    assert note in str(result)
    assert note in result.table("markdown").replace("\\", "")


def test_a_test_from_outside_tests_averages(kinds):
    parts = {"cs-uk": part(0), "en-de": part(1)}
    options = {"levels": "system", "coefficients": "pearson", "ci": "none", "data_sets": "task"}
    (average,) = correlate(rows_of(parts), test="kinds", **options).study.averages
    assert (average.found.permutations, average.found.population) == (16, POPULATION)


def test_the_command_offers_a_test_from_outside(kinds, table, capsys):
    words = ("--coefficient", "pearson", "--ci", "none", "--test", "kinds")
    assert fw_correlate(table, *METRICS, "--level", "system", *words) == 0
    assert POPULATION in capsys.readouterr().out


def test_a_test_from_outside_is_refused_where_it_says_so(kinds):
    with pytest.raises(InputError, match="'kinds' needs levels of several systems; use 'inputs'"):
        correlate(rows_of({"": part()}), test="kinds", levels="within-system", coefficients="pearson")


def test_a_test_from_outside_may_refuse_clusters(kinds, monkeypatch):
    monkeypatch.setattr(kinds, "keeps_clusters", False)
    with pytest.raises(InputError, match="'kinds' cannot keep clusters of inputs together; use 'inputs' or 'both'"):
        difference(*three_matrices(), "pearson", level="input", test="kinds", clusters="aabbccddee")


def test_a_test_from_outside_ranks_metrics_and_states_its_power(kinds):
    human, first, second = three_matrices()
    found = difference_matrix(human, {"a": first, "b": second}, "pearson", level="input", test="kinds")
    assert found.p_values[0, 1] >= 0.5
    power = power_of_test(human, first, second, "pearson", level="input", test="kinds")
    assert (power.units, power.unit, power.least_detectable) == (2, "kinds", pytest.approx(math.nan, nan_ok=True))
    assert "least possible p-value" in power.reason
