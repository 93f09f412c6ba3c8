"""A headless browser for tests of pages: the DevTools protocol over a pipe, nothing to install but the browser."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

#: What the browser is called; None where there is none.
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
_PATIENCE = 60.0


class Browser:
    """One tab. `errors` are exceptions and what the page wrote to the console as an error."""

    def __init__(self, folder: Path) -> None:
        assert BROWSER is not None
        to_read, self._write = os.pipe()
        self._read, to_write = os.pipe()
        os.set_blocking(self._read, False)

        def put_pipes() -> None:
            # The protocol is spoken on 3 and 4, which must not be closed in the browser.
            first, second = os.dup(to_read), os.dup(to_write)
            os.dup2(first, 3)
            os.dup2(second, 4)

        options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run"]
        self._process = subprocess.Popen(
            [BROWSER, *options, "--remote-debugging-pipe", f"--user-data-dir={folder}", "about:blank"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            close_fds=False,
            preexec_fn=put_pipes,
            start_new_session=True,
        )
        os.close(to_read)
        os.close(to_write)
        self._buffer, self._number, self._session = b"", 0, ""
        self.errors = list[str]()
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self._call(f"{domain}.enable")

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        os.close(self._write)
        os.close(self._read)
        os.killpg(self._process.pid, 9)
        self._process.wait()

    def open(self, page: Path, width: int = 1280, height: int = 900, dark: bool = False) -> None:
        """Load a page and wait for its end, in a window of this size."""
        self._call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._call("Emulation.setEmulatedMedia", features=[scheme])
        self._call("Page.navigate", url=page.resolve().as_uri())
        until = time.monotonic() + _PATIENCE
        while self.value("document.readyState") != "complete":
            assert time.monotonic() < until
            time.sleep(0.02)

    def value(self, expression: str) -> Any:
        """What an expression is on the page."""
        found = self._call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def press(self, key: str) -> None:
        """Press a key."""
        for kind in ("keyDown", "keyUp"):
            self._call("Input.dispatchKeyEvent", type=kind, key=key)

    def picture(self, file: Path, whole: bool = False) -> None:
        """Take a picture of the window, or of the whole page."""
        shot = self._call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        file.write_bytes(base64.b64decode(shot["data"]))

    def _call(self, method: str, **parameters: object) -> dict[str, Any]:
        self._number += 1
        message: dict[str, object] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        for answer in self._messages():
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result
            self._note(answer)
        raise AssertionError("the browser is gone")

    def _messages(self) -> Iterator[dict[str, Any]]:
        until = time.monotonic() + _PATIENCE
        while True:
            while b"\0" in self._buffer:
                text, _, self._buffer = self._buffer.partition(b"\0")
                yield json.loads(text)
            assert time.monotonic() < until, "the browser does not answer"
            if select.select([self._read], [], [], 1.0)[0]:
                data = os.read(self._read, 1 << 16)
                if not data:
                    return
                self._buffer += data

    def _note(self, message: dict[str, Any]) -> None:
        told = message.get("params", {})
        if message.get("method") == "Runtime.exceptionThrown":
            self.errors.append(str(told["exceptionDetails"]))
        if message.get("method") == "Runtime.consoleAPICalled" and told["type"] in ("error", "warning"):
            self.errors.append(str(told["args"]))
        if message.get("method") == "Log.entryAdded" and told["entry"]["level"] == "error":
            self.errors.append(told["entry"]["text"])


@contextmanager
def browser(folder: Path) -> Iterator[Browser]:
    """A browser with a profile in this folder."""
    with Browser(folder) as found:
        yield found
