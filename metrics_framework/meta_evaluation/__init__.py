"""Meta-evaluation: correlations of metrics with human ratings or each other, with confidence intervals."""
