"""What was chosen, as it is now: the file, read again when it changed, and the gates.

Knows: the file's age, which gates are shut and for whom, and what was resolved already. Must not
know: sessions and clients (tooling.py) or the order of choices (tools/selection.py). Gates are pushed
by whoever knows of them: asking costs no more than a look at the file's date.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from pathlib import Path

from pilothouse.errors import PilothouseError
from pilothouse.settings import config_path
from pilothouse.tools.choices import Chosen, load
from pilothouse.tools.selection import Selection, check, resolve, toolsets_for
from pilothouse.tools.tool import Tool
from pilothouse.tools.toolsets import Toolset

__all__ = ["Choosing"]

_log = logging.getLogger(__name__)

REMEMBERED = 256


class Choosing:
    """The choices of one daemon. `changed` is called whenever another answer may be given."""

    def __init__(
        self,
        tools: Mapping[str, Tool],
        changed: Callable[[], object] = lambda: None,
        path: Path | None = None,
        plugins: Mapping[str, Toolset] | None = None,
    ) -> None:
        self.path = path or config_path()
        # What is wrong with the file now, if something is.
        self.complaint: PilothouseError | None = None
        self._tools = tools
        self._plugins = plugins or {}
        self._changed = changed
        self._chosen = Chosen(self.path)
        self._good = False
        self._stamp: tuple[int, ...] | None = ()
        self._shut: dict[tuple[str, str], str] = {}
        self._resolved: dict[tuple[object, ...], Selection] = {}

    def chosen(self) -> Chosen:
        """What the file says. While it cannot be read, what it said before."""
        stamp = _stamp(self.path)
        if stamp != self._stamp:
            first, self._stamp = self._stamp == (), stamp
            self._read()
            if not first:
                self.changed()
        return self._chosen

    def _read(self) -> None:
        try:
            found = load(self.path)
            toolsets = toolsets_for(self._tools, found.choices, self._plugins)
        except PilothouseError as error:
            self._complain(error)
            return
        try:
            check(self._tools, toolsets, found.choices)
        except PilothouseError as error:
            self._complain(error)
            if self._good:
                return
            # Nothing better is known: what means something holds, and the rest is said.
        else:
            self.complaint, self._good = None, True
        self._chosen = found

    def _complain(self, error: PilothouseError) -> None:
        self.complaint = error
        _log.warning("the choices of tools are wrong: %s", error.line())

    def changed(self) -> None:
        """Tools came or went, or a gate moved: forget what was resolved, and tell."""
        self._resolved.clear()
        self._changed()

    def shut(self, name: str, reason: str, owner: str = "") -> None:
        """From now on a tool, a home, or all tools with a flag cannot be used: by one owner, or
        by nobody."""
        if self._shut.get((owner, name)) != reason:
            self._shut[owner, name] = reason
            self.changed()

    def open(self, name: str, owner: str = "") -> None:
        """The gate is open again."""
        if self._shut.pop((owner, name), None) is not None:
            self.changed()

    def forget(self, owner: str) -> None:
        """An owner is gone, and its gates with it."""
        for key in [key for key in self._shut if key[0] == owner and owner]:
            del self._shut[key]

    def shut_for(self, owner: str) -> dict[str, str]:
        """The gates that are shut for an owner, with their reasons."""
        return {name: why for (whose, name), why in self._shut.items() if whose in ("", owner)}

    def selection(self, owner: str, platform: str, flags: tuple[str, ...] = ()) -> Selection:
        """The verdict on every tool. Raises PilothouseError where the choices mean nothing."""
        chosen = self.chosen()
        if self.complaint is not None and not self._good and chosen.choices.path == "":
            raise self.complaint  # the file could never be read: nobody knows what is wanted
        shut = self.shut_for(owner)
        key = (platform, flags, tuple(shut.items()), tuple(self._tools))
        made = self._resolved.get(key)
        if made is None:
            toolsets = toolsets_for(self._tools, chosen.choices, self._plugins)
            made = resolve(
                self._tools, toolsets, chosen.choices, platform=platform, flags=flags, shut=shut
            )
            if len(self._resolved) >= REMEMBERED:
                self._resolved.clear()
            self._resolved[key] = made
        return made


def _stamp(path: Path) -> tuple[int, ...] | None:
    try:
        found = path.stat()
    except OSError:
        return None  # there is none; that it cannot be read is said when it is read
    return found.st_mtime_ns, found.st_size, found.st_ino
