"""The hashes of scores of each definition of a metric: ``python tests/recorded_definitions.py`` adds new ones.

Scores with equal signatures must be equal in every release of the package, so a metric whose scores change needs a new
`definition` (decision 0068). The record has hashes of scores and statistics by metric and options, for the version of
its definition. The program adds hashes of new metrics, options and versions, but never replaces one of the same
version: if scores change, raise `definition` in the class of the metric first.

Numbers are rounded to ten significant digits, so that hashes depend neither on kernels nor on the platform, and texts
have no characters newer than Unicode 13.0.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from metrics_framework.common.errors import FwError
from metrics_framework.common.options import Option, options_of
from metrics_framework.dataset_readers.dataset_reader import load_reader
from metrics_framework.metrics import REGISTRY
from metrics_framework.metrics.base.metric import CorpusMetric, Metric, load
from metrics_framework.text.tokenizers.tokenizer import tokenizer_signature

RECORD = Path(__file__).with_suffix(".json")
DATA = Path(__file__).resolve().parent.parent / "datasets"
_MODEL = "needs a neural model; its tests compare a tiny one with the published program"
_SERVER = "asks a language model; its answers are not those of this package"
LEFT_OUT = {
    **dict.fromkeys(("alignscore", "bartscore", "bertscore", "blanc", "comet", "cross-encoder", "metricx"), _MODEL),
    **dict.fromkeys(("moverscore", "question-answering", "summac", "supert", "unieval"), _MODEL),
    **dict.fromkeys(("faithfulness", "jury", "llm-judge"), _SERVER),
    "external": "prints the scores of another program",
    "meteor": "runs the published program, which is not part of this package",
    "precomputed": "reads scores from a file",
    "quality-estimation": "reads word frequencies of the package wordfreq",
}
"""Metrics without a record, and why."""
READERS = {"error-spans": ("error-spans", ["translation/spans.jsonl"])}
READERS["pyramid-score"] = ("pyramid-based", ["pyramids/pyramids.jsonl", "pyramids/annotations.jsonl"])
FILES = {"summarization": ("default", ["summarization/outputs.jsonl"])}
SIMPLIFICATION = ("default", ["simplification/outputs.jsonl"])
ALWAYS: Mapping[str, Mapping[str, Any]] = {
    **{name: {"splitter": "none"} for name in ("fkbleu", "fkgl")},
    **{name: {"splitter": "none", "passages": str(DATA / "ucca")} for name in ("samsa", "samsa-abl")},
}
"""Options without which a metric needs another package or another program."""
OF_PACKAGES = ("splitter", "sentences", "split_summaries", "aligner")
"""Options whose values run other packages."""
OWN_TOKENIZERS = ("13a", "intl", "char", "none", "zh", "penn", "treebank")
NUMBERS: Mapping[str, Sequence[Any]] = {
    "max_ngram_order": [2, 9],
    "smooth_value": [0.5],
    "word_order": [2],
    "char_order": [3],
    "beta": [1],
    "alpha": [0.25],
    "max_words": [9],
    "max_bytes": [40],
    "skip_bigram_gap_length": [4],
    "wlcs_weight": [1.2],
    "max_n": [2],
    "window": [5],
}
"""Values of options that are numbers."""
ODD = [
    "",
    " ",
    "a",
    "The cat sat.",
    "the CAT sat",
    "a\nb",
    "don't -- 3.5 &quot;x&quot; <skipped>",
    "漢字、かな。",
    "İẞß ΣΑΣ",
]
ODD += ["e\u0301\u200b 😀 a a a a a", "x" * 60, "1,000 of 2-3 ($5.)", "a b c d e f g h", "h g f e d c b a", ". . ,"]


def metrics_on_record() -> list[str]:
    """Returns the names of all metrics of this package that have a record."""
    names = [name for name in REGISTRY.names() if REGISTRY.entries[name].module.startswith("metrics_framework.")]
    return [name for name in names if name not in LEFT_OUT]


def hashes_of(name: str) -> Iterator[tuple[str, str]]:
    """Yields the options of a metric, as ``name:option=value``, and the hash of all that it computes with them."""
    columns = None
    for spec, options in _variants(name):
        try:
            metric = load(name, **options)
        except FwError:  # the option belongs to a variant
            continue
        columns = columns or _columns(metric)
        yield spec, _hash(metric, columns)


def _variants(name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    always = dict(ALWAYS.get(name, {}))
    yield name, always
    for option in options_of(Metric.by_name(name), Metric):
        for value in [] if option.name in OF_PACKAGES else _values(option):
            signed = tokenizer_signature(value) if option.name == "tokenizer" else value
            yield f"{name}:{option.name}={signed}", {**always, option.name: value}


def _values(option: Option) -> Sequence[Any]:
    if option.name == "tokenizer":
        return [value for value in option.choices if value in OWN_TOKENIZERS and value != option.default]
    if option.kind == "choice":
        return [value for value in option.choices if value != option.default]
    return [not option.default] if option.kind == "bool" else NUMBERS.get(option.name, [])


def _columns(metric: Metric) -> list[list[Any]]:
    """Returns the arguments of ``metric.evaluate``: the example data, and odd texts for metrics of texts."""
    has_documents = "documents" in metric.fields
    reader, files = READERS.get(metric.name) or (FILES["summarization"] if has_documents else SIMPLIFICATION)
    if metric.name.startswith("samsa"):
        files = ["ucca/outputs.jsonl"]
    instances = list(load_reader(reader).read([str(DATA / file) for file in files]))
    instances = instances[:: 1 + len(instances) // 40]
    rows = [[instance.fields[field] for field in metric.fields] for instance in instances]
    if metric.name not in READERS and not metric.name.startswith("samsa"):
        rows += [[_odd(field, number) for field in metric.fields] for number in range(2 * len(ODD))]
    return [list(column) for column in zip(*rows, strict=True)]


def _odd(field: str, number: int) -> Any:
    if field == "summary":
        return ODD[number % len(ODD)]
    texts = [ODD[(number + step * (1 + number // len(ODD))) % len(ODD)] for step in range(1 + number % 3)]
    return texts[-1] if field == "source" else texts


def _hash(metric: Metric, columns: Sequence[Sequence[Any]]) -> str:
    try:
        total, scores = metric.evaluate(*columns)
        found: list[Any] = [dict(total), list(map(dict, scores))]
        if isinstance(metric, CorpusMetric):
            groups = [[[value] for value in columns[0]], *columns[1:]]
            found.append(metric.statistics_multi_all(*groups))
    except FwError as error:
        found = [type(error).__name__]
    return hashlib.blake2b(json.dumps(_rounded(found), sort_keys=True).encode(), digest_size=8).hexdigest()


def _rounded(value: Any) -> Any:
    """Returns a value with numbers as texts of ten significant digits."""
    if isinstance(value, Mapping):
        return {name: _rounded(one) for name, one in value.items()}
    if isinstance(value, (int, float)):
        return "nan" if math.isnan(value) else f"{value if abs(value) > 1e-12 else 0.0:.10g}"
    return [_rounded(one) for one in value] if isinstance(value, (list, tuple)) else value


def read_record() -> dict[str, dict[str, Any]]:
    """Returns the record: for each metric, the version of its definition, and options to hash."""
    record: dict[str, dict[str, Any]] = json.loads(RECORD.read_text(encoding="utf-8"))
    return record


def problems(name: str, recorded: Mapping[str, Any] | None, found: Mapping[str, str]) -> list[str]:
    """Returns what is wrong with the scores of a metric, and what to do.

    Args:
        name: The metric.
        recorded: Its record; `None` for none.
        found: The hashes of its scores now.
    """
    kind = Metric.by_name(name)
    if recorded is None or recorded["definition"] < kind.definition or recorded["hashes"].keys() != found.keys():
        return [f"the record lacks '{name}' as it is now: run python tests/recorded_definitions.py"]
    if recorded["definition"] > kind.definition:
        return [f"'{name}' had definition {recorded['definition']}, and has {kind.definition}: versions only rise"]
    return [
        f"the scores of '{spec}' have changed, but not the version of its definition. If that is intended, set "
        f"definition = {kind.definition + 1} in {kind.__name__} ({kind.__module__}), name the change in the changelog, "
        "and run python tests/recorded_definitions.py; else restore the scores (decision 0068)"
        for spec, digest in found.items()
        if digest != recorded["hashes"][spec]
    ]


def main() -> None:
    """Adds what is new to the record; ends with an error if a hash of the same definition would change."""
    record = read_record() if RECORD.exists() else {}
    for name in metrics_on_record():
        found, definition, old = dict(hashes_of(name)), Metric.by_name(name).definition, record.get(name)
        if old is not None and old["definition"] == definition:
            known = {spec: digest for spec, digest in found.items() if spec in old["hashes"]}
            wrong = problems(name, {**old, "hashes": {spec: old["hashes"][spec] for spec in known}}, known)
            if wrong:
                raise SystemExit("\n".join(wrong))
        record[name] = {"definition": definition, "hashes": found}
    RECORD.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
