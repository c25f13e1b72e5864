"""The `Target` domain on any session: each client sees only its own targets.

Knows: what each `Target` command means for a client. Must not know: sockets. For a target that is
not the client's, it replies with Chrome's own error for a target that does not exist.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pilothouse.relay import cdp_bytes
from pilothouse.relay.cdp_bytes import ClientCommand
from pilothouse.relay.extension_browser import KEPT_BY_USER
from pilothouse.relay.hub.client import RelayClient
from pilothouse.relay.hub.navigation_policy import address_refusal
from pilothouse.relay.hub.refusal_texts import format_refusal, refusal
from pilothouse.relay.hub.session import ClientSession, CommandHandler
from pilothouse.relay.hub.target_attachment import CompletionCounter
from pilothouse.relay.target_command_params import AutoAttach, filter_admits, read_filter

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


def refuse(client: RelayClient, session: ClientSession, command: ClientCommand) -> None:
    """Refuse a command with the reason from `security/cdp_policy`."""
    client.fail(session, command, refusal(command.method))


def _visible(
    client: RelayClient, session: ClientSession, command: ClientCommand, target: str
) -> bool:
    """Return whether the client may see a target; if not, fail the command as Chrome does."""
    if client.can_see_target(target):
        return True
    client.fail(session, command, NO_TARGET, cdp_bytes.INVALID_PARAMS)
    return False


# Discovery and auto-attach.


def _set_discover(client: RelayClient, session: ClientSession, command: ClientCommand) -> None:
    params = client.decode_params(command)
    wanted = read_filter(params) if params.get("discover") else None
    client.hub.discovery.set_filter(session, wanted)
    client.reply(session, command)


def _set_auto_attach(client: RelayClient, session: ClientSession, command: ClientCommand) -> None:
    auto = AutoAttach.read(client.decode_params(command))
    client.hub.auto_attacher.set_auto_attach(session, auto, lambda: client.reply(session, command))


# Listing.


def _get_targets(client: RelayClient, session: ClientSession, command: ClientCommand) -> None:
    wanted = read_filter(client.decode_params(command))
    listed = [
        shown
        for info in client.hub.targets
        if client.can_see(info)
        for shown in client.hub.discovery.describe_target(client, info)
        if filter_admits(wanted, shown["type"])
    ]
    client.reply(session, command, {"targetInfos": listed})


def _get_target_info(client: RelayClient, session: ClientSession, command: ClientCommand) -> None:
    target = client.decode_params(command).get("targetId") or session.target
    for info in client.hub.targets:
        for shown in (
            client.hub.discovery.describe_target(client, info) if client.can_see(info) else ()
        ):
            if shown["targetId"] == target:
                client.reply(session, command, {"targetInfo": shown})
                return
    client.fail(session, command, NO_TARGET, cdp_bytes.INVALID_PARAMS)


# Sessions.


def _attach_to_target(client: RelayClient, session: ClientSession, command: ClientCommand) -> None:
    params = client.decode_params(command)
    target = str(params.get("targetId", ""))
    if not params.get("flatten"):
        error_text = refusal("Target.sendMessageToTarget")
        client.fail(session, command, error_text.replace("sendMessageToTarget", "attachToTarget"))
    elif (page := _page_of_tab(client, target)) is not None:
        tab = client.hub.auto_attacher.attach_tab(session, page)
        client.reply(session, command, {"sessionId": tab.visible_id})
    elif _visible(client, session, command, target):
        lazy = client.hub.auto_attacher.lazy_tabs.create_session(session, target, session)
        if lazy is not None:
            client.reply(session, command, {"sessionId": lazy.visible_id})
            return
        client.hub.auto_attacher.expect_attach(session, target)
        client.forward(session, command)


def _page_of_tab(client: RelayClient, target: str) -> Mapping[str, Any] | None:
    """Return the page below a tab target that the client may see; None for any other id."""
    page = client.hub.discovery.find_page(target)
    if page is None or page["targetId"] == target or not client.can_see(page):
        return None
    return page


def _attach_to_browser(client: RelayClient, session: ClientSession, command: ClientCommand) -> None:
    at = session if session.kind == "browser" else client.root
    if at is session:
        client.forward(session, command)
    else:
        client.fail(session, command, "Not allowed")


def detach_from_target(client: RelayClient, session: ClientSession, command: ClientCommand) -> None:
    """End one of the client's sessions. Made-up ones end here."""
    name = str(client.decode_params(command).get("sessionId", ""))
    ended = client.sessions.get(name)
    if ended is None or not name:
        client.fail(session, command, "No session with given id", cdp_bytes.INVALID_PARAMS)
        return
    if not ended.id:
        client.hub.auto_attacher.end_tab(ended)
        client.reply(session, command)
        return
    owner = ended.parent if ended.parent is not None and ended.parent.id else client.root
    params = {"sessionId": ended.id.decode()}

    def done(result: dict[str, Any], error_text: str) -> None:
        if error_text:
            client.fail(session, command, error_text)
        else:
            client.reply(session, command)

    client.send_command(owner, "Target.detachFromTarget", params, done)


# Tabs.


def _create_target(client: RelayClient, session: ClientSession, command: ClientCommand) -> None:
    params = client.decode_params(command)
    context = str(params.get("browserContextId") or "")
    if context and not client.has_context(context):
        client.fail(session, command, f"{NO_CONTEXT} {context}", cdp_bytes.INVALID_PARAMS)
        return
    if client.context and not context:
        params["browserContextId"] = client.context
    # Open it blank and navigate once the client has let it run and its owner is known. Otherwise
    # the client's init scripts, and the owner's URL policy, would miss the first document.
    url, params["url"] = str(params.get("url") or "about:blank"), "about:blank"
    error_text = address_refusal(client, command.method, "", url)
    if error_text:
        client.fail(session, command, error_text)
        return
    client.pending_creates += 1

    def on_created(result: dict[str, Any], error_text: str) -> None:
        client.pending_creates -= 1
        if error_text:
            client.hub.auto_attacher.on_target_created(client, "")
            client.fail(session, command, error_text)
        else:
            _created(client, session, command, str(result["targetId"]), url)
        client.hub.announce_unassigned()

    client.send_command(client.root, command.method, params, on_created)


def _created(
    client: RelayClient, session: ClientSession, command: ClientCommand, target: str, url: str
) -> None:
    """Attach a new tab where the client wants it, then send the reply."""
    hub = client.hub
    client.opened_targets.add(target)
    hub.on_tab_opened(client, target)
    info = hub.targets.get(target) or {
        "targetId": target,
        "type": "page",
        "title": "",
        "url": "about:blank",
        "attached": False,
        "canAccessOpener": False,
        "browserContextId": client.context,
    }

    def reply() -> None:
        client.reply(session, command, {"targetId": target})
        if url != "about:blank":
            hub.client_tasks.open_url(client, target, url)

    done = CompletionCounter(reply)
    for each in client.browser_sessions():
        hub.discovery.announce_to_session(each, info)
        if not hub.auto_attacher.is_attached_by_chrome(client):
            hub.auto_attacher.attach_if_wanted(each, info, done)
    hub.auto_attacher.on_target_created(client, target)
    done.finish()


def refuse_close(
    client: RelayClient, session: ClientSession, command: ClientCommand, page: Mapping[str, Any]
) -> bool:
    """Refuse to close the user's own tab.

    Returns whether it was one. The client is told, and loses the page: Playwright would wait for
    its end for ever.
    """
    if not page.get(KEPT_BY_USER):
        return False
    why = "the user opened this tab, and agents may not close it"
    instead = "leave it open: it stays, and you no longer have access to it"
    client.fail(session, command, format_refusal(command.method, why, instead))
    client.hub.discovery.withdraw(client, str(page["targetId"]))
    return True


def close_target(client: RelayClient, session: ClientSession, command: ClientCommand) -> None:
    """Close a tab of the client's, its dialogs first."""
    target = str(client.decode_params(command).get("targetId", "")) or session.target
    page = client.hub.discovery.find_page(target)
    if page is None or not client.can_see(page):
        info = client.hub.targets.get(target)
        if info is not None and client.can_see(info) and info["type"] not in ("page", "browser"):
            if info["type"] == "service_worker":
                client.hub.supervisor.service_workers.detach(target)
            client.forward(client.root if session.kind == "tab" else session, command)
            return
        client.fail(session, command, NO_TARGET, cdp_bytes.INVALID_PARAMS)
        return
    if refuse_close(client, session, command, page):
        return
    client_tasks = client.hub.client_tasks
    closing = client_tasks.close_page(str(page["targetId"]))
    client_tasks.reply_after(client, session, command, closing, {"success": True})


def _on_visible_target(client: RelayClient, session: ClientSession, command: ClientCommand) -> None:
    target = str(client.decode_params(command).get("targetId", ""))
    if _visible(client, session, command, target):
        client.forward(session, command)


# Browser contexts.


def _create_context(client: RelayClient, session: ClientSession, command: ClientCommand) -> None:
    hub = client.hub
    params = {**client.decode_params(command), **client.context_options, "disposeOnDetach": True}

    def on_created(result: dict[str, Any], error_text: str) -> None:
        if error_text:
            client.fail(session, command, error_text)
            return
        context = str(result["browserContextId"])
        client.contexts.add(context)
        hub.upstream.on_context_created(client.owner, context)
        client.reply(session, command, {"browserContextId": context})

    client.send_command(client.root, command.method, params, on_created)


def _dispose_context(client: RelayClient, session: ClientSession, command: ClientCommand) -> None:
    context = str(client.decode_params(command).get("browserContextId", ""))
    if context not in client.contexts:
        client.fail(session, command, f"{NO_CONTEXT} {context}", cdp_bytes.INVALID_PARAMS)
        return
    client_tasks = client.hub.client_tasks
    client_tasks.reply_after(
        client, session, command, client_tasks.dispose_context(client, context), {}
    )


def _get_contexts(client: RelayClient, session: ClientSession, command: ClientCommand) -> None:
    listed: dict[str, Any] = {"browserContextIds": sorted(client.contexts)}
    default = client.context or client.hub.default_context()
    if default:
        listed["defaultBrowserContextId"] = default
    client.reply(session, command, listed)


TARGET_COMMANDS: Final[dict[str, CommandHandler]] = {
    "Target.setDiscoverTargets": _set_discover,
    "Target.setAutoAttach": _set_auto_attach,
    "Target.getTargets": _get_targets,
    "Target.getTargetInfo": _get_target_info,
    "Target.attachToTarget": _attach_to_target,
    "Target.attachToBrowserTarget": _attach_to_browser,
    "Target.detachFromTarget": detach_from_target,
    "Target.createTarget": _create_target,
    "Target.closeTarget": close_target,
    "Target.activateTarget": _on_visible_target,
    "Target.getDevToolsTarget": _on_visible_target,
    "Target.createBrowserContext": _create_context,
    "Target.disposeBrowserContext": _dispose_context,
    "Target.getBrowserContexts": _get_contexts,
}
