"""Names that methods of metrics have in other packages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

OTHER_NAMES = {
    "compute": "evaluate(), or compute() of metrics_framework.integrations.hugging_face.load(…)",
    "add_batch": "evaluate(), or add_batch() of metrics_framework.integrations.hugging_face.load(…)",
    "corpus_score": "evaluate(), with one list of references for each output",
    "sentence_score": "score()",
    "compute_score": "evaluate()",
    "calculate_score": "score()",
}
"""Methods of Hugging Face's evaluate, sacreBLEU and other packages; what to call instead."""


class OtherMethodNames:
    """Names the method to call instead of a method of another package."""

    if not TYPE_CHECKING:  # or type checkers would accept every name

        def __getattr__(self, name: str) -> Any:
            instead = f"; use {OTHER_NAMES[name]}" if name in OTHER_NAMES else ""
            message = f"'{type(self).__name__}' object has no attribute '{name}'{instead}"
            raise AttributeError(message, name=name, obj=self)
