"""Put the downloads of clients into allowed folders, without overwriting existing files.

With `behavior: allow` Chrome overwrites a file that has the suggested name. So the hub makes Chrome
name files by their GUID in a staging folder, and moves each to its name once it is complete.

Knows: which client wants downloads where, and the download events. Must not know: which folders are
allowed (client_files.py).
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
from pilothouse.relay.hub.client import RelayClient
from pilothouse.relay.hub.session import ClientSession

if TYPE_CHECKING:
    from pilothouse.relay.hub.hub import Hub

__all__ = ["DOWNLOAD_EVENTS", "ClientDownloads"]

_log = logging.getLogger(__name__)

DOWNLOAD_EVENTS = b'{"method":"Browser.download'
MAX_SUGGESTED_NAMES = 500


@dataclass(frozen=True, slots=True)
class _StagedFolder:
    """A staging folder for a client that wants downloads under their own names."""

    staging: Path
    folder: Path
    wants_events: bool


class ClientDownloads:
    """The downloads of all clients of one hub."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        # By client, by browser context.
        self._named: dict[RelayClient, dict[str, _StagedFolder]] = {}
        # Suggested file names, by download GUID.
        self._suggested: dict[str, str] = {}

    def set_behavior(
        self,
        client: RelayClient,
        session: ClientSession,
        command: ClientCommand,
        params: dict[str, Any],
    ) -> None:
        """Carry out `Browser.setDownloadBehavior` or `Page.setDownloadBehavior`."""
        context = str(params.get("browserContextId") or "")
        named = self._named.setdefault(client, {})
        self._remove_staging(named.pop(context, None))
        try:
            if params.get("behavior") in ("allow", "allowAndName") and params.get("downloadPath"):
                params = self._choose_folder(client, context, params)
        except (ToolError, OSError) as error:
            client.fail(session, command, f"{command.method}: {error}")
            return
        client.download_contexts.add(context)
        if session.kind == "browser":
            client.forward(session, command, params)
            return

        def done(result: dict[str, Any], error_text: str) -> None:
            if error_text:
                client.fail(session, command, error_text)
            else:
                client.reply(session, command)

        client.send_command(client.root, "Browser.setDownloadBehavior", params, done)

    def _choose_folder(
        self, client: RelayClient, context: str, params: dict[str, Any]
    ) -> dict[str, Any]:
        wanted = str(params["downloadPath"])
        by_name = params["behavior"] == "allow"
        folder = client.files.download_folder(wanted, named=by_name)
        if str(folder) != wanted:
            _log.info("downloads of client %s go to %s", client.spec.id, folder)
        if not by_name or self._hub.upstream.is_extension:
            return {**params, "downloadPath": str(folder)}
        staging = client.files.make_staging_folder(folder)
        wants_events = params.get("eventsEnabled") is True
        self._named[client][context] = _StagedFolder(staging, folder, wants_events)
        return {
            **params,
            "behavior": "allowAndName",
            "downloadPath": str(staging),
            "eventsEnabled": True,
        }

    def rewrite_event(self, session: ClientSession, message: bytes) -> bytes | None:
        """Return a download event as its client should get it; None if it wants no events."""
        named = self._named.get(session.client)
        if not named:
            return message
        params = cdp_bytes.read_params(message)
        guid = str(params.get("guid", ""))
        if cdp_bytes.read_method(message) == b"Browser.downloadWillBegin":
            self._suggested[guid] = str(params.get("suggestedFilename", ""))
            if len(self._suggested) > MAX_SUGGESTED_NAMES:
                del self._suggested[next(iter(self._suggested))]
        elif params.get("state") == "completed":
            path = self._move_completed(named.values(), guid)
            if path is not None and "filePath" in params:
                params = {**params, "filePath": str(path)}
                method = cdp_bytes.read_method(message).decode()
                message = cdp_bytes.encode_event(method, params, session.id.decode())
        return message if any(one.wants_events for one in named.values()) else None

    def _move_completed(self, named: Iterable[_StagedFolder], guid: str) -> Path | None:
        """Move a complete download to its suggested name, or a free one like it."""
        for one in named:
            source = one.staging / guid
            if guid.replace("-", "").isalnum() and source.is_file():
                try:
                    return move_into(source, "", (one.folder,), self._suggested.pop(guid, ""))
                except (ToolError, OSError) as error:
                    _log.warning("a download was left at %s: %s", source, error)
        return None

    def forget_client(self, client: RelayClient) -> None:
        """Remove the staging folders of a client that left."""
        for one in self._named.pop(client, {}).values():
            self._remove_staging(one)

    def _remove_staging(self, one: _StagedFolder | None) -> None:
        if one is None:
            return
        try:
            one.staging.rmdir()
        except OSError as error:
            _log.info("staging folder %s is not removed: %s", one.staging, error.strerror)
