"""A plug-in of metrics_framework."""
