"""The Python client: the daemon's tabs from a program or a notebook, each call waiting for its end.

    from pilothouse import connect

    tab = connect().open("https://example.com/")
    tab.click("text=More information")

Knows: open, close, run and the rest of the daemon's own methods. Must not know: what tabs can do
(tab.py), nor sockets (dial.py). It imports no asyncio.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pilothouse.code.client.app_paths import absolute_app_paths, absolute_endpoint
from pilothouse.code.client.blocked_text import add_answer_hints, describe_block, is_blocked
from pilothouse.code.client.daemon_client import DaemonClient, Refused
from pilothouse.code.client.file_transfer import call_with_files
from pilothouse.code.client.notebook_display import item_html
from pilothouse.code.client.tab import Tab
from pilothouse.errors import PilothouseError
from pilothouse.paths import RuntimePaths

__all__ = ["Blocked", "Client", "RunFailed", "RunResult", "TabFacts", "connect"]


class Blocked(Refused):
    """Something on the page waits for an answer: a dialog, a password, a file chooser.

    `blocked_by` says what; the call goes on under `action_id`. Answer with `tab.handle_dialog()`
    or `tab.answer(…)`, then take the result with `tab.result(action_id)`.
    """

    def __init__(self, what: str, answer: dict[str, Any]) -> None:
        message, hint = describe_block(what, answer)
        super().__init__(message, hint=hint, kind="Blocked")
        self.blocked_by: list[dict[str, Any]] = answer["blocked_by"]
        self.action_id: str = answer["action_id"]


@dataclass(frozen=True, slots=True)
class RunResult:
    """What a run showed and gave: all of it as `text`, its `value`, and in `displays` every item in
    order, texts and pictures."""

    text: str
    value: Any
    displays: list[dict[str, Any]]
    details: dict[str, Any]

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return "".join(item_html(item) for item in self.displays)


class RunFailed(Refused):
    """The code of a run raised, or took too long. `result` is what it had shown by then, `at_line`
    where it was."""

    def __init__(self, error: dict[str, Any], result: RunResult) -> None:
        kind, hint = str(error.get("kind", "")), str(error.get("hint", ""))
        super().__init__(error["message"], hint=hint, kind=kind)
        self.at_line: int = error.get("line", 0)
        self.result = result


@dataclass(frozen=True, slots=True)
class TabFacts:
    """One of your tabs, as it is now. `busy` names the call that has its turn, if any;
    `capabilities` is what works in its browser (docs/backends.md)."""

    name: str
    id: str
    url: str
    title: str
    browser: str
    busy: str
    alive: bool
    capabilities: dict[str, Any]


class Client:
    """Your line to the daemon. Threads may share it. As a context manager it hangs up at the end,
    and first closes its tabs unless it has a name under which they can be found again."""

    def __init__(
        self,
        owner: str = "",
        *,
        paths: RuntimePaths | None = None,
        start: bool = True,
        on_progress: Callable[[dict[str, Any]], object] | None = None,
    ) -> None:
        self._named = owner or os.environ.get("PILOTHOUSE_OWNER", "")
        self._paths = paths or RuntimePaths()
        self._start = start
        self._on_progress = on_progress
        self._dialling = threading.Lock()
        self._line: DaemonClient | None = None
        # What the daemon wants you to know: lost tabs, another version, a full disk.
        self.notices: list[str] = []
        self.owner = self._named
        self._dial()

    def __repr__(self) -> str:
        return f"<Client {self.owner}>"

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *exc: object) -> None:
        try:
            if not self._named and self._line is not None:
                self.close(all=True)
        except PilothouseError:
            # The daemon is gone, and the tabs with it.
            if self._line is not None:
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
        """Open a tab, or reuse the one of that name; go to `url` if there is one.

        viewport: width, height, and scale if wanted
        wait_until: load, domcontentloaded, networkidle0, networkidle2, commit or settled
        dialogs: accept, dismiss, or ask (they wait for you)
        app: path and args of a program to start, or cdp_url of one that runs; target: its page
        profile: a name; cookies are kept under it
        stealth: off, minimal or full, for a browser of our own
        browser: daemon (one of ours) or extension (your own Chrome); default: as the settings say
        target: part of the address or title of a page of the browser you joined, or of your Chrome
        timeout: seconds, 1 to 300

        `tab.opened` tells how it went. Raises Refused; and Blocked if a dialog stops the page from
        loading: then the tab is there, as `client.tab(name)`.
        """
        asked: dict[str, Any] = {
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
        details = self.call("open", **asked)["details"]
        if is_blocked(details.get("arrival")):
            raise Blocked("open", details["arrival"])
        return Tab(self.call, name, details)

    def tab(self, name: str = "main") -> Tab:
        """A tab of yours that is open already, a popup for instance."""
        return Tab(self.call, name)

    def close(self, name: str = "main", *, all: bool = False, kill: bool = False) -> list[str]:
        """Close a tab, or all of yours; the names of those that were closed.

        kill: also end an application that was started for them
        """
        answer = self.call("close", name=name, all=all, kill=kill)
        closed: list[str] = answer["details"]["closed"]
        return closed

    def tabs(self) -> list[TabFacts]:
        """Your tabs."""
        fields = TabFacts.__slots__
        return [TabFacts(*(tab[name] for name in fields)) for tab in self.call("tabs")]

    def join(self, endpoint: str = "", *, timeout: float = 30.0) -> dict[str, Any]:
        """Join a running browser, and open your tabs in it from now on. Those in the browser you
        used before are closed: `closed` names them. `open(target=…)` takes one of its `pages`.

        endpoint: URL, port, DevToolsActivePort file or user data directory; without it the browser
        that runs here
        """
        told: dict[str, Any] = self.call(
            "connect", endpoint=absolute_endpoint(endpoint), timeout=timeout
        )
        return told

    def leave(self) -> list[str]:
        """Leave the browser that was joined; the names of your tabs in it, which are closed."""
        closed: list[str] = self.call("disconnect")["closed"]
        return closed

    def run(
        self, code: str, name: str = "main", *, language: str = "python", timeout: float = 30.0
    ) -> RunResult:
        """Run Python beside the tab, or JavaScript in its page, within so many seconds.

        language: python or js
        Files that it saves or uploads are meant in your working directory.

        Raises RunFailed if Python raises or takes too long, Refused if JavaScript does; the tab
        stays.
        """
        asked = {"code": code, "name": name, "language": language, "timeout": timeout}
        report = self.call("run", **asked, cwd=os.getcwd())
        details = report["details"]
        result = RunResult(details["result"], report["value"], report["content"], details)
        if "error" in report:
            raise RunFailed(report["error"], result)
        return result

    def tool(
        self, name: str, /, *, toolsets: Sequence[str] = (), **arguments: Any
    ) -> dict[str, Any]:
        """Call a tool as an agent does: `client.tool("browser_click", ref="e5")`. The answer has
        `success`; nothing is raised for what could not be done.

        toolsets: what may be used in this call, as ["browser", "code"]; else what is usual
        """
        asked: dict[str, Any] = {"name": name, "arguments": arguments}
        if toolsets:
            asked["toolsets"] = list(toolsets)
        answer: dict[str, Any] = self.call("tool", **asked)
        return answer

    def status(self) -> dict[str, Any]:
        """How the daemon is: its version, its browsers (each asked for a sign of life), its
        walls."""
        told: dict[str, Any] = self.call("status")
        return told

    def call(self, method: str, /, **params: Any) -> Any:
        """Call any method of the daemon. Raises Blocked, Refused, or PilothouseError if the daemon
        went away: the next call reaches a new one."""
        answer = call_with_files(self._call, self._paths, method, params)
        if is_blocked(answer):
            raise Blocked(method.removeprefix("tab."), answer)
        return add_answer_hints(answer, "python") if method.startswith("tab.") else answer

    def _call(self, method: str, /, **params: Any) -> Any:
        line = self._dial()
        try:
            answer = line.call(method, **params)
            self.notices += [notice for notice in line.notices if notice not in self.notices]
            return answer
        except Refused:
            raise
        except PilothouseError:
            self._drop(line)
            raise

    def _dial(self) -> DaemonClient:
        with self._dialling:
            if self._line is None:
                line = DaemonClient(
                    self.owner,
                    paths=self._paths,
                    start=self._start,
                    on_progress=self._on_progress,
                )
                # Who forgets to hang up holds the line no longer than the client.
                weakref.finalize(self, line.close)
                self._line, self.owner = line, line.owner
                self.notices += line.hello.get("notices", [])
            return self._line

    def _drop(self, line: DaemonClient) -> None:
        with self._dialling:
            if self._line is line:
                self._line = None
        line.close()

    def hang_up(self) -> None:
        """Leave the daemon; tabs stay open in it. A later call comes back."""
        if (line := self._line) is not None:
            self._drop(line)


def connect(
    owner: str = "",
    *,
    paths: RuntimePaths | None = None,
    start: bool = True,
    on_progress: Callable[[dict[str, Any]], object] | None = None,
) -> Client:
    """Your line to the daemon; one is started if none runs, unless `start` is false.

    owner: as whom; $PILOTHOUSE_OWNER if that is set, otherwise a new one whose tabs only this
    client knows
    paths: where the daemon lives, if not at its usual place
    """
    return Client(owner, paths=paths, start=start, on_progress=on_progress)
