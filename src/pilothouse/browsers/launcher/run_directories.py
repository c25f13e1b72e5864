"""Run directories: one per browser that we start, with a record that outlives us.

    <root>/pilothouse-<uid>/       mode 0700; in memory, or below TMPDIR or /tmp
        3f9c01ab/                  one run
            record.json            owner, browser (pid and start time), kind
            profile/               the profile, unless a kept one is used
            tmp/                   TMPDIR of the browser, removed with the run
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

from pilothouse.browsers.launcher.guardian import (
    GuardedRun,
    end_run,
    process_start_id,
    unfinished_path,
)
from pilothouse.errors import BrowserError
from pilothouse.private_files import write_atomically

__all__ = [
    "RunDirectories",
    "RunDirectory",
    "RunRecord",
    "default_root",
    "default_roots",
    "read_record",
]

# Chrome creates a socket below TMPDIR, and a socket path has at most about 100 characters.
_MAX_ROOT_LENGTH = 40
_UNFINISHED_S = 60.0
# A new profile is about a hundred small files, and Chrome waits until each is on the disk. Files in
# memory make its start a sixth shorter.
_IN_MEMORY = Path("/dev/shm")
_MIN_FREE_BYTES = 2 * 1024**3


class RunRecord(msgspec.Struct, frozen=True):
    """Owner and processes of a run: enough to end it safely after the owner's death."""

    owner: int
    owner_started: str
    kind: str
    path: str
    profile: str = ""
    browser: int = 0
    browser_started: str = ""

    @property
    def is_orphaned(self) -> bool:
        """True if the owner is dead, even if another process has its pid now."""
        return process_start_id(self.owner) != self.owner_started

    def run(self) -> GuardedRun:
        """Return the run in the form that the guardian takes."""
        return GuardedRun(self.path, self.profile, self.browser, self.browser_started)


class RunDirectory(msgspec.Struct, frozen=True):
    """The paths of one run."""

    path: Path

    @property
    def profile(self) -> Path:
        """The temporary profile."""
        return self.path / "profile"

    @property
    def tmp(self) -> Path:
        """TMPDIR of the browser."""
        return self.path / "tmp"

    @property
    def log(self) -> Path:
        """The browser's output."""
        return self.path / "log"


class RunDirectories:
    """All runs of this user, below one root."""

    def __init__(self, root: Path | None = None) -> None:
        self.root = root or default_root()
        self._has_custom_root = root is not None
        self._me = os.getpid()
        self._me_started = process_start_id(self._me) or ""

    def reserve(self) -> RunDirectory:
        """Choose the path of a new run without creating it, so that it can be guarded first."""
        return RunDirectory(self.root / os.urandom(4).hex())

    def create(self, run: RunDirectory, record: RunRecord) -> None:
        """Create the directory atomically, with its record in it."""
        self._prepare()
        unfinished = Path(unfinished_path(str(run.path)))
        try:
            unfinished.mkdir(mode=0o700)
            for name in ("profile", "tmp"):
                (unfinished / name).mkdir(mode=0o700)
            _write(unfinished / "record.json", record)
            unfinished.rename(run.path)
        except OSError as error:
            raise _write_error(run.path, error) from error

    def update(self, run: RunDirectory, record: RunRecord) -> None:
        """Replace the record.

        Raises BrowserError: a browser that is not in its record would survive if the guardian died.
        """
        try:
            _write(run.path / "record.json", record)
        except OSError as error:
            raise _write_error(run.path, error) from error

    def record(self, run: RunDirectory, kind: str, profile: Path | None = None) -> RunRecord:
        """Make the record of a run of this process, without a browser yet."""
        return RunRecord(
            self._me, self._me_started, kind, str(run.path), str(profile or run.profile)
        )

    def sweep(self) -> list[str]:
        """End the runs of dead owners and return their paths.

        Several processes may sweep at once.
        """
        if self.root.is_dir():
            self._prepare()
        # Earlier runs may be below another root: memory was short, or TMPDIR was different. Skip
        # roots that belong to other users.
        roots = (self.root,) if self._has_custom_root else default_roots()
        ours = [root for root in roots if root.is_dir() and _unsafe_root_error(root) is None]
        return [path for root in ours for path in _sweep_root(root)]

    def _prepare(self) -> None:
        """Create the root, or check that no other user has access to it."""
        try:
            self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
            error_found = _unsafe_root_error(self.root)
        except OSError as error:
            raise BrowserError(
                f"could not create the directory for browsers {self.root}: {error.strerror}",
                hint="set TMPDIR to a directory you can write to",
            ) from error
        if error_found is not None:
            raise error_found


def _write_error(path: Path, error: OSError) -> BrowserError:
    return BrowserError(
        f"could not write the browser's directory {path}: {error.strerror}",
        hint="free space there, or set TMPDIR to a directory on another disk",
    )


def _unsafe_root_error(root: Path) -> BrowserError | None:
    """Return an error if browsers' data would not be safe below this root."""
    found = root.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        return BrowserError(
            f"{root} is not a directory of yours, so browsers' data is not safe in it",
            hint="remove it, or set TMPDIR to a directory of your own",
        )
    if found.st_mode & 0o077:
        return BrowserError(f"{root}: other users have access to it", hint=f"run: chmod 700 {root}")
    return None


def _sweep_root(root: Path) -> list[str]:
    """End the runs of dead owners below one root and return their paths."""
    swept = []
    for path in sorted(root.iterdir()):
        if not path.is_dir() or path.is_symlink():
            continue
        # Take the path from the directory itself, never from the record in it.
        path_of_run = str(root / path.name.removeprefix("."))
        record = read_record(path)
        if record is None:
            # Half created or half removed. A living owner is in this state only for an instant.
            dead, run = _age_s(path) > _UNFINISHED_S, GuardedRun(path_of_run)
        else:
            dead, run = record.is_orphaned, record.run()._replace(path=path_of_run)
        if dead and end_run(run, scans=1):
            swept.append(path_of_run)
    return swept


def default_root() -> Path:
    """Return the root for new runs: below TMPDIR if it is set, in memory if there is space."""
    if "TMPDIR" in os.environ or not _has_space(_IN_MEMORY):
        return _temporary_root()
    return _IN_MEMORY / _name()


def default_roots() -> tuple[Path, ...]:
    """Return all roots that earlier runs of this user may be below."""
    return tuple(dict.fromkeys((_temporary_root(), _IN_MEMORY / _name(), Path("/tmp", _name()))))


def _name() -> str:
    return f"pilothouse-{os.geteuid()}"


def _temporary_root() -> Path:
    """Return the root in the temporary directory, or in /tmp if that path is too long."""
    import tempfile  # late: a launch in memory does not need it

    root_path = Path(tempfile.gettempdir(), _name())
    return root_path if len(str(root_path)) <= _MAX_ROOT_LENGTH else Path("/tmp", _name())


def _has_space(folder: Path) -> bool:
    try:
        room = os.statvfs(folder)
    except OSError:
        return False
    return os.access(folder, os.W_OK | os.X_OK) and room.f_bavail * room.f_frsize >= _MIN_FREE_BYTES


def read_record(path: Path) -> RunRecord | None:
    """Read the record of a run directory; None if there is no valid one."""
    try:
        value: Any = json.loads((path / "record.json").read_text())
        record = RunRecord(**value)
    except (OSError, ValueError, TypeError):
        return None
    numbers = (record.owner, record.browser)
    return record if all(type(number) is int for number in numbers) else None


def _write(path: Path, record: RunRecord) -> None:
    fields = {name: getattr(record, name) for name in RunRecord.__struct_fields__}
    write_atomically(path, json.dumps(fields).encode())


def _age_s(path: Path) -> float:
    import tempfile

    try:
        # Compare with the time stamp of a new file: the file system may have another clock.
        with tempfile.TemporaryFile(dir=path.parent) as now:
            return os.fstat(now.fileno()).st_mtime - path.stat().st_mtime
    except OSError:
        return 0.0
