"""The command line: one file per command."""

from metrics_framework.common.registrable import Registry

REGISTRY = Registry("command", home="metrics_framework.commands", further_characters=" ")
