"""The metrics ``samsa`` and ``samsa-abl``: how well the sentences of a simplification keep the scenes of its source."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Sequence, Set
from typing import Any, ClassVar, Literal

from overrides import overrides

from metrics_framework.alignment.aligner import load_aligner
from metrics_framework.common.errors import UsageError
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.texts import Text, as_string
from metrics_framework.metrics.base.metric import Metric
from metrics_framework.metrics.base.shapes import SourceBasedMetric
from metrics_framework.text.sentences import (
    SplitterName,
    resolve_splitter,
    sentence_splitter,
    sentences_of,
    splitter_signature,
)
from metrics_framework.text.tokenizers.tokenizer import TokenizerName, load_tokenizer
from metrics_framework.ucca.passage import letters
from metrics_framework.ucca.passage_files import PassageFiles, PassageParser, Passages
from metrics_framework.ucca.published_scenes import published_scenes_of
from metrics_framework.ucca.scenes import Scene, Scenes, Words, scenes_of

Mode = Literal["definition", "published"]
Pairs = Sequence[tuple[int, int]]

NO_SCENES = Scenes((), ())
NOTHING_TO_FIND = 0.5


class _ScenesInSentences(SourceBasedMetric):
    """Scores how much of each scene of the source stands in one sentence of the summary.

    Args:
        passages: Files of UCCA passages in the standard XML format, and folders of such files; a passage belongs to the
            source whose words it has.
        parser: A command that reads a source from standard input and writes its passage to standard output; it is run
            once for each source, in place of ``passages``.
        mode: Whether to follow the definition, or to depart from it as the published program is said to.
        aligner: The word aligner, by name, or as ``name:option=value``.
        splitter: What cuts a summary into sentences; one that is a list of several sentences is not cut.
        tokenizer: What cuts a sentence of the summary into words.

    Raises:
        UnknownNameError: if there is no mode, aligner, splitter or tokenizer of that name.
        UsageError: if both ``passages`` and ``parser`` are given, or neither when the first source is scored.
        DataError: if a source has no passage, or a passage is not as it must be.
        ProcessError: if the parser fails.
        MissingExtraError: if the splitter or the tokenizer needs a package that is not installed.
    """

    score_range: ClassVar[tuple[float | None, float | None]] = (0, 100)
    citation: ClassVar[str] = """@inproceedings{sulem-etal-2018-semantic,
    title = "Semantic Structural Evaluation for Text Simplification",
    author = "Sulem, Elior and Abend, Omri and Rappoport, Ari",
    booktitle = "Proceedings of the 2018 Conference of the North {A}merican Chapter of the Association for Computational
        Linguistics: Human Language Technologies, Volume 1 (Long Papers)",
    year = "2018",
    address = "New Orleans, Louisiana",
    publisher = "Association for Computational Linguistics",
    url = "https://aclanthology.org/N18-1063",
    doi = "10.18653/v1/N18-1063",
    pages = "685--696",
}"""

    def __init__(
        self,
        passages: Sequence[str] | None = None,
        parser: str | None = None,
        mode: Mode = "definition",
        aligner: str = "stems",
        splitter: SplitterName = "auto",
        tokenizer: TokenizerName = "13a",
    ) -> None:
        super().__init__()
        if passages is not None and parser is not None:
            raise UsageError(
                "'passages' and 'parser' cannot be given together: the one reads passages, the other makes them"
            )
        self.mode = mode
        self.tokenizer = tokenizer
        self.splitter = resolve_splitter(splitter)
        self._tokenize = load_tokenizer(tokenizer).tokenize
        self._aligner = load_aligner(aligner)
        self._passages = _passages(passages, parser)
        self._known: dict[str, Scenes] = {"": NO_SCENES}

    @overrides
    def signature_options(self) -> dict[str, Any]:
        kinds = {PassageFiles: "files", PassageParser: "parser", type(None): "none"}
        return {
            "mode": self.mode,
            "ucca": kinds[type(self._passages)],
            "align": self._aligner.signature(),
            "split": splitter_signature(self.splitter),
            "tok": self.tokenizer,
        }

    @overrides
    def score_multi_all(
        self, summaries_list: Sequence[Sequence[Text]], sources: Sequence[Text]
    ) -> list[list[MetricsDict]]:
        scenes_list = self._scenes_of_all([as_string(source) for source in sources])
        return [
            [MetricsDict({self.name: 100 * self._score(scenes, summary)}) for summary in summaries]
            for scenes, summaries in zip(scenes_list, summaries_list, strict=True)
        ]

    def _scenes_of_all(self, sources: Sequence[str]) -> list[Scenes]:
        keys = [letters(source) for source in sources]
        wanted: dict[str, str] = {}
        for key, source in zip(keys, sources, strict=True):
            if key not in self._known:
                wanted.setdefault(key, source)
        if wanted:
            self._known.update(zip(wanted, self._find_scenes(list(wanted.values())), strict=True))
        return [self._known[key] for key in keys]

    def _find_scenes(self, sources: Sequence[str]) -> list[Scenes]:
        if self._passages is None:
            raise UsageError(
                f"'{self.name}' needs the UCCA passages of the sources: give 'passages' (files or folders of standard "
                f"XML), or 'parser' (a command that makes them)"
            )
        find = published_scenes_of if self.mode == "published" else scenes_of
        return [find(passage) for passage in self._passages.passages_of(sources)]

    def _score(self, scenes: Scenes, summary: Text) -> float:
        split = sentence_splitter(self.splitter)
        sentences = [words for one in sentences_of(summary, split) if (words := self._tokenize(one).split())]
        if len(scenes.scenes) < max(1, len(sentences)):
            return 0.0
        pairs_list = [self._aligner.align(scenes.words, words) for words in sentences]
        return self._weight(len(scenes.scenes), len(sentences)) * share_found(scenes, pairs_list)

    @abstractmethod
    def _weight(self, scenes: int, sentences: int) -> float:
        """Returns what the mean over the scenes is multiplied by."""


@Metric.register("samsa")
class Samsa(_ScenesInSentences):
    """Scores how well every scene of the source stands in a sentence of its own: SAMSA.

    SAMSA = 100 · m / n² · Σ v. The source has n scenes, the summary m sentences; with more sentences than scenes, or
    without scenes, it is 0. Each scene in its turn takes the sentence to whose words most of its own are aligned, the
    first of equals; where n = m a sentence serves once. A scene is worth v = ½ · s(centre of its main relation) + ½ ·
    mean over its participants of s(centre of the participant); s is 1 if all words of the centre are aligned to that
    sentence, ½ if it has no words, else 0; without participants the mean is ½.

    Meaning and fluency are not looked at beyond that; references are not needed. The scenes come from UCCA passages of
    the sources, one for each. The mode ``published`` departs from that in four ways, as the published program is said
    to: only the last centre is followed down; of a main relation only the last centre counts; a scene with two main
    relations shifts those of the scenes after it; of the centres of a participant all words of the first count, and of
    the others their first words.

    Range: 0 to 100. The score of all outputs is the mean.

    Source: Sulem, Abend and Rappoport (NAACL 2018); mode ``published``: descriptions of what their program does
    otherwise, not the program itself.

    >>> from metrics_framework.testing.flat_passage import COMMAND  # a text is one scene, its first word the process
    >>> Samsa(parser=COMMAND, splitter="none").score("Birds sing songs .", "Birds sing sad songs .")
    {'samsa': 83.33333333333333}
    """

    @overrides
    def _weight(self, scenes: int, sentences: int) -> float:
        return sentences / scenes


@Metric.register("samsa-abl")
class SamsaAbl(_ScenesInSentences):
    """Scores how well every scene of the source stands in a sentence: SAMSA without its penalty.

    SAMSA_abl = 100 · Σ v / n, with n and v as ``samsa`` has them; 0 with more sentences than scenes, or without scenes.
    A summary that leaves all scenes in one sentence loses nothing by it. What has no words is ½ whatever the summary:
    an empty one is not worth 0 where a scene has an implicit main relation or participant, or no participants.

    Range: 0 to 100, never below ``samsa``. The score of all outputs is the mean.

    Source: Sulem, Abend and Rappoport (NAACL 2018); mode ``published``: descriptions of what their program does
    otherwise, not the program itself.

    >>> from metrics_framework.testing.flat_passage import COMMAND  # a text is one scene, its first word the process
    >>> SamsaAbl(parser=COMMAND, splitter="none").score("Birds sing songs .", "Birds sing sad songs .")
    {'samsa-abl': 83.33333333333333}
    """

    @overrides
    def _weight(self, scenes: int, sentences: int) -> float:
        return 1.0


# ---- from scenes and alignments to a score ---------------------------------------------------------------------------


def share_found(scenes: Scenes, pairs_list: Sequence[Pairs]) -> float:
    """Returns what the scenes of a source are worth on average, from 0 to 1.

    Args:
        scenes: The scenes, at least one.
        pairs_list: For each sentence of the summary the places of aligned words, in the source and in the sentence; not
            more sentences than scenes.
    """
    once = len(pairs_list) == len(scenes.scenes)
    free = set(range(len(pairs_list)))
    total = 0.0
    for scene in scenes.scenes:
        sentence = _best_sentence(scene, pairs_list, free)
        aligned = set() if sentence is None else {place for place, _ in pairs_list[sentence]} & scene.words
        if once:
            free.discard(sentence)
        total += _worth(scene, aligned)
    return total / len(scenes.scenes)


def _best_sentence(scene: Scene, pairs_list: Sequence[Pairs], free: Collection[int]) -> int | None:
    """Returns the free sentence with most pairs of words aligned to a scene, the first of equals; none without any."""
    counts = {
        sentence: sum(place in scene.words for place, _ in pairs)
        for sentence, pairs in enumerate(pairs_list)
        if sentence in free
    }
    best = max(counts, key=counts.__getitem__, default=None)
    return best if best is not None and counts[best] else None


def _worth(scene: Scene, aligned: Set[int]) -> float:
    participants = [_found(one, aligned) for one in scene.participants] or [NOTHING_TO_FIND]
    return (_found(scene.main_relation, aligned) + sum(participants) / len(participants)) / 2


def _found(words: Words, aligned: Set[int]) -> float:
    return float(words <= aligned) if words else NOTHING_TO_FIND


def _passages(files: Sequence[str] | None, command: str | None) -> Passages | None:
    if files is not None:
        return PassageFiles([files] if isinstance(files, str) else files)
    return None if command is None else PassageParser(command)
