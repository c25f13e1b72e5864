"""What takes time and is done for a client: closing, emptying, going to an address.

Knows: the order in which such things are safe. Must not know: frames of the wire.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping
from typing import TYPE_CHECKING, Any

from pilothouse.errors import PilothouseError
from pilothouse.relay.cdp_bytes import Asked
from pilothouse.relay.hub.client import Client, ClientSession

if TYPE_CHECKING:
    from pilothouse.relay.hub.hub import Hub

__all__ = ["Errands"]

TAB_WITHIN_S = 10.0


class Errands:
    """The errands of one hub."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    def answering(
        self,
        client: Client,
        session: ClientSession,
        asked: Asked,
        work: Awaitable[None],
        result: Mapping[str, Any],
    ) -> None:
        """Do something and answer the client's command with how it went."""

        async def errand() -> None:
            try:
                await work
            except (PilothouseError, TimeoutError) as error:
                client.fail(session, asked, str(error) or "it took too long")
            else:
                client.reply(session, asked, result)

        self._hub.tasks.start(errand(), f"{asked.method} for {client.label}")

    async def close_page(self, target: str) -> None:
        """Close a tab the safe way, its dialogs first."""
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
            await self._hub.answer("Target.closeTarget", {"targetId": target})

    async def dispose(self, client: Client, context: str) -> None:
        """Empty a jar: with a dialog open in it Chrome might not survive that."""
        await self._dismiss_in(context)
        client.contexts.discard(context)
        await self._hub.answer(
            "Target.disposeBrowserContext", {"browserContextId": context}, client.root.id
        )

    async def _dismiss_in(self, context: str) -> None:
        supervisor = self._hub.supervisor
        state = supervisor.state
        for dialog in list(state.dialogs.values()):
            tab = state.tabs.get(dialog.tab)
            if tab is not None and tab.context == context and not dialog.orphaned:
                await supervisor.answer(accept=False, dialog_id=dialog.id, by="client")

    def close_client(self, client: Client, session: ClientSession, asked: Asked) -> None:
        """A client closes "its browser": what it opened goes, the browser stays."""

        async def errand() -> None:
            targets = [t for t in client.opened if self._hub.targets.get(t) is not None]
            closing = [self.close_page(target) for target in targets]
            disposing = [self.dispose(client, context) for context in list(client.contexts)]
            await asyncio.gather(*closing, return_exceptions=True)
            await asyncio.gather(*disposing, return_exceptions=True)
            client.reply(session, asked)
            client.line.close(1000, "the client closed its browser")

        self._hub.tasks.start(errand(), f"{client.label} closes")

    def show(self, client: Client, target: str, url: str) -> None:
        """Go to the address of a new tab once it was let run: init scripts would miss it else."""
        hub = self._hub

        async def errand() -> None:
            try:
                await hub.running(client, target)
                tab = await hub.supervisor.wait_for(lambda s: s.tab_of_target(target), TAB_WITHIN_S)
                await hub.supervisor.ready(tab.id)
                await hub.answer("Page.navigate", {"url": url}, tab.session.encode())
            except (PilothouseError, TimeoutError):
                return  # it was closed before it showed anything

        hub.tasks.start(errand(), f"show {target}")
