"""Scores one batch in several processes."""
