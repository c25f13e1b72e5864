"""RunDeadline raises RunTimeout once, and never while it is held."""

from __future__ import annotations

import sys
import threading
from collections.abc import Generator

import pytest

from pilothouse.code.sandbox.code_compiler import FILE
from pilothouse.code.sandbox.deadline import RunDeadline, RunTimeout


def test_the_signal_raises_in_the_code_and_only_once() -> None:
    deadline = RunDeadline()
    deadline.message = "the run took longer than 1 s"
    assert not deadline.has_expired
    with pytest.raises(RunTimeout, match="longer than 1 s"):
        deadline.handle_signal(10, None)
    deadline.handle_signal(10, None)
    assert deadline.has_expired


def test_a_hold_defers_the_exception_to_its_end() -> None:
    deadline = RunDeadline()
    said = []

    def hold_twice() -> None:
        with deadline:
            with deadline:
                deadline.handle_signal(10, None)
                said.append("inner")
            said.append("outer")
        said.append("never")

    with pytest.raises(RunTimeout):
        hold_twice()
    assert said == ["inner", "outer"]


def test_a_hold_of_another_thread_defers_nothing() -> None:
    deadline = RunDeadline()
    thread = threading.Thread(target=deadline.__enter__)
    thread.start()
    thread.join()
    with pytest.raises(RunTimeout):
        deadline.handle_signal(10, None)


def test_the_signal_after_a_timeout_from_the_daemon_raises_nothing() -> None:
    deadline = RunDeadline()
    with pytest.raises(RunTimeout), deadline:
        raise deadline.expire_from_daemon()
    deadline.handle_signal(10, None)
    assert deadline.has_expired


def test_code_that_finished_in_time_has_not_expired() -> None:
    deadline = RunDeadline()
    deadline.stop()
    deadline.handle_signal(10, None)
    assert not deadline.has_expired


def test_a_timeout_from_the_daemon_in_another_thread_does_not_disarm() -> None:
    deadline = RunDeadline()
    thread = threading.Thread(target=deadline.expire_from_daemon)
    thread.start()
    thread.join()
    with pytest.raises(RunTimeout):
        deadline.handle_signal(10, None)


def test_it_raises_nothing_once_the_code_finished() -> None:
    deadline = RunDeadline()
    with deadline:
        deadline.handle_signal(10, None)
        deadline.stop()


def test_it_knows_the_line_the_code_was_at() -> None:
    deadline = RunDeadline()
    scope = {"deadline": deadline, "sys": sys}
    code = compile("x = 1\ndeadline.handle_signal(10, sys._getframe())", FILE, "exec")
    with pytest.raises(RunTimeout):
        exec(code, scope)
    assert deadline.line == 2


def test_it_knows_the_line_a_waiting_coroutine_is_at() -> None:
    class Forever:
        def __await__(self) -> Generator[None, None, None]:
            yield

    scope: dict[str, object] = {"Forever": Forever}
    source = "async def inner():\n    await Forever()\nasync def outer():\n    await inner()"
    exec(compile(source, FILE, "exec"), scope)
    outer = scope["outer"]
    assert callable(outer)
    deadline = RunDeadline()
    deadline.coroutine = outer()
    assert deadline.coroutine is not None
    deadline.coroutine.send(None)
    with pytest.raises(RunTimeout):
        deadline.handle_signal(10, None)
    assert deadline.line == 2
    deadline.coroutine.close()
