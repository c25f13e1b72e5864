"""Commands on a session of a made-up tab target: enough to find the page below it.

Knows: the commands of a tab target. Must not know: how a page is attached.
"""

from __future__ import annotations

from typing import Final

from pilothouse.relay.cdp_bytes import ClientCommand
from pilothouse.relay.hub.client import RelayClient
from pilothouse.relay.hub.commands.target import close_target, detach_from_target
from pilothouse.relay.hub.session import ClientSession, CommandHandler
from pilothouse.relay.hub.synthetic_tab_targets import tab_info
from pilothouse.relay.target_command_params import AutoAttach

__all__ = ["TAB_COMMANDS"]


def _set_auto_attach(client: RelayClient, tab: ClientSession, command: ClientCommand) -> None:
    tab.auto_attach.settings = AutoAttach.read(client.decode_params(command))
    client.hub.auto_attacher.attach_page(tab, lambda: client.reply(tab, command))


def _run(client: RelayClient, tab: ClientSession, command: ClientCommand) -> None:
    if tab.auto_attach.settings is None:
        # It wants no page of this tab, so no runIfWaitingForDebugger will come for the page.
        client.hub.auto_attacher.attach_page(tab, lambda: client.reply(tab, command))
    else:
        client.reply(tab, command)


def _get_target_info(client: RelayClient, tab: ClientSession, command: ClientCommand) -> None:
    page = client.hub.discovery.find_page(tab.target)
    if page is None:
        client.fail(tab, command, "No target with given id found")
    else:
        client.reply(tab, command, {"targetInfo": {**tab_info(page), "attached": True}})


TAB_COMMANDS: Final[dict[str, CommandHandler]] = {
    "Target.setAutoAttach": _set_auto_attach,
    "Runtime.runIfWaitingForDebugger": _run,
    "Target.getTargetInfo": _get_target_info,
    "Target.detachFromTarget": detach_from_target,
    "Target.closeTarget": close_target,
}
