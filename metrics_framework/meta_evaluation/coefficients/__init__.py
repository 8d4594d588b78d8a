"""Coefficients of agreement between metrics and human ratings, at every level."""
