"""Which failed requests are repeated, and when."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from time import time

FIRST_WAIT, MAX_WAIT = 0.5, 30.0
MAX_RETRY_AFTER = 600.0
"""The longest wait that an endpoint may ask for; a request that would have to wait longer fails."""
REPEATED = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529})
"""The status codes after which the same request may succeed."""


@dataclass
class Retries:
    """How often a failed request is repeated, and how long to wait before.

    Args:
        most: The largest number of repetitions of one request.
        chance: The source of the jitter, which keeps threads from repeating their requests at the same time.
    """

    most: int = 5
    chance: random.Random = field(default_factory=random.Random)

    def wait(self, attempt: int, retry_after: float | None = None) -> float:
        """Returns the seconds to wait before the next attempt.

        The wait doubles from half a second to half a minute, and is multiplied by a random factor from ½ to 1. It is
        never shorter than the endpoint asks for.

        Args:
            attempt: The number of failed attempts, from 1.
            retry_after: What the endpoint asks for.
        """
        doubled = min(MAX_WAIT, FIRST_WAIT * 2.0 ** min(attempt - 1, 30))
        return max(retry_after or 0.0, doubled * self.chance.uniform(0.5, 1.0))


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
