"""Templates of the texts that a model reads, with the names of fields in braces."""

from __future__ import annotations

import string
from collections.abc import Sequence

from metrics_framework.common.errors import UsageError

FIELDS = {"summary": "summary", "reference": "references", "source": "source", "documents": "documents"}
"""The names in a template, and the fields of the outputs that they are filled from."""


def names_in(template: Sequence[str]) -> set[str]:
    """Returns the names in a template.

    Raises:
        UsageError: if it is not one text or two, has other names than `FIELDS`, or lacks the summary.

    >>> sorted(names_in(["source: {source} candidate: {summary}"]))
    ['source', 'summary']
    """
    if isinstance(template, str) or not 1 <= len(template) <= 2:
        raise UsageError(f"'template' must be a list of one or two texts, got {template!r}")
    names: set[str] = set()
    for text in template:
        try:
            parts = [part for part in string.Formatter().parse(text) if part[1] is not None]
        except ValueError as error:
            raise UsageError(f"'template' has a text that is not valid, {text!r}: {error}") from None
        if any(name not in FIELDS or form or conversion for _, name, form, conversion in parts):
            raise UsageError(
                f"'template' may contain only {{summary}}, {{reference}}, {{source}} and {{documents}}, got {text!r}"
            )
        names |= {str(name) for _, name, _, _ in parts}
    if "summary" not in names:
        raise UsageError(f"'template' must contain {{summary}}, got {list(template)}")
    return names
