"""Commands on a session of a page, frame or worker.

Knows: how each decision of `security/cdp_policy` is carried out, and the few methods that the hub
or the supervisor must know of. Must not know: sockets, or why a method is allowed. The table is
complete: a method that is not in it does not exist for a client. Most methods are forwarded with
their params unread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final

from pilothouse.errors import ToolError, write_hint
from pilothouse.relay.cdp_bytes import ClientCommand
from pilothouse.relay.hub.client import RelayClient
from pilothouse.relay.hub.commands.browser_and_storage import BROWSER_COMMANDS, clear, only_alone
from pilothouse.relay.hub.commands.target import TARGET_COMMANDS, refuse, refuse_close
from pilothouse.relay.hub.navigation_policy import NAVIGATION_COMMANDS, address_refusal
from pilothouse.relay.hub.refusal_texts import format_refusal
from pilothouse.relay.hub.session import ClientSession, CommandHandler, SessionEvent
from pilothouse.relay.target_command_params import AutoAttach
from pilothouse.security.cdp_policy import (
    RELAY,
    Check,
    drag_urls,
    find_drag_problem,
    find_stream_problem,
)

__all__ = ["ACTION_METHODS", "PAGE_COMMANDS"]

# Methods that act on a page as a person would: two clients that send them at once conflict.
ACTION_METHODS = (
    "Input.dispatchKeyEvent",
    "Input.dispatchMouseEvent",
    "Input.dispatchTouchEvent",
    "Input.insertText",
    "Page.navigate",
    "Page.navigateToHistoryEntry",
    "Page.reload",
)

# Methods that read a page; shown to the person whose browser it is.
READ_METHODS = (
    "Accessibility.getFullAXTree",
    "DOMSnapshot.captureSnapshot",
    "Page.captureScreenshot",
    "Page.captureSnapshot",
    "Page.printToPDF",
)


def _run(client: RelayClient, session: ClientSession, command: ClientCommand) -> None:
    """Let a target run once every awaited client has sent this command."""
    if session.lazy is not None:
        # A lazy session: its tab was running before the client attached.
        client.forward(session, command)
        return

    def send(answered: Callable[[], None]) -> None:
        def on_reply(result: dict[str, Any], error_text: str) -> None:
            client.hub.auto_attacher.advance(session, SessionEvent.RESUMED)
            client.hub.mark_running(session.target)
            if error_text:
                client.fail(session, command, error_text)
            else:
                client.reply(session, command)
            answered()

        client.send_command(session, command.method, {}, on_reply)

    client.hub.resume_barrier.request_resume(session.target, client, send)


def _auto_attach(client: RelayClient, session: ClientSession, command: ClientCommand) -> None:
    """Record the setting and forward it: Chrome itself attaches frames and workers below a page."""
    session.auto_attach.settings = AutoAttach.read(client.decode_params(command))
    client.forward(session, command)


def _enable(client: RelayClient, session: ClientSession, command: ClientCommand) -> None:
    session.prompts.dialogs = True
    client.forward(session, command)


def _disable(client: RelayClient, session: ClientSession, command: ClientCommand) -> None:
    session.prompts.dialogs = False
    client.forward(session, command)


def _handle_dialog(client: RelayClient, session: ClientSession, command: ClientCommand) -> None:
    client.hub.dialogs.answer(session, command)


def _close(client: RelayClient, session: ClientSession, command: ClientCommand) -> None:
    """Close a page.

    Without an open dialog the page may run its beforeunload handler; with one, the supervisor
    closes it safely.
    """
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
    """Set the download behavior of the page's browser context, whichever page asks."""
    context = {"browserContextId": session.context} if session.context else {}
    params = {**client.decode_params(command), **context}
    client.hub.downloads.set_behavior(client, session, command, params)


def _files(client: RelayClient, session: ClientSession, command: ClientCommand) -> None:
    """Give a page checked copies of the files that the client may upload."""
    params = client.decode_params(command)
    paths = params.get("files")
    if not isinstance(paths, list) or not all(isinstance(path, str) for path in paths):
        client.forward(session, command, params)  # Chrome replies with its own error
        return

    async def run() -> None:
        try:
            copies = await asyncio.to_thread(client.files.prepare_uploads, paths)
        except (ToolError, OSError) as error:
            instead = write_hint(error) if isinstance(error, OSError) else error.hint
            message = getattr(error, "message", "") or str(error)
            client.fail(session, command, format_refusal(command.method, message, f"use {instead}"))
            return
        client.forward(session, command, {**params, "files": copies})

    client.hub.tasks.start(run(), f"{command.method} for {client.label}")


def _fetch(client: RelayClient, session: ClientSession, command: ClientCommand) -> None:
    session.prompts.auth = command.method == "Fetch.enable" and bool(
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
    """Forward a drag event without files of this machine."""
    params = client.decode_params(command)
    if problem := find_drag_problem(params):
        client.fail(session, command, format_refusal(command.method, problem, "upload the file"))
        return
    refusals = (
        address_refusal(client, command.method, session.target, url) for url in drag_urls(params)
    )
    if error_text := next(filter(None, refusals), ""):
        client.fail(session, command, error_text)
    else:
        # Re-encoded: of a duplicate key Chrome might read the other one.
        client.forward(session, command, params)


def _stream(client: RelayClient, session: ClientSession, command: ClientCommand) -> None:
    params = client.decode_params(command)
    if problem := find_stream_problem(params):
        client.fail(
            session, command, format_refusal(command.method, problem, "use fetch in the page")
        )
    else:
        client.forward(session, command, params)


# The handler for each decision; methods below with their own handler override it.
_HANDLERS: Final[dict[Check, CommandHandler]] = {
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
        method: _HANDLERS[decision.check]
        for method, decision in RELAY.items()
        if decision.check in _HANDLERS
    },
    **dict.fromkeys(ACTION_METHODS, _act),
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
    **dict.fromkeys(READ_METHODS, _look),
    "Runtime.callFunctionOn": _evaluate,
    "Runtime.evaluate": _evaluate,
    "Runtime.runIfWaitingForDebugger": _run,
}
