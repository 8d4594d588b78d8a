"""The one door: every row, table, list of texts and rating comes in through this room."""
