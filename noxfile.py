"""Runs the suite on every Python that is installed: ``nox``."""

from __future__ import annotations

import nox

nox.options.error_on_missing_interpreters = False
nox.options.default_venv_backend = "venv"


@nox.session(python=["3.10", "3.11", "3.12", "3.13"])
def tests(session: nox.Session) -> None:
    """Installs the package with what its tests need, and runs them; without native kernels, the session fails."""
    session.env["FW_REQUIRE_NATIVE"] = "1"
    session.install("-e", ".[test]")
    session.run("python", "-m", "pytest", *session.posargs)
