"""Learned metrics in their published layouts: tiny checkpoints that are built in code, and those of the golden data."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from neural_models import VOCABULARY

from metrics_framework.neural.models import quiet

SIZE = {
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "max_position_embeddings": 40,
    "initializer_range": 0.5,
}
HIDDEN = (12, 6)
ENCODERS: dict[str, tuple[str, dict[str, Any]]] = {  # the class in transformers, and options of its configuration
    "XLM-RoBERTa": ("XLMRoberta", {"pad_token_id": 1, "type_vocab_size": 1}),
    "XLM-RoBERTa-XL": ("XLMRobertaXL", {"pad_token_id": 1, "type_vocab_size": 1}),
    "BERT": ("Bert", {"pad_token_id": 0}),
    "MiniLM": ("Bert", {"pad_token_id": 1}),
    "RemBERT": ("RemBert", {"pad_token_id": 0, "input_embedding_size": 8, "output_embedding_size": 8}),
}
COMET: dict[str, Any] = {
    "class_identifier": "regression_metric",
    "encoder_model": "XLM-RoBERTa",
    "pretrained_model": "an-encoder",
    "layer": "mix",
    "sent_layer": "mix",
    "word_layer": 1,
    "word_level_training": False,
    "layer_norm": False,
    "layer_transformation": "softmax",
    "pool": "avg",
    "hidden_sizes": list(HIDDEN),
    "activations": "Tanh",
    "final_activation": None,
    "input_segments": ["mt", "src", "ref"],
    "error_labels": ["minor", "major"],
}


def save_tokenizer(folder: Path, is_bert: bool, is_t5: bool = False) -> Any:
    """Saves a tokenizer of whole words, with the special tokens of BERT, XLM-RoBERTa or T5; returns it."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"] if is_bert else ["<s>", "<pad>", "</s>", "<unk>"]
    names = dict(zip(("pad", "unk", "cls", "sep") if is_bert else ("cls", "pad", "sep", "unk"), special, strict=True))
    answers = ["Yes", "No"] if is_t5 else []
    words = {word: index for index, word in enumerate(dict.fromkeys([*special, *VOCABULARY.split(), *answers]))}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token=names["unk"]))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    cls, sep = names["cls"], names["sep"]
    single, pair = f"{cls} $A {sep}", f"{cls} $A {sep} {sep} $B {sep}"
    if is_bert:
        tokenizer.normalizer = normalizers.BertNormalizer(lowercase=False)
        pair = f"{cls}:0 $A:0 {sep}:0 $B:1 {sep}:1"
    if is_t5:
        single, pair = f"$A {sep}", f"$A {sep} $B {sep}"
        names["eos"] = sep
    tokenizer.post_processor = processors.TemplateProcessing(
        single=single, pair=pair, special_tokens=[(cls, words[cls]), (sep, words[sep])]
    )
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, model_max_length=512, **{f"{name}_token": token for name, token in names.items()}
    )
    fast.save_pretrained(folder)
    return fast


def tiny_comet(folder: Path, seed: int = 1, **changes: Any) -> dict[str, str]:
    """Saves a COMET checkpoint with random weights, and the configuration and tokenizer of its encoder.

    Args:
        folder: The folder to write in.
        seed: The seed of the weights.
        changes: Of the hyperparameters.

    Returns:
        The options ``model`` and ``encoder`` of the metric.
    """
    import torch
    import transformers

    parameters = {**COMET, **changes}
    name, options = ENCODERS[parameters["encoder_model"]]
    with quiet():
        tokenizer = save_tokenizer(
            folder / "encoder", name in ("Bert", "RemBert") and parameters["encoder_model"] != "MiniLM"
        )
        config = getattr(transformers, f"{name}Config")(vocab_size=len(tokenizer), **SIZE, **options)
        config.save_pretrained(folder / "encoder")
        torch.manual_seed(seed)
        encoder = getattr(transformers, f"{name}Model")(config)
    weights = {f"encoder.model.{key}": value for key, value in encoder.state_dict().items()}
    weights.update(_heads(parameters))
    (folder / "model" / "checkpoints").mkdir(parents=True)
    content = {"state_dict": weights, "hyper_parameters": parameters, "pytorch-lightning_version": "2.0.0"}
    torch.save(content, folder / "model" / "checkpoints" / "model.ckpt")
    (folder / "model" / "hparams.yaml").write_text(json.dumps(parameters))  # which is YAML, too
    return {"model": str(folder / "model"), "encoder": str(folder / "encoder")}


def _heads(parameters: Mapping[str, Any]) -> dict[str, Any]:
    import torch

    is_joined = parameters["class_identifier"] in ("unified_metric", "xcomet_metric")
    width = 1 if is_joined else 4 if "referenceless" in parameters["class_identifier"] else 6
    sizes = [width * SIZE["hidden_size"], *HIDDEN, 1]
    heads = {"layerwise_attention.gamma": torch.tensor([1.3])}
    heads.update({f"layerwise_attention.scalar_parameters.{layer}": torch.randn(1) for layer in range(3)})
    for index, (before, after) in enumerate(pairwise(sizes)):
        heads[f"estimator.ff.{3 * index}.weight"] = torch.randn(after, before) / before**0.5
        heads[f"estimator.ff.{3 * index}.bias"] = torch.randn(after)
    labels = len(parameters["error_labels"]) + 1
    heads["hidden2tag.weight"] = torch.randn(labels, SIZE["hidden_size"])
    heads["hidden2tag.bias"] = torch.zeros(labels)
    return heads


def tiny_alignscore(folder: Path, **size: int) -> dict[str, str]:
    """Saves a checkpoint of AlignScore with random weights, and the configuration and tokenizer of its encoder.

    Returns:
        The options ``model`` and ``encoder`` of the metric.
    """
    import torch
    import transformers

    with quiet():
        tokenizer = save_tokenizer(folder / "encoder", is_bert=False)
        config = transformers.RobertaConfig(
            vocab_size=len(tokenizer), **{**SIZE, **size}, pad_token_id=1, type_vocab_size=1
        )
        config.save_pretrained(folder / "encoder")
        torch.manual_seed(1)
        encoder = transformers.RobertaModel(config)
    weights = {f"base_model.{key}": value for key, value in encoder.state_dict().items()}
    for layer, size in (("bin_layer", 2), ("tri_layer", 3), ("reg_layer", 1)):
        weights[f"{layer}.weight"] = torch.randn(size, SIZE["hidden_size"])
        weights[f"{layer}.bias"] = torch.randn(size)
    (folder / "model").mkdir()
    torch.save({"state_dict": weights, "hyper_parameters": {"model": "an-encoder"}}, folder / "model" / "m.ckpt")
    return {"model": str(folder / "model"), "encoder": str(folder / "encoder")}


def tiny_nli(
    folder: Path, labels: Sequence[str] = ("CONTRADICTION", "NEUTRAL", "ENTAILMENT"), **size: int
) -> dict[str, str]:
    """Saves a classifier of natural language inference with random weights; returns the option ``model``."""
    import torch
    import transformers

    with quiet():
        tokenizer = save_tokenizer(folder, is_bert=True)
        torch.manual_seed(2)
        names = dict(enumerate(labels))
        config = transformers.BertConfig(vocab_size=len(tokenizer), **{**SIZE, **size}, id2label=names, label2id={})
        transformers.BertForSequenceClassification(config).save_pretrained(folder)
    return {"model": str(folder)}


def tiny_metricx(folder: Path, name: str = "metricx-24-hybrid-tiny") -> dict[str, str]:
    """Saves an mT5 of width 8, as MetricX, and a tokenizer; returns the options ``model`` and ``tokenizer``."""
    import torch
    import transformers

    with quiet():
        tokenizer = save_tokenizer(folder / "mt5", is_bert=False, is_t5=True)
        torch.manual_seed(3)
        config = transformers.MT5Config(
            vocab_size=250112, d_model=8, d_kv=4, d_ff=16, num_layers=1, num_decoder_layers=1, num_heads=2,
            tie_word_embeddings=False, pad_token_id=tokenizer.pad_token_id, eos_token_id=tokenizer.eos_token_id,
            decoder_start_token_id=0, initializer_factor=3.0,
        )  # fmt: skip
        transformers.MT5ForConditionalGeneration(config).save_pretrained(folder / name)
        config.save_pretrained(folder / "mt5")
    return {"model": str(folder / name), "tokenizer": str(folder / "mt5")}
