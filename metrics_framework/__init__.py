"""Scores text generation and judges the metrics themselves."""
