"""`reward`: a metric as the reward of a model in training, for GRPOTrainer of TRL and for verl."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from numbers import Real
from operator import itemgetter, mul
from typing import Any, Literal, TypeAlias

from metrics_framework.api.score_columns import EXAMPLE
from metrics_framework.api.settings import MetricSpec, metric_of
from metrics_framework.common.errors import InputError, TextWarning, UsageError, spelled
from metrics_framework.common.options import parse_spec
from metrics_framework.common.overriding import overrides
from metrics_framework.common.stability import frames_of_package
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.signature import signature
from metrics_framework.data.texts import as_list, as_string, is_list, shown
from metrics_framework.inputs.roles import no_field
from metrics_framework.inputs.texts import check_lengths, listed, parallel, without_checks, without_references
from metrics_framework.metrics.base.language_model_metric import LanguageModelMetric, shown_member
from metrics_framework.metrics.base.metric import SCORES, LabelledMetric, Metric, no_number
from metrics_framework.metrics.base.requirements import missing

RANGE_DIGITS = 3
"""The ends of ranges are rounded, since some allow for errors of 32-bit floats."""
ROUNDED_TO_ONE = 1.000_001
"""Rewards above 1, but below this one, are 1: the BLEU of equal texts is 100.00000000000004, as that of sacreBLEU."""

OF_VERL = {name: f"{name}s" for name in ("data_source", "solution_str", "ground_truth", "extra_info")}
"""The arguments of verl for one completion, and those for batches."""

Extract: TypeAlias = str | Callable[[str], str]
"""A regular expression, or a function of a text."""


def reward(
    metric: MetricSpec | Reward | Sequence[MetricSpec | Reward] | Mapping[str, float],
    column: str = "references",
    *,
    source: str = "source",
    score: str | None = None,
    scale: float | None = None,
    higher_is_better: bool | None = None,
    undefined: float | None = None,
    empty: float | Literal["score"] | None = None,
    name: str | None = None,
    extract: Extract | None = None,
    where: Mapping[str, Any] | None = None,
    weights: Sequence[float] | None = None,
) -> Reward:
    """Returns a metric as a reward function, which returns one number for each completion.

    A reward is ``scale`` · score; if lower scores are better, -``scale`` · score. Higher rewards are always better. An
    empty completion has a fixed reward, since some metrics have a high score for it, such as ``sari`` for deletions.

    It is one of the ``reward_funcs`` of TRL's ``GRPOTrainer``, and verl's ``compute_score``, for one completion or for
    batches. Completions of one prompt follow each other; they are scored together, so that their references are
    processed once. The metric scores an example when the reward is built, unless a language model is the judge.

    Args:
        metric: The metric: a name, ``name:option=value,…``, a dictionary with ``type`` and options, or an object. Of a
            list of metrics and rewards, or a dictionary from metrics to weights, the reward is the weighted sum; the
            other arguments are those of its metrics.
        column: The column of the data set with the references: for each prompt a text, or a list of texts. verl
            passes references as ``ground_truths``.
        source: The column with the sources, for metrics that need them; with verl, the key in ``extra_infos``.
        score: The flat name of the score; by default, the score that the name is of, else that with the name of the
            metric.
        scale: What a score is multiplied by, above 0. By default, 1 for ratios and for scores whose range of the metric
            ends at 1, 1 / b for a range that ends at b, such as 0.01 for percentages, and 0.01 without an upper end.
        higher_is_better: Whether higher scores are better; by default, what the metric states of the score. If
            lower scores are better, as for ``ter``, rewards are negative.
        undefined: The reward of a completion whose score is undefined. `None` excludes it from training with TRL;
            verl needs a number.
        empty: The reward of a completion without words, or ``score`` for the score that the metric has for it. By
            default 0 if higher scores are better; if lower ones are, -1 with the default scale, as for an error rate of
            100 %, and in proportion with another scale.
        name: The name of the function in logs; by default, the label of the metric.
        extract: What is scored of a completion: the result of a function, or of the last match of a regular expression
            the first group or, without groups, the text that follows, as with ``</think>``. Completions without a match
            are empty.
        where: Maps columns to values, or lists of values; the scores of other rows, such as those of another task, are
            undefined. With verl, the columns are ``data_source`` and the keys in ``extra_infos``.
        weights: The weight of each of several metrics; by default 1.

    Raises:
        UsageError: if the metric cannot be built or used, the score is unknown, neither direction is better, an option
            has an invalid value, or the score of a completion depends on the others, as with weights by frequency.

    >>> import metrics_framework as fw
    >>> ter = fw.reward("ter")
    >>> ter(completions=["a cat sat", "a dog"], references=["a cat sat", ["a cat", "the cat sat"]])
    [0.0, -0.4]
    >>> ter(completions=[""], references=["a cat sat"])
    [-1.0]
    >>> ter.__name__
    'ter'
    >>> both = fw.reward(["ter", "chrf"], weights=[2, 1], extract="</think>")
    >>> both(completions=["<think>a cat</think> a cat sat"], references=["a cat sat"])
    [1.0]
    """
    if isinstance(metric, Mapping) and metric and all(map(_is_number, metric.values())):
        weights, metric = [*metric.values()], [*metric]
    if weights is not None or isinstance(metric, Reward) or (is_list(metric) and not isinstance(metric, Metric)):
        build = partial(reward, column=column, source=source, score=score, scale=scale, undefined=undefined)
        build = partial(build, higher_is_better=higher_is_better, empty=empty, extract=extract, where=where)
        members = as_list(metric) if is_list(metric) else [metric]
        return WeightedReward([one if isinstance(one, Reward) else build(one) for one in members], weights, name)
    _check_numbers(scale, undefined, empty)
    if isinstance(extract, str):
        try:
            re.compile(extract)
        except re.error as error:
            raise UsageError(
                f"'extract' must be a regular expression or a function, got '{extract}': {error}"
            ) from None
    labelled = metric_of(metric)  # type: ignore[arg-type]
    if labelled.metric.needs_all_inputs:
        raise UsageError(f"scores of '{labelled.label}' depend on all inputs, so rewards would differ between batches")
    score = score or _named_by(metric, labelled.metric)
    better = higher_is_better
    if better is None:
        better = labelled.metric.directions.get(score or labelled.metric.name, labelled.metric.higher_is_better)
    if better is None:
        raise UsageError(
            f"a reward must state whether higher scores of '{labelled.label}' are better; pass higher_is_better="
        )
    default = _scale_of(labelled.metric, score)
    factor = (default if scale is None else float(scale)) * (1 if better else -1)
    if empty is None:
        empty = 0.0 if better else factor / default
    columns = {"references": column, "source": source}
    fixed = None if isinstance(empty, str) else empty
    built = Reward(labelled, columns, score, factor, undefined, fixed, name, extract, where)
    built.check()
    return built


def _named_by(spec: Any, metric: Metric) -> str | None:
    """Returns the score by whose name a metric is asked for, such as rouge1_fmeasure of ``rouge1``; else `None`."""
    name = parse_spec(spec)[0] if isinstance(spec, str) else ""
    if not name or Metric.registry().spelled(name) or not EXAMPLE.keys() >= set(metric.fields):
        return None
    scores = metric.score_each(SCORES, [[EXAMPLE[field]] for field in metric.fields]).scores[0].flatten()
    names = {metric.card_names.get(one, one): one for one in scores}
    return names.get(spelled(name, names))


def _check_numbers(scale: Any, undefined: Any, empty: Any) -> None:
    """Rejects options that are not finite numbers; they would be rewards, or turn the direction of the metric round."""
    if scale is not None and not (_is_number(scale) and scale > 0):
        raise UsageError(
            f"'scale' must be a number above 0, got {shown(scale)}; higher_is_better= sets the direction of the metric"
        )
    if undefined is not None and not _is_number(undefined):
        raise UsageError(f"'undefined' must be a number or None, got {shown(undefined)}")
    if empty is not None and empty != "score" and not _is_number(empty):
        raise UsageError(f"'empty' must be a number or 'score', got {shown(empty)}")


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


def _scale_of(metric: Metric, score: str | None) -> float:
    """Returns what scores are multiplied by so that the upper end of their range becomes 1; 0.01 without an end."""
    names = {metric.name} if score is None else {score}
    if names.intersection(metric.ratios):
        return 1.0
    highest = metric.score_range[1]
    if highest is None or highest <= 0:
        return 0.01
    return 1 / round(highest, RANGE_DIGITS)


@dataclass(eq=False, repr=False)
class Reward:
    """A reward function; `reward` returns it.

    Args:
        labelled: The metric.
        columns: The columns of the fields whose name differs.
        score: The flat name of the score; `None` for the score with the name of the metric.
        factor: What a score is multiplied by.
        undefined: The reward of a completion whose score is undefined.
        empty: The reward of a completion without words; `None` for what the score of the metric yields.
        name: The name in logs; by default, the label of the metric.
        extract: What is scored of a completion, as for `reward`.
        where: Maps columns to the values of the rows to score.
    """

    labelled: LabelledMetric
    columns: Mapping[str, str]
    score: str | None = None
    factor: float = 0.01
    undefined: float | None = None
    empty: float | None = None
    name: str | None = None
    extract: Extract | None = None
    where: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        self.__name__ = self.name or self.labelled.label
        self._columns = {field: self.columns.get(field, field) for field in self.metric.required_context_fields}
        wanted = (self.where or {}).items()
        self._where = {name: list(as_list(value)) if is_list(value) else [value] for name, value in wanted}
        self._has_warned = False
        self._order = self.labelled.needs.order if self.score in (None, self.metric.name) else 0

    @property
    def metric(self) -> Metric:
        """The metric."""
        return self.labelled.metric

    @property
    def signature(self) -> str:
        """What identifies the reward: the signature of the metric, the score, its factor, and the options."""
        options = {"of": self.metric.signature().replace("|", ";"), "score": self.score or self.metric.name}
        options |= {"factor": f"{self.factor:g}", "empty": "score" if self.empty is None else f"{self.empty:g}"}
        if self.extract is not None:
            name = getattr(self.extract, "__qualname__", type(self.extract).__name__)
            options["extract"] = shown_member(self.extract if isinstance(self.extract, str) else name)
        return signature("reward", options)

    def check(self) -> None:
        """Scores an example, so that a reward that lacks a package, a model or the name of a score is not built.

        Language models as judges are not asked.

        Raises:
            FwError: if something is missing.
        """
        if isinstance(self.metric, LanguageModelMetric):
            for requirement in missing(self.metric.requirements):
                raise UsageError(f"the metric '{self.labelled.label}' {requirement.how_to_get_it()}")
        elif EXAMPLE.keys() >= set(self.metric.fields):
            values = [[EXAMPLE[field]] for field in self.metric.fields]
            self._rewards(self.metric.score_each(SCORES, values).scores, ["a"])

    def __call__(
        self, prompts: Sequence[Any] | None = None, completions: Sequence[Any] | None = None, **columns: Any
    ) -> Any:
        """Returns the reward of each completion; one without references is undefined.

        Args:
            prompts: The prompts; they are scored only if ``source`` is ``prompts``.
            completions: The completions: texts, or lists of chat messages, of which the last one of the assistant is
                scored.
            columns: The columns of the data set with one entry for each completion; or ``solution_strs``,
                ``ground_truths`` and ``extra_infos``, as verl passes them; or ``solution_str``, ``ground_truth`` and
                ``extra_info`` of one completion, whose reward is returned.

        Raises:
            InputError: if a column that the metric needs is missing, or a value has a wrong type.
        """
        if "solution_str" in columns:
            return self(**{OF_VERL.get(name, name): [value] for name, value in columns.items()})[0]
        if "solution_strs" in columns:
            completions, columns = columns["solution_strs"], self._of_verl(columns)
        if completions is None:
            raise InputError("a reward function needs 'completions' (TRL), or 'solution_strs' or 'solution_str' (verl)")
        if prompts is not None:
            columns["prompts"] = prompts
        completions = listed("", completions, "completions")
        count = len(completions)
        rows = self._rows_to_score(columns, count)
        if len(rows) < count:
            completions = [completions[row] for row in rows]
            lists = {name: as_list(values) for name, values in columns.items() if is_list(values)}
            columns |= {name: [values[row] for row in rows] for name, values in lists.items() if len(values) == count}
        rewards = dict(zip(rows, self._of_completions(completions, columns), strict=True))
        return [rewards.get(row, self.undefined) for row in range(count)]

    def _rows_to_score(self, columns: Mapping[str, Any], count: int) -> Sequence[int]:
        rows: Sequence[int] = range(count)
        for name, wanted in self._where.items():
            values = columns.get(name)
            if values is None and "extra_infos" in columns:
                values = [(info or {}).get(name) for info in columns["extra_infos"]]
            if values is None:
                known = ", ".join(f"'{column}'" for column in columns)
                raise InputError(f"'where' names the column '{name}', but got only {known}")
            values = listed("", values, name, count)
            rows = [row for row in rows if values[row] in wanted]
        return rows

    def _of_completions(self, completions: Sequence[Any], columns: Mapping[str, Any]) -> list[float | None]:
        columns = self._with_extra_infos(columns)
        texts = texts_of(completions)
        if self.extract is not None:
            texts = [_extracted(text, self.extract) if isinstance(text, str) else text for text in texts]
        given: dict[str, Sequence[Any]] = {"summary": texts}
        count = len(texts)
        given |= {field: self._context(field, name, columns, count) for field, name in self._columns.items()}
        lacking = {index for field, values in given.items() for index in without_references(field, values)}
        if lacking:
            check_lengths(given)
            given = {
                field: [one for at, one in enumerate(values) if at not in lacking] for field, values in given.items()
            }
        metrics = [] if self._has_warned else [self.labelled]  # once, not in each step of a training
        fields = parallel(given, {"summary": "completions", **self._columns}, metrics, is_generated=True)
        self._has_warned = True
        with without_checks():
            scores = self.metric.score_each(SCORES, list(fields.values()), checked=True).scores
        rewards, undefined = self._rewards(scores, fields["summary"]), self.undefined
        if self._order:
            self._warn_of_short(fields["summary"], rewards)
        left = iter(rewards)
        return [undefined if index in lacking else next(left) for index in range(count)]

    def _warn_of_short(self, texts: Sequence[Any], rewards: Sequence[float | None]) -> None:
        """Warns once of a completion that is too short for a score, whose reward is 0 whatever its words are."""
        zeros = [as_string(text) for text, value in zip(texts, rewards, strict=True) if value == 0]
        if short := next((text for text in zeros if 0 < len(text.split()) < self._order), None):
            message = (
                f"the reward of a completion of fewer than {self._order} words, such as {shown(short)}, is 0; use "
                f"'{self.metric.name}:effective_order=true' or 'sent-bleu', which do not need {self._order}-grams"
            )
            self._order = 0
            warnings.warn(message, TextWarning, stacklevel=frames_of_package())

    def _of_verl(self, columns: Mapping[str, Any]) -> dict[str, Any]:
        references = self._columns.get("references", "references")
        return {**columns, references: columns.get("ground_truths"), "data_source": columns.get("data_sources")}

    def _with_extra_infos(self, columns: Mapping[str, Any]) -> Mapping[str, Any]:
        """Returns columns with those that the metric needs from ``extra_infos``."""
        found, extra_infos = dict(columns), columns.get("extra_infos")
        for field, name in self._columns.items():
            if field != "references" and name not in found and extra_infos is not None:
                if not all(isinstance(info, Mapping) and name in info for info in extra_infos):
                    advice = "add it to every entry of 'extra_infos'"
                    raise InputError(no_field(self.labelled.label, name, None, advice))
                found[name] = [info[name] for info in extra_infos]
        return found

    def _context(self, field: str, name: str, columns: Mapping[str, Any], count: int) -> Sequence[Any]:
        """Returns the values of a field, one for each completion."""
        values = columns.get(name)
        if values is None:
            known = [column for column, values in columns.items() if is_list(values)]
            argument = {"references": "column=", "source": "source="}.get(field)
            how = f"name another column with {argument}" if argument else ""
            raise InputError(no_field(self.labelled.label, name, known, how))
        values = listed(field, values, name, count)
        return texts_of(values) if field == "source" else values

    def _rewards(self, scores: Sequence[MetricsDict], texts: Sequence[Any]) -> list[float | None]:
        name = self.metric.name if self.score is None else self.score
        if scores and type(scores[0].get(name)) not in (float, int):
            scores = [one.flatten() for one in scores]
            if name not in scores[0] or is_list(scores[0][name]):
                raise no_number(name, self.labelled.label, scores[0])
        factor, undefined = self.factor, self.undefined
        values = map(itemgetter(name), scores)
        # Adding 0.0 turns -0.0 into 0.0.
        rewards = [undefined if value is None or value != value else value * factor + 0.0 for value in values]
        rewards = [1.0 if one is not None and 1.0 < one < ROUNDED_TO_ONE else one for one in rewards]
        if self.empty is None:
            return rewards
        return [self.empty if not _has_words(text) else one for text, one in zip(texts, rewards, strict=True)]


class WeightedReward(Reward):
    """The weighted sum of rewards; undefined where one of them is.

    Args:
        rewards: The rewards.
        weights: Their weights; by default, each is 1.
        name: The name in logs; by default, the names of the rewards.
    """

    def __init__(self, rewards: Sequence[Reward], weights: Sequence[float] | None, name: str | None) -> None:
        self._members = list(rewards)
        self._weights = [1.0] * len(self._members) if weights is None else list(weights)
        if not self._members or len(self._weights) != len(self._members) or not all(map(_is_number, self._weights)):
            raise UsageError(
                f"'weights' must have a number for each of {len(self._members)} rewards, got {shown(weights)}"
            )
        self.__name__ = name or "+".join(member.__name__ for member in self._members)

    @property
    @overrides
    def signature(self) -> str:
        """The signatures of the rewards, after their weights."""
        members = zip(self._weights, self._members, strict=True)
        return "+".join(f"{weight:g}*{member.signature}" for weight, member in members)

    @overrides
    def __call__(
        self, prompts: Sequence[Any] | None = None, completions: Sequence[Any] | None = None, **columns: Any
    ) -> Any:
        if "solution_str" in columns:
            return self(**{OF_VERL.get(name, name): [value] for name, value in columns.items()})[0]
        lists = [member(prompts, completions, **columns) for member in self._members]
        return [None if None in row else math.fsum(map(mul, self._weights, row)) for row in zip(*lists, strict=True)]


def _extracted(text: str, extract: Extract) -> str:
    """Returns what is scored of a completion.

    >>> _extracted("a</think> b", "</think>"), _extracted("<b>c</b>", "<b>(.*?)</b>"), _extracted("a", "</think>")
    (' b', 'c', '')
    """
    if not isinstance(extract, str):
        return extract(text)
    *_, found = (None, *re.finditer(extract, text, re.DOTALL))
    if found is None:
        return ""
    return (found[1] or "") if found.re.groups else text[found.end() :]


def _has_words(text: Any) -> bool:
    """Returns whether a text, or a sentence of a list of sentences, has characters besides whitespace."""
    return any(map(_has_words, text)) if is_list(text) else bool(text.strip())


def texts_of(values: Sequence[Any]) -> list[Any]:
    """Returns texts unchanged, and the text of the last answer of each conversation.

    >>> texts_of([[{"role": "user", "content": "Hi!"}, {"role": "assistant", "content": "Hello!"}], "a cat"])
    ['Hello!', 'a cat']
    """
    values = list(as_list(values))
    return values if set(map(type, values)) <= {str} else [_text(value, index) for index, value in enumerate(values)]


def _text(value: Any, index: int) -> Any:
    """Returns the text of the last message of the assistant, or of the last message if none is; texts unchanged.

    Raises:
        InputError: if the value is neither.
    """
    if isinstance(value, Mapping):
        value = [value]
    if isinstance(value, str) or not is_list(value):
        return value
    messages = as_list(value)
    if not messages or not all(isinstance(message, Mapping) and "content" in message for message in messages):
        raise InputError(f"a completion must be a text or a list of messages, got {shown(value)} (entry {index})")
    answers = [message for message in messages if message.get("role") == "assistant"]
    content = (answers or messages)[-1]["content"]
    if isinstance(content, (list, tuple)):  # parts, such as those of models that also see pictures
        return "".join(part["text"] for part in content if part.get("type") == "text")
    return "" if content is None else content  # a message that only calls tools
