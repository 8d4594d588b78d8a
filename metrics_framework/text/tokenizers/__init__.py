"""Tokenizers: the base class in ``tokenizer``, and one file per tokenizer."""

from metrics_framework.common.registrable import Registry

REGISTRY = Registry("tokenizer", home="metrics_framework.text.tokenizers")
