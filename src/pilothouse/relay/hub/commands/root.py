"""Commands about targets, on whatever session they are sent: each client sees only its own.

Knows: what each `Target` command means to a client. Must not know: sockets. What is not the
client's does not exist for it: it gets Chrome's own words for a target that is not there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pilothouse.relay import cdp_bytes as frames
from pilothouse.relay.cdp_bytes import Asked
from pilothouse.relay.extension_browser import KEPT
from pilothouse.relay.hub.auto_attach import AfterAll
from pilothouse.relay.hub.client import Act, Client, ClientSession
from pilothouse.relay.hub.navigation_policy import address_refusal
from pilothouse.relay.hub.refusals import refusal, worded
from pilothouse.relay.hub.targets import AutoAttach, read_filter, takes

__all__ = [
    "NO_CONTEXT",
    "NO_TARGET",
    "TARGET_COMMANDS",
    "close_target",
    "detach_from_target",
    "refuse",
    "refuse_close",
]

NO_TARGET = "No target with given id found"
NO_CONTEXT = "Failed to find browser context with id"


def refuse(client: Client, session: ClientSession, asked: Asked) -> None:
    """Say no, with the reason of the table."""
    client.fail(session, asked, refusal(asked.method))


def _visible(client: Client, session: ClientSession, asked: Asked, target: str) -> bool:
    """Whether a target is the client's; if not, the client is told that there is none."""
    if client.sees_target(target):
        return True
    client.fail(session, asked, NO_TARGET, frames.INVALID_PARAMS)
    return False


# Discovery and auto-attach.


def _set_discover(client: Client, session: ClientSession, asked: Asked) -> None:
    params = client.params(asked)
    session.told.clear()
    session.discover = read_filter(params) if params.get("discover") else None
    discovery = client.hub.discovery
    if session.discover is not None:
        for info in client.hub.targets:
            if client.sees(info):
                discovery.show(session, info)
    client.reply(session, asked)


def _set_auto_attach(client: Client, session: ClientSession, asked: Asked) -> None:
    auto = AutoAttach.read(client.params(asked))
    client.hub.attaching.set_auto(session, auto, lambda: client.reply(session, asked))


# Looking.


def _get_targets(client: Client, session: ClientSession, asked: Asked) -> None:
    wanted = read_filter(client.params(asked))
    listed = [
        shown
        for info in client.hub.targets
        if client.sees(info)
        for shown in client.hub.discovery.presented(client, info)
        if takes(wanted, shown["type"])
    ]
    client.reply(session, asked, {"targetInfos": listed})


def _get_target_info(client: Client, session: ClientSession, asked: Asked) -> None:
    target = client.params(asked).get("targetId") or session.target
    for info in client.hub.targets:
        for shown in client.hub.discovery.presented(client, info) if client.sees(info) else ():
            if shown["targetId"] == target:
                client.reply(session, asked, {"targetInfo": shown})
                return
    client.fail(session, asked, NO_TARGET, frames.INVALID_PARAMS)


# Sessions.


def _attach_to_target(client: Client, session: ClientSession, asked: Asked) -> None:
    params = client.params(asked)
    target = str(params.get("targetId", ""))
    if not params.get("flatten"):
        words = refusal("Target.sendMessageToTarget")
        client.fail(session, asked, words.replace("sendMessageToTarget", "attachToTarget"))
    elif (page := _page_of_tab(client, target)) is not None:
        tab = client.hub.attaching.attach_tab(session, page)
        client.reply(session, asked, {"sessionId": tab.shown})
    elif _visible(client, session, asked, target):
        lazy = client.hub.attaching.lazy.show(session, target, session)
        if lazy is not None:
            client.reply(session, asked, {"sessionId": lazy.shown})
            return
        client.hub.attaching.asked(session, target)
        client.forward(session, asked)


def _page_of_tab(client: Client, target: str) -> Mapping[str, Any] | None:
    """The page below a tab target that the client was told of; None if it is no such id."""
    page = client.hub.discovery.page_named(target)
    if page is None or page["targetId"] == target or not client.sees(page):
        return None
    return page


def _attach_to_browser(client: Client, session: ClientSession, asked: Asked) -> None:
    at = session if session.kind == "browser" else client.root
    if at is session:
        client.forward(session, asked)
    else:
        client.fail(session, asked, "Not allowed")


def detach_from_target(client: Client, session: ClientSession, asked: Asked) -> None:
    """End one of the client's sessions; the made-up ones end here."""
    name = str(client.params(asked).get("sessionId", ""))
    ended = client.sessions.get(name)
    if ended is None or not name:
        client.fail(session, asked, "No session with given id", frames.INVALID_PARAMS)
        return
    if not ended.id:
        client.hub.attaching.end_tab(ended)
        client.reply(session, asked)
        return
    owner = ended.parent if ended.parent is not None and ended.parent.id else client.root
    params = {"sessionId": ended.id.decode()}

    def done(result: dict[str, Any], words: str) -> None:
        if words:
            client.fail(session, asked, words)
        else:
            client.reply(session, asked)

    client.ask(owner, "Target.detachFromTarget", params, done)


# Tabs.


def _create_target(client: Client, session: ClientSession, asked: Asked) -> None:
    params = client.params(asked)
    context = str(params.get("browserContextId") or "")
    if context and not client.has_context(context):
        client.fail(session, asked, f"{NO_CONTEXT} {context}", frames.INVALID_PARAMS)
        return
    if client.context and not context:
        params["browserContextId"] = client.context
    # It shows its address only once the client has let it run and whose it is has been said: its
    # scripts, and the fence of its owner, would miss the document else.
    url, params["url"] = str(params.get("url") or "about:blank"), "about:blank"
    words = address_refusal(client, asked.method, "", url)
    if words:
        client.fail(session, asked, words)
        return
    client.creating += 1

    def made(result: dict[str, Any], words: str) -> None:
        client.creating -= 1
        if words:
            client.hub.attaching.created(client, "")
            client.fail(session, asked, words)
        else:
            _created(client, session, asked, str(result["targetId"]), url)
        client.hub.settle()

    client.ask(client.root, asked.method, params, made)


def _created(client: Client, session: ClientSession, asked: Asked, target: str, url: str) -> None:
    """Attach the new tab where the client wants it before it hears of it."""
    hub = client.hub
    client.opened.add(target)
    hub.opened(client, target)
    info = hub.targets.get(target) or {
        "targetId": target,
        "type": "page",
        "title": "",
        "url": "about:blank",
        "attached": False,
        "canAccessOpener": False,
        "browserContextId": client.context,
    }

    def known() -> None:
        client.reply(session, asked, {"targetId": target})
        if url != "about:blank":
            hub.errands.show(client, target, url)

    done = AfterAll(known)
    for each in client.browser_sessions():
        hub.discovery.show(each, info)
        if not hub.attaching.by_chrome(client):
            hub.attaching.attach_wanted(each, info, done)
    hub.attaching.created(client, target)
    done.expect_no_more()


def refuse_close(
    client: Client, session: ClientSession, asked: Asked, page: Mapping[str, Any]
) -> bool:
    """Whether a page is the user's own tab: then it is not closed. The client is told so, and is
    off it from then on; Playwright would wait for its end for ever."""
    if not page.get(KEPT):
        return False
    why = "the user opened this tab, and agents may not close it"
    instead = "leave it: it stays open, and you are off it now"
    client.fail(session, asked, worded(asked.method, why, instead))
    client.hub.discovery.withdraw(client, str(page["targetId"]))
    return True


def close_target(client: Client, session: ClientSession, asked: Asked) -> None:
    """Close a tab of the client's, its dialogs first."""
    target = str(client.params(asked).get("targetId", "")) or session.target
    page = client.hub.discovery.page_named(target)
    if page is None or not client.sees(page):
        info = client.hub.targets.get(target)
        if info is not None and client.sees(info) and info["type"] not in ("page", "browser"):
            if info["type"] == "service_worker":
                client.hub.supervisor.service_workers.leave(target)
            client.forward(client.root if session.kind == "tab" else session, asked)
            return
        client.fail(session, asked, NO_TARGET, frames.INVALID_PARAMS)
        return
    if refuse_close(client, session, asked, page):
        return
    errands = client.hub.errands
    closing = errands.close_page(str(page["targetId"]))
    errands.answering(client, session, asked, closing, {"success": True})


def _of_a_target(client: Client, session: ClientSession, asked: Asked) -> None:
    target = str(client.params(asked).get("targetId", ""))
    if _visible(client, session, asked, target):
        client.forward(session, asked)


# Cookie jars.


def _create_context(client: Client, session: ClientSession, asked: Asked) -> None:
    hub = client.hub
    params = {**client.params(asked), **client.jar, "disposeOnDetach": True}

    def made(result: dict[str, Any], words: str) -> None:
        if words:
            client.fail(session, asked, words)
            return
        context = str(result["browserContextId"])
        client.contexts.add(context)
        hub.upstream.made_context(client.owner, context)
        client.reply(session, asked, {"browserContextId": context})

    client.ask(client.root, asked.method, params, made)


def _dispose_context(client: Client, session: ClientSession, asked: Asked) -> None:
    context = str(client.params(asked).get("browserContextId", ""))
    if context not in client.contexts:
        client.fail(session, asked, f"{NO_CONTEXT} {context}", frames.INVALID_PARAMS)
        return
    errands = client.hub.errands
    errands.answering(client, session, asked, errands.dispose(client, context), {})


def _get_contexts(client: Client, session: ClientSession, asked: Asked) -> None:
    listed: dict[str, Any] = {"browserContextIds": sorted(client.contexts)}
    default = client.context or client.hub.default_context()
    if default:
        listed["defaultBrowserContextId"] = default
    client.reply(session, asked, listed)


TARGET_COMMANDS: Final[dict[str, Act]] = {
    "Target.setDiscoverTargets": _set_discover,
    "Target.setAutoAttach": _set_auto_attach,
    "Target.getTargets": _get_targets,
    "Target.getTargetInfo": _get_target_info,
    "Target.attachToTarget": _attach_to_target,
    "Target.attachToBrowserTarget": _attach_to_browser,
    "Target.detachFromTarget": detach_from_target,
    "Target.createTarget": _create_target,
    "Target.closeTarget": close_target,
    "Target.activateTarget": _of_a_target,
    "Target.getDevToolsTarget": _of_a_target,
    "Target.createBrowserContext": _create_context,
    "Target.disposeBrowserContext": _dispose_context,
    "Target.getBrowserContexts": _get_contexts,
}
