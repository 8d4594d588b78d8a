"""Sorts rows that do not fit in memory, on disk."""
