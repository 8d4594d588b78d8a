"""Confidence intervals and significance tests, from resampled inputs."""
