"""Output formats of tables: the base class in ``output_format``, and one file per format."""

from metrics_framework.common.registrable import Registry

REGISTRY = Registry("output format", home="metrics_framework.reports.formats")
