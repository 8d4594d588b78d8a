"""A small version of `benchmarks/correlation_coverage.py`: default intervals contain the true value."""

from __future__ import annotations

from argparse import Namespace

import pytest
from benchmark_modules import benchmark

from metrics_framework.meta_evaluation.coefficients.lookup import load_coefficient

NAMES = ("pearson", "kendall-b", "acc-23", "pdp", "spa:normal")
LEVELS = ("input", "system", "global", "within-system")


@pytest.fixture(scope="module")
def program():
    return benchmark("correlation_coverage")


@pytest.mark.slow
def test_default_intervals_cover_and_percentiles_of_systems_at_the_input_level_do_not(program, monkeypatch):
    monkeypatch.setattr(program, "OTHER_INPUTS", 8)
    monkeypatch.setattr(program, "MANY_SYSTEMS", 200)
    keys = program.keys_of(NAMES, LEVELS)
    arguments = Namespace(seed=1, simulations=120, inputs=30, resamples=200, spread=0.5, error=0.25)
    defaults = {(level, name): load_coefficient(name).default_interval(level) for level, name in keys}
    arguments.methods = sorted({*defaults.values(), "bootstrap-systems"})
    everywhere = program.true_values(keys, arguments)
    found = program.covered(keys, 10, arguments, everywhere)
    for key in keys:  # .95 ± 4 standard errors, and the coverage of the worst default, .92
        assert 0.86 < found[defaults[key], key] <= 1, key
    assert found["bootstrap-systems", ("input", "pearson")] < 0.9
    assert found["bootstrap-systems", ("input", "acc-23")] < 0.85
