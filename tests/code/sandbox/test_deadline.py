"""The end of a run's time, as an exception that comes once and never at a bad moment."""

from __future__ import annotations

import sys
import threading
from collections.abc import Generator

import pytest

from pilothouse.code.sandbox.deadline import RunDeadline, RunTimeout
from pilothouse.code.sandbox.program import FILE


def test_it_rings_in_the_code_and_only_once() -> None:
    clock = RunDeadline()
    clock.message = "the run took longer than 1 s"
    assert not clock.rang
    with pytest.raises(RunTimeout, match="longer than 1 s"):
        clock.ring(10, None)
    clock.ring(10, None)
    assert clock.rang


def test_a_shield_puts_it_off_to_its_end() -> None:
    clock = RunDeadline()
    said = []

    def shielded() -> None:
        with clock:
            with clock:
                clock.ring(10, None)
                said.append("inner")
            said.append("outer")
        said.append("never")

    with pytest.raises(RunTimeout):
        shielded()
    assert said == ["inner", "outer"]


def test_the_shield_of_another_thread_is_none_of_its_business() -> None:
    clock = RunDeadline()
    thread = threading.Thread(target=clock.__enter__)
    thread.start()
    thread.join()
    with pytest.raises(RunTimeout):
        clock.ring(10, None)


def test_what_the_daemon_said_first_is_not_said_again() -> None:
    clock = RunDeadline()
    with pytest.raises(RunTimeout), clock:
        raise clock.heard()
    clock.ring(10, None)
    assert clock.rang


def test_code_that_is_through_in_time_was_not_stopped() -> None:
    clock = RunDeadline()
    clock.stop()
    clock.ring(10, None)
    assert not clock.rang


def test_what_another_thread_was_told_does_not_silence_it() -> None:
    clock = RunDeadline()
    thread = threading.Thread(target=clock.heard)
    thread.start()
    thread.join()
    with pytest.raises(RunTimeout):
        clock.ring(10, None)


def test_it_is_silent_once_the_code_is_through() -> None:
    clock = RunDeadline()
    with clock:
        clock.ring(10, None)
        clock.stop()


def test_it_knows_the_line_the_code_was_at() -> None:
    clock = RunDeadline()
    scope = {"clock": clock, "sys": sys}
    code = compile("x = 1\nclock.ring(10, sys._getframe())", FILE, "exec")
    with pytest.raises(RunTimeout):
        exec(code, scope)
    assert clock.line == 2


def test_it_knows_the_line_a_waiting_coroutine_is_at() -> None:
    class Forever:
        def __await__(self) -> Generator[None, None, None]:
            yield

    scope: dict[str, object] = {"Forever": Forever}
    source = "async def inner():\n    await Forever()\nasync def outer():\n    await inner()"
    exec(compile(source, FILE, "exec"), scope)
    outer = scope["outer"]
    assert callable(outer)
    clock = RunDeadline()
    clock.coroutine = outer()
    assert clock.coroutine is not None
    clock.coroutine.send(None)
    with pytest.raises(RunTimeout):
        clock.ring(10, None)
    assert clock.line == 2
    clock.coroutine.close()
