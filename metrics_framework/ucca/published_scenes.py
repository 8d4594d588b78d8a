"""The scenes of a passage as the published program of SAMSA is described to find them: the mode ``published``.

Scenes, main relations, participants and centres are those of `metrics_framework.ucca.scenes`, but for four departures:

1. On the way down to the centre of a unit, only the last of the centres of a step leads on; those of the last step that
   has any are the centres.
2. Of the centres of a main relation only the last one's words count.
3. Main relations stand in one list, one entry for each main relation of each scene, and the i-th scene is compared with
   the i-th entry: a scene with two main relations shifts those of all scenes after it. Entries left over are not used.
4. Of a participant with several centres all words of the first count, and of each other one only its first word.

Nothing is claimed of the program beyond these four.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from metrics_framework.ucca.passage import Passage, Unit
from metrics_framework.ucca.scenes import CENTRE, MAIN, PARALLEL, PARTICIPANT, Scene, Scenes, Words, scene_units


def published_scenes_of(passage: Passage) -> Scenes:
    """Finds the scenes of a passage with the four departures."""
    units = scene_units(passage)
    relations = [relation for unit in units for relation in dict.fromkeys(passage.children(unit, MAIN))]
    scenes = [
        Scene(
            passage.places_below(unit),
            passage.places_below(_last_step(passage, [relation], CENTRE)[-1]),
            tuple(_words_that_count(passage, one) for one in passage.children(unit, PARTICIPANT)),
        )
        for unit, relation in zip(units, relations, strict=False)  # a scene has at least one
    ]
    return Scenes(passage.words, scenes)


def _last_step(passage: Passage, units: Sequence[Unit], tags: Collection[str]) -> Sequence[Unit]:
    """Goes down along edges of these tags, each time from the last unit alone, and returns where that ends."""
    while below := passage.children(units[-1], tags):
        units = below
    return units


def _centres_of(passage: Passage, participant: Unit) -> Sequence[Unit]:
    """Returns its own centres, or those of its main relations, or one for each of its scenes' relations, or itself."""
    if centres := passage.children(participant, CENTRE):
        return _last_step(passage, centres, (*CENTRE, *MAIN))
    if relations := passage.children(participant, MAIN):
        return _last_step(passage, relations, CENTRE)
    scenes = passage.children(participant, PARALLEL)
    relations = [relation for scene in scenes for relation in passage.children(scene, MAIN)]
    return [_last_step(passage, [relation], CENTRE)[0] for relation in relations] or [participant]


def _words_that_count(passage: Passage, participant: Unit) -> Words:
    first, *others = (passage.places_below(centre) for centre in _centres_of(passage, participant))
    return first.union(min(places) for places in others if places)
