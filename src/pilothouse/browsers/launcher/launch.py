"""Starts a browser of our own, without an event loop: from the plan to a running process.

Knows: what a launch needs, and how to guard it before it exists. Must not know: CDP; whoever takes
the launch over speaks to it (headless.py). A daemon that is just starting launches the first browser
before it has read the rest of itself (`Ahead`), so this imports little.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Mapping
from pathlib import Path

from msgspec.structs import replace

from pilothouse.browsers.kinds import Headless, Proxy
from pilothouse.browsers.launcher.browser_version import ask_build
from pilothouse.browsers.launcher.find import check_executable, find_browser
from pilothouse.browsers.launcher.flags import check_args, headless_argv
from pilothouse.browsers.launcher.guardian import MARK, end_run, started
from pilothouse.browsers.launcher.guardian_client import Guard
from pilothouse.browsers.launcher.process import start
from pilothouse.browsers.launcher.run_directories import Record, RunDirectory, Runs
from pilothouse.browsers.stealth import Build
from pilothouse.errors import BrowserError

__all__ = ["Ahead", "Launch"]


class Launch:
    """One browser's process, from the reserved directory on. `begin` starts it."""

    def __init__(
        self, kind: Headless, runs: Runs, guard: Guard, environ: Mapping[str, str]
    ) -> None:
        """The plan. Raises BrowserError for what cannot be launched. It may ask the program for its
        version, which takes a tenth of a second the first time."""
        self.notes = check_args(kind.args)
        if kind.executable is not None:
            self.executable = check_executable(kind.executable, "browser")
        else:
            self.executable = find_browser(environ)
        proxy = kind.proxy or Proxy.from_environment(environ)
        as_root = os.geteuid() == 0
        if as_root and not self.notes:
            self.notes = ("sandbox off: running as root",)
        self.build, self.remembered = _build(self.executable, kind, environ)
        self._runs, self._guard, self._environ = runs, guard, environ
        self.run: RunDirectory = runs.reserve()
        self.kept = bool(kind.profile)
        profile = _profile(kind, environ)
        self.record: Record = runs.record(self.run, kind.describe(), profile)
        self._argv = headless_argv(
            self.executable,
            kind,
            profile or self.run.profile,
            proxy=proxy,
            sandbox=not as_root,
            build=self.build,
        )
        # Our end of its pipe, and its process, once it has begun.
        self.pipe: socket.socket | None = None
        self.pid = 0

    def begin(self) -> None:
        """Start the process. Raises BrowserError; `abandon` removes what was made by then."""
        # Guarded before it exists: there is no instant in which our death leaves something.
        self._guard.watch(self.record.run())
        self._runs.create(self.run, self.record)
        if not self.kept:
            _set_downloads(self.run)
        ours, theirs = socket.socketpair()
        try:
            self.pid = start(
                self._argv,
                {**self._environ, **_own_places(self.run), MARK: str(self.run.path)},
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
            self.record, browser=self.pid, browser_started=started(self.pid) or ""
        )
        self._guard.watch(self.record.run())
        self._runs.update(self.run, self.record)

    def abandon(self) -> None:
        """Kill what still lives and remove what lies about; what cannot be is left guarded."""
        if end_run(self.record.run(), looks=1):
            self._guard.leave(self.record.path)


class Ahead:
    """What one owner starts before it has an event loop; its `Browsers` take it over."""

    def __init__(
        self, *, root: Path | None = None, environ: Mapping[str, str] | None = None
    ) -> None:
        self.runs = Runs(root)
        self.guard = Guard()
        self.environ = dict(os.environ if environ is None else environ)
        self.launched: dict[Headless, Launch] = {}

    def launch(self, kind: Headless) -> None:
        """Start a browser that is about to be asked for. What goes wrong is told to who asks: it is
        tried again then."""
        try:
            launch = Launch(kind, self.runs, self.guard, self.environ)
        except BrowserError:
            return
        try:
            launch.begin()
        except BrowserError:
            launch.abandon()
            return
        self.launched[kind] = launch


def _own_places(run: RunDirectory) -> dict[str, str]:
    """Where the browser puts what it would leave in the home directory: crash reports go to
    `~/.config/chromium` whatever the profile is."""
    return {"TMPDIR": str(run.tmp), "CHROME_CONFIG_HOME": str(run.tmp)}


def _set_downloads(run: RunDirectory) -> None:
    """Downloads that nobody says a place for end with the run, not in `~/Downloads`. Raises
    BrowserError."""
    default = {"download": {"default_directory": str(run.tmp / "downloads")}}
    place = run.profile / "Default"
    try:
        place.mkdir(mode=0o700)
        (place / "Preferences").write_text(json.dumps(default))
    except OSError as error:
        raise BrowserError(
            f"could not write {place}: {error.strerror}", hint="free space on that disk"
        ) from None


def _profile(kind: Headless, environ: Mapping[str, str]) -> Path | None:
    if not kind.profile:
        return None
    from pilothouse.browsers.launcher.profiles import open_profile  # most have a passing one

    return open_profile(kind.profile, environ)


def _build(
    executable: Path, kind: Headless, environ: Mapping[str, str]
) -> tuple[Build | None, bool]:
    """Which program that is, and whether that was only remembered; asked only if its own name would
    stand out."""
    if kind.headed or kind.stealth == "off":
        return None, False
    try:
        return ask_build(executable, environ)
    except OSError:
        return None, False  # Whatever is wrong with it, the launch will tell it better.
