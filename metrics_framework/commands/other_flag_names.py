"""Names that other programs have for flags of this one, for suggestions."""

from __future__ import annotations

from collections.abc import Container

_OTHER_NAMES = {
    "--outputs": "hyp hyps hypothesis hypotheses pred preds prediction predictions candidate candidates sys systems",
    "--references": "ref refs tgt target targets gold",
    "--sources": "src srcs orig original originals inputs",
    "--input-files": "files data jsonl csv",
    "--jobs": "threads workers num-workers n-jobs num-threads num-processes",
    "--resamples": "bootstrap n-bootstrap num-resamples n-resamples bootstraps",
    "--digits": "decimals precision round",
    "--silent": "quiet",
    "--metric": "measure measures scorer",
    "--format": "latex tex markdown",
    "--confidence": "significance significance-test significance-tests stats test-significance",
    "--baseline": "compare compare-to compare-with reference-system",
}
_FLAGS = {f"--{name}": flag for flag, names in _OTHER_NAMES.items() for name in names.split()}


def flag_for(name: str, flags: Container[str]) -> str:
    """Returns the flag that another program calls by a name; an empty string if there is none in the command.

    >>> flag_for("--Hypotheses", ["--outputs"]), flag_for("--src", ["--outputs"])
    ('--outputs', '')
    """
    flag = _FLAGS.get(name.lower().replace("_", "-"), "")
    return flag if flag in flags else ""
