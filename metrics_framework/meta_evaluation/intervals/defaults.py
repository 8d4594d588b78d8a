"""The interval that covers at each level: the default of `fw correlate` (decision 0033)."""

from __future__ import annotations

from metrics_framework.meta_evaluation.names import IntervalMethod


def default_method(level: str, name: str) -> IntervalMethod:
    """Returns the method whose 95 % intervals contain the true value in about 93 to 97 % of simulations.

    All of them speak of other systems. The numbers are in decision 0033; ``benchmarks/correlation_coverage.py``
    measures them.

    Args:
        level: A name of `LEVELS`.
        name: A name of `COEFFICIENTS`.

    >>> default_method("input", "pearson"), default_method("system", "pearson"), default_method("system", "acc-23")
    ('jackknife-systems', 'fisher', 'bootstrap-systems')
    """
    if level != "system" or name in ("pdp", "spa", "spa:normal"):
        return "jackknife-systems"
    return "fisher" if name == "pearson" else "bootstrap-systems"
