"""The scenes of a passage as described for the published program of SAMSA: the mode ``published``.

Scenes, main relations, participants and centres are those of `metrics_framework.ucca.scenes`, with four differences:

1. The descent to the centre of a unit continues only from the last centre of each step; the centres of the last step
   that has any are the result.
2. Only the last centre of a main relation counts.
3. All main relations are in one list, and the i-th scene is compared with the i-th entry: a scene with two main
   relations shifts the entries of all scenes after it. Remaining entries are unused.
4. For a participant with several centres, all words of the first centre count, and the first word of each other centre.

The mode makes no other claim about the program.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from metrics_framework.ucca.passage import Passage, Unit
from metrics_framework.ucca.scenes import CENTRE, MAIN, PARALLEL, PARTICIPANT, Scene, Scenes, Words, scene_units


def published_scenes_of(passage: Passage) -> Scenes:
    """Returns the scenes of a passage with the four differences."""
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


def _centres_of(passage: Passage, participant: Unit) -> Sequence[Unit]:
    """Returns the centres of a participant, of its main relations or of the main relations of its scenes, or itself."""
    if centres := passage.children(participant, CENTRE):
        return _last_step(passage, centres, (*CENTRE, *MAIN))
    if relations := passage.children(participant, MAIN):
        return _last_step(passage, relations, CENTRE)
    scenes = passage.children(participant, PARALLEL)
    relations = [relation for scene in scenes for relation in passage.children(scene, MAIN)]
    return [_last_step(passage, [relation], CENTRE)[0] for relation in relations] or [participant]


def _words_that_count(passage: Passage, participant: Unit) -> Words:
    first, *others = (passage.word_indices(centre) for centre in _centres_of(passage, participant))
    return first.union(min(words) for words in others if words)
