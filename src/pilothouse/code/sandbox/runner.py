"""Runs agent-written code in a worker and always gets it stopped: the daemon's side.

Knows: the three rings of deadlines, what to report. Must not know: what calls do; whoever asks
for a run answers them. A worker is never trusted: what it sends is checked, counted and bounded.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
import signal
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from pilothouse.code.sandbox import scratch as scratches
from pilothouse.code.sandbox.program import FILE
from pilothouse.code.sandbox.sandbox import Limits
from pilothouse.code.sandbox.wire import read_sized_frame, write_frame
from pilothouse.code.sandbox.worker_pool import WorkerPool
from pilothouse.code.sandbox.worker_process import ProcessExit, Worker, Zygote
from pilothouse.errors import PilothouseError, explain
from pilothouse.tabs.progress import report_progress
from pilothouse.tasks import Tasks, is_own_cancellation

__all__ = ["InFlight", "RunOutcome", "Runner", "Zygote"]

_log = logging.getLogger(__name__)

# Between the courtesy of an exception and the certainty of a signal.
GRACE_S = 0.25
# A process whose line is closed has ended, or does so now, unless it closed the line itself.
ENDS_WITHIN_S = 0.2
SPARES = 2
# A run whose worker is lost before the code did anything is begun again, so many times in all.
TRIES = 5
# The first look at the scratch directory, and the least time between two.
MEASURE_EVERY_S = 0.25
# Looking takes at most a fraction of the time.
MEASURE_SHARE = 0.1
# What has not ended by now may be anything: it should not hold up the rest.
MAKES_WAY_AFTER_S = 0.1
# A short run should not share the machine with the making of its successor; a long one does.
FILL_AFTER_S = 0.05
# Workers cut their output themselves, sooner; one that sends this much means harm.
OUTPUT_BYTES = 40_000_000
# As many calls, and as many bytes of them, may be in flight; a worker that asks for more waits.
CALLS_AT_ONCE = 64
CALL_BYTES_AT_ONCE = 16_000_000
# Then everybody else gets a turn.
FRAMES_IN_A_ROW = 64

Call = Callable[[str, dict[str, Any], float], Awaitable[Any]]

_LESS = "write less to the scratch directory, or remove files that are done with"
_LOST = "the process of the run was lost again and again before the code began"
_PLACE = re.compile(rf'File "{re.escape(FILE)}", line (\d+)')


_LEVELS = {"debug": logging.DEBUG, "warning": logging.WARNING, "error": logging.ERROR}


class InFlight(msgspec.Struct, frozen=True):
    """A call that was not answered yet, and for how long."""

    method: str
    seconds: float


class RunOutcome(msgspec.Struct):
    """How a run ended. `output` is everything shown, in order; `error` is None if it went well."""

    output: list[dict[str, Any]] = msgspec.field(default_factory=list)
    value: Any = None
    has_value: bool = False
    error: dict[str, Any] | None = None
    state: dict[str, Any] | None = None
    timed_out: bool = False
    killed: bool = False
    in_flight: list[InFlight] = msgspec.field(default_factory=list)
    rss_kb: int = 0


class Runner:
    """Runs code, each time in a fresh worker; some stand ready."""

    def __init__(
        self,
        zygote: Zygote,
        scratch: Path,
        *,
        limits: Limits | None = None,
        spares: int = SPARES,
    ) -> None:
        self._zygote = zygote
        self._scratch = scratch
        self._limits = limits or Limits()
        self._spares = WorkerPool(zygote, scratch, self._limits, spares)

    @property
    def walls(self) -> dict[str, list[str]]:
        """Which walls stand around workers, and which could not be had."""
        return self._spares.walls

    async def start(self, *, after: float = 0.0) -> None:
        """Remove what a daemon that died left behind, and have the first workers ready soon: their
        making begins `after` so many seconds, or with the first run."""
        await asyncio.to_thread(scratches.sweep, self._scratch)
        asyncio.get_running_loop().call_later(after, self._spares.fill)

    async def close(self) -> None:
        """End the workers and what they come from."""
        await self._spares.close()
        await self._zygote.close()

    async def run(
        self,
        code: str,
        call: Call,
        *,
        seconds: float,
        tab: str = "main",
        state: dict[str, Any] | None = None,
        begins: Callable[[Worker], object] = lambda worker: None,
        pictures: Mapping[str, list[dict[str, Any]]] | None = None,
    ) -> RunOutcome:
        """Run code for at most `seconds`, however often it is begun; it is gone a quarter of a
        second later at the latest. `begins` hears in which worker; `pictures` are those that
        the daemon has taken for it, by name. Raises PilothouseError if no worker can be had."""
        order = {"code": code, "tab": tab, "state": state or {}, "seconds": seconds}
        loop = asyncio.get_running_loop()
        # The code's time begins when there is a process to run it: a cold start is not its fault,
        # and bounded by itself. What comes after has this one deadline.
        worker = await self._spares.take()
        taken = {} if pictures is None else pictures
        due = loop.time() + seconds
        for tries_left in reversed(range(TRIES)):
            begins(worker)
            run = _Run(worker, call, seconds, due, self._limits, taken)
            filling = loop.call_later(FILL_AFTER_S, self._spares.fill)
            try:
                ran = await run.go(order)
            finally:
                filling.cancel()
                self._spares.discard(worker)
                self._spares.fill()
            # It may have died before it knew of the code, or with its zygote before the code had
            # asked for anything: nothing has been done yet that could be done twice.
            lost = not run.began or run.vanished
            if ran.timed_out or not lost or not tries_left:
                break
            try:
                async with asyncio.timeout_at(due):
                    worker = await self._spares.take()
            except TimeoutError:
                break
        if ran.error is None and not run.began:
            ran.error = {"kind": "Killed", "message": _LOST, "hint": "run it again"}
        return ran


class _Run:
    """One run."""

    def __init__(
        self,
        worker: Worker,
        call: Call,
        seconds: float,
        due: float,
        limits: Limits,
        pictures: Mapping[str, list[dict[str, Any]]],
    ) -> None:
        self._worker = worker
        self._call = call
        self._loop = asyncio.get_running_loop()
        self._due = due
        self._seconds = seconds
        self._limits = limits
        self._pictures = pictures
        self._tasks = Tasks()
        self._room = asyncio.Semaphore(CALLS_AT_ONCE)
        self._bytes = 0
        self._answered = asyncio.Event()
        self._flight: dict[int, tuple[str, float, asyncio.Task[None]]] = {}
        self._ran = RunOutcome()
        self._output = 0
        self._printed: list[str] = []
        self._done = False
        self._fault = self._hint = ""
        self.began = False
        # Whether it was lost with its zygote before anybody had heard of it.
        self.vanished = False
        self._heard_of = False

    async def go(self, order: dict[str, Any]) -> RunOutcome:
        write_frame(self._worker.writer, {"run": order})
        makes_way = self._loop.call_later(MAKES_WAY_AFTER_S, self._worker.make_way)
        try:
            listening = self._tasks.start(self._listen(), "hear a worker")
            if self._worker.folder is None:  # else the kernel counts
                self._tasks.start(self._measure(), "measure the files of a run")
            await self._wait(listening)
        finally:
            makes_way.cancel()
            await self._tasks.close()
        self._gather()
        if not self._done and self.began:
            await self._explain(order["code"].splitlines())
        return self._ran

    async def _wait(self, listening: asyncio.Task[None]) -> None:
        """Three rings: calls have deadlines of their own; then an exception; then the end."""
        await asyncio.wait({listening}, timeout=self._due - self._loop.time())
        if listening.done():
            return
        ran = self._ran
        ran.timed_out = True
        now = self._loop.time()
        ran.in_flight = [
            InFlight(method, now - began) for method, began, _ in self._flight.values()
        ]
        message = f"the run took longer than {self._seconds:g} s"
        for number, (_, _, task) in list(self._flight.items()):
            task.cancel()
            told = {"kind": "RunTimeout", "message": message}
            write_frame(self._worker.writer, {"reply": number, "error": told})
        self._worker.ring()
        await asyncio.wait({listening}, timeout=GRACE_S)
        self._worker.kill()
        error = ran.error
        if not self._done:
            ran.killed = True
            ran.error = {"kind": "RunTimeout", "message": f"{message} and had to be killed"}
        elif error is None:
            ran.error = {"kind": "RunTimeout", "message": message}
        elif error["kind"] != "RunTimeout":
            then = f"{message}; then came {error['kind']}: {error['message']}"
            ran.error = {**error, "kind": "RunTimeout", "message": then}

    async def _explain(self, lines: list[str]) -> None:
        """Nothing was said at the end: what is known of it, and where the code was."""
        ran, worker = self._ran, self._worker
        if not ran.killed:
            ran.killed = True
            if self._fault:
                worker.kill()
            await asyncio.wait({worker.gone}, timeout=ENDS_WITHIN_S)
            ended = worker.gone.result() if worker.gone.done() else None
            message, hint = self._fault or _death(ended), self._hint
            if ended is not None and ended.lost:
                self.vanished = not self._heard_of
                hint = "run it again: a new one is started"
            ran.error = {"kind": "Killed", "message": message, "hint": hint}
        found = _PLACE.search(worker.trace())
        if ran.error is not None and found and 0 < (line := int(found[1])) <= len(lines):
            ran.error |= {"line": line, "text": lines[line - 1].strip()}

    async def _listen(self) -> None:
        count = 0
        while not self._done:
            try:
                frame = await read_sized_frame(self._worker.reader)
                if frame is None:
                    return
                await self._take(*frame)
            except (ValueError, KeyError, TypeError) as error:
                self._fault = f"the code wrote nonsense to the daemon's line: {error}"
                return
            count += 1
            if count % FRAMES_IN_A_ROW == 0:
                await asyncio.sleep(0)

    async def _measure(self) -> None:
        """Stop code that fills the disk: the kernel limits each file, not all of them."""
        limits, pause = self._limits, MEASURE_EVERY_S
        while True:
            await asyncio.sleep(pause)
            began = self._loop.time()
            over = await asyncio.to_thread(
                scratches.find_quota_excess,
                self._worker.scratch,
                limits.scratch_bytes,
                limits.scratch_files,
            )
            if over:
                self._fault, self._hint = over, _LESS
                self._worker.kill()
                return
            pause = max(MEASURE_EVERY_S, (self._loop.time() - began) / MEASURE_SHARE)

    async def _admit(self, size: int) -> None:
        """Wait until a call of so many bytes has room among those in flight."""
        await self._room.acquire()
        while self._bytes and self._bytes + size > CALL_BYTES_AT_ONCE:
            self._answered.clear()
            await self._answered.wait()
        self._bytes += size

    def _release(self, size: int) -> None:
        self._bytes -= size
        self._room.release()
        self._answered.set()

    async def _take(self, message: dict[str, Any], size: int) -> None:
        """One message of so many bytes. Raises ValueError, KeyError or TypeError for nonsense."""
        ran = self._ran
        self._heard_of |= "began" not in message
        if "call" in message:
            await self._admit(size)
            self._answer(message, size)
        elif "display" in message:
            self._gather()
            ran.output += [self._counted(one) for one in self._items(message["display"])]
        elif "out" in message:
            text = self._counted({"text": str(message["out"])})["text"]
            self._printed.append(text)
            report_progress(text)
        elif "log" in message:
            level = _LEVELS.get(str(message["log"]["level"]), logging.INFO)
            _log.log(level, "console of a run: %s", str(message["log"]["text"]))
        elif "began" in message:
            self.began = True
        elif "done" in message:
            done = message["done"]
            error, state = done.get("error"), done.get("state")
            if error is not None:
                error = {**error, "kind": str(error["kind"]), "message": str(error["message"])}
            ran.value, ran.has_value = done.get("value"), bool(done.get("has_value"))
            ran.error, ran.state = error, state if isinstance(state, dict) else None
            ran.rss_kb = int(done.get("rss_kb", 0))
            self._done = True

    def _gather(self) -> None:
        """Prints come in pieces; they are one text until something else is shown."""
        if self._printed:
            text = "".join(self._printed)
            self._ran.output.append({"type": "text", "text": text, "printed": True})
            self._printed.clear()

    def _items(self, shown: Any) -> list[dict[str, Any]]:
        """What is shown, as items of the result. Raises KeyError for a picture nobody took."""
        if shown["type"] == "image" and "picture" in shown:
            return self._pictures[str(shown["picture"])]
        return [_item(shown)]

    def _counted(self, item: dict[str, Any]) -> dict[str, Any]:
        self._output += 100 + sum(len(str(part)) for part in item.values())
        if self._output > OUTPUT_BYTES:
            raise ValueError("more output than anybody could read")
        return item

    def _answer(self, message: dict[str, Any], size: int) -> None:
        number, method = int(message["call"]), str(message["method"])
        params = message.get("params") or {}
        if not isinstance(params, dict) or number in self._flight:
            raise ValueError("a call that is none")
        task = self._tasks.start(self._reply(number, method, params), f"call {method}")
        self._flight[number] = (method, self._loop.time(), task)
        task.add_done_callback(lambda _: self._release(size))

    async def _reply(self, number: int, method: str, params: dict[str, Any]) -> None:
        answer: dict[str, Any] = {"reply": number}
        try:
            answer["value"] = await self._call(method, params, self._due - self._loop.time())
        except asyncio.CancelledError as error:
            if is_own_cancellation():
                raise  # the run is over, and has answered what was in flight
            answer["error"] = _told(error, method)
        except Exception as error:  # noqa: BLE001
            if not isinstance(error, PilothouseError | TimeoutError):
                # A fault of ours: the code is told, instead of waiting for an answer in vain.
                _log.exception("%s failed in a run", method)
            answer["error"] = _told(error, method)
        self._flight.pop(number, None)
        try:
            write_frame(self._worker.writer, answer)
        except (TypeError, ValueError) as error:
            told = {"kind": "ToolError", "message": f"the answer of {method} cannot go: {error}"}
            write_frame(self._worker.writer, {"reply": number, "error": told})
        with contextlib.suppress(ConnectionError):  # it is gone: whoever listens tells
            await self._worker.writer.drain()


def _told(error: BaseException, method: str) -> dict[str, str]:
    """An error as the code in a worker gets it."""
    told = explain(error, method)
    kind = type(told).__name__
    if isinstance(error, TimeoutError):
        kind = "TimeoutError"
    elif kind == "PilothouseError" and not isinstance(error, PilothouseError):
        kind = "InternalError"
    return {"kind": kind, "message": told.message, "hint": told.hint}


def _item(shown: Any) -> dict[str, Any]:
    """An item of the result, as a worker may show it."""
    if shown["type"] == "image":
        return {
            "type": "image",
            "data": str(shown["data"]),
            "mimeType": str(shown["mimeType"]),
        }
    return {"type": "text", "text": str(shown["text"])}


def _death(ended: ProcessExit | None) -> str:
    """Why a process said nothing at its end."""
    if ended is None:
        return "the code closed its line to the daemon, and was ended"
    if ended.lost:
        return "the process that workers come from died, and this run with it"
    if ended.code >= 0:
        return f"the code ended its own process with exit code {ended.code}"
    if ended.code == -signal.SIGKILL:
        return "the code's process was killed: most likely the machine ran out of memory"
    if ended.code == -signal.SIGXCPU:
        return "the code used up its processor time"
    return f"the code crashed its process ({signal.Signals(-ended.code).name})"
