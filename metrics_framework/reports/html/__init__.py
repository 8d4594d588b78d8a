"""The report on simplification systems as one HTML file that needs nothing else: data model, tables, plots, page."""
