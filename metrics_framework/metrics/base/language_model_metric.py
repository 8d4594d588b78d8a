"""The base class of metrics that ask a language model of an OpenAI-compatible endpoint."""

from __future__ import annotations

import hashlib
import json
import math
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from copy import copy
from typing import Any

from metrics_framework.common.errors import UsageError
from metrics_framework.common.overriding import overrides
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.language_models.answer_file import IDS, AnswerFile
from metrics_framework.language_models.answers import Answer
from metrics_framework.language_models.endpoint import KEY_VARIABLE, base_url, check_key_variable
from metrics_framework.language_models.judge import Fields, Judge, Policy, at_least, members, prices
from metrics_framework.language_models.language_model import BatchFile, LanguageModel, UnansweredRequestsError
from metrics_framework.language_models.samples import RESPONSE_FORMAT, Sampling, StructuredOutput, Weighting
from metrics_framework.language_models.templates import Template
from metrics_framework.metrics.base.batch_scores import in_groups, outputs_in
from metrics_framework.metrics.base.metric import InputBatches
from metrics_framework.metrics.base.requirements import Package
from metrics_framework.metrics.base.shapes import ChosenFieldsMetric

PRICED_TOKENS = 1_000_000


class LanguageModelMetric(ChosenFieldsMetric):
    """Base class of metrics that ask a language model.

    Args:
        model: The name of the model, as the endpoint knows it.
        url: The base URL of the endpoint; by default the environment variable OPENAI_BASE_URL.
        key_variable: The environment variable with the key; no key is sent if it is unset.
        temperature: The temperature; by default that of the template.
        top_p: The probability mass from which tokens are sampled.
        max_tokens: The largest number of tokens of an answer; by default that of the template.
        sampling_seed: The seed of the first sample; each further one has the next seed.
        extra_body: Further members of each request, as a JSON object; null removes a member.
        structured_output: Whether requests state a JSON schema, which the endpoint then enforces (on, off), or unless
            the endpoint refuses it (auto); for templates whose answers are JSON objects.
        invalid: What an answer without a valid score becomes: an undefined score, or an error.
        failed: What a request without an answer becomes, after all retries: an error, or an undefined score.
        concurrency: The number of requests in progress at the same time.
        requests_per_minute: The largest number of requests per minute; by default no limit.
        retries: How often a failed request is repeated, with growing waits.
        time_limit: The seconds within which an answer must be complete.
        answers: A file for all answers, as JSON lines: output, prompt, answer, reasoning, score, tokens and cost.
        input_price: The price of a million input tokens, in any currency.
        output_price: The price of a million output tokens.
        calls: Whether to make requests; otherwise only the cache answers.
        cache: Whether to read answers from the cache and keep them there.
        write_batch: A file for the requests whose answers are not in the cache, in the batch format of
            OpenAI-compatible services; then no request is made, and nothing is scored until no answer is missing.
        read_batch: Files with the answers to such requests, which are put into the cache; then no request is made.

    Raises:
        UsageError: if an option is invalid.
    """

    requirements = (Package("httpx", "judge"),)
    in_one_process = True
    checks_all_inputs = True
    example_flags = "--url http://localhost:8000/v1 --model NAME"
    unsigned_options = (
        *("url", "key_variable", "invalid", "failed", "concurrency", "requests_per_minute"),
        *("retries", "time_limit", "answers", "calls", "cache", "write_batch", "read_batch"),
    )

    def __init__(
        self,
        model: str | None = None,
        url: str | None = None,
        key_variable: str = KEY_VARIABLE,
        temperature: float | None = None,
        top_p: float = 1.0,
        max_tokens: int | None = None,
        sampling_seed: int = 0,
        extra_body: str | None = None,
        structured_output: StructuredOutput = "off",
        invalid: Policy = "undefined",
        failed: Policy = "error",
        concurrency: int = 8,
        requests_per_minute: float | None = None,
        retries: int = 5,
        time_limit: float = 120.0,
        answers: str | None = None,
        input_price: float | None = None,
        output_price: float | None = None,
        calls: bool = True,
        cache: bool = True,
        write_batch: str | None = None,
        read_batch: Sequence[str] = (),
    ) -> None:
        super().__init__()
        check_key_variable(key_variable)
        self._model_name = model or ""
        self._url = url
        self._temperature = temperature
        self._max_tokens = max_tokens
        self._top_p = at_least(0, "top_p", top_p, most=1)
        self._seed = int(at_least(0, "sampling_seed", sampling_seed))
        self._extra = members(extra_body)
        self._structured_output: StructuredOutput = structured_output
        self._policies = (invalid, failed)
        self._prices = prices(input_price, output_price)
        self._access: dict[str, Any] = {
            "key_variable": key_variable,
            "time_limit": at_least(0.001, "time_limit", time_limit),
            "retries": int(at_least(0, "retries", retries)),
            "concurrency": int(at_least(1, "concurrency", concurrency)),
            "requests_per_minute": requests_per_minute
            if requests_per_minute is None
            else at_least(0.001, "requests_per_minute", requests_per_minute),
            "cache": cache,
            "calls": calls and not read_batch,
            "read_batches": read_batch,
            "write_batch": None if write_batch is None else BatchFile(write_batch),
        }
        self.needs_all_inputs = write_batch is not None
        self.keeps_scores = cache
        if not cache and (write_batch is not None or read_batch):
            raise UsageError("the answers of a batch are kept in the cache: 'cache' must be true with batch files")
        if structured_output != "off" and RESPONSE_FORMAT in self._extra:
            raise UsageError(f"'{RESPONSE_FORMAT}' in 'extra_body' contradicts 'structured_output'; use one of them")
        if structured_output == "auto" and write_batch is not None:
            raise UsageError("a batch cannot try what the endpoint supports: use 'structured_output' on or off")
        if not cache and not calls:
            raise UsageError("without calls, all answers come from the cache: 'calls' and 'cache' cannot both be false")
        self.answers = None if answers is None else AnswerFile(answers, self.cost)
        if self.answers is not None:
            self.required_summary_fields = ("summary", *IDS)
        self._language_model: LanguageModel | None = None

    @overrides
    def files_read(self) -> list[str]:
        """Returns files of answers and batches, which no other file of a run may replace."""
        answers = [] if self.answers is None else [self.answers.path]
        return [*answers, *(batch.path for batch in self.batches()), *self._access["read_batches"]]

    def sampling_of(
        self, template: Template, samples: int | None = None, weighting: Weighting = "mean", one_request: bool = False
    ) -> Sampling:
        """Returns what is requested with a template, whose header has defaults.

        Raises:
            UsageError: if an option is invalid.
        """
        if self._structured_output != "off" and template.schema is None:
            raise UsageError(
                f"'structured_output' needs a template whose answers are JSON objects; those of '{template.name}' are "
                "not"
            )
        temperature, max_tokens = self._temperature, self._max_tokens
        return Sampling(
            self._model_name,
            at_least(0, "temperature", template.number("temperature", 0) if temperature is None else temperature),
            self._top_p,
            int(at_least(1, "max_tokens", template.number("max_tokens", 500) if max_tokens is None else max_tokens)),
            self._seed,
            int(at_least(1, "samples", template.number("samples", 1) if samples is None else samples)),
            weighting,
            self._extra,
            one_request,
            self._structured_output,
            template.schema,
        )

    def judge_of(self, template: Template, sampling: Sampling) -> Judge:
        """Returns a judge with a template; all judges of a metric share its connections and counts.

        Raises:
            UsageError: if there is no model or no URL.
        """
        if self._language_model is None:
            if not self._model_name:
                how = f"the endpoint knows it, as in {self.name}:model=NAME,url=http://localhost:8000/v1"
                raise UsageError(f"'{self.name}' needs 'model', the name of the model as {how}")
            self._language_model = LanguageModel(base_url(self._url), **self._access)
        return Judge(template, sampling, self._language_model, *self._policies, self.answers)

    @abstractmethod
    def check(self, outputs: Sequence[Fields]) -> None:
        """Checks that the fields of all outputs can be part of a prompt.

        Raises:
            OutputError: if a field cannot.
        """

    @overrides
    def check_inputs(self, columns: Sequence[Sequence[Any]]) -> None:
        self.check(self._outputs_of_columns(columns))

    @abstractmethod
    def scores_of(self, outputs: Sequence[Fields]) -> list[MetricsDict]:
        """Returns the scores of outputs, given the fields of each."""

    @overrides
    def score_multi_all(self, *groups: Any) -> list[list[MetricsDict]]:
        try:
            scores = self.scores_of(self.outputs_of(groups))
        finally:
            self.write_answers()
        self.end_if_unanswered()
        return in_groups(scores, groups[0])

    def batches(self) -> Sequence[BatchFile]:
        """Returns the batch files that requests are written to."""
        batch: BatchFile | None = self._access["write_batch"]
        return () if batch is None else (batch,)

    def write_answers(self) -> None:
        """Writes the answers since the last call to their file, unless some are still to be requested by a batch."""
        if self.answers is not None and not any(batch.count for batch in self.batches()):
            self.answers.write(signature=self.signature())

    def end_if_unanswered(self) -> None:
        """Ends a run whose answers are not complete, after writing its batch.

        Raises:
            UnansweredRequestsError: if requests are in a batch.
        """
        written = [batch for batch in self.batches() if batch.count]
        for batch in written:
            batch.write()
        if written:
            which = "the batch" if len(written) == 1 else "each batch"
            raise UnansweredRequestsError(
                f"nothing is scored yet: send {which} to the endpoint, and run again with its results as "
                "'read_batch' instead of 'write_batch'"
            )

    @overrides
    def prepared(self, inputs: InputBatches) -> AbstractContextManager[None]:
        """Writes the requests about all outputs of a run to the batch."""
        collector = self.collector()
        for _, columns in inputs:
            collector.scores_of(self._outputs_of_columns(columns))
            for batch in self.batches():
                batch.write()
        return nullcontext()

    def collector(self) -> LanguageModelMetric:
        """Returns a copy that fills the same batches, but has its own counts and writes no answers."""
        collector = copy(self)
        collector.answers = None
        return collector

    def _outputs_of_columns(self, columns: Sequence[Sequence[Any]]) -> list[dict[str, Any]]:
        count = len(self.required_summary_fields)
        return self.outputs_of([*([[value] for value in column] for column in columns[:count]), *columns[count:]])

    def outputs_of(self, groups: Sequence[Any]) -> list[dict[str, Any]]:
        """Returns the fields of each output, given the arguments of ``score_multi_all``."""
        outputs = outputs_in(groups, len(self.required_summary_fields))
        return [dict(zip(self.fields, values, strict=True)) for group in outputs for values in group]

    def options_of_requests(self, sampling: Sampling) -> dict[str, Any]:
        """Returns what a signature states about requests as they are sent; ``default`` for a member that is not."""
        body = sampling.body((), 0)
        return {
            "model": sampling.model or None,
            **{stated: shown_member(body.get(name, "default")) for name, stated in STATED.items()},
            **({} if sampling.structured_output == "off" else {"structured_output": sampling.structured_output}),
        }

    def options_of_costs(self) -> dict[str, Any]:
        """Returns what a signature states about further members of requests and prices."""
        extra = {name: value for name, value in self._extra.items() if name not in STATED}
        options = {"extra": shown_member(extra)} if extra else {}
        if self._prices is not None:
            options["prices"] = "+".join(f"{price:g}" for price in self._prices)
        return options

    def costs(self, answers: Iterable[Answer | None]) -> dict[str, float]:
        """Returns the scores that state tokens and cost of the answers about an output."""
        known = list(answers)
        given = _total(None if answer is None else answer.input_tokens for answer in known)
        written = _total(None if answer is None else answer.output_tokens for answer in known)
        scores = {f"{self.name}_input_tokens": given, f"{self.name}_output_tokens": written}
        cost = self.cost(given, written)
        return scores if cost is None else {**scores, f"{self.name}_cost": cost}

    def cost(self, input_tokens: float, output_tokens: float) -> float | None:
        """Returns the cost of tokens; `None` without prices."""
        if self._prices is None:
            return None
        return (input_tokens * self._prices[0] + output_tokens * self._prices[1]) / PRICED_TOKENS

    def notes_of(self, judges: Sequence[Judge], *others: str) -> Sequence[str]:
        """Returns a line with the numbers of requests, tokens and invalid answers, other lines, and those of the cache.

        Args:
            judges: The judges that the metric has asked.
            others: Lines about the answers.
        """
        model = self._language_model
        if model is None:
            return ()
        notes = [f"{self.name}: {note}" for note in model.notes()]
        counts = model.counts
        if not (counts.cached or counts.answered):
            return notes
        cost = self.cost(counts.input_tokens, counts.output_tokens)
        summary = counts.summary(
            "" if cost is None else f", which cost {cost:.4g}", [judge.problems for judge in judges]
        )
        of_samples = [f"{self.name}: {judge.requests.note}" for judge in judges if judge.requests.note]
        unusable = [
            f"{self.name}: the first answer without a score is {one.unusable}" for one in judges if one.unusable
        ]
        return [f"{self.name}: {summary}", *others, *of_samples, *unusable[:1], *notes]

    def __getstate__(self) -> dict[str, Any]:
        """Leaves out connections, the key and counts."""
        return {**self.__dict__, "_language_model": None}


STATED = {"temperature": "temperature", "top_p": "top_p", "max_tokens": "max_tokens", "seed": "sampling_seed"}
"""The members of requests that a signature always states, and their names there: ``seed`` is that of resampling."""


def shown_member(value: Any) -> str:
    """Returns a JSON value for a signature, whose fields end at ``|``, and at ``;`` within other signatures.

    >>> shown_member(1.0), shown_member("default"), shown_member({"stop": ["|"], "effort": "low"})
    ('1', 'default', '{"effort":"low","stop":["\\\\u007c"]}')
    """
    if value == "default" or isinstance(value, float):
        return f"{value:g}" if isinstance(value, float) else value
    shown = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return shown.replace("|", "\\u007c").replace(";", "\\u003b")


def digest_of(value: Any) -> str:
    """Returns eight digits of a hash of a JSON value, for signatures."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:8]


def _total(counts: Iterable[int | None]) -> float:
    """Returns the sum of counts; NaN if one is unknown."""
    known = list(counts)
    return math.nan if None in known else sum(count for count in known if count is not None)
