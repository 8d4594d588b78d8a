"""Scores of published programs that no package index has: ``python tests/recorded_programs.py FOLDER`` computes them.

FOLDER has clones of neulab/BARTScore, maszhongming/UniEval and yuh-zha/AlignScore from GitHub. Their code runs with
tiny models, whose weights follow from a formula, so that they are the same in all versions of torch, and with the
sentences of ``own_sentences``. Where a program fails, its score is null.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import io
import json
import sys
import tempfile
import types
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from learned_models import save_tokenizer, tiny_alignscore
from neural_models import fixed_weights, tiny_model

from metrics_framework.neural.models import quiet
from metrics_framework.text.sentences import own_sentences

RECORD = Path(__file__).with_suffix(".json")
ANIMALS, SIZES = ("cat", "dog", "fox", "mat"), ("big", "small", "quick", "lazy")
LONG = " ".join(f"The {size} {animal} sat on it." for size, animal in product(SIZES, ANIMALS))
SHORT = "The big dog sat on it. It was. The small cat was on a mat."
TEXTS = {  # kind: summary, document or reference
    "one sentence": ("the cat sat on the mat.", "the big dog sat on it."),
    "short sentences": ("A cat. The dog sat on a mat. It was. the quick brown fox jumps.", SHORT),
    "more than ten sentences": (LONG, SHORT),
    "more than a hundred sentences": (SHORT, " ".join([SHORT] * 5 + [LONG] * 7)),
    "paragraphs": ("The cat sat on it.\n\nThe dog sat.\nA mat. It was.", "The dog was on it.\nA fox.\nIt was the cat."),
    "a short text": ("A cat.", "A dog."),
    "an empty summary": ("", SHORT),
    "an empty document": (SHORT, ""),
    "two empty texts": ("", ""),
    "whitespace": ("a cat sat.", " \n"),
}
SUMMARIES, DOCUMENTS = map(list, zip(*TEXTS.values(), strict=True))
CASES: Mapping[str, Sequence[dict[str, Any]]] = {
    "bartscore": [
        {"direction": direction, "max_length": length}
        for direction in ("source-to-summary", "reference-to-summary", "summary-to-reference", "f")
        for length in (64, 9)
    ],
    "unieval": [
        *({"template": name} for name in ("summarization", "dialogue", "data-to-text")),
        *({"dimensions": ["fluency"]}, {"dimensions": ["relevance", "coherence"]}, {"max_length": 12}),
    ],
    "alignscore": [{"mode": f"{head}{split}"} for head in ("nli", "bin", "reg") for split in ("_sp", "")],
}
"""The options that are compared, for each metric."""


def models(name: str, folder: Path) -> dict[str, str]:
    """Saves the model of a metric with weights that follow from a formula; returns the options that name its files."""
    import torch
    import transformers

    if name == "alignscore":
        paths = tiny_alignscore(folder / "roberta", max_position_embeddings=514)
        file = Path(paths["model"]) / "m.ckpt"
        content = torch.load(file, weights_only=True)
        biases = {f"{head}_layer.bias" for head in ("bin", "tri", "reg")}
        weights = content["state_dict"].items()
        fixed_weights(value.reshape(1, -1) if name in biases else value for name, value in weights)
        torch.save(content, file)
        return paths
    if name == "unieval":
        with quiet():
            tokenizer = save_tokenizer(folder, is_bert=False, is_t5=True)
            config = transformers.T5Config(
                vocab_size=len(tokenizer), d_model=16, d_kv=8, d_ff=32, num_layers=2, num_heads=2, pad_token_id=1,
                eos_token_id=2, decoder_start_token_id=1, tie_word_embeddings=False,
            )  # fmt: skip
            model = transformers.T5ForConditionalGeneration(config)
    else:
        model = transformers.BartForConditionalGeneration.from_pretrained(tiny_model(folder, "text-to-text"))
    fixed_weights(model.state_dict().values())
    with quiet():
        model.save_pretrained(folder)
    return {"model": str(folder)}


# ---- the programs ----------------------------------------------------------------------------------------------------


def bartscore(clones: Path, paths: Mapping[str, str], direction: str, max_length: int) -> list[float]:
    """Scores with ``BARTScorer`` of ``bart_score.py``."""
    import transformers

    sys.path.insert(0, str(clones / "BARTScore"))
    module = importlib.import_module("bart_score")
    module.BartTokenizer = transformers.AutoTokenizer  # the tokenizer of the tiny model is another one
    scorer = module.BARTScorer(device="cpu", max_length=max_length, checkpoint=paths["model"])
    scorer.model.double()  # rounding of 32 bits differs between processors, by more than the tolerance
    forth = functools.partial(scorer.score, DOCUMENTS, SUMMARIES)
    back = functools.partial(scorer.score, SUMMARIES, DOCUMENTS)
    if direction == "f":
        return [(one + other) / 2 for one, other in zip(forth(), back(), strict=True)]
    return list(back() if direction == "summary-to-reference" else forth())


def unieval(clones: Path, paths: Mapping[str, str], **options: Any) -> list[Any]:
    """Scores with the evaluators of ``metric/evaluator.py``, each text alone, because an empty one can stop a run."""
    # the evaluator imports it to print results, which it is not asked to do
    sys.modules["prettytable"] = types.SimpleNamespace(PrettyTable=None)  # type: ignore[assignment]
    sys.path.insert(0, str(clones / "UniEval"))
    module = importlib.import_module("metric.evaluator")
    module.sent_tokenize = lambda text: list(own_sentences(text))
    scorer = importlib.import_module("metric.scorer").UniEvaluator
    module.UniEvaluator = lambda model_name_or_path, **others: scorer(paths["model"], **others)
    template = options.get("template", "summarization")
    evaluator = module.get_evaluator(template.replace("-to-", "2"), options.get("max_length", 1024), "cpu")
    return [
        _score(lambda row: evaluator.evaluate([row], dims=options.get("dimensions"))[0]["overall"], row)
        for row in (
            {"system_output": summary, "source": document, "reference": document, "context": document}
            for summary, document in TEXTS.values()
        )
    ]


def alignscore(clones: Path, paths: Mapping[str, str], mode: str) -> list[Any]:
    """Scores with ``AlignScore``, each text alone, because an empty one stops a run."""
    import torch
    import transformers

    class Module(torch.nn.Module):  # what the program uses of Lightning
        device = "cpu"

        def save_hyperparameters(self) -> None:
            """Does nothing."""

        def load_from_checkpoint(self, checkpoint_path: str, strict: bool) -> Any:
            content = torch.load(checkpoint_path, weights_only=True)
            self.load_state_dict(content["state_dict"], strict=strict)
            return self

    # it derives from one class of Lightning, which pins an old torch, and loads a model of spaCy that it does not use
    sys.modules["pytorch_lightning"] = types.SimpleNamespace(LightningModule=Module)  # type: ignore[assignment]
    sys.modules["spacy"] = types.SimpleNamespace(load=lambda name: None)  # type: ignore[assignment]
    transformers.AdamW = None
    transformers.RobertaForMaskedLM(transformers.AutoConfig.from_pretrained(paths["encoder"])).save_pretrained(
        paths["encoder"]
    )
    sys.path.insert(0, str(clones / "AlignScore" / "src"))
    module = importlib.import_module("alignscore")
    importlib.import_module("alignscore.inference").sent_tokenize = lambda text: list(own_sentences(text))
    scorer = module.AlignScore(paths["encoder"], 8, "cpu", f"{paths['model']}/m.ckpt", mode, verbose=False)
    return [_score(lambda pair: scorer.score([pair[1]], [pair[0]])[0], pair) for pair in TEXTS.values()]


def _score(function: Callable[[Any], float], row: Any) -> float | None:
    try:
        return float(function(row))
    except Exception:  # whatever the program raises for texts that it does not foresee
        return None


def main(clones: Path) -> None:
    """Computes all scores and writes the record."""
    programs: dict[str, Callable[..., list[Any]]] = {
        "bartscore": bartscore, "unieval": unieval, "alignscore": alignscore
    }  # fmt: skip
    found = {}
    for name, cases in CASES.items():
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            paths = models(name, Path(folder))
            found[name] = [programs[name](clones, paths, **options) for options in cases]
    RECORD.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
