"""Neural models of a few kilobytes, built in code: no test needs the network."""

from __future__ import annotations

import socket
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from metrics_framework.neural.models import quiet

VOCABULARY = """
the a big small cat dog mat sat on in was is it and
quick brown fox jumps over lazy walked to bakery this morning went buy scones earlier nothing shared another text
one two three four one's three ##s ##ing ##ed ##ly . , ! ? ' -
"""
STORY = ["milk", "honey", "trees", "green", "bazaar", "##van", "mini", "large", "drove", "the", "to", "a"]
"""Words for the vocabulary of a model that splits "minivan" into two subwords."""
SIZE = {"hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 64}


def tiny_model(folder: Path, task: str = "encoder", words: list[str] | None = None, **options: Any) -> str:
    """Saves a model with random weights and a WordPiece tokenizer; letters are subwords, so few tokens are unknown.

    Args:
        folder: The folder to create.
        task: A task of `metrics_framework.neural.models`.
        words: The vocabulary, besides special tokens and letters.
        options: Of the configuration, such as ``num_labels``.

    Returns:
        The folder.
    """
    import torch
    import transformers

    torch.set_num_threads(1)  # several threads wait for each other longer than a tiny model computes
    letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    pieces = [*special, *(words or VOCABULARY.split()), *letters, *(f"##{letter}" for letter in letters)]
    vocabulary = {piece: index for index, piece in enumerate(dict.fromkeys(pieces))}
    tokenizer = transformers.BertTokenizer(vocab=vocabulary, model_max_length=64)
    torch.manual_seed(1)
    if task == "text-to-text":
        config: Any = transformers.BartConfig(
            vocab_size=len(vocabulary), d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
            decoder_attention_heads=4, encoder_ffn_dim=64, decoder_ffn_dim=64, max_position_embeddings=64,
            pad_token_id=0, bos_token_id=2, eos_token_id=3, decoder_start_token_id=2, forced_eos_token_id=3, **options,
        )  # fmt: skip
    else:
        config = transformers.BertConfig(
            vocab_size=len(vocabulary), max_position_embeddings=64, initializer_range=0.5, **{**SIZE, **options}
        )
    names = {
        "encoder": "BertModel",
        "masked-lm": "BertForMaskedLM",
        "sequence-classification": "BertForSequenceClassification",
        "question-answering": "BertForQuestionAnswering",
        "text-to-text": "BartForConditionalGeneration",
    }
    model = getattr(transformers, names[task])(config).eval()
    with quiet():
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
    return str(folder)


def fixed_weights(weights: Iterable[Any]) -> None:
    """Sets matrices to values that follow from a formula, so that they are the same in all versions of torch."""
    import torch

    with torch.no_grad():
        for number, matrix in enumerate(weights, 1):
            if matrix.dim() > 1 and matrix.is_floating_point():
                wave = torch.sin(torch.arange(matrix.numel(), dtype=torch.float64) * 78.233 + number)
                matrix.copy_(((wave * 43758.5453) % 1 - 0.5).reshape(matrix.shape) * 2)


def masked_lm(folder: Path, words: list[str], likely: list[str], is_fixed: bool = True) -> str:
    """Saves a masked language model that predicts only likely words, so that some predictions are correct by chance."""
    import torch
    from transformers import AutoModelForMaskedLM, AutoTokenizer

    tiny_model(folder, "masked-lm", words)
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModelForMaskedLM.from_pretrained(folder)
    if is_fixed:
        fixed_weights(model.parameters())
    bias = torch.full((len(tokenizer),), -50.0)
    bias[tokenizer.convert_tokens_to_ids(likely)] = 0
    with torch.no_grad():
        model.cls.predictions.bias.copy_(bias)
    model.save_pretrained(folder)
    return str(folder)


class NetworkRefusedError(OSError):
    """A test tried to use the network."""


def block_network(patch: pytest.MonkeyPatch) -> None:
    """Refuses all connections but those to this machine, and tells the hub's client that it is offline."""
    connect = socket.socket.connect

    def refuse(self: socket.socket, address: Any) -> None:
        if self.family != socket.AF_UNIX and address[0] not in ("127.0.0.1", "::1", "localhost"):
            raise NetworkRefusedError(f"tests have no network, got a connection to {address!r}")
        connect(self, address)

    patch.setattr(socket.socket, "connect", refuse)
    patch.setenv("HF_HUB_OFFLINE", "1")
