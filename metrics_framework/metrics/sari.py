"""SARI: how well a simplification adds, keeps and deletes the words of its source."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeAlias, get_args

from overrides import overrides

from metrics_framework.common.errors import UnknownNameError, UsageError
from metrics_framework.data.jackknifers import ReferencesJackknifer
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.sums import plain_sum
from metrics_framework.data.texts import Text, as_string
from metrics_framework.kernels.dispatch import Kernel, Request, Tokenization
from metrics_framework.kernels.python import sari as twin
from metrics_framework.kernels.python import sari_formulas as formulas
from metrics_framework.metrics.base.batch_scores import Statistics
from metrics_framework.metrics.base.metric import CorpusMetric, Metric
from metrics_framework.metrics.base.shapes import SourceReferenceBasedMetric
from metrics_framework.text.tokenizers import get_tokenizer

Variant = Literal["easse", "easse-paper", "star", "xu2016", "modified", "t2t", "hf", "joshua", "set"]
Tokenizer = Literal["13a", "intl", "moses", "penn", "none"]
Deletion = Literal["f1", "precision"]
KeepRecall = Literal["union", "intersection"]


@dataclass(frozen=True)
class Form:
    """What a variant does with text, and what options it has.

    Args:
        tokenizer: Its tokenizer.
        lowercase: Whether it lower-cases.
        source_as_it_is: Whether the source is not tokenized.
        single_spaces: Whether it splits at every single blank, so that between two blanks stands an empty token.
        options: Its own options, with their defaults.
    """

    tokenizer: str
    lowercase: bool
    source_as_it_is: bool = False
    single_spaces: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)


FORMS: dict[str, Form] = {
    "easse": Form("13a", lowercase=True, options={"deletion": "f1"}),
    "easse-paper": Form("13a", lowercase=True, options={"deletion": "f1"}),
    "star": Form("13a", lowercase=False, source_as_it_is=True),
    "xu2016": Form("none", lowercase=True, single_spaces=True),
    "modified": Form("none", lowercase=True, single_spaces=True, options={"deletion": "precision"}),
    "t2t": Form("none", lowercase=False, options={"beta_for_deletion": 0.0}),
    "hf": Form("13a", lowercase=True, single_spaces=True),
    "joshua": Form("13a", lowercase=False, source_as_it_is=True),
    "set": Form("none", lowercase=False, options={"keep_recall": "union"}),
}
CHOICES: dict[str, tuple[str, ...]] = {"deletion": get_args(Deletion), "keep_recall": get_args(KeepRecall)}
NATIVE_FORMULAS = {"joshua": 1, "xu2016": 2, "modified": 3, "t2t": 4, "hf": 5, "set": 6}
SCORED_IN_PYTHON = ("joshua", "set")
MOST_TEXTS_KNOWN = 2**14
Groups: TypeAlias = Sequence[Sequence[list[str]]]


@Metric.register("sari")
class Sari(CorpusMetric, SourceReferenceBasedMetric):
    """Scores a simplification by the n-grams that it and its references add, keep and delete.

    SARI = (ADD + KEEP + DELETE) / 3, each the mean over n-grams of orders 1 to 4 of an F1 (or a precision, for DELETE
    in some variants) between what the summary does to the source and what the references do. What is kept or deleted
    counts as much as the share of the references that do so. Programs that compute SARI differ by several points on the
    same file; each of them is a variant here, equal to the last digit:

    - ``easse``: sums over the corpus, then F1 for each order; what papers report since 2019.
    - ``easse-paper``: the same sums, but precision and recall are averaged over the orders before one F1 is taken.
    - ``star``: ``easse`` on cased text with the source as it is, for tokenized files; the Java program for corpora.
    - ``xu2016``: mean of sentence scores, shares averaged over types, precision for DELETE; the authors' SARI.py.
    - ``modified``: ``xu2016``, where an n-gram that deleting words brings about is not a right addition.
    - ``t2t``: mean of sentence scores over weighted sets, 0/0 is 1; tensor2tensor.
    - ``hf``: mean of sentence scores, recall of KEEP over tokens, 0/0 is 1; Hugging Face.
    - ``joshua``: the Java metric of the Joshua decoder, with the overflow of its 32-bit numbers.
    - ``set``: mean of rounded sentence scores over sets, the references pooled, precision for ADD.

    Range: 0 to 100, but for ``joshua``, whose overflow may lead outside. Where 0/0 is 1, a summary that equals its
    source is rewarded for all it does not add.

    Source: Xu, Napoles, Pavlick, Chen and Callison-Burch (TACL 2016) with their SARI.py (``xu2016``), the later form
    of it that LENS uses (``modified``), their Java program for corpora (``star``) and Apache Joshua's SARI.java
    (``joshua``); EASSE (Alva-Manchego, Martin, Scarton and Specia, EMNLP 2019; ``easse``, ``easse-paper``); the SARI
    hook of tensor2tensor (``t2t``); the metric card "sari" of Hugging Face (``hf``); a stand-alone scorer on sets
    (``set``).

    Args:
        variant: The published definition to compute.
        tokenizer: How text is tokenized; by default as the variant has it.
        lowercase: Whether text is lower-cased before it is tokenized; by default as the variant has it.
        deletion: Whether DELETE is an F1 or a precision (variants easse, easse-paper, by default f1, and modified, by
            default precision).
        keep_recall: What recall of KEEP divides by, the union or the intersection of the n-grams of source and
            references (variant set, by default union).
        beta_for_deletion: How much recall weighs in DELETE (variant t2t, by default 0: precision alone).

    Raises:
        UsageError: if the variant does not exist, or does not have an option given.
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

    kernel_name: ClassVar[str] = "sari"
    score_range: ClassVar[tuple[float | None, float | None]] = (0, 100)
    card_names: ClassVar[Mapping[str, str]] = {
        "sari": "sari",
        "sari_keep": "keep",
        "sari_del": "del",
        "sari_add": "add",
    }
    card_options: ClassVar[Mapping[str, Any]] = {"variant": "hf"}
    citation: ClassVar[str] = """@article{xu-etal-2016-optimizing,
    title = "Optimizing Statistical Machine Translation for Text Simplification",
    author = "Xu, Wei and Napoles, Courtney and Pavlick, Ellie and Chen, Quanze and Callison-Burch, Chris",
    journal = "Transactions of the Association for Computational Linguistics",
    volume = "4",
    year = "2016",
    pages = "401--415",
    url = "https://aclanthology.org/Q16-1029",
    doi = "10.1162/tacl_a_00107",
}"""

    def __init__(
        self,
        variant: Variant = "easse",
        tokenizer: Tokenizer | None = None,
        lowercase: bool | None = None,
        deletion: Deletion | None = None,
        keep_recall: KeepRecall | None = None,
        beta_for_deletion: float | None = None,
    ) -> None:
        super().__init__(jackknifer=ReferencesJackknifer())
        if variant not in FORMS:
            raise UnknownNameError("variant of SARI", variant, FORMS)
        form = FORMS[variant]
        self.variant = variant
        self.tokenizer: str = form.tokenizer if tokenizer is None else tokenizer
        self.lowercase = form.lowercase if lowercase is None else lowercase
        self.options = _options(
            variant, {"deletion": deletion, "keep_recall": keep_recall, "beta_for_deletion": beta_for_deletion}
        )
        self.statistics_are_whole = variant in ("easse", "easse-paper", "star", "joshua")
        if variant in SCORED_IN_PYTHON:
            self.kernel_requests = Request.STATISTICS
        self._form = form
        if self.tokenizer not in get_args(Tokenizer):
            raise UnknownNameError("tokenizer", self.tokenizer, get_args(Tokenizer))
        self._tokenize = get_tokenizer(self.tokenizer)

    @overrides
    def signature_options(self) -> dict[str, Any]:
        case = "lc" if self.lowercase else "mixed"
        options = {name: f"{value:g}" if isinstance(value, float) else value for name, value in self.options.items()}
        return {"variant": self.variant, "tok": self.tokenizer, "case": case, **options}

    def statistics_multi_all(
        self,
        summaries_list: Sequence[Sequence[Text]],
        references_list: Sequence[Sequence[Text]],
        sources: Sequence[Text],
    ) -> list[list[Statistics]]:
        """Returns the statistics of groups of outputs.

        They are the 36 numbers of `kernels.python.sari.token_sums` or `joshua_sums`; for the variants that are means of
        sentence scores ADD, KEEP and DELETE between 0 and 1 and a count; for ``set``, which rounds, their mean too.
        """
        # Groups may share texts: the jackknifed ones have all but one of their references in common.
        tokens = functools.lru_cache(MOST_TEXTS_KNOWN)(self._tokens)
        of_source = self._tokens_as_they_are if self._form.source_as_it_is else tokens
        texts = [as_string(source) for source in sources]
        groups = self._twin(
            texts,
            [of_source(text) for text in texts],
            [[tokens(as_string(summary)) for summary in summaries] for summaries in summaries_list],
            [[tokens(as_string(reference)) for reference in references] for references in references_list],
        )
        return [list(map(_rounded, group)) for group in groups] if self.variant == "set" else groups

    @overrides
    def native(self, kernel: Kernel, *groups: Any) -> Any | None:
        columns = self._columns(kernel, *groups)
        if self.variant == "set" and columns is not None:
            return (list(map(_rounded, columns[0])),)
        return columns

    def _columns(self, kernel: Kernel, summaries_list: Any, references_list: Any, sources: Any) -> Any | None:
        options = {
            "formula": NATIVE_FORMULAS.get(self.variant, 0),
            "single_spaces": self._form.single_spaces,
            "f1_of_means": self.variant == "easse-paper",
            "precision_of_deletion": self.options.get("deletion") == "precision",
            "intersection": self.options.get("keep_recall") == "intersection",
            "beta_for_deletion": self.options.get("beta_for_deletion", 0.0),
        }
        split = Tokenization.SINGLE_SPACES if self._form.single_spaces else Tokenization.WHITESPACE
        if self.tokenizer in ("13a", "none"):
            tokenization = Tokenization.TOKENIZER_13A if self.tokenizer == "13a" else split
            source_tokenization = split if self._form.source_as_it_is else tokenization
            return kernel(
                summaries_list,
                references_list,
                sources,
                sources,
                lowercase=self.lowercase,
                tokenization=tokenization,
                source_tokenization=source_tokenization,
                **options,
            )
        return kernel(
            [list(map(self._tokenized, summaries)) for summaries in summaries_list],
            [list(map(self._tokenized, references)) for references in references_list],
            [self._tokenized(source, as_it_is=self._form.source_as_it_is) for source in sources],
            [self._tokenize(as_string(source)) for source in sources],
            lowercase=False,
            tokenization=split,
            source_tokenization=split,
            **options,
        )

    @overrides
    def score_statistics(self, statistics: Statistics) -> MetricsDict:
        if self.variant in ("easse", "star"):
            add, keep, delete = _mean_of_f1(statistics, self.options.get("deletion", "f1"))
        elif self.variant == "easse-paper":
            add, keep, delete = _f1_of_means(statistics, self.options["deletion"])
        elif self.variant == "joshua":
            add, keep, delete = _joshua(statistics)
        else:
            add, keep, delete = (float(total) / statistics[3] for total in statistics[:3])
        mean = float(statistics[4]) / statistics[3] if self.variant == "set" else (add + keep + delete) / 3
        return MetricsDict(
            {
                "sari": 100 * mean,
                "sari_keep": 100 * keep,
                "sari_del": 100 * delete,
                "sari_add": 100 * add,
            }
        )

    def _tokenized(self, text: Text, as_it_is: bool = False) -> str:
        string = as_string(text).lower() if self.lowercase else as_string(text)
        return string if as_it_is else self._tokenize(string)

    def _tokens(self, text: str) -> list[str]:
        return self._split(self._tokenized(text))

    def _tokens_as_they_are(self, text: str) -> list[str]:
        return self._split(self._tokenized(text, as_it_is=True))

    def _split(self, text: str) -> list[str]:
        return text.split(" ") if self._form.single_spaces else text.split()

    def _twin(
        self, texts: Sequence[str], sources: Sequence[list[str]], summaries_list: Groups, references_list: Groups
    ) -> list[list[Any]]:
        if self.variant in ("easse", "easse-paper", "star"):
            return twin.token_sums(sources, summaries_list, references_list)
        if self.variant == "joshua":
            return twin.joshua_sums(sources, summaries_list, references_list)
        cased = [self._split(self._tokenize(text)) for text in texts] if self.variant == "modified" else None
        return formulas.sentence_scores(self._formula(), sources, summaries_list, references_list, cased)

    def _formula(self) -> formulas.Formula:
        if self.variant == "modified":
            return functools.partial(formulas.modified, deletion=self.options["deletion"])
        if self.variant == "t2t":
            return functools.partial(formulas.t2t, beta=self.options["beta_for_deletion"])
        if self.variant == "set":
            return functools.partial(formulas.set_based, keep_recall=self.options["keep_recall"])
        return formulas.xu2016 if self.variant == "xu2016" else formulas.hf


def _options(variant: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the options that a variant has: those given, else its defaults."""
    options = dict(FORMS[variant].options)
    for name, value in given.items():
        if value is None:
            continue
        if name not in options:
            having = ", ".join(other for other, form in FORMS.items() if name in form.options)
            raise UsageError(f"the variant '{variant}' of SARI has no option '{name}'; variants that have it: {having}")
        if name in CHOICES and value not in CHOICES[name]:
            raise UsageError(f"'{name}' must be one of {', '.join(CHOICES[name])}, got {value!r}")
        if name == "beta_for_deletion":
            value = float(value)
            if not 0 <= value < float("inf"):
                raise UsageError(f"'{name}' must be a number that is not negative, got {value:g}")
        options[name] = value
    return options


def _rounded(vector: Sequence[float]) -> list[float]:
    """Rounds sentence scores as the published scorer of ``set`` does, to four digits on the scale of 100."""
    scores = (*vector[:3], plain_sum(vector[:3]) / 3)
    add, keep, delete, mean = (round(100 * score, 4) / 100 for score in scores)
    return [add, keep, delete, vector[3], mean]


# ---- from sums to scores: a vector holds nine numbers for each order, three for each of ADD, KEEP and DELETE ---------


def _precision_and_recall(statistics: Statistics, operation: int) -> list[tuple[float, float]]:
    """Returns precision and recall of one operation for each order."""
    pairs = []
    for start in range(3 * operation, 36, 9):
        right, done, wanted = (float(number) for number in statistics[start : start + 3])
        pairs.append((formulas.ratio(right, done), formulas.ratio(right, wanted)))
    return pairs


def _mean_of_f1(statistics: Statistics, deletion: str) -> list[float]:
    scores = []
    for operation in range(3):
        pairs = _precision_and_recall(statistics, operation)
        precision_alone = operation == 2 and deletion == "precision"
        of_orders = [pair[0] if precision_alone else formulas.f_score(*pair) for pair in pairs]
        scores.append(plain_sum(of_orders) / len(pairs))
    return scores


def _f1_of_means(statistics: Statistics, deletion: str) -> list[float]:
    scores = []
    for operation in range(3):
        pairs = _precision_and_recall(statistics, operation)
        precision, recall = (plain_sum(values) / len(pairs) for values in zip(*pairs, strict=True))
        precision_alone = operation == 2 and deletion == "precision"
        scores.append(precision if precision_alone else formulas.f_score(precision, recall))
    return scores


def _joshua(statistics: Statistics) -> list[float]:
    """Scores as the published program does, whose sums and products are signed numbers of 32 bits."""
    scores = [0.0, 0.0, 0.0]
    for start in range(0, 36, 9):
        numbers = [_wrapped(number) for number in statistics[start : start + 9]]
        right_added, added, to_add, shares, kept, to_keep, right_deleted, deleted, _ = numbers
        precision = formulas.ratio(shares, _wrapped(1_000_000 * kept)) if kept > 0 else 0.0
        scores[0] += _positive_f1(formulas.ratio(right_added, added), formulas.ratio(right_added, to_add)) / 4
        scores[1] += _positive_f1(precision, formulas.ratio(kept, to_keep)) / 4
        scores[2] += formulas.ratio(right_deleted, deleted) / 4
    return scores


def _wrapped(number: float) -> int:
    """Returns what is left of a whole number in 32 bits, the highest of which is the sign."""
    return (int(number) + 2**31) % 2**32 - 2**31


def _positive_f1(precision: float, recall: float) -> float:
    return formulas.f_score(precision, recall) if precision > 0 and recall > 0 else 0.0
