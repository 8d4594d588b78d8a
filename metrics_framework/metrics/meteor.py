"""METEOR, as the published program computes it."""

from __future__ import annotations

import functools
import importlib.util
import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from metrics_framework.common.errors import MissingExtraError, ProgramError, UsageError
from metrics_framework.common.overriding import overrides
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.texts import Text, TextGroups, as_string, shown
from metrics_framework.io.child_process import ChildProcess
from metrics_framework.metrics.base.batch_scores import Statistics
from metrics_framework.metrics.base.metric import CorpusMetric, Metric
from metrics_framework.metrics.base.requirements import Package, Program
from metrics_framework.metrics.base.shapes import ReferenceBasedMetric

Language = Literal[
    "cz", "da", "de", "en", "es", "fi", "fr", "hu", "it", "nl", "no", "other", "pt", "ro", "ru", "se", "tr"
]
JAR = "meteor-1.5.jar"
STATISTICS = 23
PACKAGE = Package("pycocoevalcap", "meteor")
JAVA = Program("java", "install a Java runtime, version 8 or later, and put it on the search path")

_SEPARATORS = re.compile(r"[\r\n]+")
_LOCK = threading.Lock()


class Parameters(NamedTuple):
    """The tuned parameters of a language.

    Attributes:
        alpha: The weight of recall relative to precision.
        beta: The exponent of the fragmentation penalty.
        gamma: The greatest fragmentation penalty.
        delta: The weight of content words relative to function words.
        weights: The weight of each kind of match.
        has_paraphrases: Whether the last kind needs a table of paraphrases.
        is_normalized: Whether the program can tokenize texts of the language.
    """

    alpha: float
    beta: float
    gamma: float
    delta: float
    weights: Sequence[float]
    has_paraphrases: bool = True
    is_normalized: bool = True


_UNTUNED = Parameters(0.75, 1.4, 0.7, 0.5, (1.0, 0.5), False, False)
_PARAMETERS: dict[str, Parameters] = {
    "cz": Parameters(0.95, 0.2, 0.6, 0.8, (1.0, 0.4)),
    "de": Parameters(0.95, 1.0, 0.55, 0.55, (1.0, 0.8, 0.2)),
    "en": Parameters(0.85, 0.2, 0.6, 0.75, (1.0, 0.6, 0.8, 0.6)),
    "es": Parameters(0.65, 1.3, 0.5, 0.8, (1.0, 0.8, 0.6)),
    "fr": Parameters(0.9, 1.4, 0.6, 0.65, (1.0, 0.2, 0.4)),
    "other": _UNTUNED._replace(weights=(1.0,)),
    "ru": Parameters(0.75, 1.4, 0.7, 0.5, (1.0, 0.5, 0.5)),
}


@Metric.register("meteor")
@dataclass(eq=False, repr=False)
class Meteor(CorpusMetric, ReferenceBasedMetric):
    """METEOR 1.5: harmonic mean of unigram precision and recall with stems, synonyms and paraphrases.

    METEOR = F · (1 − γ · (chunks / matches)^β) with F = 1 / ((1 − α) / P + α / R). P and R are the matched shares of
    the words of summary and reference; content words count δ, function words 1 − δ, and a match counts by its kind:
    equal words, equal stems, synonyms, paraphrases. Chunks are runs of matches in the same order in both texts; a
    perfect match has no penalty. The parameters depend on the language.

    The published Java program, which the package pycocoevalcap includes, aligns the texts and counts; needs Java.
    With several references, each output is compared with the reference that yields the highest score, the first on
    ties. Corpus-level METEOR is computed from counts summed over all outputs, so it is not the mean of the outputs'
    scores.

    The program reads one line per text: line breaks become spaces, and three vertical bars in a row are separated, as
    normalization does anyway. An empty text scores 0.

    Range: 0 to 1, higher is better.

    Source: Denkowski and Lavie (WMT 2014). Scores equal those of the program to all digits that it prints.

    Args:
        language: The language of the texts; other has no stemmer. Outside English, da, fi, hu, it, nl, no, other, pt,
            ro, se and tr, the program needs tables of paraphrases, which its full distribution has.
        normalize: Whether the program tokenizes and lowercases texts; it can for cz, de, en, es, fr and ru.
        folder: The folder of the full distribution of METEOR 1.5, to use instead of the package pycocoevalcap.
        memory: The maximum memory of the Java program, such as 2G.
        time_limit: The number of seconds to wait for the counts of an output; the first include the start.

    Raises:
        UsageError: if an option has an invalid value, or Java or a table of paraphrases is missing.
        MissingExtraError: if the package pycocoevalcap is not installed.
        ProgramError: if the program fails.

    >>> Meteor().signature().rpartition("|")[0]
    'meteor|language:en|normalize:yes|version:1.5'
    >>> counts = [7, 7, 4, 4, 3, 3, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 5, 5]  # 5 of 7 words match in 2 chunks
    >>> Meteor().score_statistics(counts)["meteor"]
    0.42347298701135677
    """

    statistics_are_whole = True
    in_one_process = True
    requirements = (PACKAGE, JAVA)
    unsigned_options = ("folder", "memory", "time_limit")
    splits_at_spaces = True
    score_range = (0, 1)
    citation = "denkowski-lavie-2014-meteor"

    language: Language = "en"
    normalize: bool = True
    folder: str | None = None
    memory: str = "2G"
    time_limit: float = 300

    def __post_init__(self) -> None:
        self.parameters = _PARAMETERS.get(self.language, _UNTUNED)
        if self.normalize and not self.parameters.is_normalized:
            raise UsageError(
                f"METEOR cannot normalize texts in the language '{self.language}'; tokenize and lowercase them "
                f"yourself and set 'normalize' to false"
            )
        if not re.fullmatch(r"[1-9][0-9]*[kKmMgG]", self.memory):
            raise UsageError(f"'memory' must be a number with a unit, such as 2G or 512M, got '{self.memory}'")
        if not self.time_limit > 0:
            raise UsageError(f"'time_limit' must be above 0, got {self.time_limit}")

    @overrides
    def signature_options(self) -> dict[str, Any]:
        return {**super().signature_options(), "version": "1.5"}

    @overrides
    def files_read(self) -> list[str]:
        return [*super().files_read(), *([] if self.folder is None else [self.folder])]

    def statistics_multi_all(self, summaries_list: TextGroups, references_list: TextGroups) -> list[list[Statistics]]:
        """Returns for each output the 23 counts of the program, those with the best reference.

        They are the words of summary and reference, the function words among them, for each kind of match the matched
        content words of both and function words of both, the chunks, and all matched words of both. A perfect match has
        no chunks, as in the sums of the program.
        """
        groups = [
            [[(_line(reference), _line(summary)) for reference in references] for summary in summaries]
            for summaries, references in zip(summaries_list, references_list, strict=True)
        ]
        pairs = list(dict.fromkeys(pair for group in groups for output in group for pair in output))
        counts_of = dict(zip(pairs, self._counts(pairs), strict=True))

        def score(counts: Sequence[float]) -> float:
            return meteor_scores(counts, self.parameters)[-1]

        return [[max((counts_of[pair] for pair in output), key=score) for output in group] for group in groups]

    @overrides
    def score_statistics(self, statistics: Statistics) -> MetricsDict:
        precision, recall, penalty, score = meteor_scores(statistics, self.parameters)
        parts = {"meteor_precision": precision, "meteor_recall": recall, "meteor_penalty": penalty}
        return MetricsDict({"meteor": score, **parts})

    def _counts(self, pairs: Sequence[tuple[str, str]]) -> list[list[int]]:
        if not pairs:
            return []
        program = _program(self._command(), self.time_limit)
        with _LOCK:
            answers = program.exchange(
                [f"SCORE ||| {reference} ||| {summary}" for reference, summary in pairs], len(pairs)
            )
            try:
                return [_parsed(answer) for answer in answers]
            except ProgramError:
                program.close()
                raise

    def _command(self) -> tuple[str, ...]:
        folder = _package_folder() if self.folder is None else Path(self.folder)
        jar = folder / JAR
        if not jar.is_file():
            raise UsageError(f"there is no {JAR} in {folder}; 'folder' must be the folder of METEOR 1.5")
        if not JAVA.is_met():
            raise UsageError(f"the metric 'meteor' {JAVA.how_to_get_it()}")
        if self.parameters.has_paraphrases and not (jar.parent / f"data/paraphrase-{self.language}.gz").is_file():
            raise UsageError(
                f"METEOR needs the file data/paraphrase-{self.language}.gz beside {jar} for the language "
                f"'{self.language}'; get the full distribution of METEOR 1.5 and set 'folder' to its folder"
            )
        options = ["-norm"] if self.normalize else []
        java = ("java", f"-Xmx{self.memory}", "-Dfile.encoding=UTF-8", "-jar", str(jar))
        return (*java, "-", "-", "-stdio", "-l", self.language, *options)


def meteor_scores(counts: Sequence[float], parameters: Parameters) -> tuple[float, float, float, float]:
    """Returns precision, recall, fragmentation penalty and METEOR, with the operations of the program in their order.

    Args:
        counts: The counts of an output, or their sums, in the order of `Meteor.statistics_multi_all`.
        parameters: The parameters of the language.
    """
    precision, recall = (_share(counts, side, parameters) for side in (0, 1))
    chunks, of_summary, of_reference = counts[20:]
    matched = (of_summary + of_reference) / 2
    fragmentation = chunks / matched if matched else 0.0
    penalty = parameters.gamma * fragmentation**parameters.beta
    if not precision or not recall:
        return precision, recall, penalty, 0.0
    mean = 1.0 / ((1.0 - parameters.alpha) / precision + parameters.alpha / recall)
    return precision, recall, penalty, mean * (1.0 - penalty)


def _share(counts: Sequence[float], side: int, parameters: Parameters) -> float:
    """Returns the weighted share of matched words of the summary (side 0) or the reference (side 1)."""
    delta = parameters.delta
    words, functions = counts[side], counts[2 + side]
    weighted = 0.0
    for index, weight in enumerate(parameters.weights):
        weighted += weight * counts[4 + 4 * index + side] * delta
    for index, weight in enumerate(parameters.weights):
        weighted += weight * counts[6 + 4 * index + side] * (1.0 - delta)
    length = delta * (words - functions) + (1.0 - delta) * functions
    return weighted / length if length else 0.0


@functools.lru_cache(4)
def _program(command: tuple[str, ...], time_limit: float) -> ChildProcess:
    """Returns the running program: its start takes seconds, so all metrics with the same options share it."""
    return ChildProcess(command, name="METEOR", time_limit=time_limit)


def _package_folder() -> Path:
    """Returns the folder of METEOR in the package pycocoevalcap, which is not imported."""
    spec = importlib.util.find_spec(PACKAGE.module)
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtraError("the metric 'meteor'", PACKAGE.module, PACKAGE.extra)
    return Path(next(iter(spec.submodule_search_locations))) / "meteor"


def _line(text: Text) -> str:
    """Returns a text as one line, without the separator of the program's fields."""
    return _SEPARATORS.sub(" ", as_string(text)).replace("|||", "| | |")


def _parsed(answer: str) -> list[int]:
    try:
        counts = [int(float(number)) for number in answer.split()]
    except ValueError:
        counts = []
    if len(counts) != STATISTICS:
        raise ProgramError(f"METEOR must print {STATISTICS} counts for an output, got {shown(answer)}")
    return without_chunk_of_perfect_match(counts)


def without_chunk_of_perfect_match(counts: list[int]) -> list[int]:
    """Returns counts without the only chunk if all words of both texts match, since its penalty is 0."""
    is_perfect = counts[20] == 1 and counts[21:] == counts[:2]
    return [*counts[:20], 0, *counts[21:]] if is_perfect else counts
