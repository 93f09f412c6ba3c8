"""An editor as far as tests need one: the Language Server Protocol over the pipes of `sacheck lsp`."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

ROOT = Path(__file__).parents[2]
_PATIENCE = 60.0


class Client:
    """A session: requests wait for their answers, what the server tells is kept."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "sa", "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT
        )
        self._answers: queue.Queue[dict[str, Any]] = queue.Queue()
        self._number = 0
        self.told = list[dict[str, Any]]()
        threading.Thread(target=self._listen, daemon=True).start()
        options = {
            "processId": None,
            "rootUri": None,
            "capabilities": {"workspace": {"codeLens": {"refreshSupport": True}}},
        }
        self.capabilities = self.request("initialize", options)["capabilities"]
        self.notify("initialized", {})

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        try:
            self.request("shutdown", None)
            self.notify("exit", None)
            assert self._process.wait(20) == 0
        finally:
            self._process.kill()
            self._process.wait()

    def request(self, method: str, params: object) -> Any:
        """The result of a request."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        return self._until(lambda m: m.get("id") == self._number and "method" not in m)["result"]

    def notify(self, method: str, params: object) -> None:
        """Tell the server something."""
        self._send({"method": method, "params": params})

    def diagnostics(self, uri: str) -> list[dict[str, Any]]:
        """The diagnostics that the server publishes next for a file."""
        message = self._until(
            lambda m: m.get("method") == "textDocument/publishDiagnostics" and m["params"]["uri"] == uri
        )
        found: list[dict[str, Any]] = message["params"]["diagnostics"]
        return found

    def _until(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        for message in self.told:
            if wanted(message):
                self.told.remove(message)
                return message
        while True:
            message = self._answers.get(timeout=_PATIENCE)
            if "id" in message and "method" in message:
                # The server asks the editor to look again.
                self._send({"id": message["id"], "result": None})
            if wanted(message):
                return message
            self.told.append(message)

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._process.stdin.flush()

    def _listen(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        while line := stream.readline():
            length = int(line.partition(b":")[2])
            while stream.readline().strip():
                pass
            self._answers.put(json.loads(stream.read(length)))
