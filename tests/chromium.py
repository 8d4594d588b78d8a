"""Chromium without a window, driven over the DevTools protocol through two pipes: no port, no driver, no package.

The protocol: https://chromedevtools.github.io/devtools-protocol/. With ``--remote-debugging-pipe`` Chromium reads
commands from file descriptor 3 and writes answers and events to 4, each a JSON object that ends with a zero byte.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import selectors
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

BINARIES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    "--headless=new",
    "--disable-gpu",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--no-default-browser-check",
    "--remote-debugging-pipe",
)
PATIENCE = 60.0


def chromium_path() -> str | None:
    """Returns the browser that ``FW_CHROMIUM`` names, or the first that is installed."""
    named = os.environ.get("FW_CHROMIUM")
    return named or next(filter(None, map(shutil.which, BINARIES)), None)


def _out_of_the_way(number: int) -> int:
    """Gives a file descriptor a number from 10 on, so that 3 and 4 are free for Chromium."""
    moved = fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, 10)
    os.close(number)
    return moved


class BrowserError(Exception):
    """A command of the protocol, or a script in the page, failed."""


class Page:
    """A tab without a network. Use it as a context manager.

    Attributes:
        console: What the console had to say, errors that nobody caught and violations of the page's policy among it.
        requests: The URLs that were asked for, other than that of the page itself.
    """

    def __init__(self) -> None:
        path = chromium_path()
        if path is None:
            raise BrowserError("no Chromium; install one, or name it in FW_CHROMIUM")
        self.console: list[str] = []
        self.requests: list[str] = []
        self._events: list[dict[str, Any]] = []
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        commands, self._write = map(_out_of_the_way, os.pipe())
        self._read, answers = map(_out_of_the_way, os.pipe())
        sandbox = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
        arguments = [path, *FLAGS, *sandbox, f"--user-data-dir={self._profile.name}", "about:blank"]
        shell = f'exec "$@" 3<&{commands} 4>&{answers} {commands}<&- {answers}>&-'
        self._process = subprocess.Popen(
            ["bash", "-c", shell, "bash", *arguments],
            pass_fds=(commands, answers),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(commands)
        os.close(answers)
        os.set_blocking(self._read, False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._read, selectors.EVENT_READ)
        self._received = b""
        self._number = 0
        self._session: str | None = None

    def __enter__(self) -> Page:
        targets = self.call("Target.getTargets")["targetInfos"]
        target = next(one["targetId"] for one in targets if one["type"] == "page")
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0, uploadThroughput=0)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.terminate()
        self._process.wait(timeout=PATIENCE)
        self._selector.close()
        os.close(self._read)
        os.close(self._write)
        self._remove_profile()

    def _remove_profile(self) -> None:
        """Removes the folder of the profile; processes of Chromium that end later may write to it once more."""
        for _ in range(50):
            self._profile.cleanup()
            if not os.path.exists(self._profile.name):
                return
            time.sleep(0.1)
            shutil.rmtree(self._profile.name, ignore_errors=True)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Sends a command and returns its result."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        with memoryview(json.dumps(message).encode() + b"\0") as content:
            while content:
                content = content[os.write(self._write, content) :]
        number = self._number
        while True:
            answer = self._next()
            if answer.get("id") == number:
                if "error" in answer:
                    raise BrowserError(f"{method}: {answer['error']['message']}")
                result: dict[str, Any] = answer["result"]
                return result
            self._note(answer)

    def open(self, path: Path) -> None:
        """Opens a file and waits until it is loaded and drawn."""
        self._load("Page.navigate", url=path.as_uri())

    def show(self, html: str) -> None:
        """Opens a page, with the pointer outside it."""
        path = Path(self._profile.name, "page.html")
        path.write_text(html, encoding="utf-8")
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=0, y=0)
        self.open(path)

    def reload(self) -> None:
        """Opens the same file again."""
        self._load("Page.reload")

    def _load(self, method: str, **parameters: Any) -> None:
        self._events.clear()
        self.call(method, **parameters)
        while not any(event["method"] == "Page.loadEventFired" for event in self._events):
            self._note(self._next())
        self.wait()

    def wait(self) -> None:
        """Waits until the page has drawn what it was asked for."""
        self.run("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")

    def run(self, expression: str) -> Any:
        """Runs a script in the page and returns its value, of a promise that which it comes to."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise BrowserError(details.get("exception", {}).get("description", details["text"]))
        return result["result"].get("value")

    def texts(self, selector: str) -> list[str]:
        """Returns the texts of all elements that a selector finds."""
        found: list[str] = self.run(
            f"[...document.querySelectorAll({json.dumps(selector)})].map((one) => one.textContent)"
        )
        return found

    def roles(self, named: bool = True) -> list[str]:
        """Returns the roles of the elements that are read out with a name, or without one."""
        nodes = [one for one in self.call("Accessibility.getFullAXTree")["nodes"] if not one.get("ignored")]
        return [one["role"]["value"] for one in nodes if bool(one.get("name", {}).get("value")) == named]

    def choose(self, **values: object) -> None:
        """Sets controls by their ids, as a person would."""
        for name, value in values.items():
            key = "checked" if isinstance(value, bool) else "value"
            self.run(
                f"(() => {{ const one = document.getElementById('{name}'); one.{key} = {json.dumps(value)};"
                "one.dispatchEvent(new Event('input')); })()"
            )

    def press(self, key: str, modifiers: int = 0) -> None:
        """Presses and releases a key, as a person would, and waits for what comes of it.

        Args:
            key: The key.
            modifiers: The sum of 1 for Alt, 2 for Ctrl, 4 for Meta, 8 for Shift.
        """
        code = {"Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Tab": 9}
        text = {} if modifiers & 7 else {"text": key} if len(key) == 1 else {"text": "\r"} if key == "Enter" else {}
        numbers = {"windowsVirtualKeyCode": code[key]} if key in code else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, modifiers=modifiers, **text, **numbers)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, modifiers=modifiers, **numbers)
        self.wait()

    def point(self, selector: str) -> None:
        """Moves the pointer over an element."""
        find = f"const one = document.querySelector({json.dumps(selector)}); one.scrollIntoView({{block: 'center'}})"
        middle = "const box = one.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]"
        x, y = self.run(f"(() => {{ {find}; {middle}; }})()")
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    @contextmanager
    def like(
        self, width: int = 1280, height: int = 900, media: str = "screen", scheme: str = "light", scale: float = 1
    ) -> Iterator[None]:
        """Gives the page a size, a medium and a colour scheme; pictures of it have ``scale`` times the size."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", **metrics)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", media=media, features=features)
        try:
            yield
        finally:
            self.call("Emulation.clearDeviceMetricsOverride")
            self.call("Emulation.setEmulatedMedia", media="", features=[])

    def screenshot(self, path: Path, whole: bool = False) -> None:
        """Takes a picture of what is seen, or of the whole page."""
        picture = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(picture["data"]))

    def _next(self) -> dict[str, Any]:
        deadline = time.monotonic() + PATIENCE
        while b"\0" not in self._received:
            if not self._selector.select(max(0.0, deadline - time.monotonic())):
                raise BrowserError(f"Chromium said nothing for {PATIENCE:g} seconds")
            read = os.read(self._read, 1 << 20)
            if not read:
                raise BrowserError("Chromium ended")
            self._received += read
        message, _, self._received = self._received.partition(b"\0")
        decoded: dict[str, Any] = json.loads(message)
        return decoded

    def _note(self, event: dict[str, Any]) -> None:
        self._events.append(event)
        method, parameters = event.get("method"), event.get("params", {})
        if method == "Runtime.consoleAPICalled":
            self.console.append(" ".join(str(one.get("value", one.get("description"))) for one in parameters["args"]))
        elif method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.console.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Log.entryAdded":
            self.console.append(parameters["entry"]["text"])
        elif method == "Network.requestWillBeSent" and parameters["request"]["url"] != parameters["documentURL"]:
            self.requests.append(parameters["request"]["url"])
