"""Runs in parts: each part is read, checked and scored on its own, and the results are added (decision 0049)."""
