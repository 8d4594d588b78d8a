"""Reads whole files as bytes."""

from __future__ import annotations

import io

from metrics_framework.common.errors import DataError
from metrics_framework.io.locations import open_raw


def content_of(path: str) -> bytes:
    """Returns the content of a file.

    Raises:
        DataError: if it cannot be read.
    """
    try:
        with io.BufferedReader(open_raw(path)) as stream:
            return stream.read()
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", path) from None
