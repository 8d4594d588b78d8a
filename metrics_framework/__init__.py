"""Scores text generation and judges the metrics themselves.

>>> import metrics_framework as fw
>>> fw.load("ter").score("b a", ["a b"])
{'ter': 50.0, 'ter_num_edits': 1, 'ter_ref_length': 2.0}

The public names are loaded when they are first used; importing the package costs nothing.
"""

import sys

from metrics_framework.version import __version__ as __version__

TYPE_CHECKING = False  # as in `typing`, which ``python -m metrics_framework`` would import from the working folder
if TYPE_CHECKING:
    from metrics_framework.api.agreement import agreement as agreement
    from metrics_framework.api.analysis_results import AgreementResult as AgreementResult
    from metrics_framework.api.analysis_results import CorrelationResult as CorrelationResult
    from metrics_framework.api.analysis_results import EstimateResult as EstimateResult
    from metrics_framework.api.analysis_results import GateResult as GateResult
    from metrics_framework.api.analysis_results import JudgeResult as JudgeResult
    from metrics_framework.api.analysis_results import PlanResult as PlanResult
    from metrics_framework.api.analysis_results import PreferenceResult as PreferenceResult
    from metrics_framework.api.arguments import Log as Log
    from metrics_framework.api.challenge import ChallengeResult as ChallengeResult
    from metrics_framework.api.challenge import challenge as challenge
    from metrics_framework.api.compare import compare as compare
    from metrics_framework.api.comparisons import ComparisonResult as ComparisonResult
    from metrics_framework.api.correlate import correlate as correlate
    from metrics_framework.api.estimate import estimate as estimate
    from metrics_framework.api.evaluate import evaluate as evaluate
    from metrics_framework.api.gate import gate as gate
    from metrics_framework.api.judge import judge as judge
    from metrics_framework.api.loading import load as load
    from metrics_framework.api.plan import plan as plan
    from metrics_framework.api.prefer import prefer as prefer
    from metrics_framework.api.raters import RatersReport as RatersReport
    from metrics_framework.api.raters import raters_report as raters_report
    from metrics_framework.api.report import Report as Report
    from metrics_framework.api.report import report as report
    from metrics_framework.api.results import EvaluationResult as EvaluationResult
    from metrics_framework.api.score_columns import columns as columns
    from metrics_framework.api.stat_sig_test import StatSigResult as StatSigResult
    from metrics_framework.api.stat_sig_test import partial_conjunction_test as partial_conjunction_test
    from metrics_framework.api.stat_sig_test import stat_sig_test as stat_sig_test
    from metrics_framework.api.tables import Plot as Plot
    from metrics_framework.api.visualize import Visualization as Visualization
    from metrics_framework.api.visualize import visualize_pyramid as visualize_pyramid
    from metrics_framework.api.visualize import visualize_rouge as visualize_rouge
    from metrics_framework.common.errors import DataError as DataError
    from metrics_framework.common.errors import FwError as FwError
    from metrics_framework.common.errors import InputError as InputError
    from metrics_framework.common.errors import PluginError as PluginError
    from metrics_framework.common.errors import Problems as Problems
    from metrics_framework.common.errors import TextWarning as TextWarning
    from metrics_framework.common.errors import UsageError as UsageError
    from metrics_framework.common.stability import ProvisionalWarning as ProvisionalWarning
    from metrics_framework.data.eval_instance import EvalInstance as EvalInstance
    from metrics_framework.data.jackknifers import Jackknifer as Jackknifer
    from metrics_framework.data.jackknifers import PyramidJackknifer as PyramidJackknifer
    from metrics_framework.data.jackknifers import ReferencesJackknifer as ReferencesJackknifer
    from metrics_framework.data.metrics_dict import MetricsDict as MetricsDict
    from metrics_framework.data.scored_output import MetricsRow as MetricsRow
    from metrics_framework.data.texts import Text as Text
    from metrics_framework.data.texts import as_string as as_string
    from metrics_framework.dataset_readers.dataset_reader import DatasetReader as DatasetReader
    from metrics_framework.dataset_readers.dataset_reader import load_reader as load_reader
    from metrics_framework.dataset_readers.row_reader import RowReader as RowReader
    from metrics_framework.datasets.test_sets import load_test_set as load_test_set
    from metrics_framework.evaluation.autorank import autorank as autorank
    from metrics_framework.integrations.accumulator import Accumulator as Accumulator
    from metrics_framework.integrations.compute_metrics import compute_metrics as compute_metrics
    from metrics_framework.integrations.reward import reward as reward
    from metrics_framework.meta_evaluation.choices import CoefficientOptions as CoefficientOptions
    from metrics_framework.meta_evaluation.coefficients.coefficient import Coefficient as Coefficient
    from metrics_framework.meta_evaluation.coefficients.coefficient import WeightedCoefficient as WeightedCoefficient
    from metrics_framework.meta_evaluation.differences.difference_test import DifferenceTest as DifferenceTest
    from metrics_framework.meta_evaluation.differences.permutation_tests import PermutationTest as PermutationTest
    from metrics_framework.metrics.base.metric import CorpusMetric as CorpusMetric
    from metrics_framework.metrics.base.metric import Metric as Metric
    from metrics_framework.metrics.base.metric import list_metrics as list_metrics
    from metrics_framework.metrics.base.shapes import DocumentBasedMetric as DocumentBasedMetric
    from metrics_framework.metrics.base.shapes import ReferenceBasedMetric as ReferenceBasedMetric
    from metrics_framework.metrics.base.shapes import ReferenceFreeMetric as ReferenceFreeMetric
    from metrics_framework.metrics.base.shapes import SourceBasedMetric as SourceBasedMetric
    from metrics_framework.metrics.base.shapes import SourceReferenceBasedMetric as SourceReferenceBasedMetric
    from metrics_framework.metrics.base.shapes import metric as metric
    from metrics_framework.reports.citations import cite as cite
    from metrics_framework.text.tokenizers.tokenizer import Tokenizer as Tokenizer
    from metrics_framework.text.tokenizers.tokenizer import load_tokenizer as load_tokenizer

PROVISIONAL = ("Problems", "PyramidJackknifer", "RowReader")
"""The public names that a minor version may change (docs/reference/stability.md)."""


if not TYPE_CHECKING:  # or type checkers would accept every name

    def __getattr__(name: str) -> object:
        from metrics_framework.common import names_in

        names = names_in(__file__)
        if name == "__all__":
            return ["__version__", *names]
        if name not in names:
            from metrics_framework.common.errors import called

            message = f"module 'metrics_framework' has no attribute '{name}'"
            if call := called("functions", name):
                raise AttributeError(f"{message}; use {call}")
            # With 'name' and 'obj', Python adds a suggestion, such as "Did you mean: 'evaluate'?"
            raise AttributeError(message, name=name, obj=sys.modules[__name__])
        import importlib

        if name in PROVISIONAL and sys.flags.dev_mode:
            from metrics_framework.common.stability import provisional

            provisional(f"'metrics_framework.{name}'")
        value = getattr(importlib.import_module(names[name]), name)
        if type(value) is type(__getattr__):
            from metrics_framework.common.calls import for_callers

            value = for_callers(value)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    from metrics_framework.common import names_in

    return sorted({"__version__", *names_in(__file__), *(name for name in globals() if name.startswith("__"))})
