"""`Browser.*` and `Target.*` commands, which an extension carries out through other APIs. Pure.

Knows: targets, windows, and what an extension cannot do. Must not know: pages. Every browser
session has its own discovery and its own auto-attach. Sessions of pages may send the same commands.
What an extension cannot do is refused by name, never answered as if it had been done.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from pilothouse.relay.extension_browser.agent_restrictions import check_command, check_open_tab
from pilothouse.relay.extension_browser.attachment import refusal_by_user
from pilothouse.relay.extension_browser.client_session import FlatSession
from pilothouse.relay.extension_browser.cookie_commands import COOKIE_METHODS, run_on_any_tab
from pilothouse.relay.extension_browser.tab_and_message_types import (
    OK,
    ErrorReply,
    SharedTab,
    decode_object,
    encode,
    event_message,
    read_tab,
    refusal,
    unknown_method,
)
from pilothouse.relay.target_command_params import AutoAttach, filter_admits, read_filter

if TYPE_CHECKING:
    from pilothouse.relay.extension_browser.browser import ExtensionBrowser

__all__ = ["UNSUPPORTED", "RootCommands"]

Params = Mapping[str, Any]
Handler = Callable[["RootCommands", FlatSession, int, Params], None]

_NO_TARGET = ErrorReply(-32602, "No target with given id found")
_NO_CONTEXT = ErrorReply(-32602, "Failed to find browser context for the given id")
_SCREENS = "Emulation.getScreenInfos"
_PLACE = ("left", "top", "width", "height")
_NO_WINDOW = ErrorReply(-32000, "Browser window not found")

_USER = "this is the user's own browser"
UNSUPPORTED = {
    "Browser.cancelDownload": refusal(
        "Browser.cancelDownload", "an extension cannot stop downloads", "ask the user to"
    ),
    "Browser.close": refusal("Browser.close", _USER, "disconnect"),
    "Browser.crash": refusal("Browser.crash", _USER),
    "Browser.crashGpuProcess": refusal("Browser.crashGpuProcess", _USER),
    "Browser.grantPermissions": refusal(
        "Browser.grantPermissions",
        "an extension cannot grant permissions",
        "ask the user to allow it in the page's own settings",
    ),
    "Browser.resetPermissions": refusal(
        "Browser.resetPermissions", "an extension cannot change permissions"
    ),
    "Browser.setPermission": refusal(
        "Browser.setPermission",
        "an extension cannot set permissions",
        "ask the user to allow it in the page's own settings",
    ),
    "Target.createBrowserContext": refusal(
        "Target.createBrowserContext",
        "an extension cannot make a second profile",
        "use the default context, or a managed browser",
    ),
    "Target.disposeBrowserContext": refusal("Target.disposeBrowserContext", _USER),
}


class RootCommands:
    """Handlers of the commands for the browser itself. See the module docstring."""

    def __init__(self, browser: ExtensionBrowser) -> None:
        self._browser = browser

    def handle(self, session: FlatSession, command_id: int, method: str, raw: msgspec.Raw) -> None:
        """Carry out one command, or reply why not."""
        handler = _HANDLERS.get(method)
        params = decode_object(raw)
        if method in UNSUPPORTED:
            self._browser.fail(session.id, command_id, UNSUPPORTED[method])
        elif params.get("browserContextId") not in (None, "", self._browser.context):
            self._browser.fail(session.id, command_id, _NO_CONTEXT)
        elif handler is not None:
            handler(self, session, command_id, params)
        elif method in COOKIE_METHODS or method.startswith("Storage.") or method == _SCREENS:
            run_on_any_tab(self._browser, session, command_id, method, params)
        else:
            self._browser.fail(session.id, command_id, unknown_method(method))

    def _reply(self, session: FlatSession, command_id: int, result: Params) -> None:
        self._browser.reply(session.id, command_id, encode(result))

    def _tab(self, session: FlatSession, params: Params) -> SharedTab | None:
        target = params.get("targetId")
        if target is None and session.debuggee is not None:
            return session.debuggee.tab
        return self._browser.tabs.by_target(str(target))

    def _send_request(
        self,
        session: FlatSession,
        command_id: int,
        method: str,
        params: Params,
        convert: Callable[[dict[str, Any]], Params] = lambda _: {},
    ) -> None:
        """Send a request to the extension and reply with its converted result."""

        def settled(result: msgspec.Raw | None, error: ErrorReply | None) -> None:
            if error is not None or result is None:
                self._browser.fail(session.id, command_id, error or _NO_TARGET)
            else:
                self._reply(session, command_id, convert(decode_object(result)))

        self._browser.send_request(method, params, settled)

    # The browser.

    def _version(self, session: FlatSession, command_id: int, params: Params) -> None:
        hello = self._browser.hello
        version = {"product": hello.product, "userAgent": hello.user_agent, "revision": ""}
        self._reply(session, command_id, {"protocolVersion": "1.3", "jsVersion": "", **version})

    def _window_for_target(self, session: FlatSession, command_id: int, params: Params) -> None:
        tab = self._tab(session, params)
        if tab is None:
            self._browser.fail(session.id, command_id, _NO_TARGET)
        else:
            self._send_request(session, command_id, "window", {"tabId": tab.tab_id}, _window)

    def _window_bounds(self, session: FlatSession, command_id: int, params: Params) -> None:
        tab = self._in_window(params)
        if tab is None:
            self._browser.fail(session.id, command_id, _NO_WINDOW)
            return

        def bounds(window: dict[str, Any]) -> Params:
            return {"bounds": _window(window)["bounds"]}

        self._send_request(session, command_id, "window", {"tabId": tab.tab_id}, bounds)

    def _set_window_bounds(self, session: FlatSession, command_id: int, params: Params) -> None:
        tab, bounds = self._in_window(params), params.get("bounds")
        if tab is None or not isinstance(bounds, dict):
            self._browser.fail(session.id, command_id, _NO_WINDOW)
            return
        error = check_command(self._browser.settings, "Browser.setWindowBounds", params, tab)
        if error is not None:
            self._browser.fail(session.id, command_id, error)
            return
        wanted = {"tabId": tab.tab_id, "windowId": tab.window_id, "bounds": bounds}
        self._send_request(session, command_id, "setWindow", wanted)

    def _in_window(self, params: Params) -> SharedTab | None:
        window = params.get("windowId")
        return next((t for t in self._browser.tabs.by_id.values() if t.window_id == window), None)

    def _downloads(self, session: FlatSession, command_id: int, params: Params) -> None:
        error = self._browser.downloads.set_behavior(session, params)
        self._browser.answer(session.id, command_id, None, error)

    # Targets.

    def _contexts(self, session: FlatSession, command_id: int, params: Params) -> None:
        contexts = {"browserContextIds": [], "defaultBrowserContextId": self._browser.context}
        self._reply(session, command_id, contexts)

    def _discover(self, session: FlatSession, command_id: int, params: Params) -> None:
        browser = self._browser
        if params.get("discover") is not True:
            session.discover = None
        else:
            had, session.discover = session.discover, read_filter(params)
            for info in list(browser.targets.all()):
                kind = info["type"]
                if filter_admits(session.discover, kind) and not (had and filter_admits(had, kind)):
                    raw = encode({"targetInfo": info})
                    browser.emit(event_message("Target.targetCreated", raw, session.id))
        browser.reply(session.id, command_id, OK)

    def _auto_attach(self, session: FlatSession, command_id: int, params: Params) -> None:
        """Attach to all tabs and announce them before the reply, as Chrome does."""
        browser = self._browser
        session.auto_attach = AutoAttach.read(params)
        if session.auto_attach is None:
            for child in [s for s in browser.sessions_below(session) if s.auto_attached]:
                browser.end_session(child)
            browser.reply(session.id, command_id, OK)
            return
        left = 1

        def one(_: ErrorReply | None) -> None:
            nonlocal left
            left -= 1
            if left == 0 and session.id in browser.sessions:
                browser.reply(session.id, command_id, OK)

        for tab in list(browser.tabs.by_id.values()):
            left += 1
            browser.attachments.auto_attach(tab, session, one)
        one(None)

    def _targets(self, session: FlatSession, command_id: int, params: Params) -> None:
        wanted = read_filter(params)
        infos = [i for i in self._browser.targets.all() if filter_admits(wanted, i["type"])]
        self._reply(session, command_id, {"targetInfos": infos})

    def _target_info(self, session: FlatSession, command_id: int, params: Params) -> None:
        browser, target = self._browser, params.get("targetId")
        if target is None:
            target = session.debuggee.target_id if session.debuggee else browser.browser_target
        info = browser.targets.find(str(target))
        if info is None:
            browser.fail(session.id, command_id, _NO_TARGET)
            return
        tab = browser.tabs.by_target(str(target))
        own = browser.debuggees.get(tab.tab_id) if tab is not None else None
        if tab is None or own is None or browser.attachments.queue_for(own) is not None:
            self._reply(session, command_id, {"targetInfo": info})
            return

        def settled(result: msgspec.Raw | None, error: ErrorReply | None) -> None:
            # The extension learns titles late. The debugger knows the current one.
            info_now = decode_object(result).get("targetInfo", {}) if result is not None else {}
            fresh = {k: info_now[k] for k in ("title", "url") if isinstance(info_now.get(k), str)}
            self._reply(session, command_id, {"targetInfo": {**browser.targets.page(tab), **fresh}})

        browser.send_command(own, "Target.getTargetInfo", OK, settled, session=session)

    def _attach_to_browser(self, session: FlatSession, command_id: int, params: Params) -> None:
        created_session = self._browser.create_session(session.id, None)
        self._browser.announce_session(created_session)
        self._reply(session, command_id, {"sessionId": created_session.id})

    def _attach(self, session: FlatSession, command_id: int, params: Params) -> None:
        browser, target = self._browser, str(params.get("targetId", ""))
        if params.get("flatten") is not True:
            browser.fail(
                session.id, command_id, ErrorReply(-32000, "only flat sessions: send flatten: true")
            )
            return
        if target == browser.browser_target:
            self._attach_to_browser(session, command_id, params)
            return
        if browser.popups.attach_to_closed(session, command_id, target):
            return
        child = next(
            (s for s in browser.debuggees.values() if s.child_session_id and s.target_id == target),
            None,
        )
        tab = browser.tabs.by_target(target)
        if child is not None:
            self._finish_attach(session, command_id, child.child_session_id)
        elif tab is None:
            browser.fail(session.id, command_id, _NO_TARGET)
        else:

            def attached(error: ErrorReply | None) -> None:
                if error is None:
                    self._finish_attach(session, command_id, tab.tab_id)
                elif not browser.popups.attach_if_closed_meanwhile(session, command_id, tab, error):
                    browser.fail(session.id, command_id, error)

            browser.attachments.attach(tab, attached)

    def _finish_attach(self, session: FlatSession, command_id: int, key: int | str) -> None:
        browser = self._browser
        debuggee = browser.debuggees.get(key)
        if debuggee is None or session.id not in browser.sessions:
            browser.fail(session.id, command_id, _NO_TARGET)
            return
        if session.id and not debuggee.child_session_id:
            browser.add_companion(debuggee)
        created_session = browser.create_session(session.id, debuggee)
        browser.announce_session(created_session)
        self._reply(session, command_id, {"sessionId": created_session.id})

    def _detach(self, session: FlatSession, command_id: int, params: Params) -> None:
        browser = self._browser
        name, target = params.get("sessionId"), params.get("targetId")
        mine = browser.sessions_below(session)
        ended = next(
            (
                s
                for s in mine
                if s.id == name
                or (name is None and s.debuggee is not None and s.debuggee.target_id == target)
            ),
            None,
        )
        if ended is None:
            browser.fail(session.id, command_id, ErrorReply(-32602, "No session with given id"))
        else:
            browser.end_session(ended)
            browser.reply(session.id, command_id, OK)

    def _create(self, session: FlatSession, command_id: int, params: Params) -> None:
        browser, url = self._browser, str(params.get("url") or "about:blank")
        stopped = browser.attachments.stopped_by
        error = refusal_by_user("to open a tab", stopped) if stopped is not None else None
        error = error or check_open_tab(browser.settings, url)
        if error is not None:
            browser.fail(session.id, command_id, error)
            return
        params_sent: dict[str, Any] = {"url": url, "active": params.get("background") is not True}
        if params.get("newWindow") is True:
            params_sent["window"] = {k: params[k] for k in _PLACE if isinstance(params.get(k), int)}

        def settled(result: msgspec.Raw | None, error: ErrorReply | None) -> None:
            created = read_tab(result) if result is not None else None
            if error is not None or created is None:
                browser.fail(session.id, command_id, error or _NO_TARGET)
                return
            tab = browser.tabs.add(created)
            browser.attachments.used_tabs.add(tab.tab_id)
            if tab.target_id:
                self._finish_create(session, command_id, tab)
            else:
                browser.attachments.refresh_tabs(
                    lambda: self._finish_create(session, command_id, tab)
                )

        browser.send_request("createTab", params_sent, settled)

    def _finish_create(self, session: FlatSession, command_id: int, tab: SharedTab) -> None:
        """Reply to `Target.createTarget` after sessions with auto-attach or discovery heard of the
        tab."""
        browser = self._browser

        def announced(_: ErrorReply | None) -> None:
            debuggee = browser.debuggees.get(tab.tab_id)
            if debuggee is not None and session.id:
                browser.add_companion(debuggee)
            if tab.target_id:
                self._reply(session, command_id, {"targetId": tab.target_id})
            else:
                browser.fail(session.id, command_id, _NO_TARGET)

        if session.id and browser.root_session.discover is not None and tab.target_id:
            browser.attachments.attach(tab, announced)
        else:
            browser.attachments.when_settled(tab, announced)

    def _close(self, session: FlatSession, command_id: int, params: Params) -> None:
        tab = self._tab(session, params)
        if tab is None:
            self._browser.fail(session.id, command_id, _NO_TARGET)
            return
        error = self._check(tab, "Target.closeTarget")
        if error is not None:
            self._browser.fail(session.id, command_id, error)
            return
        tab.closing = True

        def settled(result: msgspec.Raw | None, error: ErrorReply | None) -> None:
            tab.closing = False  # the page may have refused to close (beforeunload)
            if error is not None:
                self._browser.fail(session.id, command_id, error)
            else:
                self._reply(session, command_id, {"success": True})

        self._browser.send_request("closeTab", {"tabId": tab.tab_id}, settled)

    def _activate(self, session: FlatSession, command_id: int, params: Params) -> None:
        tab = self._tab(session, params)
        error = _NO_TARGET if tab is None else self._check(tab, "Target.activateTarget")
        if tab is None or error is not None:
            self._browser.fail(session.id, command_id, error or _NO_TARGET)
        else:
            self._send_request(session, command_id, "activateTab", {"tabId": tab.tab_id})

    def _developer_tools(self, session: FlatSession, command_id: int, params: Params) -> None:
        """Reply that there is no DevTools target: an extension cannot see any."""
        if self._tab(session, params) is None:
            self._browser.fail(session.id, command_id, _NO_TARGET)
        else:
            self._reply(session, command_id, {})

    def _check(self, tab: SharedTab, method: str) -> ErrorReply | None:
        return check_command(self._browser.settings, method, {}, tab)


def _window(window: dict[str, Any]) -> dict[str, Any]:
    return {"windowId": window.get("windowId", 0), "bounds": window.get("bounds", {})}


_HANDLERS: dict[str, Handler] = {
    "Browser.getVersion": RootCommands._version,
    "Browser.getWindowBounds": RootCommands._window_bounds,
    "Browser.getWindowForTarget": RootCommands._window_for_target,
    "Browser.setDownloadBehavior": RootCommands._downloads,
    "Browser.setWindowBounds": RootCommands._set_window_bounds,
    "Target.activateTarget": RootCommands._activate,
    "Target.attachToBrowserTarget": RootCommands._attach_to_browser,
    "Target.attachToTarget": RootCommands._attach,
    "Target.closeTarget": RootCommands._close,
    "Target.createTarget": RootCommands._create,
    "Target.detachFromTarget": RootCommands._detach,
    "Target.getBrowserContexts": RootCommands._contexts,
    "Target.getDevToolsTarget": RootCommands._developer_tools,
    "Target.getTargetInfo": RootCommands._target_info,
    "Target.getTargets": RootCommands._targets,
    "Target.setAutoAttach": RootCommands._auto_attach,
    "Target.setDiscoverTargets": RootCommands._discover,
}
