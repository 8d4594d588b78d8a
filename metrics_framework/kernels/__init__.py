"""Native kernels, chosen by `dispatch`, and the readable Python twins that define their results."""
