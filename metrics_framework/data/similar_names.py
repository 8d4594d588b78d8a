"""Names that differ only in case, spaces or invisible characters, and are probably meant to be the same."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cached_property

MAX_SHOWN = 3


class SimilarNames:
    """Finds a name that differs from a given one only in case, spaces or invisible characters.

    Args:
        names: The names to search; they are read on first use.

    >>> SimilarNames(["sys1 ", "sys2"]).hint("Sys 1")
    "; it has 'sys1 ', which differs only in case or spaces"
    """

    def __init__(self, names: Collection[str]) -> None:
        self._names = names

    @cached_property
    def _by_fold(self) -> dict[str, str]:
        return {_folded(name): name for name in self._names}

    def hint(self, name: str) -> str:
        """Returns the end of a message that a name is missing, empty if there is no similar name."""
        found = self._by_fold.get(_folded(name))
        return "" if found is None else f"; it has {quoted(found)}, which differs only in case or spaces"


def similar_pairs(first: Collection[str], second: Collection[str]) -> list[tuple[str, str]]:
    """Returns the similar names of two collections; a name that both have is not similar to another one.

    >>> similar_pairs(["Sys1", "b"], ["sys1", "b", "B"])
    [('Sys1', 'sys1')]
    """
    only_first, only_second = [name for name in first if name not in second], set(second).difference(first)
    by_fold = {_folded(name): name for name in sorted(only_second, reverse=True)} if only_first else {}
    return [(name, by_fold[_folded(name)]) for name in only_first if _folded(name) in by_fold]


def similar_in_files(kind: str, names: Mapping[str, Collection[str]]) -> list[str]:
    """Describes the similar names of files, pair by pair.

    Args:
        kind: What the names are of, in the plural, such as "systems".
        names: Maps each file to its names.
    """
    files = list(names)
    found = {
        f"{quoted(one)} in {first} and {quoted(other)} in {second}": None
        for index, first in enumerate(files)
        for second in files[index + 1 :]
        for one, other in similar_pairs(names[first], names[second])
    }
    if not found:
        return []
    shown = "; ".join([*list(found)[:MAX_SHOWN], *(["…"] if len(found) > MAX_SHOWN else [])])
    return [f"these names of {kind} differ only in case or spaces, and count as different {kind}: {shown}"]


def quoted(name: str) -> str:
    """Quotes a name; one with characters that are not visible, or not as they seem, is escaped.

    >>> quoted("sys1 "), quoted("猫"), quoted("sys\\u200b1")
    ("'sys1 '", "'猫'", "'sys\\\\u200b1'")
    """
    from unicodedata import category, normalize

    is_plain = normalize("NFKC", name) == name and not any(category(character) == "Cf" for character in name)
    return f"'{name}'" if is_plain else ascii(name)


def _folded(name: str) -> str:
    if name.isascii():
        return "".join(name.split()).lower()
    from unicodedata import category, normalize

    visible = "".join(character for character in normalize("NFKC", name) if category(character) != "Cf")
    return "".join(visible.split()).casefold()
