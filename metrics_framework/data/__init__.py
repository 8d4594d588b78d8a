"""Values: texts, instances, scores, signatures. No input or output happens here."""
