"""Groups of outputs: their moments and the pairs that scores order, in resamples and after swaps of metrics."""
