"""Starts the process of a browser of our own, without an event loop.

Knows: what a launch needs, and how the guardian learns of it before it exists. Must not know: CDP;
launched_browser_opener.py takes the launch over and connects to it. A daemon that is starting
launches its first browser before the rest of the daemon is imported (`EarlyLauncher`), so this
module imports little.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Mapping
from pathlib import Path

from msgspec.structs import replace

from pilothouse.browsers.kinds import HeadlessKind, Proxy
from pilothouse.browsers.launcher.browser_executable import check_executable, find_browser
from pilothouse.browsers.launcher.browser_version import read_version
from pilothouse.browsers.launcher.child_process import start_process
from pilothouse.browsers.launcher.flags import check_args, headless_argv
from pilothouse.browsers.launcher.guardian import RUN_VARIABLE, end_run, process_start_id
from pilothouse.browsers.launcher.guardian_client import GuardianClient
from pilothouse.browsers.launcher.run_directories import RunDirectories, RunDirectory, RunRecord
from pilothouse.browsers.stealth import BrowserBuild
from pilothouse.errors import BrowserError, write_hint

__all__ = ["BrowserLaunch", "EarlyLauncher"]


class BrowserLaunch:
    """The process of one browser and its run directory. `start` starts it."""

    def __init__(
        self,
        kind: HeadlessKind,
        runs: RunDirectories,
        guardian: GuardianClient,
        environ: Mapping[str, str],
    ) -> None:
        """Prepare the launch. Raises BrowserError if it is not possible.

        May run the program with `--version`, which takes 0.1 s the first time.
        """
        self.notes = check_args(kind.args)
        if kind.executable is not None:
            self.executable = check_executable(kind.executable, "browser")
        else:
            self.executable = find_browser(environ)
        proxy = kind.proxy or Proxy.from_environment(environ)
        as_root = os.geteuid() == 0
        if as_root and not self.notes:
            self.notes = ("sandbox off: running as root",)
        self.build, self.is_cached = _find_build(self.executable, kind, environ)
        self._runs, self._guardian, self._environ = runs, guardian, environ
        self.run: RunDirectory = runs.reserve()
        self.keeps_profile = bool(kind.profile)
        profile = _profile(kind, environ)
        self.record: RunRecord = runs.record(self.run, kind.describe(), profile)
        self._argv = headless_argv(
            self.executable,
            kind,
            profile or self.run.profile,
            proxy=proxy,
            sandbox=not as_root,
            build=self.build,
        )
        # Our end of its pipe, and its pid, once it has started.
        self.pipe: socket.socket | None = None
        self.pid = 0

    def start(self) -> None:
        """Start the process. Raises BrowserError; then call `clean_up`."""
        # Tell the guardian first, so that our death at any instant leaves nothing behind.
        self._guardian.guard(self.record.run())
        self._runs.create(self.run, self.record)
        if not self.keeps_profile:
            _set_downloads(self.run)
        ours, theirs = socket.socketpair()
        try:
            self.pid = start_process(
                self._argv,
                {**self._environ, **_temporary_paths(self.run), RUN_VARIABLE: str(self.run.path)},
                log=self.run.log,
                descriptors={3: theirs.fileno(), 4: theirs.fileno()},
            )
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()
        self.pipe = ours
        self.record = replace(
            self.record, browser=self.pid, browser_started=process_start_id(self.pid) or ""
        )
        self._guardian.guard(self.record.run())
        self._runs.update(self.run, self.record)

    def clean_up(self) -> None:
        """Kill remaining processes and remove all files. What fails is left to the guardian."""
        if end_run(self.record.run(), scans=1):
            self._guardian.unguard(self.record.path)


class EarlyLauncher:
    """Launches browsers before there is an event loop. `Browsers` takes them over."""

    def __init__(
        self, *, root: Path | None = None, environ: Mapping[str, str] | None = None
    ) -> None:
        self.runs = RunDirectories(root)
        self.guardian = GuardianClient()
        self.environ = dict(os.environ if environ is None else environ)
        self.launched: dict[HeadlessKind, BrowserLaunch] = {}

    def launch(self, kind: HeadlessKind) -> None:
        """Launch a browser that a caller is about to ask for.

        Errors are ignored here: the launch is tried again for the caller, who gets the error.
        """
        try:
            launch = BrowserLaunch(kind, self.runs, self.guardian, self.environ)
        except BrowserError:
            return
        try:
            launch.start()
        except BrowserError:
            launch.clean_up()
            return
        self.launched[kind] = launch


def _temporary_paths(run: RunDirectory) -> dict[str, str]:
    """Keep the browser's files out of the home directory.

    Without this, crash reports go to `~/.config/chromium` whatever the profile is.
    """
    return {"TMPDIR": str(run.tmp), "CHROME_CONFIG_HOME": str(run.tmp)}


def _set_downloads(run: RunDirectory) -> None:
    """Set the default download folder to the run directory instead of `~/Downloads`.

    Raises BrowserError.
    """
    default = {"download": {"default_directory": str(run.tmp / "downloads")}}
    folder = run.profile / "Default"
    try:
        folder.mkdir(mode=0o700)
        (folder / "Preferences").write_text(json.dumps(default))
    except OSError as error:
        raise BrowserError(
            f"could not write {folder}: {error.strerror}", hint=write_hint(error)
        ) from None


def _profile(kind: HeadlessKind, environ: Mapping[str, str]) -> Path | None:
    if not kind.profile:
        return None
    from pilothouse.browsers.launcher.profiles import (
        open_profile,  # late: most profiles are temporary
    )

    return open_profile(kind.profile, environ)


def _find_build(
    executable: Path, kind: HeadlessKind, environ: Mapping[str, str]
) -> tuple[BrowserBuild | None, bool]:
    """Return the browser's build, and whether it comes from the cache.

    Only needed where the user agent must be replaced.
    """
    if kind.headed or kind.stealth == "off":
        return None, False
    try:
        return read_version(executable, environ)
    except OSError:
        return None, False  # the launch itself will report what is wrong
