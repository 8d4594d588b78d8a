"""WER and CER: word and character error rate."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from metrics_framework.common.arrays import Floats
from metrics_framework.common.overriding import overrides
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.texts import Text, TextGroups, as_string
from metrics_framework.kernels.dispatch import Kernel
from metrics_framework.metrics.base.batch_scores import Statistics
from metrics_framework.metrics.base.metric import CorpusMetric, Metric
from metrics_framework.metrics.base.shapes import ReferenceBasedMetric

SEVERAL_SPACES = re.compile(r"\s\s+")


@dataclass(eq=False, repr=False)
class ErrorRate(CorpusMetric, ReferenceBasedMetric):
    """Base of WER and CER: Levenshtein distance to the closest reference, divided by the length of this reference.

    Args:
        lowercase: Whether to lowercase text.

    Attributes:
        key: The name of the score, and prefix of the names of the counts.
    """

    higher_is_better = False
    score_range = (0, None)
    statistics_are_whole = True
    key: ClassVar[str]
    kernel_name = "error_rates"
    citation = "morris-etal-2004-wer"

    lowercase: bool = False

    @overrides
    def signature_options(self) -> dict[str, Any]:
        return {"case": "lc" if self.lowercase else "mixed"}

    @abstractmethod
    def units(self, text: str) -> Sequence[str]:
        """Returns the units that are compared: the words or characters of a text."""

    def statistics_multi_all(self, summaries_list: TextGroups, references_list: TextGroups) -> list[list[Statistics]]:
        """Returns for each output the numbers of substitutions, deletions, insertions and units of the reference."""
        from metrics_framework.kernels.python.edits import count_edits

        return [
            [count_edits(self._units(summary), references) for summary in summaries]
            for summaries, references in zip(
                summaries_list, (list(map(self._units, references)) for references in references_list), strict=True
            )
        ]

    @overrides
    def score_statistics(self, statistics: Statistics) -> MetricsDict:
        *edits, length = map(int, statistics)
        return MetricsDict(self._named(edits, length, max(1, length)))

    def score_sums(self, sums: Floats) -> dict[str, Floats]:
        """Computes the scores of many summed statistics, shape (sums, statistics), in one call."""
        *edits, length = sums.T
        return self._named(edits, length, length.clip(1))

    def _named(self, edits: Sequence[Any], length: Any, divisor: Any) -> dict[str, Any]:
        substitutions, deletions, insertions = edits
        return {
            self.key: 100 * ((substitutions + deletions + insertions) / divisor),
            f"{self.key}_substitutions": substitutions,
            f"{self.key}_deletions": deletions,
            f"{self.key}_insertions": insertions,
            f"{self.key}_ref_length": length,
        }

    def _units(self, text: Text) -> Sequence[str]:
        text = as_string(text)
        return self.units(text.lower() if self.lowercase else text)


def _ranges_of(key: str) -> dict[str, tuple[float | None, float | None]]:
    counts = ("substitutions", "deletions", "insertions", "ref_length")
    return {f"{key}_{name}": (0, None) for name in counts}


@Metric.register("wer")
class Wer(ErrorRate):
    """Word error rate: word edits to the closest reference, divided by its length.

    WER = 100 · (S + D + I) / N for a reference of N words, where S substitutions, D deletions and I insertions of words
    turn the reference into the summary with as few edits as possible. With several references, the one that requires
    the fewest edits counts, the first if there are several. Corpus-level WER is computed from S, D, I and N summed over
    all outputs. If N is 0, it is replaced by 1.

    As in jiwer, words are separated by spaces, or by two or more whitespace characters of any kind. Punctuation is part
    of a word. Unlike TER, WER has no shifts.

    Range: 0 (equal to a reference) and up; values above 100 are possible. Lower is better.

    Source: Morris, Maier and Green (Interspeech 2004). With one reference, equal to the last bit to 100 times the
    fraction that jiwer 4.0.0 returns; the counts are equal, too.

    Args:
        lowercase: Whether to lowercase text.

    Raises:
        InputError: if the numbers of summaries and lists of references differ, or a list of references is empty.

    >>> Wer().score("a cat sat down", ["the cat sat", "dogs"])  # one substitution and one insertion; three words
    {'wer': 66.66666666666666, 'wer_substitutions': 1, 'wer_deletions': 0, 'wer_insertions': 1, 'wer_ref_length': 3}
    """

    key: ClassVar[str] = "wer"
    component_ranges = _ranges_of("wer")
    splits_at_spaces = True
    slow_above = 250_000

    @overrides
    def native(self, kernel: Kernel, *groups: Any) -> Any | None:
        return kernel(*groups, characters=False, lowercase=self.lowercase)

    @overrides
    def units(self, text: str) -> Sequence[str]:
        return [word for word in SEVERAL_SPACES.sub(" ", text).strip().split(" ") if word]


@Metric.register("cer")
class Cer(ErrorRate):
    """Character error rate: character edits to the closest reference, divided by its length.

    CER = 100 · (S + D + I) / N, computed as in wer, but with characters (Unicode code points) instead of words. Spaces
    between words count as characters; whitespace at the start and end of a text is removed.

    Range: 0 (equal to a reference) and up; values above 100 are possible. Lower is better.

    Source: Morris, Maier and Green (Interspeech 2004) for the measure. With one reference, equal to the last bit to 100
    times the fraction that jiwer 4.0.0 returns; the counts are equal, too.

    Args:
        lowercase: Whether to lowercase text.

    Raises:
        InputError: if the numbers of summaries and lists of references differ, or a list of references is empty.

    >>> Cer().score("a cart", ["a cat"])["cer"]  # one insertion; five characters, including a space
    20.0
    """

    key: ClassVar[str] = "cer"
    component_ranges = _ranges_of("cer")
    slow_above = 100_000

    @overrides
    def native(self, kernel: Kernel, *groups: Any) -> Any | None:
        return kernel(*groups, characters=True, lowercase=self.lowercase)

    @overrides
    def units(self, text: str) -> Sequence[str]:
        return text.strip()
