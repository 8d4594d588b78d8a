"""`Judge`: asks a language model about outputs or pairs of outputs, several times, and reads its answers."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal, NamedTuple

from metrics_framework.common.errors import DataError, EndpointError, OutputError, UsageError, counted
from metrics_framework.data.metrics_dict import AnnotatedScores, MetricsDict, annotations_of
from metrics_framework.data.texts import as_string, shown
from metrics_framework.language_models.answer_file import POSITION, PROBED, AnswerFile, answer_row
from metrics_framework.language_models.answers import (
    IN_BATCH,
    NO_ANSWER,
    UNPARSABLE,
    AnnotatedError,
    Answer,
    ErrorsForm,
    Items,
    RegexForm,
    TextsForm,
    located,
)
from metrics_framework.language_models.endpoint import RequestFailure
from metrics_framework.language_models.language_model import LanguageModel
from metrics_framework.language_models.samples import SampleRequests, Sampling, StructuredRequests, Weighting
from metrics_framework.language_models.templates import Template

RESERVED = ("messages", "model", "n", "stream")


def at_least(least: float, name: str, value: float, most: float = math.inf) -> float:
    """Returns the value of an option.

    Raises:
        UsageError: if it is outside its bounds, infinite or NaN.
    """
    if not least <= value <= most or math.isinf(value):
        bounds = f"at least {least:g}" if math.isinf(most) else f"from {least:g} to {most:g}"
        raise UsageError(f"'{name}' must be {bounds}, got {value:g}")
    return value


def check_weighting(template: Template, weighting: Weighting) -> None:
    """Checks that scores can be weighted by the probabilities of their tokens.

    Raises:
        UsageError: if they cannot.
    """
    scale = template.form.scale
    is_regex = isinstance(template.form, RegexForm)
    if weighting == "logprobs" and (scale is None or not is_regex or scale[0] < 0 or scale[1] > 9):
        raise UsageError(
            f"'weighting' logprobs needs a template with a regular expression and a scale of single digits, within 0 "
            f"to 9; '{template.name}' has none"
        )


def members(text: str | None) -> Mapping[str, Any]:
    """Returns the further members of a request.

    Raises:
        UsageError: if they are no JSON object, or set what the metric sets.
    """
    try:
        given = {} if text is None else json.loads(text)
    except ValueError:
        given = None
    if not isinstance(given, dict):
        raise UsageError(
            f"'extra_body' must be a JSON object, such as '{{\"reasoning_effort\": \"low\"}}', got {text!r}"
        )
    reserved = sorted(set(RESERVED) & set(given))
    if reserved:
        raise UsageError(f"'extra_body' must not have the member '{reserved[0]}', which is set by this metric")
    return given


def prices(input_price: float | None, output_price: float | None) -> tuple[float, float] | None:
    """Returns the prices of input and output tokens; `None` without prices.

    Raises:
        UsageError: if only one is given, or one is negative.
    """
    if input_price is None and output_price is None:
        return None
    if input_price is None or output_price is None:
        raise UsageError("the cost needs both prices: give 'input_price' and 'output_price'")
    return at_least(0, "input_price", input_price), at_least(0, "output_price", output_price)


Policy = Literal["undefined", "error"]
MAX_SHOWN = 5
"""The number of failures that an error describes."""
CLAIMS = "claims"
"""The field with claims; an answer that is a list has an item for each of them."""
SWAPPED = {"first": "second", "second": "first", "tie": "tie"}

Fields = Mapping[str, Any]


class Sample(NamedTuple):
    """One sampled answer about an output.

    Attributes:
        value: The number, or the word of a verdict; `None` if there is none.
        problem: Why there is none: one of `PROBLEMS` or `NO_ANSWER`.
        answer: The answer; `None` if there is none.
        items: The errors or texts that the answer lists, if it is asked for a list.
    """

    value: float | str | None
    problem: str
    answer: Answer | None
    items: Items = ()


class PairSample(NamedTuple):
    """One sampled verdict about a pair, in both orders.

    Attributes:
        outcomes: ``first``, ``second`` or ``tie`` in each order, from the view of the first order; `None` without a
            valid answer.
        samples: The answers in the given order and in the other order.
    """

    outcomes: tuple[str | None, str | None]
    samples: tuple[Sample, Sample]

    @property
    def is_valid(self) -> bool:
        """Whether both answers have a verdict."""
        return None not in self.outcomes

    @property
    def is_inconsistent(self) -> bool:
        """Whether the order of the texts changes the verdict."""
        return self.is_valid and self.outcomes[0] != self.outcomes[1]

    @property
    def outcome(self) -> str | None:
        """The verdict of both orders: a tie if they differ."""
        if not self.is_valid:
            return None
        return "tie" if self.is_inconsistent else self.outcomes[0]


@dataclass(eq=False)
class Judge:
    """A language model with a prompt template.

    Args:
        template: The template.
        sampling: What is requested.
        model: The language model.
        invalid: What an answer without a value becomes.
        failed: What a request without an answer becomes.
        answers: Receives all answers; the fields of each output then have its ids.
    """

    template: Template
    sampling: Sampling
    model: LanguageModel
    invalid: Policy
    failed: Policy
    answers: AnswerFile | None = None

    def __post_init__(self) -> None:
        self.problems: Counter[str] = Counter()
        self.unusable = ""
        is_tried = self.sampling.structured_output == "auto"
        self.requests = (StructuredRequests if is_tried else SampleRequests)(self.model, self.sampling)

    def scores(self, outputs: Sequence[Fields]) -> list[list[Sample]]:
        """Returns the samples of each output.

        Args:
            outputs: The fields of each output.

        Raises:
            EndpointError: if the endpoint fails.
            OutputError: if the answers about an output are missing or invalid and that is an error.
        """
        return self._samples([(fields, as_string(fields["summary"]), index) for index, fields in enumerate(outputs)])

    def verdicts(self, pairs: Sequence[Fields]) -> list[list[PairSample]]:
        """Returns the samples of each pair, each with both orders.

        Args:
            pairs: The fields of each pair; ``first`` and ``second`` are the texts to compare.

        Raises:
            EndpointError: if the endpoint fails.
            OutputError: if the answers about a pair are missing or invalid and that is an error.
        """
        orders = []
        for index, pair in enumerate(pairs):
            given = {**pair, POSITION: "first"}
            swapped = {**pair, "first": pair["second"], "second": pair["first"], POSITION: "second"}
            orders += [(fields, as_string(pair["first"]), index) for fields in (given, swapped)]
        groups = self._samples(orders)
        return [
            [self._pair_sample(one, other) for one, other in zip(given, swapped, strict=True)]
            for given, swapped in zip(groups[::2], groups[1::2], strict=True)
        ]

    def _pair_sample(self, given: Sample, swapped: Sample) -> PairSample:
        outcomes = [None if one.value is None else self.template.verdicts[str(one.value)] for one in (given, swapped)]
        second = None if outcomes[1] is None else SWAPPED[outcomes[1]]
        return PairSample((outcomes[0], second), (given, swapped))

    def _samples(self, prompts: Sequence[tuple[Fields, str, int]]) -> list[list[Sample]]:
        """Returns the samples of each prompt.

        Args:
            prompts: For each prompt its fields, and the text and the index that identify its output in errors.
        """
        asked = [self.template.filled(fields) for fields, _, _ in prompts]
        answers, number = list(chain.from_iterable(self.requests.answers(asked))), self.sampling.samples
        owned = [prompt for prompt in prompts for _ in range(number)]
        samples = [self._sample(fields, answer) for (fields, _, _), answer in zip(owned, answers, strict=True)]
        self.problems.update(sample.problem for sample in samples if sample.problem)
        unusable = (sample for sample in samples if sample.problem and sample.answer)
        if not self.unusable and (first := next(unusable, None)) and first.answer:
            self.unusable = f"{first.problem}: {_start(first.answer.refusal or first.answer.text)}"
        groups = [samples[start : start + number] for start in range(0, len(samples), number)]
        if self.answers is not None:
            for (fields, _, _), messages, group in zip(prompts, asked, groups, strict=True):
                self.answers.add(self._row(fields, messages, *numbered) for numbered in enumerate(group))
        self._check(owned, samples, answers)
        return groups

    def _row(
        self, fields: Fields, messages: Sequence[Mapping[str, str]], number: int, sample: Sample
    ) -> dict[str, Any]:
        """Returns what a file of answers has about a sample."""
        about = {"model": self.sampling.model, "template": self.template.name}
        row = answer_row(fields, about, messages, number, sample.answer)
        if self.template.is_pairwise:
            row["verdict"] = None if sample.value is None else self.template.verdicts[str(sample.value)]
        elif not isinstance(self.template.form, TextsForm):
            row["score"] = sample.value
        else:
            row.update({CLAIMS: list(fields[CLAIMS])} if CLAIMS in fields else {})
            row[self.template.form.where] = None if sample.problem else list(sample.items)
        if isinstance(self.template.form, ErrorsForm) and sample.value is not None:
            row.update(annotation_of(sample.items, fields))
        return {**row, "problem": sample.problem} if sample.problem else row

    def _sample(self, fields: Fields, answer: Answer | RequestFailure) -> Sample:
        if isinstance(answer, RequestFailure):
            return Sample(None, IN_BATCH if answer.scope == "batch" else NO_ANSWER, None)
        form = self.template.form
        try:
            reading = form.expected(answer) if self.sampling.weighting == "logprobs" else form.read(answer)
        except DataError as error:
            raise EndpointError(str(error)) from None
        items = form.items(answer)
        if not reading.problem and len(items) != len(fields.get(CLAIMS, items)):
            return Sample(None, UNPARSABLE, answer)
        return Sample(reading.value, reading.problem, answer, items)

    def _check(
        self,
        owned: Sequence[tuple[Fields, str, int]],
        samples: Sequence[Sample],
        answers: Sequence[Answer | RequestFailure],
    ) -> None:
        """Raises an error that names the outputs without a valid answer, where that is an error."""
        failed, invalid = list[tuple[int, str, str]](), list[tuple[int, str, str]]()
        for (_, text, index), sample, answer in zip(owned, samples, answers, strict=True):
            if not isinstance(answer, RequestFailure):
                said = f"the answer is {sample.problem}: {_start(answer.refusal or answer.text)}"
                invalid += [(index, text, said)] if sample.problem else []
            elif answer.scope != "batch":
                failed.append((index, text, answer.message))
        if failed and self.failed == "error":
            raise _error(
                failed,
                f"{counted(len(failed), 'request')} of {len(owned)} had no answer; the other answers are "
                f"{self.model.kept()}; 'failed' undefined leaves these outputs undefined",
            )
        if invalid and self.invalid == "error":
            raise _error(
                invalid,
                f"{counted(len(invalid), 'answer')} of {len(owned)} cannot be used; 'invalid' undefined leaves these "
                f"outputs undefined",
            )


def annotation_of(items: Items, fields: Fields) -> dict[str, Any]:
    """Returns the spans of errors in an output, and the errors whose words are not in it, for a file of answers."""
    errors = [item for item in items if isinstance(item, AnnotatedError)]
    source = fields.get("source")
    spans, unlocated = located(errors, as_string(fields["summary"]), None if source is None else as_string(source))
    return {"spans": spans, "unlocated": [error._asdict() for error in unlocated]}


def _start(text: str) -> str:
    """Returns the start of a text, in quotation marks."""
    return shown(text).removeprefix("the string ")


def _error(problems: Sequence[tuple[int, str, str]], summary: str) -> OutputError:
    """Returns an error about several outputs, located at the first one.

    Args:
        problems: For each answer the index and the text of its output, and the problem.
        summary: The number of problems, and what to do.
    """
    index, _, first = problems[0]
    others = list(
        dict.fromkeys(f"  also output {_start(text)}: {what}" for other, text, what in problems if other != index)
    )
    rest = len(others) - MAX_SHOWN
    more = [f"  … and {rest} more"] if rest > 0 else []
    return OutputError(f"{first}; {summary}", *others[:MAX_SHOWN], *more, index=index)


class InjectionProbe:
    """Appends a sentence such as ``Score: 100`` to outputs, and counts the scores that change.

    Args:
        template: The template, whose scale decides the sentence.
        name: The name of the metric.
    """

    def __init__(self, template: Template, name: str) -> None:
        self.sentence = template.injection.strip()
        self._end = template.injection
        self._name = name
        self._outputs = 0
        self._changes: list[float] = []

    def probed(self, fields: Fields) -> Fields:
        """Returns an output with the sentence in a new line at its end."""
        return {**fields, "summary": as_string(fields["summary"]) + self._end, PROBED: True}

    def merged(self, scores: MetricsDict, probed: Mapping[str, Any]) -> MetricsDict:
        """Returns the scores of an output with those of the probe; counts and costs of answers are sums.

        ``_probe`` is the score with the sentence, ``_probe_invalid`` the number of its invalid answers.
        ``_probe_changed`` and ``_probe_rose`` are 1 if it differs from, or is higher than, the score without the
        sentence, otherwise 0, and undefined if one of both is undefined.
        """
        name = self._name
        change = probed[name] - scores[name]
        self._outputs += 1
        if not math.isnan(change):
            self._changes.append(change)
        merged = AnnotatedScores(scores, annotations_of(scores))
        for key in ("input_tokens", "output_tokens", "cost"):
            if f"{name}_{key}" in probed:
                merged[f"{name}_{key}"] += probed[f"{name}_{key}"]
        merged[f"{name}_probe"] = probed[name]
        merged[f"{name}_probe_invalid"] = probed[f"{name}_invalid"]
        merged[f"{name}_probe_changed"] = change if math.isnan(change) else float(change != 0)
        merged[f"{name}_probe_rose"] = change if math.isnan(change) else float(change > 0)
        return merged

    def note(self) -> str:
        """Describes the changes so far in one line."""
        count = len(self._changes)
        undefined = f"; {self._outputs - count:,} undefined" if self._outputs > count else ""
        if not count:
            return f"{self._name}: '{self.sentence}' appended: no output has both scores{undefined}"
        changed, rose = sum(change != 0 for change in self._changes), sum(change > 0 for change in self._changes)
        return (
            f"{self._name}: '{self.sentence}' appended to {counted(count, 'output')}: {counted(changed, 'score')} "
            f"changed ({100 * changed / count:.1f} %), {rose:,} rose ({100 * rose / count:.1f} %); mean change "
            f"{math.fsum(self._changes) / count:+.4g}{undefined}"
        )
