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
from pilothouse.relay.cdp_bytes import Asked
from pilothouse.relay.hub.client import Act, Client, ClientSession
from pilothouse.relay.hub.commands.browser import BROWSER_COMMANDS, clear, only_alone
from pilothouse.relay.hub.commands.root import TARGET_COMMANDS, refuse, refuse_close
from pilothouse.relay.hub.navigation_policy import NAVIGATION_COMMANDS, address_refusal
from pilothouse.relay.hub.refusals import worded
from pilothouse.relay.hub.targets import AutoAttach
from pilothouse.security.cdp_policy import (
    RELAY,
    Check,
    drag_problem,
    dragged_urls,
    stream_problem,
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


def _run(client: Client, session: ClientSession, asked: Asked) -> None:
    """Let a target run once all who are waited for have said so."""
    if session.lazy is not None:
        # It was running when the client came to know it.
        client.forward(session, asked)
        return

    def word(answered: Callable[[], None]) -> None:
        def heard(result: dict[str, Any], words: str) -> None:
            session.waits = False
            client.hub.ran(session.target)
            if words:
                client.fail(session, asked, words)
            else:
                client.reply(session, asked)
            answered()

        client.ask(session, asked.method, {}, heard)

    client.hub.waiting.said(session.target, client, word)


def _auto_attach(client: Client, session: ClientSession, asked: Asked) -> None:
    """Frames and workers below a page are attached by Chrome itself."""
    session.auto = AutoAttach.read(client.params(asked))
    client.forward(session, asked)


def _enable(client: Client, session: ClientSession, asked: Asked) -> None:
    session.pages = True
    client.forward(session, asked)


def _disable(client: Client, session: ClientSession, asked: Asked) -> None:
    session.pages = False
    client.forward(session, asked)


def _handle_dialog(client: Client, session: ClientSession, asked: Asked) -> None:
    client.hub.dialogs.answered(session, asked)


def _close(client: Client, session: ClientSession, asked: Asked) -> None:
    """A page that asks before it is left may do so; one with a dialog open is closed safely."""
    page = client.hub.targets.get(session.target)
    if page is not None and refuse_close(client, session, asked, page):
        return
    tab = client.hub.supervisor.state.tab_of_target(session.target)
    if tab is None or not client.hub.dialogs.open_in(tab.id):
        client.forward(session, asked)
        return
    errands = client.hub.errands
    errands.answering(client, session, asked, errands.close_page(session.target), {})


def _downloads(client: Client, session: ClientSession, asked: Asked) -> None:
    """Where downloads go is said for a page's cookie jar, whichever page says it."""
    context = {"browserContextId": session.context} if session.context else {}
    params = {**client.params(asked), **context}
    client.hub.downloads.set_behavior(client, session, asked, params)


def _files(client: Client, session: ClientSession, asked: Asked) -> None:
    """Give a page files that the client may upload: copies of them, made and checked beside."""
    params = client.params(asked)
    paths = params.get("files")
    if not isinstance(paths, list) or not all(isinstance(path, str) for path in paths):
        client.forward(session, asked, params)  # Chrome says what is wrong with it
        return

    async def errand() -> None:
        try:
            taken = await asyncio.to_thread(client.files.taken, paths)
        except (ToolError, OSError) as error:
            instead = getattr(error, "hint", "") or "free space on that disk"
            message = getattr(error, "message", "") or str(error)
            client.fail(session, asked, worded(asked.method, message, f"use {instead}"))
            return
        client.forward(session, asked, {**params, "files": taken})

    client.hub.tasks.start(errand(), f"{asked.method} for {client.label}")


def _fetch(client: Client, session: ClientSession, asked: Asked) -> None:
    session.passwords = asked.method == "Fetch.enable" and bool(
        client.params(asked).get("handleAuthRequests")
    )
    client.forward(session, asked)


def _with_auth(client: Client, session: ClientSession, asked: Asked) -> None:
    if not client.hub.passwords.answers(session, asked):
        client.forward(session, asked)


def _act(client: Client, session: ClientSession, asked: Asked) -> None:
    client.hub.acted(session, asked)
    client.forward(session, asked)


def _evaluate(client: Client, session: ClientSession, asked: Asked) -> None:
    hub = client.hub
    hub.causes.began(session, asked.id, hub.supervisor.now(), acts=False)
    _look(client, session, asked)


def _look(client: Client, session: ClientSession, asked: Asked) -> None:
    client.hub.looked(session, asked)
    client.forward(session, asked)


def _drag(client: Client, session: ClientSession, asked: Asked) -> None:
    """Drop what a page or a program dragged, but no files of this machine."""
    params = client.params(asked)
    if problem := drag_problem(params):
        client.fail(session, asked, worded(asked.method, problem, "upload the file"))
        return
    refusals = (
        address_refusal(client, asked.method, session.target, url) for url in dragged_urls(params)
    )
    if words := next(filter(None, refusals), ""):
        client.fail(session, asked, words)
    else:
        # As it was read: Chrome might read a key that occurs twice otherwise.
        client.forward(session, asked, params)


def _stream(client: Client, session: ClientSession, asked: Asked) -> None:
    params = client.params(asked)
    if problem := stream_problem(params):
        client.fail(session, asked, worded(asked.method, problem, "use fetch in the page"))
    else:
        client.forward(session, asked, params)


# How a decision is carried out, where the method has no handler of its own below.
_CARRIED_OUT: Final[dict[Check, Act]] = {
    Check.NONE: Client.forward,
    Check.REFUSED: refuse,
    Check.OWN_JAR: clear,
    Check.ALONE: only_alone,
    Check.DRAG: _drag,
    Check.STREAM: _stream,
    Check.FILES: _files,
}


PAGE_COMMANDS: Final[dict[str, Act]] = {
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
