"""Reads input in batches and checks each batch before it is scored."""
