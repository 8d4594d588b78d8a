"""Shared by all other packages and independent of metrics: errors, registries, plug-ins, logs."""
