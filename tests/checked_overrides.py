"""Puts the decorator of the package `overrides`, with its checks, in place of the one that only marks.

Imported first in ``conftest.py``, so that all classes of the package are created with it.
"""

from __future__ import annotations

import sys

import overrides

from metrics_framework.common import overriding

DECORATED = [
    name for name, module in [*sys.modules.items()] if getattr(module, "overrides", None) is overriding.overrides
]
"""Modules that were imported too early, with the decorator that checks nothing: only the one that defines it."""

overriding.overrides = overrides.overrides
