"""What all tests share."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("FW_SHARED", ROOT.parent / "shared"))


@pytest.fixture(scope="session")
def shared_path() -> Callable[[str], Path]:
    """Gives the path of published data or numbers; skips the test where they are absent."""

    def find(name: str) -> Path:
        path = SHARED / name
        if not path.exists():
            pytest.skip(f"needs {name} below FW_SHARED, which is not there")
        return path

    return find


@pytest.fixture(scope="session")
def datasets_path() -> Path:
    """Gives the folder of the example data."""
    return ROOT / "datasets"


settings.register_profile("unhurried", deadline=None)
if not os.environ.get("CI"):
    settings.load_profile("unhurried")
