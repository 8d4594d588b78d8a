"""Times ``bertscore`` and the package bert-score in turns: ``python benchmarks/bertscore.py``.

Both score the same systems with the same model on one thread of the CPU, and the model is loaded beforehand. The model
has the size of MiniLM (6 layers of 384 units) and random weights; it is built in code, with the words of the texts as
its vocabulary. The program ends if a score differs by more than 1e-5; then it prints how many times as long the package
takes. The texts are TurkCorpus below ``FW_SHARED``, whose eight references are used as four systems with four
references; if it is missing, text of the same shape is generated.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Sequence
from typing import Any

from corpora import Corpus
from neural_runs import in_turns, prepared
from timing import ratios, spread

from metrics_framework.metrics.bertscore import BertScore

SYSTEMS = 4
LAYER = 5
WITHIN = 1e-5

Outputs = tuple[list[str], list[list[str]]]
"""The summaries of a system, and the references of each."""


def model_of(corpus: Corpus, folder: str, layers: int, size: int) -> None:
    """Saves a model whose vocabulary is the words of the texts."""
    import torch
    import transformers

    all_texts = [*corpus.summaries, *(text for references in corpus.references_list for text in references)]
    words = sorted({word for text in all_texts for word in re.findall(r"\w+|[^\w\s]", text.lower())})
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words]
    torch.manual_seed(1)
    config = transformers.BertConfig(
        vocab_size=len(pieces),
        hidden_size=size,
        num_hidden_layers=layers,
        num_attention_heads=size // 32,
        intermediate_size=4 * size,
        initializer_range=0.1,
    )
    transformers.BertModel(config).save_pretrained(folder)
    vocabulary = {piece: index for index, piece in enumerate(dict.fromkeys(pieces))}
    transformers.BertTokenizer(vocab=vocabulary, model_max_length=512).save_pretrained(folder)


def systems_of(corpus: Corpus) -> list[Outputs]:
    """Returns four systems, made of half of the references; the other half are the references of all systems."""
    references_list = [references[SYSTEMS:] for references in corpus.references_list]
    return [([references[system] for references in corpus.references_list], references_list) for system in range(4)]


def by_package(scorer: Any, systems: Sequence[Outputs]) -> list[list[float]]:
    """Scores one system after the other; returns F1."""
    return [scorer.score(summaries, references, batch_size=32)[2].tolist() for summaries, references in systems]


def by_metric(metric: BertScore, systems: Sequence[Outputs]) -> list[list[float]]:
    """Scores one system after the other; returns F1."""
    return [
        [scores["bertscore"]["f1"] for scores in metric.score_all(summaries, references)]
        for summaries, references in systems
    ]


def check(found: Sequence[Sequence[float]], expected: Sequence[Sequence[float]]) -> float:
    """Returns the greatest difference; ends the program if it is too large."""
    pairs = [pair for columns in zip(found, expected, strict=True) for pair in zip(*columns, strict=True)]
    greatest = max(abs(one - other) for one, other in pairs)
    if greatest > WITHIN:
        raise SystemExit(f"scores differ by {greatest}")
    return greatest


def compare(folder: str, systems: Sequence[Outputs], repetitions: int) -> None:
    """Prints how many times as long the package takes, for all systems and for one, and relative to the cache."""
    from bert_score import BERTScorer

    scorer = BERTScorer(model_type=folder, num_layers=LAYER, device="cpu", nthreads=0)

    def metric(cache: bool = False) -> BertScore:
        return BertScore(model=folder, num_layers=LAYER, device="cpu", cache=cache)

    print(f"greatest difference: {check(by_metric(metric(True), systems), by_package(scorer, systems)):.0e}")
    for what, chosen in (("four systems", systems), ("one system", systems[:1])):
        tasks: dict[str, Callable[[], object]] = {
            "package": lambda chosen=chosen: by_package(scorer, chosen),  # type: ignore[misc]
            "ours": lambda chosen=chosen: by_metric(metric(), chosen),  # type: ignore[misc]
            "from the cache": lambda chosen=chosen: by_metric(metric(True), chosen),  # type: ignore[misc]
        }
        seconds = in_turns(tasks, repetitions)
        for name in ("ours", "from the cache"):
            print(f"  {what}, {name:14} package takes × {spread(ratios(seconds['package'], seconds[name]))}")


def main() -> None:
    """Runs the comparisons."""
    options, corpus, text = prepared(__doc__ or "", size=384)
    print(f"text: {text}, {SYSTEMS} systems, {SYSTEMS} references")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["FW_CACHE"] = os.path.join(folder, "cache")
        model_of(corpus, os.path.join(folder, "model"), LAYER + 1, options.size)
        os.chdir(folder)  # bert-score takes a path with "t5" in it, as random names of folders may have, for a T5 model
        compare("model", systems_of(corpus), options.repetitions)
        os.chdir(os.path.dirname(folder))


if __name__ == "__main__":
    main()
