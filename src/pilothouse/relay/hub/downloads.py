"""Downloads of clients: where they go, and that none goes over a file that is there.

Chrome writes over whatever has the name that a site suggests (`behavior: allow`). So it is told to
name files by their ids, in a folder of their own, and each is given its name once it is whole.

Knows: which client wants downloads where, and the events that tell of them. Must not know: which
folders are allowed (client_files.py).
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pilothouse.errors import ToolError
from pilothouse.page.local_files import move_into
from pilothouse.relay import cdp_bytes
from pilothouse.relay.cdp_bytes import ClientCommand
from pilothouse.relay.hub.client import ClientSession, RelayClient

if TYPE_CHECKING:
    from pilothouse.relay.hub.hub import Hub

__all__ = ["DOWNLOAD_EVENTS", "ClientDownloads"]

_log = logging.getLogger(__name__)

DOWNLOAD_EVENTS = b'{"method":"Browser.download'
REMEMBERED = 500


@dataclass(frozen=True, slots=True)
class _StagedFolder:
    """Downloads that a client wants under their own names."""

    staging: Path
    folder: Path
    wants_events: bool


class ClientDownloads:
    """The downloads of all clients of one hub."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        # By client, by cookie jar.
        self._named: dict[RelayClient, dict[str, _StagedFolder]] = {}
        # Names that sites suggest, by the id of the download.
        self._suggested: dict[str, str] = {}

    def set_behavior(
        self,
        client: RelayClient,
        session: ClientSession,
        command: ClientCommand,
        params: dict[str, Any],
    ) -> None:
        """Carry out a command that says where downloads go."""
        context = str(params.get("browserContextId") or "")
        named = self._named.setdefault(client, {})
        self._end(named.pop(context, None))
        try:
            if params.get("behavior") in ("allow", "allowAndName") and params.get("downloadPath"):
                params = self._placed(client, context, params)
        except (ToolError, OSError) as error:
            client.fail(session, command, f"{command.method}: {error}")
            return
        client.download_contexts.add(context)
        if session.kind == "browser":
            client.forward(session, command, params)
            return

        def done(result: dict[str, Any], words: str) -> None:
            if words:
                client.fail(session, command, words)
            else:
                client.reply(session, command)

        client.send_command(client.root, "Browser.setDownloadBehavior", params, done)

    def _placed(self, client: RelayClient, context: str, params: dict[str, Any]) -> dict[str, Any]:
        wanted = str(params["downloadPath"])
        by_name = params["behavior"] == "allow"
        folder = client.files.download_folder(wanted, named=by_name)
        if str(folder) != wanted:
            _log.info("downloads of client %s go to %s", client.spec.id, folder)
        if not by_name or self._hub.upstream.is_extension:
            return {**params, "downloadPath": str(folder)}
        staging = client.files.make_staging_folder(folder)
        told = params.get("eventsEnabled") is True
        self._named[client][context] = _StagedFolder(staging, folder, told)
        return {
            **params,
            "behavior": "allowAndName",
            "downloadPath": str(staging),
            "eventsEnabled": True,
        }

    def rewrite_event(self, session: ClientSession, message: bytes) -> bytes | None:
        """An event about a download, as its client is to have it; None if it wants none."""
        named = self._named.get(session.client)
        if not named:
            return message
        params = cdp_bytes.read_params(message)
        guid = str(params.get("guid", ""))
        if cdp_bytes.read_method(message) == b"Browser.downloadWillBegin":
            self._suggested[guid] = str(params.get("suggestedFilename", ""))
            if len(self._suggested) > REMEMBERED:
                del self._suggested[next(iter(self._suggested))]
        elif params.get("state") == "completed":
            found = self._name(named.values(), guid)
            if found is not None and "filePath" in params:
                params = {**params, "filePath": str(found)}
                method = cdp_bytes.read_method(message).decode()
                message = cdp_bytes.encode_event(method, params, session.id.decode())
        return message if any(one.wants_events for one in named.values()) else None

    def _name(self, named: Iterable[_StagedFolder], guid: str) -> Path | None:
        """Give a download that is whole the name it is to have, or one beside it that is free."""
        for one in named:
            source = one.staging / guid
            if guid.replace("-", "").isalnum() and source.is_file():
                try:
                    return move_into(source, "", (one.folder,), self._suggested.pop(guid, ""))
                except (ToolError, OSError) as error:
                    _log.warning("a download stays at %s: %s", source, error)
        return None

    def forget_client(self, client: RelayClient) -> None:
        """A client is gone."""
        for one in self._named.pop(client, {}).values():
            self._end(one)

    def _end(self, one: _StagedFolder | None) -> None:
        if one is None:
            return
        try:
            one.staging.rmdir()
        except OSError as error:
            _log.info("%s is left: %s", one.staging, error.strerror)
