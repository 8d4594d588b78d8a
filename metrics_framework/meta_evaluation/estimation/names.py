"""The names of options, and how verdicts are written."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

TuningName = Literal["free", "clipped"]
TUNINGS: tuple[TuningName, ...] = get_args(TuningName)
Tuning: TypeAlias = TuningName | float
"""How λ is chosen, or λ itself."""
ErrorsOf = Literal["system", "all"]
"""Whose ratings the error rates of a pass/fail judge are estimated from."""
ERRORS_OF: tuple[ErrorsOf, ...] = get_args(ErrorsOf)
VERDICTS = {
    **dict.fromkeys(("1", "1.0", "true", "yes", "pass", "passed", "good", "correct"), 1.0),
    **dict.fromkeys(("0", "0.0", "false", "no", "fail", "failed", "bad", "incorrect"), 0.0),
}
"""Spellings of verdicts, in lower case: 1 is good, 0 is bad."""
FEWEST_RATED = 50
"""Below this many ratings, normal intervals are too short."""
FEWEST_PAIRS = 10
"""Differences of systems are undefined if fewer inputs have ratings of both."""
IMBALANCE = 3.0
"""Rated and unrated outputs differ if their mean scores are further apart, in standard errors."""
