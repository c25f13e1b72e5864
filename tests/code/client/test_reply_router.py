"""Threads that share one connection each get their own reply."""

from __future__ import annotations

import queue
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from pilothouse.code.client.reply_router import ReplyRouter

WITHIN_S = 30


class Talk:
    """A line on which messages come when the test says so."""

    def __init__(self) -> None:
        self.coming: queue.Queue[dict[str, Any] | BaseException] = queue.Queue()
        self.replies = ReplyRouter(self._read, self._take)
        self.nested: list[dict[str, Any]] = []

    def _read(self) -> dict[str, Any]:
        message = self.coming.get(timeout=WITHIN_S)
        if isinstance(message, BaseException):
            raise message
        return message

    def _take(self, message: dict[str, Any]) -> None:
        if "ask" in message:
            self.nested.append(self.replies.wait(message["ask"]))
        else:
            self.replies.put(message["id"], message)


def test_answers_in_any_order_reach_those_who_asked() -> None:
    talk = Talk()
    numbers = list(range(50))
    with ThreadPoolExecutor(len(numbers)) as threads:
        waiting = {n: threads.submit(talk.replies.wait, n) for n in numbers}
        for n in reversed(numbers):
            talk.coming.put({"id": n, "value": n * n})
        assert [waiting[n].result(WITHIN_S)["value"] for n in numbers] == [n * n for n in numbers]


def test_a_failed_read_reaches_one_and_the_next_one_reads_on() -> None:
    talk = Talk()
    with ThreadPoolExecutor(2) as threads:
        waiting = {threads.submit(talk.replies.wait, n) for n in (1, 2)}
        talk.coming.put(EOFError("gone"))
        talk.coming.put(EOFError("gone"))
        for one in waiting:
            with pytest.raises(EOFError, match="gone"):
                one.result(WITHIN_S)


def test_whoever_takes_a_message_may_ask_for_more() -> None:
    talk = Talk()
    talk.coming.put({"ask": 7})
    talk.coming.put({"id": 7})
    talk.coming.put({"id": 1})
    done = threading.Thread(target=talk.replies.wait, args=(1,), daemon=True)
    done.start()
    done.join(WITHIN_S)
    assert not done.is_alive()
    assert talk.nested == [{"id": 7}]
