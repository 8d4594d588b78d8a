"""Data types without input or output: texts, instances, scores, signatures."""
