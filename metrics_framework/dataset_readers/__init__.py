"""Dataset readers, which read files into instances; one file per reader."""

from metrics_framework.common.registrable import Registry

REGISTRY = Registry(
    "dataset reader",
    home="metrics_framework.dataset_readers",
    group="metrics_framework.dataset_readers",
    listed_by="fw list readers",
)
