"""External MCP servers: starts them, restarts them, and keeps their tools in the catalogue.

Knows: when a server starts, what happens when it ends, where its tools go. Must not know: the SDK
(sdk_client.py) or how tools are made (tools/catalog/external_tool_conversion.py). A server that is
slow, dead or misbehaving affects only its own tools. Its processes end with the daemon, even if
that is killed.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
import os
import random
import secrets
import shutil
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import msgspec
from msgspec.structs import replace

from pilothouse.asyncio_tasks import Tasks, wait_for_result
from pilothouse.browsers.launcher import GuardedRun, GuardianClient, end_run
from pilothouse.cdp.backoff import Backoff
from pilothouse.daemon.external_mcp_servers.secrets import (
    SECRETS,
    fill_variables,
    make_server_redactor,
)
from pilothouse.daemon.late_imports import import_late
from pilothouse.errors import PilothouseError, ToolError, WaitTimeout
from pilothouse.tabs.progress import report_progress
from pilothouse.tools.catalog import (
    is_included,
    local_tool_name,
    parse_result,
    server_toolset,
    tools_from_listing,
)
from pilothouse.tools.context import ToolContext
from pilothouse.tools.tool import Fields, RunFunction, Tool
from pilothouse.tools.tool_config_file import McpServerConfig

if TYPE_CHECKING:
    from pilothouse.daemon.external_mcp_servers.sdk_client import McpClientConnection

__all__ = ["ExternalMcpServers", "ServerTimeouts", "ToolSink"]

_log = logging.getLogger(__name__)

_SDK = "pilothouse.daemon.external_mcp_servers.sdk_client"
MAX_REASON = 300


class ToolSink(Protocol):
    """The list of tools that servers add to. `ToolService` is one."""

    tools: dict[str, Tool]

    def add(self, tools: Iterable[Tool]) -> None:
        """Add tools."""

    def remove(self, names: Iterable[str]) -> None:
        """Remove tools by name."""

    def disable(self, name: str, reason: str) -> None:
        """Disable a toolset, with a reason."""

    def enable(self, name: str) -> None:
        """Enable a toolset again."""


class ServerTimeouts(msgspec.Struct, frozen=True):
    """Timeouts and intervals of external servers, in seconds."""

    start: float = 60.0  # until initialize is done; `npx` may download the server first
    listing: float = 30.0
    call: float = 120.0
    # A server that ran this long was healthy: the next start is not delayed.
    healthy_after: float = 30.0
    # Interval of attempts to reach a remote server, after the backoff is exhausted.
    retry_remote: float = 60.0
    # Remote servers are polled: an HTTP connection does not show that the server has ended.
    poll: float = 30.0
    debounce: float = 0.1
    # Factor for the delays of the backoff; tests make it small.
    backoff_scale: float = 1.0
    wait_for_tool: float = 20.0


class ExternalMcpServers:
    """All external MCP servers of a daemon, by name."""

    def __init__(
        self, catalogue: ToolSink, root: Path, times: ServerTimeouts | None = None
    ) -> None:
        self.catalogue = catalogue
        self.times = times or ServerTimeouts()
        self.guard = GuardianClient()
        self._root = root
        self._lifecycles: dict[str, _ServerLifecycle] = {}
        self._tasks = Tasks()
        self._start_allowed = asyncio.Event()
        self._sdk: asyncio.Task[Any] | None = None

    def allow_start(self) -> None:
        """Let servers start: the daemon is idle, or a client wants one of their tools."""
        self._start_allowed.set()

    def set_servers(self, wanted: Mapping[str, McpServerConfig]) -> None:
        """Run exactly these servers: start new ones, end others, restart changed ones."""
        wanted = {name: server for name, server in wanted.items() if server.enabled}
        for name, lifecycle in list(self._lifecycles.items()):
            if wanted.get(name) != lifecycle.server:
                del self._lifecycles[name]
                lifecycle.leave()
        for name, server in wanted.items():
            if name not in self._lifecycles:
                self._lifecycles[name] = _ServerLifecycle(self, server)

    def reasons(self) -> dict[str, str]:
        """Return the reason for each unavailable server."""
        return {
            name: lifecycle.reason
            for name, lifecycle in self._lifecycles.items()
            if lifecycle.reason
        }

    async def wait_for_tool(self, tool: str) -> None:
        """Wait a while for the server that may provide a tool that is not listed yet."""
        self.allow_start()
        waiting = [
            asyncio.ensure_future(lifecycle.status_known.wait())
            for name, lifecycle in self._lifecycles.items()
            if tool.startswith(local_tool_name(name, ""))
        ]
        if waiting:
            try:
                await asyncio.wait(waiting, timeout=self.times.wait_for_tool)
            finally:
                for one in waiting:
                    one.cancel()

    async def close(self) -> None:
        """End all servers and their processes."""
        self._lifecycles.clear()
        await self._tasks.close()
        await self.guard.close()

    def run(self, work: Any, name: str) -> asyncio.Task[Any]:
        """Run a background task of a server's lifecycle."""
        return self._tasks.start(work, name)

    async def sdk(self) -> Any:
        """Import the SDK in a thread, once servers may start."""
        await self._start_allowed.wait()
        if self._sdk is None:
            self._sdk = self.run(asyncio.to_thread(import_late, _SDK), "import the MCP SDK")
        return (await wait_for_result(self._sdk))[0]

    def new_run(self, name: str) -> GuardedRun:
        """Return the mark by which a server's processes can be found and ended."""
        return GuardedRun(str(self._root / "servers" / f"{name}-{secrets.token_hex(6)}"))


class _ServerLifecycle:
    """Starts one server, watches it, and restarts it."""

    def __init__(self, servers: ExternalMcpServers, server: McpServerConfig) -> None:
        self.server = server
        # Set once the server is either available or has failed for the first time.
        self.status_known = asyncio.Event()
        self.reason = ""
        self._servers = servers
        self._tools: dict[str, Tool] = {}
        self._connection: McpClientConnection | None = None
        self._worked = self._left = False
        # Errors must not show any value the server was given; results only no secrets.
        self._redactor = make_server_redactor(server, os.environ)
        self._secret_redactor = make_server_redactor(server, os.environ, SECRETS)
        self._disable(f"the MCP server {server.name} is starting")
        self._task = servers.run(self._run_forever(), f"mcp server {server.name}")

    def leave(self) -> None:
        """End the server and remove its tools."""
        self._left = True
        self._task.cancel()
        self._servers.catalogue.remove([tool.name for tool in self._tools.values()])
        self._servers.catalogue.enable(server_toolset(self.server.name))

    def _disable(self, reason: str) -> None:
        self.reason = reason
        if not self._left:
            self._servers.catalogue.disable(server_toolset(self.server.name), reason)

    # Lifecycle.

    async def _run_forever(self) -> None:
        sdk = await self._servers.sdk()
        times, backoff, name = self._servers.times, Backoff(), self.server.name
        loop = asyncio.get_running_loop()
        while True:
            began, self._worked = loop.time(), False
            why = await self._run_once(sdk)
            worked = self._worked or loop.time() - began > times.healthy_after
            backoff = backoff.after_drop(worked=worked)
            over = backoff.exhausted and bool(self.server.command)
            then = "given up: fix it, then restart the daemon" if over else "retrying"
            self._disable(f"the MCP server {name} is unavailable: {why} ({then})")
            _log.warning("mcp server %s: %s", name, why, extra={"failures": backoff.failures})
            self.status_known.set()
            if over:
                return
            wait = backoff.delay(random.random()) * times.backoff_scale
            await asyncio.sleep(times.retry_remote if backoff.exhausted else wait)

    async def _run_once(self, sdk: Any) -> str:
        """Run the server until it ends, and return the reason."""
        servers, tail = self._servers, sdk.StderrTail()
        try:
            reach = fill_variables(self.server, os.environ)
            _check_program(reach)
        except PilothouseError as error:
            return self._shorten(error.format_line())
        run = servers.new_run(self.server.name)
        try:
            if self.server.command:
                servers.guard.guard(run)
            line = sdk.connect_server(
                command=reach.command, args=reach.args, env=reach.env, url=reach.url,
                headers=reach.headers, mark=run.path, tail=tail, within=servers.times.start,
            )  # fmt: skip
            async with line as connection:
                try:
                    await self._watch(connection)
                finally:
                    self._connection = None
                    self._disable(f"the MCP server {self.server.name} has ended")
            why = "it ended"
        except Exception as error:  # noqa: BLE001
            # Any failure of the server, its transport or the SDK concerns this server only.
            why = _describe_failure(error)
        finally:
            if self.server.command:
                await asyncio.to_thread(end_run, run)
                servers.guard.unguard(run.path)
        said = await tail.last_line() if self.server.command else ""
        return self._shorten(f"{why}: {said}" if said and said not in why else why)

    async def _watch(self, connection: McpClientConnection) -> None:
        """Keep the catalogue up to date with the server's tools until the connection ends."""
        times = self._servers.times
        every = None if self.server.command else times.poll
        while not connection.lost:
            connection.changed.clear()
            async with asyncio.timeout(times.listing):
                listing = await connection.list_tools()
            self._connection = connection
            self._show(listing)
            try:
                async with asyncio.timeout(every):
                    await connection.changed.wait()
                if not connection.lost:
                    await asyncio.sleep(times.debounce)  # many changes, one listing
            except TimeoutError:
                continue

    def _show(self, listing: list[dict[str, Any]]) -> None:
        server, catalogue = self.server, self._servers.catalogue
        listing = [
            said
            for said in listing
            if is_included(server.name, str(said.get("name")), server.include, server.exclude)
        ]
        now = tools_from_listing(server.name, listing, self._make_run)
        mine = {tool.name for tool in self._tools.values()}
        for name, tool in list(now.items()):
            known = catalogue.tools.get(tool.name)
            if known is not None and tool.name not in mine:
                _log.warning("mcp server %s: tool name %s is taken", server.name, tool.name)
                del now[name]
            elif known is not None and replace(tool, run=known.run) == known:
                now[name] = known
        kept = {tool.name for tool in now.values()}
        come = [tool for tool in now.values() if catalogue.tools.get(tool.name) is not tool]
        self._tools = now
        if gone := mine - kept:
            catalogue.remove(sorted(gone))
        if come:
            catalogue.add(come)
        self.reason = ""
        catalogue.enable(server_toolset(server.name))
        self.status_known.set()

    # Calls.

    def _make_run(self, tool: str) -> RunFunction:
        async def run(tool_context: ToolContext, given: Mapping[str, Any]) -> Fields:
            return await self._call(tool, given)

        return run

    async def _call(self, tool: str, given: Mapping[str, Any]) -> Fields:
        name, connection = self.server.name, self._connection
        if connection is None or connection.lost:
            problem = self.reason or f"the MCP server {name} is unavailable"
            raise ToolError(problem, hint="wait: its tools come back when the server does")
        within = self._servers.times.call
        heard = _caller_progress()
        try:
            async with asyncio.timeout(within):
                result = await connection.call(tool, given, heard)
        except TimeoutError:
            raise WaitTimeout(
                f"{tool} of the MCP server {name} took longer than {within:g} s",
                hint="the call was cancelled: request less at once",
            ) from None
        except Exception as error:  # noqa: BLE001
            # As in _run_once. An ended connection gets its own error text.
            connection.changed.set()
            if connection.lost:
                raise ToolError(
                    f"the MCP server {name} ended during {tool}",
                    hint="it restarts: check whether the call took effect before you repeat it",
                ) from None
            raise ToolError(
                self._shorten(_describe_failure(error)),
                hint=f"this error is from the MCP server {name}",
            ) from None
        self._worked = True
        return parse_result(name, self._secret_redactor.redact(result))

    def _shorten(self, text: str) -> str:
        text = " ".join(self._redactor.redact_text(text).split())
        return text if len(text) <= MAX_REASON else f"{text[:MAX_REASON]}…"


def _caller_progress() -> Callable[[str], object]:
    """Return a callback that reports progress of the current call from the SDK's task.

    The SDK calls it in another task, which lacks the context variables of this call."""
    context = contextvars.copy_context()
    return lambda text: context.run(report_progress, text)


def _check_program(server: McpServerConfig) -> None:
    path = server.env.get("PATH") or os.environ.get("PATH")
    if server.command and shutil.which(server.command, path=path) is None:
        raise PilothouseError(
            f"command: program {server.command} not found",
            hint=f"install it, or correct {server.place}",
        )


def _describe_failure(error: BaseException) -> str:
    """Describe an error in one line; of an exception group, its first cause."""
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    if isinstance(error, PilothouseError):
        return error.format_line()
    if isinstance(error, TimeoutError):
        return "it did not answer in time"
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    said = str(error) or type(error).__name__
    return "it ended" if said == "Connection closed" else said
