"""The work of ``fw correlate``: coefficients, intervals and tests of metrics, with what they were computed on."""
