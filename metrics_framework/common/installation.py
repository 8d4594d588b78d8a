"""The commands of messages that install packages: the only place that writes them (decision 0102).

Until this package is on an index, each command works for an installed copy of it, or for its sources.
"""

from __future__ import annotations

import os

from metrics_framework.version import __version__

DISTRIBUTION = "metrics-framework"
IS_ON_INDEX = False
"""Whether package indexes have this package; `docs/guides/install.md` says the same."""
OWN_FOLDER = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
"""The folder that the imported package is in."""


def pip_install(*packages: str) -> str:
    """Returns the command that installs packages.

    >>> pip_install("httpx", "numpy>=2")
    "pip install httpx 'numpy>=2'"
    """
    return " ".join(["pip install", *map(_quoted, packages)])


def install_extra(extra: str) -> str:
    """Returns the command that adds the packages of an extra to the copy of this package in use.

    An installed copy satisfies the requirement, so pip does not look for this package on an index. Sources that are
    imported without installation are installed in place.

    Args:
        extra: The name of the extra.
    """
    is_known = IS_ON_INDEX or _is_installed()
    return pip_install(f"{DISTRIBUTION}[{extra}]") if is_known else pip_install("-e", f"{OWN_FOLDER}[{extra}]")


def install_same_version(extra: str) -> str:
    """Returns how to install this version of the package, with an extra, in another environment.

    Args:
        extra: The name of the extra.
    """
    if IS_ON_INDEX:
        return f"run: {pip_install(f'{DISTRIBUTION}[{extra}]=={__version__}')}"
    return f"run, in the top folder of the sources of fw {__version__}: {pip_install(f'.[{extra}]')}"


def install_in_place() -> str:
    """Returns the command that installs the sources in use where they are, and builds their native kernels."""
    return f"python -m {pip_install('-e', OWN_FOLDER)}"


def _is_installed() -> bool:
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        distribution(DISTRIBUTION)
    except PackageNotFoundError:
        return False
    return True


def _quoted(text: str) -> str:
    """Quotes an argument for the shell of the system."""
    import shlex

    return f'"{text}"' if os.name == "nt" and shlex.quote(text) != text else shlex.quote(text)
