"""`correlate`: the published numbers of others, what is counted, and what is refused."""

from __future__ import annotations

import copy
import json
from fractions import Fraction

import numpy as np
import pytest
from correlated_rows import correlate
from hypothesis import given, settings
from hypothesis import strategies as st
from messages import INTERVALS_TOO_SHORT, MEAN_HAS_NO_MEANING, SIGNED_AS_COMPUTED
from sacrerouge_bootstrap import COEFFICIENTS, bootstrap, percentile_interval
from samples import sampled

from metrics_framework.common.errors import DataError, UnknownNameError, UsageError
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.scored_output import MetricsRow
from metrics_framework.inputs.score_files import read_score_files
from metrics_framework.io.jsonl import to_json
from metrics_framework.meta_evaluation.coefficients.pearson import spearman_t_p
from metrics_framework.meta_evaluation.correlate.correlation import JSON_LEVELS
from metrics_framework.meta_evaluation.correlate.request import DEFAULT_LEVELS as LEVELS
from metrics_framework.meta_evaluation.groups.moments import system_means

DROPPED = {(instance, system) for instance in ("d1", "d4") for system in ("2", "5", "B")}


def row(instance, system, kind="peer", **metrics):
    return MetricsRow(str(instance), str(system), kind, MetricsDict(metrics))


def legacy_draws(stream, method, shape, count):
    for _ in range(count):
        rows = stream.choice(shape[0], shape[0], replace=True) if method != "bootstrap-input" else None
        columns = stream.choice(shape[1], shape[1], replace=True) if method != "bootstrap-system" else None
        yield rows, columns


@pytest.fixture(scope="module")
def golden(shared_path):
    return json.loads(shared_path("golden/sacrerouge.json").read_text(encoding="utf-8"))["correlate"]


def golden_rows(golden, kind):
    for one in golden["rows"]:
        if kind == "dense" or (one["instance_id"], one["summarizer_id"]) not in DROPPED:
            yield MetricsRow(
                one["instance_id"], one["summarizer_id"], one["summarizer_type"], MetricsDict(one["metrics"])
            )


def answer(golden, key):
    """Computes what the key of a golden result asks for, in the order in which its program used random numbers."""
    kind, summarizer_type, metric, method, *rest = key.split("|")
    options = {"summarizer_type": summarizer_type, "two_tailed": "one-tailed" not in rest}
    if not method.startswith("bootstrap"):
        return correlate(golden_rows(golden, kind), metric, "grade", ci=method, **options).as_json(sacrerouge=True)
    result = correlate(golden_rows(golden, kind), metric, "grade", ci="none", **options)
    x, z, found = result.matrix.x, result.matrix.z, result.as_json(sacrerouge=True)
    stream = np.random.RandomState(11)
    for level in LEVELS:
        found[JSON_LEVELS[level]]["ci_method"] = method
        for name in COEFFICIENTS:
            draws = legacy_draws(stream, method, x.shape, 200)
            values = bootstrap(x, z, [*draws], level, name)
            lower, upper = percentile_interval(values, result.request.tail)
            found[JSON_LEVELS[level]][name].update(lower=lower, upper=upper)
    return found


def differences(found, expected, place=""):
    for key, value in expected.items():
        if isinstance(value, dict):
            yield from differences(found[key], value, f"{place}{key}.")
        elif found[key] != (pytest.approx(value, abs=1e-9) if isinstance(value, float) else value):
            yield f"{place}{key}"


BOOTSTRAP = "dense|peer|rouge_f1|bootstrap-{}|np.random.seed(11)|num_samples=200"
KEYS = [
    f"{kind}|{who}|{ci}"
    for kind in ("dense", "sparse")
    for who in ("peer|rouge_f1", "reference|rouge_jk_f1", "all|rouge_jk_f1", "all|rouge_f1")
    for ci in ("none", "fisher")
] + [BOOTSTRAP.format(f"{side}{tail}") for side in ("system", "input", "both") for tail in ("", "|one-tailed")]


def test_the_golden_keys_are_all_tested(golden):
    assert sorted(golden["results"]) == sorted(KEYS)


def with_t_p(found):
    """Replaces the exact p-value of ρ of few systems by that of Student's t, which the published program reports."""
    level = found["system_level"]
    level["spearman"]["p_value"] = spearman_t_p(level["spearman"]["rho"], level["num_summarizers"])
    return found


@pytest.mark.parametrize("key", sampled(KEYS, 8))
def test_answers_of_sacrerouge(golden, key):
    found = with_t_p(answer(golden, key))
    assert list(differences(found, golden["results"][key])) == []


MULTILING = [  # metric, type, level: r, rho, tau
    ("rouge-1_jk_precision", "all", "input", [0.4365526945989437, 0.3720759220056127, 0.1719691730561296]),
    ("rouge-1_jk_precision", "all", "system", [0.28732601225892834, 0.2, 0]),
    ("rouge-1_jk_precision", "all", "global", [0.34183806349510004, 0.4035707976004214, 0.28603877677367767]),
]


@pytest.mark.parametrize(("metric", "kind", "level", "expected"), MULTILING)
def test_multiling_2011(shared_path, metric, kind, level, expected):
    rows = read_score_files([str(shared_path("data/multiling2011/metrics.jsonl"))]).rows
    result = correlate(rows, metric, "grade", summarizer_type=kind, ci="none")
    found = [result.levels[level].estimates[name].value for name in COEFFICIENTS]
    assert found == pytest.approx(expected, abs=1e-9)


@pytest.fixture(scope="module")
def simplicity(shared_path):
    tables = ["published_metrics_asset.csv", "simplicity_DA.csv"]
    return read_score_files([str(shared_path(f"data/simplicity_da/{name}")) for name in tables]).rows


PUBLISHED = [  # level, r, rho, tau: Simplicity-DA (Alva-Manchego, Scarton and Specia, 2021), SARI
    ("global", 0.358708, 0.3269, 0.2224),
    ("input", 0.3813, 0.3674, 0.3514),
    ("system", 0.6627, 0.3714, 0.3333),
]


@pytest.mark.parametrize(("level", "r", "rho", "tau"), PUBLISHED)
def test_simplicity_da(simplicity, level, r, rho, tau):
    result = correlate(simplicity, "sari", "simplicity_zscore", ci="none")
    found = [result.levels[level].estimates[name].value for name in COEFFICIENTS]
    assert found == pytest.approx([r, rho, tau], abs=6e-5)


def test_simplicity_da_counts_and_fisher_intervals(simplicity):
    result = correlate(simplicity, "sari", "simplicity_zscore", ci="fisher")
    inputs = result.levels["input"]
    assert inputs.size == {"num_summary_groups": 195}
    assert (inputs.details["num_groups_one_system"], inputs.details["num_groups_constant"]) == (105, 2)
    assert result.levels["system"].size == {"num_summarizers": 6, "num_instances": 302}
    ends = {name: (round(one.lower, 4), round(one.upper, 4)) for name, one in result.levels["global"].estimates.items()}
    assert ends == {"pearson": (0.2869, 0.4265), "spearman": (0.2515, 0.3983), "kendall-b": (0.1714, 0.2722)}
    r = result.levels["system"].estimates["pearson"]
    assert (round(r.lower, 3), round(r.upper, 3)) == (-0.322, 0.959)


def test_what_is_left_out_is_counted_by_cause():
    rows = [
        row(1, "a", m=1.0, h=1.0),
        row(1, "b", m=2.0, h=3.0),
        row(1, "c", m=3.0, h=2.0),
        row(2, "a", h=1.0),
        row(2, "b", m=None, h=1.0),
        row(2, "c", m=1.0, h=float("nan")),
        row(3, "a", m=[None], h=[]),
        row(3, "R", "reference", m=1.0, h=2.0),
    ]
    result = correlate(rows, "m", "h", ci="none")
    assert result.dropped == {"summarizer_type": 1, "metric1_missing": 2, "metric2_missing": 1, "both_missing": 1}
    assert result.levels["global"].estimates["pearson"].value == pytest.approx(0.5)
    assert result.as_json()["dropped"] == result.dropped


def test_lists_of_judgements_are_averaged_over_those_present():
    rows = [row(1, "a", m=1.0, h=[1, None, 3]), row(1, "b", m=2.0, h=[4]), row(1, "c", m=3.0, h=3)]
    assert correlate(rows, "m", "h", ci="none").matrix.z.tolist() == [[2], [4], [3]]


def test_a_note_names_the_jackknifed_score_of_references():
    rows = [row(1, name, sari=score, grade=score) for name, score in (("a", 1.0), ("b", 2.0), ("c", 3.0))]
    rows.append(MetricsRow("1", "R", "reference", MetricsDict({"sari_jk": 9.0, "grade": 5.0})))
    result = correlate(rows, "sari", "grade", summarizer_type="all", ci="none")
    assert result.notes == ["some outputs left out have 'sari_jk' instead of 'sari'; to keep them, use 'sari_jk'"]
    with pytest.raises(
        DataError, match=r"3 of another type, 1 without 'sari', 0 .* they have 'sari_jk' instead of 'sari'"
    ):
        correlate(rows, "sari", "grade", summarizer_type="reference")


def test_an_output_of_each_file_is_shown_if_no_id_agrees():
    rows = [row(1, "a", sari=1.0), row(2, "a", sari=2.0), row("01", "a", grade=1.0), row("02", "a", grade=2.0)]
    with pytest.raises(DataError, match=r"for example, 'a' on '1' has only 'sari', and 'a' on '01' only 'grade'; ids"):
        correlate(rows, "sari", "grade")


def test_a_jackknifed_score_without_a_value_is_not_advised():
    """For references, leaving one reference out of novelty changes nothing: the score is null."""
    rows = [row(1, name, novelty=score, grade=score) for name, score in (("a", 1.0), ("b", 2.0), ("c", 3.0))]
    nothing = {"novelty": None, "novelty_jk": None, "grade": 5.0}
    rows.append(MetricsRow("1", "R", "reference", MetricsDict(nothing)))
    rows.append(MetricsRow("2", "R", "reference", MetricsDict({**nothing, "novelty_jk": [float("nan")]})))
    assert correlate(rows, "novelty", "grade", summarizer_type="all", ci="none").notes == []
    with pytest.raises(DataError) as caught:
        correlate(rows, "novelty", "grade", summarizer_type="reference")
    assert "novelty_jk" not in str(caught.value)
    rows.append(MetricsRow("3", "R", "reference", MetricsDict({**nothing, "novelty_jk": 2.0})))
    assert len(correlate(rows, "novelty", "grade", summarizer_type="all", ci="none").notes) == 1


PRECISIONS = [
    row(1, name, bleu=one, bleu_precisions=[one, two], own_parts=[two, one], grade=three)
    for name, one, two, three in (("a", 1.0, 9.0, 1), ("b", 2.0, 8.0, 2), ("c", 3.0, 9.5, 3))
]


@pytest.mark.parametrize(("name", "signatures"), [("bleu_precisions", {}), ("own_parts", {"own": "own|fw:0"})])
def test_a_list_that_a_metric_returned_is_not_averaged(name, signatures):
    for names in ((name, "grade"), ("grade", name)):
        with pytest.raises(UsageError) as caught:
            correlate(PRECISIONS, *names, ci="none", signatures=signatures)
        assert str(caught.value) == (
            f"'{name}' is a list of 2 different numbers, {MEAN_HAS_NO_MEANING}; use one of {name}_1, {name}_2"
        )


def test_a_number_of_a_list_is_a_score():
    for index, expected in enumerate(([[1.0], [2.0], [3.0]], [[9.0], [8.0], [9.5]]), start=1):
        result = correlate(PRECISIONS, f"bleu_precisions_{index}", "grade", ci="none")
        assert result.matrix.x.tolist() == expected
    signed = correlate(PRECISIONS, "own_parts_2", "grade", ci="none", signatures={"own": "own|fw:0"})
    assert signed.matrix.x.tolist() == [[1.0], [2.0], [3.0]]
    assert signed.signatures == {"own": "own|fw:0"}


@pytest.mark.parametrize("name", ["bleu_precisions_0", "bleu_precisions_3", "bleu_precisions_", "own_parts_1"])
def test_the_error_for_an_unknown_number_of_a_list_lists_the_numbers(name):
    with pytest.raises(
        UnknownNameError, match=r"Known: bleu, bleu_precisions_1, bleu_precisions_2, grade, own_parts\."
    ):
        correlate(PRECISIONS, name, "grade")


def test_missing_values_of_tables_are_counted_in_a_note_and_the_json():
    rows = [row(1, name, m=score, h=score) for name, score in (("a", 1.0), ("b", 2.0), ("c", None))]
    result = correlate(rows, "m", "h", ci="none", missing={"h": {"NA": 2, "": 1}, "other": {"null": 1}})
    assert result.notes == ["3 missing values of 'h' in tables: 2 'NA', 1 empty"]
    assert result.as_json()["missing_values"] == {"h": {"NA": 2, "": 1}}
    assert correlate(rows, "m", "h", ci="none", missing={"h": {"": 1}}).notes == []


def test_the_error_for_an_unknown_metric_lists_known_metrics():
    rows = [row(1, "a", **{"rouge-1": {"f1": 1.0}}, grade=1)]
    with pytest.raises(UnknownNameError, match=r"did you mean 'rouge-1_f1'.*Known: grade, rouge-1_f1"):
        correlate(rows, "rouge_f1", "grade")


def test_a_level_is_a_fraction_or_in_percent():
    rows = [row(i, s, m=i * s % 3, h=i + s % 2) for i in range(4) for s in range(3)]
    found = [correlate(rows, "m", "h", confidence=level, resamples=50).as_json() for level in (0.9, 90)]
    assert found[0] == found[1]
    assert found[0]["confidence"] == 90


def test_an_output_given_twice_is_refused():
    with pytest.raises(DataError, match="duplicate row for instance '1' of summarizer 'a'"):
        correlate([row(1, "a", m=1.0, h=1.0)] * 2, "m", "h")


def test_json_names_the_seed_and_the_number_of_resamples():
    rows = [row(i, s, m=float(i * ord(s) % 7), h=float(i + ord(s) % 3)) for i in range(5) for s in "abc"]
    drawn = {"ci": "bootstrap-both", "resamples": 20}
    written = correlate(rows, "m", "h", **drawn, seed=3).as_json()
    assert (written["seed"], written["resamples"], written["confidence"]) == (3, 20, 95.0)
    assert written == correlate(rows, "m", "h", **drawn, seed=3).as_json()
    assert written != correlate(rows, "m", "h", **drawn, seed=4).as_json()
    assert correlate(rows, "m", "h", ci="none").as_json()["seed"] is None


def test_signatures_and_directions_are_those_of_the_requested_metrics():
    rows = [row(1, s, ter={"num_edits": i}, h=i) for i, s in enumerate("abc")]
    signatures = {"ter": "ter|case:lc", "sari": "sari|variant:easse"}
    result = correlate(rows, "ter_num_edits", "h", signatures=signatures, directions={"ter_num_edits": False})
    assert result.signatures == {"ter": "ter|case:lc"}
    assert result.orientation == f"{SIGNED_AS_COMPUTED}; ter_num_edits: lower is better"


def test_warnings_on_few_systems():
    rows = [row(i, s, m=float(i * ord(s) % 7), h=float(i + ord(s) % 3)) for i in range(5) for s in "ab"]
    assert len(correlate(rows, "m", "h", resamples=5, ci="none").warnings) == 2
    bootstrap = correlate(rows, "m", "h", resamples=5, ci="bootstrap-both").warnings
    assert f"with fewer than 40, its intervals are {INTERVALS_TOO_SHORT} input level: use jackkn" in bootstrap[0]
    assert "the bootstrap resamples only 5 inputs" in bootstrap[1]
    assert len(correlate(rows, "m", "h", ci="none", levels=["global"]).warnings) == 0


scores = st.one_of(st.none(), st.integers(0, 5), st.lists(st.one_of(st.none(), st.integers(0, 5)), max_size=3))


@settings(max_examples=10, deadline=None)
@given(st.lists(st.tuples(scores, scores), min_size=9, max_size=9), st.randoms(use_true_random=False))
def test_rows_are_not_changed_and_their_order_does_not_matter(values, random):
    rows = [row(i // 3, "abc"[i % 3], m=m, h=h) for i, (m, h) in enumerate(values)]
    rows.append(row(9, "a", m=1.0, h=2.0))
    before = copy.deepcopy(rows)
    first = correlate(rows, "m", "h", resamples=3).as_json()
    assert rows == before
    random.shuffle(rows)
    assert to_json(correlate(rows, "m", "h", resamples=3).as_json()) == to_json(first)


def test_the_mean_of_judgements_is_exact():
    judgements = [0.1, 0.2, 0.3, 0.7]
    exact = float(sum(map(Fraction, judgements)) / 4)
    rows = [row(1, "a", m=1, h=judgements), row(1, "b", m=1, h=judgements[::-1])]
    assert correlate(rows, "m", "h", ci="none").matrix.z.ravel().tolist() == [exact, exact]


JUDGED = [
    row(1, "a", m=1.0, h=[1, None, 3]),
    row(1, "b", m=[2.0, float("nan")], h=[4, None]),
    row(1, "c", m=3.0, h=[None, None]),
    row(1, "d", m=None, h=[None, 2]),
    row(2, "c", m=3.0, h=3),
    row(2, "z", m=None, h=1.0),
    row(2, "b", m=None, h=1.0),
    row(3, "R", "reference", m=1.0, h=[None, 1]),
]


def test_missing_judgements_of_included_outputs_are_counted():
    result = correlate(JUDGED, "m", "h", ci="none")
    assert result.missing_judgements == result.as_json()["missing_judgements"] == 3
    assert "3 judgements missing from lists of judgements; means are over the judgements present" in result.warnings
    one = correlate(JUDGED[:1] + JUDGED[4:5], "m", "h", ci="none")
    assert [text for text in one.warnings if "judgements" in text] == [
        "1 judgement missing from lists of judgements; means are over the judgements present"
    ]
    none = correlate([row(1, "a", m=1.0, h=[1]), row(1, "b", m=2.0, h=2)], "m", "h", ci="none")
    assert (none.missing_judgements, none.as_json()["missing_judgements"]) == (0, 0)
    assert not [text for text in none.warnings if "judgements" in text]


@pytest.mark.parametrize("backwards", [False, True])
def test_a_warning_gives_an_example_of_each_cause_in_any_order_of_rows(backwards):
    rows = [*JUDGED, row(5, "q", h=None, m=None)][:: -1 if backwards else 1]
    result = correlate(rows, "m", "h", ci="none")
    assert result.matrix.examples == {
        "metric1_missing": ("1", "d"),
        "metric2_missing": ("1", "c"),
        "both_missing": ("5", "q"),
    }
    assert result.warnings[0] == (
        "left out: 3 outputs without m (for example 'd' on '1'); 1 output without h (for example 'c' on '1'); "
        "1 output without m and h (for example 'q' on '5')"
    )


@pytest.mark.parametrize("method", ["bootstrap-both", "fisher"])
def test_scores_near_the_largest_float_have_the_correlations_of_smaller_ones(method):
    """Means, moments and resamples overflow otherwise; one correlation was 1.0."""
    generator = np.random.default_rng(5)
    x, z = generator.integers(-170, 170, (2, 12, 20)).astype(float)

    def found(factor):
        rows = [row(i, s, m=x[s, i] * factor, h=z[s, i]) for s in range(12) for i in range(20)]
        return correlate(rows, "m", "h", ci=method, resamples=50)

    expected, large = found(2.0), found(2.0**1016)
    assert expected.as_json() == large.as_json()
    assert system_means(large.matrix.x).tolist() == (system_means(expected.matrix.x) * 2.0**1015).tolist()


def test_judgements_near_the_largest_float_have_a_mean():
    rows = [row("1", s, m=s, h=[1.5e308, 1.7e308]) for s in range(2)]
    assert correlate(rows, "m", "h", ci="none").matrix.z.tolist() == [[1.6e308]] * 2
