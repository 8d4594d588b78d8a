"""UCCA passages and their scenes."""
