"""Work for clients that takes time: closing tabs, disposing browser contexts, opening URLs.

Knows: the order in which these are safe. Must not know: CDP bytes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping
from typing import TYPE_CHECKING, Any

from pilothouse.errors import PilothouseError
from pilothouse.relay.cdp_bytes import ClientCommand
from pilothouse.relay.hub.client import RelayClient
from pilothouse.relay.hub.session import ClientSession

if TYPE_CHECKING:
    from pilothouse.relay.hub.hub import Hub

__all__ = ["ClientTasks"]

TAB_TIMEOUT_S = 10.0


class ClientTasks:
    """The background work of one hub."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    def reply_after(
        self,
        client: RelayClient,
        session: ClientSession,
        command: ClientCommand,
        work: Awaitable[None],
        result: Mapping[str, Any],
    ) -> None:
        """Await `work`, then reply to the client's command with its outcome."""

        async def run() -> None:
            try:
                await work
            except (PilothouseError, TimeoutError) as error:
                client.fail(session, command, str(error) or "timed out")
            else:
                client.reply(session, command, result)

        self._hub.tasks.start(run(), f"{command.method} for {client.label}")

    async def close_page(self, target: str) -> None:
        """Close a tab safely, its dialogs first."""
        close = self._hub.upstream.close_tab
        if close is not None:
            await close(target)
            return
        supervisor = self._hub.supervisor
        tab = supervisor.state.tab_of_target(target)
        if tab is not None:
            await supervisor.close_tab(tab.id)
            if supervisor.state.tab_of_target(target) is None:
                self._hub.targets.closed(target)
        else:
            await self._hub.call("Target.closeTarget", {"targetId": target})

    async def dispose_context(self, client: RelayClient, context: str) -> None:
        """Dispose a browser context.

        Answers its dialogs first: Chrome may crash over an open one.
        """
        await self._dismiss_in(context)
        client.contexts.discard(context)
        await self._hub.call(
            "Target.disposeBrowserContext", {"browserContextId": context}, client.root.id
        )

    async def _dismiss_in(self, context: str) -> None:
        supervisor = self._hub.supervisor
        state = supervisor.state
        for dialog in list(state.dialogs.values()):
            tab = state.tabs.get(dialog.tab)
            if tab is not None and tab.context == context and not dialog.orphaned:
                await supervisor.answer(accept=False, dialog_id=dialog.id, by="client")

    def close_client(
        self, client: RelayClient, session: ClientSession, command: ClientCommand
    ) -> None:
        """Close "the browser" of a client: close what it opened, keep the browser."""

        async def run() -> None:
            targets = [t for t in client.opened_targets if self._hub.targets.get(t) is not None]
            closing = [self.close_page(target) for target in targets]
            disposing = [self.dispose_context(client, context) for context in list(client.contexts)]
            await asyncio.gather(*closing, return_exceptions=True)
            await asyncio.gather(*disposing, return_exceptions=True)
            client.reply(session, command)
            client.socket.close(1000, "the client closed its browser")

        self._hub.tasks.start(run(), f"close the browser of {client.label}")

    def open_url(self, client: RelayClient, target: str, url: str) -> None:
        """Navigate a new tab once the client has let it run; init scripts would miss the page
        otherwise."""
        hub = self._hub

        async def run() -> None:
            try:
                await hub.wait_until_running(client, target)
                tab = await hub.supervisor.wait_for(
                    lambda s: s.tab_of_target(target), TAB_TIMEOUT_S
                )
                await hub.supervisor.wait_ready(tab.id)
                await hub.call("Page.navigate", {"url": url}, tab.session.encode())
            except (PilothouseError, TimeoutError):
                return  # the tab was closed meanwhile

        hub.tasks.start(run(), f"open the URL of {target}")
