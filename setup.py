"""Builds the package; metadata and tool settings are in pyproject.toml."""

from setuptools import setup

setup()
