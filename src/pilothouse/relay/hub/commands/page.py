"""What a client may send on a session of a page, frame or worker.

Knows: how each decision of `security/cdp_policy` is carried out, and the few methods that the hub
or the supervisor has a word in. Must not know: sockets, or why a method is allowed. The table is
complete: a method that is not in it does not exist for a client. Most methods go to the browser
with their params unread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final

from pilothouse.errors import ToolError
from pilothouse.relay.cdp_bytes import ClientCommand
from pilothouse.relay.hub.client import ClientSession, CommandHandler, RelayClient
from pilothouse.relay.hub.commands.browser import BROWSER_COMMANDS, clear, only_alone
from pilothouse.relay.hub.commands.root import TARGET_COMMANDS, refuse, refuse_close
from pilothouse.relay.hub.navigation_policy import NAVIGATION_COMMANDS, address_refusal
from pilothouse.relay.hub.refusals import format_refusal
from pilothouse.relay.hub.targets import AutoAttach
from pilothouse.security.cdp_policy import (
    RELAY,
    Check,
    drag_urls,
    find_drag_problem,
    find_stream_problem,
)

__all__ = ["ACTING", "PAGE_COMMANDS"]

# What changes a page as a person would: two clients that do this at once are in conflict.
ACTING = (
    "Input.dispatchKeyEvent",
    "Input.dispatchMouseEvent",
    "Input.dispatchTouchEvent",
    "Input.insertText",
    "Page.navigate",
    "Page.navigateToHistoryEntry",
    "Page.reload",
)

# What the person whose browser it is may want to know of.
LOOKING = (
    "Accessibility.getFullAXTree",
    "DOMSnapshot.captureSnapshot",
    "Page.captureScreenshot",
    "Page.captureSnapshot",
    "Page.printToPDF",
)


def _run(client: RelayClient, session: ClientSession, command: ClientCommand) -> None:
    """Let a target run once all who are waited for have said so."""
    if session.lazy is not None:
        # It was running when the client came to know it.
        client.forward(session, command)
        return

    def word(answered: Callable[[], None]) -> None:
        def heard(result: dict[str, Any], words: str) -> None:
            session.is_waiting = False
            client.hub.mark_running(session.target)
            if words:
                client.fail(session, command, words)
            else:
                client.reply(session, command)
            answered()

        client.send_command(session, command.method, {}, heard)

    client.hub.resume_barrier.request_resume(session.target, client, word)


def _auto_attach(client: RelayClient, session: ClientSession, command: ClientCommand) -> None:
    """Frames and workers below a page are attached by Chrome itself."""
    session.auto_attach = AutoAttach.read(client.decode_params(command))
    client.forward(session, command)


def _enable(client: RelayClient, session: ClientSession, command: ClientCommand) -> None:
    session.page_enabled = True
    client.forward(session, command)


def _disable(client: RelayClient, session: ClientSession, command: ClientCommand) -> None:
    session.page_enabled = False
    client.forward(session, command)


def _handle_dialog(client: RelayClient, session: ClientSession, command: ClientCommand) -> None:
    client.hub.dialogs.answer(session, command)


def _close(client: RelayClient, session: ClientSession, command: ClientCommand) -> None:
    """A page that asks before it is left may do so; one with a dialog open is closed safely."""
    page = client.hub.targets.get(session.target)
    if page is not None and refuse_close(client, session, command, page):
        return
    tab = client.hub.supervisor.state.tab_of_target(session.target)
    if tab is None or not client.hub.dialogs.has_open_dialog(tab.id):
        client.forward(session, command)
        return
    client_tasks = client.hub.client_tasks
    client_tasks.reply_after(client, session, command, client_tasks.close_page(session.target), {})


def _downloads(client: RelayClient, session: ClientSession, command: ClientCommand) -> None:
    """Where downloads go is said for a page's cookie jar, whichever page says it."""
    context = {"browserContextId": session.context} if session.context else {}
    params = {**client.decode_params(command), **context}
    client.hub.downloads.set_behavior(client, session, command, params)


def _files(client: RelayClient, session: ClientSession, command: ClientCommand) -> None:
    """Give a page files that the client may upload: copies of them, made and checked beside."""
    params = client.decode_params(command)
    paths = params.get("files")
    if not isinstance(paths, list) or not all(isinstance(path, str) for path in paths):
        client.forward(session, command, params)  # Chrome says what is wrong with it
        return

    async def run() -> None:
        try:
            taken = await asyncio.to_thread(client.files.prepare_uploads, paths)
        except (ToolError, OSError) as error:
            instead = getattr(error, "hint", "") or "free space on that disk"
            message = getattr(error, "message", "") or str(error)
            client.fail(session, command, format_refusal(command.method, message, f"use {instead}"))
            return
        client.forward(session, command, {**params, "files": taken})

    client.hub.tasks.start(run(), f"{command.method} for {client.label}")


def _fetch(client: RelayClient, session: ClientSession, command: ClientCommand) -> None:
    session.auth_enabled = command.method == "Fetch.enable" and bool(
        client.decode_params(command).get("handleAuthRequests")
    )
    client.forward(session, command)


def _with_auth(client: RelayClient, session: ClientSession, command: ClientCommand) -> None:
    if not client.hub.auth_challenges.answer_challenge(session, command):
        client.forward(session, command)


def _act(client: RelayClient, session: ClientSession, command: ClientCommand) -> None:
    client.hub.record_action(session, command)
    client.forward(session, command)


def _evaluate(client: RelayClient, session: ClientSession, command: ClientCommand) -> None:
    hub = client.hub
    hub.dialog_attribution.record_command(
        session, command.id, hub.supervisor.now(), is_action=False
    )
    _look(client, session, command)


def _look(client: RelayClient, session: ClientSession, command: ClientCommand) -> None:
    client.hub.record_read(session, command)
    client.forward(session, command)


def _drag(client: RelayClient, session: ClientSession, command: ClientCommand) -> None:
    """Drop what a page or a program dragged, but no files of this machine."""
    params = client.decode_params(command)
    if problem := find_drag_problem(params):
        client.fail(session, command, format_refusal(command.method, problem, "upload the file"))
        return
    refusals = (
        address_refusal(client, command.method, session.target, url) for url in drag_urls(params)
    )
    if words := next(filter(None, refusals), ""):
        client.fail(session, command, words)
    else:
        # As it was read: Chrome might read a key that occurs twice otherwise.
        client.forward(session, command, params)


def _stream(client: RelayClient, session: ClientSession, command: ClientCommand) -> None:
    params = client.decode_params(command)
    if problem := find_stream_problem(params):
        client.fail(
            session, command, format_refusal(command.method, problem, "use fetch in the page")
        )
    else:
        client.forward(session, command, params)


# How a decision is carried out, where the method has no handler of its own below.
_CARRIED_OUT: Final[dict[Check, CommandHandler]] = {
    Check.NONE: RelayClient.forward,
    Check.REFUSED: refuse,
    Check.OWN_JAR: clear,
    Check.ALONE: only_alone,
    Check.DRAG: _drag,
    Check.STREAM: _stream,
    Check.FILES: _files,
}


PAGE_COMMANDS: Final[dict[str, CommandHandler]] = {
    **{
        method: _CARRIED_OUT[decision.check]
        for method, decision in RELAY.items()
        if decision.check in _CARRIED_OUT
    },
    **dict.fromkeys(ACTING, _act),
    **BROWSER_COMMANDS,
    **TARGET_COMMANDS,
    **NAVIGATION_COMMANDS,
    "Target.setAutoAttach": _auto_attach,
    "Fetch.enable": _fetch,
    "Fetch.disable": _fetch,
    "Fetch.continueWithAuth": _with_auth,
    "Page.setDownloadBehavior": _downloads,
    "Page.enable": _enable,
    "Page.disable": _disable,
    "Page.handleJavaScriptDialog": _handle_dialog,
    "Page.close": _close,
    **dict.fromkeys(LOOKING, _look),
    "Runtime.callFunctionOn": _evaluate,
    "Runtime.evaluate": _evaluate,
    "Runtime.runIfWaitingForDebugger": _run,
}
