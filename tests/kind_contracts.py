"""What every reader, profile, coefficient and format of ratings does, as checks of one class.

``contracts/test_kinds.py`` runs them for all registered classes, ``test_docs.py`` for those that pages print.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from registries import COEFFICIENTS, PROFILES, RATINGS, READERS

import metrics_framework as fw
from metrics_framework.common.errors import FwError, Problems
from metrics_framework.common.options import options_of
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.meta_evaluation.choices import CoefficientOptions
from metrics_framework.meta_evaluation.groups.score_pair import ScorePair
from metrics_framework.testing.contracts import EXAMPLE_TEXTS

UNREADABLE = (b"", b"\n", b"\xff\xfe\x00", b"{}\n", b"[]", b"a\tb\n1\t2\n", b"a,b\n1\n", b"<a></b>", b'{"text": 1}\n')


def check_reader(kind: type[Any], folder: Path) -> None:
    """Files of another kind yield no instance without its place, or are an error of the package."""
    paths = [folder / f"{number}.jsonl" for number in range(kind.number_of_files or 1)]
    reader = kind(**{one.name: str(paths[0]) for one in options_of(kind, DatasetReader) if one.required})
    for content in UNREADABLE:
        for path in paths:
            path.write_bytes(content)
        try:
            places = [one.path for one in reader.read(*map(str, paths))]
        except FwError as error:
            places = [str(error)]
        assert all(str(folder) in place for place in places), f"{content!r}: an instance or error without its path"
    with pytest.raises(FwError):
        list(reader.read(*(str(folder / "missing") for _ in paths)))


def check_rating_format(kind: type[Any], folder: Path) -> None:
    """Files of another kind yield no rating, or are an error of the package."""
    for content in UNREADABLE:
        path, problems = folder / "ratings.tsv", Problems()
        path.write_bytes(content)
        with contextlib.suppress(FwError):
            assert not list(kind().rows(str(path), problems)) or problems, content


def check_profile(kind: type[Any], folder: Path) -> None:
    """Each column of the table is a score of a metric."""
    outputs, sources, references, documents = EXAMPLE_TEXTS.values()
    texts = {"sources": sources, "references": references, "documents": documents}
    result = fw.evaluate(outputs={"one": outputs}, profile=kind.registered_name, confidence=False, **texts)
    missing = [name for name in kind().columns if name not in result.systems["one"].flatten()]
    assert not missing, f"the profile '{kind.registered_name}' has columns that are no scores: {missing}"


def check_coefficient(kind: type[Any], folder: Path) -> None:
    """Values are in the range, their order does not count, and their scale only if that is declared."""
    one, options = kind(), CoefficientOptions(sign_flips=40)
    generator = np.random.default_rng(2)
    human, metric = generator.integers(0, 5, (5, 6)).astype(float), generator.normal(size=(5, 6))
    metric += human
    for level in one.levels:

        def value(human: Any, metric: Any, level: Any = level) -> float:
            return one.measure(ScorePair(human, metric), level, options).value

        found, where = value(human, metric), f"'{one.name}' at the level {level}"
        assert one.range[0] <= found <= one.range[1], where
        if "sign_flips" not in one.uses:  # which are drawn for systems and inputs in their order
            assert value(human[::-1], metric[::-1]) == pytest.approx(found), f"{where} depends on the order of systems"
            assert value(human[:, ::-1], metric[:, ::-1]) == pytest.approx(found), f"{where} depends on that of inputs"
        is_same = value(human, 3 * metric + 2) == pytest.approx(found)
        assert is_same or one.depends_on_scale, f"{where} changes with the scale: set depends_on_scale = True"


KIND_CHECKS = {
    READERS: check_reader,
    PROFILES: check_profile,
    COEFFICIENTS: check_coefficient,
    RATINGS: check_rating_format,
}
