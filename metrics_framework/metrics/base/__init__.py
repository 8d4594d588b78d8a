"""The base classes of all metrics, and what they share."""
