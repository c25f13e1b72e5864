"""The names agent-written code finds: `tab`, `page`, `browser`, `display`, `wait`, `parallel`,
`state`.

Knows: how each becomes calls. Must not know: the socket; `call` is all it has.
"""

from __future__ import annotations

import asyncio
import base64
import builtins
import datetime
import inspect
import json
import math
import re
import threading
import time
import urllib.parse
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from pilothouse.code.tab import Tab
from pilothouse.code.told import CallFailed, image_of

__all__ = ["Browser", "Caller", "RawPage", "make_scope", "parallel", "shown", "wait"]

LONGEST_WAIT_S = 300.0
SHORTEST_STEP_S = 0.01


class Caller(Protocol):
    """Whoever carries out calls."""

    def call(self, method: str, /, **params: Any) -> Any:
        """Carry out one call and return its value."""

    def say(self, message: dict[str, Any]) -> None:
        """Show something."""


def make_scope(house: Caller, name: str, state: dict[str, Any]) -> dict[str, Any]:
    """The globals of one run on the tab of that name."""
    tab = Tab(house.call, name)

    def display(value: Any) -> None:
        """Show a value in the result: text, images, anything JSON has."""
        house.say({"display": shown(value)})

    return {
        "__builtins__": builtins,
        "tab": tab,
        "page": RawPage(house, tab.name),
        "browser": Browser(house),
        "playwright_page": _NoPlaywright(),
        "display": display,
        "wait": wait,
        "parallel": parallel,
        "state": state,
        "json": json,
        "re": re,
        "math": math,
        "datetime": datetime,
        "urllib": urllib,
        "URL": urllib.parse.urlsplit,
        "urljoin": urllib.parse.urljoin,
        "quote": urllib.parse.quote,
        "time": time,
        "Path": Path,
    }


def shown(value: Any) -> dict[str, Any]:
    """A value as an item of the result."""
    if (image := image_of(value)) is not None:
        return image
    if isinstance(data := getattr(value, "data", None), bytes) and hasattr(value, "mime"):
        return {"type": "image", "data": base64.b64encode(data).decode(), "mimeType": value.mime}
    if isinstance(value, str):
        return {"type": "text", "text": str(value)}
    try:
        return {"type": "text", "text": json.dumps(value, indent=2, ensure_ascii=False)}
    except (TypeError, ValueError, RecursionError):
        return {"type": "text", "text": str(value)}


def wait(what: float | Callable[[], Any], timeout: float = 30.0, interval: float = 0.1) -> Any:
    """Wait so many seconds, or until a function gives something true."""
    if not callable(what):
        time.sleep(max(min(float(what), LONGEST_WAIT_S), 0.0))
        return None
    give_up = time.monotonic() + min(timeout, LONGEST_WAIT_S)
    while True:
        value = _settled(what())
        if value:
            return value
        if time.monotonic() >= give_up:
            raise TimeoutError(f"waited {timeout:g} s; the last value was {value!r}")
        time.sleep(max(interval, SHORTEST_STEP_S))


def parallel(*functions: Callable[[], Any]) -> list[Any]:
    """Call functions at the same time; their values in order. The first error is raised when all
    are done."""
    for function in functions:
        if not callable(function):
            raise TypeError("parallel wants functions: parallel(lambda: tab.click(…), …)")
    results: list[Any] = [None] * len(functions)
    errors: list[BaseException] = []

    def one(index: int, function: Callable[[], Any]) -> None:
        try:
            results[index] = _settled(function())
        except BaseException as error:  # noqa: BLE001 - raised below, in the code's own thread
            errors.append(error)

    threads = [
        threading.Thread(target=one, args=(index, function), daemon=True)
        for index, function in enumerate(functions)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return results


def _settled(value: Any) -> Any:
    """What an `async def` gives in the end."""
    if not inspect.iscoroutine(value):
        return value
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(value)
    # The thread is busy with the loop that called us; another one is not.
    return parallel(lambda: value)[0]


class RawPage:
    """CDP itself, for what `tab` does not offer."""

    def __init__(self, house: Caller, tab: str) -> None:
        self._house = house
        self._tab = tab

    def cdp(self, method: str, params: dict[str, Any] | None = None, /, **more: Any) -> Any:
        """Send a CDP command on the tab's session: `page.cdp("Page.reload")`."""
        frame_id = more.pop("frame_id", "")
        sent = {**(params or {}), **more}
        return self._house.call(
            "page.cdp", tab=self._tab, command=method, params=sent, frame_id=frame_id
        )

    def expect(self, event: str, timeout: float = 30.0) -> Callable[[], Any]:
        """Arm a wait for an event now; call what is returned to get its parameters."""
        key = self._house.call("page.expect", tab=self._tab, event=event, timeout=timeout)
        return lambda: self._house.call("page.expected", tab=self._tab, key=key)


class Browser:
    """The browser behind the tab."""

    def __init__(self, house: Caller) -> None:
        self._house = house

    def tabs(self) -> list[dict[str, Any]]:
        """Your tabs: name, id, address, title."""
        found: list[dict[str, Any]] = self._house.call("tabs")
        return found

    def open(self, name: str, url: str = "", **options: Any) -> Tab:
        """Open or reuse a tab and return it."""
        self._house.call("open", name=name, url=url, **options)
        return Tab(self._house.call, name)

    def close(self, name: str) -> Any:
        """Close one of your tabs."""
        return self._house.call("close", name=name)

    def tab(self, name: str) -> Tab:
        """Another tab of yours."""
        return Tab(self._house.call, name)


class _NoPlaywright:
    """Stands where Playwright's page will be."""

    def __getattr__(self, name: str) -> Any:
        raise CallFailed(
            "playwright_page is not there: Playwright reaches tabs through the relay only",
            "use tab, or page.cdp for what tab does not offer",
        )
