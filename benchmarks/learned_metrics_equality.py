"""Prints how far learned metrics are from the published programs: ``python benchmarks/learned_metrics_equality.py``.

The table has a row for each model. Column "saved": the largest difference from the scores that the programs computed
for the tiny checkpoints below ``FW_SHARED``, over all their options. Column "live": the same for unbabel-comet, run on
other texts in this process, with these checkpoints and with models of all classes and encoders that are built in code.
Where unbabel-comet is not installed, or the saved scores are missing, a column is empty. ``.ci/run`` shows how to
install unbabel-comet. The program ends with an error if a difference is larger than 1e-5, or an error span differs.
"""

from __future__ import annotations

import ast
import json
import os
import re
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from metrics_framework import load

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

WITHIN = 1e-5
CLASSES: dict[str, dict[str, Any]] = {
    "regression": {"class_identifier": "regression_metric"},
    "referenceless": {"class_identifier": "referenceless_regression_metric", "layer_norm": True},
    "unified": {"class_identifier": "unified_metric", "word_level_training": True},
    "xCOMET": {
        "class_identifier": "xcomet_metric",
        "error_labels": ["minor", "major", "critical"],
        "word_level_training": True,
    },
}
WORDS = ("the", "quick", "brown", "fox", "jumps", "over", "lazy", "dog", "a", "cat", "sat", "on", "mat", "big", "it")
ENCODERS = ("XLM-RoBERTa", "XLM-RoBERTa-XL", "BERT", "MiniLM", "RemBERT")
Samples = Sequence[dict[str, str]]


class Row(NamedTuple):
    """The largest differences of a model.

    Attributes:
        model: What it is.
        saved: From saved scores; `None` without them.
        live: From a program in this process; `None` without it.
    """

    model: str
    saved: float | None
    live: float | None = None

    def cells(self) -> list[str]:
        """Returns the cells of its row."""
        return [self.model, *("" if value is None else f"{value:.0e}" for value in (self.saved, self.live))]


def farthest(found: Sequence[float], expected: Sequence[float]) -> float:
    """Returns the largest difference."""
    return max(abs(one - other) for one, other in zip(found, expected, strict=True))


def comet_scores(metric: Any, samples: Samples) -> list[Any]:
    """Returns the scores of samples."""
    columns = {"references": [[one["ref"]] for one in samples], "source": [one["src"] for one in samples]}
    fields = {name: columns[name] for name in metric.required_context_fields}
    return list(metric.score_all([one["mt"] for one in samples], **fields))


def comet_difference(metric: Any, samples: Samples, expected: Any) -> float:
    """Returns the largest difference of scores, parts and confidences; ends the program if error spans differ."""
    found = comet_scores(metric, samples)
    differences = [farthest([one["comet"] for one in found], expected["scores"])]
    metadata = dict(expected.get("metadata") or {})
    spans = metadata.pop("error_spans", None)
    for part, values in metadata.items():
        name = "comet_" + part.removesuffix("_scores")
        differences.append(farthest([one[name] for one in found], list(values)))
    for one, of_output in zip(found, spans or (), strict=bool(spans)) if spans is not None else ():
        shown = [span for span in of_output if span["start"] < span["end"]]
        predicted = one.annotations["predicted_spans"]
        keys = ("start", "end", "severity", "text")
        if [[span[key] for key in keys] for span in predicted] != [[span[key] for key in keys] for span in shown]:
            raise SystemExit(f"error spans differ: {predicted} and {shown}")
        differences += [abs(a["confidence"] - b["confidence"]) for a, b in zip(predicted, shown, strict=True)]
    return max(differences)


def program() -> Callable[[dict[str, str], Samples], Any] | None:
    """Returns a function that scores with unbabel-comet; `None` where it is not installed."""
    try:
        import comet
        import transformers
    except ImportError:
        return None
    original = transformers.XLMRobertaTokenizerFast.from_pretrained

    def score(paths: dict[str, str], samples: Samples) -> Any:
        def from_folder(name: str, **options: Any) -> Any:  # MiniLM has the tokenizer of a model on the hub
            return original(paths["encoder"] if name == "xlm-roberta-base" else name, **options)

        transformers.XLMRobertaTokenizerFast.from_pretrained = from_folder
        file = Path(paths["model"]) / "checkpoints" / "model.ckpt"
        loaded = comet.load_from_checkpoint(str(file), strict=False, local_files_only=True)
        return loaded.predict(samples, batch_size=4, gpus=0, progress_bar=False, num_workers=0)

    return score


def shifted(samples: Samples) -> Samples:
    """Returns other samples: each text with those of other samples, and some of them joined."""
    count = len(samples)
    return [
        {
            "mt": samples[number]["mt"] + (" " + samples[-1]["mt"]) * (number % 3 == 0),
            "src": samples[(number + 1) % count]["src"],
            "ref": samples[(number + 2) % count]["ref"],
        }
        for number in range(count)
    ]


def saved_comet(folder: Path, live: Any, scratch: Path) -> Iterator[Row]:
    """Yields the rows of the saved checkpoints of COMET."""
    content = json.loads((folder / "comet.json").read_text(encoding="utf-8"))
    for name, runs in content["models"].items():
        encoder = str(folder / ("encoder-xl" if name == "xcomet" else "encoder"))
        paths = {"model": str(folder / name), "encoder": encoder}
        saved = max(
            comet_difference(
                load("comet", **paths, batch_size=8, reference_free=run == "without references", cache=False),
                content["samples"],
                expected,
            )
            for run, expected in runs.items()
            if isinstance(expected, dict)
        )
        found = None if live is None else live_difference(live, with_encoder(paths, scratch / name), content["samples"])
        yield Row(f"`comet`: {name}", saved, found)


def with_encoder(paths: dict[str, str], folder: Path) -> dict[str, str]:
    """Returns a copy of a checkpoint that names the folder of its encoder, where unbabel-comet looks for it."""
    import torch
    import yaml

    (folder / "checkpoints").mkdir(parents=True)
    model = Path(paths["model"])
    parameters = yaml.safe_load((model / "hparams.yaml").read_text(encoding="utf-8"))
    parameters["pretrained_model"] = paths["encoder"]
    (folder / "hparams.yaml").write_text(yaml.safe_dump(parameters), encoding="utf-8")
    content = torch.load(model / "checkpoints" / "model.ckpt", weights_only=True)
    content["hyper_parameters"]["pretrained_model"] = paths["encoder"]
    torch.save(content, folder / "checkpoints" / "model.ckpt")
    return {**paths, "model": str(folder)}


def live_difference(live: Any, paths: dict[str, str], samples: Samples) -> float:
    """Returns the largest difference from unbabel-comet on other texts."""
    metric, others = load("comet", **paths, cache=False), shifted(samples)
    names = {"references": "ref", "source": "src"}
    read = ["mt", *(names[field] for field in metric.required_context_fields)]
    expected = live(paths, [{name: one[name] for name in read} for one in others])
    return comet_difference(metric, others, expected)


def built_comet(live: Any, scratch: Path) -> Iterator[Row]:
    """Yields the rows of models that are built in code."""
    from learned_models import tiny_comet

    samples = [
        {name: " ".join(WORDS[number * step % 13 : number * step % 13 + 2 + number % 9]) + " ." for name, step in
         (("mt", 3), ("src", 5), ("ref", 7))}
        for number in range(12)
    ]  # fmt: skip
    for encoder in ENCODERS if live is not None else ():
        for name, changes in CLASSES.items():
            folder = scratch / f"{encoder}-{name}"
            paths = tiny_comet(folder, encoder_model=encoder, pretrained_model=str(folder / "encoder"), **changes)
            yield Row(f"`comet`: {name}, {encoder}, built in code", None, live_difference(live, paths, samples))


def sentences(text: str) -> list[str]:
    """Splits the saved texts as the saved runs did."""
    return re.split(r"(?<=[.!?]) ", text)


def saved_summaries(folder: Path, scratch: Path) -> Iterator[Row]:
    """Yields the rows of metrics of summaries."""
    saved = json.loads((folder / "summaries.json").read_text(encoding="utf-8"))
    yield Row("`bartscore`", bartscore(folder, saved))
    yield Row("`unieval`", unieval(folder, saved))
    yield Row("`alignscore`, six modes, long documents", alignscore(folder, saved))
    yield Row("`summac`, zero-shot and convolutional", summac(folder, saved, scratch))


def bartscore(folder: Path, saved: Any) -> float:
    """Returns the largest difference over directions and aggregations."""
    directions = {
        "document to summary": {},
        "reference to summary": {"direction": "reference-to-summary"},
        "summary to reference": {"direction": "summary-to-reference"},
        "several references, mean": {"direction": "summary-to-reference"},
        "max": {"direction": "summary-to-reference", "reference_aggregation": "max"},
    }
    found = []
    for run, options in directions.items():
        metric = load("bartscore", model=str(folder / "seq2seq"), cache=False, **options)
        documents = [[text] for text in saved["documents"]]
        references = [[text] for text in saved["references"]]
        if run in ("several references, mean", "max"):
            references = [[*one, *other] for one, other in zip(references, documents, strict=True)]
        fields = {"documents": documents, "references": references}
        scores = metric.score_all(saved["summaries"], **{name: fields[name] for name in metric.required_context_fields})
        found.append(farthest([one["bartscore"] for one in scores], saved["bartscore"][run]))
    return max(found)


def unieval(folder: Path, saved: Any) -> float:
    """Returns the largest difference over dimensions."""
    metric = load("unieval", model=str(folder / "t5"), cache=False)
    columns = [[[text] for text in saved[name]] for name in ("references", "documents")]
    scores = metric.score_all(list(map(sentences, saved["summaries"])), *columns)
    expected = saved["unieval"]["summarization"]
    names = {"unieval": "overall", **{f"unieval_{name}": name for name in expected[0] if name != "overall"}}
    return max(
        farthest([one[name] for one in scores], [one[other] for one in expected]) for name, other in names.items()
    )


def alignscore(folder: Path, saved: Any) -> float:
    """Returns the largest difference over modes."""
    paths = {"model": str(folder / "alignscore"), "encoder": str(folder / "roberta-encoder")}
    found = []
    for run, expected in saved["alignscore"].items():
        documents = saved["long documents" if "long" in run else "documents"]
        metric = load("alignscore", **paths, mode=run.split(",")[0], cache=False)
        scores = metric.score_all(list(map(sentences, saved["summaries"])), [[sentences(text)] for text in documents])
        found.append(farthest([one["alignscore"] for one in scores], expected))
    return max(found)


def summac(folder: Path, saved: Any, scratch: Path) -> float:
    """Returns the largest difference over variants and their options."""
    import torch

    golden = saved["summac"]
    weights = scratch / "weights.bin"
    torch.save({name: torch.tensor(values) for name, values in golden["conv weights"].items()}, weights)
    runs = {"conv percentile sentence e mean": {"variant": "conv", "weights": str(weights)}}
    for run in golden:
        if run.startswith("zs"):
            _, granularity, options = run.split(" ", 2)
            runs[run] = {"granularity": granularity, **ast.literal_eval(options)}
    columns = list(map(sentences, saved["summaries"])), [[sentences(text)] for text in saved["documents"]]
    found = []
    for run, options in runs.items():
        scores = load("summac", model=str(folder / "nli"), cache=False, **options).score_all(*columns)
        found.append(farthest([one["summac"] for one in scores], golden[run]))
    return max(found)


def rows(scratch: Path) -> Iterator[Row]:
    """Yields all rows that can be computed here."""
    live, folder = program(), Path(os.environ.get("FW_SHARED", ROOT.parent / "shared")) / "golden" / "learned"
    if folder.is_dir():
        yield from saved_comet(folder, live, scratch)
    yield from built_comet(live, scratch)
    if folder.is_dir():
        yield from saved_summaries(folder, scratch)


def main() -> None:
    """Prints the table."""
    warnings.simplefilter("ignore")
    os.environ |= {"HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_PROGRESS_BARS": "1"}
    print("| model | saved | live |\n|---|---|---|")
    greatest = 0.0
    with tempfile.TemporaryDirectory() as folder:
        for row in rows(Path(folder)):
            print(f"| {' | '.join(row.cells())} |", flush=True)
            greatest = max(greatest, *(value for value in (row.saved, row.live) if value is not None))
    if greatest > WITHIN:
        sys.exit(f"scores differ by {greatest}")


if __name__ == "__main__":
    main()
