"""Samples of answers: structured ones, and one request for all samples of a prompt, where the endpoint can."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any, Literal, TypeAlias

from metrics_framework.language_models.answers import Answer
from metrics_framework.language_models.endpoint import RequestFailure
from metrics_framework.language_models.language_model import LanguageModel

Weighting = Literal["mean", "logprobs"]
StructuredOutput = Literal["off", "on", "auto"]
"""Whether requests state a JSON schema of the answer: never, always, or unless the endpoint refuses it."""
RESPONSE_FORMAT = "response_format"
"""The member of a request with the schema."""
TOP_LOGPROBS = 20  # the most that OpenAI and vLLM return
Messages: TypeAlias = Sequence[Mapping[str, str]]
Outcome: TypeAlias = Answer | RequestFailure


@dataclass(frozen=True)
class Sampling:
    """What is requested besides the messages.

    Args:
        model: The name of the model.
        temperature: The temperature.
        top_p: The probability mass that tokens are sampled from.
        max_tokens: The largest number of tokens of an answer.
        seed: The seed of the first sample; each further sample has the next one.
        samples: The number of answers about each output.
        weighting: Whether a score is the number in the answer, or weighted by the probabilities of its tokens.
        extra_body: Further members of the request; `None` removes a member.
        one_request: Whether to request all samples of an output in one request, if the endpoint can.
        structured_output: Whether requests state the schema.
        schema: The JSON schema of an answer; `None` if it is no JSON object.
    """

    model: str
    temperature: float
    top_p: float
    max_tokens: int
    seed: int
    samples: int
    weighting: Weighting
    extra_body: Mapping[str, Any]
    one_request: bool = False
    structured_output: StructuredOutput = "off"
    schema: Mapping[str, Any] | None = None

    def body_of_all(self, messages: Messages) -> dict[str, Any]:
        """Returns the request of all samples."""
        return {**self.body(messages, 0), "n": self.samples}

    def body(self, messages: Messages, sample: int) -> dict[str, Any]:
        """Returns the request of one sample."""
        body: dict[str, Any] = {
            "model": self.model,
            "messages": list(messages),
            "temperature": self.temperature,
            "top_p": self.top_p,
            "max_tokens": self.max_tokens,
            "seed": self.seed + sample,
        }
        if self.weighting == "logprobs":
            body.update(logprobs=True, top_logprobs=TOP_LOGPROBS)
        if self.structured_output != "off":
            stated = {"name": "answer", "strict": True, "schema": self.schema}
            body[RESPONSE_FORMAT] = {"type": "json_schema", "json_schema": stated}
        body.update(self.extra_body)
        return {name: value for name, value in body.items() if value is not None}


class SampleRequests:
    """Requests the samples of prompts.

    With `Sampling.one_request`, the first prompt shows what the endpoint does with a request for several answers
    (``n``). If it refuses, or returns fewer, the missing samples and those of all other prompts are requested one by
    one.

    Args:
        model: The language model.
        sampling: What is requested.

    Attributes:
        note: Why samples are requested one by one, if the endpoint decides so.
    """

    def __init__(self, model: LanguageModel, sampling: Sampling) -> None:
        self._model = model
        self._sampling = sampling
        self._wants_one = sampling.one_request and sampling.samples > 1
        self.note = ""

    def answers(self, prompts: Sequence[Messages]) -> list[list[Outcome]]:
        """Returns the samples of each prompt.

        Raises:
            EndpointError: if no request can succeed, or many requests in a row have failed.
        """
        if not self._wants_one:
            return self._one_by_one(prompts)
        found: dict[int, list[Outcome]] = {}
        waiting = self._not_kept(prompts, found)
        while waiting and not self.note:
            index = waiting.pop(0)
            found[index] = self._together([prompts[index]])[0]
            if isinstance(found[index][0], Answer):
                break
        ask = self._one_by_one if self.note else self._together
        found.update(zip(waiting, ask([prompts[index] for index in waiting]), strict=True))
        return [found[index] for index in range(len(prompts))]

    def known(self, prompts: Sequence[Messages]) -> list[bool]:
        """Returns for each prompt whether the cache has an answer."""
        alone = self._model.known([self._sampling.body(messages, 0) for messages in prompts])
        if not self._wants_one:
            return alone
        together = self._model.known(list(map(self._sampling.body_of_all, prompts)))
        return [one or other for one, other in zip(alone, together, strict=True)]

    def _not_kept(self, prompts: Sequence[Messages], found: dict[int, list[Outcome]]) -> list[int]:
        """Returns the prompts about which the cache has no answers; adds the answers about the others."""
        together = self._model.known([self._sampling.body_of_all(messages) for messages in prompts])
        alone = self._model.known([self._sampling.body(messages, 0) for messages in prompts])
        kept = [index for index, is_known in enumerate(together) if is_known]
        found.update(zip(kept, self._together([prompts[index] for index in kept], from_cache=True), strict=True))
        kept = [index for index, is_known in enumerate(alone) if is_known and not together[index]]
        found.update(zip(kept, self._one_by_one([prompts[index] for index in kept]), strict=True))
        return [index for index in range(len(prompts)) if index not in found]

    def _one_by_one(self, prompts: Sequence[Messages]) -> list[list[Outcome]]:
        count = self._sampling.samples
        answers = self._model.answers(
            [self._sampling.body(messages, number) for messages in prompts for number in range(count)]
        )
        return [answers[start : start + count] for start in range(0, len(answers), count)]

    def _together(self, prompts: Sequence[Messages], from_cache: bool = False) -> list[list[Outcome]]:
        """Returns the samples of each prompt; those that one request does not return are requested one by one."""
        found = self._model.all_answers([self._sampling.body_of_all(messages) for messages in prompts])
        lacking = [
            (prompt, number)
            for prompt, outcomes in enumerate(found)
            for number, outcome in enumerate(outcomes)
            if isinstance(outcome, RequestFailure) and outcome.scope != "batch"
        ]
        others = self._model.answers([self._sampling.body(prompts[prompt], number) for prompt, number in lacking])
        for (prompt, number), other in zip(lacking, others, strict=True):
            if isinstance(other, Answer) and not self.note and not from_cache:
                self._explain(found[prompt], number)
            found[prompt][number] = other
        return found

    def _explain(self, outcomes: Sequence[Outcome], returned: int) -> None:
        """Notes why samples are requested one by one, given the outcomes of a request that returned too few."""
        failure, why = outcomes[returned], f"returned {returned}"
        if not returned and isinstance(failure, RequestFailure):
            why = f"failed: {failure.message}"
        self.note = f"a request for {len(outcomes)} samples (n) {why}; samples are requested one by one instead"


class StructuredRequests:
    """Requests samples with a schema where the endpoint can, otherwise without.

    The first prompt about which the cache has no answer shows whether the endpoint refuses a schema. If it refuses the
    schema, but answers the same request without it, the schema is left out of all further requests.

    Args:
        model: The language model.
        sampling: What is requested.
    """

    def __init__(self, model: LanguageModel, sampling: Sampling) -> None:
        self._with_schema = SampleRequests(model, sampling)
        self._without = SampleRequests(model, replace(sampling, structured_output="off"))
        self._refusal = ""
        self._is_supported = False

    @property
    def note(self) -> str:
        """What the endpoint does not support, if anything."""
        return "; ".join(filter(None, (self._refusal, self._with_schema.note or self._without.note)))

    def answers(self, prompts: Sequence[Messages]) -> list[list[Outcome]]:
        """Returns the samples of each prompt; answers in the cache may be of either kind.

        Raises:
            EndpointError: if no request can succeed, or many requests in a row have failed.
        """
        found: dict[int, list[Outcome]] = {}
        waiting = list(range(len(prompts)))
        for requests in (self._with_schema, self._without):
            kept = list(compress(waiting, requests.known([prompts[index] for index in waiting])))
            found.update(zip(kept, requests.answers([prompts[index] for index in kept]), strict=True))
            waiting = [index for index in waiting if index not in found]
        while waiting and not (self._is_supported or self._refusal):
            index = waiting.pop(0)
            found[index] = self._tried(prompts[index])
        requests = self._without if self._refusal else self._with_schema
        found.update(zip(waiting, requests.answers([prompts[index] for index in waiting]), strict=True))
        return [found[index] for index in range(len(prompts))]

    def _tried(self, prompt: Messages) -> list[Outcome]:
        """Returns the samples of a prompt, and finds out whether the endpoint accepts a schema."""
        (outcomes,) = self._with_schema.answers([prompt])
        if isinstance(outcomes[0], Answer):
            self._is_supported = True
            return outcomes
        (plain,) = self._without.answers([prompt])
        if not isinstance(plain[0], Answer):
            return outcomes
        self._refusal = (
            f"a request for structured output ({RESPONSE_FORMAT}) failed: {outcomes[0].message}; requests have no "
            "schema instead"
        )
        return plain
