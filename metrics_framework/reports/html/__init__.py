"""The report on simplification systems as a self-contained HTML file: data model, tables, plots, page."""
