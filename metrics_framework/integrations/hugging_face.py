"""Metrics with the interface of Hugging Face's ``evaluate``.

>>> from metrics_framework.integrations import hugging_face
>>> sari = hugging_face.load("sari")
>>> sari.compute(
...     sources=["About 95 species are currently accepted."],
...     predictions=["About 95 you now get in."],
...     references=[[
...         "About 95 species are currently known.",
...         "About 95 species are now accepted.",
...         "95 species are now accepted.",
...     ]],
... )["sari"]
26.953601953601954
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from metrics_framework.common.errors import InputError, UsageError
from metrics_framework.common.options import built_with, parse_spec
from metrics_framework.common.overriding import overrides
from metrics_framework.common.registrable import Registrable, Registry
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.sums import plain_sum
from metrics_framework.data.texts import Text, TextGroups, as_list, as_string, is_list, shown
from metrics_framework.inputs.texts import listed, parallel, warn_of_references
from metrics_framework.kernels.python.google_rouge import best_scores
from metrics_framework.kernels.python.ngrams import bleu_statistics
from metrics_framework.metrics.base.batch_scores import Statistics
from metrics_framework.metrics.base.bleu_family import DEFAULT_VALUES
from metrics_framework.metrics.base.metric import MAX_ORDER, SCORES, STATISTICS, CorpusMetric, Metric
from metrics_framework.metrics.base.metric import load as load_metric
from metrics_framework.metrics.base.shapes import ReferenceBasedMetric
from metrics_framework.metrics.google_rouge import GoogleRouge
from metrics_framework.metrics.question_answering import normalized
from metrics_framework.text.tokenizers.tokenizer import load_tokenizer

_ARGUMENTS = {"summary": "predictions", "references": "references", "source": "sources", "documents": "documents"}


class HuggingFaceMetric:
    """A metric with ``compute``, ``add`` and ``add_batch``.

    Args:
        metric: The metric.
        card: The card that defines options, arguments and results; by default, options and results are those of the
            metric.
        options: The options that the metric was built with; by default, those that it has.
        use_aggregator: What `compute` does by default.
    """

    def __init__(
        self,
        metric: Metric,
        card: Card | None = None,
        options: Mapping[str, Any] | None = None,
        use_aggregator: bool = True,
    ) -> None:
        self.metric = metric
        self._options = {**built_with(metric, Metric), **_by_own_names(metric, options or {})}
        self._use_aggregator = use_aggregator
        self._card = Card(metric.name) if card is None else card
        self._added: dict[str, list[Any]] = {}

    def compute(
        self,
        *,
        predictions: Sequence[Any] | None = None,
        references: Sequence[Any] | None = None,
        sources: Sequence[Any] | None = None,
        documents: Sequence[Any] | None = None,
        use_aggregator: bool | None = None,
        **options: Any,
    ) -> Any:
        """Scores all added outputs and the arguments; returns what the metric card returns.

        This is a dictionary of scores, and a number for the cards ``wer`` and ``cer``. Metrics without a card return
        their scores under their flat names.

        Args:
            predictions: The texts to score.
            references: The list of references of each prediction, or a single reference for each.
            sources: The source of each prediction, for metrics that need it.
            documents: The documents of each prediction, for metrics that need them.
            use_aggregator: Whether to return the scores of all predictions together, as floats, or lists of the scores
                of each; by default as in `load`, where it is true by default.
            options: Options of the metric that are different for this call.

        Raises:
            InputError: if a field that the metric needs is missing, or the lists differ in length.
        """
        before = {name: list(values) for name, values in self._added.items()}
        try:
            self.add_batch(predictions=predictions, references=references, sources=sources, documents=documents)
            warn_of_references([predictions], references)
            metric: Any = self.metric
            if options:
                metric = self._card.build({**self._options, **_by_own_names(metric, options)})
            columns = {name: _column(metric, name, self._added) for name in metric.fields}
            self._card.check(self._added)
            macro, micro = self._card.evaluate(metric, list(parallel(columns, _ARGUMENTS).values()))
        except BaseException:
            self._added = before
            raise
        self._added = {}
        if self._use_aggregator if use_aggregator is None else use_aggregator:
            return self._card.result(metric, macro)
        scores = [self._card.result(metric, of_output) for of_output in micro]
        if not isinstance(scores[0], dict):
            return scores
        return {name: [of_output[name] for of_output in scores] for name in scores[0]}

    def add(
        self,
        *,
        prediction: Any,
        reference: Any = None,
        references: Any = None,
        source: Any = None,
        sources: Any = None,
        documents: Any = None,
    ) -> None:
        """Adds one output for the next `compute`.

        Args:
            prediction: The text to score.
            reference: Its reference, or the list of its references.
            references: The same.
            source: Its source.
            sources: The same, under the name that ``evaluate`` gives it: ``add(prediction=…, sources=…)``.
            documents: The list of its documents.

        Raises:
            InputError: if an argument is given under two names.
        """
        given = {
            "predictions": prediction,
            "references": _either("reference", reference, "references", references),
            "sources": _either("source", source, "sources", sources),
            "documents": documents,
        }
        for name, value in given.items():
            if value is not None:
                self._added.setdefault(name, []).append(value)

    def add_batch(
        self, *, predictions: Any = None, references: Any = None, sources: Any = None, documents: Any = None
    ) -> None:
        """Adds several outputs for the next `compute`.

        Raises:
            InputError: if an argument is not a list.
        """
        given = {"summary": predictions, "references": references, "source": sources, "documents": documents}
        lists: dict[str, Sequence[Any]] = {}
        for field, values in given.items():
            if values is not None:
                name = _ARGUMENTS[field]
                lists[name] = listed(field, values, name, len(next(iter(lists.values()))) if lists else None)
        for name, values in lists.items():
            self._added.setdefault(name, []).extend(values)


def load(
    name: str | Mapping[str, Any], config_name: str | None = None, /, *, use_aggregator: bool = True, **options: Any
) -> HuggingFaceMetric:
    """Builds a metric as `metrics_framework.load` does, with the interface of Hugging Face's ``evaluate``.

    Options, arguments and results are those of the metric card with this name: the same keys, on the same scale. A card
    that no metric of this package computes is refused with the metric to use instead. The name of another metric also
    works; its scores have their flat names. `HuggingFaceMetric` accepts any metric, also where a card has its name:
    ``HuggingFaceMetric(fw.load("meteor"))`` is METEOR 1.5.

    Args:
        name: The metric, as for `metrics_framework.load`, or the name of its card.
        config_name: The model, for metrics that have one, such as ``comet``.
        use_aggregator: Whether `compute` returns the scores of all predictions together by default.
        options: The options of the card, or of the metric.

    Raises:
        UnknownNameError: if there is neither a card nor a metric of this name, or an option is unknown.
        UsageError: if the card is unavailable, or an option has an invalid value.
    """
    named, given = parse_spec(name)
    card: Card = Card.by_name(named)() if named in REGISTRY.names() else Card(named)
    model = {} if config_name is None else {"model": config_name}
    options = {**given, **model, **options}
    return HuggingFaceMetric(card.build(options), card, options, use_aggregator)


def _by_own_names(metric: Metric, options: Mapping[str, Any]) -> dict[str, Any]:
    return {metric.option_aliases.get(name, name): value for name, value in options.items()}


def _either(name: str, value: Any, other_name: str, other: Any) -> Any:
    if value is not None and other is not None:
        raise InputError(f"'{name}' and '{other_name}' mean the same; use only one of them")
    return other if value is None else value


def _column(metric: Metric, name: str, columns: Mapping[str, list[Any]]) -> list[Any]:
    argument = _ARGUMENTS.get(name, name)
    if argument not in columns:
        raise InputError(f"'{metric.name}' needs {argument}; got {', '.join(columns) or 'nothing'}")
    return columns[argument]


REGISTRY = Registry("metric card", home="metrics_framework.integrations")


class Card(Registrable, registry=REGISTRY):
    """A metric of ``evaluate``, computed with a metric of this package.

    Args:
        metric_name: The metric of this package; by default, that of the class, else the one with the name of the card.

    Attributes:
        metric_name: The metric of this package.
        without_effect: The options of the card that change no score.
        same_number_of_references: Whether all predictions must have the same number of references, as in sacreBLEU.
        one_reference: Whether each prediction has one reference, which is a text.
    """

    metric_name: str = ""
    without_effect: ClassVar[Sequence[str]] = ()
    same_number_of_references: ClassVar[bool] = False
    one_reference: ClassVar[bool] = False

    def __init__(self, metric_name: str | None = None) -> None:
        self.metric_name = metric_name or self.metric_name or self.registered_name

    def build(self, options: Mapping[str, Any]) -> Metric:
        """Builds the metric.

        Args:
            options: Options of the card or of the metric.

        Raises:
            UsageError: if an option is unknown, or the card cannot be computed.
        """
        known = {name: value for name, value in options.items() if name not in self.without_effect}
        return load_metric(self.metric_name, **{**Metric.by_name(self.metric_name).card_options, **known})

    def check(self, columns: Mapping[str, Sequence[Any]]) -> None:
        """Checks the arguments; all cards accept predictions and sources that are strings.

        Args:
            columns: The arguments by name: predictions, references and sources.

        Raises:
            InputError: if the card does not accept them.
        """
        for name in ("predictions", "sources") if self.registered_name else ():
            for index, value in enumerate(columns.get(name, ())):
                if is_list(value):
                    raise InputError(f"'{name}' must be strings, got {shown(as_list(value))} (entry {index})")
        self._check_references(columns.get("references", ()))

    def _check_references(self, references: Sequence[Any]) -> None:
        advice = f"HuggingFaceMetric(fw.load('{self.metric_name}')) accepts any number"
        counts = [len(as_list(value)) if is_list(value) else 1 for value in references]
        for index, value in enumerate(references if self.one_reference else ()):
            if is_list(value):
                raise InputError(
                    f"the card '{self.registered_name}' has one reference for each prediction, a text, got "
                    f"{shown(value)} (entry {index}); {advice}"
                )
        if self.same_number_of_references and len(set(counts)) > 1:
            index = next(index for index, count in enumerate(counts) if count != counts[0])
            raise InputError(
                f"the card '{self.registered_name}' needs the same number of references for each prediction, got "
                f"{counts[0]} for entry 0 and {counts[index]} for entry {index}; {advice}"
            )

    def evaluate(self, metric: Metric, arguments: Sequence[Any]) -> tuple[MetricsDict, list[MetricsDict]]:
        """Returns the scores of all predictions together, and of each; see `Metric.evaluate`."""
        return metric.evaluate(*arguments)

    def result(self, metric: Metric, scores: MetricsDict) -> Any:
        """Returns what the card returns.

        Args:
            metric: The metric.
            scores: Its scores.
        """
        flat = scores.flatten()
        names = metric.card_names or {name: name for name in flat}
        return {name_on_card: flat[name] for name, name_on_card in names.items() if name in flat}


class UnavailableCard(Card):
    """A card whose scores no metric of this package returns."""

    reason: ClassVar[str]

    @overrides
    def build(self, options: Mapping[str, Any]) -> Metric:
        raise UsageError(f"the card '{self.registered_name}' is unavailable: {self.reason}")


@Card.register("bleu")
class BleuCard(Card):
    """BLEU as in the translation tutorial of TensorFlow, as fractions; with the lengths of the shortest references."""

    @overrides
    def build(self, options: Mapping[str, Any]) -> Metric:
        for name in options:
            if name not in ("tokenizer", "max_order", "smooth"):
                raise UsageError(
                    f"the card 'bleu' has the options tokenizer, max_order and smooth, got '{name}'; the card "
                    "'sacrebleu' has those of sacreBLEU"
                )
        return FractionalBleu(**options)


class FractionalBleu(CorpusMetric, ReferenceBasedMetric):
    """BLEU of the card ``bleu``.

    BLEU = BP · exp(mean of log(matches / n-grams) over all orders); 0 if an order has no matches. It differs from
    ``load("bleu")`` in that it is a fraction, has no smoothing by default, and that the brevity penalty BP compares the
    length of an output with that of the shortest reference instead of the closest.

    Range: 0 to 1, higher is better.

    Source: Papineni, Roukos, Ward and Zhu (ACL 2002); the smoothing is that of Lin and Och (COLING 2004). Equal to the
    metric card ``bleu`` of ``evaluate``.

    Args:
        tokenizer: A function that returns the words of a text; by default, the tokenizer ``13a``.
        max_order: The maximum n-gram order, from 1 to 1000.
        smooth: Whether to add 1 to the matches and the n-grams of each order.

    Raises:
        UsageError: if an option has an invalid value.
    """

    score_range = (0, 1)
    statistics_are_whole = True

    def __init__(
        self, tokenizer: Callable[[str], Sequence[str]] | None = None, max_order: int = 4, smooth: bool = False
    ) -> None:
        super().__init__()
        if not (isinstance(max_order, int) and 1 <= max_order <= MAX_ORDER):
            raise UsageError(f"'max_order' must be an integer from 1 to {MAX_ORDER}, got {shown(max_order)}")
        self.max_order, self.smooth = max_order, smooth
        own = load_tokenizer("13a").tokenize
        self._words = (lambda text: own(text).split()) if tokenizer is None else _function(tokenizer)

    def statistics_multi_all(self, summaries_list: TextGroups, references_list: TextGroups) -> list[list[Statistics]]:
        """Returns for each output its length, the shortest reference length, and matches and n-grams of each order."""
        summaries, references = (
            [[tuple(self._words(as_string(text))) for text in texts] for texts in groups]
            for groups in (summaries_list, references_list)
        )
        counted = bleu_statistics(summaries, references, self.max_order)
        shortest = [min(map(len, words)) for words in references]
        return [[[one[0], length, *one[2:]] for one in group] for group, length in zip(counted, shortest, strict=True)]

    @overrides
    def score_statistics(self, statistics: Statistics) -> MetricsDict:
        length, ref_length, *counts = map(int, statistics)
        matches, totals = counts[: self.max_order], counts[self.max_order :]
        added = 1 if self.smooth else 0
        precisions = [
            (match + added) / (total + added) if total + added else 0.0
            for match, total in zip(matches, totals, strict=True)
        ]
        weight = 1 / self.max_order
        mean = math.exp(plain_sum(weight * math.log(value) for value in precisions)) if min(precisions) > 0 else 0.0
        ratio = length / ref_length if ref_length else 0.0
        penalty = 0.0 if not ratio else 1.0 if ratio > 1 else math.exp(1 - 1 / ratio)
        return MetricsDict(
            {
                "bleu": mean * penalty,
                "precisions": precisions,
                "brevity_penalty": penalty,
                "length_ratio": ratio,
                "translation_length": length,
                "reference_length": ref_length,
            }
        )


def _function(tokenizer: Any) -> Callable[[str], Sequence[str]]:
    if not callable(tokenizer):
        raise UsageError(f"'tokenizer' must be a function that returns the words of a text, got {shown(tokenizer)}")
    function: Callable[[str], Sequence[str]] = tokenizer
    return function


@Card.register("sacrebleu")
class SacrebleuCard(Card):
    """BLEU of sacreBLEU, with the numbers of n-grams and of their matches."""

    metric_name = "bleu"
    without_effect: ClassVar[Sequence[str]] = ("force",)
    same_number_of_references: ClassVar[bool] = True

    @overrides
    def build(self, options: Mapping[str, Any]) -> Metric:
        unused = {name for name in ("tokenize", "tokenizer") if not options.get(name)}
        if options.get("smooth_method", "exp") not in DEFAULT_VALUES:
            unused.add("smooth_value")  # sacreBLEU ignores it
        return super().build({name: value for name, value in options.items() if name not in unused})

    @overrides
    def evaluate(self, metric: Metric, arguments: Sequence[Any]) -> tuple[MetricsDict, list[MetricsDict]]:
        if not isinstance(metric, CorpusMetric):
            return super().evaluate(metric, arguments)
        total = metric.new_total()
        batch = metric.score_each(SCORES | STATISTICS, arguments)
        statistics = batch.statistics or []
        if not statistics:
            return super().evaluate(metric, arguments)  # which raises an error
        total.extend(batch.scores, statistics)
        summed = [plain_sum(column) for column in zip(*statistics, strict=True)]
        each = [_with_counts(metric, scores, one) for scores, one in zip(batch.scores, statistics, strict=True)]
        return _with_counts(metric, total.score(), summed), each

    @overrides
    def result(self, metric: Metric, scores: MetricsDict) -> Any:
        names = {"score": "bleu", "counts": "counts", "totals": "totals", "precisions": "bleu_precisions"}
        names |= {name: f"bleu_{name}" for name in ("bp", "sys_len", "ref_len")}
        return {name: scores[own] for name, own in names.items()}


def _with_counts(metric: Any, scores: MetricsDict, statistics: Sequence[Any]) -> MetricsDict:
    """Adds the numbers of matches and n-grams of each order, which follow two lengths."""
    counts: list[float] = list(map(int, statistics[2:]))
    orders = len(counts) // 2
    matches, totals = counts[:orders], counts[orders:]
    if metric.smooth_method == "add-k" and any(matches):  # sacreBLEU returns the smoothed numbers
        value = int(metric.smooth_value) if metric.smooth_value.is_integer() else metric.smooth_value
        matches, totals = ([first, *(count + value for count in others)] for first, *others in (matches, totals))
    return MetricsDict({**scores, "counts": matches, "totals": totals})


@Card.register("chrf")
class ChrfCard(Card):
    """chrF and chrF++ of sacreBLEU, with the orders of n-grams and the weight of recall."""

    same_number_of_references: ClassVar[bool] = True

    @overrides
    def result(self, metric: Metric, scores: MetricsDict) -> Any:
        options = built_with(metric, Metric)
        beta = options["beta"]
        return {
            "score": scores["chrf"],
            "char_order": options["char_order"],
            "word_order": options["word_order"],
            "beta": int(beta) if beta == int(beta) else beta,
        }


@Card.register("ter")
class TerCard(Card):
    """TER of sacreBLEU."""

    same_number_of_references: ClassVar[bool] = True


class ErrorRateCard(Card):
    """An error rate of jiwer: one number, a fraction."""

    without_effect: ClassVar[Sequence[str]] = ("concatenate_texts",)  # since jiwer 4, texts are compared one by one
    one_reference: ClassVar[bool] = True

    @overrides
    def result(self, metric: Metric, scores: MetricsDict) -> Any:
        edits = plain_sum(scores[f"{metric.name}_{edit}"] for edit in ("substitutions", "deletions", "insertions"))
        return edits / max(1, scores[f"{metric.name}_ref_length"])


@Card.register("wer")
class WerCard(ErrorRateCard):
    """Word error rate of jiwer, a fraction."""


@Card.register("cer")
class CerCard(ErrorRateCard):
    """Character error rate of jiwer, a fraction."""


@Card.register("rouge")
class RougeCard(Card):
    """F1 of the package rouge-score; the mean over predictions, not the median of the means of random resamples."""

    metric_name = "google-rouge"

    @overrides
    def build(self, options: Mapping[str, Any]) -> Metric:
        given = {name: value for name, value in options.items() if value is not None}
        tokenizer = given.pop("tokenizer", None)
        metric = super().build(given)
        return metric if tokenizer is None else TokenizedRouge(tokenizer, **built_with(metric, Metric))


class TokenizedRouge(GoogleRouge):
    """ROUGE of the tokens that a function returns, as the package rouge-score computes it with a tokenizer.

    Args:
        tokenizer: A function that returns the tokens of a text; the stemmer has no effect on them.
        options: Options of ``google-rouge``.

    Raises:
        UsageError: if an option has an invalid value.
    """

    kernel_name = ""

    def __init__(self, tokenizer: Callable[[str], Sequence[str]], **options: Any) -> None:
        super().__init__(**options)
        self.tokenizer = _function(tokenizer)

    @overrides
    def signature_options(self) -> dict[str, Any]:
        return {**super().signature_options(), "tok": getattr(self.tokenizer, "__qualname__", "function")}

    @overrides
    def score_multi_all(self, summaries_list: TextGroups, references_list: TextGroups) -> list[list[MetricsDict]]:
        return [
            [self._best(summary, references) for summary in summaries]
            for summaries, references in zip(summaries_list, references_list, strict=True)
        ]

    def _best(self, summary: Text, references: Sequence[Text]) -> MetricsDict:
        scores = []
        for kind in self.rouge_types:
            one, *others = ([*map(self.tokenizer, self._parts(text, kind))] for text in (summary, *references))
            scores += best_scores(one, others, [kind])
        return self._scores(scores)

    def _parts(self, text: Text, kind: str) -> list[str]:
        """Returns what is tokenized: the lines of a text for rougeLsum, otherwise the text."""
        return list(filter(None, self._lines(text).split("\n"))) if kind == "rougeLsum" else [as_string(text)]


class JointCard(Card):
    """A card that names its scores itself."""

    @overrides
    def result(self, metric: Metric, scores: MetricsDict) -> Any:
        return dict(scores)


@Card.register("wiki_split")
class WikiSplitCard(JointCard):
    """SARI, sacreBLEU, and the percentage of predictions with the words of a reference, as SQuAD compares answers."""

    metric_name = "sari"
    same_number_of_references: ClassVar[bool] = True

    @overrides
    def evaluate(self, metric: Metric, arguments: Sequence[Any]) -> tuple[MetricsDict, list[MetricsDict]]:
        predictions, references, _ = arguments
        (sari, each_sari), (bleu, each_bleu) = metric.evaluate(*arguments), load_metric("bleu").evaluate(*arguments[:2])
        exact = [
            100.0 * (normalized(as_string(prediction)) in [normalized(as_string(text)) for text in texts])
            for prediction, texts in zip(predictions, references, strict=True)
        ]

        def joint(of_sari: MetricsDict, of_bleu: MetricsDict, share: float) -> MetricsDict:
            return MetricsDict({"sari": of_sari["sari"], "sacrebleu": of_bleu["bleu"], "exact": share})

        each = [joint(*scores) for scores in zip(each_sari, each_bleu, exact, strict=True)]
        return joint(sari, bleu, plain_sum(exact) / len(exact)), each


@Card.register("comet")
class CometCard(JointCard):
    """COMET, the mean and a list of the scores of all predictions; the model is an option."""

    without_effect: ClassVar[Sequence[str]] = ("gpus", "progress_bar")
    one_reference: ClassVar[bool] = True

    @overrides
    def evaluate(self, metric: Metric, arguments: Sequence[Any]) -> tuple[MetricsDict, list[MetricsDict]]:
        mean, each = metric.evaluate(*arguments)
        scores = [one["comet"] for one in each]
        return MetricsDict({"mean_score": mean["comet"], "scores": scores}), [
            MetricsDict({"mean_score": score, "scores": [score]}) for score in scores
        ]


@Card.register("bertscore")
class BertscoreCard(UnavailableCard):
    """BERTScore of the package bert-score."""

    reason: ClassVar[str] = (
        "its results are lists, with a hash code of the package bert-score; use "
        "HuggingFaceMetric(fw.load('bertscore', model=…)), which returns the means bertscore_precision, "
        "bertscore_recall and bertscore_f1, and lists with use_aggregator=False"
    )


@Card.register("meteor")
class MeteorCard(UnavailableCard):
    """METEOR 1.0 of nltk, with WordNet."""

    reason: ClassVar[str] = (
        "it is METEOR 1.0 of nltk, and the metric 'meteor' is METEOR 1.5, whose scores differ; use "
        "HuggingFaceMetric(fw.load('meteor')) for METEOR 1.5, or nltk.translate.meteor_score for 1.0"
    )


@Card.register("exact_match")
class ExactMatchCard(UnavailableCard):
    """The share of predictions that equal their reference."""

    reason: ClassVar[str] = (
        "no metric compares whole texts; use evaluate.load('exact_match'), or HuggingFaceMetric(fw.load('token-f1')) "
        "for the overlap of words"
    )
