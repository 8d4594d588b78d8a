"""A word aligner for tests that is easily followed by hand. A test that wants it by name registers it."""

from __future__ import annotations

from collections.abc import Sequence

from overrides import overrides

from metrics_framework.alignment.aligner import Aligner


class EqualWords(Aligner):
    """Aligns equal words, whatever their case: the first to the first, the second to the second and so on."""

    @overrides
    def align(self, source: Sequence[str], target: Sequence[str]) -> list[tuple[int, int]]:
        places: dict[str, list[int]] = {}
        for place, word in enumerate(target):
            places.setdefault(word.lower(), []).append(place)
        pairs = []
        for place, word in enumerate(source):
            if places.get(word.lower()):
                pairs.append((place, places[word.lower()].pop(0)))
        return pairs
