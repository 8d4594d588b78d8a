"""Options and signatures of all metrics: what each option is, what a signature states, and what is refused."""

from __future__ import annotations

import math
from typing import Any

import pytest

from metrics_framework.common.errors import InputError, UsageError
from metrics_framework.metrics.base.metric import Metric, load

Options = dict[str, Any]


# ---- options ---------------------------------------------------------------------------------------------------------

ALIASES = [  # metric, options, the same with other names
    ("autosummeng", {"d_window": 5}, {"window": 5}),
    ("bleu", {"tokenize": "zh", "use_effective_order": "yes"}, {"tokenizer": "zh", "effective_order": True}),
    ("sent-bleu", {"use_effective_order": False, "max_ngram_order": "4"}, {"effective_order": False}),
    ("chrf", {"beta": "2"}, {}),
    ("ter", {"ignore_punct": True, "support_zh_ja_chars": True}, {"no_punct": True, "asian_support": True}),
]


@pytest.mark.parametrize(("name", "options", "same"), ALIASES)
def test_aliases_and_texts_are_the_same_options(name: str, options: dict[str, Any], same: bool) -> None:
    assert load(name, **options).signature() == load(name, **same).signature()


# ---- signatures ------------------------------------------------------------------------------------------------------

SIGNATURES: list[tuple[str, Options, str]] = [  # metric, options, signature without the version
    ("bleu", {}, "case:mixed|eff:no|tok:13a|smooth:exp|order:4"),
    (
        "bleu",
        {
            "smooth_method": "floor",
            "smooth_value": 0.001,
            "max_ngram_order": 2,
            "effective_order": True,
            "tokenizer": "intl",
            "lowercase": True,
        },
        "case:lc|eff:yes|tok:intl|smooth:floor[0.001]|order:2",
    ),
    ("sent-bleu", {}, "case:mixed|eff:yes|tok:13a|smooth:exp|order:4"),
    ("cer", {"lowercase": True}, "case:lc"),
    ("wer", {}, "case:mixed"),
    ("chrf", {}, "case:mixed|eff:yes|nc:6|nw:0|space:no|beta:2"),
    (
        "chrf",
        {"char_order": 4, "word_order": 2, "beta": 1.5, "lowercase": True, "whitespace": True, "eps_smoothing": True},
        "case:lc|eff:no|nc:4|nw:2|space:yes|beta:1.5",
    ),
    (
        "fkbleu",
        {"alpha": 0.8, "lowercase": True, "tokenizer": "intl", "max_ngram_order": 3, "splitter": "none"},
        "alpha:0.8|case:lc|eff:yes|tok:intl|smooth:exp|order:3|split:none",
    ),
    ("google-rouge", {}, "types:rouge1+rouge2+rougeL+rougeLsum|stem:no"),
    ("rouge", {}, "measures:1+2+3+4|stem:yes|stop:no|refs-by:average|alpha:0.5|mean:plain"),
    ("rouge", {"official_average": True}, "measures:1+2+3+4|stem:yes|stop:no|refs-by:average|alpha:0.5|mean:bootstrap"),
    (
        "rouge",
        {
            "max_ngram": 2,
            "use_porter_stemmer": False,
            "remove_stopwords": True,
            "max_words": 100,
            "compute_rouge_l": True,
            "wlcs_weight": 1.2,
            "skip_bigram_gap_length": 4,
            "sentences": "<q>",
        },
        "measures:1+2+l+w-1.2+s4+su4|stem:no|stop:yes|words:100|split:<q>|refs-by:average|alpha:0.5|mean:plain",
    ),
    ("sari", {}, "variant:easse|tok:13a|case:lc|deletion:f1"),
    ("sari", {"tokenizer": "none", "lowercase": False}, "variant:easse|tok:none|case:mixed|deletion:f1"),
    (
        "sari",
        {"variant": "easse-paper", "deletion": "precision"},
        "variant:easse-paper|tok:13a|case:lc|deletion:precision",
    ),
    ("sari", {"variant": "star"}, "variant:star|tok:13a|case:mixed"),
    ("sari", {"variant": "xu2016"}, "variant:xu2016|tok:none|case:lc"),
    ("sari", {"variant": "xu2016", "tokenizer": "13a"}, "variant:xu2016|tok:13a|case:lc"),
    ("sari", {"variant": "modified"}, "variant:modified|tok:none|case:lc|deletion:precision"),
    ("sari", {"variant": "t2t", "lowercase": True}, "variant:t2t|tok:none|case:lc|beta_for_deletion:0"),
    ("sari", {"variant": "t2t", "beta_for_deletion": 0.5}, "variant:t2t|tok:none|case:mixed|beta_for_deletion:0.5"),
    ("sari", {"variant": "hf"}, "variant:hf|tok:13a|case:lc"),
    ("sari", {"variant": "joshua"}, "variant:joshua|tok:13a|case:mixed"),
    ("sari", {"variant": "set"}, "variant:set|tok:none|case:mixed|keep_recall:union"),
    ("ter", {}, "case:lc|norm:no|punct:yes|asian:no"),
    (
        "ter",
        {"normalized": True, "no_punct": True, "asian_support": True, "case_sensitive": True},
        "case:mixed|norm:yes|punct:no|asian:yes",
    ),
    ("transformations", {}, "tok:13a|case:lc|align:stems|pos:coarse"),
]


@pytest.mark.parametrize(("name", "options", "signature"), SIGNATURES)
def test_the_signature_states_what_is_computed(name: str, options: dict[str, Any], signature: str) -> None:
    assert load(name, **options).signature().rpartition("|")[0] == f"{name}|{signature}"


# ---- what is refused -------------------------------------------------------------------------------------------------

REFUSED: list[tuple[str, Options, str]] = [  # metric, options, message
    ("autosummeng", {"min_n": 0}, "'min_n' must be at least 1"),
    ("autosummeng", {"min_n": 4}, "'max_n' from 'min_n' to 1000, got min_n=4 and max_n=3"),
    ("autosummeng", {"max_n": 1001}, "'max_n' from 'min_n' to 1000"),
    ("autosummeng", {"window": 0}, "'window' must be from 1 to 1000, got 0"),
    ("autosummeng", {"window": 1001}, "'window' must be from 1 to 1000"),
    ("blanc", {"model": "model", "gap_mask": 3}, "'gap_mask' must be from 1 to 'gap', got 3 with a gap of 2"),
    ("blanc", {"model": "model", "gap": 0}, "'gap_mask' must be from 1 to 'gap', got 1 with a gap of 0"),
    ("blanc", {"model": "model", "measure": "best"}, "'measure' must be one of relative, improve"),
    ("blanc", {"model": "model", "min_sentence_tokens": -1}, "'min_sentence_tokens' must not be negative"),
    (
        "bleu",
        {"smooth_method": "exp", "smooth_value": 0.1},
        "'smooth_value' requires the smoothing method floor or add-k",
    ),
    ("bleu", {"smooth_method": "none", "smooth_value": 0.1}, "floor or add-k, got 'none'"),
    ("bleu", {"smooth_method": "floor", "smooth_value": -0.1}, "must be a non-negative number"),
    ("bleu", {"smooth_method": "floor", "smooth_value": math.inf}, "must be a non-negative number"),
    ("bleu", {"smooth_method": "floor", "smooth_value": math.nan}, "must be a non-negative number"),
    ("bleu", {"smooth_method": "method1"}, "one of none, floor, add-k, exp"),
    ("bleu", {"max_ngram_order": 0}, "from 1"),
    ("bleu", {"max_ngram_order": 1001}, "from 1 to 1000, got 1001"),
    (
        "sent-bleu",
        {"smooth_method": "exp", "smooth_value": 0.1},
        "'smooth_value' requires the smoothing method floor or add-k",
    ),
    ("chrf", {"char_order": -1}, "must be non-negative"),
    ("chrf", {"word_order": -1}, "must be non-negative"),
    ("chrf", {"char_order": 0}, "not both 0"),
    ("chrf", {"char_order": 1001}, "'char_order' must be at most 1000, got 1001"),
    ("chrf", {"word_order": 10**9}, "'word_order' must be at most 1000"),
    ("chrf", {"beta": -1}, "number from 0"),
    ("chrf", {"beta": math.nan}, "number from 0"),
    ("chrf", {"beta": math.inf}, "number from 0"),
    *(
        ("bleu", {"tokenizer": one}, f"did you mean '{meant}'")
        for one, meant in (("14a", "13a"), ("ja-mecap", "ja-mecab"), ("moss", "moses"))
    ),
    ("fkgl", {"tokenizer": "12a"}, "'tokenizer' must be one of .*, got '12a'; did you mean '13a'"),
    *(
        ("google-rouge", {"rouge_types": kinds}, "'rouge_types' must")
        for kinds in (["rouge0"], ["rouge10"], ["rouge-1"], ["rougel"], [""], [])
    ),
    ("google-rouge", {"sentences": "spacy"}, "'sentences' must be one of"),
    ("google-rouge", {"split_summaries": True, "sentences": "none"}, "'split_summaries' .* 'sentences' is 'none'"),
    *(("ibleu", {"alpha": alpha}, "'alpha' must be a number from 0 to 1, got") for alpha in (-0.1, 1.1, math.nan)),
    ("ibleu", {"smooth_value": 1.0}, "'smooth_value' requires"),
    ("jury", {"judges": ["a"]}, "two models or more"),
    ("jury", {"judges": ["a+"]}, "two models or more"),
    ("jury", {"judges": ["a", "a"]}, "different models"),
    ("jury", {"judges": ["a/b", "a-b"]}, "different models"),
    ("jury", {"judges": ["a+b"], "model": "c"}, "'model' has no effect on a jury"),
    ("jury", {"judges": ["a+b"], "probe_injection": True}, "'probe_injection' has no effect on a jury"),
    ("jury", {"judges": ["a+b"], "aggregate": "max"}, "'aggregate' must be one of mean, median, majority"),
    ("llm-judge", {"temperature": -1.0}, "'temperature' must be at least 0"),
    ("llm-judge", {"temperature": math.nan}, "'temperature' must be at least 0, got nan"),
    ("llm-judge", {"top_p": 1.5}, "'top_p' must be from 0 to 1"),
    ("llm-judge", {"samples": 0}, "'samples' must be at least 1"),
    ("llm-judge", {"max_tokens": 0}, "'max_tokens' must be at least 1"),
    ("llm-judge", {"concurrency": 0}, "'concurrency' must be at least 1"),
    ("llm-judge", {"requests_per_minute": 0.0}, "'requests_per_minute' must be at least"),
    ("llm-judge", {"retries": -1}, "'retries' must be at least 0"),
    ("llm-judge", {"time_limit": 0.0}, "'time_limit' must be at least"),
    ("llm-judge", {"input_price": -1.0, "output_price": 1.0}, "'input_price' must be at least 0"),
    ("llm-judge", {"extra_body": "[1]"}, "'extra_body' must be a JSON object"),
    ("llm-judge", {"extra_body": "{"}, "'extra_body' must be a JSON object"),
    ("llm-judge", {"extra_body": '{"stream": true}'}, "must not have the member 'stream'"),
    ("llm-judge", {"calls": False, "cache": False}, "'calls' and 'cache' cannot both be false"),
    ("llm-judge", {"weighting": "median"}, "'weighting' must be one of mean, logprobs"),
    ("moverscore", {"ngram": 2}, "'ngram' must be 1, or at least 1 with the variant 'v1', got 2 with 'v2-2021'"),
    ("moverscore", {"ngram": 2, "variant": "v2"}, "got 2 with 'v2'"),
    ("moverscore", {"ngram": 0, "variant": "v1"}, "got 0 with 'v1'"),
    ("quality-estimation", {"tokenizer": "13b"}, "got '13b'; did you mean '13a'"),
    ("quality-estimation", {"splitter": "pysdb"}, "got 'pysdb'; did you mean 'pysbd'"),
    (
        "quality-estimation",
        {"frequencies": "x", "lexical_complexity": False},
        "'frequencies' requires lexical complexity",
    ),
    ("quality-estimation", {"splitter": "none", "frequencies": "-"}, "'frequencies' must be a file, got '-'"),
    ("rouge", {"max_ngram": 0}, "from 1 to 9, got 0"),
    ("rouge", {"max_ngram": 10}, "from 1 to 9, got 10"),
    ("rouge", {"max_words": 0}, "'max_words' must be a positive integer, got 0"),
    ("rouge", {"max_bytes": -1}, "'max_bytes' must be a positive integer, got -1"),
    ("rouge", {"max_bytes": 1, "max_words": 1}, "not both"),
    ("rouge", {"wlcs_weight": 0.5}, "a number from 1 to 5, got 0.5"),
    ("rouge", {"wlcs_weight": 5.1}, "a number from 1 to 5, got 5.1"),
    ("rouge", {"wlcs_weight": float("nan")}, "got nan"),
    ("rouge", {"alpha": 1.5}, "from 0 to 1, got 1.5"),
    ("rouge", {"scoring_function": "best"}, "average, max"),
    ("rouge", {"sentences": "words"}, "'sentences' must be one of"),
    ("sari", {"variant": "star", "deletion": "f1"}, "variants that have it: easse, easse-paper, modified"),
    ("sari", {"keep_recall": "union"}, "no option 'keep_recall'; variants that have it: set"),
    ("sari", {"variant": "set", "beta_for_deletion": 1.0}, "variants that have it: t2t"),
    ("sari", {"variant": "t2t", "beta_for_deletion": -1.0}, "must be a non-negative number, got -1"),
    ("sari", {"variant": "t2t", "beta_for_deletion": float("nan")}, "must be a non-negative number, got nan"),
    ("sari", {"deletion": "recall"}, "must be one of f1, precision, got 'recall'"),
    ("sari", {"variant": "set", "keep_recall": "both"}, "must be one of union, intersection"),
    ("sari", {"variant": "esse"}, "did you mean 'easse'"),
    ("sari", {"tokenizer": "zh"}, "'tokenizer' must be one of 13a, intl, moses, none, penn, treebank, got 'zh'"),
    *(("supert", {"model": "model", option: 0}, "must be at least 1, got 0") for option in ("top", "max_tokens")),
    ("token-f1", {"tokenizer": "12a"}, "'tokenizer' must be one of .*, got '12a'; did you mean '13a'"),
    ("transformations", {"tokenizer": "zh"}, "'tokenizer' must be one of .*, got 'zh'"),
    ("transformations", {"tagger": "fine"}, "'tagger' must be one of .*, got 'fine'"),
    ("transformations", {"aligner": "stem"}, "unknown aligner 'stem'"),
]


@pytest.mark.parametrize(("name", "options", "message"), REFUSED)
def test_wrong_options_are_refused(name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises((InputError, UsageError), match=message):
        Metric.by_name(name)(**options)


# ---- what classes declare --------------------------------------------------------------------------------------------

REFERENCES, SOURCE = ("summary", "references"), ("summary", "references", "source")
DECLARED = [  # metric, fields, whether higher is better, range, keys of the citation
    ("bleu", REFERENCES, True, (0, 100), ["papineni-etal-2002-bleu", "post-2018-call"]),
    ("sent-bleu", REFERENCES, True, (0, 100), ["papineni-etal-2002-bleu", "post-2018-call"]),
    ("chrf", REFERENCES, True, (0, 100), ["popovic-2015-chrf", "popovic-2017-chrf"]),
    ("sari", SOURCE, True, (0, 100), ["xu-etal-2016-optimizing"]),
    ("ter", REFERENCES, False, (0, None), ["snover-etal-2006-study"]),
]


@pytest.mark.parametrize(("name", "fields", "higher", "score_range", "citations"), DECLARED)
def test_what_classes_declare(
    name: str, fields: tuple[str, ...], higher: Any, score_range: Any, citations: Any
) -> None:
    metric = load(name)
    assert (metric.name, metric.fields) == (name, fields)
    assert (metric.higher_is_better, metric.score_range) == (higher, score_range)
    assert metric.jackknifer is not None
    assert all(key in metric.citation for key in citations)
