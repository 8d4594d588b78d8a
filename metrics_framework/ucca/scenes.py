"""The scenes of a passage, and in each the words that matter most: by the definitions of SAMSA.

A scene is a unit with a process (``P``) or a state (``S``), its main relation; its participants (``A``) take part. The
centre of a unit is what is left of it when everything that only adds to it is gone: one goes down edges of the tag
``C`` as long as there are any. Remote edges count as the others do.
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
"""Words, by their places in the text."""


@dataclass(frozen=True)
class Scene:
    """A scene, and what must be found of it.

    Args:
        places: All its words, without punctuation.
        main_relation: The words that are the centre of its main relation; none if it is implicit.
        participants: For each participant the words that are its centre.
    """

    places: Words
    main_relation: Words
    participants: tuple[Words, ...]


@dataclass(frozen=True)
class Scenes:
    """The scenes of a passage.

    Args:
        words: The words and marks of the text.
        scenes: The scenes in the order of the passage.
    """

    words: Sequence[str]
    scenes: Sequence[Scene]


def scene_units(passage: Passage) -> list[Unit]:
    """Returns the units of a passage that are scenes, in the order of their ids."""
    return [unit for unit in passage.units if unit.kind == UNIT and passage.children(unit, MAIN)]


def scenes_of(passage: Passage) -> Scenes:
    """Finds the scenes of a passage."""
    scenes = [
        Scene(
            passage.places_below(unit),
            _words(passage, _innermost(passage, passage.children(unit, MAIN), CENTRE)),
            tuple(_words(passage, _centres_of(passage, one)) for one in passage.children(unit, PARTICIPANT)),
        )
        for unit in scene_units(passage)
    ]
    return Scenes(passage.words, scenes)


def _centres_of(passage: Passage, participant: Unit) -> list[Unit]:
    """Returns the centres of a participant, which together are one unit.

    With centres of its own these, down to the innermost, and where one is a scene its main relation. Of a scene the
    centres of its main relation. Of several scenes side by side (``H``) the first centre of each main relation of each.
    Else the participant itself.
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
    """Goes down from units along edges of these tags and returns the units that have none, each once, in order."""
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
    return frozenset(place for unit in units for place in passage.places_below(unit))
