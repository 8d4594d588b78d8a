"""Confidence intervals of coefficients."""
