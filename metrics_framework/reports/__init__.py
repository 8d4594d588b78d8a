"""Results as tables, plots and HTML reports."""
