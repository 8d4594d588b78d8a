"""Scores systems: grouping, batches, jackknifing, macro and micro scores."""
