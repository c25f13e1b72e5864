"""The globals of agent-written code: `tab`, `page`, `context`, `snapshot`, `browser`, `tools`,
`console`, `display`, `wait`, `parallel`, `state`.

Knows: which calls each of them makes. Must not know: the socket; it has only a Caller.
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
from pilothouse.code.run_result import CallFailed, NoSuchAttribute, image_item

__all__ = [
    "Caller",
    "Console",
    "RunBrowser",
    "RunTab",
    "Signal",
    "Tools",
    "display_item",
    "make_scope",
    "parallel",
    "show",
    "wait",
]

LONGEST_WAIT_S = 300.0
SHORTEST_STEP_S = 0.01


class Caller(Protocol):
    """Sends calls and output to the daemon."""

    def call(self, method: str, /, **params: Any) -> Any:
        """Make one call and return its value."""

    def send_output(self, message: dict[str, Any]) -> None:
        """Send output of the run."""

    def log(self, level: str, text: str) -> None:
        """Write a line to the daemon's log."""


class Signal:
    """`tab.signal`: lets code that cleans up after a timeout see that its time is up."""

    def __init__(self, has_expired: Callable[[], bool]) -> None:
        self._has_expired = has_expired

    @property
    def aborted(self) -> bool:
        """Return whether the run's time is up."""
        return self._has_expired()


class RunTab(Tab):
    """A tab in a run. Its screenshots appear in the result automatically."""

    def __init__(self, daemon: Caller, name: str, signal: Signal) -> None:
        super().__init__(daemon.call, name)
        self.signal = signal
        self._daemon = daemon

    def screenshot(self, *args: Any, silent: bool = False, **named: Any) -> Picture:
        """Take a screenshot as `Tab.screenshot` does, and show it in the result unless `silent`."""
        picture = super().screenshot(*args, **named)
        if not silent:
            show(self._daemon, picture)
        return picture

    def upload(self, target: Any, *paths: Any, **options: Any) -> Any:
        """Upload files as `Tab.upload` does, also those in the scratch directory of the run."""
        found = [_own_path(path) for path in _flatten((*paths, options.pop("paths", ())))]
        return super().upload(target, *found, **options)

    def answer(self, interrupt_id: str, action: str, detail: dict[str, Any] | None = None) -> Any:
        """Answer an interrupt as `Tab.answer` does; takes files as `upload` does."""
        if detail and "files" in detail:
            files = [_own_path(path) for path in _flatten(detail["files"])]
            detail = {**detail, "files": files}
        return super().answer(interrupt_id, action, detail)

    def save_state(self, path: Any = "") -> Any:
        """Return cookies and storage as `Tab.save_state` does; with `path`, write them to that file
        in the scratch directory."""
        state = super().save_state()
        if not path:
            return state
        written = Path(path)
        written.write_text(json.dumps(state, ensure_ascii=False), "utf-8")
        return {"path": str(written.absolute())}

    def load_state(self, state: Any) -> Any:
        """Restore a state as `Tab.load_state` does; the code reads a file itself."""
        if isinstance(state, str | os.PathLike):
            state = json.loads(Path(state).read_text("utf-8"))
        return super().load_state(state)

    saveState, loadState = save_state, load_state


def _own_path(path: Any) -> str:
    """Make the path of a file that the code can see absolute. The daemon looks for any other in
    the folders of the session."""
    return str(os.path.abspath(path) if os.path.exists(path) else path)


def _flatten(given: Any) -> list[Any]:
    if isinstance(given, list | tuple):
        return [inner for one in given for inner in _flatten(one)]
    return [given]


def make_scope(
    daemon: Caller,
    name: str,
    state: dict[str, Any],
    has_expired: Callable[[], bool] = lambda: False,
) -> dict[str, Any]:
    """Return the globals of a run on the tab `name`; `has_expired` says whether its time is up."""
    signal = Signal(has_expired)
    tab = RunTab(daemon, name, signal)

    def page_of(other: str) -> PlaywrightPage:
        return PlaywrightPage(daemon.call, RunTab(daemon, other, signal), page_of)

    page = page_of(name)

    def snapshot(full: bool = True, **look: Any) -> str:
        """Return the page as text with refs; with `full=False` only interactive elements."""
        return str(tab.snapshot(interactive=not full, **look))

    def display(value: Any) -> None:
        """Show a value in the result: text, an image, or anything that JSON can hold."""
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
    """Show a value in the result; a screenshot only once."""
    if isinstance(value, Picture):
        if value.displayed:
            return
        value.displayed = True
        if key := value.get("id"):
            # The daemon took it and has a copy to show to a model: send only its id.
            daemon.send_output({"display": {"type": "image", "picture": key}})
            return
    daemon.send_output({"display": display_item(value)})


def display_item(value: Any) -> dict[str, Any]:
    """Return a value as an item of the result."""
    if (image := image_item(value)) is not None:
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
    """Wait so many seconds, or until a function returns something true.

    timeout: seconds to wait for the function, at most 300
    interval: seconds between two calls of it
    """
    if not callable(what):
        time.sleep(max(min(float(what), LONGEST_WAIT_S), 0.0))
        return None
    for name, given in (("timeout", timeout), ("interval", interval)):
        if isinstance(given, bool) or not isinstance(given, int | float):
            said = f"wait: {name}: expected a number of seconds, got {given!r}"
            raise CallFailed(said, "give seconds, such as 5", "UsageError")
    give_up = time.monotonic() + min(timeout, LONGEST_WAIT_S)
    while True:
        value = _await_if_needed(what())
        if value:
            return value
        if time.monotonic() >= give_up:
            raise TimeoutError(f"waited {timeout:g} s; the last value was {value!r}")
        time.sleep(max(interval, SHORTEST_STEP_S))


def parallel(*functions: Callable[[], Any]) -> list[Any]:
    """Call functions at the same time, each in a thread, and return their values in order. Raises
    the first error when all are done."""
    for function in functions:
        if not callable(function):
            raise TypeError("parallel: expected functions: parallel(lambda: tab.click(…), …)")
    results: list[Any] = [None] * len(functions)
    errors: list[BaseException] = []

    def one(index: int, function: Callable[[], Any]) -> None:
        try:
            results[index] = _await_if_needed(function())
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


def _await_if_needed(value: Any) -> Any:
    """Run a coroutine to its end; return any other value unchanged."""
    if not inspect.iscoroutine(value):
        return value
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(value)
    # This thread already runs an event loop, so run the coroutine in another one.
    return parallel(lambda: value)[0]


class Console:
    """`console.log` and the like, named as in JavaScript. They write to the daemon's log, not to
    the result."""

    def __init__(self, daemon: Caller) -> None:
        self._daemon = daemon

    def log(self, *values: Any) -> None:
        """Write a line."""
        self._write("info", values)

    info = log

    def debug(self, *values: Any) -> None:
        """Write a line at level debug."""
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
        """List your tabs: name, id, URL, title."""
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
        """Return one of your open tabs by name."""
        return RunTab(self._daemon, name, self._signal)


class Tools:
    """The session's other tools: `tools.browser_click(ref="e5")` returns the fields of the result.
    Only code of `execute_code` may use them."""

    def __init__(self, daemon: Caller) -> None:
        self._daemon = daemon

    def __getattr__(self, name: str) -> Callable[..., dict[str, Any]]:
        if name.startswith("__"):
            raise AttributeError(name)

        def call(**arguments: Any) -> dict[str, Any]:
            """Call the tool and return its result. Raises its error."""
            found: dict[str, Any] = self._daemon.call("tool", name=name, arguments=arguments)
            return found

        return call


class _NoPlaywright:
    """Placeholder for Playwright's own page object."""

    def __getattr__(self, name: str) -> Any:
        raise NoSuchAttribute(
            "playwright_page is not available in a run: Playwright reaches tabs only through "
            "the relay",
            "use tab, or page.cdp for what tab does not offer",
        )
