"""The base classes of metrics, and code that metrics share."""
