"""The runner stops endless code in time and reports it, and the next run works."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from pilothouse.code.sandbox.confinement import Limits
from pilothouse.code.sandbox.daemon_side_runner import Runner, RunOutcome, Zygote
from tests.code.worker_runs import PATIENCE_S, Bench, children, gone, left_in

pytestmark = pytest.mark.asyncio(loop_scope="module")

LIMIT_S = 1.0
# Deadline, time to clean up, kill. The time to clean up is short, so tests that rely on it are
# `figures` too.
STOPPED_WITHIN_S = LIMIT_S + 0.5

WHO = "import os\nprint(os.getpid(), flush=True)\n"

ENDLESS = {
    "a loop": "while True: pass",
    "one step that takes hours": "sum(range(10**11))",
    "a loop that swallows everything": (
        "import time\nwhile True:\n    try:\n        while True: time.sleep(1)\n"
        "    except BaseException: pass"
    ),
    "calls that swallow everything": (
        "while True:\n    try:\n        tab.title()\n    except BaseException: pass"
    ),
    "forks that are refused": (
        "while True:\n    try:\n        os.fork()\n    except OSError: pass"
    ),
    "a masked signal": (
        "import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())\n"
        "while True: pass"
    ),
    "handlers of its own": (
        "import signal\nfor n in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGTERM):\n"
        "    signal.signal(n, signal.SIG_IGN)\nwhile True: pass"
    ),
    "printing": "while True: print('x' * 100)",
    "printing nothing": "while True: print()",
    "a frame that never ends": "os.write(3, b'\\0\\0\\xff\\xff')\nwhile True: pass",
    "a thread behind a lock": (
        "import threading\nthreading.Lock().acquire()\nt = threading.Thread(target=lambda: 1)\n"
        "lock = threading.Lock()\nlock.acquire()\nlock.acquire()"
    ),
    "an asynchronous wait": "import asyncio\nawait asyncio.sleep(600)",
    "a catastrophic pattern": "re.match('(a+)+$', 'a' * 60 + 'b')",
    "all the memory, over and over": (
        "while True:\n    try:\n        x = []\n        while True: x.append(bytearray(10**8))\n"
        "    except MemoryError: x = None"
    ),
}


# Code that refuses signals cannot be asked where it is.
DEAF = ("a masked signal", "handlers of its own")


@pytest.mark.figures
@pytest.mark.parametrize("what", ENDLESS)
async def test_endless_code_is_stopped_and_reported(bench: Bench, what: str) -> None:
    await bench.value("1")
    began = time.monotonic()
    ran = await bench.run(WHO + ENDLESS[what], seconds=LIMIT_S)
    took = time.monotonic() - began
    assert took < STOPPED_WITHIN_S
    assert ran.timed_out
    assert ran.error is not None
    assert ran.error["kind"] == "RunTimeout"
    assert "longer than 1 s" in ran.error["message"]
    if what not in DEAF:
        assert ran.error["line"] > 2, ran.error
        assert ran.error["text"]
    await gone(int(ran.output[0]["text"].split()[0]))
    assert await bench.value("'next'") == "next"


ENDING = {
    "os._exit": ("os._exit(7)", "exit code 7"),
    "a crash": ("import ctypes\nctypes.string_at(0)", "SIGSEGV"),
    "a closed line": ("os.close(3)\nwhile True: pass", "closed its line"),
    "all lines closed": ("os.closerange(0, 64)\nwhile True: pass", "closed its line"),
    "a closed line at the end": ("os.close(3)", "exit code 0"),
    "garbage": ("os.write(3, b'garbage, a lot of it')\nwhile True: pass", "nonsense"),
    "a frame of garbage": ("os.write(3, b'\\0\\0\\0\\5hello')\nwhile True: pass", "nonsense"),
    "a call that is none": (
        'body = b\'{"call": [], "method": 1}\'\n'
        "os.write(3, len(body).to_bytes(4, 'big') + body)\nwhile True: pass",
        "nonsense",
    ),
    "a display that is none": (
        "body = b'{\"display\": 5}'\n"
        "os.write(3, len(body).to_bytes(4, 'big') + body)\nwhile True: pass",
        "nonsense",
    ),
    "output past its own cut": (
        "body = b'{\"out\": \"' + b'x' * 1_000_000 + b'\"}'\n"
        "frame = len(body).to_bytes(4, 'big') + body\n"
        "while True: os.write(3, frame)",
        "more output",
    ),
}


@pytest.mark.parametrize("what", ENDING)
async def test_code_that_ends_its_process_is_reported(bench: Bench, what: str) -> None:
    code, words = ENDING[what]
    ran = await bench.run(WHO + code, seconds=20)
    assert ran.error is not None
    assert ran.killed
    assert not ran.timed_out
    assert ran.error["kind"] == "Killed"
    assert words in ran.error["message"]
    await gone(int(ran.output[0]["text"].split()[0]))
    assert await bench.value("'next'") == "next"


async def test_a_crash_names_its_line(bench: Bench) -> None:
    error = await bench.error("import ctypes\nx = 1\nctypes.string_at(0)")
    assert (error["line"], error["text"]) == (3, "ctypes.string_at(0)")


async def test_code_that_deletes_its_own_directory_ends_like_any_other(bench: Bench) -> None:
    code = "import os, shutil\nshutil.rmtree('.', ignore_errors=True)\nopen('f', 'w').close()\n'ok'"
    assert await bench.value(code) == "ok"
    assert await bench.value("'next'") == "next"


async def test_a_lot_of_memory_at_once_is_refused(bench: Bench) -> None:
    error = await bench.error("x = 1\ny = bytearray(4 << 30)")
    assert (error["kind"], error["line"]) == ("MemoryError", 2)


async def _forever() -> None:
    await asyncio.sleep(600)


@pytest.mark.figures
async def test_what_was_in_flight_is_reported_and_finally_runs(bench: Bench) -> None:
    code = """
print("before")
display("shown")
try:
    tab.click("#slow")
finally:
    print("cleaned up")
"""
    ran = await bench.run(code, {"tab.click": _forever}, seconds=LIMIT_S)
    assert ran.timed_out
    assert not ran.killed
    assert [call.method for call in ran.in_flight] == ["tab.click"]
    assert LIMIT_S / 2 < ran.in_flight[0].seconds < LIMIT_S + 0.5
    assert ran.error is not None
    assert (ran.error["kind"], ran.error["line"]) == ("RunTimeout", 5)
    assert [item["text"] for item in ran.output] == ["before\n", "shown", "cleaned up\n"]


@pytest.mark.figures
async def test_a_call_in_the_cleaning_up_is_still_answered(bench: Bench) -> None:
    code = "try:\n    tab.click('#slow')\nfinally:\n    print(tab.title())"
    ran = await bench.run(code, {"tab.click": _forever, "tab.title": "Home"}, seconds=LIMIT_S)
    assert ran.timed_out
    assert [item["text"] for item in ran.output] == ["Home\n"]


@pytest.mark.figures
async def test_state_survives_a_timeout(bench: Bench) -> None:
    ran = await bench.run("state['n'] = 2\ntab.click('#a')", {"tab.click": _forever}, seconds=1)
    assert ran.timed_out
    assert ran.state == {"n": 2}


@pytest.mark.figures
async def test_code_that_catches_its_timeout_and_ends_is_still_late(bench: Bench) -> None:
    code = "try:\n    while True: pass\nexcept BaseException:\n    pass\n'value'"
    ran = await bench.run(code, seconds=LIMIT_S)
    assert ran.timed_out
    assert not ran.killed
    assert ran.error is not None
    assert ran.error["kind"] == "RunTimeout"
    code = "try:\n    time.sleep(60)\nfinally:\n    raise KeyError('mine')"
    ran = await bench.run(code, seconds=LIMIT_S)
    assert ran.error is not None
    assert ran.error["kind"] == "RunTimeout"
    assert "KeyError" in ran.error["message"]


@pytest.mark.figures
async def test_calls_in_parallel_threads_are_all_reported(bench: Bench) -> None:
    code = "parallel(*[lambda: tab.click('#a')] * 3)"
    ran = await bench.run(code, {"tab.click": _forever}, seconds=LIMIT_S)
    assert len(ran.in_flight) == 3
    assert ran.error is not None
    assert (ran.error["kind"], ran.error["line"]) == ("RunTimeout", 1)


@pytest.mark.figures
async def test_time_that_is_up_while_an_error_is_told_is_told_where_the_error_came_from(
    bench: Bench,
) -> None:
    code = """
import functools
class Slow(Exception):
    __str__ = functools.partial(time.sleep, 60)
raise Slow
"""
    ran = await bench.run(code, seconds=LIMIT_S)
    assert ran.error is not None
    assert (ran.error["kind"], ran.error["line"]) == ("RunTimeout", 5)
    assert ran.error["text"] == "raise Slow"


async def test_a_cancelled_run_leaves_no_process(bench: Bench) -> None:
    started = asyncio.get_running_loop().create_future()

    async def called(method: str, params: dict[str, Any], left: float) -> None:
        if not started.done():
            started.set_result(params["target"])

    code = "import os\ntab.click(str(os.getpid()))\nwhile True: pass"
    async with asyncio.timeout(PATIENCE_S):
        running = asyncio.ensure_future(bench.runner.run(code, called, seconds=60))
        pid = int(await started)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
    await gone(pid)
    assert await bench.value("'next'") == "next"


async def test_more_calls_than_may_be_in_flight_wait_their_turn(bench: Bench) -> None:
    body = 'b\'{"call": %d, "method": "tab.title", "params": {}}\' % n'
    code = (
        f"import os\nfor n in range(1000, 1500):\n    body = {body}\n"
        "    os.write(3, len(body).to_bytes(4, 'big') + body)\n"
    )
    flying = most = 0

    async def counted() -> str:
        nonlocal flying, most
        flying += 1
        most = max(most, flying)
        await asyncio.sleep(0.001)
        flying -= 1
        return "x"

    ran = await bench.run(code, {"tab.title": counted})
    assert ran.error is None
    assert 1 < most <= 64


@pytest.mark.figures
@pytest.mark.alone
async def test_twenty_endless_runs_hold_up_nobody_for_long(bench: Bench) -> None:
    await bench.value("1")
    codes = list(ENDLESS.values())
    hostile = [
        asyncio.ensure_future(bench.run("import os\n" + codes[n % len(codes)], seconds=3))
        for n in range(20)
    ]
    async with asyncio.timeout(PATIENCE_S):
        times = []
        while not any(run.done() for run in hostile):
            began = time.monotonic()
            assert await bench.value("1 + 1") == 2
            times.append(time.monotonic() - began)
        ended = await asyncio.gather(*hostile)
    assert all(run.error and run.error["kind"] == "RunTimeout" for run in ended)
    # Twenty processes share the machine with this one: its turn comes all the same.
    assert sorted(times)[len(times) // 2] < 1.0


async def test_a_zygote_killed_in_the_middle_is_told_and_replaced(tmp_path: Path) -> None:
    zygote = Zygote()
    runner = Runner(zygote, tmp_path)
    bench = Bench(runner, zygote, tmp_path)
    await runner.start()
    started = asyncio.get_running_loop().create_future()

    async def begin() -> None:
        if not started.done():
            started.set_result(None)

    code = WHO + "tab.click('#a')\nwhile True: pass"
    async with asyncio.timeout(PATIENCE_S):
        running = asyncio.ensure_future(bench.run(code, {"tab.click": begin}, seconds=60))
        await started
        first = zygote.pid
        assert first is not None
        os.kill(first, signal.SIGKILL)
        ran = await running
    assert ran.error is not None
    assert ran.killed
    assert "the process that workers come from died" in ran.error["message"]
    assert "run it again" in ran.error["hint"]
    await gone(int(ran.output[0]["text"]), first)
    assert await bench.value("'next'") == "next"
    assert zygote.pid not in (None, first)
    await runner.close()
    assert left_in(tmp_path) == []


async def test_code_that_asked_for_nothing_yet_outlives_its_zygote(tmp_path: Path) -> None:
    zygote = Zygote()
    runner = Runner(zygote, tmp_path)
    bench = Bench(runner, zygote, tmp_path)
    for round_ in range(5):
        await bench.value("1")
        running = asyncio.ensure_future(bench.value("sum(range(10 ** 6))"))
        for _ in range(round_ * 20):
            await asyncio.sleep(0)
        assert zygote.pid is not None
        os.kill(zygote.pid, signal.SIGKILL)
        async with asyncio.timeout(PATIENCE_S):
            assert await running == 499_999_500_000
    await runner.close()
    assert left_in(tmp_path) == []


def _used_s(pid: int) -> float:
    """The CPU time of a process; none if it has ended since it was listed."""
    try:
        return float(psutil.Process(pid).cpu_times().user)
    except psutil.NoSuchProcess:
        return 0.0


async def test_code_whose_zygote_dies_every_time_is_given_up_within_its_deadline(
    tmp_path: Path,
) -> None:
    zygote = Zygote()
    runner = Runner(zygote, tmp_path)
    bench = Bench(runner, zygote, tmp_path)
    await bench.value("1")
    running = asyncio.ensure_future(bench.run("while True: pass", seconds=5.0))
    began = time.monotonic()
    killed: set[int] = set()
    while not running.done() and time.monotonic() - began < PATIENCE_S / 2:
        # Only one whose worker has begun.
        if zygote.pid and any(_used_s(pid) > 0.1 for pid in children(zygote.pid)):
            killed.add(zygote.pid)
            os.kill(zygote.pid, signal.SIGKILL)
            await gone(zygote.pid)
        await asyncio.sleep(0.01)
    assert running.done(), f"begun again {len(killed)} times"
    # The report of the last try, or that there was no process to be had for another.
    (ran,) = await asyncio.gather(running, return_exceptions=True)
    message = ran.error["message"] if isinstance(ran, RunOutcome) and ran.error else str(ran)
    assert "died" in message or "lost" in message or "took longer" in message
    assert await bench.value("'next'") == "next"
    await runner.close()
    assert left_in(tmp_path) == []


@pytest.mark.figures
async def test_tries_share_one_deadline(tmp_path: Path) -> None:
    zygote = Zygote()
    runner = Runner(zygote, tmp_path)
    bench = Bench(runner, zygote, tmp_path)
    await bench.value("1")
    running = asyncio.ensure_future(bench.run("while True: pass", seconds=4.0))
    began = time.monotonic()
    await asyncio.wait({running}, timeout=2.0)
    assert zygote.pid is not None
    os.kill(zygote.pid, signal.SIGKILL)
    ran = await running
    # Stopped, or no process came within what was left.
    assert ran.error is not None
    assert ran.error["kind"] in ("RunTimeout", "Killed")
    # A second four seconds from the second start would end after six.
    assert time.monotonic() - began < 5.5
    await runner.close()


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("for n in range(100): open(f'f{n}', 'wb').write(b'x' * (16 << 20))", "more than 128 MB"),
        ("for n in range(10 ** 6): open(f'f{n}', 'w').close()", "more than 2,000 files"),
    ],
)
async def test_code_that_fills_the_disk_is_stopped(tmp_path: Path, code: str, said: str) -> None:
    """Without a tmpfs mount, the runner measures the scratch directory."""
    limits = Limits(scratch_in_memory=False, scratch_bytes=128 << 20, scratch_files=2000)
    zygote = Zygote()
    runner = Runner(zygote, tmp_path, limits=limits)
    bench = Bench(runner, zygote, tmp_path)
    error = await bench.error(f"{code}\nwhile True: pass")
    assert said in error["message"]
    assert "scratch directory" in error["hint"]
    assert await bench.value("'next'") == "next"
    await runner.close()
    assert left_in(tmp_path) == []


async def test_calls_that_are_large_wait_for_each_other(bench: Bench) -> None:
    """Four calls of 5 MB exceed the bytes that may be in flight."""
    now = most = 0
    too_many = asyncio.Event()

    async def slow() -> None:
        nonlocal now, most
        now += 1
        most = max(most, now)
        if now == 4:
            too_many.set()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(too_many.wait(), 2.0)
        now -= 1

    code = """
text = "x" * 5_000_000
parallel(*[lambda: tab.type("e1", text)] * 4)
"done"
"""
    assert await bench.value(code, {"tab.type": slow}) == "done"
    assert 1 <= most <= 3


async def test_a_zygote_killed_between_runs_is_not_even_noticed(tmp_path: Path) -> None:
    zygote = Zygote()
    runner = Runner(zygote, tmp_path)
    bench = Bench(runner, zygote, tmp_path)
    for _ in range(5):
        assert await bench.value("1 + 1") == 2
        assert zygote.pid is not None
        os.kill(zygote.pid, signal.SIGKILL)
        await gone(zygote.pid or 0)
    await runner.close()
    assert left_in(tmp_path) == []


async def test_what_a_dead_daemon_left_is_swept_away(tmp_path: Path) -> None:
    (tmp_path / "run-old" / "deep").mkdir(parents=True)
    runner = Runner(Zygote(), tmp_path, spares=0)
    await runner.start()
    assert left_in(tmp_path) == []
    await runner.close()


async def test_limits_can_be_set(tmp_path: Path) -> None:
    zygote = Zygote()
    runner = Runner(zygote, tmp_path, limits=Limits(memory_bytes=256 << 20))
    bench = Bench(runner, zygote, tmp_path)
    assert (await bench.error("x = bytearray(300 << 20)"))["kind"] == "MemoryError"
    assert await bench.value("len(bytearray(50 << 20))") == 50 << 20
    await runner.close()
