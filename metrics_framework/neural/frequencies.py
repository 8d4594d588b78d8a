"""Inverse document frequencies of the tokens of a model."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Iterable


class DocumentFrequencies:
    """Counts the documents that contain each token.

    The inverse document frequency of a token in c of N documents is log((N + 1) / (c + 1)).

    >>> frequencies = DocumentFrequencies()
    >>> frequencies.add([1, 2, 2])
    >>> frequencies.add([1])
    >>> [round(frequencies.inverse(token), 3) for token in (1, 2, 9)]
    [0.0, 0.405, 1.099]
    """

    def __init__(self) -> None:
        self.documents = 0
        self._counts: Counter[int] = Counter()

    def add(self, tokens: Iterable[int], times: int = 1) -> None:
        """Adds a document, or several equal ones."""
        self.documents += times
        for token in set(tokens):
            self._counts[token] += times

    def inverse(self, token: int) -> float:
        """Returns the inverse document frequency of a token."""
        return math.log((self.documents + 1) / (self._counts[token] + 1))

    def fingerprint(self) -> str:
        """Returns the first digits of a hash of all counts."""
        content = json.dumps([self.documents, sorted(self._counts.items())])
        return hashlib.sha256(content.encode()).hexdigest()[:12]
