"""Published correlations, from the files as their authors published them: clones in ``data/`` below ``FW_SHARED``.

``data/unieval`` is maszhongming/UniEval, ``data/wmt20-metrics`` is WMT-Metrics-task/wmt20-metrics on GitHub.
"""

from __future__ import annotations

import csv
import pickle
import re

import pytest

import metrics_framework as fw
from tests.samples import sampled

COEFFICIENTS = ("pearson", "spearman", "kendall-b")
UNIEVAL = [  # file, dimension, Pearson, Spearman and Kendall, as reproduce/README.md prints them
    ("dialogue/topical_chat", "naturalness", 0.443666, 0.513986, 0.373973),
    ("dialogue/topical_chat", "coherence", 0.595143, 0.612942, 0.465915),
    ("dialogue/topical_chat", "engagingness", 0.55651, 0.604739, 0.455941),
    ("dialogue/topical_chat", "groundedness", 0.536209, 0.574954, 0.451533),
    ("dialogue/topical_chat", "understandability", 0.380038, 0.467807, 0.360741),
    ("dialogue/topical_chat", "overall", 0.632796, 0.662583, 0.487272),
    ("data2text/sfres", "naturalness", 0.367252, 0.333399, 0.247094),
    ("data2text/sfres", "informativeness", 0.282079, 0.224918, 0.169297),
    ("data2text/sfres", "overall", 0.370815, 0.291593, 0.214708),
    ("data2text/sfhot", "naturalness", 0.397428, 0.319813, 0.237635),
    ("data2text/sfhot", "informativeness", 0.357353, 0.249329, 0.191217),
    ("data2text/sfhot", "overall", 0.406425, 0.320721, 0.236024),
    ("fact/qags_xsum", "consistency", 0.461376, 0.48792, 0.399218),
    ("fact/qags_cnndm", "consistency", 0.681681, 0.662255, 0.531636),
]


@pytest.mark.parametrize(("name", "dimension", "pearson", "spearman", "kendall"), sampled(UNIEVAL))
def test_unieval_has_its_published_correlations(name, dimension, pearson, spearman, kendall, shared_path):
    path = shared_path("data/unieval") / f"reproduce/unieval_predict/{name}_result.json"
    columns = {"instance_id": "source"} if name.startswith("dialogue") else {}  # the other files are of one system
    options = {"levels": "global", "ci": "none", "columns": columns, "log": [].append}
    found = fw.correlate(str(path), f"predict_scores_{dimension}", f"scores_{dimension}", **options).study
    estimates = found.correlations[0].levels["global"].estimates
    assert [round(estimates[one].value, 6) for one in COEFFICIENTS] == [pearson, spearman, kendall]


HUMAN_TRANSLATIONS = {"Human-A.0", "Human-B.0", "Human-P.0"}


@pytest.mark.slow  # a quarter of a second for each of 30 files
def test_metrics_of_wmt20_have_their_published_correlations_of_systems(shared_path):
    """Kendall's τ of all systems, and Pearson's r without outliers: 872 values each, unrounded."""
    folder = shared_path("data/wmt20-metrics")
    outliers = pickle.loads((folder / "manual-evaluation/outlier-systems-dict.pk").read_bytes())
    values = 0
    for path in sorted((folder / "results/output/system-level").glob("*-sys-scores.csv")):
        scores = rows_of(path, " ")
        reference, pair = re.match(r"DA-newstest(.?)2020-(\w+)-sys", path.name).groups()
        pair = f"{pair}_{reference}" if reference else pair
        for name, end, left_out in (("kendall-b", "", []), ("pearson", "-excloutl", outliers[scores[0]["LP"][:5]])):
            published = rows_of(path.with_name(f"DA-{pair}-cor{end}.csv"), "\t")
            expected = {row[""]: float(row[name.split("-")[0].capitalize()]) for row in published}
            kept = [row for row in scores if row["SYSTEM"] not in {*HUMAN_TRANSLATIONS, *left_out}]
            matrices = {metric: [[float(row[metric])] for row in kept] for metric in expected}
            ratings = [[float(row["HUMAN"])] for row in kept]
            study = fw.correlate(matrices, ratings, levels="system", ci="none", log=[].append).study
            found = {one.metric1: one.levels["system"].estimates[name].value for one in study.correlations}
            assert found == pytest.approx(expected, abs=1e-9)
            values += len(found)
    assert values == 2 * 872


def rows_of(path, delimiter):
    return [*csv.DictReader(path.read_text(encoding="utf-8").splitlines(), delimiter=delimiter)]
