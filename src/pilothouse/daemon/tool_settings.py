"""The current tool settings: config.yaml, read again on change, and what is disabled just now.

Knows: the file's modification time, what is disabled for whom, cached selections. Must not know:
sessions and clients (tool_service.py) or how settings combine (tools/selection.py). Other parts
push what is disabled, so a lookup costs one stat() of the file.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from pathlib import Path

from pilothouse.errors import PilothouseError
from pilothouse.settings import config_path
from pilothouse.tools.selection import Selection, check, resolve, toolsets_for
from pilothouse.tools.tool import Tool
from pilothouse.tools.tool_config_file import ToolConfig, load
from pilothouse.tools.toolsets import Toolset

__all__ = ["ToolSettings"]

_log = logging.getLogger(__name__)

MAX_CACHED = 256


class ToolSettings:
    """The tool settings of one daemon. `on_change` is called when a selection may have changed."""

    def __init__(
        self,
        tools: Mapping[str, Tool],
        on_change: Callable[[], object] = lambda: None,
        path: Path | None = None,
        plugins: Mapping[str, Toolset] | None = None,
    ) -> None:
        self.path = path or config_path()
        # The error in the current file, if it has one.
        self.file_error: PilothouseError | None = None
        self._tools = tools
        self._plugins = plugins or {}
        self._on_change = on_change
        self._chosen = ToolConfig(self.path)
        self._has_valid_file = False
        self._stamp: tuple[int, ...] | None = ()
        self._disabled: dict[tuple[str, str], str] = {}
        self._cache: dict[tuple[object, ...], Selection] = {}

    def read_choices(self) -> ToolConfig:
        """Return the settings in the file; while it is invalid, the last valid ones."""
        stamp = _file_stamp(self.path)
        if stamp != self._stamp:
            first, self._stamp = self._stamp == (), stamp
            self._read()
            if not first:
                self.invalidate()
        return self._chosen

    def _read(self) -> None:
        try:
            found = load(self.path)
            toolsets = toolsets_for(self._tools, found.choices, self._plugins)
        except PilothouseError as error:
            self._record_error(error)
            return
        try:
            check(self._tools, toolsets, found.choices)
        except PilothouseError as error:
            self._record_error(error)
            if self._has_valid_file:
                return
            # There is no earlier valid version: use the valid part, and report the error.
        else:
            self.file_error, self._has_valid_file = None, True
        self._chosen = found

    def _record_error(self, error: PilothouseError) -> None:
        self.file_error = error
        _log.warning("invalid tool settings: %s", error.format_line())

    def invalidate(self) -> None:
        """Drop cached selections and call `on_change`: tools or settings have changed."""
        self._cache.clear()
        self._on_change()

    def disable(self, name: str, reason: str, owner: str = "") -> None:
        """Disable a tool, a toolset, or all tools with a flag, for one owner or for everyone."""
        if self._disabled.get((owner, name)) != reason:
            self._disabled[owner, name] = reason
            self.invalidate()

    def enable(self, name: str, owner: str = "") -> None:
        """Enable again what `disable` disabled."""
        if self._disabled.pop((owner, name), None) is not None:
            self.invalidate()

    def forget_owner(self, owner: str) -> None:
        """Forget what was disabled for an owner who is gone."""
        for key in [key for key in self._disabled if key[0] == owner and owner]:
            del self._disabled[key]

    def disabled_for(self, owner: str) -> dict[str, str]:
        """Return what is disabled for an owner, with the reasons."""
        return {name: why for (whose, name), why in self._disabled.items() if whose in ("", owner)}

    def selection(self, owner: str, platform: str, flags: tuple[str, ...] = ()) -> Selection:
        """Return the verdict on every tool. Raises PilothouseError for invalid settings."""
        chosen = self.read_choices()
        if self.file_error is not None and not self._has_valid_file and chosen.choices.path == "":
            raise self.file_error  # the file was never readable: no settings to fall back to
        disabled = self.disabled_for(owner)
        key = (platform, flags, tuple(disabled.items()), tuple(self._tools))
        made = self._cache.get(key)
        if made is None:
            toolsets = toolsets_for(self._tools, chosen.choices, self._plugins)
            made = resolve(
                self._tools, toolsets, chosen.choices, platform=platform, flags=flags, shut=disabled
            )
            if len(self._cache) >= MAX_CACHED:
                self._cache.clear()
            self._cache[key] = made
        return made


def _file_stamp(path: Path) -> tuple[int, ...] | None:
    try:
        found = path.stat()
    except OSError:
        return None  # no such file; a file that exists but is unreadable fails in `load`
    return found.st_mtime_ns, found.st_size, found.st_ino
