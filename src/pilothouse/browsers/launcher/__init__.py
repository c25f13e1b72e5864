"""Starts Chromium: finds it, builds its command line, and cleans up after its processes.

A launch goes through the modules in this order:

    browser_executable.py  finds the executable; browser_version.py reads its version
    flags.py               builds the command line; profiles.py opens a kept profile
    launch.py              BrowserLaunch starts the process; EarlyLauncher does so before the event
                           loop runs
    run_directories.py     RunDirectories: a directory and a RunRecord for each browser
    child_process.py       ChildProcess: spawns, watches and reaps a process
    guardian.py            the guardian, a program that ends what a dead owner left (GuardedRun);
                           guardian_client.py is the owner's side of it
    startup_errors.py      finds the reason of a failed start in the browser's log

Nothing here knows CDP: launched_browser_opener.py takes over a BrowserLaunch and connects to its
pipe.
"""

from __future__ import annotations

from pilothouse.lazy_exports import lazy_exports

# As typing.TYPE_CHECKING, without the import.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from pilothouse.browsers.launcher.browser_executable import check_executable, find_browser
    from pilothouse.browsers.launcher.browser_version import forget_version
    from pilothouse.browsers.launcher.child_process import ChildProcess, spawn
    from pilothouse.browsers.launcher.flags import check_args
    from pilothouse.browsers.launcher.guardian import RUN_VARIABLE, GuardedRun, end_run
    from pilothouse.browsers.launcher.guardian_client import GuardianClient
    from pilothouse.browsers.launcher.launch import BrowserLaunch, EarlyLauncher
    from pilothouse.browsers.launcher.profiles import lock_owner, profile_path
    from pilothouse.browsers.launcher.run_directories import (
        RunDirectories,
        default_root,
        default_roots,
        read_record,
    )
    from pilothouse.browsers.launcher.startup_errors import describe_exit, diagnose

__all__ = [
    "RUN_VARIABLE",
    "BrowserLaunch",
    "ChildProcess",
    "EarlyLauncher",
    "GuardedRun",
    "GuardianClient",
    "RunDirectories",
    "check_args",
    "check_executable",
    "default_root",
    "default_roots",
    "describe_exit",
    "diagnose",
    "end_run",
    "find_browser",
    "forget_version",
    "lock_owner",
    "profile_path",
    "read_record",
    "spawn",
]

__getattr__ = lazy_exports(
    __name__,
    {
        "browser_version": ("forget_version",),
        "browser_executable": (
            "check_executable",
            "find_browser",
        ),
        "flags": ("check_args",),
        "guardian": (
            "RUN_VARIABLE",
            "GuardedRun",
            "end_run",
        ),
        "guardian_client": ("GuardianClient",),
        "launch": (
            "EarlyLauncher",
            "BrowserLaunch",
        ),
        "child_process": (
            "ChildProcess",
            "spawn",
        ),
        "profiles": (
            "lock_owner",
            "profile_path",
        ),
        "run_directories": (
            "RunDirectories",
            "default_root",
            "default_roots",
            "read_record",
        ),
        "startup_errors": (
            "diagnose",
            "describe_exit",
        ),
    },
)
