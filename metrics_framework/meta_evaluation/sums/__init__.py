"""Sums over outputs and over pairs of outputs, in many resamples at once: what coefficients are computed from."""
