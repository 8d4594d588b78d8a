"""Statistical significance of scores, of systems and of metrics: resampling, confidence intervals, paired tests."""
