"""Commands for the browser itself, which an extension carries out by other means. Pure.

Knows: targets, windows, and what an extension cannot do. Must not know: pages. Every
browser session has its own discovery and its own auto-attach; sessions of pages may ask the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from pilothouse.relay.extension_browser.attachment import refused_by
from pilothouse.relay.extension_browser.client_session import AutoAttach, Session, read_filter
from pilothouse.relay.extension_browser.cookies import COOKIES, through_a_tab
from pilothouse.relay.extension_browser.restrictions import judge, judge_opening
from pilothouse.relay.extension_browser.types import (
    OK,
    Tab,
    Wrong,
    admits,
    encode,
    event_frame,
    loads,
    read_tab,
    unknown,
)
from pilothouse.relay.extension_browser.unsupported_commands import CANNOT

if TYPE_CHECKING:
    from pilothouse.relay.extension_browser.browser import Core

__all__ = ["Root"]

Params = Mapping[str, Any]
Act = Callable[["Root", Session, int, Params], None]

_NO_TARGET = Wrong(-32602, "No target with given id found")
_NO_CONTEXT = Wrong(-32602, "Failed to find browser context for the given id")
_SCREENS = "Emulation.getScreenInfos"
_PLACE = ("left", "top", "width", "height")
_NO_WINDOW = Wrong(-32000, "Browser window not found")


class Root:
    """See the module."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def command(self, session: Session, number: int, method: str, raw: msgspec.Raw) -> None:
        """Carry out one command, or say why not."""
        act = _ACTS.get(method)
        params = loads(raw)
        if method in CANNOT:
            self._core.fail(session.id, number, CANNOT[method])
        elif params.get("browserContextId") not in (None, "", self._core.context):
            self._core.fail(session.id, number, _NO_CONTEXT)
        elif act is not None:
            act(self, session, number, params)
        elif method in COOKIES or method.startswith("Storage.") or method == _SCREENS:
            through_a_tab(self._core, session, number, method, params)
        else:
            self._core.fail(session.id, number, unknown(method))

    def _reply(self, session: Session, number: int, result: Params) -> None:
        self._core.reply(session.id, number, encode(result))

    def _tab(self, session: Session, params: Params) -> Tab | None:
        target = params.get("targetId")
        if target is None and session.strand is not None:
            return session.strand.tab
        return self._core.tabs.by_target(str(target))

    def _ask(
        self,
        session: Session,
        number: int,
        method: str,
        params: Params,
        shown: Callable[[dict[str, Any]], Params] = lambda _: {},
    ) -> None:
        """Ask the extension, and answer with what it says."""

        def settled(result: msgspec.Raw | None, wrong: Wrong | None) -> None:
            if wrong is not None or result is None:
                self._core.fail(session.id, number, wrong or _NO_TARGET)
            else:
                self._reply(session, number, shown(loads(result)))

        self._core.ask(method, params, settled)

    # The browser.

    def _version(self, session: Session, number: int, params: Params) -> None:
        hello = self._core.hello
        told = {"product": hello.product, "userAgent": hello.user_agent, "revision": ""}
        self._reply(session, number, {"protocolVersion": "1.3", "jsVersion": "", **told})

    def _window_for_target(self, session: Session, number: int, params: Params) -> None:
        tab = self._tab(session, params)
        if tab is None:
            self._core.fail(session.id, number, _NO_TARGET)
        else:
            self._ask(session, number, "window", {"tabId": tab.tab_id}, _window)

    def _window_bounds(self, session: Session, number: int, params: Params) -> None:
        tab = self._in_window(params)
        if tab is None:
            self._core.fail(session.id, number, _NO_WINDOW)
            return

        def bounds(told: dict[str, Any]) -> Params:
            return {"bounds": _window(told)["bounds"]}

        self._ask(session, number, "window", {"tabId": tab.tab_id}, bounds)

    def _set_window_bounds(self, session: Session, number: int, params: Params) -> None:
        tab, bounds = self._in_window(params), params.get("bounds")
        if tab is None or not isinstance(bounds, dict):
            self._core.fail(session.id, number, _NO_WINDOW)
            return
        wrong = judge(self._core.settings, "Browser.setWindowBounds", params, tab)
        if wrong is not None:
            self._core.fail(session.id, number, wrong)
            return
        wanted = {"tabId": tab.tab_id, "windowId": tab.window_id, "bounds": bounds}
        self._ask(session, number, "setWindow", wanted)

    def _in_window(self, params: Params) -> Tab | None:
        window = params.get("windowId")
        return next((t for t in self._core.tabs.by_id.values() if t.window_id == window), None)

    def _downloads(self, session: Session, number: int, params: Params) -> None:
        wrong = self._core.downloads.wanted(session, params)
        self._core.settle(session.id, number, None, wrong)

    # Targets.

    def _contexts(self, session: Session, number: int, params: Params) -> None:
        told = {"browserContextIds": [], "defaultBrowserContextId": self._core.context}
        self._reply(session, number, told)

    def _discover(self, session: Session, number: int, params: Params) -> None:
        core = self._core
        if params.get("discover") is not True:
            session.discover = None
        else:
            had, session.discover = session.discover, read_filter(params)
            for info in list(core.targets.all()):
                kind = info["type"]
                if admits(session.discover, kind) and not (had and admits(had, kind)):
                    raw = encode({"targetInfo": info})
                    core.emit(event_frame("Target.targetCreated", raw, session.id))
        core.reply(session.id, number, OK)

    def _auto_attach(self, session: Session, number: int, params: Params) -> None:
        """Answered when everything there is has been attached and told."""
        core = self._core
        session.auto = AutoAttach.read(params)
        if session.auto is None:
            for child in [s for s in core.below(session) if s.auto_made]:
                core.end(child)
            core.reply(session.id, number, OK)
            return
        left = 1

        def one(_: Wrong | None) -> None:
            nonlocal left
            left -= 1
            if left == 0 and session.id in core.sessions:
                core.reply(session.id, number, OK)

        for tab in list(core.tabs.by_id.values()):
            left += 1
            core.attachments.offer(tab, session, one)
        one(None)

    def _targets(self, session: Session, number: int, params: Params) -> None:
        wanted = read_filter(params)
        infos = [i for i in self._core.targets.all() if admits(wanted, i["type"])]
        self._reply(session, number, {"targetInfos": infos})

    def _target_info(self, session: Session, number: int, params: Params) -> None:
        core, target = self._core, params.get("targetId")
        if target is None:
            target = session.strand.target_id if session.strand else core.browser_target
        info = core.targets.find(str(target))
        if info is None:
            core.fail(session.id, number, _NO_TARGET)
            return
        tab = core.tabs.by_target(str(target))
        own = core.strands.get(tab.tab_id) if tab is not None else None
        if tab is None or own is None or core.attachments.held_for(own) is not None:
            self._reply(session, number, {"targetInfo": info})
            return

        def settled(result: msgspec.Raw | None, wrong: Wrong | None) -> None:
            # The extension hears of titles late; the debugger knows them.
            said = loads(result).get("targetInfo", {}) if result is not None else {}
            fresh = {k: said[k] for k in ("title", "url") if isinstance(said.get(k), str)}
            self._reply(session, number, {"targetInfo": {**core.targets.page(tab), **fresh}})

        core.ask_strand(own, "Target.getTargetInfo", OK, settled, session=session)

    def _attach_to_browser(self, session: Session, number: int, params: Params) -> None:
        made = self._core.make(session.id, None)
        self._core.tell_attached(made)
        self._reply(session, number, {"sessionId": made.id})

    def _attach(self, session: Session, number: int, params: Params) -> None:
        core, target = self._core, str(params.get("targetId", ""))
        if params.get("flatten") is not True:
            core.fail(session.id, number, Wrong(-32000, "only flat sessions: send flatten: true"))
            return
        if target == core.browser_target:
            self._attach_to_browser(session, number, params)
            return
        if core.popups.attached(session, number, target):
            return
        child = next((s for s in core.strands.values() if s.child and s.target_id == target), None)
        tab = core.tabs.by_target(target)
        if child is not None:
            self._attached(session, number, child.child)
        elif tab is None:
            core.fail(session.id, number, _NO_TARGET)
        else:

            def attached(wrong: Wrong | None) -> None:
                if wrong is None:
                    self._attached(session, number, tab.tab_id)
                elif not core.popups.late(session, number, tab, wrong):
                    core.fail(session.id, number, wrong)

            core.attachments.attach(tab, attached)

    def _attached(self, session: Session, number: int, key: int | str) -> None:
        core = self._core
        strand = core.strands.get(key)
        if strand is None or session.id not in core.sessions:
            core.fail(session.id, number, _NO_TARGET)
            return
        if session.id and not strand.child:
            core.accompany(strand)
        made = core.make(session.id, strand)
        core.tell_attached(made)
        self._reply(session, number, {"sessionId": made.id})

    def _detach(self, session: Session, number: int, params: Params) -> None:
        core = self._core
        name, target = params.get("sessionId"), params.get("targetId")
        mine = core.below(session)
        gone = next(
            (
                s
                for s in mine
                if s.id == name
                or (name is None and s.strand is not None and s.strand.target_id == target)
            ),
            None,
        )
        if gone is None:
            core.fail(session.id, number, Wrong(-32602, "No session with given id"))
        else:
            core.end(gone)
            core.reply(session.id, number, OK)

    def _create(self, session: Session, number: int, params: Params) -> None:
        core, url = self._core, str(params.get("url") or "about:blank")
        stopped = core.attachments.stopped
        wrong = refused_by("to open a tab", stopped) if stopped is not None else None
        wrong = wrong or judge_opening(core.settings, url)
        if wrong is not None:
            core.fail(session.id, number, wrong)
            return
        asked: dict[str, Any] = {"url": url, "active": params.get("background") is not True}
        if params.get("newWindow") is True:
            asked["window"] = {k: params[k] for k in _PLACE if isinstance(params.get(k), int)}

        def settled(result: msgspec.Raw | None, wrong: Wrong | None) -> None:
            told = read_tab(result) if result is not None else None
            if wrong is not None or told is None:
                core.fail(session.id, number, wrong or _NO_TARGET)
                return
            tab = core.tabs.created(told)
            core.attachments.used.add(tab.tab_id)
            if tab.target_id:
                self._created(session, number, tab)
            else:
                core.attachments.list_again(lambda: self._created(session, number, tab))

        core.ask("createTab", asked, settled)

    def _created(self, session: Session, number: int, tab: Tab) -> None:
        """Whoever attaches by itself or watches has been told of it before it is answered."""
        core = self._core

        def told(_: Wrong | None) -> None:
            strand = core.strands.get(tab.tab_id)
            if strand is not None and session.id:
                core.accompany(strand)
            if tab.target_id:
                self._reply(session, number, {"targetId": tab.target_id})
            else:
                core.fail(session.id, number, _NO_TARGET)

        if session.id and core.root_session.discover is not None and tab.target_id:
            core.attachments.attach(tab, told)
        else:
            core.attachments.settled(tab, told)

    def _close(self, session: Session, number: int, params: Params) -> None:
        tab = self._tab(session, params)
        if tab is None:
            self._core.fail(session.id, number, _NO_TARGET)
            return
        wrong = self._acts_on(tab, "Target.closeTarget")
        if wrong is not None:
            self._core.fail(session.id, number, wrong)
            return
        tab.closing = True

        def settled(result: msgspec.Raw | None, wrong: Wrong | None) -> None:
            tab.closing = False  # it may have objected
            if wrong is not None:
                self._core.fail(session.id, number, wrong)
            else:
                self._reply(session, number, {"success": True})

        self._core.ask("closeTab", {"tabId": tab.tab_id}, settled)

    def _activate(self, session: Session, number: int, params: Params) -> None:
        tab = self._tab(session, params)
        wrong = _NO_TARGET if tab is None else self._acts_on(tab, "Target.activateTarget")
        if tab is None or wrong is not None:
            self._core.fail(session.id, number, wrong or _NO_TARGET)
        else:
            self._ask(session, number, "activateTab", {"tabId": tab.tab_id})

    def _developer_tools(self, session: Session, number: int, params: Params) -> None:
        """An extension is told of none."""
        if self._tab(session, params) is None:
            self._core.fail(session.id, number, _NO_TARGET)
        else:
            self._reply(session, number, {})

    def _acts_on(self, tab: Tab, method: str) -> Wrong | None:
        return judge(self._core.settings, method, {}, tab)


def _window(told: dict[str, Any]) -> dict[str, Any]:
    return {"windowId": told.get("windowId", 0), "bounds": told.get("bounds", {})}


_ACTS: dict[str, Act] = {
    "Browser.getVersion": Root._version,
    "Browser.getWindowBounds": Root._window_bounds,
    "Browser.getWindowForTarget": Root._window_for_target,
    "Browser.setDownloadBehavior": Root._downloads,
    "Browser.setWindowBounds": Root._set_window_bounds,
    "Target.activateTarget": Root._activate,
    "Target.attachToBrowserTarget": Root._attach_to_browser,
    "Target.attachToTarget": Root._attach,
    "Target.closeTarget": Root._close,
    "Target.createTarget": Root._create,
    "Target.detachFromTarget": Root._detach,
    "Target.getBrowserContexts": Root._contexts,
    "Target.getDevToolsTarget": Root._developer_tools,
    "Target.getTargetInfo": Root._target_info,
    "Target.getTargets": Root._targets,
    "Target.setAutoAttach": Root._auto_attach,
    "Target.setDiscoverTargets": Root._discover,
}
