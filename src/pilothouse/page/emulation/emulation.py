"""Another device, place, language or line for one tab.

Knows: which sessions a tab has, and that later ones must be told too. Must not know: which values
make sense (conditions.py), which devices there are (devices.py). Everything ends with `reset` or
with the tab.

Chrome lets the page's process do most of it, so it is raced like any other work on the page.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from pilothouse.cdp import Command, Reply, Session, SessionId
from pilothouse.cdp.protocol import Browser, Page
from pilothouse.errors import CommandFailed, SessionGone, TargetCrashed, ToolError
from pilothouse.page.emulation import commands as conditions
from pilothouse.page.emulation.commands import Condition
from pilothouse.page.emulation.devices import DEVICES, find_device
from pilothouse.page.emulation.user_agents import identity
from pilothouse.page.storage import origin_of
from pilothouse.page.tab_context import TabContext
from pilothouse.supervisor import Outcome
from pilothouse.supervisor.session_hooks import SessionHook
from pilothouse.supervisor.session_setup import SessionSetup

__all__ = ["Emulation"]

# Locale and time zone belong to a process. A frame that shares the process of another frame of the
# tab has them already, and Chrome refuses to set them a second time.
_TAKEN = "is already in effect"

# A page gets its own size back a moment after Chrome has said so (docs/cdp/own-size-comes-late.md).
_SIZE_WITHIN_S = 2.0
_LOOK_S = 0.01

Status = dict[str, Any]


class Emulation:
    """What one tab is made to believe. Each method returns what is emulated now."""

    def __init__(self, context: TabContext) -> None:
        self._context = context
        self._now: dict[str, Condition] = {}
        self._permissions: dict[tuple[str, str], str] = {}
        self._reached: set[SessionId] = set()
        self._own_size: tuple[int, int] | None = None
        self._added = False

    def status(self) -> Status:
        """What is emulated now; empty when nothing is."""
        status = {n: c.shown for n, c in self._now.items() if c.shown is not None}
        if self._permissions:
            status["permissions"] = [
                {"name": name, "origin": origin or "*", "setting": setting}
                for (name, origin), setting in self._permissions.items()
            ]
        return status

    async def viewport(
        self,
        width: int,
        height: int,
        scale: float = 1.0,
        *,
        mobile: bool = False,
        touch: bool = False,
    ) -> Outcome[Status]:
        """The size of the page in CSS pixels."""
        return await self._set(viewport=conditions.viewport(width, height, scale, mobile, touch))

    async def device(self, name: str, *, landscape: bool = False) -> Outcome[Status]:
        """Screen, touch and user agent of a usual device."""
        device = find_device(name) if isinstance(name, str) else None
        if device is None:
            raise ToolError(f"device: {name!r} is unknown", hint=f"one of {', '.join(DEVICES)}")
        sides = (device.width, device.height)
        width, height = sides[::-1] if landscape else sides
        screen = conditions.viewport(width, height, device.scale, device.mobile, device.touch)
        screen = replace(screen, shown={**screen.shown, "device": device.name})
        agent = device.user_agent.replace("{major}", await self._major())
        return await self._set(viewport=screen, user_agent=self._identity(agent, self._locale))

    async def user_agent(self, user_agent: str) -> Outcome[Status]:
        """The user agent, with platform and client hints that fit it."""
        if not isinstance(user_agent, str) or not re.fullmatch(r"[ -~]{1,1000}", user_agent):
            raise ToolError("user_agent is empty or no plain text", hint="give the whole string")
        return await self._set(user_agent=self._identity(user_agent, self._locale))

    async def locale(self, tag: str) -> Outcome[Status]:
        """The language of the browser: numbers and dates, `navigator.language`, Accept-Language."""
        checked = conditions.locale(tag)
        return await self._set(
            locale=checked, user_agent=self._identity(self._agent, checked.shown)
        )

    async def timezone(self, name: str) -> Outcome[Status]:
        """The time zone, as in "Europe/Berlin"."""
        return await self._set(timezone=conditions.timezone(name))

    async def geolocation(
        self, latitude: float, longitude: float, accuracy: float = 10.0
    ) -> Outcome[Status]:
        """The position; pages still need the permission "geolocation"."""
        where = conditions.geolocation(latitude, longitude, accuracy)
        return await self._set(geolocation=where)

    async def offline(self, offline: bool = True) -> Outcome[Status]:
        """Without a network, or with it again. A throttle stays as it is."""
        line = self._now.get("network")
        limits = dict(line.shown) if line else {}
        return await self._set(network=conditions.network(**{**limits, "offline": bool(offline)}))

    async def throttle(
        self,
        preset: str = "",
        *,
        latency: float | None = None,
        download: float | None = None,
        upload: float | None = None,
    ) -> Outcome[Status]:
        """A slow line: a preset, or ms of latency and bytes per second; both may be mixed."""
        if preset and preset not in conditions.PRESETS:
            raise ToolError(
                f"preset: {preset!r} is unknown", hint=f"one of {', '.join(conditions.PRESETS)}"
            )
        usual = conditions.PRESETS[preset or "none"]
        chosen = [
            given if given is not None else default
            for given, default in zip((latency, download, upload), usual, strict=True)
        ]
        line = self._now.get("network")
        offline = bool(line and line.shown["offline"])
        return await self._set(network=conditions.network(offline, *chosen))

    async def media(self, **wanted: str) -> Outcome[Status]:
        """`color_scheme`, `reduced_motion`, `contrast`, `forced_colors` and `type` (print); those
        not given stay as they are."""
        unknown = [name for name in wanted if name not in conditions.MEDIA]
        if unknown:
            raise ToolError(
                f"media: {unknown[0]!r} is unknown", hint=f"one of {', '.join(conditions.MEDIA)}"
            )
        before = self._now.get("media")
        return await self._set(
            media=conditions.media({**(before.shown if before else {}), **wanted})
        )

    async def cpu(self, slowdown: float) -> Outcome[Status]:
        """A processor that is `slowdown` times slower; 1 is as it is."""
        return await self._set(cpu=conditions.cpu(slowdown))

    # Permissions are the browser's, not the page's: no race.

    async def permit(self, name: str, setting: str = "granted", origin: str = "") -> Status:
        """Grant or deny a permission to an origin: without one, to the page shown now; "*" means
        all of the tab's browser context."""
        descriptor, setting = conditions.permission(name, setting)
        if origin == "*":
            origin = ""
        else:
            origin = origin_of(origin or self._context.tab.url)
            if not origin:
                raise ToolError(
                    "origin: the page shown now has none", hint='give one, or "*" for all'
                )
        await self._permit(descriptor, setting, origin)
        self._permissions[name, origin] = setting
        return self.status()

    async def _permit(self, descriptor: dict[str, Any], setting: str, origin: str) -> None:
        try:
            await self._context.supervisor.connection.send(
                Browser.setPermission(
                    permission=descriptor,  # type: ignore[arg-type]
                    setting=setting,
                    origin=origin or None,
                    browserContextId=self._context.tab.context or None,
                )
            )
        except CommandFailed as error:
            raise ToolError(
                f"permission: the browser refuses {descriptor['name']}: {error.detail}",
                hint="this browser may lack it",
            ) from error

    async def _take_back_permissions(self) -> None:
        """As the supervisor had set them; it leaves nothing to a question nobody would answer."""
        usual = self._context.supervisor.options.permissions
        for name, origin in list(self._permissions):
            descriptor, _ = conditions.permission(name, "prompt")
            await self._permit(descriptor, usual.get(name, "prompt"), origin)
            del self._permissions[name, origin]

    # All of it.

    async def reset(self, name: str = "") -> Outcome[Status]:
        """End everything, or what `status` calls `name`."""
        if name and name not in self.status():
            there = ", ".join(self.status()) or "nothing"
            raise ToolError(f"{name!r} is not emulated", hint=f"emulated now: {there}")
        if name in ("", "permissions"):
            await self._take_back_permissions()
        match name:
            case "locale":
                return await self._set(locale=None, user_agent=self._identity(self._agent, ""))
            case "user_agent":
                return await self._set(user_agent=self._identity("", self._locale))
        ending = [name] if name else [*self._now]
        return await self._set(**{each: None for each in ending if each in self._now})

    @property
    def _agent(self) -> str:
        agent = self._now.get("user_agent")
        return (agent.shown or "") if agent else ""

    @property
    def _locale(self) -> str:
        tag = self._now.get("locale")
        return str(tag.shown) if tag else ""

    async def _major(self) -> str:
        version = await self._context.supervisor.connection.send(Browser.getVersion())
        return version["product"].rpartition("/")[2].partition(".")[0]

    async def _set(self, **wanted: Condition | None) -> Outcome[Status]:
        """Let conditions be; None ends one."""
        await self._reach_later_ones()

        async def work() -> Status:
            emulated = await self._size_before(wanted)
            for name, condition in wanted.items():
                before = self._now.pop(name, None)
                if condition is not None:
                    # Noted first: a frame that comes while this is sent must not miss it.
                    self._now[name] = condition
                try:
                    await self._send(self._change(before, condition))
                except ToolError:
                    self._now.pop(name, None)
                    raise
            if emulated is not None:
                await self._own_size_again(emulated)
            return self.status()

        return await self._context.race(work)

    # The page's own size.

    async def _size_before(self, wanted: Mapping[str, Condition | None]) -> tuple[int, int] | None:
        """The size that is about to end, if one is."""
        if "viewport" not in wanted:
            return None
        if "viewport" not in self._now:
            self._own_size = await self._size()
            return None
        return await self._size() if wanted["viewport"] is None else None

    async def _own_size_again(self, emulated: tuple[int, int]) -> None:
        if emulated == self._own_size:
            return
        until = asyncio.get_running_loop().time() + _SIZE_WITHIN_S
        # A window may have been resized meanwhile: any other size is its own.
        while await self._size() == emulated:
            if asyncio.get_running_loop().time() > until:
                return
            await asyncio.sleep(_LOOK_S)

    async def _size(self) -> tuple[int, int]:
        shown = (await self._context.session.send(Page.getLayoutMetrics()))["cssLayoutViewport"]
        return shown["clientWidth"], shown["clientHeight"]

    # Sessions.

    async def _reach_later_ones(self) -> None:
        """Frames, workers and a tab that comes back after a lost connection."""
        state, tab = self._context.supervisor.state, self._context.tab
        if not self._added:
            self._added = True
            self._reached = {*state.session_subtree(tab.session)}
            addition = SessionHook(commands=self._for_fresh)
            await self._context.supervisor.session_hooks.put(tab.id, "emulation", addition)

    def _for_fresh(self, session: Session) -> list[Command[Any]]:
        if session.id in self._reached:
            return []  # it was there before: `_send` sees to it, and tells what fails
        return [c for each in self._now.values() for c in _commands(each, session.target_type)]

    async def _send(self, commands: Callable[[Session], Sequence[Command[Any]]]) -> None:
        """To every session of the tab at once. Raises ToolError if the page's own refuses."""
        supervisor = self._context.supervisor
        top = self._context.session
        family = [supervisor.connection.sessions.get(i) for i in supervisor.state.session_subtree(top.id)]
        sent: list[tuple[Session, Reply[Any]]] = [
            (session, session.send(command))
            for session in family
            if session is not None
            for command in commands(session)
        ]
        for session, reply in sent:
            await _settled(reply, own=session is top)

    def _change(
        self, before: Condition | None, after: Condition | None
    ) -> Callable[[Session], list[Command[Any]]]:
        if after is not None:
            return lambda session: _commands(after, session.target_type)
        every = (*before.top, *before.each, *before.workers) if before else ()
        ended = {c.method for c in every}

        def commands(session: Session) -> list[Command[Any]]:
            if before is None:
                return []
            kind = session.target_type
            top = before.top_end if kind == "page" else ()
            each = before.each_end if kind in ("page", "iframe") else ()
            # What the browser's kind sets on every such session comes back.
            usual = [c for c in self._setup.usual(kind) if c.method in ended]
            return [*top, *each, *usual]

        return commands

    def _identity(self, agent: str, tag: str) -> Condition | None:
        """User agent and language travel in one command; without the one, the browser's own must
        travel with the other."""
        if not agent and not tag:
            return None
        usual = [c.params or {} for c in self._setup.usual("worker")]
        params = identity(agent) if agent else (usual[0] if usual else {})
        return replace(conditions.language(params, tag), shown=agent or None)

    @property
    def _setup(self) -> SessionSetup:
        return self._context.supervisor.setup


async def _settled(reply: Awaitable[Any], *, own: bool) -> None:
    try:
        await reply
    except (SessionGone, TargetCrashed):
        if own:
            raise
    except CommandFailed as error:
        if _TAKEN in error.detail and not own:
            return
        taken = "another tab in the same process emulates another one: reset that first"
        raise ToolError(
            f"{error.method}: {error.detail}",
            hint=taken if _TAKEN in error.detail else "this browser may lack it",
        ) from error


def _commands(condition: Condition, kind: str) -> list[Command[Any]]:
    match kind:
        case "page":
            return [*condition.top, *condition.each]
        case "iframe":
            return [*condition.each]
        case "worker" | "shared_worker" | "service_worker":
            return [*condition.workers]
    return []
