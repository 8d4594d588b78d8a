"""Tokenizers: the base class in ``tokenizer``, and a file for each family."""

from metrics_framework.common.registrable import Registry

REGISTRY = Registry("tokenizer", home="metrics_framework.text.tokenizers")
