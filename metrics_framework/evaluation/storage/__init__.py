"""Keeps on disk what does not fit in memory."""
