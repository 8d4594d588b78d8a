"""Judges: whether an automatic judge may replace raters, and how it differs from them."""
