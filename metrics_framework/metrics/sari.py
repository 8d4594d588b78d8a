"""SARI, in nine published variants."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from metrics_framework.common.arrays import Floats
from metrics_framework.common.errors import UsageError
from metrics_framework.common.overriding import overrides
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.sums import plain_sum
from metrics_framework.data.texts import Text, TextGroups, as_string
from metrics_framework.kernels.dispatch import NATIVE_TOKENIZATIONS, Kernel, Request, Tokenization
from metrics_framework.kernels.python import sari as twin
from metrics_framework.metrics.base.batch_scores import Statistics
from metrics_framework.metrics.base.metric import CACHED_TEXTS, CorpusMetric, Metric
from metrics_framework.metrics.base.shapes import SourceReferenceBasedMetric
from metrics_framework.metrics.base.totals import added, ratio
from metrics_framework.text.tokenizers.tokenizer import WordTokenizerName, load_tokenizer, tokenizer_signature

Variant = Literal["easse", "easse-paper", "star", "xu2016", "modified", "t2t", "hf", "joshua", "set"]
Deletion = Literal["f1", "precision"]
KeepRecall = Literal["union", "intersection"]


class VariantSettings(NamedTuple):
    """The preprocessing and the options of a variant.

    Args:
        tokenizer: The default tokenizer.
        lowercase: Whether text is lowercased by default.
        source_as_is: Whether the source is used without tokenization.
        single_spaces: Whether text is split at every space, so that two adjacent spaces yield an empty token.
        options: The options that only some variants have, with their defaults.
    """

    tokenizer: str
    lowercase: bool
    source_as_is: bool = False
    single_spaces: bool = False
    options: Mapping[str, Any] = {}


VARIANTS: dict[str, VariantSettings] = {
    "easse": VariantSettings("13a", lowercase=True, options={"deletion": "f1"}),
    "easse-paper": VariantSettings("13a", lowercase=True, options={"deletion": "f1"}),
    "star": VariantSettings("13a", lowercase=False, source_as_is=True),
    "xu2016": VariantSettings("none", lowercase=True, single_spaces=True),
    "modified": VariantSettings("none", lowercase=True, single_spaces=True, options={"deletion": "precision"}),
    "t2t": VariantSettings("none", lowercase=False, options={"beta_for_deletion": 0.0}),
    "hf": VariantSettings("13a", lowercase=True, single_spaces=True),
    "joshua": VariantSettings("13a", lowercase=False, source_as_is=True),
    "set": VariantSettings("none", lowercase=False, options={"keep_recall": "union"}),
}
NATIVE_FORMULAS = {"joshua": 1, "xu2016": 2, "modified": 3, "t2t": 4, "hf": 5, "set": 6}
SCORED_IN_PYTHON = ("joshua", "set")  # for these, the native kernel returns statistics only


@Metric.register("sari")
class Sari(CorpusMetric, SourceReferenceBasedMetric):
    """SARI: how well a simplification adds, keeps and deletes n-grams, given source and references.

    SARI = (ADD + KEEP + DELETE) / 3. Each of the three is the mean over n-gram orders 1 to 4 of an F1 (for DELETE in
    some variants, a precision) that compares the summary's edits of the source with the references' edits. A kept or
    deleted n-gram is weighted by the share of references that keep or delete it. Programs that compute SARI differ by
    several points on the same file. Each is available as a variant, with scores equal to the last digit:

    - ``easse``: n-gram counts summed over the corpus, then F1 for each order; the usual choice since 2019.
    - ``easse-paper``: the same sums, but one F1 of the precision and recall averaged over orders.
    - ``star``: ``easse`` for tokenized files, on cased text and without tokenizing the source; a Java program.
    - ``xu2016``: mean of sentence scores, averages over n-gram types, precision for DELETE; the authors' SARI.py.
    - ``modified``: ``xu2016``, but an added n-gram that can result from deleting words is not correct.
    - ``t2t``: mean of sentence scores over weighted sets of n-grams, 0/0 = 1; tensor2tensor.
    - ``hf``: mean of sentence scores, recall of KEEP over tokens, 0/0 = 1; Hugging Face.
    - ``joshua``: the Java metric of the Joshua decoder, including its 32-bit integer overflow.
    - ``set``: mean of rounded sentence scores over sets of n-grams, references pooled, precision for ADD.

    Range: 0 to 100, higher is better; ``joshua`` can leave this range because of its overflow. With 0/0 = 1, a copy of
    the source is rewarded: by default, its DELETE score is 100.

    Source: Xu, Napoles, Pavlick, Chen and Callison-Burch (TACL 2016) with their SARI.py (``xu2016``), its later version
    used by LENS (``modified``), their Java program for corpora (``star``) and Apache Joshua's SARI.java (``joshua``);
    EASSE (Alva-Manchego, Martin, Scarton and Specia, EMNLP 2019; ``easse``, ``easse-paper``); the SARI hook of
    tensor2tensor (``t2t``); the metric card "sari" of Hugging Face (``hf``); a stand-alone scorer on sets (``set``).

    Args:
        variant: The published definition to compute.
        tokenizer: The tokenizer; by default, that of the variant.
        lowercase: Whether to lowercase text before tokenization; by default, as in the variant.
        deletion: Whether DELETE is an F1 or a precision; only for the variants easse and easse-paper (default f1) and
            modified (default precision).
        keep_recall: Whether recall of KEEP divides by the union or the intersection of the n-grams of source and
            references; only for the variant set (default union).
        beta_for_deletion: The weight of recall relative to precision in DELETE; only for the variant t2t (default 0,
            precision alone).

    Raises:
        UsageError: if the variant is unknown or does not have a given option.
        MissingExtraError: if the tokenizer is ``moses`` and sacremoses is not installed.

    >>> scores = Sari().score(
    ...     "About 95 you now get in.",
    ...     [
    ...         "About 95 species are currently known.",
    ...         "About 95 species are now accepted.",
    ...         "95 species are now accepted.",
    ...     ],
    ...     "About 95 species are currently accepted.",
    ... )
    >>> round(scores["sari"], 2)
    31.35
    >>> Sari(variant="hf").signature().rpartition("|")[0]
    'sari|variant:hf|tok:13a|case:lc'
    """

    kernel_name = "sari"
    splits_at_spaces = True
    score_range = (0, 100)
    component_ranges = {"sari_keep": (0, 100), "sari_del": (0, 100), "sari_add": (0, 100)}
    card_names = {"sari": "sari"}
    card_options = {"variant": "hf"}
    citation = "xu-etal-2016-optimizing"

    def __init__(
        self,
        variant: Variant = "easse",
        tokenizer: WordTokenizerName | None = None,
        lowercase: bool | None = None,
        deletion: Deletion | None = None,
        keep_recall: KeepRecall | None = None,
        beta_for_deletion: float | None = None,
    ) -> None:
        super().__init__()
        settings = VARIANTS[variant]
        self.variant = variant
        self.tokenizer: str = settings.tokenizer if tokenizer is None else tokenizer
        self.lowercase = settings.lowercase if lowercase is None else lowercase
        self.options = _options(
            variant, {"deletion": deletion, "keep_recall": keep_recall, "beta_for_deletion": beta_for_deletion}
        )
        self.statistics_are_whole = variant in ("easse", "easse-paper", "star", "joshua")
        if variant in SCORED_IN_PYTHON:
            self.kernel_requests = Request.STATISTICS
        self._settings = settings
        self._tokenize = load_tokenizer(self.tokenizer).tokenize

    @overrides
    def signature_options(self) -> dict[str, Any]:
        case = "lc" if self.lowercase else "mixed"
        options = {name: f"{value:g}" if isinstance(value, float) else value for name, value in self.options.items()}
        return {"variant": self.variant, "tok": tokenizer_signature(self.tokenizer), "case": case, **options}

    def statistics_multi_all(
        self, summaries_list: TextGroups, references_list: TextGroups, sources: Sequence[Text]
    ) -> list[list[Statistics]]:
        """Returns the statistics of groups of outputs.

        For variants with sums over the corpus, these are the 36 numbers of `kernels.python.sari.token_sums`. For means
        of sentence scores, these are ADD, KEEP and DELETE from 0 to 1 and a count of 1; for ``set``, which rounds, also
        the mean of the three.
        """

        @functools.lru_cache(CACHED_TEXTS)
        def tokens(text: str, as_is: bool = False) -> list[str]:
            return self._split(self._tokenized(text, as_is))

        texts = [as_string(source) for source in sources]
        given = (
            [tokens(text, self._settings.source_as_is) for text in texts],
            [[tokens(as_string(summary)) for summary in summaries] for summaries in summaries_list],
            [[tokens(as_string(reference)) for reference in references] for references in references_list],
        )
        if self.statistics_are_whole:
            groups = twin.token_sums(*given, as_joshua=self.variant == "joshua")
        else:
            cased = [self._tokenize(text).split() for text in texts] if self.variant == "modified" else None
            groups = twin.sentence_scores(self._formula(), *given, cased)
        if self.variant == "set":
            groups = [list(map(_rounded, group)) for group in groups]
        return groups

    @overrides
    def native(self, kernel: Kernel, *groups: Any) -> Any | None:
        split = Tokenization.SINGLE_SPACES if self._settings.single_spaces else Tokenization.WHITESPACE
        tokenization = Tokenization.TOKENIZER_13A if self.tokenizer == "13a" else split
        given, lowercase = [*groups, groups[2]], self.lowercase
        if self.tokenizer not in NATIVE_TOKENIZATIONS:
            lowercase = False
            given = [[list(map(self._tokenized, texts)) for texts in one] for one in groups[:2]]
            given.append([self._tokenized(source, as_is=self._settings.source_as_is) for source in groups[2]])
            given.append([self._tokenize(as_string(source)) for source in groups[2]])
        columns = kernel(
            *given,
            lowercase=lowercase,
            tokenization=tokenization,
            source_tokenization=split if self._settings.source_as_is else tokenization,
            formula=NATIVE_FORMULAS.get(self.variant, 0),
            single_spaces=self._settings.single_spaces,
            f1_of_means=self.variant == "easse-paper",
            precision_of_deletion=self.options.get("deletion") == "precision",
            intersection=self.options.get("keep_recall") == "intersection",
            beta_for_deletion=self.options.get("beta_for_deletion", 0.0),
        )
        return (list(map(_rounded, columns[0])),) if self.variant == "set" and columns is not None else columns

    @overrides
    def score_statistics(self, statistics: Statistics) -> MetricsDict:
        if self.variant in ("easse", "star", "easse-paper"):
            deletion = self.options.get("deletion", "f1")
            add, keep, delete = _parts(statistics, deletion, of_means=self.variant == "easse-paper")
        elif self.variant == "joshua":
            add, keep, delete = _joshua(statistics)
        else:
            add, keep, delete = (float(total) / statistics[3] for total in statistics[:3])
        mean = float(statistics[4]) / statistics[3] if self.variant == "set" else (add + keep + delete) / 3
        return MetricsDict(_named(mean, keep, delete, add))

    def score_sums(self, sums: Floats) -> dict[str, Floats]:
        """Computes the scores of many summed statistics, shape (sums, statistics), in one call."""
        import numpy as np

        if self.variant in ("easse", "star", "easse-paper"):
            deletion = self.options.get("deletion", "f1")
            add, keep, delete = _parts_of_sums(sums, deletion, of_means=self.variant == "easse-paper")
        elif self.variant == "joshua":
            add, keep, delete = np.array([_joshua(row) for row in sums.astype(np.int64).tolist()]).reshape(-1, 3).T
        else:
            add, keep, delete = sums[:, :3].T / sums[:, 3]
        mean = sums[:, 4] / sums[:, 3] if self.variant == "set" else (add + keep + delete) / 3
        return _named(mean, keep, delete, add)

    def score_swaps(self, sums: Floats) -> dict[str, Floats]:
        """Like `score_sums`, with other rounding and in a third of the time."""
        if self.variant not in ("easse", "star"):
            return self.score_sums(sums)
        columns = sums.T.reshape(4, 3, 3, len(sums))
        correct, below = columns[:, :, 0], columns[:, :, 1] + columns[:, :, 2]  # F1 is 2 · correct / (p + r)
        if self.options.get("deletion") == "precision":
            below[:, 2] = 2 * columns[:, 2, 1]
        add, keep, delete = (correct / (below + (below == 0))).sum(axis=0) / 2
        return _named((add + keep + delete) / 3, keep, delete, add)

    def _tokenized(self, text: Text, as_is: bool = False) -> str:
        string = as_string(text).lower() if self.lowercase else as_string(text)
        return string if as_is else self._tokenize(string)

    def _split(self, text: str) -> list[str]:
        return text.split(" ") if self._settings.single_spaces else text.split()

    def _formula(self) -> twin.Formula:
        if self.variant == "modified":
            return functools.partial(twin.modified, deletion=self.options["deletion"])
        if self.variant == "t2t":
            return functools.partial(twin.t2t, beta=self.options["beta_for_deletion"])
        if self.variant == "set":
            return functools.partial(twin.set_based, keep_recall=self.options["keep_recall"])
        return twin.xu2016 if self.variant == "xu2016" else twin.hf


def _options(variant: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the options of a variant: given values, else defaults."""
    options = dict(VARIANTS[variant].options)
    for name, value in given.items():
        if value is None:
            continue
        if name not in options:
            variants = ", ".join(other for other, settings in VARIANTS.items() if name in settings.options)
            raise UsageError(
                f"the variant '{variant}' of SARI has no option '{name}'; variants that have it: {variants}"
            )
        if name == "beta_for_deletion":
            value = float(value)
            if not 0 <= value < float("inf"):
                raise UsageError(f"'{name}' must be a non-negative number, got {value:g}")
        options[name] = value
    return options


def _named(mean: Any, keep: Any, delete: Any, add: Any) -> dict[str, Any]:
    return {"sari": 100 * mean, "sari_keep": 100 * keep, "sari_del": 100 * delete, "sari_add": 100 * add}


def _rounded(vector: Sequence[float]) -> list[float]:
    """Rounds sentence scores as the published scorer of ``set`` does: to four decimal places, on a scale of 100."""
    scores = (*vector[:3], plain_sum(vector[:3]) / 3)
    add, keep, delete, mean = (round(100 * score, 4) / 100 for score in scores)
    return [add, keep, delete, vector[3], mean]


# ---- scores of summed statistics: for each order, three numbers for each of ADD, KEEP and DELETE ---------------------


def _parts(statistics: Statistics, deletion: str, of_means: bool) -> list[float]:
    """Returns ADD, KEEP and DELETE: the means of the F1 of the orders, or the F1 of mean precision and recall."""
    scores = []
    for operation in range(3):
        pairs = []
        for start in range(3 * operation, 36, 9):
            correct, of_summary, of_references = (float(number) for number in statistics[start : start + 3])
            pairs.append((twin.ratio(correct, of_summary), twin.ratio(correct, of_references)))
        if of_means:
            precision, recall = (plain_sum(values) / len(pairs) for values in zip(*pairs, strict=True))
            pairs = [(precision, recall)]
        is_precision = operation == 2 and deletion == "precision"
        scores_of_orders = [pair[0] if is_precision else twin.f_score(*pair) for pair in pairs]
        scores.append(plain_sum(scores_of_orders) / len(pairs))
    return scores


def _joshua(statistics: Statistics) -> list[float]:
    """Scores as the published program does, with sums and products that overflow signed 32-bit integers."""
    scores = [0.0, 0.0, 0.0]
    for start in range(0, 36, 9):
        numbers = [_as_int32(number) for number in statistics[start : start + 9]]
        correctly_added, added, to_add, shares, kept, to_keep, correctly_deleted, deleted, _ = numbers
        precision = twin.ratio(shares, _as_int32(1_000_000 * kept)) if kept > 0 else 0.0
        scores[0] += _positive_f1(twin.ratio(correctly_added, added), twin.ratio(correctly_added, to_add)) / 4
        scores[1] += _positive_f1(precision, twin.ratio(kept, to_keep)) / 4
        scores[2] += twin.ratio(correctly_deleted, deleted) / 4
    return scores


def _as_int32(number: float) -> int:
    """Returns an integer with the overflow of a signed 32-bit integer."""
    return (int(number) + 2**31) % 2**32 - 2**31


def _positive_f1(precision: float, recall: float) -> float:
    return twin.f_score(precision, recall) if precision > 0 and recall > 0 else 0.0


def _parts_of_sums(sums: Floats, deletion: str, of_means: bool) -> tuple[Floats, Floats, Floats]:
    """Computes the parts of SARI, between 0 and 1, from its sums of n-grams.

    Args:
        sums: For each order three numbers for each of ADD, KEEP and DELETE, shape (sums, 36).
        deletion: ``precision`` for the precision of DELETE instead of its F1.
        of_means: Whether to compute F1 of mean precision and recall, instead of the mean F1 of the orders.

    Returns:
        ADD, KEEP and DELETE.
    """
    parts = []
    for operation in range(3):
        correct, of_summary, of_references = (sums[:, 3 * operation + index :: 9] for index in range(3))
        precision, recall = ratio(correct, of_summary), ratio(correct, of_references)
        if of_means:
            precision, recall = (added(values)[:, None] / 4 for values in (precision, recall))
        is_precision = operation == 2 and deletion == "precision"
        scores = precision if is_precision else ratio(2 * precision * recall, precision + recall)
        parts.append(added(scores) / scores.shape[1])
    return parts[0], parts[1], parts[2]
