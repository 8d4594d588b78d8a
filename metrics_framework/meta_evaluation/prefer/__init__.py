"""Preferences: votes between two outputs, and the strengths of systems, judges and items that follow from them."""
