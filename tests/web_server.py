"""A local web server for the tests of downloads: it serves bytes, and misbehaves as a test asks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any, TypeVar

Answer = Callable[["Handler"], None]


class LocalServer(ThreadingHTTPServer):
    """A server of this machine.

    Attributes:
        released: Lets answers that hang end.
    """

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self.released = Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignores clients that disconnect."""


ServerType = TypeVar("ServerType", bound=LocalServer)


class Server(LocalServer):
    """Serves files from memory.

    Attributes:
        files: Path (with ``/`` in front) to content.
        script: The answers to the next requests for each path; `send_file` answers those after.
        requests: The path of every request.
    """

    def __init__(self) -> None:
        super().__init__(Handler)
        self.files: dict[str, bytes] = {}
        self.script: dict[str, list[Answer]] = {}
        self.requests: list[str] = []


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    server: Server

    def do_GET(self) -> None:
        self.server.requests.append(self.path)
        answers = self.server.script.get(self.path)
        (answers.pop(0) if answers else send_file)(self)

    def log_message(self, format: str, *args: Any) -> None:
        """Logs nothing."""

    def begin(self, status: int, length: int | None = None, **headers: str) -> None:
        self.send_response(status)
        if length is not None:
            self.send_header("Content-Length", str(length))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()


def send_file(handler: Handler) -> None:
    """Sends the file."""
    content = handler.server.files.get(handler.path)
    handler.begin(404 if content is None else 200, len(content or b""))
    handler.wfile.write(content or b"")


def cut_after(count: int, hang: bool = False, length: bool = True) -> Answer:
    """Sends the first bytes of the file, then closes the connection or leaves it open."""

    def answer(handler: Handler) -> None:
        content = handler.server.files[handler.path]
        handler.begin(200, len(content) if length else None)
        handler.wfile.write(content[:count])
        handler.wfile.flush()
        if hang:
            handler.server.released.wait()

    return answer


def silent(handler: Handler) -> None:
    """Sends nothing until the test ends."""
    handler.server.released.wait()


def instead(content: bytes, length: bool = True) -> Answer:
    """Sends another content."""

    def answer(handler: Handler) -> None:
        handler.begin(200, len(content) if length else None)
        handler.wfile.write(content)

    return answer


def headed(code: int = 200, **headers: str) -> Answer:
    """Sends the file with other headers; a name of one is written with ``_`` for each hyphen."""

    def answer(handler: Handler) -> None:
        handler.begin(code, **headers)
        handler.wfile.write(handler.server.files[handler.path])

    return answer


def status(code: int) -> Answer:
    """Sends only a status."""
    return lambda handler: handler.begin(code, 0)


def moved_to(url: str) -> Answer:
    """Redirects."""
    return lambda handler: handler.begin(302, 0, Location=url)


@contextmanager
def running(server: ServerType) -> Iterator[ServerType]:
    """Runs a server in a thread."""
    with server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.released.set()
            server.shutdown()
            thread.join()


def serving() -> AbstractContextManager[Server]:
    """Serves files in a thread."""
    return running(Server())
