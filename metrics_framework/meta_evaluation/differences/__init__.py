"""Tests of the difference between two metrics, and of many metrics at once."""
