"""What all tests share."""

from __future__ import annotations

import builtins
import os
import signal
import warnings
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import checked_overrides  # first, before classes of the package are created
import pytest
from golden_archive import golden_folder
from hypothesis import settings
from neural_models import block_network, tiny_model
from object_store import ObjectStore, object_store
from sums_of_floats import refusing_sum
from web_server import Server, serving

from metrics_framework.kernels import dispatch

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("FW_SHARED", ROOT.parent / "shared"))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> Generator[None]:
    """Says after everything else what the quick suite skipped and left out."""
    yield
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or session.config.option.markexpr != "not slow and not timing":
        return
    if skipped := reporter.stats.get("skipped", []):
        reporter.write_line(
            f"skipped: {len(skipped):,} tests that need what is missing here; why: python -m pytest -rs"
        )
    left_out = reporter.stats.get("deselected", [])
    for mark, minutes in (("slow", "about 17 minutes of CPU time"), ("timing", "on an idle machine")):
        counted = sum(item.get_closest_marker(mark) is not None for item in left_out)
        if counted or not left_out:  # with workers, the main process has no list
            shown = f"{counted:,} tests" if counted else "tests"
            reporter.write_line(
                f"left out: {shown} marked {mark}; run them with: python -m pytest -m {mark} ({minutes})"
            )
    reporter.write_line("all tests: .ci/test")


TESTS_OF_SCORES = {"contracts", "kernels", "metrics", "neural"}
"""The folders of tests that score texts of a few words."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Ignores in property tests and tests of scores what is wrong with made-up texts, such as that they are empty."""
    ignored = pytest.mark.filterwarnings("ignore::metrics_framework.TextWarning")
    for item in items:
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False) or TESTS_OF_SCORES & {*item.path.parts}:
            item.add_marker(ignored)


def pytest_configure() -> None:
    """Restores signals that the parent process ignores.

    ``nohup`` ignores SIGHUP, and a shell ignores SIGINT for a command in the background. All processes that the tests
    start would inherit this, and would not end when a test interrupts them.

    Raises:
        UsageError: if classes of the package were created before their overrides could be checked.
    """
    early = checked_overrides.DECORATED[1:]
    if early:
        raise pytest.UsageError(f"overrides are not checked in {', '.join(early)}: imported before conftest.py")
    for name, handler in (("SIGINT", signal.default_int_handler), ("SIGHUP", signal.SIG_DFL)):
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is not None and signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)


@pytest.fixture(scope="session", autouse=True)
def _no_sums_of_floats() -> Iterator[None]:
    """Fails if this package passes floats to `sum`, whose last digits depend on the version of Python."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(builtins, "sum", refusing_sum)
        yield


@pytest.fixture(scope="session")
def shared_path(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Gives the path of published data or numbers; skips the test where they are absent.

    Those in ``golden/`` are read from the folder or archive that ``FW_GOLDEN`` names, if it is set.
    """
    place = os.environ.get("FW_GOLDEN")
    golden = golden_folder(place, tmp_path_factory.mktemp("golden")) if place else SHARED / "golden"

    def find(name: str) -> Path:
        path = golden / name[len("golden/") :] if f"{name}/".startswith("golden/") else SHARED / name
        if not path.exists():
            pytest.skip(f"needs {name} below FW_SHARED{' or FW_GOLDEN' if golden in [path, *path.parents] else ''}")
        return path

    return find


@pytest.fixture(scope="session")
def by_punkt() -> Callable[[str], list[str]]:
    """Gives nltk's own cutting into sentences; skips the test where nltk or its English data is absent."""
    tokenize = pytest.importorskip("nltk.tokenize")
    try:
        tokenize.sent_tokenize("A cat.")
    except LookupError:
        pytest.skip("needs nltk's English Punkt data: set NLTK_DATA to a folder that has tokenizers/punkt_tab")
    found: Callable[[str], list[str]] = tokenize.sent_tokenize
    return found


@pytest.fixture(scope="session")
def datasets_path() -> Path:
    """Gives the folder of the example data."""
    return ROOT / "datasets"


@pytest.fixture
def web(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """Runs a web server on this machine, which no proxy stands in front of; waiting between two tries takes no time."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr("metrics_framework.io.download.time.sleep", lambda seconds: None)
    with serving() as server:
        yield server


@pytest.fixture(scope="session")
def s3_server() -> Iterator[ObjectStore]:
    """Runs a local S3 server, which no proxy stands in front of."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("no_proxy", "127.0.0.1")
        with object_store() as store:
            yield store


@pytest.fixture
def s3(s3_server: ObjectStore, monkeypatch: pytest.MonkeyPatch) -> Iterator[ObjectStore]:
    """Gives an empty bucket of a local S3 server, which the environment names."""
    from s3fs import S3FileSystem

    for name, value in s3_server.environment.items():
        monkeypatch.setenv(name, value)
    S3FileSystem.clear_instance_cache()
    s3_server.clear()
    yield s3_server
    S3FileSystem.clear_instance_cache()


@pytest.fixture(scope="session")
def tiny_models(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """Builds tiny neural models: a function of a task and options of the configuration, see `neural_models`."""
    for package in ("torch", "transformers"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            pytest.importorskip(package, reason=f"needs the package {package} of the extra 'neural'")
    built: dict[str, str] = {}

    def build(task: str = "encoder", **options: object) -> str:
        key = f"{task} {options}"
        if key not in built:
            built[key] = tiny_model(tmp_path_factory.mktemp("models") / "tiny", task, **options)
        return built[key]

    return build


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Refuses all connections to other computers, and gives the test a cache of its own."""
    block_network(monkeypatch)
    monkeypatch.setenv("FW_CACHE", str(tmp_path / "cache"))


os.environ["HF_HUB_OFFLINE"] = "1"  # read when the client of the hub is imported
os.environ["OMP_NUM_THREADS"] = "1"  # read when torch is imported; threads only slow tiny models down
if dispatch.native_module is None:
    os.environ.setdefault("FW_KERNELS", "python")  # without warnings that native kernels are missing
os.environ.pop("COLUMNS", None)  # help texts have the width of a terminal that is unknown
settings.register_profile("unhurried", deadline=None)
if not os.environ.get("CI"):
    settings.load_profile("unhurried")


@pytest.fixture(scope="module", params=["python", "native"])
def kernels(request: pytest.FixtureRequest) -> Iterator[str]:
    """Runs a test with each implementation of the kernels; the native one must be there if ``FW_REQUIRE_NATIVE=1``."""
    if request.param == "native" and dispatch.native_module is None and os.environ.get("FW_REQUIRE_NATIVE") != "1":
        pytest.skip("needs the native kernels, which are not built")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(dispatch.VARIABLE, request.param)
        yield request.param
