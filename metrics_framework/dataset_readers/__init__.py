"""Readers: from files to instances, one file a reader."""
