"""The daemon: one daemon for one user, which has the browsers, the tabs and the code that runs.

Knows: its methods and who may call them. Must not know: the wire (server.py) or what verbs do.
Every call comes from an owner; an owner only ever reaches its own tabs.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import secrets
import shutil
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from pilothouse import __version__
from pilothouse.browsers import Browsers, Extension
from pilothouse.code.sandbox import Limits, Runner, Zygote
from pilothouse.daemon.browser_connections import JoinedBrowsers
from pilothouse.daemon.crash_record import Ledger
from pilothouse.daemon.default_browser import usual
from pilothouse.daemon.event_waits import Expecting
from pilothouse.daemon.journals import Journals
from pilothouse.daemon.mcp import Mcp
from pilothouse.daemon.mcp_http import Web
from pilothouse.daemon.memory import Memory
from pilothouse.daemon.relay_service import Relaying
from pilothouse.daemon.rpc import Client, Progress, Request, Server, WithNotices, time_limit
from pilothouse.daemon.run_service import run_code
from pilothouse.daemon.session_files import SessionFiles
from pilothouse.daemon.tab_report import closed_shown, environment_notices, opened_shown, proof
from pilothouse.daemon.tool_service import Tooling
from pilothouse.errors import (
    BrowserError,
    CdpError,
    CommandTimeout,
    PilothouseError,
    ToolError,
)
from pilothouse.paths import RuntimePaths
from pilothouse.security.cdp_policy import Sender, check_tool_command, made_by
from pilothouse.security.redaction import Redactor
from pilothouse.settings import Settings
from pilothouse.supervisor import Options, Policy, Supervisors
from pilothouse.supervisor.model import Rule, decided
from pilothouse.tabs.action_text import action_words, site_words
from pilothouse.tabs.notices import add_notice, collect_notices
from pilothouse.tabs.open_request import (
    OpenRequest,
    clamp_timeout,
    close_request,
    names_browser,
    with_preferred,
)
from pilothouse.tabs.progress import heard_by
from pilothouse.tabs.tabs import Opened, OwnedTab, Tabs
from pilothouse.tabs.verb import VERBS, invoke, plain
from pilothouse.tools.policies import Policies

__all__ = ["Daemon"]

_log = logging.getLogger(__name__)

LOOK_EVERY_S = 30.0
WORKERS_AFTER_S = 1.0
# Titles are asked for by `tabs`; a browser that is slow to tell shows the last ones.
REFRESHED_WITHIN_S = 1.0
LETS_GO_WITHIN_S = 1.0
# What ends by its own deadline does so in better words: the limit of a call comes a little later.
GRACE_S = 0.8


class Daemon:
    """Everything of one user. `serve` returns when the daemon is to end."""

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
        self.relaying = Relaying(self)
        self.browsers = browsers or Browsers()
        self.browsers.openers = self.relaying.openers
        self.supervisors = Supervisors()
        self.zygote = Zygote()
        limits = Limits(memory_bytes=settings.daemon.run_memory_mb << 20)
        self.runner = Runner(self.zygote, paths.scratch, limits=limits)
        self.files = SessionFiles(paths, settings.browser)
        self.tabs = Tabs(
            self.browsers,
            self.supervisors,
            usual=lambda: usual(settings),
            policy=self._policy,
            options=Options(
                downloads=str(paths.incoming) if settings.browser.downloads else "",
                all_downloads=bool(settings.browser.downloadDir),
                permissions=decided(settings.browser.permissions),
            ),
            files=self.files.of,
            follow=lambda supervisor: self.journals.follow(supervisor),
            fence=self.policies.fence,
            secrets=self.policies.secrets,
            profiles=self.policies.profile_policy(settings.browser.profile),
            taken=self.relaying.taken,
        )
        self.journals = Journals(self.tabs.whose, self.tabs.users, self.redactor.text)
        self.expecting = Expecting()
        self.tooling = Tooling(self)
        self.mcp = Mcp(self)
        self.web = Web(self)
        self.memory = Memory()
        self.server = Server(self.answer, self._gone, self.memory.spent)
        self.calls = self.code = 0
        self.began = self._busy_at = time.monotonic()
        self._over = asyncio.Event()
        self.ledger = Ledger(paths.ledger, self.redactor.redact)
        self.joined = JoinedBrowsers(self)
        # What `open` is asked for where an owner's session says nothing else.
        self._preferred: dict[str, Mapping[str, Any]] = {}
        # What the programs of owners call themselves, for people to read.
        self.names: dict[str, str] = {}
        self.methods = self._methods()

    def _methods(self) -> dict[str, Callable[[str, dict[str, Any]], Awaitable[Any]]]:
        """What clients can call, by name."""
        return {
            "open": self._open,
            "close": self._close,
            "connect": self._connect,
            "disconnect": self._disconnect,
            "run": self._run,
            "tabs": self._tabs,
            "journal": self._journal,
            "status": self._status,
            "stop": self._stop,
            "page.cdp": self._cdp,
            "page.expect": self._expect,
            "page.expected": self._expected,
            "verbs": self._verbs,
            "notices": self._notices,
            "tool": self.tooling.use,
            "tools": self.tooling.listed,
            "catalogue": self.tooling.catalogue,
            **self.relaying.methods,
        }

    @property
    def redactor(self) -> Redactor:
        """Takes the user's secrets out of what is said, kept or logged."""
        return self.policies.secrets.redactor

    def _policy(self) -> Policy:
        asked = self.settings.browser
        rules = tuple(
            Rule(rule.policy, rule.type or None, rule.origin or None)  # type: ignore[arg-type]
            for rule in asked.dialog_rules
        )
        return Policy(asked.dialog_policy, asked.dialog_timeout_s, rules)  # type: ignore[arg-type]

    # Life.

    async def serve(self) -> None:
        """Open the door and stay until told to go, or until nobody came for long."""
        self.ledger.read()
        kept = self.settings.daemon
        look_every = min(s for s in (LOOK_EVERY_S, kept.idle_s, kept.tab_idle_s) if s > 0)
        async with self.browsers, self.supervisors:
            shutil.rmtree(self.paths.uploads, ignore_errors=True)
            await asyncio.to_thread(self.files.sweep)
            await self.relaying.begin()
            await self.server.start(self.paths.socket)
            # Whoever had the daemon started waits for something else first.
            await self.runner.start(after=WORKERS_AFTER_S)
            self.tooling.start()
            _log.info("the daemon is open", extra={"pid": os.getpid(), "version": __version__})
            try:
                while not self._over.is_set():
                    try:
                        async with asyncio.timeout(look_every):
                            await self._over.wait()
                    except TimeoutError:
                        await self._look_around()
            finally:
                await self.relaying.close(within=1.0)
                await self.tooling.close()
                await self.web.close()
                await self.mcp.close()
                await self.server.close()
                self.memory.close()
                await self._let_go()
                await self.runner.close()
                await self.tabs.fencing.close()
                self.ledger.forget()
                shutil.rmtree(self.paths.uploads, ignore_errors=True)
                self.files.close()

    async def _let_go(self) -> None:
        """Hear nothing more of any tab; a browser that does not answer is not waited for."""
        closing = [asyncio.ensure_future(tab.page.close()) for tab in self.tabs.everyone()]
        if closing:
            _, silent = await asyncio.wait(closing, timeout=LETS_GO_WITHIN_S)
            for one in silent:
                one.cancel()
            await asyncio.gather(*closing, return_exceptions=True)

    async def _look_around(self) -> None:
        if self.settings.daemon.tab_idle_s > 0:
            since = asyncio.get_running_loop().time() - self.settings.daemon.tab_idle_s
            for tab in await self.tabs.close_idle(since):
                _log.info("tab %s was idle and is closed", tab.tab_id, extra={"owner": tab.owner})
            self._write_ledger()
        idle = time.monotonic() - self._busy_at
        if not self.tabs.everyone() and not self.server.clients and not self.relaying.busy:
            if idle > self.settings.daemon.idle_s:
                _log.info("nobody was here for %.0f s: the daemon closes", idle)
                self.end()
        else:
            self._busy_at = time.monotonic()

    def end(self, code: int = 0) -> None:
        """Close the daemon: its door at once, the rest soon. `code` is what its process ends
        with."""
        if not self._over.is_set():
            self.code = code
            self.server.shut()
            for client in list(self.server.clients):
                if not client.owner:
                    client.drop()  # nobody yet: it dials again, and finds the next daemon
            self._over.set()

    async def _gone(self, client: Client) -> None:
        """A client hung up. Its owner may come back: tabs stay until they are idle or closed."""
        self._busy_at = time.monotonic()
        await self.mcp.gone(client)
        await self.web.gone(client)

    # Calls.

    async def answer(self, client: Client, request: Request) -> Any:
        """The result of one call. Raises PilothouseError for what is refused."""
        self.calls += 1
        self._busy_at = time.monotonic()
        if request.method == "hello":
            if self._over.is_set():
                client.drop()  # it dials again, and finds the next daemon
                raise ToolError("the daemon closes", hint="dial again")
            return self._hello(client, request.params)
        if not client.owner:
            raise ToolError("say hello first", hint='{"method": "hello", "params": {"owner": ""}}')
        # These two are about the line itself: it becomes MCP, or keeps a web server open.
        if request.method == "mcp":
            return await self.mcp.attach(client, dict(request.params))
        if request.method == "serve":
            return await self.web.serve(client, dict(request.params))
        progress = Progress(client, request.id, self.redactor.text)
        noted = self.journals.noted(client.owner, request)
        with heard_by(progress), noted, collect_notices() as notices:
            try:
                result = await self.call(client.owner, request.method, dict(request.params))
                return WithNotices(result, tuple(notices)) if notices else result
            finally:
                progress.end()

    async def call(self, owner: str, name: str, params: dict[str, Any]) -> Any:
        """A method of the daemon, as an owner calls it. Raises PilothouseError for what is
        refused.

        This is where secrets are taken out, once: tools, MCP, clients and the files they write
        only ever have what this returned. Code in a run has the same (running.py)."""
        with self.redactor.errors():
            answer = await self._in_time(owner, name, params)
            # A tool's answer is made of answers of this; the gate redacts what is not.
            return answer if name == "tool" else self.redactor.redact(answer)

    async def _in_time(self, owner: str, name: str, params: dict[str, Any]) -> Any:
        """Do it within the caller's timeout, or raise CommandTimeout."""
        within = time_limit(name, params)
        try:
            async with asyncio.timeout(within and within + GRACE_S) as limit:
                return await self._called(owner, name, params)
        except TimeoutError:
            if not limit.expired():
                raise
            raise _overdue(name, within or 0.0) from None

    async def _called(self, owner: str, name: str, params: dict[str, Any]) -> Any:
        if name.startswith("tab."):
            return await self.verb(owner, name.removeprefix("tab."), params)
        method = self.methods.get(name)
        if method is None:
            raise ToolError(f"there is no method {name!r}", hint=", ".join(self.methods))
        return await method(owner, params)

    def _hello(self, client: Client, params: dict[str, Any]) -> dict[str, Any]:
        owner = params.get("owner") or f"owner-{secrets.token_hex(6)}"
        if not isinstance(owner, str) or len(owner) > 100 or "\n" in owner:
            raise ToolError("owner: a short text is wanted", hint="letters and digits")
        client.owner = owner
        notices = [f"lost in a crash of the daemon: {tab}" for tab in self.ledger.take_lost(owner)]
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

    async def verb(self, owner: str, name: str, params: dict[str, Any]) -> Any:
        """Do a verb on one of the owner's tabs, in its turn."""
        tab = self.tabs.get(owner, params.pop("tab", "main"))
        found = VERBS.get(name)
        own = found is None or any(p.name == "timeout" for p in found.parameters)
        # Verbs without a deadline of their own still wait for their turn no longer than this.
        wait = clamp_timeout(params.get("timeout") if own else params.pop("timeout", None))
        try:
            if found is None or found.free:
                answered = await invoke(tab, name, params)
            else:
                async with tab.lease.held(name, wait):
                    answered = await invoke(tab, name, params)
        except PilothouseError as error:
            raise self.relaying.refused(tab, error) from error
        told = self.told(owner, plain(answered))
        tab.did = action_words(name, params, told) or tab.did
        return told

    def _write_ledger(self) -> None:
        """Bookkeeping: the reply of the current call says if it failed."""
        if notice := self.ledger.write(self.tabs.everyone()):
            add_notice(notice)

    def told(self, owner: str, answer: Any) -> Any:
        """An answer with new tabs by the names their owner knows them by."""
        if isinstance(answer, dict) and answer.get("new_tabs"):
            names = {tab.tab_id: tab.name for tab in self.tabs.of(owner)}
            for tab in answer["new_tabs"]:
                said = f"new tab {names.get(tab, tab)}"
                answer["text"] = answer.get("text", "").replace(f"new tab {tab}", said)
            answer["new_tabs"] = [names.get(tab, tab) for tab in answer["new_tabs"]]
        self._write_ledger()
        return answer

    async def _open(self, owner: str, params: dict[str, Any]) -> Any:
        return await self.open(owner, params)

    async def open(
        self, owner: str, params: dict[str, Any], holding: OwnedTab | None = None
    ) -> dict[str, Any]:
        """Open or reuse a tab; `holding` is the one whose turn the caller has."""
        params = self._where_it_is(owner, params)
        fresh = all(tab.name != params.get("name", "main") for tab in self.tabs.of(owner))
        preferred = {} if self.joined.has(owner) else self._preferred.get(owner, {})
        params = with_preferred(params, preferred, fresh=fresh)
        try:
            wanted = await self.relaying.wanted(params, self.joined.of(owner))
            opened = self.relaying.met(await self._opened(owner, wanted, holding))
        except BrowserError as error:
            if not any(tab.alive for tab in self.tabs.of(owner)):
                self.tooling.shut("cdp", f"no browser can be reached: {error.message}", owner)
            raise
        self.tooling.open("cdp", owner)
        opened.tab.did = f"went to {site_words(wanted.url)}" if wanted.url else "opened the tab"
        if opened.arrival is not None and opened.arrival.action_id:
            opened.tab.actions.add(opened.arrival.action_id)
        self._write_ledger()
        return opened_shown(opened.tab, opened.reused, plain(opened.arrival))

    def _where_it_is(self, owner: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """What a call of `open` asks for. A living tab of the user's Chrome is meant where the call
        names no browser: the agent adopted it, and goes on in it."""
        given = dict(params)
        name = given.get("name", "main")
        present = next((tab for tab in self.tabs.of(owner) if tab.name == name), None)
        if present is None or not present.alive or not isinstance(present.kind, Extension):
            return given
        if names_browser(given) or given.get("target"):
            return given
        return {**given, "browser": "extension", "profile": present.kind.profile}

    async def _opened(self, owner: str, wanted: OpenRequest, holding: OwnedTab | None) -> Opened:
        """Open a tab, or say which tabs the user shares where the user lets nobody open one."""
        try:
            return await self.tabs.open(owner, wanted, holding=holding)
        except PilothouseError as error:
            raise await self.relaying.explain(owner, wanted) or error from None

    def prefer(self, owner: str, opens: Mapping[str, Any]) -> None:
        """From now on open an owner's tabs like this, where a call says nothing else."""
        if opens:
            self._preferred[owner] = opens
        else:
            self._preferred.pop(owner, None)

    async def _connect(self, owner: str, params: dict[str, Any]) -> Any:
        told = await self.joined.connect(owner, params)
        self._write_ledger()
        return told

    async def _disconnect(self, owner: str, params: dict[str, Any]) -> Any:
        told = await self.joined.disconnect(owner, params)
        self._write_ledger()
        return told

    async def _close(self, owner: str, params: dict[str, Any]) -> Any:
        wanted = close_request(params)
        closed = await self.tabs.close(owner, wanted)
        self._write_ledger()
        return closed_shown(wanted.name, wanted.all, closed)

    async def _run(self, owner: str, params: dict[str, Any]) -> Any:
        return await run_code(self, owner, params)

    async def _tabs(self, owner: str, params: dict[str, Any]) -> Any:
        await asyncio.gather(*(_refreshed(tab) for tab in self.tabs.of(owner) if tab.alive))
        return [tab.shown() for tab in self.tabs.of(owner)]

    async def _journal(self, owner: str, params: dict[str, Any]) -> Any:
        number = self.journals.number
        names = {(number(t.supervisor), t.tab_id): t.name for t in self.tabs.of(owner)}
        return self.journals.read(owner, params, names)

    async def _cdp(self, owner: str, params: dict[str, Any]) -> Any:
        tab = self.tabs.get(owner, params.get("tab", "main"))
        command, given = params.get("command", ""), params.get("params") or {}
        frame = str(params.get("frame_id") or "")
        if frame:
            tab.page.tab_context.frame(frame)  # of this tab, or refused
        supervisor = tab.supervisor
        session = supervisor.frame(frame)[0] if frame else supervisor.session(tab.tab_id)
        sender = Sender(
            going=lambda url: supervisor.fences.check(tab.tab_id, url),
            own_jar=self.tabs.owns_jar(tab),
            made=tab.made.get(session.id, frozenset()),
        )
        check_tool_command(command, given, sender)
        within = clamp_timeout(params.get("timeout"))
        outcome = await tab.supervisor.cdp(
            command, given, tab=tab.tab_id, frame_id=frame, deadline=within
        )
        if outcome.action_id:
            tab.actions.add(outcome.action_id)
        if outcome.value is not None and (made := made_by(command, given, outcome.value)):
            tab.made.setdefault(session.id, set()).update(made)
        return plain(outcome)

    async def _expect(self, owner: str, params: dict[str, Any]) -> Any:
        tab = self.tabs.get(owner, params.get("tab", "main"))
        return self.expecting.arm(tab, params.get("event"), params.get("timeout"))

    async def _expected(self, owner: str, params: dict[str, Any]) -> Any:
        tab = self.tabs.get(owner, params.get("tab", "main"))
        return plain(await self.expecting.fetch(tab, params.get("key")))

    async def _notices(self, owner: str, params: dict[str, Any]) -> Any:
        tab = self.tabs.get(owner, params.get("tab", "main"))
        # A tab goes by one name: that by which its owner calls it.
        names = {one.tab_id: one.name for one in self.tabs.of(owner)}
        return [
            re.sub(r"\bt\d+\b", lambda found: names.get(found[0], found[0]), notice)
            for notice in tab.supervisor.take_notices(tab.key)
        ]

    async def _verbs(self, owner: str, params: dict[str, Any]) -> Any:
        return {name: verb.about for name, verb in VERBS.items()}

    async def _stop(self, owner: str, params: dict[str, Any]) -> Any:
        self.end()
        return {"text": "The daemon closes."}

    async def _status(self, owner: str, params: dict[str, Any]) -> Any:
        """Life is proved by a round trip to each browser, not by a flag."""
        lines = {id(tab.supervisor): tab for tab in self.tabs.everyone()}
        return {
            "version": __version__,
            "pid": os.getpid(),
            "uptime_s": round(time.monotonic() - self.began, 1),
            "calls": self.calls,
            "clients": len(self.server.clients),
            "zygote": self.zygote.pid,
            "walls": self.runner.walls,
            "tabs": len(self.tabs.of(owner)),
            "browsers": await asyncio.gather(*(proof(tab) for tab in lines.values())),
            "settings": str(self.paths.root),
            "relay": self.relaying.status(),
            "sizes": self._sizes(),
        }

    def _sizes(self) -> dict[str, int]:
        """How much there is of what could grow: it must not, however many calls come."""
        supervisors = {id(tab.supervisor): tab.supervisor for tab in self.tabs.everyone()}
        return {
            "tabs": len(self.tabs.everyone()),
            "waits": len(self.expecting),
            "journal": len(self.journals),
            "policies": sum(len(one.state.policies) for one in supervisors.values()),
            "tasks": len(asyncio.all_tasks()),
        }


async def _refreshed(tab: OwnedTab) -> None:
    try:
        await tab.supervisor.refresh(tab.tab_id, REFRESHED_WITHIN_S)
    except (CdpError, ToolError) as error:
        _log.debug("tab %s is shown as it was: %s", tab.tab_id, error)


def _overdue(name: str, seconds: float) -> CommandTimeout:
    return CommandTimeout(
        f"{name} was not done within {seconds:g} s",
        hint="the browser is busy or stopped: try again, or close the tab and open it anew",
    )
