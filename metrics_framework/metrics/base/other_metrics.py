"""Metrics that users look for by other names, or that are not part of this package: what is true of them."""

from __future__ import annotations

import re

from metrics_framework.common.errors import called

_ROUGE = {  # what names look like, and what they mean
    r"rouge([-_]?score|[3-9]|-lsum)|googlerouge": (
        "did you mean 'google-rouge'? It equals the package rouge-score, with rouge1, rouge2, rougeL and rougeLsum. "
        "'rouge' equals the program ROUGE-1.5.5."
    ),
    r"rouge[-_](1[.-]5[.-]5|[1-9lsw].*)|rouge(155|1\.5\.5|su?4|w|be|[-_]?metric)|(py(thon)?-?|files2|sumeval-)rouge": (
        "did you mean 'rouge'? It equals the program ROUGE-1.5.5; --profile summarization has its ROUGE-1, ROUGE-2 and "
        "ROUGE-L. 'rouge1', 'rouge2' and 'rougeL' equal those of the package rouge-score."
    ),
}
_DOCKER = "docker-"
_IN_DOCKER = ("bertscore", "moverscore", "rouge")


def meant(name: str) -> str:
    """Returns the metric, with options, that a name surely means which other programs or its scores have; else "".

    >>> meant("chrF++"), meant("f1_token"), meant("rougeL"), meant("ROUGE-L")
    ('chrf:word_order=2,label=chrf++', 'token-f1', 'google-rouge', '')
    """
    name = name.casefold().replace("-", "_")
    return called("metrics", name) or called("metrics", re.sub(r"_(precision|recall|fmeasure)$", "", name))


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
    return called("metric answers", known)
