"""Charts of estimates, as SVG: one file per kind; they know plain numbers only."""
