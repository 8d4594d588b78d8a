"""Adapters to other ecosystems."""
