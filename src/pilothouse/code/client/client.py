"""The Python client: blocking calls to the daemon from a program or a notebook.

    from pilothouse import connect

    tab = connect().open("https://example.com/")
    tab.click("text=More information")

Knows: open, close, run and the daemon's other methods. Must not know: what tabs can do (tab.py),
nor sockets (daemon_connection.py). It does not import asyncio, which would slow down the start.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pilothouse.code.client.app_path_resolution import absolute_app_paths, absolute_endpoint
from pilothouse.code.client.blocked_call_hints import add_answer_hints, describe_block, is_blocked
from pilothouse.code.client.daemon_connection import DaemonClient, Refused
from pilothouse.code.client.file_transfer import call_with_files
from pilothouse.code.client.notebook_display import item_html
from pilothouse.code.client.tab import Tab
from pilothouse.errors import PilothouseError
from pilothouse.paths import RuntimePaths

if TYPE_CHECKING:
    from pilothouse.code.client.return_types import ClosedDict

__all__ = ["Blocked", "Client", "RunFailed", "RunResult", "TabFacts", "connect"]


class Blocked(Refused):
    """A dialog, an HTTP login or a file chooser blocks the call until you answer it.

    `blocked_by` lists what blocks; the call continues as `action_id`. Answer with
    `tab.handle_dialog()` or `tab.answer(…)`, then get the result with `tab.result(action_id)`.
    """

    def __init__(self, what: str, answer: dict[str, Any]) -> None:
        message, hint = describe_block(what, answer)
        super().__init__(message, hint=hint, kind="Blocked")
        self.blocked_by: list[dict[str, Any]] = answer["blocked_by"]
        self.action_id: str = answer["action_id"]


@dataclass(frozen=True, slots=True)
class RunResult:
    """The result of a run: all output as `text`, its `value`, and in `displays` each text and
    picture in order."""

    text: str
    value: Any
    displays: list[dict[str, Any]]
    details: dict[str, Any]

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return "".join(item_html(item) for item in self.displays)


class RunFailed(Refused):
    """The code of a run raised an exception or took too long. `result` has its output until then,
    `at_line` the line where it was."""

    def __init__(self, error: dict[str, Any], result: RunResult) -> None:
        kind, hint = str(error.get("kind", "")), str(error.get("hint", ""))
        super().__init__(error["message"], hint=hint, kind=kind)
        self.at_line: int = error.get("line", 0)
        self.result = result


@dataclass(frozen=True, slots=True)
class TabFacts:
    """The current state of one of your tabs. `busy` names the running call, if any; `capabilities`
    says what works in its browser (docs/backends.md)."""

    name: str
    id: str
    url: str
    title: str
    browser: str
    busy: str
    alive: bool
    capabilities: dict[str, Any]


class Client:
    """A connection to the daemon. Threads may share it. As a context manager it disconnects at the
    end. Without an owner name it closes its tabs first: no other client could find them again."""

    def __init__(
        self,
        owner: str = "",
        *,
        paths: RuntimePaths | None = None,
        start: bool = True,
        on_progress: Callable[[dict[str, Any]], object] | None = None,
    ) -> None:
        self._given_owner = owner or os.environ.get("PILOTHOUSE_OWNER", "")
        self._paths = paths or RuntimePaths()
        self._start = start
        self._on_progress = on_progress
        self._connect_lock = threading.Lock()
        self._connection: DaemonClient | None = None
        # Messages of the daemon for the user: lost tabs, another version, a full disk.
        self.notices: list[str] = []
        self.owner = self._given_owner
        self._ensure_connection()

    def __repr__(self) -> str:
        return f"<Client {self.owner}>"

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *exc: object) -> None:
        try:
            if not self._given_owner and self._connection is not None:
                self.close(all=True)
        except PilothouseError:
            # Without a connection the daemon died, and the tabs with it.
            if self._connection is not None:
                raise
        finally:
            self.hang_up()

    def open(
        self,
        url: str = "",
        name: str = "main",
        *,
        viewport: Mapping[str, float] | None = None,
        wait_until: str = "load",
        dialogs: str = "",
        app: Mapping[str, Any] | None = None,
        profile: str = "",
        headed: bool | None = None,
        stealth: str = "",
        browser: str = "",
        target: str = "",
        timeout: float = 30.0,
    ) -> Tab:
        """Open a tab, or reuse the tab `name`; navigate it to `url` if given.

        viewport: width, height, and optionally scale
        wait_until: load, domcontentloaded, networkidle0, networkidle2, commit or settled
        dialogs: accept, dismiss, or ask (dialogs stay open until you answer them)
        app: path and args of an application to start, or cdp_url of a running one
        profile: name of a profile, which keeps cookies and storage
        headed: show the window of a managed browser
        stealth: off, minimal or full; only for a managed browser
        browser: managed (launched by the daemon) or extension (your own Chrome); default: settings
        target: part of the URL or title of a page to take over: in the browser you joined, in the
        app or in your Chrome
        timeout: seconds, 1 to 300

        `tab.opened` has the details. Raises Refused; raises Blocked if a dialog stops the page from
        loading: the tab is open then, get it with `client.tab(name)`.
        """
        params: dict[str, Any] = {
            "url": url,
            "name": name,
            "viewport": viewport,
            "wait_until": wait_until,
            "dialogs": dialogs,
            "app": absolute_app_paths(app) if isinstance(app, Mapping) else app,
            "profile": profile,
            "headed": headed,
            "stealth": stealth,
            "browser": browser,
            "target": target,
            "timeout": timeout,
        }
        details = self.call("open", **params)["details"]
        if is_blocked(details.get("arrival")):
            raise Blocked("open", details["arrival"])
        return Tab(self.call, name, details)

    def tab(self, name: str = "main") -> Tab:
        """Return one of your open tabs, such as a popup, by name."""
        return Tab(self.call, name)

    def close(self, name: str = "main", *, all: bool = False, kill: bool = False) -> ClosedDict:
        """Close a tab, or all of yours. Returns the names of the tabs: `closed`, and `released`
        (pages you took over with `target`, which stay open).

        kill: also end the application that was started for them
        """
        answer = self.call("close", name=name, all=all, kill=kill)
        details = answer["details"]
        return {"closed": details["closed"], "released": details["released"]}

    def tabs(self) -> list[TabFacts]:
        """List your tabs."""
        fields = TabFacts.__slots__
        return [TabFacts(*(tab[name] for name in fields)) for tab in self.call("tabs")]

    def join(self, endpoint: str = "", *, timeout: float = 30.0) -> dict[str, Any]:
        """Connect to a running browser and open your tabs in it from now on. Closes your tabs in
        the browser you used before: `closed` and `released` have their names. `open(target=…)`
        takes over one of its `pages`.

        endpoint: URL, port, DevToolsActivePort file or user data directory; default: a browser
        that runs on this machine
        """
        joined: dict[str, Any] = self.call(
            "connect", endpoint=absolute_endpoint(endpoint), timeout=timeout
        )
        return joined

    def leave(self) -> ClosedDict:
        """Disconnect from the joined browser. Closes your tabs in it and releases its own pages,
        which stay open. Returns their names, as `close` does."""
        left = self.call("disconnect")
        return {"closed": left["closed"], "released": left["released"]}

    def run(
        self, code: str, name: str = "main", *, language: str = "python", timeout: float = 30.0
    ) -> RunResult:
        """Run Python with `tab` in a sandboxed process, or JavaScript in the page.

        language: python or js
        timeout: seconds
        Relative paths of files to save or upload refer to your working directory.

        Raises RunFailed if Python raises or takes too long, Refused if JavaScript does. The tab
        stays open.
        """
        params = {"code": code, "name": name, "language": language, "timeout": timeout}
        report = self.call("run", **params, cwd=os.getcwd())
        details = report["details"]
        result = RunResult(details["result"], report["value"], report["content"], details)
        if "error" in report:
            raise RunFailed(report["error"], result)
        return result

    def tool(
        self, name: str, /, *, toolsets: Sequence[str] = (), **arguments: Any
    ) -> dict[str, Any]:
        """Call a tool as an agent does: `client.tool("browser_click", ref="e5")`. A failed call
        returns `success: False` and raises nothing.

        toolsets: toolsets to enable for this call, such as ["browser", "code"]; default: settings
        """
        params: dict[str, Any] = {"name": name, "arguments": arguments}
        if toolsets:
            params["toolsets"] = list(toolsets)
        answer: dict[str, Any] = self.call("tool", **params)
        return answer

    def status(self) -> dict[str, Any]:
        """Return the daemon's status: its version, its browsers (each is pinged) and the layers
        of the sandbox."""
        status: dict[str, Any] = self.call("status")
        return status

    def call(self, method: str, /, **params: Any) -> Any:
        """Call any method of the daemon. Raises Blocked, Refused, or PilothouseError if the daemon
        died: the next call starts a new one."""
        answer = call_with_files(self._call, self._paths, method, params)
        if is_blocked(answer):
            raise Blocked(method.removeprefix("tab."), answer)
        return add_answer_hints(answer, "python") if method.startswith("tab.") else answer

    def _call(self, method: str, /, **params: Any) -> Any:
        connection = self._ensure_connection()
        try:
            answer = connection.call(method, **params)
            self.notices += [notice for notice in connection.notices if notice not in self.notices]
            return answer
        except Refused:
            raise
        except PilothouseError:
            self._discard_connection(connection)
            raise

    def _ensure_connection(self) -> DaemonClient:
        with self._connect_lock:
            if self._connection is None:
                connection = DaemonClient(
                    self.owner,
                    paths=self._paths,
                    start=self._start,
                    on_progress=self._on_progress,
                    surface="python",
                )
                # Close the socket with the client, if nobody called hang_up().
                weakref.finalize(self, connection.close)
                self._connection, self.owner = connection, connection.owner
                self.notices += connection.hello.get("notices", [])
            return self._connection

    def _discard_connection(self, connection: DaemonClient) -> None:
        with self._connect_lock:
            if self._connection is connection:
                self._connection = None
        connection.close()

    def hang_up(self) -> None:
        """Disconnect from the daemon; tabs stay open. A later call reconnects."""
        if (connection := self._connection) is not None:
            self._discard_connection(connection)


def connect(
    owner: str = "",
    *,
    paths: RuntimePaths | None = None,
    start: bool = True,
    on_progress: Callable[[dict[str, Any]], object] | None = None,
) -> Client:
    """Connect to the daemon; start one if none runs, unless `start` is false.

    owner: name that your tabs belong to; default: $PILOTHOUSE_OWNER, else a new name that only
    this client knows
    paths: runtime folder of the daemon, if not the default
    on_progress: called with progress messages of running calls
    """
    return Client(owner, paths=paths, start=start, on_progress=on_progress)
