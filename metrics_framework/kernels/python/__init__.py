"""The Python twins: readable definitions of the kernels, used if native kernels are not installed."""
