"""One question of the frozen table: the command in a process of its own, within a limit of processor time."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct, field

#: Seconds between two looks at a process, and the time that it has to say what it knows.
_LOOK, _GRACE = 0.05, 10.0

#: How often Linux counts processor time.
_TICKS = os.sysconf("SC_CLK_TCK")


class Asking(Struct, frozen=True):
    """How a question is asked: which sources of sacheck, processor seconds, megabytes, whose checker is asked."""

    tree: Path
    seconds: float
    memory: int
    certify: Path | None = None


class Settled(Struct, frozen=True):
    """What became of one claim or goal, how it was settled in words, and by which engine of the portfolio."""

    name: str
    verdict: str
    technique: str = ""
    engine: str = ""


class Answer(Struct, frozen=True):
    """A row. `units` are the work that the answer says it took; `certificate` is the digest of the evidence.

    `accepted` says whether the other checker accepts it; None where it was not asked.
    """

    name: str
    verdict: str
    settled: tuple[Settled, ...]
    seconds: float
    units: int | None = None
    certificate: str = ""
    accepted: bool | None = None
    #: Codes of what is wrong with the input, or how the process ended.
    why: str = ""
    arguments: tuple[str, ...] = field(default=())


def answer(name: str, arguments: tuple[str, ...], asking: Asking) -> Answer:
    """Ask, and have the certificate checked where that is wanted."""
    with tempfile.TemporaryDirectory() as folder:
        evidence = Path(folder) / "evidence.json"
        options = ("--json", "--no-cache", "--memory", str(asking.memory), "--certificate", str(evidence))
        said, seconds, ended = _run(asking.tree, (*arguments, *options), asking.seconds)
        digest = hashlib.sha256(evidence.read_bytes()).hexdigest() if evidence.exists() else ""
        accepted: bool | None = None
        if asking.certify is not None and digest:
            source = ("--source", str(Path(arguments[1]).parent))
            judged, _, _ = _run(asking.certify, ("certify", str(evidence), "--json", *source), 4 * asking.seconds)
            accepted = judged.get("status") == 0
    settled = tuple(_settled(said))
    verdict = said.get("verdict") or ("UNKNOWN" if said.get("format", "").startswith("sacheck-stopped") else "")
    codes = sorted({d["code"] for d in said.get("diagnostics", ()) if "code" in d})
    why = "" if verdict else " ".join(codes) or ended
    return Answer(
        name, verdict or "NONE", settled, round(seconds, 2), said.get("units"), digest, accepted, why, arguments
    )


def _settled(said: Mapping[str, Any]) -> Iterator[Settled]:
    """The claims, goals or steps of an answer."""
    for claim in said.get("claims", ()):
        if isinstance(claim, dict):
            yield Settled(claim["name"], claim["verdict"], claim.get("how") or "", claim.get("engine") or "")
    for outcome in said.get("outcomes", ()):
        for goal in outcome.get("goals", ()):
            technique = (goal.get("statistics") or {}).get("strategy") or ""
            # Without the folder, which is another one in another tree.
            about = " ".join(word.rpartition("/")[2] for word in outcome["name"].split(" "))
            yield Settled(f"{about}: {goal['name']}", goal["verdict"], technique, technique)
    for step in said.get("steps", ()):
        if isinstance(step, dict) and "verdict" in step:
            yield Settled(str(step.get("name", "")), step["verdict"] or "")


def _run(tree: Path, arguments: tuple[str, ...], most: float) -> tuple[Mapping[str, Any], float, str]:
    """What a command of that tree says, the processor time it took, and how it ended.

    At `most` seconds it gets Ctrl-C, and says what it knows; what does not end then is killed.
    """
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "sacheck", *arguments],
            stdout=out,
            stderr=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL,
            cwd=tree,
            env={**os.environ, "PYTHONPATH": str(tree)},
            start_new_session=True,
        )
        told_at: float | None = None
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            if told_at is None and _processor_time(process.pid) > most:
                told_at = time.monotonic()
                process.send_signal(signal.SIGINT)
            elif told_at is not None and time.monotonic() > told_at + _GRACE:
                _kill(process.pid)
            time.sleep(_LOOK)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        try:
            said = msgspec.json.decode(out.read())
        except msgspec.DecodeError:
            said = {}
    ended = f"status {process.returncode}"
    return said if isinstance(said, dict) else {}, usage.ru_utime + usage.ru_stime, ended


def _session(leader: int) -> Iterator[tuple[int, list[str]]]:
    """The processes of a session, each with the fields of its state behind its name."""
    for entry in os.scandir("/proc"):
        if not entry.name.isdigit():
            continue
        try:
            fields = Path(entry.path, "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == leader:
            yield int(entry.name), fields


def _processor_time(leader: int) -> float:
    """Seconds that the processes of a session have worked, with those that they have waited for."""
    return sum(sum(map(int, fields[11:15])) for _, fields in _session(leader)) / _TICKS


def _kill(leader: int) -> None:
    for pid, _ in _session(leader):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
