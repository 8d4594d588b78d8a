"""Runs the suite on every Python that is installed: ``nox``."""

from __future__ import annotations

import nox

nox.options.error_on_missing_interpreters = False
nox.options.default_venv_backend = "venv"


PYTHONS = ["3.10", "3.11", "3.12", "3.13", "3.14", "3.14t"]


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """Installs the package with what its tests need, and runs them; without native kernels, the session fails."""
    session.env["FW_REQUIRE_NATIVE"] = "1"
    session.install("-e", ".[test]")
    session.run("python", "-m", "pytest", *session.posargs)


@nox.session(python=PYTHONS)
def digits(session: nox.Session) -> None:
    """Computes scores, intervals and tests, and compares their digits with those of the previous versions of Python."""
    session.install("-e", ".")
    session.run("python", "benchmarks/digits.py", "--folder", str(session.cache_dir / "digits"), *session.posargs)
