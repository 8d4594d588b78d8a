"""The scenes of a passage and their most important words, as defined for SAMSA.

A scene is a unit with a process (``P``) or a state (``S``), its main relation; its participants are its children with
the tag ``A``. The centre of a unit is reached by following edges with the tag ``C`` as long as there are any. Remote
edges count like other edges.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from metrics_framework.ucca.passage import UNIT, Passage, Unit

MAIN = ("P", "S")
CENTRE = ("C",)
PARTICIPANT = ("A",)
PARALLEL = ("H",)

Words = frozenset[int]
"""Words, by their indices in the text."""
Follow = Callable[[Passage, Sequence[Unit], Collection[str]], Sequence[Unit]]
"""Follows edges with some tags from units, and returns the last units."""


@dataclass(frozen=True)
class Scene:
    """A scene.

    Args:
        words: All its words, without punctuation.
        main_relation: The words of the centre of its main relation; none if it is implicit.
        participants: The words of the centre of each participant.
    """

    words: Words
    main_relation: Words
    participants: tuple[Words, ...]


@dataclass(frozen=True)
class Scenes:
    """The scenes of a passage.

    Args:
        words: The words and punctuation marks of the text.
        scenes: The scenes, in the order of the passage.
    """

    words: Sequence[str]
    scenes: Sequence[Scene]


def scene_units(passage: Passage) -> list[Unit]:
    """Returns the units of a passage that are scenes, sorted by their ids."""
    return [unit for unit in passage.units if unit.kind == UNIT and passage.children(unit, MAIN)]


def scenes_of(passage: Passage) -> Scenes:
    """Returns the scenes of a passage."""
    scenes = [
        Scene(
            passage.word_indices(unit),
            _words(passage, _innermost(passage, passage.children(unit, MAIN), CENTRE)),
            tuple(
                _words(passage, _centres_of(passage, participant, _innermost))
                for participant in passage.children(unit, PARTICIPANT)
            ),
        )
        for unit in scene_units(passage)
    ]
    return Scenes(passage.words, scenes)


def _centres_of(passage: Passage, participant: Unit, follow: Follow) -> Sequence[Unit]:
    """Returns the centres of a participant, which count as one unit.

    If the participant has centres, these, down to the innermost ones; for a centre that is a scene, its main relation.
    If it is a scene, the centres of its main relation. If it has parallel scenes (``H``), the first centre of each main
    relation of each scene. Otherwise the participant itself.
    """
    if centres := passage.children(participant, CENTRE):
        return follow(passage, centres, (*CENTRE, *MAIN))
    if relations := passage.children(participant, MAIN):
        return follow(passage, relations, CENTRE)
    scenes = passage.children(participant, PARALLEL)
    relations = [relation for scene in scenes for relation in passage.children(scene, MAIN)]
    return [follow(passage, [relation], CENTRE)[0] for relation in relations] or [participant]


def _innermost(passage: Passage, units: Sequence[Unit], tags: Collection[str]) -> list[Unit]:
    """Follows edges with these tags and returns the units without such edges, in order and without duplicates."""
    found, seen, waiting = [], set(), list(reversed(units))
    while waiting:
        unit = waiting.pop()
        if unit.name in seen:
            continue
        seen.add(unit.name)
        below = passage.children(unit, tags)
        if not below:
            found.append(unit)
        waiting.extend(reversed(below))
    return found


def _words(passage: Passage, units: Iterable[Unit]) -> Words:
    return frozenset(index for unit in units for index in passage.word_indices(unit))


def published_scenes_of(passage: Passage) -> Scenes:
    """Returns the scenes of a passage as described for the published program of SAMSA: the mode ``published``.

    Scenes, main relations, participants and centres are those of `scenes_of`, with four differences:

    1. The descent to the centre of a unit continues only from the last centre of each step; the centres of the last
       step that has any are the result.
    2. Only the last centre of a main relation counts.
    3. All main relations are in one list, and the i-th scene is compared with the i-th entry: a scene with two main
       relations shifts the entries of all scenes after it. Remaining entries are unused.
    4. For a participant with several centres, all words of the first centre count, and the first word of each other
       centre.

    The mode makes no other claim about the program.
    """
    units = scene_units(passage)
    relations = [relation for unit in units for relation in dict.fromkeys(passage.children(unit, MAIN))]
    scenes = [
        Scene(
            passage.word_indices(unit),
            passage.word_indices(_last_step(passage, [relation], CENTRE)[-1]),
            tuple(_words_that_count(passage, participant) for participant in passage.children(unit, PARTICIPANT)),
        )
        for unit, relation in zip(units, relations, strict=False)  # each scene has at least one relation
    ]
    return Scenes(passage.words, scenes)


def _last_step(passage: Passage, units: Sequence[Unit], tags: Collection[str]) -> Sequence[Unit]:
    """Follows edges with these tags, each time from the last unit only, and returns the units of the last step."""
    while below := passage.children(units[-1], tags):
        units = below
    return units


def _words_that_count(passage: Passage, participant: Unit) -> Words:
    first, *others = (passage.word_indices(centre) for centre in _centres_of(passage, participant, _last_step))
    return first.union(min(words) for words in others if words)
