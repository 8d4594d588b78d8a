"""The interval that covers at each level: the default of `fw correlate` (decision 0033)."""

from __future__ import annotations

from metrics_framework.meta_evaluation.names import IntervalMethod


def default_method(level: str, name: str) -> IntervalMethod:
    """Returns the method whose 95 % intervals contain the true value in 93 to 97 % of simulations, or is closest to it.

    All of them speak of other systems; those of the global level also of other inputs. The numbers are in decision
    0033, and ``benchmarks/correlation_coverage.py`` measures them.

    Args:
        level: A name of `LEVELS`.
        name: A name of `COEFFICIENTS`.

    >>> default_method("input", "pearson"), default_method("system", "pearson"), default_method("global", "pearson")
    ('jackknife-systems', 'fisher', 'bootstrap-both')
    """
    if name == "pdp" or level == "global":
        return "bootstrap-both"
    if level == "system" and name not in ("spa", "spa:normal"):
        return "fisher" if name == "pearson" else "bootstrap-systems"
    return "jackknife-systems"
