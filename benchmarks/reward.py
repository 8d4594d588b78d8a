"""Times rewards of training: a step of 512 completions, eight for each prompt, and a single completion.

Run it with ``python benchmarks/reward.py``. It first checks that every reward is the score of its completion. Then it
prints, as the median and the range over repetitions in turns: what a step takes, what the same step takes without
groups (neighbours with different references), with a call for each completion, and with sacreBLEU, as multiples of a
step. The completions of a prompt are the outputs of four systems and four references, those that are not used as such.
The text is TurkCorpus below ``FW_SHARED``; if it is missing, generated text of the same shape.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from corpora import SENTENCE, texts
from timing import in_turns, ratios, spread

import metrics_framework as fw

COMPLETIONS, GROUP = 512, 8
METRICS = ("ter", "sent-bleu", "sari", "chrf")
REPETITIONS = 15
Step = dict[str, list[Any]]


def step(references: int, prompts: int) -> Step:
    """Returns the completions of a step, with the given number of references."""
    found: Step = {"completions": [], "references": [], "source": []}
    test_set, _ = texts()
    for index, of_sentence in enumerate(test_set.references_list):
        if len(of_sentence[0].split()) not in SENTENCE or len(found["completions"]) == prompts * GROUP:
            continue
        found["completions"] += [*of_sentence[4:], *(outputs[index] for outputs in test_set.outputs.values())]
        found["references"] += [list(of_sentence[:references]) for _ in range(GROUP)]  # equal, not identical
        found["source"] += [test_set.sources[index]] * GROUP
    return found


def alone(given: Step) -> Step:
    """Returns the same completions in an order in which neighbours have different references."""
    order = [index for start in range(GROUP) for index in range(start, len(given["completions"]), GROUP)]
    return {name: [values[index] for index in order] for name, values in given.items()}


def single(function: Callable[..., Any], given: Step) -> Callable[[], object]:
    """Returns a task that calls a reward function for each completion."""
    rows = [
        {name: [value] for name, value in zip(given, row, strict=True)} for row in zip(*given.values(), strict=True)
    ]
    return lambda: [function(**row)[0] for row in rows]


def peer(metric: str, given: Step) -> Callable[[], object] | None:
    """Returns a task that scores the completions with sacreBLEU; `None` if it is missing or has no such metric."""
    try:
        from sacrebleu.metrics import BLEU, CHRF, TER
    except ImportError:
        return None
    metrics: dict[str, Any] = {"ter": TER, "sent-bleu": lambda: BLEU(effective_order=True), "chrf": CHRF}
    if metric not in metrics:
        return None
    score = metrics[metric]().sentence_score
    return lambda: [score(*row) for row in zip(given["completions"], given["references"], strict=True)]


def check(metric: str, function: Callable[..., Any], given: Step) -> None:
    """Ends the program if a reward is not the score of its completion."""
    scorer = fw.load(metric)
    for rewards, rows in ((function(**given), given), (function(**alone(given)), alone(given))):
        fields = {"summary": rows["completions"], "references": rows["references"], "source": rows["source"]}
        rows_of_fields = zip(*(fields[name] for name in scorer.fields), strict=True)
        scores = [scorer.score(*row)[metric] for row in rows_of_fields]
        factor = 0.01 if scorer.higher_is_better else -0.01
        if rewards != [min(1.0, score * factor) for score in scores]:  # no more than 1, which BLEU exceeds by rounding
            raise SystemExit(f"{metric}: rewards and scores differ")


def main() -> None:
    """Runs the comparisons."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--repetitions", type=int, default=REPETITIONS, help="how often each is timed (%(default)s)")
    parser.add_argument("--prompts", type=int, default=COMPLETIONS // GROUP, help="prompts of a step (%(default)s)")
    parser.add_argument("--references", type=int, nargs="+", default=[1, 4], help="numbers of references")
    parser.add_argument("--metrics", nargs="+", default=list(METRICS), choices=METRICS, help="the metrics")
    arguments = parser.parse_args()
    print(f"text: {texts()[1]}; {arguments.prompts * GROUP} completions, {GROUP} for each prompt; CPU time")
    for metric in arguments.metrics:
        for references in arguments.references:
            show(metric, step(references, arguments.prompts), references, arguments.repetitions)


def show(metric: str, given: Step, references: int, repetitions: int) -> None:
    """Prints the times of a metric."""
    function = fw.reward(metric)
    check(metric, function, given)
    ungrouped = alone(given)
    tasks: dict[str, Callable[[], object]] = {
        "step": lambda: function(**given),
        "without groups": lambda: function(**ungrouped),
        "a call for each": single(function, given),
    }
    other = peer(metric, given)
    if other is not None:
        tasks["sacrebleu"] = other
    seconds = in_turns(tasks, repetitions)
    count = len(given["completions"])
    print(f"\n{metric}, {references} reference{'s' if references > 1 else ''}")
    for name, unit in (("step", 1), ("without groups", 1), ("a call for each", count)):
        scale, word = (1e3, "ms") if unit == 1 else (1e6, "µs for one")
        print(f"  {name:16} {spread([value / unit * scale for value in seconds[name]])} {word}")
    for name in list(tasks)[1:]:
        print(f"  {name:16} {spread(ratios(seconds[name], seconds['step']))} times a step")


if __name__ == "__main__":
    main()
