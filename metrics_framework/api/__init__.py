"""The public functions that score systems, correlate metrics and write reports (decision 0022)."""
