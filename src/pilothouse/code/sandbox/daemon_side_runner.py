"""Runs agent-written code in a worker process and stops it at its deadline: the daemon's side.

Knows: the three stages of a timeout, and how to report the outcome. Must not know: what calls do;
the caller of `run` answers them. The runner does not trust a worker: it checks, counts and limits
everything that the worker sends.
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

from pilothouse.asyncio_tasks import Tasks, is_own_cancellation
from pilothouse.code.sandbox import scratch as scratches
from pilothouse.code.sandbox.code_compiler import FILE
from pilothouse.code.sandbox.confinement import Limits
from pilothouse.code.sandbox.wire import read_sized_frame, write_frame
from pilothouse.code.sandbox.worker_pool import WorkerPool
from pilothouse.code.sandbox.zygote_and_worker_handles import ProcessExit, Worker, Zygote
from pilothouse.errors import PilothouseError, explain
from pilothouse.tabs.progress import report_progress

__all__ = ["InFlight", "RunOutcome", "Runner", "Zygote"]

_log = logging.getLogger(__name__)

# Time for the code to clean up, between the RunTimeout exception and SIGKILL.
GRACE_S = 0.25
# How long to wait for a worker's exit status once its socket is closed. It comes at once, unless
# the code closed the socket itself.
EXIT_WAIT_S = 0.2
SPARES = 2
# A run is retried in a new worker if its worker is lost before the code did anything.
MAX_ATTEMPTS = 5
# The shortest time between two measurements of the scratch directory.
MEASURE_EVERY_S = 0.25
# Measuring takes at most this share of the time.
MEASURE_TIME_SHARE = 0.1
# A run that takes longer gets a lower scheduling priority than the daemon, browsers and short runs.
LOWER_PRIORITY_AFTER_S = 0.1
# Replacing the worker waits this long, so that forking does not slow down a short run.
FILL_AFTER_S = 0.05
# Workers truncate their output well below this; one that sends this much is malicious.
OUTPUT_BYTES = 40_000_000
# At most this many calls, and bytes of calls, are in flight; the runner reads no more until one
# ends.
CALLS_AT_ONCE = 64
CALL_BYTES_AT_ONCE = 16_000_000
# After so many messages of one worker, the event loop runs other tasks.
MESSAGES_PER_TURN = 64

Call = Callable[[str, dict[str, Any], float], Awaitable[Any]]

_QUOTA_HINT = "write less to the scratch directory, or remove files that you no longer need"
_LOST_MESSAGE = "the worker process died before the code started, in every attempt"
_TRACE_LINE = re.compile(rf'File "{re.escape(FILE)}", line (\d+)')


_LEVELS = {"debug": logging.DEBUG, "warning": logging.WARNING, "error": logging.ERROR}


class InFlight(msgspec.Struct, frozen=True):
    """A call without a reply at the end of the run, and for how long it has waited."""

    method: str
    seconds: float


class RunOutcome(msgspec.Struct):
    """How a run ended. `output` is everything it showed, in order; `error` is None on success."""

    output: list[dict[str, Any]] = msgspec.field(default_factory=list)
    value: Any = None
    has_value: bool = False
    error: dict[str, Any] | None = None
    state: dict[str, Any] | None = None
    timed_out: bool = False
    killed: bool = False
    in_flight: list[InFlight] = msgspec.field(default_factory=list)


class Runner:
    """Runs code, each time in a fresh worker from a pool."""

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
        self._pool = WorkerPool(zygote, scratch, self._limits, spares)

    @property
    def sandbox_layers(self) -> dict[str, list[str]]:
        """Return the active (`stand`) and the unavailable (`missing`) layers of the sandbox."""
        return self._pool.sandbox_layers

    async def start(self, *, after: float = 0.0) -> None:
        """Remove scratch directories of a daemon that died, and fork the first workers: `after` so
        many seconds, or with the first run."""
        await asyncio.to_thread(scratches.sweep, self._scratch)
        asyncio.get_running_loop().call_later(after, self._pool.fill)

    async def close(self) -> None:
        """End the workers and the zygote."""
        await self._pool.close()
        await self._zygote.close()

    async def run(
        self,
        code: str,
        call: Call,
        *,
        seconds: float,
        tab: str = "main",
        state: dict[str, Any] | None = None,
        on_worker: Callable[[Worker], object] = lambda worker: None,
        pictures: Mapping[str, list[dict[str, Any]]] | None = None,
    ) -> RunOutcome:
        """Run code for at most `seconds`, retries included; its process ends at most a quarter of
        a second later. Raises PilothouseError if no worker can be started.

        `on_worker` gets the worker before the code starts. `pictures` are the images that the
        daemon has taken for the run, by id."""
        order = {"code": code, "tab": tab, "state": state or {}, "seconds": seconds}
        loop = asyncio.get_running_loop()
        # The deadline counts from here: starting a worker has a limit of its own, and a cold start
        # should not cost the code any time. Retries share this deadline.
        worker = await self._pool.take()
        taken = {} if pictures is None else pictures
        due = loop.time() + seconds
        for tries_left in reversed(range(MAX_ATTEMPTS)):
            on_worker(worker)
            run = _Run(worker, call, seconds, due, self._limits, taken)
            filling = loop.call_later(FILL_AFTER_S, self._pool.fill)
            try:
                outcome = await run.execute(order)
            finally:
                filling.cancel()
                self._pool.discard(worker)
                self._pool.fill()
            # Retry only if the worker died before it got the code, or together with the zygote
            # before the code made a call or showed anything: then nothing can happen twice.
            lost = not run.began or run.lost_before_acting
            if outcome.timed_out or not lost or not tries_left:
                break
            try:
                async with asyncio.timeout_at(due):
                    worker = await self._pool.take()
            except TimeoutError:
                break
        if outcome.error is None and not run.began:
            outcome.error = {"kind": "Killed", "message": _LOST_MESSAGE, "hint": "run it again"}
        return outcome


class _Run:
    """One run in one worker."""

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
        self._call_slots = asyncio.Semaphore(CALLS_AT_ONCE)
        self._call_bytes = 0
        self._call_finished = asyncio.Event()
        self._in_flight: dict[int, tuple[str, float, asyncio.Task[None]]] = {}
        self._outcome = RunOutcome()
        self._output_chars = 0
        self._printed: list[str] = []
        self._done = False
        self._failure = self._hint = ""
        self.began = False
        # The worker died with its zygote before the code made a call or showed anything.
        self.lost_before_acting = False
        self._has_acted = False

    async def execute(self, order: dict[str, Any]) -> RunOutcome:
        write_frame(self._worker.writer, {"run": order})
        lower_priority = self._loop.call_later(LOWER_PRIORITY_AFTER_S, self._worker.lower_priority)
        try:
            listening = self._tasks.start(self._listen(), "read a worker's messages")
            if self._worker.folder is None:  # else the kernel counts
                self._tasks.start(self._measure(), "measure the files of a run")
            await self._wait_for_end(listening)
        finally:
            lower_priority.cancel()
            await self._tasks.close()
        self._flush_printed()
        if not self._done and self.began:
            await self._explain(order["code"].splitlines())
        return self._outcome

    async def _wait_for_end(self, listening: asyncio.Task[None]) -> None:
        """Wait for the result, or time out in three stages: fail the calls in flight, raise
        RunTimeout in the code, then kill the process."""
        await asyncio.wait({listening}, timeout=self._due - self._loop.time())
        if listening.done():
            return
        outcome = self._outcome
        outcome.timed_out = True
        now = self._loop.time()
        outcome.in_flight = [
            InFlight(method, now - began) for method, began, _ in self._in_flight.values()
        ]
        message = f"the run took longer than {self._seconds:g} s"
        for number, (_, _, task) in list(self._in_flight.items()):
            task.cancel()
            fields = {"kind": "RunTimeout", "message": message}
            write_frame(self._worker.writer, {"reply": number, "error": fields})
        self._worker.signal_timeout()
        await asyncio.wait({listening}, timeout=GRACE_S)
        self._worker.kill()
        error = outcome.error
        if not self._done:
            outcome.killed = True
            outcome.error = {"kind": "RunTimeout", "message": f"{message} and had to be killed"}
        elif error is None:
            outcome.error = {"kind": "RunTimeout", "message": message}
        elif error["kind"] != "RunTimeout":
            then = f"{message}; then the code raised {error['kind']}: {error['message']}"
            outcome.error = {**error, "kind": "RunTimeout", "message": then}

    async def _explain(self, lines: list[str]) -> None:
        """Report why a worker ended without a result, and the line where the code was."""
        outcome, worker = self._outcome, self._worker
        if not outcome.killed:
            outcome.killed = True
            if self._failure:
                worker.kill()
            await asyncio.wait({worker.gone}, timeout=EXIT_WAIT_S)
            ended = worker.gone.result() if worker.gone.done() else None
            message, hint = self._failure or _exit_message(ended), self._hint
            if ended is not None and ended.lost:
                self.lost_before_acting = not self._has_acted
                hint = "run it again: a new one is started"
            outcome.error = {"kind": "Killed", "message": message, "hint": hint}
        found = _TRACE_LINE.search(worker.trace())
        if outcome.error is not None and found and 0 < (line := int(found[1])) <= len(lines):
            outcome.error |= {"line": line, "text": lines[line - 1].strip()}

    async def _listen(self) -> None:
        count = 0
        while not self._done:
            try:
                frame = await read_sized_frame(self._worker.reader)
                if frame is None:
                    return
                await self._handle_message(*frame)
            except (ValueError, KeyError, TypeError) as error:
                self._failure = f"the code wrote nonsense to the daemon's line: {error}"
                return
            count += 1
            if count % MESSAGES_PER_TURN == 0:
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
                self._failure, self._hint = over, _QUOTA_HINT
                self._worker.kill()
                return
            pause = max(MEASURE_EVERY_S, (self._loop.time() - began) / MEASURE_TIME_SHARE)

    async def _admit(self, size: int) -> None:
        """Wait until one more call of `size` bytes may be in flight."""
        await self._call_slots.acquire()
        while self._call_bytes and self._call_bytes + size > CALL_BYTES_AT_ONCE:
            self._call_finished.clear()
            await self._call_finished.wait()
        self._call_bytes += size

    def _release(self, size: int) -> None:
        self._call_bytes -= size
        self._call_slots.release()
        self._call_finished.set()

    async def _handle_message(self, message: dict[str, Any], size: int) -> None:
        """Handle one message of `size` bytes. Raises ValueError, KeyError or TypeError if it is
        malformed."""
        outcome = self._outcome
        self._has_acted |= "began" not in message
        if "call" in message:
            await self._admit(size)
            self._start_call(message, size)
        elif "display" in message:
            self._flush_printed()
            outcome.output += [
                self._count_output(one) for one in self._display_items(message["display"])
            ]
        elif "out" in message:
            text = self._count_output({"text": str(message["out"])})["text"]
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
            outcome.value, outcome.has_value = done.get("value"), bool(done.get("has_value"))
            outcome.error, outcome.state = error, state if isinstance(state, dict) else None
            self._done = True

    def _flush_printed(self) -> None:
        """Join printed pieces into one output item: print sends each argument separately."""
        if self._printed:
            text = "".join(self._printed)
            self._outcome.output.append({"type": "text", "text": text, "printed": True})
            self._printed.clear()

    def _display_items(self, shown: Any) -> list[dict[str, Any]]:
        """Return a display message as output items. Raises KeyError for an unknown picture id."""
        if shown["type"] == "image" and "picture" in shown:
            return self._pictures[str(shown["picture"])]
        return [_display_item(shown)]

    def _count_output(self, item: dict[str, Any]) -> dict[str, Any]:
        self._output_chars += 100 + sum(len(str(part)) for part in item.values())
        if self._output_chars > OUTPUT_BYTES:
            raise ValueError(f"more output than {OUTPUT_BYTES // 1_000_000} MB")
        return item

    def _start_call(self, message: dict[str, Any], size: int) -> None:
        number, method = int(message["call"]), str(message["method"])
        params = message.get("params") or {}
        if not isinstance(params, dict) or number in self._in_flight:
            raise ValueError("call: params must be a mapping, and the number unused")
        task = self._tasks.start(self._answer_call(number, method, params), f"call {method}")
        self._in_flight[number] = (method, self._loop.time(), task)
        task.add_done_callback(lambda _: self._release(size))

    async def _answer_call(self, number: int, method: str, params: dict[str, Any]) -> None:
        answer: dict[str, Any] = {"reply": number}
        try:
            answer["value"] = await self._call(method, params, self._due - self._loop.time())
        except asyncio.CancelledError as error:
            if is_own_cancellation():
                raise  # the run is over, and has answered what was in flight
            answer["error"] = _error_fields(error, method)
        except Exception as error:  # noqa: BLE001
            if not isinstance(error, PilothouseError | TimeoutError):
                # A bug of ours. The code still gets an error, or it would wait for its reply.
                _log.exception("%s failed in a run", method)
            answer["error"] = _error_fields(error, method)
        self._in_flight.pop(number, None)
        try:
            write_frame(self._worker.writer, answer)
        except (TypeError, ValueError) as error:
            fields = {
                "kind": "ToolError",
                "message": f"the answer of {method} cannot go: {error}",
            }
            write_frame(self._worker.writer, {"reply": number, "error": fields})
        with contextlib.suppress(ConnectionError):  # the worker died: `_listen` reports it
            await self._worker.writer.drain()


def _error_fields(error: BaseException, method: str) -> dict[str, str]:
    """Return an error in the form that a worker gets."""
    explained = explain(error, method)
    kind = type(explained).__name__
    if isinstance(error, TimeoutError):
        kind = "TimeoutError"
    elif kind == "PilothouseError" and not isinstance(error, PilothouseError):
        kind = "InternalError"
    return {"kind": kind, "message": explained.message, "hint": explained.hint}


def _display_item(shown: Any) -> dict[str, Any]:
    """Copy the known fields of an item that a worker shows. Raises KeyError if one is missing."""
    if shown["type"] == "image":
        return {
            "type": "image",
            "data": str(shown["data"]),
            "mimeType": str(shown["mimeType"]),
        }
    return {"type": "text", "text": str(shown["text"])}


def _exit_message(ended: ProcessExit | None) -> str:
    """Say why a worker ended without a result."""
    if ended is None:
        return "the code closed its line to the daemon and was killed"
    if ended.lost:
        return "the process that workers come from died, and this run with it"
    if ended.code >= 0:
        return f"the code ended its own process with exit code {ended.code}"
    if ended.code == -signal.SIGKILL:
        return "the code's process was killed: most likely the machine ran out of memory"
    if ended.code == -signal.SIGXCPU:
        return "the code used up its processor time"
    return f"the code crashed its process ({signal.Signals(-ended.code).name})"
