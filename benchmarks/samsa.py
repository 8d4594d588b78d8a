"""Times SAMSA by its parts, and what it saves to find the scenes of a source once.

Run it with ``python benchmarks/samsa.py``. The passages are made of the sources of a test set: every eight words are a
scene, with a process and participants that have centres. Printed is what each part costs, as a multiple of what scoring
the outputs of one system costs when the passages are known, as the median and the range over repetitions in turns::

    passages      reading the files of all sources
    scenes        finding the scenes of all passages, by the definition
    published     the same in the mode published
    sentences     cutting the outputs of one system into sentences, with the splitter named
    words         cutting those into words
    alignments    aligning the words of each source to those of each sentence
    one system    scoring the outputs of one system, the passages known
    from files    the same, and reading the passages and finding the scenes
    all systems   scoring the outputs of all systems, from files: passages and scenes are worked out once a source

Before, the scores of outputs together and one by one are compared. The text is TurkCorpus below ``FW_SHARED``; where
that is absent, text of the same shape is generated.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Callable, Iterator
from xml.sax.saxutils import quoteattr

from corpora import texts
from timing import in_turns, ratios, spread
from turkcorpus import TurkCorpus

from metrics_framework import load
from metrics_framework.alignment.aligner import load_aligner
from metrics_framework.text.sentences import sentence_splitter
from metrics_framework.text.tokenizers.tokenizer import load_tokenizer
from metrics_framework.ucca.passage import read_passage
from metrics_framework.ucca.scenes import published_scenes_of, scenes_of

tokenize_13a = load_tokenizer("13a").tokenize

REPETITIONS = 7
SPLITTER = "pysbd"
SCENE = 8  # words
TERMINAL = '<edge toID="0.{}" type="Terminal"><attributes/></edge>'
EDGE = '<edge toID="1.{}" type="{}"><attributes/></edge>'
Tasks = dict[str, Callable[[], object]]


def passage_of(text: str) -> str:
    """Returns a passage with a scene for every eight words: the third is the process, the others are participants."""
    words = tokenize_13a(text).split()
    terminals = [
        f'<node ID="0.{place}" type="Word"><attributes text={quoteattr(word)}/></node>'
        for place, word in enumerate(words, 1)
    ]
    units: list[str] = []
    tops = [scene(units, range(start, min(start + SCENE, len(words)))) for start in range(0, len(words), SCENE)]
    root = "".join(EDGE.format(top, "H") for top in tops)
    layers = (terminals, [f'<node ID="1.1" type="FN"><attributes/>{root}</node>', *units])
    parts = [f'<layer layerID="{layer}"><attributes/>{"".join(nodes)}</layer>' for layer, nodes in enumerate(layers)]
    return f'<root passageID="1" annotationID="0"><attributes/>{"".join(parts)}</root>'


def scene(units: list[str], places: range) -> int:
    """Adds the units of a scene, and returns the number of the uppermost."""
    parts = [("A", places[:2]), ("P", places[2:3]), ("A", places[3:])]
    return unit(units, [EDGE.format(participant(units, part), tag) for tag, part in parts if part])


def participant(units: list[str], places: range) -> int:
    """Adds the units of a participant whose centre is its last word."""
    tags = ["E"] * (len(places) - 1) + ["C"]
    below = [unit(units, [TERMINAL.format(place + 1)]) for place in places]
    return unit(units, [EDGE.format(number, tag) for number, tag in zip(below, tags, strict=True)])


def unit(units: list[str], edges: list[str]) -> int:
    """Adds one unit, and returns its number."""
    number = len(units) + 2
    units.append(f'<node ID="1.{number}" type="FN"><attributes/>{"".join(edges)}</node>')
    return number


def written(test_set: TurkCorpus, folder: str) -> list[str]:
    """Writes the passages of all sources, and returns the files."""
    paths = [os.path.join(folder, f"{place}.xml") for place in range(len(test_set.sources))]
    for path, source in zip(paths, test_set.sources, strict=True):
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(passage_of(source))
    return paths


def check(test_set: TurkCorpus, folder: str) -> None:
    """Ends the program when outputs score otherwise together than one by one."""
    together, alone = (load("samsa", passages=[folder], splitter=SPLITTER) for _ in range(2))
    for outputs in test_set.outputs.values():
        scores = together.score_all(outputs, test_set.sources)
        if scores != [alone.score(*row) for row in zip(outputs, test_set.sources, strict=True)]:
            raise SystemExit("outputs together and one by one differ")


def parts(test_set: TurkCorpus, paths: list[str]) -> Iterator[tuple[str, Callable[[], object]]]:
    """Gives what SAMSA does, part by part."""
    passages = [read_passage(path) for path in paths]
    split, aligner = sentence_splitter(SPLITTER), load_aligner("stems")  # type: ignore[arg-type]
    outputs = next(iter(test_set.outputs.values()))
    sentences = [split(output) for output in outputs]
    pairs = [
        (passage.words, tokenize_13a(sentence).split())
        for passage, group in zip(passages, sentences, strict=True)
        for sentence in group
    ]
    yield "passages", lambda: [read_passage(path) for path in paths]
    yield "scenes", lambda: [scenes_of(passage) for passage in passages]
    yield "published", lambda: [published_scenes_of(passage) for passage in passages]
    yield "sentences", lambda: [split(output) for output in outputs]
    yield (
        "words",
        lambda: [tokenize_13a(sentence).split() for group in sentences for sentence in group],
    )
    yield "alignments", lambda: [aligner.align(*pair) for pair in pairs]


def wholes(test_set: TurkCorpus, folder: str) -> Tasks:
    """Returns the scoring of one system and of all."""
    known = load("samsa", passages=[folder], splitter=SPLITTER)
    systems = list(test_set.outputs.values())
    groups = [list(row) for row in zip(*systems, strict=True)]

    def from_files(groups: list[list[str]]) -> object:
        return load("samsa", passages=[folder], splitter=SPLITTER).score_multi_all(groups, test_set.sources)

    known.score_all(systems[0], test_set.sources)
    return {
        "one system": lambda: known.score_all(systems[0], test_set.sources),
        "from files": lambda: from_files([[output] for output in systems[0]]),
        "all systems": lambda: from_files(groups),
    }


def main() -> None:
    """Runs the comparisons."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--repetitions", type=int, default=REPETITIONS, help="how often each is timed (%(default)s)")
    parser.add_argument("--sources", type=int, help="how many sources there are (all)")
    arguments = parser.parse_args()
    test_set, text = texts()
    test_set = TurkCorpus(
        test_set.sources[: arguments.sources],
        test_set.references_list[: arguments.sources],
        {name: outputs[: arguments.sources] for name, outputs in test_set.outputs.items()},
    )
    print(f"text: {text}; {len(test_set.sources)} sources, {len(test_set.outputs)} systems; splitter: {SPLITTER}\n")
    with tempfile.TemporaryDirectory() as folder:
        paths = written(test_set, folder)
        check(test_set, folder)
        tasks = {**dict(parts(test_set, paths)), **wholes(test_set, folder)}
        seconds = in_turns(tasks, arguments.repetitions)
    for name, values in seconds.items():
        print(f"  {name:12} {spread(ratios(values, seconds['one system']))}")


if __name__ == "__main__":
    main()
