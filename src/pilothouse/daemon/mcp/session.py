"""One MCP session: its tools, its calls, its resources and its folders.

Knows: its tool session, the daemon, and MCP's result shapes. Must not know: the SDK or the
transport. A session is an owner: its tabs are its own, and close when it ends, unless the client
gave an owner name to return to.
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

from pilothouse.asyncio_tasks import Tasks, is_own_cancellation
from pilothouse.daemon.mcp import tool_listing_and_content
from pilothouse.daemon.mcp.options import McpOptions, sees_images
from pilothouse.daemon.rpc import Progress, RpcRequest
from pilothouse.errors import PilothouseError, ToolError, explain
from pilothouse.page.snapshot import new_nonce, wrap_untrusted
from pilothouse.tabs.progress import report_progress_to

if TYPE_CHECKING:
    from pilothouse.daemon.daemon import Daemon
    from pilothouse.tools.context import ToolSession
    from pilothouse.tools.tool import Tool

__all__ = ["McpSession", "ProgressCallback"]

_log = logging.getLogger(__name__)

# Receives progress of a call: a growing number and a text.
ProgressCallback = Callable[[int, str], Awaitable[object]]

SCHEME = "pilothouse"
MAX_PICTURES = 8
MAX_NAME = 60


class McpSession:
    """One MCP client. `keep_tabs`: its owner has a name, so its tabs stay open after the end."""

    def __init__(
        self,
        daemon: Daemon,
        owner: str,
        options: McpOptions | None = None,
        *,
        keep_tabs: bool = False,
    ) -> None:
        options = options or McpOptions()
        self._daemon = daemon
        self._images = options.images or daemon.settings.mcp.images
        self.tool_session: ToolSession = daemon.tool_service.session_for(
            owner, options.platform, options.toolsets
        )
        self.set_client_capabilities({})
        self._has_open_defaults = bool(options.opens)
        if self._has_open_defaults:
            daemon.set_open_defaults(owner, options.opens)
        self._keep_tabs = keep_tabs
        # Folders of `--files`, and where `pilothouse mcp` was started.
        self._folders, self._working = options.files, options.working
        daemon.files.set_roots(owner, options.files, (), options.working)
        # Whether the client has been asked for its roots.
        self.has_roots = False
        self.roots_lock = asyncio.Lock()
        self._pictures: OrderedDict[str, dict[str, str]] = OrderedDict()
        self._count = 0
        self._tasks = Tasks()

    def set_client_capabilities(self, capabilities: Mapping[str, Any]) -> None:
        """Take the client's capabilities: they say whether it accepts images."""
        self.tool_session.accepts_images = sees_images(
            self._images, capabilities.get("experimental")
        )

    def set_client_name(self, name: str) -> None:
        """Remember the client's name. The extension shows it to the user."""
        if name.strip():
            self._daemon.names[self.tool_session.owner] = name.strip()[:MAX_NAME]

    # Tools.

    def available_tools(self) -> list[Tool]:
        """Return the tools to list now. Raises PilothouseError for invalid tool settings."""
        return self._daemon.tool_service.available_tools(self.tool_session)

    def list_tools(self) -> list[dict[str, Any]]:
        """Return the available tools as MCP listings."""
        unlisted = self._daemon.tool_service.unlisted_tools(self.tool_session)
        return [
            tool_listing_and_content.tool_listing(tool, unlisted) for tool in self.available_tools()
        ]

    async def call_tool(
        self, name: str, given: Mapping[str, Any] | None, say: ProgressCallback | None = None
    ) -> dict[str, Any]:
        """Call a tool. Every error becomes a result, except cancellation by the client."""
        daemon, owner, given = self._daemon, self.tool_session.owner, given or {}
        daemon.calls += 1
        noted = RpcRequest(
            f"tab.{name}", {**given, "target": given.get("ref") or given.get("target")}
        )
        redact = daemon.redactor.redact_text
        progress = Progress(_ProgressForwarder(say, self._tasks), 0 if say else None, redact)
        try:
            recorded = daemon.journals.record_call(owner, noted)
            with report_progress_to(progress), recorded as call:
                told = await daemon.tool_service.gate.answer(self.tool_session, name, given)
                call.answer = told.fields
            return tool_listing_and_content.call_result(
                daemon.tool_service.tools.get(name),
                self._with_image_link(name, told.fields),
                told.trusted,
                structured=daemon.settings.mcp.structured,
            )
        except asyncio.CancelledError as error:
            if is_own_cancellation():
                raise
            return self._error_result(name, error)
        except Exception as error:  # noqa: BLE001 - a fault of ours; the client still gets a reply
            _log.exception("%s failed outside the tool gate", name)
            return self._error_result(name, error)
        finally:
            progress.end()

    def _error_result(self, name: str, error: BaseException) -> dict[str, Any]:
        told = explain(error, name)
        answer = {"success": False, "error": told.message, "hint": told.hint}
        return tool_listing_and_content.call_result(None, self._daemon.redactor.redact(answer))

    def _with_image_link(self, name: str, answer: dict[str, Any]) -> dict[str, Any]:
        """Add a link to the answer's image. Clients without image support get only the link."""
        image = answer.get("image")
        if not self.tool_session.accepts_images and all(
            map(tool_listing_and_content.is_image, _as_list(answer.get("images")))
        ):
            answer.pop("images", None)
            answer.pop("ordered", None)
        if not tool_listing_and_content.is_image(image):
            return answer
        assert isinstance(image, dict)
        self._count += 1
        uri = f"{SCHEME}://pictures/{self._count}"
        self._pictures[uri] = {"name": f"{name} {self._count}", **image}
        while len(self._pictures) > MAX_PICTURES:
            self._pictures.popitem(last=False)
        link = {"uri": uri, "name": f"{name} {self._count}", "mimeType": image["mimeType"]}
        linked = {**answer, "links": [*_as_list(answer.get("links")), link]}
        if not self.tool_session.accepts_images:
            del linked["image"]
        return linked

    # Folders.

    def set_roots(self, uris: list[str]) -> None:
        """Allow files below the client's roots. Other than local file: URIs are ignored."""
        found = []
        for uri in uris:
            split = urlsplit(uri)
            if split.scheme == "file" and split.netloc in ("", "localhost") and split.path:
                found.append(Path(unquote(split.path)))
        roots = self._daemon.files.set_roots(
            self.tool_session.owner, self._folders, found, self._working
        )
        self.tool_session.notices += [f"root ignored: {why}" for why in roots.refused]
        self.has_roots = True

    # Resources.

    def list_resources(self) -> list[dict[str, Any]]:
        """List resources: the journal, each tab's snapshot and screenshot, the last images."""
        journal = {"uri": f"{SCHEME}://journal", "name": "journal", "mimeType": "application/json"}
        found = [{**journal, "description": "Recent events in your tabs"}]
        for tab in self._daemon.tabs.owned_by(self.tool_session.owner):
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

    def list_resource_templates(self) -> list[dict[str, Any]]:
        """List the URI templates of resources."""
        return [
            {"uriTemplate": f"{SCHEME}://tabs/{{tab}}/snapshot", "name": "a tab as text"},
            {"uriTemplate": f"{SCHEME}://tabs/{{tab}}/screenshot", "name": "a tab as seen"},
        ]

    async def read_resource(self, uri: str) -> dict[str, Any]:
        """Read a resource by its URI. Raises PilothouseError if there is none."""
        if kept := self._pictures.get(uri):
            return {"uri": uri, "mimeType": kept["mimeType"], "blob": kept["data"]}
        match uri.removeprefix(f"{SCHEME}://").split("/"):
            case ["journal"] if uri.startswith(SCHEME):
                found = await self._call("journal", {})
                text = wrap_untrusted(new_nonce(), json.dumps(found, ensure_ascii=False), "journal")
                return {"uri": uri, "mimeType": "application/json", "text": text}
            case ["tabs", tab, "snapshot"]:
                found = await self._call("tab.snapshot", {"tab": unquote(tab)})
                return {
                    "uri": uri,
                    "mimeType": "text/plain",
                    "text": _require_unblocked(found)["text"],
                }
            case ["tabs", tab, "screenshot"]:
                found = await self._call("tab.screenshot", {"tab": unquote(tab)})
                blob = _require_unblocked(found)["data"]
                return {"uri": uri, "mimeType": found["mime"], "blob": blob}
        raise ToolError(f"there is nothing at {uri}", hint="see the list of resources")

    async def _call(self, method: str, params: dict[str, Any]) -> Any:
        return await self._daemon.call(self.tool_session.owner, method, params)

    # End.

    async def close(self) -> None:
        """End the session. Close its tabs, unless its owner's name lets a client reach them."""
        await self._tasks.close()
        if self._keep_tabs:
            return
        try:
            await self._call("close", {"all": True})
            await self._call("disconnect", {})
        except PilothouseError as error:
            _log.warning("tabs of %s stay open: %s", self.tool_session.owner, error.format_line())
        if self._has_open_defaults:
            self._daemon.set_open_defaults(self.tool_session.owner, {})
        self._daemon.tool_service.forget_session(self.tool_session)
        self._daemon.names.pop(self.tool_session.owner, None)


def _as_list(value: Any) -> list[Any]:
    """Return a list as it is, and any other value as an empty list."""
    return value if isinstance(value, list) else []


class _ProgressForwarder:
    """Forwards progress texts to an async callback, one at a time."""

    def __init__(self, say: ProgressCallback | None, tasks: Tasks) -> None:
        self._say = say
        self._tasks = tasks
        self._count = 0
        self._last: asyncio.Task[Any] | None = None

    def progress(self, number: int | str | None, text: str) -> None:
        """Forward a text, unless the previous one is still being sent."""
        if self._say is None or (self._last is not None and not self._last.done()):
            return  # the client is slow: skip this text
        self._count += 1
        self._last = self._tasks.start(self._send(self._say, self._count, text), "tell progress")

    async def _send(self, say: ProgressCallback, count: int, text: str) -> None:
        await say(count, text)


def _require_unblocked(found: dict[str, Any]) -> dict[str, Any]:
    if found.get("blocked_by"):
        raise ToolError(
            "a dialog or prompt blocks the tab",
            hint="call browser_snapshot to see it, then answer it",
        )
    return found
