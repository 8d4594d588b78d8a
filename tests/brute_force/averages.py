"""Averages of metrics over data sets, with the permutations of each."""

from __future__ import annotations

import math

import numpy as np

from brute_force.coefficients import coefficient, fitted, is_share, without_small_groups
from brute_force.differences import joint, null_differences, ranked_pairs, signs_of, tails

PARTS = {"both": ("inputs", "systems")}


def tasks_of(preset, names, chosen):
    """Returns the name, coefficient, level, data sets and weight of each task."""
    if not preset:
        return [(f"{one} {level} {name}", name, level, [one], 1.0) for one in names for level, name in chosen]
    if preset == "wmt23":
        tasks = [("pairwise-accuracy", "pairwise-accuracy", "system", list(names), float(len(names)))]
        kinds = [("system pearson", "pearson", "system"), ("global pearson", "pearson", "global")]
        kinds.append(("acc-eq", "acc-eq", "input"))
    else:
        tasks, kinds = [], [("spa", "spa", "system"), ("acc-eq", "acc-eq", "input")]
    return [*tasks, *((f"{one} {kind}", name, level, [one], 1.0) for one in names for kind, name, level in kinds)]


def seed_of(seed, number):
    """Returns the seed of a data set or task."""
    return int(np.random.SeedSequence([seed, number]).generate_state(1)[0])


def average(data_sets, tasks, options_of, settings):
    """Returns the values of tasks, the averages, and the p-values of each pair.

    Args:
        data_sets: Data set to human scores, metrics and the clusters of inputs.
        tasks: What `tasks_of` returns.
        options_of: Data set to a function from a metric and a level to options.
        settings: The request.
    """
    whole = {name: joint(*one) for name, one in data_sets.items()}
    measured = []  # each task's data sets: scores, options, values and weight
    for _, name, level, used, _ in tasks:
        parts = []
        for data_set in used:
            human, metrics, _ = whole[data_set]
            human = without_small_groups(human, level, settings["min_group"])
            metrics = {metric: np.where(np.isnan(human), math.nan, one) for metric, one in metrics.items()}
            options = {
                metric: fitted(name, human, one, level, options_of[data_set](metric, level))
                for metric, one in metrics.items()
            }
            values = {metric: coefficient(name, human, one, level, options[metric]) for metric, one in metrics.items()}
            weight = len(human) * (len(human) - 1) / 2 if name == "pairwise-accuracy" else 1.0
            parts.append((data_set, human, metrics, options, values, weight))
        measured.append(parts)
    task_values, averages = {}, {}
    total = sum(weight for *_, weight in tasks)
    for (task, name, _, _, weight), parts in zip(tasks, measured, strict=True):
        pooled = sum(one[-1] for one in parts)
        task_values[task] = {metric: sum(one[-1] * one[-2][metric] for one in parts) / pooled for metric in parts[0][2]}
        for metric, value in task_values[task].items():
            on_scale = value if is_share(name) else (value + 1) / 2
            averages[metric] = averages.get(metric, 0.0) + weight * on_scale / total
    pairs = ranked_pairs(averages)
    p_values = {pair: [0.0, 0.0] for pair in pairs}
    for draws, is_exact in _draws(tasks, measured, whole, settings):
        for pair in pairs:
            trials = sum(
                weight / total * part[-1] / sum(one[-1] for one in parts) / (1 if is_share(name) else 2)
                * null_differences(
                    name, part[1], [part[2][one] for one in pair], level, [part[3][one] for one in pair], test, signs
                )
                for (_, name, level, _, weight), parts, of_task in zip(tasks, measured, draws, strict=True)
                for part, (test, signs) in zip(parts, of_task, strict=True)
            )  # fmt: skip
            found = tails(averages[pair[0]] - averages[pair[1]], trials, is_exact=is_exact)
            p_values[pair] = [max(one, other) for one, other in zip(p_values[pair], found, strict=True)]
    return task_values, averages, p_values


def _draws(tasks, measured, whole, settings):
    """Yields the test and the signs of each data set of each task, for each test that is combined."""
    test, seed = settings["test"], settings["seed"]
    chosen = None if test in ("none", "default") else test
    if settings["average_test"] == "published":
        draws = []
        for number, ((_, _, level, _, _), parts) in enumerate(zip(tasks, measured, strict=True)):
            own = chosen or ("systems" if level == "system" else "inputs")
            of_task = []
            for index, part in enumerate(parts):
                sets = [(part[1], whole[part[0]][2])]
                signs, _ = signs_of(own, sets, settings, [seed_of(seed, number) + index], enumerate_all=False)
                of_task.append((own, signs[0]))
            draws.append(of_task)
        yield draws, False
        return
    used = list(dict.fromkeys(part[0] for parts in measured for part in parts))
    for own in PARTS.get(chosen or "inputs", (chosen or "inputs",)):
        sets = [(whole[name][0], whole[name][2]) for name in used]
        seeds = [seed_of(seed, index) if index else seed for index in range(len(used))]
        signs, is_exact = signs_of(own, sets, settings, seeds)
        by_name = dict(zip(used, signs, strict=True))
        yield [[(own, by_name[part[0]]) for part in parts] for parts in measured], is_exact
