"""The version of the package, the only place it is written."""

__version__ = "1.0.0rc1"
