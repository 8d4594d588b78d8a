"""Metrics that users look for by other names, or that are not part of this package: what is true of them."""

from __future__ import annotations

import re

from metrics_framework.common.installation import pip_install

_SCORES = "fw correlate and fw report --scores-files read the scores of other programs (JSONL, CSV, TSV)"
_NEURAL = "a neural metric that is not part of fw"
_HOW = "'external' runs it as a program, 'precomputed' reads its scores"
_HERE = {
    "sacrebleu": "did you mean 'bleu'? It equals the BLEU of sacreBLEU; 'chrf' and 'ter' equal its chrF and TER.",
    "gemba": "did you mean 'llm-judge', a language model as a judge? Its default template is like GEMBA-DA.",
    "gembamqm": "did you mean 'llm-judge' with the template error-annotation, which is like GEMBA-MQM?",
    "poll": "did you mean 'jury', several language models as judges?",
    "geval": "did you mean 'llm-judge' with the template g-eval-coherence, -consistency, -fluency or -relevance?",
    "mtbench": "did you mean 'llm-judge' with the template pairwise, or fw write votes for pairs of systems?",
    "flesch": "did you mean 'fkgl', the Flesch-Kincaid grade level?",
    "fre": "did you mean 'fkgl', the Flesch-Kincaid grade level? The Flesch reading ease is not part of fw.",
    "levenshtein": "did you mean 'quality-estimation'? Its levenshtein_similarity compares an output with its source.",
    "easse": "EASSE is a set of metrics: use fw evaluate --profile simplification, or one of 'sari', 'bleu', 'fkgl'.",
    "blanctune": "BLANC-tune, which trains a model on every summary, is not part of fw; did you mean 'blanc'?",
    "jsd": "did you mean 'simetrix'? Its scores include the Jensen-Shannon divergence.",
    "qaeval": "did you mean 'question-answering'? Its scores have the names of QAEval.",
    "squad": "did you mean 'token-f1'?",
    **dict.fromkeys(
        ("accuracy", "em", "exactmatch"),
        "no metric compares whole texts; did you mean 'token-f1', the overlap of their words?",
    ),
    "f1": "did you mean 'token-f1', which compares the words of outputs and references?",
    "compression": "did you mean 'quality-estimation'? Its compression_ratio compares an output with its source.",
    "all": "name metrics, as in --metric sari,bleu, or a set of metrics with --profile.",
    "cometkiwi": "did you mean 'comet'? It runs the models of CometKiwi, such as Unbabel/wmt22-cometkiwi-da.",
    "cometqe": "did you mean 'comet'? It runs the reference-free models of COMET, such as Unbabel/wmt20-comet-qe-da.",
    "unite": "did you mean 'comet'? It runs the unified models of COMET, such as Unbabel/unite-mup.",
    "xcomet": "did you mean 'comet'? It runs the models of xCOMET, such as Unbabel/XCOMET-XL.",
    "summacconv": "did you mean 'summac' with its variant conv (summac:variant=conv,weights=FILE)?",
    "summaczs": "did you mean 'summac'? Its default variant is zero-shot.",
}
_SAME = {  # a metric by its names in sacreBLEU, EASSE, SacreROUGE and Hugging Face, and by the names of its scores
    "bleu": "bleu4 bleu_4 corpus_bleu",
    "bleu:tokenizer=flores200": "spbleu",
    "sent-bleu": "sentence_bleu",
    "chrf": "chrf2",
    "chrf:word_order=2": "chrf++ chrf2++ chrfpp",
    "token-f1": "f1_token",
    "google-rouge": "rouge1 rouge2 rougel rougelsum rouge_score",
    "bertscore": "bert_score",
    "comet": "comet_score",
    "sari": "sari_keep sari_add sari_del sari_by_operation",
    "sari:variant=star": "sari_legacy",
    "quality-estimation": "compression_ratio sentence_splits levenshtein_similarity exact_copies additions_proportion "
    "deletions_proportion lexical_complexity",
    "blanc": "blanc_help",
    "autosummeng": "memog npower",
    "pyramid-score": "pyramid",
}
_SPEC_OF = {name: spec for spec, names in _SAME.items() for name in names.split()}
_ELSEWHERE = {
    "bleurt": (
        f"BLEURT is {_NEURAL} (its code is at github.com/google-research/bleurt); 'cross-encoder' scores with "
        f"conversions of its checkpoints to transformers, such as Elron/bleurt-base-512; {_HOW}"
    ),
    "cider": "CIDEr is not part of fw; the package pycocoevalcap computes it",
    "gleu": "GLEU is not part of fw; the package nltk computes Google's GLEU",
    "lens": f"LENS is {_NEURAL} ({pip_install('lens-metric')}); {_HOW}",
    "nist": "NIST is not part of fw; the package nltk computes it",
    "spice": "SPICE is not part of fw; the package pycocoevalcap computes it",
}
_OTHER_NAMES = {"googlebleu": "gleu", "comet22": "xcomet"}
_ROUGE = {  # what names look like, and what they mean
    r"rouge([-_]?score|[3-9]|-lsum)|googlerouge": (
        "did you mean 'google-rouge'? It equals the package rouge-score, with rouge1, rouge2, rougeL and rougeLsum. "
        "'rouge' equals the program ROUGE-1.5.5."
    ),
    r"rouge[-_](1[.-]5[.-]5|[1-9lsw].*)|rouge(155|1\.5\.5|su?4|w|be|[-_]?metric)|(py(thon)?-?|files2|sumeval-)rouge": (
        "did you mean 'rouge'? It equals the program ROUGE-1.5.5, with rouge-1 to rouge-4, rouge-l, rouge-s, rouge-su "
        "and rouge-w. 'google-rouge' equals the package rouge-score."
    ),
}
_DOCKER = "docker-"
_IN_DOCKER = ("bertscore", "moverscore", "rouge")
_PROGRAMS = {
    "apes": "APES",
    "bewte": "BEwT-E",
    "lite3pyramid": "Lite3Pyramid",
    "pyreval": "PyrEval",
    "s3": "S3",
    "sumqe": "Sum-QE",
}


def meant(name: str) -> str:
    """Returns the metric, with options, that a name surely means which other programs or its scores have; else "".

    >>> meant("chrF++"), meant("f1_token"), meant("rougeL"), meant("ROUGE-L")
    ('chrf:word_order=2', 'token-f1', 'google-rouge', '')
    """
    name = name.casefold().replace("-", "_")
    return _SPEC_OF.get(name) or _SPEC_OF.get(re.sub(r"_(precision|recall|fmeasure)$", "", name), "")


def answer(name: str) -> str:
    """Returns what to use for a metric with a name that does not exist here; an empty string if it is unknown.

    >>> answer("docker-moverscore")
    "did you mean 'moverscore'? It needs no Docker."
    >>> answer("rouge_score")[:28], answer("ROUGE-L")[:21], answer("sarri")
    ("did you mean 'google-rouge'?", "did you mean 'rouge'?", '')
    """
    if name.endswith(".py"):
        return f"to use the metric of this file, add --include-packages {name} and use its registered name."
    name = name.casefold()
    if name.startswith(_DOCKER):
        name = name.removeprefix(_DOCKER)
        if name in _IN_DOCKER:
            return f"did you mean '{name}'? It needs no Docker."
    known = re.sub(r"[-_.\s]", "", name)
    for names, meant in _ROUGE.items():
        if re.fullmatch(names, name):
            return meant
    if known in _PROGRAMS:
        return f"{_PROGRAMS[known]} is a program of its authors: 'external' runs it, 'precomputed' reads its scores."
    known = _OTHER_NAMES.get(known, known)
    if known in _HERE:
        return _HERE[known]
    return f"{_ELSEWHERE[known]}. {_SCORES}." if known in _ELSEWHERE else ""
