"""The recipes of the guides that need other packages do what the pages say, if these are installed."""

from __future__ import annotations

import doctest
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

GUIDES = Path(__file__).resolve().parent.parent.parent / "docs" / "guides"
BLOCK = re.compile(
    r"(?:<!-- not run: needs (?P<packages>[^\n]*) -->\n)?```python\n(?P<text>>>> .*?)^```$", re.DOTALL | re.M
)
MODULES = {"datasets": "datasets.arrow_dataset", "ray": "ray.data", "dask": "dask.dataframe"}
"""The module that shows whether a package is installed; the folder `datasets/` is not the package."""


def sections(page: str) -> dict[str, list[tuple[list[str], str]]]:
    """Returns the examples of each section after those above the first, with the packages that they need."""
    parts = re.split(r"^## (.*)$", (GUIDES / page).read_text(encoding="utf-8"), flags=re.M)
    first = examples(parts[0])
    return {title: [*first, *examples(text)] for title, text in zip(parts[1::2], parts[2::2], strict=True)}


def examples(text: str) -> list[tuple[list[str], str]]:
    """Returns the examples, with the packages that each needs."""
    found = BLOCK.finditer(text)
    return [((match["packages"] or "").replace(",", " ").split(), match["text"]) for match in found]


@pytest.fixture
def ray_of_this_test() -> Iterator[None]:
    """Starts Ray in processes that end with the test."""
    import ray

    ray.init(address="local", num_cpus=1, include_dashboard=False, logging_level="error", log_to_driver=False)
    try:
        yield
    finally:
        ray.shutdown()


SECTIONS = sections("data-frames.md")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.slow
@pytest.mark.parametrize("title", SECTIONS)
def test_the_recipe_of_a_section_works(title: str, request: pytest.FixtureRequest) -> None:
    needed = [package for packages, _ in SECTIONS[title] for package in packages]
    for package in needed:
        pytest.importorskip(MODULES.get(package, package), reason=f"needs the package {package}", exc_type=ImportError)
    if "ray" in needed:
        request.getfixturevalue("ray_of_this_test")
    parsed = doctest.DocTestParser().get_doctest("".join(text for _, text in SECTIONS[title]), {}, title, None, 0)
    printed: list[str] = []
    runner = doctest.DocTestRunner(verbose=False)
    runner.run(parsed, out=printed.append)
    assert not runner.failures, "".join(printed)
    assert runner.tries
