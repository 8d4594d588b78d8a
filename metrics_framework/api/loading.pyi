"""Written by docs/load_stub.py; a test fails when it is out of date."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, overload

from metrics_framework.metrics.alignscore import AlignScore
from metrics_framework.metrics.autosummeng import AutoSummEng
from metrics_framework.metrics.bartscore import BartScore
from metrics_framework.metrics.base.metric import Metric
from metrics_framework.metrics.bertscore import BertScore
from metrics_framework.metrics.blanc import Blanc
from metrics_framework.metrics.bleu import Bleu, SentBleu
from metrics_framework.metrics.chrf import Chrf
from metrics_framework.metrics.comet import Comet
from metrics_framework.metrics.cross_encoder import CrossEncoder
from metrics_framework.metrics.error_rates import Cer, Wer
from metrics_framework.metrics.error_spans import ErrorSpans
from metrics_framework.metrics.external import External
from metrics_framework.metrics.faithfulness import Faithfulness
from metrics_framework.metrics.fkgl import Fkgl
from metrics_framework.metrics.google_rouge import GoogleRouge
from metrics_framework.metrics.ibleu import FkBleu, IBleu
from metrics_framework.metrics.llm_judge import Jury, LlmJudge
from metrics_framework.metrics.meteor import Meteor
from metrics_framework.metrics.metricx import MetricX
from metrics_framework.metrics.moverscore import MoverScore
from metrics_framework.metrics.precomputed import Precomputed
from metrics_framework.metrics.pyramid_score import PyramidScore
from metrics_framework.metrics.quality_estimation import QualityEstimation
from metrics_framework.metrics.question_answering import QuestionAnswering
from metrics_framework.metrics.rouge import Rouge
from metrics_framework.metrics.samsa import Samsa, SamsaAbl
from metrics_framework.metrics.sari import Sari
from metrics_framework.metrics.simetrix import SIMetrix
from metrics_framework.metrics.summac import SummaC
from metrics_framework.metrics.supert import Supert
from metrics_framework.metrics.ter import Ter
from metrics_framework.metrics.token_f1 import TokenF1
from metrics_framework.metrics.transformations import Transformations
from metrics_framework.metrics.unieval import UniEval

@overload
def load(
    name: Literal["alignscore"],
    /,
    *,
    model: str | None = ...,
    encoder: str | None = ...,
    mode: Literal["nli_sp", "nli", "bin_sp", "bin", "reg_sp", "reg"] = ...,
    against: Literal["documents", "source"] = ...,
    sentences: Literal["own", "lines", "punkt"] = ...,
    batch_size: int = ...,
    device: str = ...,
    precision: Literal["float32", "float16", "bfloat16"] = ...,
    cache: bool = ...,
) -> AlignScore: ...
@overload
def load(
    name: Literal["autosummeng"],
    /,
    *,
    min_n: int = ...,
    max_n: int = ...,
    window: int = ...,
    d_window: int = ...,
    mode: Literal["published", "corrected"] = ...,
) -> AutoSummEng: ...
@overload
def load(
    name: Literal["bartscore"],
    /,
    *,
    model: str | None = ...,
    direction: Literal["source-to-summary", "reference-to-summary", "summary-to-reference", "f"] = ...,
    against: Literal["documents", "source"] = ...,
    reference_aggregation: Literal["mean", "max"] = ...,
    max_length: int = ...,
    batch_size: int = ...,
    device: str = ...,
    precision: Literal["float32", "float16", "bfloat16"] = ...,
    cache: bool = ...,
) -> BartScore: ...
@overload
def load(
    name: Literal["bertscore"],
    /,
    *,
    model: str | None = ...,
    model_type: str | None = ...,
    num_layers: int | None = ...,
    layer: int | None = ...,
    idf: str | None = ...,
    add_prefix_space: bool | None = ...,
    rescale_with_baseline: bool = ...,
    baseline_path: str | None = ...,
    lang: str | None = ...,
    device: str = ...,
    batch_size: int = ...,
    precision: Literal["float32", "float16", "bfloat16"] = ...,
    cache: bool = ...,
) -> BertScore: ...
@overload
def load(
    name: Literal["blanc"],
    /,
    *,
    model: str | None = ...,
    model_name: str | None = ...,
    gap: int = ...,
    gap_mask: int = ...,
    min_token_length_normal: int = ...,
    min_token_length_lead: int = ...,
    min_token_length_followup: int = ...,
    filler_token: str = ...,
    separator: str = ...,
    help_sep: str = ...,
    measure: Literal["relative", "improve"] = ...,
    min_sentence_tokens: int = ...,
    len_sent_allow_cut: int = ...,
    splitter: Literal["auto", "own", "punkt", "pysbd", "none", "lines", "<q>"] = ...,
    device: str = ...,
    batch_size: int = ...,
    inference_batch_size: int = ...,
    precision: Literal["float32", "float16", "bfloat16"] = ...,
    cache: bool = ...,
) -> Blanc: ...
@overload
def load(
    name: Literal["bleu"],
    /,
    *,
    smooth_method: Literal["none", "floor", "add-k", "exp"] = ...,
    smooth_value: float | None = ...,
    max_ngram_order: int = ...,
    effective_order: bool = ...,
    use_effective_order: bool = ...,
    tokenizer: str = ...,
    tokenize: str = ...,
    lowercase: bool = ...,
) -> Bleu: ...
@overload
def load(
    name: Literal["sent-bleu"],
    /,
    *,
    effective_order: bool = ...,
    use_effective_order: bool = ...,
    smooth_method: Literal["none", "floor", "add-k", "exp"] = ...,
    smooth_value: float | None = ...,
    max_ngram_order: int = ...,
    tokenizer: str = ...,
    tokenize: str = ...,
    lowercase: bool = ...,
) -> SentBleu: ...
@overload
def load(
    name: Literal["chrf"],
    /,
    *,
    char_order: int = ...,
    word_order: int = ...,
    beta: float = ...,
    lowercase: bool = ...,
    whitespace: bool = ...,
    eps_smoothing: bool = ...,
) -> Chrf: ...
@overload
def load(
    name: Literal["comet"],
    /,
    *,
    model: str | None = ...,
    encoder: str | None = ...,
    reference_free: bool = ...,
    reference_aggregation: Literal["mean", "max"] = ...,
    device: str = ...,
    batch_size: int = ...,
    precision: Literal["float32", "float16", "bfloat16"] = ...,
    cache: bool = ...,
) -> Comet: ...
@overload
def load(
    name: Literal["cross-encoder"],
    /,
    *,
    model: str | None = ...,
    template: Sequence[str] = ...,
    aggregate: Literal["max", "mean"] = ...,
    activation: Literal["none", "sigmoid", "softmax"] = ...,
    output_index: int | None = ...,
    scale: float = ...,
    per_sentence: Literal["none", "summary", "both"] = ...,
    sentences: Literal["own", "lines", "punkt"] = ...,
    device: str = ...,
    batch_size: int = ...,
    precision: Literal["float32", "float16", "bfloat16"] = ...,
    cache: bool = ...,
) -> CrossEncoder: ...
@overload
def load(
    name: Literal["cer"],
    /,
    *,
    lowercase: bool = ...,
) -> Cer: ...
@overload
def load(
    name: Literal["wer"],
    /,
    *,
    lowercase: bool = ...,
) -> Wer: ...
@overload
def load(
    name: Literal["error-spans"],
    /,
    *,
    measure: Literal["EM", "MP", "MPP", "characters"] = ...,
    matching: Literal["one-to-one", "many-to-many"] = ...,
    severity_credit: float = ...,
) -> ErrorSpans: ...
@overload
def load(
    name: Literal["external"],
    /,
    *,
    command: str,
    fields: Sequence[str] = ...,
    mode: Literal["batch", "server"] = ...,
    time_limit: float = ...,
    on_error: Literal["raise", "nan"] = ...,
    restarts: int = ...,
    better: Literal["higher", "lower"] = ...,
    version: str = ...,
    cache: bool = ...,
) -> External: ...
@overload
def load(
    name: Literal["faithfulness"],
    /,
    *,
    evidence: str = ...,
    claims_template: str = ...,
    support_template: str = ...,
    model: str | None = ...,
    url: str | None = ...,
    key_variable: str = ...,
    temperature: float | None = ...,
    top_p: float = ...,
    max_tokens: int | None = ...,
    sampling_seed: int = ...,
    extra_body: str | None = ...,
    structured_output: Literal["off", "on", "auto"] = ...,
    invalid: Literal["undefined", "error"] = ...,
    failed: Literal["undefined", "error"] = ...,
    concurrency: int = ...,
    requests_per_minute: float | None = ...,
    retries: int = ...,
    time_limit: float = ...,
    answers: str | None = ...,
    input_price: float | None = ...,
    output_price: float | None = ...,
    calls: bool = ...,
    cache: bool = ...,
    write_batch: str | None = ...,
    read_batch: Sequence[str] = ...,
) -> Faithfulness: ...
@overload
def load(
    name: Literal["fkgl"],
    /,
    *,
    tokenizer: str = ...,
    lowercase: bool = ...,
    splitter: Literal["auto", "own", "punkt", "pysbd", "none", "lines", "<q>"] = ...,
) -> Fkgl: ...
@overload
def load(
    name: Literal["google-rouge"],
    /,
    *,
    rouge_types: Sequence[str] = ...,
    use_stemmer: bool = ...,
    split_summaries: bool = ...,
    sentences: str = ...,
) -> GoogleRouge: ...
@overload
def load(
    name: Literal["fkbleu"],
    /,
    *,
    splitter: Literal["auto", "own", "punkt", "pysbd", "none", "lines", "<q>"] = ...,
    alpha: float = ...,
    effective_order: bool = ...,
    use_effective_order: bool = ...,
    smooth_method: Literal["none", "floor", "add-k", "exp"] = ...,
    smooth_value: float | None = ...,
    max_ngram_order: int = ...,
    tokenizer: str = ...,
    tokenize: str = ...,
    lowercase: bool = ...,
) -> FkBleu: ...
@overload
def load(
    name: Literal["ibleu"],
    /,
    *,
    alpha: float = ...,
    effective_order: bool = ...,
    use_effective_order: bool = ...,
    smooth_method: Literal["none", "floor", "add-k", "exp"] = ...,
    smooth_value: float | None = ...,
    max_ngram_order: int = ...,
    tokenizer: str = ...,
    tokenize: str = ...,
    lowercase: bool = ...,
) -> IBleu: ...
@overload
def load(
    name: Literal["jury"],
    /,
    *,
    judges: Sequence[str],
    aggregate: Literal["mean", "median", "majority"] = ...,
    template: str | None = ...,
    criterion: str | None = ...,
    scale: str | None = ...,
    shown_fields: Sequence[str] = ...,
    steps: str | None = ...,
    examples: str | None = ...,
    samples: int | None = ...,
    one_request: bool = ...,
    weighting: Literal["mean", "logprobs"] = ...,
    probe_injection: bool = ...,
    model: str | None = ...,
    url: str | None = ...,
    key_variable: str = ...,
    temperature: float | None = ...,
    top_p: float = ...,
    max_tokens: int | None = ...,
    sampling_seed: int = ...,
    extra_body: str | None = ...,
    structured_output: Literal["off", "on", "auto"] = ...,
    invalid: Literal["undefined", "error"] = ...,
    failed: Literal["undefined", "error"] = ...,
    concurrency: int = ...,
    requests_per_minute: float | None = ...,
    retries: int = ...,
    time_limit: float = ...,
    answers: str | None = ...,
    input_price: float | None = ...,
    output_price: float | None = ...,
    calls: bool = ...,
    cache: bool = ...,
    write_batch: str | None = ...,
    read_batch: Sequence[str] = ...,
) -> Jury: ...
@overload
def load(
    name: Literal["llm-judge"],
    /,
    *,
    template: str | None = ...,
    criterion: str | None = ...,
    scale: str | None = ...,
    shown_fields: Sequence[str] = ...,
    steps: str | None = ...,
    examples: str | None = ...,
    samples: int | None = ...,
    one_request: bool = ...,
    weighting: Literal["mean", "logprobs"] = ...,
    probe_injection: bool = ...,
    model: str | None = ...,
    url: str | None = ...,
    key_variable: str = ...,
    temperature: float | None = ...,
    top_p: float = ...,
    max_tokens: int | None = ...,
    sampling_seed: int = ...,
    extra_body: str | None = ...,
    structured_output: Literal["off", "on", "auto"] = ...,
    invalid: Literal["undefined", "error"] = ...,
    failed: Literal["undefined", "error"] = ...,
    concurrency: int = ...,
    requests_per_minute: float | None = ...,
    retries: int = ...,
    time_limit: float = ...,
    answers: str | None = ...,
    input_price: float | None = ...,
    output_price: float | None = ...,
    calls: bool = ...,
    cache: bool = ...,
    write_batch: str | None = ...,
    read_batch: Sequence[str] = ...,
) -> LlmJudge: ...
@overload
def load(
    name: Literal["meteor"],
    /,
    *,
    language: Literal[
        "cz", "da", "de", "en", "es", "fi", "fr", "hu", "it", "nl", "no", "other", "pt", "ro", "ru", "se", "tr"
    ] = ...,
    normalize: bool = ...,
    folder: str | None = ...,
    memory: str = ...,
    time_limit: float = ...,
) -> Meteor: ...
@overload
def load(
    name: Literal["metricx"],
    /,
    *,
    model: str | None = ...,
    tokenizer: str = ...,
    version: Literal["23", "24"] | None = ...,
    reference_free: bool | None = ...,
    reference_aggregation: Literal["mean", "min"] = ...,
    max_length: int | None = ...,
    batch_size: int = ...,
    device: str = ...,
    precision: Literal["float32", "float16", "bfloat16"] = ...,
    cache: bool = ...,
) -> MetricX: ...
@overload
def load(
    name: Literal["moverscore"],
    /,
    *,
    model: str | None = ...,
    variant: Literal["v1", "v2", "v2-2021"] = ...,
    ngram: int = ...,
    idf: bool = ...,
    stop_words: str | None = ...,
    device: str = ...,
    batch_size: int = ...,
    precision: Literal["float32", "float16", "bfloat16"] = ...,
    cache: bool = ...,
) -> MoverScore: ...
@overload
def load(
    name: Literal["precomputed"],
    /,
    *,
    file: str,
    score: str | None = ...,
    missing: Literal["error", "nan"] = ...,
    better: Literal["higher", "lower"] | None = ...,
) -> Precomputed: ...
@overload
def load(name: Literal["pyramid-score"], /) -> PyramidScore: ...
@overload
def load(
    name: Literal["quality-estimation"],
    /,
    *,
    tokenizer: str = ...,
    lowercase: bool = ...,
    splitter: Literal["auto", "own", "punkt", "pysbd", "none", "lines", "<q>"] = ...,
    lexical_complexity: bool = ...,
    frequencies: str | None = ...,
) -> QualityEstimation: ...
@overload
def load(
    name: Literal["question-answering"],
    /,
    *,
    model: str | None = ...,
    questions: str | None = ...,
    question_model: str | None = ...,
    prompt: str = ...,
    splitter: Literal["auto", "own", "punkt", "pysbd", "none", "lines", "<q>"] = ...,
    device: str = ...,
    batch_size: int = ...,
    precision: Literal["float32", "float16", "bfloat16"] = ...,
    cache: bool = ...,
) -> QuestionAnswering: ...
@overload
def load(
    name: Literal["rouge"],
    /,
    *,
    max_ngram: int = ...,
    use_porter_stemmer: bool = ...,
    remove_stopwords: bool = ...,
    max_bytes: int | None = ...,
    max_words: int | None = ...,
    compute_rouge_l: bool = ...,
    skip_bigram_gap_length: int | None = ...,
    wlcs_weight: float | None = ...,
    scoring_function: Literal["average", "max"] = ...,
    alpha: float = ...,
    official_average: bool = ...,
    sentences: str = ...,
) -> Rouge: ...
@overload
def load(
    name: Literal["samsa"],
    /,
    *,
    passages: Sequence[str] | None = ...,
    parser: str | None = ...,
    mode: Literal["definition", "published"] = ...,
    aligner: str = ...,
    splitter: Literal["auto", "own", "punkt", "pysbd", "none", "lines", "<q>"] = ...,
    tokenizer: str = ...,
) -> Samsa: ...
@overload
def load(
    name: Literal["samsa-abl"],
    /,
    *,
    passages: Sequence[str] | None = ...,
    parser: str | None = ...,
    mode: Literal["definition", "published"] = ...,
    aligner: str = ...,
    splitter: Literal["auto", "own", "punkt", "pysbd", "none", "lines", "<q>"] = ...,
    tokenizer: str = ...,
) -> SamsaAbl: ...
@overload
def load(
    name: Literal["sari"],
    /,
    *,
    variant: Literal["easse", "easse-paper", "star", "xu2016", "modified", "t2t", "hf", "joshua", "set"] = ...,
    tokenizer: str | None = ...,
    lowercase: bool | None = ...,
    deletion: Literal["f1", "precision"] | None = ...,
    keep_recall: Literal["union", "intersection"] | None = ...,
    beta_for_deletion: float | None = ...,
) -> Sari: ...
@overload
def load(
    name: Literal["simetrix"],
    /,
    *,
    use_stemmer: bool = ...,
    remove_stopwords: bool = ...,
) -> SIMetrix: ...
@overload
def load(
    name: Literal["summac"],
    /,
    *,
    model: str | None = ...,
    variant: Literal["zs", "conv"] = ...,
    granularity: str = ...,
    op1: Literal["max", "mean", "min"] = ...,
    op2: Literal["max", "mean", "min"] = ...,
    use_con: bool = ...,
    weights: str | None = ...,
    bins: Sequence[float] | None = ...,
    against: Literal["documents", "source"] = ...,
    sentences: Literal["own", "lines", "punkt"] = ...,
    max_length: int = ...,
    batch_size: int = ...,
    device: str = ...,
    precision: Literal["float32", "float16", "bfloat16"] = ...,
    cache: bool = ...,
) -> SummaC: ...
@overload
def load(
    name: Literal["supert"],
    /,
    *,
    model: str | None = ...,
    top: int = ...,
    max_tokens: int = ...,
    splitter: Literal["auto", "own", "punkt", "pysbd", "none", "lines", "<q>"] = ...,
    device: str = ...,
    batch_size: int = ...,
    precision: Literal["float32", "float16", "bfloat16"] = ...,
    cache: bool = ...,
) -> Supert: ...
@overload
def load(
    name: Literal["ter"],
    /,
    *,
    normalized: bool = ...,
    no_punct: bool = ...,
    ignore_punct: bool = ...,
    asian_support: bool = ...,
    support_zh_ja_chars: bool = ...,
    case_sensitive: bool = ...,
) -> Ter: ...
@overload
def load(
    name: Literal["token-f1"],
    /,
    *,
    tokenizer: str = ...,
    lowercase: bool = ...,
) -> TokenF1: ...
@overload
def load(
    name: Literal["transformations"],
    /,
    *,
    tokenizer: str = ...,
    lowercase: bool = ...,
    aligner: str = ...,
    tagger: Literal["coarse", "none"] = ...,
) -> Transformations: ...
@overload
def load(
    name: Literal["unieval"],
    /,
    *,
    model: str | None = ...,
    template: str = ...,
    dimensions: Sequence[str] | None = ...,
    sentences: Literal["own", "lines", "punkt"] = ...,
    reference_aggregation: Literal["mean", "max"] = ...,
    max_length: int = ...,
    batch_size: int = ...,
    device: str = ...,
    precision: Literal["float32", "float16", "bfloat16"] = ...,
    cache: bool = ...,
) -> UniEval: ...
@overload
def load(name: str | Mapping[str, Any], /) -> Metric: ...
