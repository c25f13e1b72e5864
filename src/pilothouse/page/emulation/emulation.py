"""Emulation of device, locale, location or network for one tab.

Knows: which sessions a tab has, and that later ones need the settings too. Must not know: which
values are valid (commands.py), which devices there are (devices.py). All of it ends with `reset` or
with the tab.

The page's process handles most of these commands, so they race against blockers like other work on
the page.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from pilothouse.cdp import Command, Reply, Session, SessionId
from pilothouse.cdp.protocol import Browser, Page
from pilothouse.errors import CommandFailed, SessionGone, TargetCrashed, ToolError, UsageError
from pilothouse.page.emulation import commands as settings
from pilothouse.page.emulation.commands import EmulatedSetting
from pilothouse.page.emulation.devices import DEVICES, find_device
from pilothouse.page.emulation.user_agent_params import user_agent_params
from pilothouse.page.storage import origin_of
from pilothouse.page.tab_context import TabContext
from pilothouse.supervisor import Outcome
from pilothouse.supervisor.extra_session_setup import SessionHook
from pilothouse.supervisor.session_setup import SessionSetup

__all__ = ["TabEmulation"]

# Locale and time zone belong to a process. A frame that shares its process with another frame of
# the tab has them already, and Chrome refuses to set them twice.
_ALREADY_SET = "is already in effect"

# A page regains its own size shortly after Chrome's reply (docs/cdp/own-size-comes-late.md).
_SIZE_WITHIN_S = 2.0
_POLL_S = 0.01

Status = dict[str, Any]


class TabEmulation:
    """Emulation for one tab. Each method returns the settings that are active now."""

    def __init__(self, context: TabContext) -> None:
        self._context = context
        self._active: dict[str, EmulatedSetting] = {}
        self._permissions: dict[tuple[str, str], str] = {}
        self._initial_sessions: set[SessionId] = set()
        self._own_size: tuple[int, int] | None = None
        self._is_registered = False

    def status(self) -> Status:
        """Return the active settings; empty when nothing is emulated."""
        status = {n: c.status for n, c in self._active.items() if c.status is not None}
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
        """Set the size of the viewport in CSS pixels."""
        return await self._apply(viewport=settings.viewport(width, height, scale, mobile, touch))

    async def device(self, name: str, *, landscape: bool = False) -> Outcome[Status]:
        """Emulate screen, touch and user agent of a common device."""
        device = find_device(name) if isinstance(name, str) else None
        if device is None:
            raise UsageError(
                f"device: unknown value {name!r}", hint=f"use one of {', '.join(DEVICES)}"
            )
        sides = (device.width, device.height)
        width, height = sides[::-1] if landscape else sides
        screen = settings.viewport(width, height, device.scale, device.mobile, device.touch)
        screen = replace(screen, status={**screen.status, "device": device.name})
        agent = device.user_agent.replace("{major}", await self._browser_major())
        return await self._apply(
            viewport=screen, user_agent=self._user_agent_setting(agent, self._current_locale)
        )

    async def user_agent(self, user_agent: str) -> Outcome[Status]:
        """Set the user agent, with matching platform and client hints."""
        if not isinstance(user_agent, str) or not re.fullmatch(r"[ -~]{1,1000}", user_agent):
            raise UsageError(
                "user_agent: expected 1 to 1000 printable ASCII characters",
                hint="give the whole string",
            )
        return await self._apply(
            user_agent=self._user_agent_setting(user_agent, self._current_locale)
        )

    async def locale(self, tag: str) -> Outcome[Status]:
        """Set the browser's language: numbers and dates, `navigator.language`, Accept-Language."""
        checked = settings.locale(tag)
        return await self._apply(
            locale=checked, user_agent=self._user_agent_setting(self._current_agent, checked.status)
        )

    async def timezone(self, name: str) -> Outcome[Status]:
        """Set the time zone, such as "Europe/Berlin"."""
        return await self._apply(timezone=settings.timezone(name))

    async def geolocation(
        self, latitude: float, longitude: float, accuracy: float = 10.0
    ) -> Outcome[Status]:
        """Set the position; pages still need the permission "geolocation"."""
        where = settings.geolocation(latitude, longitude, accuracy)
        return await self._apply(geolocation=where)

    async def offline(self, offline: bool = True) -> Outcome[Status]:
        """Take the tab offline, or online again. A throttle stays in place."""
        network = self._active.get("network")
        limits = dict(network.status) if network else {}
        return await self._apply(network=settings.network(**{**limits, "offline": bool(offline)}))

    async def throttle(
        self,
        preset: str = "",
        *,
        latency: float | None = None,
        download: float | None = None,
        upload: float | None = None,
    ) -> Outcome[Status]:
        """Slow the network down: a preset, or latency in ms and bytes per second, or both."""
        if preset and preset not in settings.PRESETS:
            raise UsageError(
                f"preset: unknown value {preset!r}",
                hint=f"use one of {', '.join(settings.PRESETS)}",
            )
        defaults = settings.PRESETS[preset or "none"]
        chosen = [
            given if given is not None else default
            for given, default in zip((latency, download, upload), defaults, strict=True)
        ]
        network = self._active.get("network")
        offline = bool(network and network.status["offline"])
        return await self._apply(network=settings.network(offline, *chosen))

    async def media(self, **wanted: str) -> Outcome[Status]:
        """Set `color_scheme`, `reduced_motion`, `contrast`, `forced_colors` and `type` (print).

        Features that are not given stay as they are.
        """
        unknown = [name for name in wanted if name not in settings.MEDIA]
        if unknown:
            raise UsageError(
                f"media: unknown feature {unknown[0]!r}",
                hint=f"use one of {', '.join(settings.MEDIA)}",
            )
        before = self._active.get("media")
        return await self._apply(
            media=settings.media({**(before.status if before else {}), **wanted})
        )

    async def cpu(self, slowdown: float) -> Outcome[Status]:
        """Slow the CPU down by this factor; 1 is its normal speed."""
        return await self._apply(cpu=settings.cpu(slowdown))

    # Permissions belong to the browser, not to the page: no race needed.

    async def permit(self, name: str, setting: str = "granted", origin: str = "") -> Status:
        """Grant or deny a permission to an origin.

        The default origin is that of the current page; "*" means the tab's whole browser
        context.
        """
        descriptor, setting = settings.permission(name, setting)
        if origin == "*":
            origin = ""
        else:
            origin = origin_of(origin or self._context.tab.url)
            if not origin:
                raise ToolError(
                    "origin: the current page has none", hint='give an origin, or "*" for all'
                )
        await self._set_permission(descriptor, setting, origin)
        self._permissions[name, origin] = setting
        return self.status()

    async def _set_permission(self, descriptor: dict[str, Any], setting: str, origin: str) -> None:
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
                f"permission: the browser refused {descriptor['name']}: {error.detail}",
                hint="check that this browser supports it",
            ) from error

    async def _restore_permissions(self) -> None:
        """Restore the supervisor's defaults, which leave no permission prompt unanswered."""
        defaults = self._context.supervisor.options.permissions
        for name, origin in list(self._permissions):
            descriptor, _ = settings.permission(name, "prompt")
            await self._set_permission(descriptor, defaults.get(name, "prompt"), origin)
            del self._permissions[name, origin]

    # Apply and reset.

    async def reset(self, name: str = "") -> Outcome[Status]:
        """End everything, or the one setting that `status` calls `name`."""
        if name and name not in self.status():
            there = ", ".join(self.status()) or "nothing"
            raise ToolError(f"{name!r} is not emulated", hint=f"use one of these: {there}")
        if name in ("", "permissions"):
            await self._restore_permissions()
        match name:
            case "locale":
                return await self._apply(
                    locale=None, user_agent=self._user_agent_setting(self._current_agent, "")
                )
            case "user_agent":
                return await self._apply(
                    user_agent=self._user_agent_setting("", self._current_locale)
                )
        ending = [name] if name else [*self._active]
        return await self._apply(**{each: None for each in ending if each in self._active})

    @property
    def _current_agent(self) -> str:
        agent = self._active.get("user_agent")
        return (agent.status or "") if agent else ""

    @property
    def _current_locale(self) -> str:
        tag = self._active.get("locale")
        return str(tag.status) if tag else ""

    async def _browser_major(self) -> str:
        version = await self._context.supervisor.connection.send(Browser.getVersion())
        return version["product"].rpartition("/")[2].partition(".")[0]

    async def _apply(self, **wanted: EmulatedSetting | None) -> Outcome[Status]:
        """Apply settings; None ends one."""
        await self._register_for_new_sessions()

        async def work() -> Status:
            emulated = await self._size_to_leave(wanted)
            for name, setting in wanted.items():
                before = self._active.pop(name, None)
                if setting is not None:
                    # Register it first: a frame that attaches while this is sent must get it too.
                    self._active[name] = setting
                try:
                    await self._send_to_all(self._commands_to_change(before, setting))
                except ToolError:
                    self._active.pop(name, None)
                    raise
            if emulated is not None:
                await self._wait_for_own_size(emulated)
            return self.status()

        return await self._context.race(work)

    # The page's own size.

    async def _size_to_leave(
        self, wanted: Mapping[str, EmulatedSetting | None]
    ) -> tuple[int, int] | None:
        """Return the emulated size if this call ends it."""
        if "viewport" not in wanted:
            return None
        if "viewport" not in self._active:
            self._own_size = await self._read_size()
            return None
        return await self._read_size() if wanted["viewport"] is None else None

    async def _wait_for_own_size(self, emulated: tuple[int, int]) -> None:
        if emulated == self._own_size:
            return
        until = asyncio.get_running_loop().time() + _SIZE_WITHIN_S
        # The window may have been resized meanwhile: any other size is the page's own.
        while await self._read_size() == emulated:
            if asyncio.get_running_loop().time() > until:
                return
            await asyncio.sleep(_POLL_S)

    async def _read_size(self) -> tuple[int, int]:
        status = (await self._context.session.send(Page.getLayoutMetrics()))["cssLayoutViewport"]
        return status["clientWidth"], status["clientHeight"]

    # Sessions.

    async def _register_for_new_sessions(self) -> None:
        """Register for frames, workers, and a tab that is attached again after a lost
        connection."""
        state, tab = self._context.supervisor.state, self._context.tab
        if not self._is_registered:
            self._is_registered = True
            self._initial_sessions = {*state.session_subtree(tab.session)}
            addition = SessionHook(commands=self._commands_for_new_session)
            await self._context.supervisor.session_hooks.put(tab.id, "emulation", addition)

    def _commands_for_new_session(self, session: Session) -> list[Command[Any]]:
        if session.id in self._initial_sessions:
            return []  # an initial session: `_send_to_all` sends to it and reports errors
        return [
            c for each in self._active.values() for c in _commands_for(each, session.target_type)
        ]

    async def _send_to_all(self, commands: Callable[[Session], Sequence[Command[Any]]]) -> None:
        """Send to every session of the tab at once. Raises ToolError if the page's own refuses."""
        supervisor = self._context.supervisor
        top = self._context.session
        family = [
            supervisor.connection.sessions.get(i) for i in supervisor.state.session_subtree(top.id)
        ]
        sent: list[tuple[Session, Reply[Any]]] = [
            (session, session.send(command))
            for session in family
            if session is not None
            for command in commands(session)
        ]
        for session, reply in sent:
            await _check_reply(reply, own=session is top)

    def _commands_to_change(
        self, before: EmulatedSetting | None, after: EmulatedSetting | None
    ) -> Callable[[Session], list[Command[Any]]]:
        if after is not None:
            return lambda session: _commands_for(after, session.target_type)
        every = (*before.top, *before.each, *before.workers) if before else ()
        ended = {c.method for c in every}

        def commands(session: Session) -> list[Command[Any]]:
            if before is None:
                return []
            kind = session.target_type
            top = before.top_end if kind == "page" else ()
            each = before.each_end if kind in ("page", "iframe") else ()
            # Restore what the browser kind sets on every such session.
            defaults = [c for c in self._setup.commands_for(kind) if c.method in ended]
            return [*top, *each, *defaults]

        return commands

    def _user_agent_setting(self, agent: str, tag: str) -> EmulatedSetting | None:
        """Return the setting for user agent and language, which one command sets together.

        If only one of them is emulated, the browser's own value is sent for the other.
        """
        if not agent and not tag:
            return None
        defaults = [c.params or {} for c in self._setup.commands_for("worker")]
        params = user_agent_params(agent) if agent else (defaults[0] if defaults else {})
        return replace(settings.user_agent(params, tag), status=agent or None)

    @property
    def _setup(self) -> SessionSetup:
        return self._context.supervisor.setup


async def _check_reply(reply: Awaitable[Any], *, own: bool) -> None:
    try:
        await reply
    except (SessionGone, TargetCrashed):
        if own:
            raise
    except CommandFailed as error:
        if _ALREADY_SET in error.detail and not own:
            return
        already_set = "reset the emulation of the other tab in the same process first"
        raise ToolError(
            f"{error.method}: {error.detail}",
            hint=already_set
            if _ALREADY_SET in error.detail
            else "check that this browser supports it",
        ) from error


def _commands_for(setting: EmulatedSetting, kind: str) -> list[Command[Any]]:
    match kind:
        case "page":
            return [*setting.top, *setting.each]
        case "iframe":
            return [*setting.each]
        case "worker" | "shared_worker" | "service_worker":
            return [*setting.workers]
    return []
