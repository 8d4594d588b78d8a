"""Files: JSON lines, plain text, tables, compressed or not, standard input and output, atomic writing."""
