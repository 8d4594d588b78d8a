"""The scores of `Metric.evaluate` on the rows that a program scores."""

import metrics_framework as fw


def expected(metric, outputs, documents):
    """Returns the flat corpus scores of the outputs, one for each document."""
    loaded = fw.load(metric)
    given = {"summary": list(outputs), **{name: [row[name] for row in documents] for name in ("references", "source")}}
    return loaded.evaluate(*(given[name] for name in loaded.fields))[0].flatten()
