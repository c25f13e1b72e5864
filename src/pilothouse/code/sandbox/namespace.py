"""The names agent-written code finds: `tab`, `page`, `context`, `snapshot`, `browser`, `tools`,
`console`, `display`, `wait`, `parallel`, `state`.

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
import os
import re
import threading
import time
import urllib.parse
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from pilothouse.code.client import Picture, PlaywrightPage, Tab
from pilothouse.code.run_result import CallFailed, NoSuchAttribute, image_of

__all__ = [
    "Caller",
    "Console",
    "RunBrowser",
    "RunTab",
    "Signal",
    "Tools",
    "make_scope",
    "parallel",
    "show",
    "shown",
    "wait",
]

LONGEST_WAIT_S = 300.0
SHORTEST_STEP_S = 0.01


class Caller(Protocol):
    """Whoever carries out calls."""

    def call(self, method: str, /, **params: Any) -> Any:
        """Carry out one call and return its value."""

    def say(self, message: dict[str, Any]) -> None:
        """Show something."""

    def log(self, level: str, text: str) -> None:
        """Write a line to the daemon's log."""


class Signal:
    """Tells code that was stopped and still tidies up that its time is over."""

    def __init__(self, rang: Callable[[], bool]) -> None:
        self._rang = rang

    @property
    def aborted(self) -> bool:
        """Whether the run's time is up."""
        return self._rang()


class RunTab(Tab):
    """A tab in a run: its screenshots are shown in the result by themselves."""

    def __init__(self, daemon: Caller, name: str, signal: Signal) -> None:
        super().__init__(daemon.call, name)
        self.signal = signal
        self._daemon = daemon

    def screenshot(self, *args: Any, silent: bool = False, **named: Any) -> Picture:
        """A picture, as `Tab.screenshot` takes it, shown in the result unless it is `silent`."""
        picture = super().screenshot(*args, **named)
        if not silent:
            show(self._daemon, picture)
        return picture

    def upload(self, target: Any, *paths: Any, **options: Any) -> Any:
        """Give files, as `Tab.upload` does; those the code wrote in its own directory, too."""
        found = [_own_path(path) for path in _flat((*paths, options.pop("paths", ())))]
        return super().upload(target, *found, **options)

    def answer(self, interrupt_id: str, action: str, detail: dict[str, Any] | None = None) -> Any:
        """Decide about what waits, as `Tab.answer`; files for a chooser as `upload` takes them."""
        if detail and "files" in detail:
            files = [_own_path(path) for path in _flat(detail["files"])]
            detail = {**detail, "files": files}
        return super().answer(interrupt_id, action, detail)

    def save_state(self, path: Any = "") -> Any:
        """Cookies and storage, as `Tab.save_state`; a file is written by the code itself."""
        state = super().save_state()
        if not path:
            return state
        written = Path(path)
        written.write_text(json.dumps(state, ensure_ascii=False), "utf-8")
        return {"path": str(written.absolute())}

    def load_state(self, state: Any) -> Any:
        """Restore a state, as `Tab.load_state`; a file is read by the code itself."""
        if isinstance(state, str | os.PathLike):
            state = json.loads(Path(state).read_text("utf-8"))
        return super().load_state(state)

    saveState, loadState = save_state, load_state


def _own_path(path: Any) -> str:
    """The whole path of a file that the code wrote; any other is meant in the session's
    folders."""
    return str(os.path.abspath(path) if os.path.exists(path) else path)


def _flat(given: Any) -> list[Any]:
    if isinstance(given, list | tuple):
        return [inner for one in given for inner in _flat(one)]
    return [given]


def make_scope(
    daemon: Caller, name: str, state: dict[str, Any], rang: Callable[[], bool] = lambda: False
) -> dict[str, Any]:
    """The globals of one run on the tab of that name; `rang` tells whether its time is up."""
    signal = Signal(rang)
    tab = RunTab(daemon, name, signal)

    def page_of(other: str) -> PlaywrightPage:
        return PlaywrightPage(daemon.call, RunTab(daemon, other, signal), page_of)

    page = page_of(name)

    def snapshot(full: bool = True, **look: Any) -> str:
        """What is on the page, as text with refs; with `full=False` only what can be acted on."""
        return str(tab.snapshot(interactive=not full, **look))

    def display(value: Any) -> None:
        """Show a value in the result: text, images, anything JSON has."""
        show(daemon, value)

    return {
        "__builtins__": builtins,
        "tab": tab,
        "page": page,
        "context": page.context,
        "snapshot": snapshot,
        "browser": RunBrowser(daemon, signal),
        "tools": Tools(daemon),
        "playwright_page": _NoPlaywright(),
        "console": Console(daemon),
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


def show(daemon: Caller, value: Any) -> None:
    """Show a value; a screenshot that is in the result already stays there once."""
    if isinstance(value, Picture):
        if value.displayed:
            return
        value.displayed = True
        if key := value.get("id"):
            # The daemon took it, and has a copy that a model can be shown.
            daemon.say({"display": {"type": "image", "picture": key}})
            return
    daemon.say({"display": shown(value)})


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
    for name, given in (("timeout", timeout), ("interval", interval)):
        if isinstance(given, bool) or not isinstance(given, int | float):
            said = f"wait: {name}: expected a number of seconds, got {given!r}"
            raise CallFailed(said, "give seconds, such as 5", "UsageError")
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


class Console:
    """`console.log` and its kin, as JavaScript has them: they write to the daemon's log, not to
    the result."""

    def __init__(self, daemon: Caller) -> None:
        self._daemon = daemon

    def log(self, *values: Any) -> None:
        """Write a line."""
        self._write("info", values)

    info = log

    def debug(self, *values: Any) -> None:
        """Write a line that seldom matters."""
        self._write("debug", values)

    def warn(self, *values: Any) -> None:
        """Write a warning."""
        self._write("warning", values)

    warning = warn

    def error(self, *values: Any) -> None:
        """Write an error."""
        self._write("error", values)

    def _write(self, level: str, values: tuple[Any, ...]) -> None:
        self._daemon.log(level, " ".join(str(value) for value in values))


class RunBrowser:
    """The browser behind the tab."""

    def __init__(self, daemon: Caller, signal: Signal) -> None:
        self._daemon = daemon
        self._signal = signal

    def tabs(self) -> list[dict[str, Any]]:
        """Your tabs: name, id, address, title."""
        found: list[dict[str, Any]] = self._daemon.call("tabs")
        return found

    def open(self, name: str, url: str = "", **options: Any) -> Tab:
        """Open or reuse a tab and return it."""
        answer = self._daemon.call("open", name=name, url=url, **options)
        tab = self.tab(name)
        tab.opened = answer["details"]
        return tab

    def close(self, name: str) -> Any:
        """Close one of your tabs."""
        return self._daemon.call("close", name=name)

    def tab(self, name: str) -> Tab:
        """Another tab of yours."""
        return RunTab(self._daemon, name, self._signal)


class Tools:
    """The session's other tools: `tools.browser_click(ref="e5")` returns the fields of the answer.
    Only code of `execute_code` has them."""

    def __init__(self, daemon: Caller) -> None:
        self._daemon = daemon

    def __getattr__(self, name: str) -> Callable[..., dict[str, Any]]:
        if name.startswith("__"):
            raise AttributeError(name)

        def call(**arguments: Any) -> dict[str, Any]:
            """Call the tool; raises what it answers if that is an error."""
            found: dict[str, Any] = self._daemon.call("tool", name=name, arguments=arguments)
            return found

        return call


class _NoPlaywright:
    """Stands where Playwright's page will be."""

    def __getattr__(self, name: str) -> Any:
        raise NoSuchAttribute(
            "playwright_page is not there: Playwright reaches tabs only through the relay, which "
            "this daemon does not have yet",
            "use tab, or page.cdp for what tab does not offer",
        )
