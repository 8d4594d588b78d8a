"""The scenes of a passage and their most important words, as defined for SAMSA.

A scene is a unit with a process (``P``) or a state (``S``), its main relation; its participants are its children with
the tag ``A``. The centre of a unit is reached by following edges with the tag ``C`` as long as there are any. Remote
edges count like other edges.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from metrics_framework.ucca.passage import UNIT, Passage, Unit

MAIN = ("P", "S")
CENTRE = ("C",)
PARTICIPANT = ("A",)
PARALLEL = ("H",)

Words = frozenset[int]
"""Words, by their indices in the text."""


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
                _words(passage, _centres_of(passage, participant))
                for participant in passage.children(unit, PARTICIPANT)
            ),
        )
        for unit in scene_units(passage)
    ]
    return Scenes(passage.words, scenes)


def _centres_of(passage: Passage, participant: Unit) -> list[Unit]:
    """Returns the centres of a participant, which count as one unit.

    If the participant has centres, these, down to the innermost ones; for a centre that is a scene, its main relation.
    If it is a scene, the centres of its main relation. If it has parallel scenes (``H``), the first centre of each main
    relation of each scene. Otherwise the participant itself.
    """
    centres = passage.children(participant, CENTRE)
    if centres:
        return _innermost(passage, centres, (*CENTRE, *MAIN))
    relations = passage.children(participant, MAIN)
    if relations:
        return _innermost(passage, relations, CENTRE)
    scenes = passage.children(participant, PARALLEL)
    relations = [relation for scene in scenes for relation in passage.children(scene, MAIN)]
    return [_innermost(passage, [relation], CENTRE)[0] for relation in relations] or [participant]


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
