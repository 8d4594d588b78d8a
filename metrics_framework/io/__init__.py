"""Reads and writes files: JSON lines, plain text, tables, compression, standard streams, atomic writing."""
