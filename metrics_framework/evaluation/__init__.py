"""Scores the outputs of systems: input checks, batches, jackknifing, scores of outputs and of systems.

A *batch* is a number of rows that are checked and scored together; a *piece* is a range of one input file, or all of
it; a *part* is the task of a worker: pieces to read, or rows of a batch that the main process has read.
"""
