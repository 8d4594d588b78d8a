from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from messages import REGISTERED_TWICE

from metrics_framework.common.errors import RegistrationError, UnknownNameError, UsageError
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.metrics.base.metric import Metric, load
from metrics_framework.metrics.base.shapes import ReferenceBasedMetric
from metrics_framework.version import __version__


@pytest.fixture(autouse=True)
def own_registrations() -> Iterator[None]:
    """Takes the names that a test registers out of the registry again."""
    registry = Metric.registry()
    registry.search()
    before = dict(registry.entries)
    yield
    registry.entries = before


@pytest.fixture
def configurable() -> type[Metric]:
    @Metric.register("configurable", "conf")
    class Configurable(ReferenceBasedMetric):
        """Has options.

        Args:
            size: Some size.
            lowercase: Whether case is ignored.
            words: Some words.
        """

        option_aliases = {"width": "size"}

        def __init__(self, size: int = 4, lowercase: bool = False, words: list[str] | None = None) -> None:
            super().__init__()
            self.size = size
            self.lowercase = lowercase
            self.words = words

        def score_multi_all(self, summaries_list: Any, references_list: Any) -> list[list[MetricsDict]]:
            return [[MetricsDict({"configurable": 1.0}) for _ in summaries] for summaries in summaries_list]

    return Configurable


LOADED = [  # name, options, signature
    ("configurable", {}, "size:4|lowercase:no|words:none"),
    ("conf", {}, "size:4|lowercase:no|words:none"),
    ("configurable", {"size": 2, "lowercase": True}, "size:2|lowercase:yes|words:none"),
    ("configurable", {"width": "2"}, "size:2|lowercase:no|words:none"),
    ("configurable:size=2,lowercase=yes", {}, "size:2|lowercase:yes|words:none"),
    ("configurable:size=2", {"size": 3}, "size:3|lowercase:no|words:none"),
    ('{"type": "configurable", "words": ["a", "b"]}', {}, "size:4|lowercase:no|words:a+b"),
    ({"type": "configurable", "width": 3}, {}, "size:3|lowercase:no|words:none"),
]


@pytest.mark.parametrize(("name", "options", "expected"), LOADED)
def test_a_metric_is_loaded_by_name_and_its_signature_has_every_option(
    configurable: type[Metric], name: Any, options: dict[str, Any], expected: str
) -> None:
    metric = load(name, **options)
    assert type(metric) is configurable
    assert metric.signature() == f"configurable|{expected}|fw:{__version__}"


def test_a_signature_has_the_options_however_they_were_given(configurable: type[Any]) -> None:
    signatures = {
        metric.signature()
        for metric in (configurable(2, True), configurable(2, lowercase=True), configurable(width=2, lowercase=True))
    }
    assert len(signatures) == 1


def test_a_signature_has_what_only_the_data_tell(configurable: type[Any]) -> None:
    observed = configurable().signature(refs="1-8").split("|")
    assert set(observed) - set(configurable().signature().split("|")) == {"refs:1-8"}


def test_unknown_metrics_and_options_suggest_a_near_one(configurable: type[Any]) -> None:
    with pytest.raises(UnknownNameError, match="unknown metric 'configurabel'; did you mean 'configurable'"):
        load("configurabel")
    with pytest.raises(UnknownNameError, match="unknown option 'sise' of 'configurable'; did you mean 'size'"):
        load("configurable", sise=3)


def test_wrong_values_of_options_are_refused(configurable: type[Any]) -> None:
    with pytest.raises(UsageError, match="'size' must be an integer, got 'x'"):
        load("configurable", size="x")
    with pytest.raises(UsageError, match="duplicate option 'size' of 'configurable'"):
        load("configurable", size=1, width=2)


def test_a_metric_that_is_not_registered_goes_by_the_name_of_its_class() -> None:
    class Nameless(ReferenceBasedMetric):
        pass

    assert Nameless().name == "Nameless"
    assert Nameless().signature() == f"Nameless|fw:{__version__}"


def test_a_name_of_the_tree_cannot_be_taken() -> None:
    with pytest.raises(RegistrationError, match=rf"'pyramid-score' {REGISTERED_TWICE} metrics_framework\."):

        @Metric.register("pyramid-score")
        class Other(ReferenceBasedMetric):
            """Wants the name too."""

            def score_multi_all(self, summaries_list: Any, references_list: Any) -> list[list[MetricsDict]]:
                return []


@pytest.mark.parametrize("name", [3, None, ["sari"], Metric])
def test_what_is_no_name_is_an_error(name: Any) -> None:
    with pytest.raises(UsageError, match="expected a name, name:option=value,… or a dictionary with a type, got"):
        load(name)
