"""UCCA passages: reading them, and the scenes in them."""
