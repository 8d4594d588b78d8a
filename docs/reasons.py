"""Why each public name, command and flag stays: by the reason, the names that it holds for; used by `flags_page.py`."""

from __future__ import annotations

from collections.abc import Mapping

SACREROUGE, SACREBLEU = "as in SacreROUGE", "as in sacreBLEU"
NAMES: Mapping[str, str] = {  # reason: names
    "scores systems": "evaluate load",
    "reads the inputs of a test set": "load_test_set",
    "compares systems": "compare",
    "judges metrics by human ratings": "correlate",
    "tests one metric against another; as in SacreROUGE": "stat_sig_test",
    "tests over several data sets; as in SacreROUGE": "partial_conjunction_test",
    "agreement of raters": "agreement",
    "a judge against raters": "judge",
    "means from ratings and a judge": "estimate",
    "size of a study": "plan",
    "systems ranked by votes": "prefer",
    "pages": "report visualize_pyramid visualize_rouge",
    "scores as columns of a DataFrame": "columns",
    "evaluation in a training loop": "Accumulator compute_metrics",
    "reward of a training run": "reward",
    "what a function returns": "AgreementResult ComparisonResult CorrelationResult EstimateResult EvaluationResult "
    "JudgeResult PlanResult PreferenceResult Report StatSigResult Visualization",
    "base class of metrics, for plug-ins; as in SacreROUGE": "Metric DocumentBasedMetric ReferenceBasedMetric",
    "base class of metrics, for plug-ins": "CorpusMetric ReferenceFreeMetric SourceBasedMetric "
    "SourceReferenceBasedMetric",
    "base class of readers, for plug-ins": "DatasetReader RowReader",
    "a reader by name": "load_reader",
    "base class of coefficients and tests, for plug-ins": "Coefficient CoefficientOptions DifferenceTest "
    "PermutationTest WeightedCoefficient",
    "leaves out references, for plug-ins; as in SacreROUGE": "Jackknifer PyramidJackknifer ReferencesJackknifer",
    "data of metrics and readers, for plug-ins; as in SacreROUGE": "EvalInstance MetricsDict",
    "a row of a score file": "MetricsRow",
    "texts of an output, for plug-ins": "Text as_string",
    "errors, to catch": "DataError FwError InputError PluginError UsageError",
    "collects the problems of a file, for readers": "Problems",
    "category of warnings, to filter": "ProvisionalWarning",
    "the version": "__version__",
}
COMMANDS: Mapping[str, str] = {
    "scores systems": "evaluate",
    "scores outputs, with jackknifing; as in SacreROUGE": "score",
    "joins the parts of a run": "collect",
    "compares systems, with tests": "compare",
    "judges metrics by human ratings; as in SacreROUGE": "correlate",
    "tests one metric against another; as in SacreROUGE": "stat-sig-test",
    "tests over several data sets; as in SacreROUGE": "partial-conjunction-test",
    "agreement of raters": "agreement",
    "a judge against raters": "test-judge",
    "means from ratings and a judge": "estimate",
    "size of a study": "plan",
    "systems ranked by votes": "prefer",
    "ratings of WMT as score files": "convert-ratings",
    "a page of scores": "report",
    "pages of content units and of matching words": "visualize",
    "votes by a language model": "write-votes",
    "pairs of texts for a word aligner": "write-pairs",
    "installs a data set; as in SacreROUGE": "setup-dataset",
    "installs what a metric needs; as in SacreROUGE": "setup-metric",
    "names of metrics, readers and data sets": "list",
    "papers to cite": "cite",
    "completion of the shell": "completion",
}
FLAGS: Mapping[str, str] = {
    # every command
    "custom of command lines": "--help --help-all",
    f"plug-ins; {SACREROUGE}": "--include-packages",
    f"no progress and no notes; {SACREROUGE}": "--silent",
    f"messages in a file; {SACREROUGE}": "--log-file",
    "warnings as errors, for pipelines": "--strict",
    "replaces a file that fw did not write": "--force",
    "several processes": "--jobs",
    # input
    f"input; {SACREROUGE}": "--input-files --dataset-reader",
    "text files, with the short flags of sacreBLEU": "--outputs --references --sources",
    f"a test set; {SACREBLEU} and EASSE": "--test-set",
    f"a test set; {SACREBLEU}": "--language-pair --origlang --num-refs",
    "an installed data set": "--dataset",
    "duplicate rows": "--duplicates",
    "rows as other programs write them": "--columns --where",
    "inputs as SacreROUGE has them": "--metrics-jsonl-files --metrics --summarizer-type",
    # scoring
    "chooses metrics": "--metric",
    f"a run as a file; {SACREROUGE}": "--config --overrides",
    "metrics of a task": "--profile",
    f"output; {SACREROUGE}": "--macro-output-json --micro-output-jsonl --output-jsonl --output-file",
    f"no leave-one-out scores; {SACREROUGE}": "--disable-peer-jackknifing",
    "runs on many machines": "--cluster-timeout --part --part-size --resume --parts",
    "clusters of inputs; a cluster of machines": "--cluster",
    "clusters of inputs from another file": "--cluster-file",
    # tables
    "tables for papers": "--format --output --scores --components --no-counts --pooled --sort --caption --label",
    f"decimal places; {SACREBLEU}": "--digits",
    # intervals and tests
    "the system to compare with": "--baseline",
    "every pair of systems": "--all-pairs",
    "confidence intervals": "--confidence --no-confidence --ci",
    "resampling and random numbers": "--resamples --seed",
    "the level of intervals, where --confidence takes no value": "--confidence-level",
    "intervals of very large runs": "--resampling",
    f"tests of systems; {SACREBLEU}": "--paired-bs --paired-ar",
    "tests of systems, or of metrics": "--test --trials",
    "correction for several tests": "--correct --correction",
    f"level of tests; {SACREROUGE}": "--alpha",
    "selects scores; names results": "--names",
    "direction of unknown scores": "--lower-is-better",
    # judging metrics
    "metrics against ratings": "--human",
    "clusters of metrics as WMT publishes them": "--ranking",
    "the table of metrics and tasks of shared tasks": "--task-table",
    "coefficients and levels of shared tasks": "--coefficients --levels --min-group --threshold --stream",
    f"leaves out a level; {SACREROUGE}": "--skip-input-level --skip-summary-level --skip-system-level --skip-global",
    "tie calibration of acc-eq; tolerance of the alternative annotator test": "--epsilon",
    "tie calibration of acc-eq on other data": "--epsilon-from",
    "accuracy of soft pairwise accuracy": "--sign-flips",
    f"intervals; {SACREROUGE}": "--confidence-interval-kwargs --two-tailed --num-tails",
    "one-sided intervals": "--one-tailed",
    "power of a study": "--power",
    "several data sets, as in shared tasks": "--data-sets --preset --average-test",
    "ratings by several raters": "--aggregate --humans-as-metrics --rater-column",
    "baselines of metrics, as in shared tasks": "--sentinels --texts",
    "effects of length and other covariates": "--partial --slices",
    f"scatter plots; {SACREROUGE}": "--plot --system-level-output-plot --global-output-plot",
    "plots for papers": "--forest-plot --p-value-plot --rank-plot --epsilon-plot --reliability-plot",
    "a page of results": "--report",
    f"the metrics and the test; {SACREROUGE}": "--dependent-metric --metric-a --metric-b --method",
    "numbers of SacreROUGE, or corrected ones": "--definition",
    # raters, judges, votes and plans
    "ratings to read": "--rating --labels --raters --text",
    "coefficients of agreement": "--statistics --by --pairwise --plans",
    "weights of categories; weights of errors": "--weights",
    "judges to test": "--judges --judge --jury --repeated",
    "the alternative annotator test, as published": "--scoring --q --min-raters --min-units",
    "calibration of judges": "--stated-confidence --bins --binning",
    "prediction-powered means": "--tuning --pass-fail --errors-of",
    "the goal of a study": "--half-width --difference",
    "the design of a study": "--inputs --comparisons --judged --cluster-size --points --simulations",
    "the design of a study; the systems of votes and pages": "--systems",
    "assumptions of a study without a pilot": "--sd --agreement --correlation --judge-agreement --cluster-correlation",
    "votes of people and judges": "--against --subset --inconsistent",
    "strengths of systems": "--covariates --ridge --scale",
    "what is printed": "--show",
    "files of WMT": "--pair --level --include",
    # pages
    "the page": "--output-html --title --worst --sample --instances --measure",
    "scores and answers that exist": "--scores-files --answers",
    # set-up
    "machines without a network": "--from-dir",
    "what a set-up would do or did": "--dry-run --echo",
    "the model": "--model",
}


def by_name(reasons: Mapping[str, str]) -> dict[str, str]:
    """Returns the reason of each name.

    Raises:
        ValueError: if a name has two reasons.
    """
    found: dict[str, str] = {}
    for reason, names in reasons.items():
        for name in names.split():
            if name in found:
                raise ValueError(f"{name} has two reasons in docs/reasons.py: {found[name]}; {reason}")
            found[name] = reason
    return found
