"""Run directories: one per browser we start, with a record that outlives us.

    <root>/pilothouse-<uid>/       0700, ours; in memory, or below TMPDIR or /tmp
        3f9c01ab/                  one run
            record.json            owner, browser (pid and start time), kind
            profile/               the profile, unless a kept one is used
            tmp/                   TMPDIR of the browser: what it litters ends with the run
            log                    what it printed

Knows: directories and records. Must not know: what a browser is.
"""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import msgspec

from pilothouse.browsers.launcher.guardian import Run, end_run, growing, started
from pilothouse.errors import BrowserError
from pilothouse.paths import write_atomically

__all__ = ["Record", "RunDirectory", "Runs", "default_root", "default_roots", "read_record"]

# Chrome makes a socket below TMPDIR, and the path of a socket holds about 100 characters.
_LONGEST_ROOT = 40
_HALF_MADE_S = 60.0
# A new profile is about a hundred small files, each of which Chrome waits for to be on the disk.
# Files in memory take a sixth off its start.
_IN_MEMORY = Path("/dev/shm")
_ROOMY = 2 * 1024**3


class Record(msgspec.Struct, frozen=True):
    """Who runs what: enough to end it when its owner is gone, and nothing else by mistake."""

    owner: int
    owner_started: str
    kind: str
    path: str
    profile: str = ""
    browser: int = 0
    browser_started: str = ""

    @property
    def orphaned(self) -> bool:
        """True when the owner is dead; a process that got its pid since is not the owner."""
        return started(self.owner) != self.owner_started

    def run(self) -> Run:
        """The run as the guardian knows it."""
        return Run(self.path, self.profile, self.browser, self.browser_started)


class RunDirectory(msgspec.Struct, frozen=True):
    """A run's place on disk."""

    path: Path

    @property
    def profile(self) -> Path:
        """Where a profile lies that ends with the run."""
        return self.path / "profile"

    @property
    def tmp(self) -> Path:
        """The browser's TMPDIR."""
        return self.path / "tmp"

    @property
    def log(self) -> Path:
        """What the browser printed."""
        return self.path / "log"


class Runs:
    """All runs of this user, below one root."""

    def __init__(self, root: Path | None = None) -> None:
        self.root = root or default_root()
        self._alone = root is not None
        self._me = os.getpid()
        self._me_started = started(self._me) or ""

    def reserve(self) -> RunDirectory:
        """A place for a new run, not made yet, so that it can be guarded before it exists."""
        return RunDirectory(self.root / os.urandom(4).hex())

    def create(self, run: RunDirectory, record: Record) -> None:
        """Make the directory. It appears whole, with its record in it, or not at all."""
        self._prepare()
        unfinished = Path(growing(str(run.path)))
        try:
            unfinished.mkdir(mode=0o700)
            for name in ("profile", "tmp"):
                (unfinished / name).mkdir(mode=0o700)
            _write(unfinished / "record.json", record)
            unfinished.rename(run.path)
        except OSError as error:
            raise _no_room(run.path, error) from error

    def update(self, run: RunDirectory, record: Record) -> None:
        """Replace the record. Raises BrowserError: a browser that its record does not name would
        outlive a crash of this machine's guardian."""
        try:
            _write(run.path / "record.json", record)
        except OSError as error:
            raise _no_room(run.path, error) from error

    def record(self, run: RunDirectory, kind: str, profile: Path | None = None) -> Record:
        """A record of ours, without a browser yet."""
        return Record(self._me, self._me_started, kind, str(run.path), str(profile or run.profile))

    def sweep(self) -> list[str]:
        """End what dead owners left; returns the paths. Several sweepers may work at once."""
        if self.root.is_dir():
            self._prepare()
        # Earlier ones may lie elsewhere: memory was short, or TMPDIR another. What others have made
        # in such a place is no concern of ours.
        roots = (self.root,) if self._alone else default_roots()
        ours = [root for root in roots if root.is_dir() and _complaint(root) is None]
        return [path for root in ours for path in _swept(root)]

    def _prepare(self) -> None:
        """Make the root, or make sure nobody else can reach into it."""
        try:
            self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
            complaint = _complaint(self.root)
        except OSError as error:
            raise BrowserError(
                f"the directory for running browsers {self.root} cannot be made: {error.strerror}",
                hint="set TMPDIR to a directory you can write to",
            ) from error
        if complaint is not None:
            raise complaint


def _no_room(path: Path, error: OSError) -> BrowserError:
    return BrowserError(
        f"could not write the browser's directory {path}: {error.strerror}",
        hint="free space there, or set TMPDIR to a directory on another disk",
    )


def _complaint(root: Path) -> BrowserError | None:
    """Why browsers' data would not be safe there, if so."""
    found = root.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        return BrowserError(
            f"{root} is not a directory of yours, so browsers' data is not safe in it",
            hint="remove it, or set TMPDIR to a directory of your own",
        )
    if found.st_mode & 0o077:
        return BrowserError(f"{root} is open to other users", hint=f"run: chmod 700 {root}")
    return None


def _swept(root: Path) -> list[str]:
    """Ends what dead owners left in one place; returns the paths."""
    swept = []
    for path in sorted(root.iterdir()):
        if not path.is_dir() or path.is_symlink():
            continue
        # The place is taken from where it lies, never from what a file says.
        place = str(root / path.name.removeprefix("."))
        record = read_record(path)
        if record is None:
            # Half made, or half removed. A living owner passes this state in an instant.
            dead, run = _age_s(path) > _HALF_MADE_S, Run(place)
        else:
            dead, run = record.orphaned, record.run()._replace(path=place)
        if dead and end_run(run, looks=1):
            swept.append(place)
    return swept


def default_root() -> Path:
    """Where runs of this user are made: below TMPDIR if it is set, in memory if there is room."""
    if "TMPDIR" in os.environ or not _is_roomy(_IN_MEMORY):
        return _usual()
    return _IN_MEMORY / _name()


def default_roots() -> tuple[Path, ...]:
    """Wherever runs of this user may have been made before."""
    return tuple(dict.fromkeys((_usual(), _IN_MEMORY / _name(), Path("/tmp", _name()))))


def _name() -> str:
    return f"pilothouse-{os.geteuid()}"


def _usual() -> Path:
    """Below the temporary directory, if its path is short enough."""
    import tempfile  # with all it brings; a launch in memory does without

    usual = Path(tempfile.gettempdir(), _name())
    return usual if len(str(usual)) <= _LONGEST_ROOT else Path("/tmp", _name())


def _is_roomy(place: Path) -> bool:
    try:
        room = os.statvfs(place)
    except OSError:
        return False
    return os.access(place, os.W_OK | os.X_OK) and room.f_bavail * room.f_frsize >= _ROOMY


def read_record(path: Path) -> Record | None:
    """The record of a run directory; None if there is none that can be understood."""
    try:
        value: Any = json.loads((path / "record.json").read_text())
        record = Record(**value)
    except (OSError, ValueError, TypeError):
        return None
    numbers = (record.owner, record.browser)
    return record if all(type(number) is int for number in numbers) else None


def _write(place: Path, record: Record) -> None:
    fields = {name: getattr(record, name) for name in Record.__struct_fields__}
    write_atomically(place, json.dumps(fields).encode())


def _age_s(path: Path) -> float:
    import tempfile

    try:
        # The file system's own clock on both sides: no other clock can be compared with it.
        with tempfile.TemporaryFile(dir=path.parent) as now:
            return os.fstat(now.fileno()).st_mtime - path.stat().st_mtime
    except OSError:
        return 0.0
