"""Moves each finished download to its owner's folder, under the suggested file name.

Knows: that Chrome saves files by id in one folder, and whose tab a download belongs to. Must not
know: which folder an owner has (security/file_access.py), or tabs.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pilothouse.cdp import Event
from pilothouse.cdp.protocol import Browser
from pilothouse.errors import ToolError
from pilothouse.page.local_files import move_into
from pilothouse.security.file_access import FolderAccess
from pilothouse.supervisor import Supervisor
from pilothouse.supervisor.model import Download, Tab
from pilothouse.supervisor.model import events as ev

__all__ = ["DownloadMover"]

_log = logging.getLogger(__name__)

_ID = re.compile(r"[0-9A-Za-z-]{1,64}")
REMEMBERED = 200
NO_FOLDER = "no download folder is set for this tab"


class DownloadMover:
    """The downloads of one browser. `owner_of` finds the owner of a tab, `folders` an owner's
    folders."""

    def __init__(
        self,
        supervisor: Supervisor,
        owner_of: Callable[[Tab], str],
        folders: Callable[[str], FolderAccess],
    ) -> None:
        self._supervisor = supervisor
        self._owner_of = owner_of
        self._folders = folders
        # Remembered, because a tab that opened only for a download closes before it completes.
        self._owners: dict[str, str] = {}
        supervisor.names_downloads = supervisor.options.keeps_downloads
        if supervisor.names_downloads:
            _make_private(Path(supervisor.options.downloads))
        self._leave = (
            supervisor.connection.on(Browser.downloadWillBegin, self._begins),
            supervisor.connection.on(Browser.downloadProgress, self._moves),
        )

    def close(self) -> None:
        """Stop listening to downloads."""
        for leave in self._leave:
            leave()

    def _begins(self, event: Event[Any]) -> None:
        state, guid = self._supervisor.state, str(event.params["guid"])
        download = state.downloads.get(guid)
        tab = state.tabs.get(download.tab) if download else None
        if tab is not None and (owner := self._owner_of(tab)):
            self._owners[guid] = owner
            if len(self._owners) > REMEMBERED:
                del self._owners[next(iter(self._owners))]

    def _moves(self, event: Event[Any]) -> None:
        guid, state = str(event.params["guid"]), event.params.get("state")
        if state == "inProgress":
            return
        owner = self._owners.pop(guid, "")
        download = self._supervisor.state.downloads.get(guid)
        if state == "completed" and download is not None and self._supervisor.names_downloads:
            self._supervisor.tasks.start(self._keep(download, owner), "keep a download")

    async def _keep(self, download: Download, owner: str) -> None:
        source = Path(self._supervisor.options.downloads) / download.guid
        folder = self._folders(owner).downloads if owner and _ID.fullmatch(download.guid) else None
        path, problem = download.path, "" if folder is not None else NO_FOLDER
        try:
            # A relay client may have redirected its downloads to another folder.
            if folder is not None and await asyncio.to_thread(source.is_file):
                path = str(await asyncio.to_thread(_keep, source, folder, download.filename))
        except (ToolError, OSError) as error:
            problem = error.message if isinstance(error, ToolError) else str(error)
            _log.warning("could not move the download %s: %s", source, problem)
        self._supervisor.feed(
            ev.DownloadSaved(
                self._supervisor.now(), download.guid, "" if problem else path, problem
            )
        )


def _make_private(folder: Path) -> None:
    """Create the folder for incoming downloads. Chrome would make it readable by everyone."""
    try:
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        # Not fatal: each download reports its own error.
        _log.warning("could not create %s: %s", folder, error.strerror)


def _keep(source: Path, folder: Path, suggested: str) -> Path:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return move_into(source, "", (folder,), suggested)
