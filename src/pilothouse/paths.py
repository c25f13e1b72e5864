"""Where the daemon lives: its socket, its log, its tokens, what it leaves for the next one, and at
which addresses it may listen. No imports that cost."""

from __future__ import annotations

import os

from pilothouse.errors import PilothouseError, ToolError

# As typing.TYPE_CHECKING, without the import; and paths are made only for those who want them.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "SETTING_VARIABLES",
    "RuntimePaths",
    "environment",
    "kept_token",
    "loopback",
    "write_whole",
]

# The variables that settings.py reads, which costs too much to import for a warm call; a test holds
# them together.
SETTING_VARIABLES = (
    "PILOTHOUSE_BROWSER",
    "PILOTHOUSE_BROWSER_KIND",
    "PILOTHOUSE_CDP_URL",
    "PILOTHOUSE_CLIENT_MODE",
    "PILOTHOUSE_DIALOG_POLICY",
    "PILOTHOUSE_HEADLESS",
    "PILOTHOUSE_IDLE_S",
    "PILOTHOUSE_PROFILE",
    "PILOTHOUSE_RELAY",
    "PILOTHOUSE_RELAY_PORT",
    "PILOTHOUSE_SCREENSHOT_DIR",
    "PILOTHOUSE_STEALTH",
    "RELAY_PORT",
)
# Variables that name a file or a folder of the user's.
_PATHS = ("PILOTHOUSE_CONFIG", "PILOTHOUSE_DATA_DIR")

# The shortest that systems allow (macOS), less the zero at the end.
LONGEST_DOOR = 103


class RuntimePaths:
    """The daemon's files, all below one directory of the user's own."""

    def __init__(self, root: Path | None = None) -> None:
        # Absolute: a daemon is started elsewhere than where its client stands.
        self._root = os.path.abspath(root if root is not None else _root())
        self._apart = root is not None or bool(os.environ.get("PILOTHOUSE_RUNTIME_DIR"))

    @property
    def root(self) -> Path:
        """The directory."""
        from pathlib import Path

        return Path(self._root)

    @property
    def door(self) -> str:
        """Where the socket is, as plain text: all that a warm call needs."""
        return f"{self._root}/daemon.sock"

    @property
    def socket(self) -> Path:
        """The door."""
        return self.root / "daemon.sock"

    @property
    def lock(self) -> Path:
        """Held by the one daemon there is."""
        return self.root / "daemon.lock"

    @property
    def log(self) -> Path:
        """What happened, as lines of JSON."""
        return self.root / "daemon.log"

    @property
    def ledger(self) -> Path:
        """Which tabs there are: what a crash would lose."""
        return self.root / "tabs.json"

    @property
    def scratch(self) -> Path:
        """Where code may write while it runs."""
        return self.root / "scratch"

    @property
    def uploads(self) -> Path:
        """Copies of the files that a person handed over for uploading; gone with the daemon."""
        return self.root / "uploads"

    @property
    def files(self) -> Path:
        """Files of sessions that have no folder of their own: downloads, pictures. Below the
        directory if somebody has named that; usually it is in memory, so on the disk."""
        from pathlib import Path

        if self._apart:
            return self.root / "files"
        cache = os.environ.get("XDG_CACHE_HOME", "")
        base = Path(cache) if os.path.isabs(cache) else Path.home() / ".cache"
        return base / "pilothouse" / "files"

    @property
    def incoming(self) -> Path:
        """Downloads on their way; gone with the daemon."""
        return self.files / ".incoming"

    def prepare(self) -> None:
        """Make the directory. Raises PilothouseError if others could get at it."""
        import stat

        try:
            self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
            found, itself = self.root.stat(), self.root.lstat()
        except OSError as error:
            raise PilothouseError(
                f"{self.root}: {error.strerror}",
                hint="set PILOTHOUSE_RUNTIME_DIR to a directory of yours",
            ) from None
        # A link that somebody else laid leads wherever they want.
        if os.getuid() != found.st_uid or os.getuid() != itself.st_uid:
            raise PilothouseError(
                f"{self.root} belongs to somebody else",
                hint="set PILOTHOUSE_RUNTIME_DIR to a directory of yours",
            )
        if stat.S_IMODE(found.st_mode) & 0o077:
            raise PilothouseError(
                f"{self.root} is open to others", hint=f"chmod 700 {self.root}, or remove it"
            )
        if len(os.fsencode(self.door)) > LONGEST_DOOR:
            raise PilothouseError(
                f"{self.door} is too long for a socket",
                hint="set PILOTHOUSE_RUNTIME_DIR to a shorter path",
            )
        try:
            self.scratch.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise PilothouseError(
                f"could not make {self.scratch}: {error.strerror}", hint="free space on that disk"
            ) from None


def environment() -> dict[str, str]:
    """The variables that decide a daemon's settings, as set here. Paths are absolute: a daemon has
    another working directory."""
    found = {name: os.environ[name] for name in SETTING_VARIABLES if os.environ.get(name)}
    for name in _PATHS:
        if given := os.environ.get(name):
            found[name] = os.path.abspath(os.path.expanduser(given))
    return found


def _root() -> str:
    named = os.environ.get("PILOTHOUSE_RUNTIME_DIR")
    if named:
        return os.path.expanduser(named)
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    if runtime and os.path.isdir(runtime):
        return f"{runtime}/pilothouse"
    # Not where browsers run: what lies there is swept away when its owner is dead.
    return f"/tmp/pilothouse-daemon-{os.getuid()}"


def loopback(host: str) -> str:
    """The address to listen at. Raises ToolError for all but this machine's own."""
    if host in ("", "127.0.0.1", "localhost"):
        return "127.0.0.1"
    if host in ("::1", "[::1]"):
        return "::1"
    raise ToolError(
        f"host: {host!r} is not this machine alone",
        hint="127.0.0.1 or ::1; for others use a tunnel that asks who they are",
    )


def kept_token(path: Path) -> str:
    """The token of this user's file; made if there is none. Raises PilothouseError if others could
    have read or written it, or if it cannot be written."""
    import secrets

    if os.path.lexists(path):
        return _read_token(path)
    token = secrets.token_urlsafe(32)
    try:
        write_whole(path, token.encode(), replace=False)
    except FileExistsError:
        return _read_token(path)  # another process made it meanwhile
    except OSError as error:
        raise PilothouseError(
            f"could not write {path}: {error.strerror}", hint="free space on that disk"
        ) from None
    return token


def write_whole(
    path: str | os.PathLike[str], data: bytes, mode: int = 0o600, *, replace: bool = True
) -> None:
    """Write a file whole or not at all: a full disk leaves neither half a file nor a draft, and an
    older file stays as it was. A device or a pipe is written to directly.

    Raises OSError; with replace=False FileExistsError if there is a file already.
    """
    import stat

    place = os.fspath(path)
    if replace:
        place = os.path.realpath(place)  # a link stays a link
        if os.path.exists(place) and not stat.S_ISREG(os.stat(place).st_mode):
            with open(place, "wb") as special:
                special.write(data)
            return
    draft = f"{place}.{os.urandom(4).hex()}.new"
    opened = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
    try:
        with os.fdopen(opened, "wb") as file:
            file.write(data)
        if replace:
            os.replace(draft, place)
        else:
            os.link(draft, place)
    finally:
        if os.path.lexists(draft):  # else it has its name now
            os.unlink(draft)


def _read_token(path: Path) -> str:
    import re
    import stat

    wrong = PilothouseError(f"{path} is not a token of yours alone", hint="remove it")
    try:
        opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    except OSError:
        raise wrong from None
    with os.fdopen(opened) as file:
        found = os.fstat(file.fileno())
        alone = found.st_uid == os.getuid() and not stat.S_IMODE(found.st_mode) & 0o077
        token = file.read(100)
    if not (alone and stat.S_ISREG(found.st_mode) and re.fullmatch(r"[A-Za-z0-9_-]{43}", token)):
        raise wrong
    return token
