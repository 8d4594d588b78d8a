"""The declarations of sacreBLEU's flags for output and tests; they are interpreted only if one is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_YES: Mapping[str, Any] = {"action": "store_true"}
_COUNT: Mapping[str, Any] = {"type": int, "metavar": "N"}
OUTPUT_FLAGS: Sequence[tuple[Sequence[str], Mapping[str, Any], str]] = (  # names, argparse's options, help text
    (
        ("-f",),
        {"dest": "shape", "metavar": "{text,json,…}"},
        "text, json: the shapes of sacreBLEU; other formats as with --format",
    ),
    (("-b", "--score-only"), _YES, "print only scores"),
    (("-sl", "--sentence-level"), _YES, "print the score of each output of a system, one per line"),
    (("-sh", "--short"), _YES, "abbreviate the signatures of -f text"),
    (("-pbs", "--paired-bs"), _YES, "compare systems with the first one by sacreBLEU's paired bootstrap"),
    (("-pbsn", "--paired-bs-n"), _COUNT, "number of resamples of --paired-bs (default: 1000)"),
    (("-par", "--paired-ar"), _YES, "compare systems with the first one by sacreBLEU's approximate randomization"),
    (("-parn", "--paired-ar-n"), _COUNT, "number of trials of --paired-ar (default: 10000)"),
)
DESTINATIONS = frozenset(
    ("shape", "score_only", "sentence_level", "short", "paired_bs", "paired_bs_n", "paired_ar", "paired_ar_n")
)
"""The parsed values that need `metrics_framework.commands.sacrebleu_output`."""
OTHER_FORMATS = ("json", "sacrebleu-json", "sacrebleu-text")
"""The choices of ``--format`` that are not registered."""
