"""`reward`: a metric as the reward of a model in training, for GRPOTrainer of TRL and the batches of verl."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Real
from operator import itemgetter
from typing import Any, Literal

from metrics_framework.api.settings import MetricSpec, metric_of
from metrics_framework.common.errors import InputError, UsageError
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.texts import as_list, is_list, shown
from metrics_framework.inputs.roles import no_field
from metrics_framework.inputs.texts import check_lengths, listed, parallel, without_checks, without_references
from metrics_framework.metrics.base.metric import SCORES, LabelledMetric, Metric, no_number

RANGE_DIGITS = 3
"""The ends of ranges are rounded, since some allow for errors of 32-bit floats."""


def reward(
    metric: MetricSpec,
    column: str = "references",
    *,
    source: str = "source",
    score: str | None = None,
    scale: float | None = None,
    higher_is_better: bool | None = None,
    undefined: float | None = None,
    empty: float | Literal["score"] | None = None,
    name: str | None = None,
) -> Reward:
    """Returns a metric as a reward function, which returns one number for each completion.

    A reward is ``scale`` · score; if lower scores are better, -``scale`` · score. Higher rewards are always better. An
    empty completion has a fixed reward, since some metrics have a high score for it, such as ``sari`` for deletions.

    It is one of the ``reward_funcs`` of TRL's ``GRPOTrainer``, and verl's ``compute_score`` for batches. Completions of
    one prompt follow each other; they are scored together, so that their references are processed once.

    Args:
        metric: The metric: a name, ``name:option=value,…``, a dictionary with ``type`` and options, or an object.
        column: The column of the data set with the references: for each prompt a text, or a list of texts. verl
            passes references as ``ground_truths``.
        source: The column with the sources, for metrics that need them; with verl, the key in ``extra_infos``.
        score: The flat name of the score; by default, the score with the name of the metric.
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

    Raises:
        UsageError: if the metric cannot be built, neither direction is better, an option has an invalid value, or the
            score of a completion depends on the others, as with weights by frequency.

    >>> import metrics_framework as fw
    >>> ter = fw.reward("ter")
    >>> ter(completions=["a cat sat", "a dog"], references=["a cat sat", ["a cat", "the cat sat"]])
    [0.0, -0.4]
    >>> ter(completions=[""], references=["a cat sat"])
    [-1.0]
    >>> ter.__name__
    'ter'
    """
    _check_numbers(scale, undefined, empty)
    labelled = metric_of(metric)
    if labelled.metric.needs_all_inputs:
        raise UsageError(f"scores of '{labelled.label}' depend on all inputs, so rewards would differ between batches")
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
    return Reward(labelled, columns, score, factor, undefined, None if isinstance(empty, str) else empty, name)


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


class Reward:
    """A reward function; `reward` returns it.

    Args:
        metric: The metric.
        columns: The columns of the fields whose name differs.
        score: The flat name of the score; `None` for the score with the name of the metric.
        factor: What a score is multiplied by.
        undefined: The reward of a completion whose score is undefined.
        empty: The reward of a completion without words; `None` for what the score of the metric yields.
        name: The name in logs; by default, the label of the metric.
    """

    def __init__(
        self,
        metric: LabelledMetric,
        columns: Mapping[str, str],
        score: str | None = None,
        factor: float = 0.01,
        undefined: float | None = None,
        empty: float | None = None,
        name: str | None = None,
    ) -> None:
        self._labelled = metric
        self.__name__ = name or metric.label
        self._columns = {field: columns.get(field, field) for field in self.metric.required_context_fields}
        self._score = score
        self._factor = factor
        self._undefined = undefined
        self._empty = empty
        self._has_warned = False

    @property
    def metric(self) -> Metric:
        """The metric."""
        return self._labelled.metric

    def __call__(
        self, prompts: Sequence[Any] | None = None, completions: Sequence[Any] | None = None, **columns: Any
    ) -> list[float | None]:
        """Returns the reward of each completion; one without references is undefined.

        Args:
            prompts: The prompts; they are scored only if ``source`` is ``prompts``.
            completions: The completions: texts, or lists of chat messages, of which the last one of the assistant is
                scored.
            columns: The columns of the data set with one entry for each completion; or ``solution_strs``,
                ``ground_truths`` and ``extra_infos``, as verl passes them.

        Raises:
            InputError: if a column that the metric needs is missing, or a value has a wrong type.
        """
        if "solution_strs" in columns:
            completions, columns = self._of_verl(columns)
        if completions is None:
            raise InputError(
                "a reward function needs 'completions' (TRL) or 'solution_strs' (verl, with the reward manager 'batch')"
            )
        if prompts is not None:
            columns["prompts"] = prompts
        given: dict[str, Sequence[Any]] = {"summary": texts_of(listed("", completions, "completions"))}
        count = len(given["summary"])
        given |= {field: self._context(field, name, columns, count) for field, name in self._columns.items()}
        lacking = {index for field, values in given.items() for index in without_references(field, values)}
        if lacking:
            check_lengths(given)
            given = {
                field: [one for at, one in enumerate(values) if at not in lacking] for field, values in given.items()
            }
        metrics = [] if self._has_warned else [self._labelled]  # once, not in each step of a training
        fields = parallel(given, {"summary": "completions", **self._columns}, metrics, is_generated=True)
        self._has_warned = True
        with without_checks():
            scores = self.metric.score_each(SCORES, list(fields.values()), checked=True).scores
        rewards, undefined = iter(self._rewards(scores, fields["summary"])), self._undefined
        return [undefined if index in lacking else next(rewards) for index in range(count)]

    def _of_verl(self, columns: Mapping[str, Any]) -> tuple[Sequence[Any], dict[str, Any]]:
        found = dict(columns)
        found[self._columns.get("references", "references")] = columns.get("ground_truths")
        extra_infos = columns.get("extra_infos")
        for field, name in self._columns.items():
            if field != "references" and name not in found and extra_infos is not None:
                if not all(isinstance(info, Mapping) and name in info for info in extra_infos):
                    advice = "add it to every entry of 'extra_infos'"
                    raise InputError(no_field(self._labelled.label, name, None, advice))
                found[name] = [info[name] for info in extra_infos]
        return columns["solution_strs"], found

    def _context(self, field: str, name: str, columns: Mapping[str, Any], count: int) -> Sequence[Any]:
        """Returns the values of a field, one for each completion."""
        values = columns.get(name)
        if values is None:
            known = [column for column, values in columns.items() if is_list(values)]
            argument = {"references": "column=", "source": "source="}.get(field)
            how = f"name another column with {argument}" if argument else ""
            raise InputError(no_field(self._labelled.label, name, known, how))
        values = listed(field, values, name, count)
        return texts_of(values) if field == "source" else values

    def _rewards(self, scores: Sequence[MetricsDict], texts: Sequence[Any]) -> list[float | None]:
        name = self.metric.name if self._score is None else self._score
        if scores and type(scores[0].get(name)) not in (float, int):
            scores = [one.flatten() for one in scores]
            if name not in scores[0] or is_list(scores[0][name]):
                raise no_number(name, self._labelled.label, scores[0])
        factor, undefined = self._factor, self._undefined
        values = map(itemgetter(name), scores)
        # Adding 0.0 turns -0.0 into 0.0.
        rewards = [undefined if value is None or value != value else value * factor + 0.0 for value in values]
        if self._empty is None:
            return rewards
        return [self._empty if not _has_words(text) else one for text, one in zip(texts, rewards, strict=True)]


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
