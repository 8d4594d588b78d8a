"""An independent implementation of what `correlate` computes: slow loops that follow the definitions.

It shares with the package the random numbers only: weights of resamples, signs of permutations and sign flips.
"""
