"""Text processing: tokenizers, sentence splitters, syllables, stems, parts of speech, word frequencies."""
