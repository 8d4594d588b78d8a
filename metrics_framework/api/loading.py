"""`load` with the type of each metric of this package, for editors and type checkers; see ``loading.pyi``."""

from metrics_framework.metrics.base.metric import load as load
