"""localStorage and sessionStorage of frames, and the whole signed-in state of a tab.

Knows: which storage belongs to whom. A frame sees the storage of its origin *partitioned by its top
site*. A saved state holds what an origin stores as a top-level site. That is read and written on a
hidden page (page/internal_hidden_page.py), so the user's tab neither navigates nor has to reply.
Must not know: the format of a state file (state_file_format.py).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pilothouse.cdp.protocol import Page
from pilothouse.errors import InterruptedByNavigation, ToolError, UsageError
from pilothouse.page.internal_hidden_page import HiddenPage, open_hidden_page
from pilothouse.page.local_files import read_file, save_file
from pilothouse.page.storage.cookies import Cookies
from pilothouse.page.storage.state_file_format import (
    OriginState,
    SavedState,
    build_state,
    origin_of,
    parse_origin,
    parse_state,
)
from pilothouse.page.tab_context import TabContext
from pilothouse.page.world import IsolatedWorlds, js_function
from pilothouse.security.file_access import FileAccess, FolderAccess
from pilothouse.supervisor import Frame, Outcome

__all__ = ["WebStorage"]

KINDS = ("local", "session")
LARGEST_FILE = 100_000_000
LONGEST_VALUE = 1_000_000
VISIBLE_WITHIN_S = 5.0

# Resolves at the next `storage` event, which another process's write causes, or after 100 ms.
_NEXT_CHANGE = (
    "new Promise((done) => {"
    " addEventListener('storage', done, { once: true }); setTimeout(done, 100); }).then(() => 0)"
)
_STORAGE = js_function("storage")


class WebStorage:
    """The web storage of one tab. `kind` is "local" or "session"; the default frame is the main
    one."""

    def __init__(
        self,
        context: TabContext,
        worlds: IsolatedWorlds,
        cookies: Cookies,
        files: FolderAccess | None = None,
    ) -> None:
        self._context = context
        self._worlds = worlds
        self._cookies = cookies
        self._files: FolderAccess = files or FileAccess()

    # One frame.

    async def items(self, kind: str = "local", frame_id: str = "") -> Outcome[dict[str, str]]:
        """Return all stored items, in the browser's order."""
        frame = self._frame(kind, frame_id)

        async def work() -> dict[str, str]:
            return dict(json.loads(await self._call_page(frame, kind, "list")))

        return await self._context.race(work, self._context.session_of(frame))

    async def get(self, key: str, kind: str = "local", frame_id: str = "") -> Outcome[str | None]:
        """Return the value of a key; None if it is not set."""
        return await self._run(frame_id, kind, "get", _check_text("key", key))

    async def set(
        self, key: str, value: str, kind: str = "local", frame_id: str = ""
    ) -> Outcome[str]:
        """Store a value. Raises ToolError when the browser refuses, for example because of the
        quota."""
        if len(_check_text("value", value)) > LONGEST_VALUE:
            raise UsageError(
                f"value: {len(value)} characters, more than {LONGEST_VALUE}",
                hint="store it in parts, or restore it from a state file",
            )
        return await self._run(frame_id, kind, "set", _check_text("key", key), value)

    async def remove(self, key: str, kind: str = "local", frame_id: str = "") -> Outcome[bool]:
        """Remove a key; returns whether it was set."""
        return await self._run(frame_id, kind, "remove", _check_text("key", key))

    async def clear(self, kind: str = "local", frame_id: str = "") -> Outcome[int]:
        """Remove all keys and return how many there were."""
        return await self._run(frame_id, kind, "clear")

    async def _run(self, frame_id: str, kind: str, action: str, *given: str) -> Outcome[Any]:
        frame = self._frame(kind, frame_id)
        return await self._context.race(
            lambda: self._call_page(frame, kind, action, *given), self._context.session_of(frame)
        )

    async def _call_page(self, frame: Frame, kind: str, action: str, *given: str) -> Any:
        ask = self._worlds.read if action in ("list", "get") else self._worlds.call
        reply = await ask(frame, "storage", kind, action, *given)
        return _unwrap(reply, f"{kind} storage of {frame.origin or frame.url}")

    def _frame(self, kind: str, frame_id: str) -> Frame:
        if kind not in KINDS:
            raise UsageError(f"kind: unknown value {kind!r}", hint=f"use one of {', '.join(KINDS)}")
        return self._context.frame(frame_id)

    # The whole state.

    async def save_state(
        self, path: str | Path = "", *, origins: Sequence[str] = (), session: bool = False
    ) -> Outcome[dict[str, Any]]:
        """Return the context's cookies and the localStorage of the tab's origins and of
        `origins`.

        The tab's origins are those it shows or has shown. `session` adds the sessionStorage
        of its frames. With `path` the state is also written to that file (mode 0600).
        """
        extra = [parse_origin(origin) for origin in origins]
        session_items: dict[str, dict[str, str]] = {}
        if session:
            read = await self._context.race(self._session_storage)
            if read.value is None:
                return Outcome(blocked_by=read.blocked_by, action_id=read.action_id)
            session_items = read.value
        wanted = dict.fromkeys([*await self._visited_origins(), *extra, *session_items])
        found: list[OriginState] = []
        async with open_hidden_page(self._context) as page:
            for origin in wanted:
                await page.show(origin)
                stored = json.loads(await _call_storage(page, origin, "list"))
                found.append(OriginState(origin, dict(stored), session_items.get(origin)))
        state = build_state(await self._cookies.get(), found)
        if path:
            data = json.dumps(state, indent=2).encode()
            await asyncio.to_thread(save_file, path, data, self._files)
        return Outcome(state)

    async def _visited_origins(self) -> list[str]:
        """Return the origins that the tab shows or has shown."""
        history = await self._context.session.send(Page.getNavigationHistory())
        urls = [frame.origin or frame.url for frame in self._context.frames()]
        urls += [entry["url"] for entry in history["entries"]]
        return [origin for origin in map(origin_of, urls) if origin]

    async def _session_storage(self) -> dict[str, dict[str, str]]:
        session_items: dict[str, dict[str, str]] = {}
        for frame in self._first_party_frames():
            try:
                text = await self._call_page(frame, "session", "list")
            except InterruptedByNavigation:
                continue  # its document is gone
            session_items[frame.origin or origin_of(frame.url)] = dict(json.loads(text))
        return session_items

    def _first_party_frames(self) -> list[Frame]:
        """Return the main frame and frames of its origin: others have partitioned storage."""
        main = self._context.main()
        home = origin_of(main.url)
        return [f for f in self._context.frames() if home and origin_of(f.url) == home]

    async def restore_state(
        self, state: Mapping[str, Any] | str | Path, *, clear: bool = False
    ) -> Outcome[dict[str, Any]]:
        """Restore a saved state: all cookies, then the localStorage of each origin, replacing
        what it has.

        `clear` deletes the context's other cookies first. Session storage belongs to a tab,
        so only that of the current page is restored. Nothing is changed unless the whole
        state is valid and fits; the ToolError names the mistake.
        """
        checked = parse_state(await self._read_state(state))
        wanted = {o.origin: o.local for o in checked.origins if o.local is not None}
        if not wanted:
            await self._restore_cookies(checked, clear)
        else:
            async with (
                open_hidden_page(self._context) as page,
                open_hidden_page(self._context) as reader,
            ):
                for origin, items in wanted.items():
                    # Rehearse first: a quota that is exceeded must show before anything is changed.
                    await _write_origin(page, origin, items, "rehearse")
                await self._restore_cookies(checked, clear)
                for origin, items in wanted.items():
                    await _write_origin(page, origin, items, "replace")
                    # Keep the page until then: closing it could lose its last writes.
                    await _wait_until_visible(reader, origin, items)
        summary = {"cookies": len(checked.cookies), "origins": [*wanted]}
        return await self._restore_session(checked, summary)

    async def _restore_cookies(self, checked: SavedState, clear: bool) -> None:
        if clear:
            await self._cookies.clear()
        await self._cookies.store(checked.cookies)

    async def _read_state(self, state: Mapping[str, Any] | str | Path) -> object:
        if isinstance(state, Mapping):
            return state
        data = await asyncio.to_thread(
            read_file,
            state,
            (*self._files.reads, *self._files.writes),
            limit=LARGEST_FILE,
            never=self._files.never,
        )
        try:
            return json.loads(data)
        except ValueError as error:
            raise UsageError(
                f"{state} is not valid JSON: {error}", hint="give a file that save_state wrote"
            ) from error

    async def _restore_session(
        self, state: SavedState, summary: dict[str, Any]
    ) -> Outcome[dict[str, Any]]:
        wanted = {o.origin: o.session for o in state.origins if o.session is not None}
        main = self._context.main()
        home = origin_of(main.url)
        left = [f"sessionStorage of {origin}" for origin in wanted if origin != home]
        summary["not_restored"] = [*state.ignored, *left]
        if home not in wanted:
            return Outcome(summary)

        async def work() -> dict[str, Any]:
            text = json.dumps([*(wanted[home] or {}).items()])
            await self._call_page(main, "session", "replace", "", text)
            return summary

        return await self._context.race(work, self._context.session)


async def _write_origin(
    page: HiddenPage, origin: str, items: Mapping[str, str], action: str
) -> None:
    await page.show(origin)
    await page.set_variable("given", json.dumps([*items.items()]))
    await _call_storage(page, origin, action)


async def _wait_until_visible(page: HiddenPage, origin: str, items: Mapping[str, str]) -> None:
    """Wait until a page in another process sees all items."""
    await page.show(origin)
    try:
        async with asyncio.timeout(VISIBLE_WITHIN_S):
            while dict(json.loads(await _call_storage(page, origin, "list"))) != items:
                await page.evaluate(_NEXT_CHANGE)
    except TimeoutError:
        raise ToolError(
            f"the browser did not keep the local storage of {origin}",
            hint="restore the state again; a page of that origin may have changed it",
        ) from None


async def _call_storage(page: HiddenPage, origin: str, action: str) -> Any:
    reply = await page.evaluate(f"({_STORAGE})('local', {action!r}, '', globalThis.given)")
    return _unwrap(reply, f"local storage of {origin}")


def _unwrap(reply: Mapping[str, Any], whose: str) -> Any:
    if "refused" in reply:
        raise ToolError(
            f"the {whose} refused: {reply['refused']}",
            hint="check the quota, and that the origin can store data (not data: or sandboxed)",
        )
    return reply.get("value")


def _check_text(field: str, value: object) -> str:
    if not isinstance(value, str):
        raise UsageError(
            f"{field}: expected a string, got {type(value).__name__}", hint="give a string"
        )
    if any("\ud800" <= c <= "\udfff" for c in value):
        raise UsageError(f"{field}: contains half a surrogate pair", hint="give valid Unicode")
    return value
