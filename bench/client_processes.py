"""Who takes part, and the conversation with one client's process.

Knows: command lines, the line protocol, CPU and memory of a process tree.
Must not know: what the figures mean.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from bench.chromium import BenchError, Chromium

__all__ = ["ROSTER", "Client", "Entry", "compile_floor"]

WORK = Path(".dev/bench")
FLOOR_SOURCE = Path(__file__).parent / "clients" / "floor.c"
FLOOR = WORK / "floor"
READY_WITHIN_S = 60.0


@dataclass(frozen=True, slots=True)
class Entry:
    """One participant: how it is called, which wire it takes, which program it is."""

    name: str
    pipe: bool
    program: str


ROSTER = (
    Entry("floor-pipe", pipe=True, program="floor"),
    Entry("ours-pipe", pipe=True, program="ours"),
    Entry("floor-ws", pipe=False, program="floor"),
    Entry("ours-ws", pipe=False, program="ours"),
    Entry("websockets", pipe=False, program="websockets_json"),
    Entry("cdp-use", pipe=False, program="cdp_use_cdp"),
    Entry("pydoll", pipe=False, program="pydoll_cdp"),
    Entry("puppeteer", pipe=False, program="puppeteer_cdp.mjs"),
    Entry("playwright", pipe=False, program="playwright_cdp"),
)


def compile_floor() -> None:
    """Build the C client. Raises BenchError when there is no compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        raise BenchError("no C compiler (cc, gcc or clang) for the floor client")
    WORK.mkdir(parents=True, exist_ok=True)
    built = subprocess.run(
        [compiler, "-O2", "-Wall", "-o", str(FLOOR), str(FLOOR_SOURCE)],
        capture_output=True,
        text=True,
    )
    if built.returncode != 0:
        raise BenchError(f"floor.c does not compile: {built.stderr.strip()}")


class Client:
    """One client process, attached to a browser of its own."""

    def __init__(self, entry: Entry, executable: str) -> None:
        self.entry = entry
        self.title = ""
        self.failed = ""
        self._process: subprocess.Popen[bytes] | None = None
        self._log = WORK / f"{entry.name}.log"
        self._browser = Chromium(executable, entry.name, pipe=entry.pipe)

    def start(self) -> None:
        """Start the client once its browser is there. A failure is kept in `failed`."""
        try:
            self._browser.wait_ready()
            with self._log.open("wb") as log:
                self._process = subprocess.Popen(
                    _argv(self.entry, self._browser.where),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=log,
                    bufsize=0,
                    pass_fds=(self._browser.wire.fileno(),) if self._browser.wire else (),
                    start_new_session=True,
                )
            if self._browser.wire is not None:
                self._browser.wire.close()
            self.title = self._read_line(READY_WITHIN_S)["ready"]
        except (BenchError, OSError) as error:
            self.failed = str(error)

    def ask(self, within_s: float, **request: Any) -> dict[str, float]:
        """One request, one answer, with the whole tree's CPU (`cpu_s`) and memory (`rss_mb`)."""
        assert self._process is not None
        assert self._process.stdin is not None
        before = self._children_cpu_s()
        try:
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
        except BrokenPipeError:
            raise BenchError(f"the client ended: {self._last_words()}") from None
        answer = self._read_line(within_s)
        answer["cpu_s"] += self._children_cpu_s() - before
        answer["rss_mb"] = sum(p.memory_info().rss for p in self._tree()) / 1e6
        return answer

    def close(self) -> None:
        """End the client and its browser."""
        if self._process is not None:
            for process in self._tree():
                process.kill()
            self._process.wait()
            for stream in (self._process.stdin, self._process.stdout):
                if stream is not None:
                    stream.close()
        self._browser.close()

    def _read_line(self, within_s: float) -> dict[str, Any]:
        assert self._process is not None
        assert self._process.stdout is not None
        deadline = time.monotonic() + within_s
        line = b""
        while not line.endswith(b"\n"):
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._process.stdout], [], [], left)[0]:
                raise BenchError(f"no answer within {within_s:g} s: {self._last_words()}")
            part = os.read(self._process.stdout.fileno(), 65536)
            if not part:
                raise BenchError(f"the client ended: {self._last_words()}")
            line += part
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _last_words(self) -> str:
        lines = self._log.read_text(errors="replace").strip().splitlines()
        errors = [line for line in lines if "Error" in line]  # Node.js ends with its version
        return (errors or lines or ["it said nothing"])[-1].strip()[:300]

    def _tree(self) -> list[psutil.Process]:
        assert self._process is not None
        try:
            root = psutil.Process(self._process.pid)
            return [root, *root.children(recursive=True)]
        except psutil.NoSuchProcess:
            return []

    def _children_cpu_s(self) -> float:
        """CPU of child processes such as Playwright's driver, in the kernel's 10 ms ticks."""
        return sum(sum(p.cpu_times()[:2]) for p in self._tree()[1:])


def _argv(entry: Entry, where: dict[str, Any]) -> list[str]:
    if entry.program == "floor":
        way = ["pipe", str(where["fd"])] if entry.pipe else ["ws"]
        return [str(FLOOR), *way, *(str(where[k]) for k in ("host", "port", "path") if k in where)]
    if entry.program.endswith(".mjs"):
        node = shutil.which("node")
        if node is None:
            raise BenchError("node is not installed")
        program = Path(__file__).parent / "clients" / entry.program
        return [node, str(program), json.dumps(where)]
    return [sys.executable, "-m", f"bench.clients.{entry.program}", json.dumps(where)]
