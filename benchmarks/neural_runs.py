"""What the benchmarks of metrics with a model share: one thread, a loaded model, texts of one corpus."""

from __future__ import annotations

import argparse
import os
import warnings
from collections.abc import Callable

from corpora import Corpus, first, stacked, texts
from timing import cpu_seconds

REPETITIONS = 3
INPUTS = 60


def prepared(
    description: str, size: int, add_options: Callable[[argparse.ArgumentParser], None] | None = None
) -> tuple[argparse.Namespace, Corpus, str]:
    """Reads the command line and prepares torch.

    Args:
        description: The description of the program.
        size: The default size of vectors.
        add_options: Adds further options.

    Returns:
        The options, the texts and what they are.
    """
    parser = argparse.ArgumentParser(description=description.split("\n", 1)[0])
    parser.add_argument("--repetitions", type=int, default=REPETITIONS, help="how often each is timed (%(default)s)")
    parser.add_argument("--inputs", type=int, default=INPUTS, help="the number of inputs to score (%(default)s)")
    parser.add_argument("--size", type=int, default=size, help="the size of the vectors (%(default)s)")
    if add_options is not None:
        add_options(parser)
    options = parser.parse_args()
    os.environ |= {"HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_PROGRESS_BARS": "1"}
    warnings.simplefilter("ignore")
    import torch
    import transformers

    transformers.utils.logging.disable_progress_bar()
    torch.set_num_threads(1)
    test_set, text = texts()
    return options, first(stacked(test_set), options.inputs), f"{text}; {options.inputs} inputs"


def in_turns(tasks: dict[str, Callable[[], object]], repetitions: int) -> dict[str, list[float]]:
    """Times all tasks repeatedly; unlike `timing.in_turns`, it keeps the loaded model."""
    seconds: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(repetitions):
        for name, task in tasks.items():
            start = cpu_seconds()
            task()
            seconds[name].append(cpu_seconds() - start)
    return seconds
