"""`LanguageModel`: asks many requests at once, keeps every answer in a cache, and counts what happens."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from itertools import chain
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread
from typing import Any

from metrics_framework.common.errors import DataError, EndpointError, FwError, counted
from metrics_framework.common.logs import progress_within
from metrics_framework.io.disk_cache import DiskCache, cache_key
from metrics_framework.io.download import Retries
from metrics_framework.io.jsonl import LineFile, read_jsonl
from metrics_framework.language_models.answers import IN_BATCH, NO_ANSWER, PROBLEMS, Answer
from metrics_framework.language_models.endpoint import Endpoint, RequestFailure


class RateLimit:
    """Spaces the requests of several threads, and pauses all of them if the endpoint asks for it.

    Args:
        per_minute: The number of requests per minute; `None` for no limit.
        clock: Returns the time in seconds.

    >>> limit = RateLimit(60, clock=lambda: 0.0)
    >>> limit.reserve(), limit.reserve(), limit.reserve()
    (0.0, 1.0, 2.0)
    """

    def __init__(self, per_minute: float | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._interval = 60 / per_minute if per_minute else 0.0
        self._clock = clock
        self._lock = Lock()
        self._next = 0.0
        self._paused_until = 0.0

    def reserve(self) -> float:
        """Reserves the time of one request; returns how many seconds it is away."""
        with self._lock:
            now = self._clock()
            start = max(now, self._next)
            self._next = start + self._interval
            return start - now

    def pause(self, seconds: float) -> None:
        """Lets no request start for some seconds."""
        with self._lock:
            self._paused_until = max(self._paused_until, self._clock() + seconds)

    def paused(self) -> float:
        """Returns for how many seconds requests are paused."""
        return max(0.0, self._paused_until - self._clock())


CACHE = "language-models"
VERSION = 1
"""The version of what is kept in the cache."""
MIN_FAILURES = 5
"""The number of requests in a row that fail in all attempts after which a run ends, unless more are in progress."""
MIN_REFUSALS = 25
"""The number of requests that the endpoint rejects, before it answers the first one, after which a run ends."""
FIRST_WAIT = 0.5
"""The seconds before a failed request is repeated for the first time."""
SECONDS_TO_FINISH = 5.0
"""How long the end of a run waits for answers in progress, which may have to be paid for."""

Body = Mapping[str, Any]
Keys = tuple[str, ...]
"""The keys of the answers to a request: one, or as many as it asks for (``n``)."""


@dataclass
class Counts:
    """What happened to the requests of a run.

    Args:
        cached: The number of requests that were answered from the cache.
        answered: The number of requests that the endpoint answered.
        retries: The number of repeated attempts.
        failed: The number of requests without an answer.
        input_tokens: The tokens of the requests that the endpoint answered in this run.
        output_tokens: The tokens of its answers.
    """

    cached: int = 0
    answered: int = 0
    retries: int = 0
    failed: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    def add(self, answer: Answer) -> None:
        """Counts an answer of the endpoint."""
        self.answered += 1
        self.input_tokens += answer.input_tokens or 0
        self.output_tokens += answer.output_tokens or 0

    def summary(self, cost: str, problems: Sequence[Mapping[str, int]]) -> str:
        """Describes the requests so far in one line.

        Args:
            cost: What the requests of this run cost.
            problems: The numbers of answers without a value, by problem.
        """
        parts = [
            f"{counted(self.cached + self.answered, 'answer')}: {self.cached:,} from the cache, {self.answered:,} "
            f"requested" + (f" ({self.retries:,} repeated)" if self.retries else "")
        ]
        if self.answered:
            parts.append(f"this run used {self.input_tokens:,} input and {self.output_tokens:,} output tokens{cost}")
        numbers = {name: sum(one.get(name, 0) for one in problems) for name in (*PROBLEMS, NO_ANSWER, IN_BATCH)}
        found = [f"{number:,} {name}" for name, number in numbers.items() if number]
        return "; ".join([*parts, *([", ".join(found)] if found else [])])


@dataclass
class _Work:
    """The requests that threads share.

    Args:
        tasks: Keys and bodies.
        results: Keys with answers or failures; an exception that is no failure of a request ends the run.
        stop: Set when the run ends; also ends the waits of all threads.
    """

    tasks: SimpleQueue[tuple[Keys, Body]] = field(default_factory=SimpleQueue)
    results: SimpleQueue[tuple[Keys, list[Answer] | BaseException]] = field(default_factory=SimpleQueue)
    stop: Event = field(default_factory=Event)


_NOT_RETURNED = RequestFailure("the endpoint returned fewer answers than the request asked for", "request")


@dataclass(eq=False)
class LanguageModel:
    """The language model of an endpoint.

    Every answer is on disk before the next request of its thread starts, so that a run that is killed loses only the
    answers in progress, and a repeated run makes no requests.

    Args:
        url: The base URL of the endpoint.
        key_variable: The environment variable with the key.
        time_limit: The seconds within which an answer must be complete.
        retries: How often failed requests are repeated.
        concurrency: The number of requests in progress at the same time.
        requests_per_minute: The largest rate of requests; `None` for no limit.
        cache: Whether answers are read from and kept in the cache.
        calls: Whether the endpoint may be asked; otherwise only the cache answers.
        write_batch: Receives the requests whose answers are not in the cache, instead of the endpoint.
        read_batches: Files with answers of the endpoint to earlier requests, for the cache.
    """

    url: str
    key_variable: str
    _: KW_ONLY
    time_limit: float = 120.0
    retries: int = 5
    concurrency: int = 8
    requests_per_minute: float | None = None
    cache: bool = True
    calls: bool = True
    write_batch: BatchFile | None = None
    read_batches: Sequence[str] = ()

    def __post_init__(self) -> None:
        self._unread = list(self.read_batches)
        self._notes: list[str] = []
        self.counts = Counts()
        self._retries = Retries(self.retries, FIRST_WAIT, random.Random())
        self._limit = RateLimit(self.requests_per_minute)
        self._cache = DiskCache(CACHE) if self.cache else None
        self._lock = Lock()
        self._endpoint: Endpoint | None = None
        self._was_reached = False

    def answers(self, bodies: Sequence[Body]) -> list[Answer | RequestFailure]:
        """Returns the first answer or a failure for each request; see `all_answers`."""
        return [first for first, *_ in self.all_answers(bodies)]

    def known(self, bodies: Sequence[Body]) -> list[bool]:
        """Returns for each request whether the cache has its first answer."""
        self._read_all()
        keys = [self._keys(body)[0] for body in bodies]
        found = {} if self._cache is None else self._cache.get(keys, Answer.from_json)
        return [key in found for key in keys]

    def _keys(self, body: Body) -> Keys:
        """Returns the keys of the answers to a request."""
        return keys_of(cache_key("chat", VERSION, self.url, body), body.get("n", 1))

    def all_answers(self, bodies: Sequence[Body]) -> list[list[Answer | RequestFailure]]:
        """Returns as many answers or failures for each request as it asks for, in the order of the requests.

        Equal requests are made once. A request that asks for several answers (``n``) is made only if the cache has
        none of them; answers that the endpoint did not return are failures.

        Args:
            bodies: The requests; each answer is reproducible as far as the body determines it.

        Raises:
            EndpointError: if no request can succeed, or many requests in a row have failed.
            UsageError: if the cache cannot be used.
        """
        self._read_all()
        keys = list(map(self._keys, bodies))
        found: dict[str, Answer | RequestFailure] = {}
        if self._cache is not None:
            found.update(self._cache.get(chain.from_iterable(keys), Answer.from_json))
        self.counts.cached += len(found)
        missing = {some: body for some, body in zip(keys, bodies, strict=True) if some[0] not in found}
        if missing and self.write_batch is not None:
            for some, body in missing.items():
                self.write_batch.request(some[0], body)
            written = RequestFailure(f"the request is in {self.write_batch.path}", "batch")
            found.update(dict.fromkeys(chain.from_iterable(missing), written))
        elif missing and not self.calls:
            failure = RequestFailure("the answer is not in the cache, and no requests are allowed", "request")
            found.update(dict.fromkeys(chain.from_iterable(missing), failure))
            self.counts.failed += len(missing)
        elif missing:
            found.update(self._requested(missing))
        return [[found.get(key, _NOT_RETURNED) for key in some] for some in keys]

    def _read_all(self) -> None:
        """Puts the answers of batches into the cache.

        Raises:
            DataError: if a file has something other than answers to requests of this package.
        """
        while self._unread:
            path = self._unread.pop(0)
            failures: list[str] = []
            answers: dict[str, Answer] = {}
            for key, status, value in read_batch(path):
                try:
                    found = self._asked().answers_in(status, value)
                    answers.update(zip(keys_of(key, len(found)), found, strict=True))
                except RequestFailure as failure:
                    failures.append(failure.message)
            if self._cache is not None:
                self._cache.put({key: answer.as_json() for key, answer in answers.items()})
            failed = f"; {counted(len(failures), 'request')} failed, the first: {failures[0]}" if failures else ""
            self._notes.append(f"read {counted(len(answers), 'answer')} of {path}{failed}")

    def _asked(self) -> Endpoint:
        """Returns the endpoint, which reads the environment when it is first needed."""
        if self._endpoint is None:
            self._endpoint = Endpoint(self.url, self.key_variable, self.time_limit, self.concurrency)
        return self._endpoint

    def _requested(self, missing: Mapping[Keys, Body]) -> dict[str, Answer | RequestFailure]:
        """Makes requests in several threads; a signal ends the wait, and answers in progress are still kept."""
        endpoint, work = self._asked(), _Work()
        for task in missing.items():
            work.tasks.put(task)
        count = min(self.concurrency, len(missing))
        threads = [
            Thread(target=self._serve, args=(work, endpoint), daemon=True, name="fw-request") for _ in range(count)
        ]
        results: dict[str, Answer | RequestFailure] = {}
        try:
            for thread in threads:
                thread.start()
            self._collect(work, len(missing), results)
        finally:
            work.stop.set()
            _join(threads, SECONDS_TO_FINISH)
        return results

    def _collect(self, work: _Work, count: int, results: dict[str, Answer | RequestFailure]) -> None:
        """Waits for results.

        Raises:
            EndpointError: if further requests would fail too.
        """
        in_a_row = rejected = 0
        with progress_within("requested", "answers") as advance:
            for _ in range(count):
                keys, result = work.results.get()
                if isinstance(result, RequestFailure):
                    self.counts.failed += 1
                    in_a_row += result.attempts > 0
                    rejected += result.attempts == 0
                    self._give_up(result, in_a_row, rejected)
                elif isinstance(result, BaseException):
                    raise result
                else:
                    in_a_row = rejected = 0
                results.update(zip(keys, result if isinstance(result, list) else [result] * len(keys), strict=False))
                advance(1)

    def _give_up(self, failure: RequestFailure, in_a_row: int, rejected: int) -> None:
        """Raises an error if further requests would fail too.

        A request that the endpoint rejects, such as a document that is too long, says nothing about further ones once
        it has answered others.
        """
        arrived = f"; the answers that have arrived are {self.kept()}" if self.counts.answered else ""
        if failure.scope == "endpoint":
            raise EndpointError(f"{failure.message}{arrived}")
        if in_a_row >= max(MIN_FAILURES, self.concurrency) or (
            rejected >= MIN_REFUSALS and not self.counts.answered + self.counts.cached
        ):
            failed = max(in_a_row, rejected)
            raise EndpointError(f"{failed} requests in a row have failed; the last: {failure.message}{arrived}")

    def notes(self) -> list[str]:
        """Returns notes on batch files and the cache."""
        written = [self.write_batch.note()] if self.write_batch is not None else []
        return [*self._notes, *written, *([] if self._cache is None else self._cache.notes())]

    def kept(self) -> str:
        """Describes what happens to answers when a run ends by an error."""
        if self._cache is None:
            return "lost, because 'cache' is false"
        return "in the cache, so that the same command requests only what is missing"

    def _serve(self, work: _Work, endpoint: Endpoint) -> None:
        """Makes requests until there are no more; runs in a thread."""
        while not work.stop.is_set():
            try:
                keys, body = work.tasks.get_nowait()
            except Empty:
                return
            try:
                answers = self._attempts(body, work.stop, endpoint)
                if answers is None:
                    return
                self._keep(keys, answers[: len(keys)])
                work.results.put((keys, answers))
            except BaseException as error:  # the main thread raises it
                if not isinstance(error, RequestFailure) or error.scope == "endpoint":
                    work.stop.set()
                work.results.put((keys, error))

    def _attempts(self, body: Body, stop: Event, endpoint: Endpoint) -> list[Answer] | None:
        """Makes a request until it succeeds or may not be repeated; `None` if the run ends before.

        Raises:
            RequestFailure: if there is no answer.
        """
        attempt = 0
        while not self._waited(stop):
            try:
                answers = endpoint.answers(body)
                self._was_reached = True
                return answers
            except RequestFailure as failure:
                attempt += 1
                self._was_reached |= failure.reached
                self._check_failure(failure, attempt)
                wait = self._retries.wait(attempt, failure.wait)
                if failure.wait is not None:
                    self._limit.pause(wait)
                with self._lock:
                    self.counts.retries += 1
                stop.wait(wait)
        return None

    def _check_failure(self, failure: RequestFailure, attempt: int) -> None:
        """Raises a failure after which the request is not repeated."""
        if not self._was_reached:  # a wrong URL, or a server that is not running: waiting does not help
            raise RequestFailure(failure.message, "endpoint")
        if failure.scope != "attempt":
            raise failure
        if attempt > self._retries.most:
            attempts = f" ({attempt} attempts)" if attempt > 1 else ""
            raise RequestFailure(f"{failure.message}{attempts}", "request", attempts=attempt)

    def _waited(self, stop: Event) -> bool:
        """Waits until the rate limit allows a request; returns whether the run ends."""
        stop.wait(self._limit.reserve())
        while not stop.is_set() and (seconds := self._limit.paused()) > 0:
            stop.wait(seconds)
        return stop.is_set()

    def _keep(self, keys: Keys, answers: Sequence[Answer]) -> None:
        with self._lock:
            for answer in answers:
                self.counts.add(answer)
            if self._cache is not None:
                self._cache.put({key: answer.as_json() for key, answer in zip(keys, answers, strict=False)})


def keys_of(key: str, count: int) -> Keys:
    """Returns the keys of several answers to the request with a key."""
    return (key, *(f"{key}-{number}" for number in range(1, count)))


def _join(threads: Sequence[Thread], seconds: float) -> None:
    """Waits for threads, at most for some seconds in total."""
    deadline = time.monotonic() + seconds
    for thread in threads:
        if thread.ident is not None:
            thread.join(max(0.0, deadline - time.monotonic()))


PATH = "/v1/chat/completions"
MAX_REQUESTS = 50_000
"""The most requests in one file that OpenAI accepts."""
_BODY = "body"
_ID, _IDS = "custom_id", re.compile("[0-9a-f]{64}")


class UnansweredRequestsError(FwError):
    """A run ends before it scores outputs, because its requests are now in a batch file, as ``--write-batch`` asks."""

    exit_code = 0
    kind = ""


class BatchFile(LineFile):
    """A file of requests that an endpoint answers later, in the format of OpenAI-compatible services.

    Args:
        path: The file.

    Raises:
        UsageError: if its name does not end with ``.jsonl``, or it exists and has something other than requests.
    """

    def __init__(self, path: str) -> None:
        super().__init__(path, "requests", _BODY, permissions=0o600)
        self._ids: set[str] = set()

    @property
    def count(self) -> int:
        """The number of requests."""
        return len(self._ids)

    def request(self, key: str, body: Body) -> None:
        """Adds a request, once."""
        if key not in self._ids:
            self._ids.add(key)
            self.add([{_ID: key, "method": "POST", "url": PATH, _BODY: dict(body)}])

    def note(self) -> str:
        """Describes the file in one line."""
        too_many = f"; OpenAI accepts {MAX_REQUESTS:,} per file: split it" if self.count > MAX_REQUESTS else ""
        return f"wrote {counted(self.count, 'request')} to {self.path}{too_many}"


def read_batch(path: str) -> Iterator[tuple[str, int, Any]]:
    """Yields the answers in a file of results: the key of the request, the HTTP status (0 if the request was not made),
    and the body of the response, or the error.

    Raises:
        DataError: if a line is no answer to a request of this package.
    """
    for line, row in read_jsonl(path):
        key, response, error = row.get(_ID), row.get("response"), row.get("error")
        if not isinstance(key, str) or not _IDS.fullmatch(key):
            raise DataError(f"'{_ID}' must be that of a request that 'write_batch' wrote, got {key!r}", path, line)
        if _BODY in row and response is None and error is None:
            raise DataError("is a request; 'read_batch' reads the results that the endpoint returns", path, line)
        if isinstance(response, Mapping):
            status = response.get("status_code")
            yield key, status if isinstance(status, int) else 200, response.get("body")
        else:
            yield key, 0, {"error": error if error is not None else "no response"}
