"""Checks that run on any metric."""
