"""Scores each batch in several processes (``--jobs``)."""
