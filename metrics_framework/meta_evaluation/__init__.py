"""Judges metrics: score matrices, correlation coefficients at every level, intervals."""
