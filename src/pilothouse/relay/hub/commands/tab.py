"""What the session of a made-up tab takes: enough to find the page below it.

Knows: the four commands of a tab. Must not know: how a page is attached.
"""

from __future__ import annotations

from typing import Final

from pilothouse.relay.cdp_bytes import Asked
from pilothouse.relay.hub.client import Act, Client, ClientSession
from pilothouse.relay.hub.commands.root import close_target, detach_from_target
from pilothouse.relay.hub.tab_targets import tab_info
from pilothouse.relay.hub.targets import AutoAttach

__all__ = ["TAB_COMMANDS"]


def _set_auto_attach(client: Client, tab: ClientSession, asked: Asked) -> None:
    tab.auto = AutoAttach.read(client.params(asked))
    client.hub.attaching.attach_page(tab, lambda: client.reply(tab, asked))


def _run(client: Client, tab: ClientSession, asked: Asked) -> None:
    if tab.auto is None:
        # It wants no page of this tab, so it will say nothing there.
        client.hub.attaching.attach_page(tab, lambda: client.reply(tab, asked))
    else:
        client.reply(tab, asked)


def _get_target_info(client: Client, tab: ClientSession, asked: Asked) -> None:
    page = client.hub.discovery.page_named(tab.target)
    if page is None:
        client.fail(tab, asked, "No target with given id found")
    else:
        client.reply(tab, asked, {"targetInfo": {**tab_info(page), "attached": True}})


TAB_COMMANDS: Final[dict[str, Act]] = {
    "Target.setAutoAttach": _set_auto_attach,
    "Runtime.runIfWaitingForDebugger": _run,
    "Target.getTargetInfo": _get_target_info,
    "Target.detachFromTarget": detach_from_target,
    "Target.closeTarget": close_target,
}
