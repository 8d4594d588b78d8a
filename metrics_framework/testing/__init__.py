"""Checks any metric can be put through."""
