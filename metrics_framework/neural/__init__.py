"""Neural language models: loading them, running them in batches."""
