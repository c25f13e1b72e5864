"""Paths of the daemon's files: socket, lock, log, tab list, scratch, download and data folders.

Also holds which environment variables change the daemon's settings: every process needs them before
it can reach the daemon.

Imported on every command line call, so expensive modules (pathlib, typing) are imported late.
"""

from __future__ import annotations

import os

from pilothouse.errors import PilothouseError, write_hint

# As typing.TYPE_CHECKING, without the import.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = [
    "SETTING_VARIABLES",
    "RuntimePaths",
    "data_dir",
    "default_runtime_dir",
    "relay_token_path",
    "settings_environment",
]

# The variables that settings.py reads. Repeated here because importing settings.py is too slow for
# a command line call; a test compares the two lists.
SETTING_VARIABLES = (
    "PILOTHOUSE_BROWSER",
    "PILOTHOUSE_BROWSER_KIND",
    "PILOTHOUSE_CAPTURE",
    "PILOTHOUSE_CDP_URL",
    "PILOTHOUSE_CLIENT_MODE",
    "PILOTHOUSE_COALESCE_READS",
    "PILOTHOUSE_DIALOG_POLICY",
    "PILOTHOUSE_HEADLESS",
    "PILOTHOUSE_IDLE_S",
    "PILOTHOUSE_LAZY_TABS",
    "PILOTHOUSE_PAGE_CACHE",
    "PILOTHOUSE_PROFILE",
    "PILOTHOUSE_RELAY",
    "PILOTHOUSE_RELAY_PORT",
    "PILOTHOUSE_SCREENSHOT_DIR",
    "PILOTHOUSE_STEALTH",
    "PILOTHOUSE_WARM_UP",
    "PILOTHOUSE_WEB_PORT",
    "RELAY_PORT",
)
# Variables that name a file or folder of the user.
_PATH_VARIABLES = ("PILOTHOUSE_CONFIG", "PILOTHOUSE_DATA_DIR")

# The shortest limit of all systems (macOS: 104), minus the terminating zero byte.
MAX_SOCKET_PATH_BYTES = 103


class RuntimePaths:
    """The daemon's files, all below one private directory of the user."""

    def __init__(self, root: Path | None = None) -> None:
        # Absolute: the daemon runs in another working directory than its client.
        self._root = os.path.abspath(root if root is not None else _default_root())
        self._is_custom = root is not None or bool(os.environ.get("PILOTHOUSE_RUNTIME_DIR"))

    @property
    def root(self) -> Path:
        """The directory."""
        from pathlib import Path

        return Path(self._root)

    @property
    def socket_path(self) -> str:
        """The socket as a plain string: the only path that most command line calls need."""
        return f"{self._root}/daemon.sock"

    @property
    def socket(self) -> Path:
        """The Unix socket that the daemon listens on."""
        return self.root / "daemon.sock"

    @property
    def lock(self) -> Path:
        """The lock file that keeps a second daemon from starting."""
        return self.root / "daemon.lock"

    @property
    def log(self) -> Path:
        """The log, as JSON lines."""
        return self.root / "daemon.log"

    @property
    def ledger(self) -> Path:
        """The list of open tabs, from which the next daemon reports what a crash lost."""
        return self.root / "tabs.json"

    @property
    def journals(self) -> Path:
        """The folder for exported journals of browsers. The daemon keeps the newest few."""
        return self.root / "journals"

    @property
    def scratch(self) -> Path:
        """The folder with a scratch directory for each run of code."""
        return self.root / "scratch"

    @property
    def uploads(self) -> Path:
        """Copies of files that a user uploads. The daemon deletes them when it stops."""
        return self.root / "uploads"

    @property
    def files(self) -> Path:
        """Downloads and screenshots of sessions that have no folder of their own.

        Below the root if the user chose the root. The default root is usually on a tmpfs, which is
        too small for downloads; then it is the cache directory.
        """
        from pathlib import Path

        if self._is_custom:
            return self.root / "files"
        cache = os.environ.get("XDG_CACHE_HOME", "")
        base = Path(cache) if os.path.isabs(cache) else Path.home() / ".cache"
        return base / "pilothouse" / "files"

    @property
    def incoming(self) -> Path:
        """Downloads in progress. The daemon deletes them when it stops."""
        return self.files / ".incoming"

    def prepare(self) -> None:
        """Create the directory. Raises PilothouseError if other users have access to it."""
        import stat

        try:
            self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
            found, itself = self.root.stat(), self.root.lstat()
        except OSError as error:
            raise PilothouseError(
                f"{self.root}: {error.strerror}",
                hint="set PILOTHOUSE_RUNTIME_DIR to a directory of yours",
            ) from None
        # Check the symlink too: its owner can point it anywhere later.
        if os.getuid() != found.st_uid or os.getuid() != itself.st_uid:
            raise PilothouseError(
                f"{self.root} belongs to another user",
                hint="set PILOTHOUSE_RUNTIME_DIR to a directory of yours",
            )
        if stat.S_IMODE(found.st_mode) & 0o077:
            raise PilothouseError(
                f"{self.root}: other users have access to it",
                hint=f"run chmod 700 {self.root}, or remove it",
            )
        if len(os.fsencode(self.socket_path)) > MAX_SOCKET_PATH_BYTES:
            raise PilothouseError(
                f"{self.socket_path} is too long for a socket (at most {MAX_SOCKET_PATH_BYTES} "
                "bytes)",
                hint="set PILOTHOUSE_RUNTIME_DIR to a shorter path",
            )
        try:
            self.scratch.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise PilothouseError(
                f"could not create {self.scratch}: {error.strerror}",
                hint=write_hint(error),
            ) from None


def data_dir() -> Path:
    """Return the folder for the user's data that outlives a daemon and a reboot."""
    from pathlib import Path

    if named := os.environ.get("PILOTHOUSE_DATA_DIR"):
        return Path(os.path.abspath(os.path.expanduser(named)))
    base = os.environ.get("XDG_DATA_HOME", "")
    # The XDG standard says to ignore a relative path.
    root = Path(base) if os.path.isabs(base) else Path.home() / ".local" / "share"
    return root / "pilothouse"


def relay_token_path() -> Path:
    """Return the file with the relay's token. It outlives a reboot: people store URLs with it."""
    return data_dir() / "relay.token"


def settings_environment() -> dict[str, str]:
    """Return the variables that decide a daemon's settings, as set in this process.

    Paths are made absolute, because the daemon has another working directory.
    """
    found = {name: os.environ[name] for name in SETTING_VARIABLES if os.environ.get(name)}
    for name in _PATH_VARIABLES:
        if given := os.environ.get(name):
            found[name] = os.path.abspath(os.path.expanduser(given))
    return found


def _default_root() -> str:
    named = os.environ.get("PILOTHOUSE_RUNTIME_DIR")
    if named:
        return os.path.expanduser(named)
    return default_runtime_dir(os.environ)


def default_runtime_dir(environ: Mapping[str, str]) -> str:
    """Return the daemon's directory if PILOTHOUSE_RUNTIME_DIR names none."""
    runtime = environ.get("XDG_RUNTIME_DIR")
    if runtime and os.path.isdir(runtime):
        return f"{runtime}/pilothouse"
    # Not the directory of browser runs: what a dead owner leaves there is deleted.
    return f"/tmp/pilothouse-daemon-{os.getuid()}"
