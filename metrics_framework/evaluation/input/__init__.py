"""Reads input in batches and checks it before anything is scored."""
