"""Checks of the options of `llm-judge`."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from metrics_framework.common.errors import UsageError
from metrics_framework.language_models.answer_forms import RegexForm
from metrics_framework.language_models.samples import Weighting
from metrics_framework.language_models.template import Template

RESERVED = ("messages", "model", "n", "stream")


def at_least(least: float, name: str, value: float, most: float = math.inf) -> float:
    """Returns the value of an option.

    Raises:
        UsageError: if it is outside its bounds, infinite or NaN.
    """
    if not least <= value <= most or math.isinf(value):
        bounds = f"at least {least:g}" if math.isinf(most) else f"from {least:g} to {most:g}"
        raise UsageError(f"'{name}' must be {bounds}, got {value:g}")
    return value


def check_weighting(template: Template, weighting: Weighting) -> None:
    """Checks that scores can be weighted by the probabilities of their tokens.

    Raises:
        UsageError: if they cannot.
    """
    scale = template.form.scale
    is_regex = isinstance(template.form, RegexForm)
    if weighting == "logprobs" and (scale is None or not is_regex or scale[0] < 0 or scale[1] > 9):
        raise UsageError(
            f"--weighting logprobs needs a template with a regular expression and a scale of single digits, within 0 "
            f"to 9; '{template.name}' has none"
        )


def members(text: str | None) -> Mapping[str, Any]:
    """Returns the further members of a request.

    Raises:
        UsageError: if they are no JSON object, or set what the metric sets.
    """
    try:
        given = {} if text is None else json.loads(text)
    except ValueError:
        given = None
    if not isinstance(given, dict):
        raise UsageError(
            f"'extra_body' must be a JSON object, such as '{{\"reasoning_effort\": \"low\"}}', got {text!r}"
        )
    reserved = sorted(set(RESERVED) & set(given))
    if reserved:
        raise UsageError(f"'extra_body' must not have the member '{reserved[0]}', which is set by this metric")
    return given


def prices(input_price: float | None, output_price: float | None) -> tuple[float, float] | None:
    """Returns the prices of input and output tokens; `None` without prices.

    Raises:
        UsageError: if only one is given, or one is negative.
    """
    if input_price is None and output_price is None:
        return None
    if input_price is None or output_price is None:
        raise UsageError("the cost needs both prices: give --input-price and --output-price")
    return at_least(0, "input_price", input_price), at_least(0, "output_price", output_price)
