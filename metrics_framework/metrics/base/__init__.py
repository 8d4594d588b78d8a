"""The base classes of all metrics and the code that metrics share."""
