"""Random weights that are a function of an input's id, the number of the resample and the seed.

Such weights need no order of the inputs and no list of them, so the sums of resamples can be computed anywhere, part by
part. In a Poisson bootstrap, each input has an independent weight from a Poisson distribution with mean 1 in each
resample; with many inputs, its resamples are distributed as those of drawing with replacement.

Sources: Hanley and MacGibbon (Computer Methods and Programs in Biomedicine, 2006) and Chamandy, Muralidharan, Najmi and
Naidu (Google technical report, 2012) for the Poisson bootstrap; Steele, Lea and Flood (OOPSLA 2014) for SplitMix64.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from hashlib import blake2b
from typing import TYPE_CHECKING

from metrics_framework.common.arrays import Floats

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Words = npt.NDArray[np.uint64]

_STEP = 0x9E3779B97F4A7C15
_FACTORS = (0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
_SHIFTS = (30, 27, 31)
_LANE_BITS = 16
_LANES = 64 // _LANE_BITS
_INPUTS_AT_ONCE = 64
"""The number of inputs whose words are computed together, so that they stay in the CPU's cache."""


def input_words(ids: Sequence[str], seed: int) -> Words:
    """Returns a random word for each input, from its id and the seed; equal on every machine."""
    import numpy as np

    key = seed.to_bytes(8, "little", signed=False) if seed < 1 << 64 else str(seed).encode()[:64]
    digests = (blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8, key=key).digest() for name in ids)
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)


def poisson_weights(words: Words, count: int) -> Floats:
    """Returns how often each resample counts each input, shape (inputs, count).

    A weight is the quantile of 16 random bits in a Poisson distribution with mean 1; its mean is 1, and its variance is
    too small by 3e-5.

    Args:
        words: The random word of each input.
        count: The number of resamples.
    """
    import numpy as np

    weights = np.empty((len(words), count))
    quantiles = _quantiles()
    for start in range(0, len(words), _INPUTS_AT_ONCE):
        block = _random_words(words[start : start + _INPUTS_AT_ONCE], 0, -(-count // _LANES))
        weights[start : start + _INPUTS_AT_ONCE] = quantiles.take(block.view("<u2")[:, :count])
    return weights


def swaps(words: Words, count: int) -> Floats:
    """Returns 1 where a trial swaps the outputs for an input, else 0, shape (inputs, count)."""
    import numpy as np

    swapped = np.empty((len(words), count))
    for start in range(0, len(words), _INPUTS_AT_ONCE):
        block = _random_words(words[start : start + _INPUTS_AT_ONCE], 1 << 32, -(-count // 64))
        bits = np.unpackbits(block.astype("<u8").view(np.uint8), axis=1, bitorder="little")
        swapped[start : start + _INPUTS_AT_ONCE] = bits[:, :count]
    return swapped


def _random_words(words: Words, first: int, count: int) -> Words:
    """Returns outputs of SplitMix64, shape (inputs, count): each input's word is the state of its generator.

    Args:
        words: The states.
        first: The number of outputs to skip.
        count: The number of outputs.
    """
    import numpy as np

    steps = np.arange(first + 1, first + 1 + count, dtype=np.uint64) * np.uint64(_STEP)
    mixed = words[:, None] + steps
    for shift, factor in zip(_SHIFTS, _FACTORS, strict=False):
        mixed ^= mixed >> np.uint64(shift)
        mixed *= np.uint64(factor)
    words_of_inputs: Words = mixed ^ (mixed >> np.uint64(_SHIFTS[-1]))
    return words_of_inputs


@cache
def _quantiles() -> npt.NDArray[np.uint8]:
    """Returns the weight for each value of a lane."""
    import numpy as np

    values = 1 << _LANE_BITS
    ends, below = [], 0.0
    for weight in range(12):
        below += math.exp(-1) / math.factorial(weight)
        ends.append(round(below * values))
    return np.searchsorted(np.array(ends), np.arange(values), side="right").astype(np.uint8)
