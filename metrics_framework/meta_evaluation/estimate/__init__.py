"""Means and shares estimated from a few ratings and many judgements."""
