"""A web server on this machine for the tests of downloads: it serves bytes, and misbehaves as it is told."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

Answer = Callable[["Handler"], None]


class Server(ThreadingHTTPServer):
    """Serves files from memory.

    Attributes:
        files: Path (with ``/`` in front) to content.
        script: Path to how the next requests for it are answered; after these, as `as_asked` does.
        requests: Path and ``Range`` of every request.
        released: Lets answers that hang end.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.files: dict[str, bytes] = {}
        self.script: dict[str, list[Answer]] = {}
        self.requests: list[tuple[str, str | None]] = []
        self.released = Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away in the middle is nothing to tell of."""


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    server: Server

    def do_GET(self) -> None:
        self.server.requests.append((self.path, self.headers["Range"]))
        answers = self.server.script.get(self.path)
        (answers.pop(0) if answers else as_asked)(self)

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing."""

    def begin(self, status: int, length: int | None = None, **headers: str) -> None:
        self.send_response(status)
        if length is not None:
            self.send_header("Content-Length", str(length))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()


def as_asked(handler: Handler) -> None:
    """Sends the file, or the part that is asked for."""
    content = handler.server.files.get(handler.path)
    if content is None:
        handler.begin(404, 0)
        return
    wanted = re.fullmatch(r"bytes=(\d+)-", handler.headers["Range"] or "")
    start = int(wanted[1]) if wanted else 0
    if wanted and start >= len(content):
        handler.begin(416, 0)
    elif wanted:
        handler.begin(206, len(content) - start, Content_Range=f"bytes {start}-{len(content) - 1}/{len(content)}")
    else:
        handler.begin(200, len(content))
    handler.wfile.write(content[start:])


def without_ranges(handler: Handler) -> None:
    """Sends the whole file, whatever part is asked for."""
    content = handler.server.files[handler.path]
    handler.begin(200, len(content))
    handler.wfile.write(content)


def cut_after(count: int, hang: bool = False, length: bool = True) -> Answer:
    """Sends so many bytes of the file, then ends the connection, or lets it hang."""

    def answer(handler: Handler) -> None:
        content = handler.server.files[handler.path]
        handler.begin(200, len(content) if length else None)
        handler.wfile.write(content[:count])
        handler.wfile.flush()
        if hang:
            handler.server.released.wait()

    return answer


def silent(handler: Handler) -> None:
    """Says nothing until it is let go."""
    handler.server.released.wait()


def instead(content: bytes, length: bool = True) -> Answer:
    """Sends something else."""

    def answer(handler: Handler) -> None:
        handler.begin(200, len(content) if length else None)
        handler.wfile.write(content)

    return answer


def another_part(handler: Handler) -> None:
    """Sends another part than it was asked for."""
    content = handler.server.files[handler.path]
    handler.begin(206, len(content) - 1, Content_Range=f"bytes 1-{len(content) - 1}/{len(content)}")
    handler.wfile.write(content[1:])


def headed(code: int = 200, **headers: str) -> Answer:
    """Sends the file with other headers; a name of one is written with ``_`` for each hyphen."""

    def answer(handler: Handler) -> None:
        handler.begin(code, **headers)
        handler.wfile.write(handler.server.files[handler.path])

    return answer


def status(code: int) -> Answer:
    """Answers with a status and nothing else."""
    return lambda handler: handler.begin(code, 0)


def moved_to(url: str) -> Answer:
    """Sends elsewhere."""
    return lambda handler: handler.begin(302, 0, Location=url)


@contextmanager
def serving() -> Iterator[Server]:
    """Runs a server in a thread."""
    with Server() as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.released.set()
            server.shutdown()
            thread.join()
