"""Scores the outputs of systems: input checks, batches, jackknifing, scores of outputs and of systems."""
