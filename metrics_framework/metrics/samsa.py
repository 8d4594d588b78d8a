"""SAMSA and SAMSA_abl: how well the sentences of a simplification preserve the scenes of its source."""

from __future__ import annotations

from collections.abc import Collection, Sequence, Set
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from metrics_framework.alignment.aligner import load_aligner
from metrics_framework.common.errors import UsageError
from metrics_framework.common.overriding import overrides
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.sums import plain_sum
from metrics_framework.data.texts import Text, TextGroups, as_string
from metrics_framework.metrics.base.metric import Metric
from metrics_framework.metrics.base.requirements import SENTENCE_SPLITTER
from metrics_framework.metrics.base.shapes import SourceBasedMetric
from metrics_framework.text.sentences import (
    SplitterName,
    resolve_splitter,
    sentence_splitter,
    sentences_of,
    splitter_signature,
)
from metrics_framework.text.tokenizers.tokenizer import TokenizerName, load_tokenizer, tokenizer_signature
from metrics_framework.ucca.passage import letters
from metrics_framework.ucca.passage_files import PassageFiles, PassageParser, Passages
from metrics_framework.ucca.scenes import Scene, Scenes, Words, published_scenes_of, scenes_of

Mode = Literal["definition", "published"]
Pairs = Sequence[tuple[int, int]]

NO_SCENES = Scenes((), ())
SCORE_WITHOUT_WORDS = 0.5  # of a scene element that is implicit or missing


@dataclass(eq=False, repr=False)
class _SceneMetric(SourceBasedMetric):
    """Base of SAMSA and SAMSA_abl: how much of each scene of the source is in one sentence of the summary.

    Args:
        passages: UCCA passages of the sources: files in standard XML or folders of such files. A passage belongs to the
            source with the same words.
        parser: A command that reads a source from standard input and writes its UCCA passage to standard output; it
            runs once per source. An alternative to ``passages``.
        mode: Whether to follow the paper's definition or the reported behaviour of the published program.
        aligner: The word aligner: a name or ``name:option=value``.
        splitter: The sentence splitter for summaries; a list of several sentences is not split further.
        tokenizer: The tokenizer for the sentences of summaries.

    Raises:
        UnknownNameError: if the mode, the aligner, the splitter or the tokenizer is unknown.
        UsageError: if both ``passages`` and ``parser`` are given, or neither when the first source is scored.
        DataError: if a source has no passage or a passage is malformed.
        ProcessError: if the parser fails.
        MissingExtraError: if the splitter or the tokenizer requires a package that is not installed.
    """

    rewards_splits: ClassVar[bool] = True
    requirements = (SENTENCE_SPLITTER,)
    score_range = (0, 100)
    example_flags = "--passages passages"
    spaceless_options = {"zh": "tokenizer=zh", "": "tokenizer=char"}
    citation = "sulem-etal-2018-semantic"

    passages: Sequence[str] | None = None
    parser: str | None = None
    mode: Mode = "definition"
    aligner: str = "stems"
    splitter: SplitterName = "auto"
    tokenizer: TokenizerName = "13a"

    def __post_init__(self) -> None:
        if self.passages is not None and self.parser is not None:
            raise UsageError(
                "'passages' and 'parser' are mutually exclusive: use files of passages or a parser command"
            )
        self.splitter = resolve_splitter(self.splitter)
        loaded = load_tokenizer(self.tokenizer)
        self._tokenize = loaded.tokenize
        self.splits_at_spaces = loaded.unit == "word"
        self._aligner = load_aligner(self.aligner)
        self._passages: Passages | None = None
        if self.passages is not None:
            self._passages = PassageFiles([self.passages] if isinstance(self.passages, str) else self.passages)
        elif self.parser is not None:
            self._passages = PassageParser(self.parser)
        self._scenes_by_source: dict[str, Scenes] = {"": NO_SCENES}

    @overrides
    def signature_options(self) -> dict[str, Any]:
        kinds = {PassageFiles: "files", PassageParser: "parser", type(None): "none"}
        return {
            "mode": self.mode,
            "ucca": kinds[type(self._passages)],
            "align": self._aligner.signature(),
            "split": splitter_signature(self.splitter),
            "tok": tokenizer_signature(self.tokenizer),
        }

    @overrides
    def files_read(self) -> list[str]:
        own = [] if self._passages is None else self._passages.files_read()
        return [*super().files_read(), *own, *self._aligner.files_read()]

    @overrides
    def score_multi_all(self, summaries_list: TextGroups, sources: Sequence[Text]) -> list[list[MetricsDict]]:
        scenes_list = self._scenes_of_all([as_string(source) for source in sources])
        return [
            [MetricsDict({self.name: 100 * self._score(scenes, summary)}) for summary in summaries]
            for scenes, summaries in zip(scenes_list, summaries_list, strict=True)
        ]

    def _scenes_of_all(self, sources: Sequence[str]) -> list[Scenes]:
        keys = [letters(source) for source in sources]
        missing: dict[str, str] = {}
        for key, source in zip(keys, sources, strict=True):
            if key not in self._scenes_by_source:
                missing.setdefault(key, source)
        if missing and self._passages is None:
            raise UsageError(
                f"'{self.name}' requires UCCA passages of the sources: set 'passages' (files or folders of standard "
                f"XML) or 'parser' (a command that parses sources)"
            )
        if missing and self._passages is not None:
            find = published_scenes_of if self.mode == "published" else scenes_of
            scenes = map(find, self._passages.passages_of(list(missing.values())))
            self._scenes_by_source.update(zip(missing, scenes, strict=True))
        return [self._scenes_by_source[key] for key in keys]

    def _score(self, scenes: Scenes, summary: Text) -> float:
        split = sentence_splitter(self.splitter)
        sentences = [words for text in sentences_of(summary, split) if (words := self._tokenize(text).split())]
        if len(scenes.scenes) < max(1, len(sentences)):
            return 0.0
        pairs_list = [self._aligner.align(scenes.words, words) for words in sentences]
        weight = len(sentences) / len(scenes.scenes) if self.rewards_splits else 1.0
        return weight * share_found(scenes, pairs_list)


@Metric.register("samsa")
class Samsa(_SceneMetric):
    """SAMSA: how well a simplification preserves each UCCA scene of its source in a separate sentence.

    SAMSA = 100 · m / n² · Σ v for n scenes of the source and m sentences of the summary; 0 if there are no scenes, or
    more sentences than scenes. Each scene in turn is assigned the sentence with the most words aligned to the scene,
    the first if there are several; if n = m, each sentence is assigned at most once. The score of a scene is v = ½ ·
    s(centre of its main relation) + ½ · mean of s(centre) over its participants, where s is 1 if all words of the
    centre are aligned to the assigned sentence, ½ if the centre has no words, else 0. Without participants, the mean is
    ½.

    SAMSA requires no references, and measures neither fluency nor other aspects of meaning preservation. The scenes
    come from UCCA passages, one per source. With ``mode`` set to ``published``, four details follow reports on the
    published program: only the last centre is followed at each step down; only the last centre of a main relation
    counts; a scene with two main relations shifts the main relations of all later scenes; of a participant with several
    centres, all words of the first centre and the first word of each other centre count.

    Range: 0 to 100, higher is better. The score of a system is the mean over its outputs.

    Source: Sulem, Abend and Rappoport (NAACL 2018). The mode ``published`` is based on descriptions of their program,
    not on the program itself.

    >>> from metrics_framework.testing.flat_passage import COMMAND  # one scene per text, its first word the process
    >>> Samsa(parser=COMMAND, splitter="none").score("Birds sing songs .", "Birds sing sad songs .")
    {'samsa': 83.33333333333333}
    """


@Metric.register("samsa-abl")
class SamsaAbl(_SceneMetric):
    """SAMSA without the non-splitting penalty: several scenes may share a sentence of the summary.

    SAMSA_abl = 100 · Σ v / n, with n and v as in ``samsa``; 0 if there are no scenes, or more sentences than scenes. A
    summary that keeps all scenes in one sentence is not penalized. Elements without words score ½ for any summary, so
    an empty summary scores above 0 if a scene has an implicit main relation, an implicit participant or no
    participants.

    Range: 0 to 100, never below ``samsa``; higher is better. The score of a system is the mean over its outputs.

    Source: Sulem, Abend and Rappoport (NAACL 2018). The mode ``published`` is based on descriptions of their program,
    not on the program itself.

    >>> from metrics_framework.testing.flat_passage import COMMAND  # one scene per text, its first word the process
    >>> SamsaAbl(parser=COMMAND, splitter="none").score("Birds sing songs .", "Birds sing sad songs .")
    {'samsa-abl': 83.33333333333333}
    """

    rewards_splits = False


# ---- scores of scenes, given word alignments -------------------------------------------------------------------------


def share_found(scenes: Scenes, pairs_list: Sequence[Pairs]) -> float:
    """Returns the mean score of the scenes of a source, from 0 to 1.

    Args:
        scenes: The scenes, at least one.
        pairs_list: For each sentence of the summary, the pairs of indices of aligned words in the source and in the
            sentence. There must not be more sentences than scenes.
    """
    is_assigned_once = len(pairs_list) == len(scenes.scenes)
    free = set(range(len(pairs_list)))
    total = 0.0
    for scene in scenes.scenes:
        sentence = _best_sentence(scene, pairs_list, free)
        aligned = set() if sentence is None else {index for index, _ in pairs_list[sentence]} & scene.words
        if is_assigned_once:
            free.discard(sentence)
        participants = [_preserved(words, aligned) for words in scene.participants] or [SCORE_WITHOUT_WORDS]
        total += (_preserved(scene.main_relation, aligned) + plain_sum(participants) / len(participants)) / 2
    return total / len(scenes.scenes)


def _best_sentence(scene: Scene, pairs_list: Sequence[Pairs], free: Collection[int]) -> int | None:
    """Returns the free sentence with the most words aligned to a scene, the first on ties; `None` without any."""
    counts = {
        sentence: sum(index in scene.words for index, _ in pairs)
        for sentence, pairs in enumerate(pairs_list)
        if sentence in free
    }
    best = max(counts, key=counts.__getitem__, default=None)
    return best if best is not None and counts[best] else None


def _preserved(words: Words, aligned: Set[int]) -> float:
    return float(words <= aligned) if words else SCORE_WITHOUT_WORDS
