"""The daemon: one background process per user that owns browsers, tabs and workers.

Knows: the RPC methods and who may call them. Must not know: the wire (rpc/server.py) or what verbs
do. Every call names an owner, and an owner reaches only its own tabs.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import shutil
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from pilothouse import __version__
from pilothouse.browsers import Browsers, ExtensionKind
from pilothouse.browsers.fallback_browser import default_kind
from pilothouse.code.sandbox import Limits, Runner, Zygote
from pilothouse.daemon.browser_journals import BrowserJournals
from pilothouse.daemon.cdp_event_waits import EventWaits
from pilothouse.daemon.code_run_service import run_code
from pilothouse.daemon.lost_tabs_record import CrashRecord
from pilothouse.daemon.mcp import McpService
from pilothouse.daemon.memory_reclaimer import MemoryReclaimer
from pilothouse.daemon.owner_browser_connections import ConnectedBrowsers
from pilothouse.daemon.owner_folders import SessionFiles
from pilothouse.daemon.owner_journals import Journals
from pilothouse.daemon.relay_service import RelayService
from pilothouse.daemon.rpc import (
    Progress,
    ResultWithNotices,
    RpcClient,
    RpcRequest,
    RpcServer,
    time_limit,
)
from pilothouse.daemon.tab_and_browser_replies import (
    describe_closed,
    describe_opened,
    environment_notices,
    measure_round_trip,
)
from pilothouse.daemon.tool_service import ToolService
from pilothouse.daemon.user_policies_config import Policies
from pilothouse.daemon.web import WebServer
from pilothouse.errors import (
    BrowserError,
    CdpError,
    PilothouseError,
    ToolError,
    UsageError,
)
from pilothouse.paths import RuntimePaths, data_dir
from pilothouse.security.cdp_policy import Sender, check_tool_command, created_by
from pilothouse.security.redaction import Redactor
from pilothouse.settings import Settings
from pilothouse.supervisor import Options, Policy, Supervisor, Supervisors
from pilothouse.supervisor.model import Rule, permission_settings
from pilothouse.tabs.captures import Captures
from pilothouse.tabs.hand_over import decide_request, list_requests, refuse_meanwhile
from pilothouse.tabs.notices import add_notice, collect_notices
from pilothouse.tabs.open_and_close_requests import (
    OpenRequest,
    clamp_timeout,
    close_request,
    names_browser,
    with_preferred,
)
from pilothouse.tabs.progress import report_progress_to
from pilothouse.tabs.tab_calls import TabCalls, limit_call
from pilothouse.tabs.tabs import OpenedTab, OwnedTab, Tabs
from pilothouse.tabs.verb import VERBS, plain
from pilothouse.tabs.verb_descriptions import site_words

__all__ = ["Daemon"]

_log = logging.getLogger(__name__)

IDLE_CHECK_S = 30.0
WORKERS_DELAY_S = 1.0
# `tabs` refreshes titles first. If the browser takes longer, it shows the last known titles.
TITLE_REFRESH_S = 1.0
PAGE_CLOSE_S = 1.0


class Daemon:
    """All state of one user's daemon. `serve` runs it until `end` is called."""

    def __init__(
        self,
        paths: RuntimePaths,
        settings: Settings,
        policies: Policies | None = None,
        browsers: Browsers | None = None,
    ) -> None:
        self.policies = policies or Policies()
        self.paths = paths
        self.settings = settings
        self.relay_service = RelayService(self)
        self.browsers = browsers or Browsers()
        self.browsers.openers = self.relay_service.openers
        self.supervisors = Supervisors()
        self.zygote = Zygote()
        limits = Limits(memory_bytes=settings.daemon.run_memory_mb << 20)
        self.runner = Runner(self.zygote, paths.scratch, limits=limits)
        self.files = SessionFiles(paths, settings.browser)
        self.captures = self._captures()
        self.tabs = Tabs(
            self.browsers,
            self.supervisors,
            default_kind=lambda: default_kind(settings),
            policy=self._policy,
            options=self._options(),
            files=self.files.for_owner,
            follow=lambda supervisor: self._follow(supervisor),
            url_policy_for=self.policies.url_policy_for,
            secrets=self.policies.secrets,
            profiles=self.policies.profile_policy(settings.browser.profile),
            captures=self.captures,
            taken=self.relay_service.describe_taken_tab,
        )
        self.journals = Journals(self.tabs.owner_of, self.tabs.owners_of, self.redactor.redact_text)
        self.browser_journals = BrowserJournals(
            paths.journals, settings.daemon.journal, self.redactor.redact_text
        )
        self.tab_calls = TabCalls(
            self.tabs,
            self.redactor,
            explain=self.relay_service.explain_refusal,
            on_answer=self._write_crash_record,
            watch_errors=self.browser_journals.written_on_internal_error,
        )
        self.event_waits = EventWaits()
        self.tool_service = ToolService(self)
        self.mcp = McpService(self)
        self.web = WebServer(self)
        self.memory = MemoryReclaimer()
        self.server = RpcServer(self.answer, self._on_disconnect, self.memory.count_bytes)
        self.calls = self.exit_code = 0
        self._started_at = self._busy_at = time.monotonic()
        self._stopping = asyncio.Event()
        self.crash_record = CrashRecord(paths.ledger, self.redactor.redact)
        self.connected_browsers = ConnectedBrowsers(self)
        # Parameters of `open` that an MCP session set as its defaults, by owner.
        self._open_defaults: dict[str, Mapping[str, Any]] = {}
        # Names that client programs gave themselves, by owner; shown to the user of the browser.
        self.names: dict[str, str] = {}
        self.methods = self._methods()

    def _methods(self) -> dict[str, Callable[[str, dict[str, Any]], Awaitable[Any]]]:
        """Map the name of each RPC method to its handler."""
        return {
            "open": self._open,
            "close": self._close,
            "connect": self._connect,
            "disconnect": self._disconnect,
            "run": self._run,
            "tabs": self._tabs,
            "journal": self._journal,
            "journal.export": self._export_journal,
            "handover": self._hand_over,
            "status": self._status,
            "stop": self._stop,
            "page.cdp": self._cdp,
            "page.expect": self._expect,
            "page.expected": self._expected,
            "verbs": self._verbs,
            "notices": self._notices,
            "tool": self.tool_service.call_tool,
            "tools": self.tool_service.list_tools,
            "catalogue": self.tool_service.catalogue,
            **self.relay_service.methods,
        }

    @property
    def uptime_s(self) -> float:
        """Seconds since the daemon started."""
        return time.monotonic() - self._started_at

    @property
    def redactor(self) -> Redactor:
        """Removes the user's secrets from replies, files and logs."""
        return self.policies.secrets.redactor

    def _captures(self) -> Captures:
        asked = self.settings.browser
        return Captures(data_dir() / "captures", asked.capture, asked.capture_mb, self.redactor)

    def _options(self) -> Options:
        asked = self.settings.browser
        return Options(
            downloads=str(self.paths.incoming) if asked.downloads else "",
            all_downloads=bool(asked.downloadDir),
            permissions=permission_settings(asked.permissions),
            own_ports=self.policies.own_ports,
        )

    def _policy(self) -> Policy:
        asked = self.settings.browser
        rules = tuple(
            Rule(rule.policy, rule.type or None, rule.origin or None)  # type: ignore[arg-type]
            for rule in asked.dialog_rules
        )
        return Policy(asked.dialog_policy, asked.dialog_timeout_s, rules)  # type: ignore[arg-type]

    async def hide_port(self, port: int) -> None:
        """Keep all agents' pages from a port of ours, also those that are open."""
        self.policies.own_ports.ports.add(port)
        for supervisor in self.supervisors.running():
            applying = (
                supervisor.session_hooks.apply_own_ports(tab) for tab in supervisor.state.tabs
            )
            for problem in await asyncio.gather(*applying, return_exceptions=True):
                # A tab that closed meanwhile is no way in.
                if isinstance(problem, BaseException) and not isinstance(
                    problem, CdpError | ToolError
                ):
                    raise problem

    # Lifecycle.

    async def serve(self) -> None:
        """Listen on the socket until `end` is called or the daemon has been idle for `idle_s`."""
        self.crash_record.read()
        kept = self.settings.daemon
        look_every = min(s for s in (IDLE_CHECK_S, kept.idle_s, kept.tab_idle_s) if s > 0)
        async with self.browsers, self.supervisors:
            shutil.rmtree(self.paths.uploads, ignore_errors=True)
            await asyncio.to_thread(self.files.sweep)
            await self.relay_service.start_if_configured()
            await self.server.start(self.paths.socket)
            # Workers start later: the client that started the daemon usually wants a tab first.
            await self.runner.start(after=WORKERS_DELAY_S)
            self.tool_service.start()
            await self.web.open_if_configured()
            _log.info("daemon started", extra={"pid": os.getpid(), "version": __version__})
            try:
                while not self._stopping.is_set():
                    try:
                        async with asyncio.timeout(look_every):
                            await self._stopping.wait()
                    except TimeoutError:
                        await self._close_idle()
            finally:
                await self.relay_service.close(within=1.0)
                await self.tool_service.close()
                await self.web.close()
                await self.mcp.close()
                await self.server.close()
                self.memory.close()
                await self._close_pages()
                await self.runner.close()
                await self.tabs.url_policies.close()
                self.crash_record.forget()
                shutil.rmtree(self.paths.uploads, ignore_errors=True)
                self.files.close()

    async def _close_pages(self) -> None:
        """Stop listening to all tabs. Give up on browsers that do not answer in PAGE_CLOSE_S."""
        closing = [asyncio.ensure_future(tab.stop()) for tab in self.tabs.all()]
        if closing:
            _, silent = await asyncio.wait(closing, timeout=PAGE_CLOSE_S)
            for one in silent:
                one.cancel()
            await asyncio.gather(*closing, return_exceptions=True)

    async def _close_idle(self) -> None:
        """Close idle tabs, and end the daemon if nothing has used it for `idle_s`."""
        if self.settings.daemon.tab_idle_s > 0:
            since = asyncio.get_running_loop().time() - self.settings.daemon.tab_idle_s
            for tab in await self.tabs.close_idle(since):
                _log.info("closed idle tab %s", tab.tab_id, extra={"owner": tab.owner})
            self._write_crash_record()
        idle = time.monotonic() - self._busy_at
        used = self.tabs.all() or self.server.clients or self.relay_service.is_open
        if not used and not self.web.viewers:
            if idle > self.settings.daemon.idle_s:
                _log.info("idle for %.0f s: stopping the daemon", idle)
                self.end()
        else:
            self._busy_at = time.monotonic()

    def end(self, code: int = 0) -> None:
        """Stop accepting clients now and shut down soon. `code` is the process's exit code."""
        if not self._stopping.is_set():
            self.exit_code = code
            self.server.stop_listening()
            for client in list(self.server.clients):
                if not client.owner:
                    client.drop()  # no hello yet: it redials and starts the next daemon
            self._stopping.set()

    async def _on_disconnect(self, client: RpcClient) -> None:
        """Clean up after a client. Its owner may come back, so its tabs stay open."""
        self._busy_at = time.monotonic()
        await self.mcp.on_disconnect(client)
        await self.web.on_disconnect(client)

    # Calls.

    async def answer(self, client: RpcClient, request: RpcRequest) -> Any:
        """Handle one request and return its result. Raises PilothouseError if it is refused."""
        self.calls += 1
        self._busy_at = time.monotonic()
        if request.method == "hello":
            if self._stopping.is_set():
                client.drop()  # it redials and starts the next daemon
                raise ToolError("the daemon is stopping", hint="connect again")
            return self._hello(client, request.params)
        if not client.owner:
            raise ToolError(
                f"{request.method}: this connection has no owner yet",
                hint='send {"method": "hello", "params": {"owner": ""}} first',
            )
        # These two need the connection itself: it switches to MCP, or keeps the HTTP server open.
        if request.method == "mcp":
            return await self.mcp.attach(client, dict(request.params))
        if request.method == "serve":
            return await self.web.serve(client, dict(request.params))
        # Not a method of `call`: a tool or an agent's code must never get a link.
        if request.method == "dashboard":
            return await self.web.open_dashboard(dict(request.params))
        progress = Progress(client, request.id, self.redactor.redact_text)
        noted = self.journals.record_call(client.owner, request)
        with report_progress_to(progress), noted as call, collect_notices() as notices:
            try:
                result = await self.call(client.owner, request.method, dict(request.params))
                call.answer = result
                return ResultWithNotices(result, tuple(notices)) if notices else result
            finally:
                progress.end()

    async def call(self, owner: str, name: str, params: dict[str, Any]) -> Any:
        """Call an RPC method for an owner. Raises PilothouseError if it is refused.

        Secrets are redacted once: here, or by `TabCalls.perform` for a verb of a tab. Tools, MCP,
        clients and the files they write see only what this returns."""
        if name.startswith("tab."):
            return await self.tab_calls.perform(owner, name.removeprefix("tab."), params)
        errors = self.redactor.redact_errors(), self.browser_journals.written_on_internal_error()
        with errors[0], errors[1]:
            method = self.methods.get(name)
            if method is None:
                known = ", ".join(self.methods)
                raise UsageError(f"method: unknown value {name!r}", hint=f"use one of {known}")
            async with limit_call(name, time_limit(name, params)):
                answer = await method(owner, params)
            # A tool's answer is built from results of this method; the gate redacts the rest.
            return answer if name == "tool" else self.redactor.redact(answer)

    def _hello(self, client: RpcClient, params: dict[str, Any]) -> dict[str, Any]:
        owner = params.get("owner") or f"owner-{secrets.token_hex(6)}"
        if not isinstance(owner, str) or len(owner) > 100 or "\n" in owner:
            raise UsageError(
                "owner: expected a single line of at most 100 characters",
                hint="use letters and digits",
            )
        client.owner = owner
        notices = [
            f"lost in a crash of the daemon: {tab}" for tab in self.crash_record.take_lost(owner)
        ]
        theirs = params.get("version")
        if theirs and theirs != __version__:
            notices.append(
                f"this client is version {theirs}, the daemon is {__version__}: "
                "restart it with `pilothouse daemon stop`"
            )
        notices += environment_notices(params.get("environ"), self.settings)
        return {
            "owner": owner,
            "version": __version__,
            "pid": os.getpid(),
            "notices": notices,
        }

    def _write_crash_record(self) -> None:
        """Save the list of open tabs. If that fails, the current reply carries a notice."""
        if notice := self.crash_record.write(self.tabs.all()):
            add_notice(notice)

    async def _open(self, owner: str, params: dict[str, Any]) -> Any:
        return await self.open(owner, params)

    async def open(
        self, owner: str, params: dict[str, Any], holding: OwnedTab | None = None
    ) -> dict[str, Any]:
        """Open or reuse a tab. `holding` is a tab whose lease the caller already holds."""
        params = self._stay_in_extension_browser(owner, params)
        present = [t for t in self.tabs.owned_by(owner) if t.name == params.get("name", "main")]
        fresh = not present
        for tab in present:
            refuse_meanwhile(tab)
        preferred = {} if self.connected_browsers.has(owner) else self._open_defaults.get(owner, {})
        params = with_preferred(params, preferred, fresh=fresh)
        try:
            wanted = await self.relay_service.resolve_request(
                params, self.connected_browsers.endpoint_for(owner)
            )
            opened = self.relay_service.add_user_notices(
                await self._open_tab(owner, wanted, holding)
            )
        except BrowserError as error:
            if not any(tab.alive for tab in self.tabs.owned_by(owner)):
                # The refusals of switched off tools are told as our own words.
                why = "" if "message" in error.untrusted else f": {error.message}"
                self.tool_service.disable("cdp", f"no browser can be reached{why}", owner)
            raise
        self.tool_service.enable("cdp", owner)
        opened.tab.last_action = (
            f"went to {site_words(wanted.url)}" if wanted.url else "opened the tab"
        )
        self._write_crash_record()
        arrival = plain(opened.arrival)
        opened.tab.note_capture("open", arrival)
        return describe_opened(opened.tab, opened.reused, arrival)

    def _stay_in_extension_browser(self, owner: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters of `open`, kept in the extension browser if the tab lives there.

        A call that names no browser means the tab that the agent already uses."""
        given = dict(params)
        name = given.get("name", "main")
        present = next((tab for tab in self.tabs.owned_by(owner) if tab.name == name), None)
        if present is None or not present.alive or not isinstance(present.kind, ExtensionKind):
            return given
        if names_browser(given) or given.get("target"):
            return given
        return {**given, "browser": "extension", "profile": present.kind.profile}

    async def _open_tab(
        self, owner: str, wanted: OpenRequest, holding: OwnedTab | None
    ) -> OpenedTab:
        """Open a tab. If the user lets agents open none, raise an error that lists shared tabs."""
        try:
            return await self.tabs.open(owner, wanted, holding=holding)
        except PilothouseError as error:
            raise await self.relay_service.explain_not_shared(owner, wanted) or error from None

    def set_open_defaults(self, owner: str, opens: Mapping[str, Any]) -> None:
        """Set defaults for the owner's later calls of `open`; an empty mapping removes them."""
        if opens:
            self._open_defaults[owner] = opens
        else:
            self._open_defaults.pop(owner, None)

    async def _connect(self, owner: str, params: dict[str, Any]) -> Any:
        told = await self.connected_browsers.connect(owner, params)
        self._write_crash_record()
        return told

    async def _disconnect(self, owner: str, params: dict[str, Any]) -> Any:
        told = await self.connected_browsers.disconnect(owner, params)
        self._write_crash_record()
        return told

    async def _close(self, owner: str, params: dict[str, Any]) -> Any:
        wanted = close_request(params)
        closed = await self.tabs.close(owner, wanted)
        self._write_crash_record()
        return describe_closed(wanted.name, wanted.all, closed)

    async def _run(self, owner: str, params: dict[str, Any]) -> Any:
        return await run_code(self, owner, params)

    async def _tabs(self, owner: str, params: dict[str, Any]) -> Any:
        await asyncio.gather(
            *(_refresh_title(tab) for tab in self.tabs.owned_by(owner) if tab.alive)
        )
        return [tab.describe() for tab in self.tabs.owned_by(owner)]

    async def _journal(self, owner: str, params: dict[str, Any]) -> Any:
        number = self.journals.browser_number
        names = {(number(t.supervisor), t.tab_id): t.name for t in self.tabs.owned_by(owner)}
        return self.journals.read(owner, params, names)

    async def _export_journal(self, owner: str, params: dict[str, Any]) -> Any:
        def is_mine(supervisor: Supervisor) -> bool:
            return owner in self.tabs.owners_of(supervisor)

        return {"files": [str(path) for path in self.browser_journals.export(is_mine)]}

    async def _hand_over(self, owner: str, params: dict[str, Any]) -> Any:
        """List what waits for a person in the tabs of all owners, after answering one of them."""
        if request := params.get("id"):
            action, text = str(params.get("action", "")), str(params.get("text", ""))
            decide_request(self.tabs.all(), str(request), action, text)
        return {"requests": list_requests(self.tabs.all())}

    def _follow(self, supervisor: Supervisor) -> None:
        self.journals.follow(supervisor)
        self.browser_journals.follow(supervisor)

    async def _cdp(self, owner: str, params: dict[str, Any]) -> Any:
        tab = self.tabs.get(owner, params.get("tab", "main"))
        refuse_meanwhile(tab)
        command, given = params.get("command", ""), params.get("params") or {}
        frame = str(params.get("frame_id") or "")
        if frame:
            tab.page.tab_context.frame(frame)  # of this tab, or refused
        supervisor = tab.supervisor
        session = supervisor.frame(frame)[0] if frame else supervisor.session(tab.tab_id)
        sender = Sender(
            check_url=lambda url: supervisor.url_policy.check_navigation(tab.tab_id, url),
            owns_cookie_jar=self.tabs.owns_context(tab),
            created=tab.added_by_cdp.get(session.id, frozenset()),
        )
        check_tool_command(command, given, sender)
        within = clamp_timeout(params.get("timeout"))
        outcome = await tab.supervisor.cdp(
            command, given, tab=tab.tab_id, frame_id=frame, deadline=within
        )
        if outcome.value is not None and (made := created_by(command, given, outcome.value)):
            tab.added_by_cdp.setdefault(session.id, set()).update(made)
        return plain(outcome)

    async def _expect(self, owner: str, params: dict[str, Any]) -> Any:
        tab = self.tabs.get(owner, params.get("tab", "main"))
        refuse_meanwhile(tab)
        return self.event_waits.arm(tab, params.get("event"), params.get("timeout"))

    async def _expected(self, owner: str, params: dict[str, Any]) -> Any:
        tab = self.tabs.get(owner, params.get("tab", "main"))
        found = plain(await self.event_waits.fetch(tab, params.get("key")))
        refuse_meanwhile(tab)  # what happened while a person has the tab is not the agent's
        return found

    async def _notices(self, owner: str, params: dict[str, Any]) -> Any:
        return self.tab_calls.take_notices(owner, params.get("tab", "main"))

    async def _verbs(self, owner: str, params: dict[str, Any]) -> Any:
        return {name: verb.about for name, verb in VERBS.items()}

    async def _stop(self, owner: str, params: dict[str, Any]) -> Any:
        self.end()
        return {"text": "The daemon is stopping."}

    async def _status(self, owner: str, params: dict[str, Any]) -> Any:
        """Report status. Each browser is checked with a round trip, not by a stored flag."""
        lines = {id(tab.supervisor): tab for tab in self.tabs.all()}
        return {
            "version": __version__,
            "pid": os.getpid(),
            "uptime_s": round(self.uptime_s, 1),
            "calls": self.calls,
            "clients": len(self.server.clients),
            "zygote": self.zygote.pid,
            "walls": self.runner.sandbox_layers,
            "tabs": len(self.tabs.owned_by(owner)),
            "browsers": await asyncio.gather(*(measure_round_trip(tab) for tab in lines.values())),
            "settings": str(self.paths.root),
            "relay": self.relay_service.status(),
            "captures": await asyncio.to_thread(self.captures.describe),
            "sizes": self._sizes(),
        }

    def _sizes(self) -> dict[str, int]:
        """Count everything that could leak. Tests check that it does not grow with calls."""
        supervisors = {id(tab.supervisor): tab.supervisor for tab in self.tabs.all()}
        return {
            "tabs": len(self.tabs.all()),
            "waits": len(self.event_waits),
            "journal": len(self.journals),
            "policies": sum(len(one.state.policies) for one in supervisors.values()),
            "tasks": len(asyncio.all_tasks()),
        }


async def _refresh_title(tab: OwnedTab) -> None:
    try:
        await tab.supervisor.refresh(tab.tab_id, TITLE_REFRESH_S)
    except (CdpError, ToolError) as error:
        _log.debug("tab %s: showing the last known title: %s", tab.tab_id, error)
