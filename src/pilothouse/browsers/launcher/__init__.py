"""Starts Chromium: finds it, builds its command line, watches and cleans up its processes."""

from __future__ import annotations

from pilothouse.lazy_exports import lazy_exports

# As typing.TYPE_CHECKING, without the import.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from pilothouse.browsers.launcher.browser_version import forget_build
    from pilothouse.browsers.launcher.find import check_executable, find_browser
    from pilothouse.browsers.launcher.flags import check_args
    from pilothouse.browsers.launcher.guardian import MARK, Run, end_run
    from pilothouse.browsers.launcher.guardian_client import Guard
    from pilothouse.browsers.launcher.launch import Ahead, Launch
    from pilothouse.browsers.launcher.process import Child, spawn
    from pilothouse.browsers.launcher.profiles import lock_owner, profile_path
    from pilothouse.browsers.launcher.run_directories import (
        Runs,
        default_root,
        default_roots,
        read_record,
    )
    from pilothouse.browsers.launcher.startup_errors import diagnose, exit_words

__all__ = [
    "MARK",
    "Ahead",
    "Child",
    "Guard",
    "Launch",
    "Run",
    "Runs",
    "check_args",
    "check_executable",
    "default_root",
    "default_roots",
    "diagnose",
    "end_run",
    "exit_words",
    "find_browser",
    "forget_build",
    "lock_owner",
    "profile_path",
    "read_record",
    "spawn",
]

__getattr__ = lazy_exports(
    __name__,
    {
        "browser_version": ("forget_build",),
        "find": (
            "check_executable",
            "find_browser",
        ),
        "flags": ("check_args",),
        "guardian": (
            "MARK",
            "Run",
            "end_run",
        ),
        "guardian_client": ("Guard",),
        "launch": (
            "Ahead",
            "Launch",
        ),
        "process": (
            "Child",
            "spawn",
        ),
        "profiles": (
            "lock_owner",
            "profile_path",
        ),
        "run_directories": (
            "Runs",
            "default_root",
            "default_roots",
            "read_record",
        ),
        "startup_errors": (
            "diagnose",
            "exit_words",
        ),
    },
)
