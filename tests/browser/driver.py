"""A browser that a test drives: as much of the W3C WebDriver protocol as looking, clicking and typing take."""

import base64
import json
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.error import HTTPError
from urllib.request import Request, urlopen

STARTS_IN_S = 30.0
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the protocol's own name for an element
CHROMIUM = [
    "--headless=new",
    "--no-sandbox",  # a container's root may have no sandbox
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--force-device-scale-factor=1",
    "--no-first-run",
    "--disable-background-networking",
]


class Browser:
    """One window of Chromium."""

    def __init__(self, width: int = 1600, height: int = 1000) -> None:
        self._home = tempfile.TemporaryDirectory()
        self._driver = subprocess.Popen(
            ["chromedriver", "--port=0"],  # noqa: S607  the browser of the system
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self._address = f"http://127.0.0.1:{self._port()}"
        arguments = [*CHROMIUM, f"--window-size={width},{height}", f"--user-data-dir={self._home.name}"]
        wanted = {"alwaysMatch": {"browserName": "chrome", "goog:chromeOptions": {"args": arguments}}}
        found = self._call("POST", "/session", {"capabilities": wanted})
        assert isinstance(found, dict)
        self._session = f"/session/{found['sessionId']}"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._call("DELETE", self._session)
        self._driver.terminate()
        self._driver.wait(STARTS_IN_S)
        assert self._driver.stdout is not None
        self._driver.stdout.close()
        self._home.cleanup()

    def _port(self) -> int:
        assert self._driver.stdout is not None
        for line in self._driver.stdout:
            if "started successfully on port" in line:
                return int(line.rstrip(".\n").rpartition(" ")[2])
        raise AssertionError("chromedriver has not started")

    def _call(self, method: str, path: str, body: object = None) -> object:
        data = json.dumps(body).encode() if method == "POST" else None
        request = Request(self._address + path, data, {"Content-Type": "application/json"}, method=method)  # noqa: S310  our own driver
        try:
            with urlopen(request, timeout=STARTS_IN_S) as answer:  # noqa: S310  as above
                return json.load(answer)["value"]
        except HTTPError as error:
            raise AssertionError(json.load(error)["value"]["message"]) from error

    def open(self, address: str) -> None:
        self._call("POST", f"{self._session}/url", {"url": address})

    def run(self, script: str, *arguments: object) -> object:
        """Run a script in the page and give what it returns."""
        return self._call("POST", f"{self._session}/execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, condition: str) -> None:
        """Wait until a condition of the page holds."""
        end = time.monotonic() + STARTS_IN_S
        while time.monotonic() < end:
            if self.run(f"return Boolean({condition})"):
                return
        raise AssertionError(f"never came true: {condition}; the page says {self.text('body')[-400:]}")

    def text(self, selector: str) -> str:
        return str(self.run("return document.querySelector(arguments[0]).innerText", selector))

    def click(self, selector: str) -> None:
        element = self._element(selector)
        self._call("POST", f"{self._session}/element/{element}/click", {})

    def type(self, selector: str, text: str) -> None:
        element = self._element(selector)
        self._call("POST", f"{self._session}/element/{element}/clear", {})
        self._call("POST", f"{self._session}/element/{element}/value", {"text": text})

    def keys(self, selector: str, text: str) -> None:
        self._call("POST", f"{self._session}/element/{self._element(selector)}/value", {"text": text})

    def _element(self, selector: str) -> str:
        found = self._call("POST", f"{self._session}/element", {"using": "css selector", "value": selector})
        assert isinstance(found, dict)
        return str(found[ELEMENT])

    def drag(self, way: Sequence[tuple[float, float]]) -> None:
        """Press the mouse at the first point of the window, go through the others, and let go; one point is a click."""
        (x, y), *rest = [(round(x), round(y)) for x, y in way]
        moves = [{"type": "pointerMove", "duration": 40, "x": u, "y": v} for u, v in rest]
        steps = [
            {"type": "pointerMove", "duration": 0, "x": x, "y": y},
            {"type": "pointerDown", "button": 0},
            *moves,
            {"type": "pointerUp", "button": 0},
        ]
        mouse = {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": steps}
        self._call("POST", f"{self._session}/actions", {"actions": [mouse]})

    def picture(self, path: Path) -> None:
        """Write what the window shows."""
        found = self._call("GET", f"{self._session}/screenshot")
        path.write_bytes(base64.b64decode(str(found)))
