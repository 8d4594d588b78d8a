"""What else could explain how scores agree: covariates, such as the length of outputs, inputs and systems."""
