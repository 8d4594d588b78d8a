"""Times ``comet`` and unbabel-comet in turns: ``python benchmarks/learned_metrics.py``.

Both score the same systems with the same regression model on one thread of the CPU, and the model is loaded beforehand.
The model has an XLM-RoBERTa of 6 layers of 256 units with random weights; it is built in code, with the words of the
texts as its vocabulary. The program ends if a score differs by more than 1e-4; then it prints how many times as long
the package takes for one system and for four. Where unbabel-comet is not installed, a loop takes its place that encodes
the output, the source and the reference of each output again, in batches in the given order, as the package does. The
texts are TurkCorpus below ``FW_SHARED``; if it is missing, text of the same shape is generated.

``--model-size base --systems 20`` has the 12 layers of 768 units of XLM-RoBERTa base; ``--inputs 6`` is then enough.
``--memory`` prints the peak memory of ``fw comet evaluate`` for 1,000, 10,000 and 50,000 different outputs instead, of
a model of 2 layers of 32 units.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from corpora import Corpus
from neural_runs import in_turns, prepared
from timing import ratios, spread

from metrics_framework.metrics.comet import Comet
from metrics_framework.neural.comet import CometModel, features, find_comet, load_comet, sentence_vectors
from metrics_framework.neural.encoding import encode

SYSTEMS = 4
BATCH_SIZE = 16
WITHIN = 1e-4

Rows = list[dict[str, str]]
"""The outputs of systems, with the names that unbabel-comet has for texts."""


def model_of(corpus: Corpus, folder: Path, size: int, layers: int) -> dict[str, str]:
    """Saves a regression model, and the configuration and tokenizer of its encoder."""
    import torch
    import transformers
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    all_texts = [*corpus.summaries, *(text for references in corpus.references_list for text in references)]
    words = sorted({word for text in all_texts for word in re.findall(r"\w+|[^\w\s]", text)})
    vocabulary = {word: index for index, word in enumerate(dict.fromkeys(["<s>", "<pad>", "</s>", "<unk>", *words]))}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    names = {"cls_token": "<s>", "pad_token": "<pad>", "sep_token": "</s>", "unk_token": "<unk>"}
    transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names).save_pretrained(folder / "encoder")
    torch.manual_seed(1)
    config = transformers.XLMRobertaConfig(
        vocab_size=len(vocabulary), hidden_size=size, num_hidden_layers=layers, num_attention_heads=max(1, size // 64),
        intermediate_size=4 * size, max_position_embeddings=514, type_vocab_size=1, pad_token_id=1,
    )  # fmt: skip
    config.save_pretrained(folder / "encoder")
    encoder = transformers.XLMRobertaModel(config, add_pooling_layer=False)
    weights = {f"encoder.model.{name}": value for name, value in encoder.state_dict().items()}
    weights["layerwise_attention.gamma"] = torch.ones(1)
    weights.update({f"layerwise_attention.scalar_parameters.{layer}": torch.zeros(1) for layer in range(layers + 1)})
    for index, (before, after) in zip((0, 3, 6), ((6 * size, 64), (64, 32), (32, 1)), strict=True):
        weights[f"estimator.ff.{index}.weight"] = torch.randn(after, before) / before**0.5
        weights[f"estimator.ff.{index}.bias"] = torch.zeros(after)
    parameters = {
        "class_identifier": "regression_metric", "encoder_model": "XLM-RoBERTa", "layer": "mix", "pool": "avg",
        "pretrained_model": str(folder / "encoder"), "layer_transformation": "sparsemax", "layer_norm": False,
        "hidden_sizes": [64, 32], "activations": "Tanh", "final_activation": None, "load_pretrained_weights": False,
    }  # fmt: skip
    (folder / "model" / "checkpoints").mkdir(parents=True)
    content = {"state_dict": weights, "hyper_parameters": parameters, "pytorch-lightning_version": "2.0.0"}
    torch.save(content, folder / "model" / "checkpoints" / "model.ckpt")
    (folder / "model" / "hparams.yaml").write_text(json.dumps(parameters), encoding="utf-8")
    return {"model": str(folder / "model"), "encoder": str(folder / "encoder")}


def rows_of(corpus: Corpus, systems: int) -> Rows:
    """Returns different outputs of several systems, made of references; the last ones remain reference and source.

    If there are more systems than references, the words of their outputs are rotated.
    """
    rows = []
    for system in range(systems):
        for references in corpus.references_list:
            *others, source, reference = references
            words = others[system % len(others)].split()
            start = system // len(others) % max(1, len(words))
            rows.append({"mt": " ".join(words[start:] + words[:start]), "src": source, "ref": reference})
    return rows


def by_metric(paths: dict[str, str], rows: Rows) -> list[float]:
    """Scores outputs with a metric that knows no text."""
    metric = Comet(**paths, device="cpu", batch_size=BATCH_SIZE, cache=False)
    columns = [row["mt"] for row in rows], [[row["ref"]] for row in rows], [row["src"] for row in rows]
    return [scores["comet"] for scores in metric.score_all(*columns)]


def by_loop(model: CometModel, rows: Rows) -> list[float]:
    """Scores outputs in batches in the given order, and encodes the texts of each output again."""
    import torch

    scores: list[float] = []
    for start in range(0, len(rows), BATCH_SIZE):
        some = rows[start : start + BATCH_SIZE]
        columns = [encode(model.encoder, [row[name] for row in some]) for name in ("mt", "src", "ref")]
        vectors = [torch.stack(sentence_vectors(model, column)) for column in columns]
        with torch.inference_mode():
            scores += model.scores_of(features(*vectors))
    return scores


def contender(paths: dict[str, str]) -> tuple[str, Callable[[Rows], list[float]]]:
    """Returns unbabel-comet, or the loop where it is not installed."""
    try:
        import comet
    except ImportError:
        model = load_comet(find_comet(paths["model"]), paths["encoder"], "cpu", "float32")
        return "a loop", lambda rows: by_loop(model, rows)
    file = Path(paths["model"]) / "checkpoints" / "model.ckpt"
    program: Any = comet.load_from_checkpoint(str(file), strict=False, local_files_only=True)
    options = {"batch_size": BATCH_SIZE, "gpus": 0, "progress_bar": False, "num_workers": 0}
    return "unbabel-comet", lambda rows: list(program.predict(rows, **options)["scores"])


def check(found: Sequence[float], expected: Sequence[float]) -> float:
    """Returns the greatest difference; ends the program if it is too large."""
    greatest = max(abs(one - other) for one, other in zip(found, expected, strict=True))
    if greatest > WITHIN:
        raise SystemExit(f"scores differ by {greatest}")
    return greatest


def compare(paths: dict[str, str], corpus: Corpus, repetitions: int, most_systems: int) -> None:
    """Prints how many times as long the contender takes, for one system and for several."""
    name, theirs = contender(paths)
    for systems in (1, most_systems):
        rows = rows_of(corpus, systems)
        difference = check(by_metric(paths, rows), theirs(rows))
        tasks = {"theirs": lambda rows=rows: theirs(rows), "ours": lambda rows=rows: by_metric(paths, rows)}
        seconds = in_turns(tasks, repetitions)
        took = spread(ratios(seconds["theirs"], seconds["ours"]))
        print(f"  {systems} systems: {name} takes × {took}; greatest difference {difference:.0e}")


def memory(paths: dict[str, str], folder: Path, rows: int) -> float:
    """Returns the peak memory of a run over different outputs of four systems, in MiB."""
    words = [f"w{number}" for number in range(97)]
    path = folder / f"{rows}.jsonl"
    with path.open("w", encoding="utf-8") as stream:
        for number in range(rows):
            text = " ".join(words[number // 97**place % 97] for place in range(4))
            row = {"instance_id": str(number // 4), "summarizer_id": f"s{number % 4}", "summary": f"{text} {number}"}
            stream.write(json.dumps({**row, "source": f"w{number // 4}", "references": [text]}) + "\n")
    outputs = [str(folder / "macro.json"), str(folder / "micro.jsonl"), "--force", "--silent"]
    flags = ["--model", paths["model"], "--encoder", paths["encoder"], "--no-cache", "--device", "cpu"]
    code = (
        "import resource, sys\nfrom metrics_framework.commands.app import main\ncode = main(sys.argv[1:])\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)\nsys.exit(code)"
    )
    command = [sys.executable, "-c", code, "comet", "evaluate", *outputs, "--input-files", str(path), *flags]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, check=True, capture_output=True, encoding="utf-8", env=environment)
    return float(done.stdout.split()[-1])


SIZES = {"small": (256, 6), "base": (768, 12)}
"""The units and layers of encoders."""


def options_of(parser: argparse.ArgumentParser) -> None:
    """Adds the options of this program."""
    parser.set_defaults(size=None)  # that of the model
    parser.add_argument("--systems", type=int, default=SYSTEMS, help="the larger number of systems (%(default)s)")
    parser.add_argument("--model-size", choices=SIZES, default="small", help="the size of the encoder (%(default)s)")
    parser.add_argument("--memory", action="store_true", help="measure memory instead of time")
    parser.add_argument("--rows", type=int, nargs="+", default=[1000, 10_000, 50_000], help="outputs with --memory")


def main() -> None:
    """Runs the comparisons."""
    options, corpus, text = prepared(__doc__ or "", size=0, add_options=options_of)
    print(f"text: {text}")
    units, layers = SIZES[options.model_size]
    with tempfile.TemporaryDirectory() as folder:
        if options.memory:
            paths = model_of(corpus, Path(folder), 32, 2)
            for rows in options.rows:
                print(f"  {rows} outputs: {memory(paths, Path(folder), rows):.0f} MiB", flush=True)
            return
        paths = model_of(corpus, Path(folder), options.size or units, layers)
        compare(paths, corpus, options.repetitions, options.systems)


if __name__ == "__main__":
    main()
