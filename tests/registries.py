"""All registries of the package, so that what a test registers is gone afterwards."""

from __future__ import annotations

from metrics_framework.alignment import REGISTRY as ALIGNERS
from metrics_framework.commands import REGISTRY as COMMANDS
from metrics_framework.dataset_readers import REGISTRY as READERS
from metrics_framework.datasets import REGISTRY as DATASETS
from metrics_framework.evaluation.profiles import REGISTRY as PROFILES
from metrics_framework.inputs.checks import REGISTRY as CHECKS
from metrics_framework.integrations.hugging_face import REGISTRY as CARDS
from metrics_framework.meta_evaluation.coefficients import REGISTRY as COEFFICIENTS
from metrics_framework.meta_evaluation.differences import REGISTRY as TESTS
from metrics_framework.meta_evaluation.ratings import REGISTRY as RATINGS
from metrics_framework.metrics import REGISTRY as METRICS
from metrics_framework.reports.formats import REGISTRY as FORMATS
from metrics_framework.text.tokenizers import REGISTRY as TOKENIZERS

REGISTRIES = (
    COMMANDS,
    METRICS,
    READERS,
    ALIGNERS,
    DATASETS,
    PROFILES,
    COEFFICIENTS,
    TESTS,
    RATINGS,
    FORMATS,
    TOKENIZERS,
    CARDS,
    CHECKS,
)
