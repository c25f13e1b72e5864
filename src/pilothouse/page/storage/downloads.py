"""Downloads of one tab, and the names of their files.

Chrome names files by id in the supervisor's download folder, so that no name from a site reaches
the disk before it is sanitized. A finished download is renamed automatically
(tabs/download_mover.py). Must not know: where files may go (security/file_access.py).
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Generator
from pathlib import Path
from typing import Any

import msgspec

from pilothouse.errors import ToolError, WaitTimeout
from pilothouse.page.input import DOWNLOADS_OFF, is_download_settled
from pilothouse.page.local_files import make_own, move_into
from pilothouse.page.tab_context import TabContext
from pilothouse.security.file_access import FolderAccess
from pilothouse.supervisor import State
from pilothouse.supervisor.model import Download
from pilothouse.supervisor.model import events as ev

__all__ = ["DownloadFile", "DownloadWait", "TabDownloads"]

DOWNLOADED_WITHIN_S = 30.0

_ID = re.compile(r"[0-9A-Za-z-]{1,64}")


class DownloadFile(msgspec.Struct, frozen=True):
    """A download and its file. `path` is None until it was saved; `problem` says why it could
    not be."""

    id: str
    filename: str
    url: str
    state: str
    received: int
    total: int
    path: Path | None = None
    problem: str = ""


class TabDownloads:
    """The downloads of a tab and of the popups it opened for them."""

    def __init__(self, context: TabContext, files: FolderAccess) -> None:
        self._context = context
        self._files = files

    def all(self) -> list[DownloadFile]:
        """Return all remembered downloads of the tab, oldest first."""
        return [
            self._make_file(download)
            for download in self._of_this_tab(self._context.supervisor.state)
        ]

    def expect(self, deadline: float = DOWNLOADED_WITHIN_S, *, to: str = "") -> DownloadWait:
        """Arm a wait for the next download *before* the action that causes it, then await it.

        The file is saved below the policy's folder, as `to` or under its own name.
        """
        return DownloadWait(self, deadline, to)

    async def save_as(self, download_id: str, to: str = "") -> DownloadFile:
        """Move a finished download to `to`: a name, or a path in an allowed folder.

        Without `to` it gets its own name, sanitized, unless it was saved already. Never
        replaces a file. Raises ToolError.
        """
        mine = {d.guid: d for d in self._of_this_tab(self._context.supervisor.state)}
        download = mine.get(download_id)
        if download is None:
            hint = f"use one of these: {', '.join(mine)}" if mine else "download a file first"
            raise ToolError(f"id: there is no download {download_id!r}", hint=hint)
        if download.state != "completed":
            raise ToolError(
                f"download {download_id} is {download.state}, not completed",
                hint="wait for it" if download.state == "inProgress" else "start it again",
            )
        supervisor = self._context.supervisor
        # Already saved under its own name: nothing to do.
        if not to and download.saved:
            return self._make_file(download)
        source = Path(download.saved) if download.saved else self._downloaded_path(download)
        try:
            saved = await asyncio.to_thread(self._move, source, to, download.filename)
        except FileNotFoundError as error:
            raise ToolError(
                f"the file of download {download_id} is no longer here",
                hint="download it again; it was moved or deleted, or is on the browser's machine",
            ) from error
        supervisor.feed(ev.DownloadSaved(supervisor.now(), download_id, str(saved)))
        return self._make_file(supervisor.state.downloads[download_id])

    def _move(self, source: Path, to: str, suggested: str) -> Path:
        make_own(self._files)
        return move_into(source, to, self._files.writes, suggested, self._files.never)

    def known_ids(self) -> frozenset[str]:
        """Return the ids of all downloads of the browser."""
        return frozenset(self._context.supervisor.state.downloads)

    async def wait_for_end(self, before: frozenset[str], deadline: float) -> Download:
        """Return the first download that is not in `before`, once it has ended. Raises
        ToolError."""

        def ended(state: State) -> Download | None:
            fresh = [d for d in self._of_this_tab(state) if d.guid not in before]
            return next(
                (
                    d
                    for d in fresh
                    if is_download_settled(d, keeps=self._context.supervisor.names_downloads)
                ),
                None,
            )

        try:
            return await self._context.supervisor.wait_for(ended, deadline)
        except TimeoutError as error:
            under_way = [
                f"{d.filename} ({d.received} of {d.total or '?'} bytes)"
                for d in self._of_this_tab(self._context.supervisor.state)
                if d.guid not in before
            ]
            raise WaitTimeout(
                f"no download ended within {deadline:g} s",
                hint=f"wait longer; in progress: {', '.join(under_way) or 'none'}",
                untrusted=("message", "hint"),
            ) from error

    def _of_this_tab(self, state: State) -> list[Download]:
        tab = self._context.tab_id
        return [d for d in state.downloads.values() if tab in (d.tab, d.opener)]

    def _downloaded_path(self, download: Download) -> Path:
        if not self._context.supervisor.capabilities.get("downloads", True):
            raise ToolError(
                "this browser saves downloads itself",
                hint="take the file from its download folder",
            )
        folder = self._context.supervisor.options.downloads
        # The id becomes a file name, so it must not contain path separators.
        if not folder or not _ID.fullmatch(download.guid):
            raise ToolError("downloads are off", hint=DOWNLOADS_OFF)
        return Path(folder) / download.guid

    def _make_file(self, download: Download) -> DownloadFile:
        return DownloadFile(
            download.guid,
            download.filename,
            download.url,
            download.state,
            download.received,
            download.total,
            Path(download.saved) if download.saved else None,
            download.problem,
        )


class DownloadWait:
    """A wait for one download, armed when it is made."""

    def __init__(self, downloads: TabDownloads, deadline: float, to: str) -> None:
        self._downloads = downloads
        self._before = downloads.known_ids()
        self._deadline = deadline
        self._to = to

    def __await__(self) -> Generator[Any, None, DownloadFile]:
        return self._wait().__await__()

    async def _wait(self) -> DownloadFile:
        download = await self._downloads.wait_for_end(self._before, self._deadline)
        if download.state != "completed":
            raise ToolError(
                f"the download of {download.filename!r} was {download.state}",
                hint="start it again",
            )
        return await self._downloads.save_as(download.guid, self._to)
