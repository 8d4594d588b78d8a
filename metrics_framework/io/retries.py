"""Which failed requests are repeated, and when: those of downloads, and of the endpoints of language models."""

from __future__ import annotations

import random
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from time import time

MAX_WAIT = 30.0
MAX_RETRY_AFTER = 600.0
"""The longest wait that an endpoint may ask for; a request that would have to wait longer fails."""
TEMPORARY = frozenset({408, 425, 429, 500, 502, 503, 504})
"""The status codes after which the same request may succeed."""
TEMPORARY_AT_ENDPOINTS = TEMPORARY | {409, 520, 521, 522, 523, 524, 529}
"""Those of endpoints of language models, which may be overloaded, or reached through a proxy."""


@dataclass
class Retries:
    """How often a failed request is repeated, and how long to wait before.

    Args:
        most: The largest number of repetitions of one request.
        first_wait: The seconds before the first repetition.
        chance: The source of jitter, which keeps threads from repeating their requests at the same time; `None` for no
            jitter.
    """

    most: int
    first_wait: float
    chance: random.Random | None = None

    def wait(self, attempt: int, retry_after: float | None = None) -> float:
        """Returns the seconds to wait before the next attempt.

        The wait doubles up to half a minute. Jitter multiplies it by a random factor from ½ to 1. It is never shorter
        than the endpoint asks for.

        Args:
            attempt: The number of failed attempts, from 1.
            retry_after: What the endpoint asks for.
        """
        doubled = min(MAX_WAIT, self.first_wait * 2.0 ** min(attempt - 1, 30))
        return max(retry_after or 0.0, doubled if self.chance is None else doubled * self.chance.uniform(0.5, 1.0))


def retry_after(value: str | None, now: float | None = None) -> float | None:
    """Returns the seconds of a header ``Retry-After``: a number of seconds or a date; `None` if it is neither.

    >>> retry_after("2"), retry_after("Thu, 01 Jan 1970 00:01:40 GMT", now=40), retry_after("soon")
    (2.0, 60.0, None)
    """
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - (time() if now is None else now)
        except (ValueError, OverflowError):
            return None
    return max(0.0, seconds) if seconds == seconds else None
