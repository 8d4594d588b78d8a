"""External sorting: rows that do not fit in memory are sorted on disk."""
