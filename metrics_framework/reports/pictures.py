"""Pictures in other formats than SVG, made by the optional package CairoSVG."""

from __future__ import annotations

import re

from metrics_framework.common.errors import FwError, MissingExtraError

ENDINGS = (".svg", ".png", ".pdf")
"""The endings of pictures."""
GENERATOR = b"metrics_framework"
_SCALE = 2
_PNG_HEADER = 33
"""The length of the signature and the first chunk of a PNG file."""


def format_of_picture(path: str) -> str:
    """Returns ``png`` or ``pdf`` if a picture must be converted, otherwise ``svg``."""
    return next((ending[1:] for ending in ENDINGS[1:] if path.lower().endswith(ending)), "svg")


def check_converter(path: str) -> None:
    """Checks that a picture can be written, before the work.

    Raises:
        MissingExtraError: if it must be converted, and CairoSVG is not installed.
        FwError: if the system has no library Cairo.
    """
    if format_of_picture(path) == "svg":
        return
    try:
        import cairosvg  # noqa: F401 - only whether it can be imported
    except ImportError as error:
        raise MissingExtraError("a picture as PNG or PDF", "cairosvg", "pictures") from error
    except OSError as error:
        raise FwError(
            f"cannot write '{path}': the package 'cairosvg' needs the library Cairo, which is not installed "
            "(Debian: apt install libcairo2; macOS: brew install cairo); or write an .svg file"
        ) from error


def converted(svg: str, format: str) -> bytes:
    """Converts an SVG file, in its light colours.

    Args:
        svg: The SVG file, written by this package.
        format: ``png`` or ``pdf``.
    """
    import cairosvg

    svg = re.sub(r' style="max-width[^"]*"', "", svg)
    svg = re.sub(r"@media screen[^{]*\{.*?\n\}", "", svg, flags=re.DOTALL)
    options = {"bytestring": svg.encode("utf-8"), "background_color": "#fff"}
    if format == "pdf":
        return bytes(cairosvg.svg2pdf(**options)) + b"\n% " + GENERATOR + b"\n"
    return _with_generator(bytes(cairosvg.svg2png(scale=_SCALE, **options)))


def _with_generator(png: bytes) -> bytes:
    """Adds the name of this package to a PNG file, by which it is recognized as an earlier result."""
    import struct
    import zlib

    content = b"tEXtSoftware\0" + GENERATOR
    chunk = struct.pack(">I", len(content) - 4) + content + struct.pack(">I", zlib.crc32(content))
    return png[:_PNG_HEADER] + chunk + png[_PNG_HEADER:]


def is_picture(path: str) -> bool:
    """Returns whether a PNG or PDF file was written by this package."""
    try:
        with open(path, "rb") as file:
            start = file.read(200)
            file.seek(max(0, file.seek(0, 2) - 100))
            end = file.read()
    except OSError:  # what reads the file next reports it
        return False
    return (start.startswith(b"\x89PNG") and b"tEXtSoftware\0" + GENERATOR in start) or (
        start.startswith(b"%PDF") and end.endswith(b"% " + GENERATOR + b"\n")
    )
