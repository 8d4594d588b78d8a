"""Text before it is scored: tokenizers, normalizers, n-grams."""
