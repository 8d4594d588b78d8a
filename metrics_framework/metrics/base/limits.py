"""Limits that several metrics share."""

MAX_ORDER = 1000
"""The longest n-grams that an option may request; every output has statistics for each order up to it."""
MAX_NATIVE_ORDER = 100
"""The longest n-grams that the native kernels count; longer ones are counted in Python."""
CACHED_TEXTS = 2**14
"""The number of tokenized texts that a metric caches while it scores a batch. Groups share texts: the leave-one-out
variants of an output differ only in the reference left out."""
