"""One MCP session at the mcp_session: its tools, its calls, what it can read.

Knows: a tool_session, the daemon behind it, and how to say things in MCP's words. Must not know: the SDK or
any wire. The session is the owner: what it opens is its own, and is closed when it ends, unless it
came under a name to return to.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote, urlsplit

from pilothouse.daemon.mcp import content as mcp_words
from pilothouse.daemon.mcp.options import McpOptions, sees_images
from pilothouse.daemon.rpc import Progress, Request
from pilothouse.errors import PilothouseError, ToolError, explain
from pilothouse.page.snapshot import between, new_word
from pilothouse.tabs.progress import heard_by
from pilothouse.tasks import Tasks, is_own_cancellation

if TYPE_CHECKING:
    from pilothouse.daemon.daemon import Daemon
    from pilothouse.tools.context import ToolSession
    from pilothouse.tools.tool import Tool

__all__ = ["McpSession", "Say"]

_log = logging.getLogger(__name__)

# How far a call has come: a number that grows, and words.
Say = Callable[[int, str], Awaitable[object]]

SCHEME = "pilothouse"
PICTURES_KEPT = 8
LONGEST_NAME = 60


class McpSession:
    """What one session can do. `returns`: its owner has a name, and its tabs wait for it."""

    def __init__(
        self,
        daemon: Daemon,
        owner: str,
        options: McpOptions | None = None,
        *,
        returns: bool = False,
    ) -> None:
        options = options or McpOptions()
        self._daemon = daemon
        self._images = options.images or daemon.settings.mcp.images
        self.tool_session: ToolSession = daemon.tooling.session_for(
            owner, options.platform, options.toolsets
        )
        self.client_can({})
        self._prefers = bool(options.opens)
        if self._prefers:
            daemon.prefer(owner, options.opens)
        self.returns = returns
        # Folders of `--files`, and where `pilothouse mcp` was started.
        self._folders, self._working = options.files, options.working
        daemon.files.set_roots(owner, options.files, (), options.working)
        # Whether the client was asked where files may be.
        self.rooted = False
        self.rooting = asyncio.Lock()
        self._pictures: OrderedDict[str, dict[str, str]] = OrderedDict()
        self._count = 0
        self._tasks = Tasks()

    def client_can(self, capabilities: Mapping[str, Any]) -> None:
        """The client has said what it can do."""
        self.tool_session.sees = sees_images(self._images, capabilities.get("experimental"))

    def called(self, name: str) -> None:
        """Remember what the client calls itself: people read it where they see who uses their
        Chrome."""
        if name.strip():
            self._daemon.names[self.tool_session.owner] = name.strip()[:LONGEST_NAME]

    # Tools.

    def offered(self) -> list[Tool]:
        """The tools that may be used now. Raises PilothouseError if the choices mean nothing."""
        return self._daemon.tooling.offered(self.tool_session)

    def listing(self) -> list[dict[str, Any]]:
        """The same, as MCP lists them."""
        unlisted = self._daemon.tooling.unlisted(self.tool_session)
        return [mcp_words.listed(tool, unlisted) for tool in self.offered()]

    async def use(
        self, name: str, given: Mapping[str, Any] | None, say: Say | None = None
    ) -> dict[str, Any]:
        """Call a tool. Errors are results, whatever raised them; only the client's own cancellation
        is raised."""
        try:
            return await self._use(name, given or {}, say)
        except asyncio.CancelledError as error:
            if is_own_cancellation():
                raise
            return self._failed(name, error)
        except Exception as error:  # noqa: BLE001 - a fault of ours; the client still gets a reply
            _log.exception("%s failed outside its gate", name)
            return self._failed(name, error)

    def _failed(self, name: str, error: BaseException) -> dict[str, Any]:
        told = explain(error, name)
        answer = {"success": False, "error": told.message, "hint": told.hint}
        return mcp_words.result(None, self._daemon.redactor.redact(answer))

    async def _use(self, name: str, given: Mapping[str, Any], say: Say | None) -> dict[str, Any]:
        daemon = self._daemon
        daemon.calls += 1
        noted = Request(f"tab.{name}", {**given, "target": given.get("ref") or given.get("target")})
        redact = daemon.redactor.text
        progress = Progress(_Saying(say, self._tasks), 0 if say else None, redact)
        try:
            with heard_by(progress), daemon.journals.noted(self.tool_session.owner, noted):
                told = await daemon.tooling.gate.answer(self.tool_session, name, given)
        finally:
            progress.end()
        return mcp_words.result(
            daemon.tooling.tools.get(name),
            self._linked(name, told.fields),
            told.ours,
            structured=daemon.settings.mcp.structured,
        )

    def _linked(self, name: str, answer: dict[str, Any]) -> dict[str, Any]:
        """An answer whose picture can be read again; one that cannot be shown is only a link."""
        image = answer.get("image")
        if not self.tool_session.sees and all(
            map(mcp_words.is_picture, _listed(answer.get("images")))
        ):
            answer.pop("images", None)
            answer.pop("ordered", None)
        if not mcp_words.is_picture(image):
            return answer
        assert isinstance(image, dict)
        self._count += 1
        uri = f"{SCHEME}://pictures/{self._count}"
        self._pictures[uri] = {"name": f"{name} {self._count}", **image}
        while len(self._pictures) > PICTURES_KEPT:
            self._pictures.popitem(last=False)
        link = {"uri": uri, "name": f"{name} {self._count}", "mimeType": image["mimeType"]}
        linked = {**answer, "links": [*_listed(answer.get("links")), link]}
        if not self.tool_session.sees:
            del linked["image"]
        return linked

    # Where files may be.

    def root_at(self, uris: list[str]) -> None:
        """Let files be read and written below the folders that the client names."""
        found = []
        for uri in uris:
            split = urlsplit(uri)
            if split.scheme == "file" and split.netloc in ("", "localhost") and split.path:
                found.append(Path(unquote(split.path)))
        roots = self._daemon.files.set_roots(
            self.tool_session.owner, self._folders, found, self._working
        )
        self.tool_session.notices += [
            f"no files are read or written there: {why}" for why in roots.refused
        ]
        self.rooted = True

    # Things to read.

    def resources(self) -> list[dict[str, Any]]:
        """What can be read: the journal, each tab as text and as a picture, the last pictures."""
        journal = {"uri": f"{SCHEME}://journal", "name": "journal", "mimeType": "application/json"}
        found = [{**journal, "description": "What happened in your tabs lately"}]
        for tab in self._daemon.tabs.of(self.tool_session.owner):
            base, name = f"{SCHEME}://tabs/{quote(tab.name, safe='')}", tab.name
            found.append(
                {"uri": f"{base}/snapshot", "name": f"{name} as text", "mimeType": "text/plain"}
            )
            found.append(
                {"uri": f"{base}/screenshot", "name": f"{name} as seen", "mimeType": "image/png"}
            )
        found += [
            {"uri": uri, "name": kept["name"], "mimeType": kept["mimeType"]}
            for uri, kept in self._pictures.items()
        ]
        return found

    def templates(self) -> list[dict[str, Any]]:
        """The kinds of addresses that can be read."""
        return [
            {"uriTemplate": f"{SCHEME}://tabs/{{tab}}/snapshot", "name": "a tab as text"},
            {"uriTemplate": f"{SCHEME}://tabs/{{tab}}/screenshot", "name": "a tab as seen"},
        ]

    async def read(self, uri: str) -> dict[str, Any]:
        """What is at an address. Raises PilothouseError if there is nothing."""
        if kept := self._pictures.get(uri):
            return {"uri": uri, "mimeType": kept["mimeType"], "blob": kept["data"]}
        match uri.removeprefix(f"{SCHEME}://").split("/"):
            case ["journal"] if uri.startswith(SCHEME):
                found = await self._call("journal", {})
                text = between(new_word(), json.dumps(found, ensure_ascii=False), "journal")
                return {"uri": uri, "mimeType": "application/json", "text": text}
            case ["tabs", tab, "snapshot"]:
                found = await self._call("tab.snapshot", {"tab": unquote(tab)})
                return {"uri": uri, "mimeType": "text/plain", "text": _unblocked(found)["text"]}
            case ["tabs", tab, "screenshot"]:
                found = await self._call("tab.screenshot", {"tab": unquote(tab)})
                blob = _unblocked(found)["data"]
                return {"uri": uri, "mimeType": found["mime"], "blob": blob}
        raise ToolError(f"there is nothing at {uri}", hint="see the list of resources")

    async def _call(self, method: str, params: dict[str, Any]) -> Any:
        return await self._daemon.call(self.tool_session.owner, method, params)

    # The end.

    async def leave(self) -> None:
        """The session is over. Nobody else can reach the tabs of one without a name."""
        await self._tasks.close()
        if self.returns:
            return
        try:
            await self._call("close", {"all": True})
            await self._call("disconnect", {})
        except PilothouseError as error:
            _log.warning("tabs of %s are left: %s", self.tool_session.owner, error.line())
        if self._prefers:
            self._daemon.prefer(self.tool_session.owner, {})
        self._daemon.tooling.leave(self.tool_session)
        self._daemon.names.pop(self.tool_session.owner, None)


def _listed(value: Any) -> list[Any]:
    """The items of a list; nothing of anything else."""
    return value if isinstance(value, list) else []


class _Saying:
    """Hears of progress at once, and passes it on in turn."""

    def __init__(self, say: Say | None, tasks: Tasks) -> None:
        self._say = say
        self._tasks = tasks
        self._count = 0
        self._last: asyncio.Task[Any] | None = None

    def progress(self, number: int | str | None, text: str) -> None:
        """One more thing is being done."""
        if self._say is None or (self._last is not None and not self._last.done()):
            return  # a client that lags behind is spared that
        self._count += 1
        self._last = self._tasks.start(self._pass(self._say, self._count, text), "tell progress")

    async def _pass(self, say: Say, count: int, text: str) -> None:
        await say(count, text)


def _unblocked(found: dict[str, Any]) -> dict[str, Any]:
    if found.get("blocked_by"):
        raise ToolError("something blocks the tab", hint="call browser_snapshot to see what")
    return found
