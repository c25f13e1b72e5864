"""What `pilothouse doctor` looks at, one function each. Nothing is changed by looking.

Knows: what a browser and the daemon need of a machine. Must not know: how findings are shown.
A check says what it found; `mend` is the command or the step that puts it right.
"""

from __future__ import annotations

import os
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

from pilothouse.browsers.launcher import (
    check_executable,
    default_root,
    default_roots,
    find_browser,
    lock_owner,
    profile_path,
    read_record,
)
from pilothouse.code.sandbox import Limits, raise_walls
from pilothouse.errors import PilothouseError
from pilothouse.paths import RuntimePaths
from pilothouse.settings import config_path, load

__all__ = [
    "CHECKS",
    "Check",
    "Found",
    "browser",
    "daemon",
    "fonts",
    "ports",
    "profiles",
    "python",
    "relay",
    "room",
    "runtime",
    "sandbox",
    "settings",
    "stale",
    "tools",
    "walls",
]

OLDEST_PYTHON = (3, 11)
VERSION_WITHIN_S = 30.0
LONGEST_SOCKET = 100
SMALLEST_SHM = 64 * 1024**2
LEAST_FREE = 500 * 1024**2
_NEEDED = ("msgspec", "psutil", "rich", "uvloop", "ruamel.yaml")
_FONTS = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.fonts", "~/.local/share/fonts")
_WALLS = {
    "network": "no network of its own: allow user namespaces (sysctl user.max_user_namespaces)",
    "files": "no Landlock: a Linux of 5.13 or newer, with landlock among its lsm, has it",
    "processes": "no seccomp on this kind of machine",
}


class Found:
    """One finding: `state` is ok, warn (works, with less) or broken."""

    __slots__ = ("found", "mend", "state")

    def __init__(self, state: str, found: str, mend: str = "") -> None:
        self.state = state
        self.found = found
        self.mend = mend


Check = Callable[[], Found]


def _ok(found: str) -> Found:
    return Found("ok", found)


def python() -> Found:
    """The interpreter and the packages."""
    missing = [name for name in _NEEDED if not _is_there(name)]
    said = f"{sys.version.split()[0]} at {sys.executable}"
    if sys.version_info < OLDEST_PYTHON:
        return Found("broken", said, "Python 3.11 or newer is needed")
    if missing:
        names = " ".join(missing)
        return Found("broken", f"{said}; missing: {names}", f"pip install {names}")
    return _ok(said)


def _is_there(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def settings() -> Found:
    """The file of settings."""
    path = config_path()
    try:
        load()
    except PilothouseError as error:
        return Found("broken", error.message, error.hint)
    return _ok(f"{path}" if path.exists() else f"the usual ones (no file at {path})")


def browser() -> Found:
    """Where the browser is, and which."""
    try:
        named = load().browser.executable
        path = check_executable(named, "browser.executable") if named else find_browser()
    except PilothouseError as error:
        return Found("broken", error.message, error.hint)
    try:
        asked = subprocess.run(
            [path, "--version"], capture_output=True, text=True, timeout=VERSION_WITHIN_S
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Found("broken", f"{path} does not start: {error}", "install it again")
    said = (asked.stdout or asked.stderr).strip().splitlines()
    if asked.returncode or not said:
        why = said[-1] if said else f"it ended with code {asked.returncode}"
        return Found("broken", f"{path}: {why}", "install it again, or set PILOTHOUSE_BROWSER")
    return _ok(f"{said[-1].strip()} at {path}")


def sandbox() -> Found:
    """Whether the browser's own sandbox can stand."""
    if sys.platform != "linux":
        return _ok("the system's own")
    if os.geteuid() == 0:
        return Found(
            "warn",
            "you are root: browsers run without a sandbox",
            "use another user for pages you do not trust",
        )
    if _in_child(_new_user_namespace):
        return _ok("user namespaces are allowed")
    for place in ("/opt/google/chrome/chrome-sandbox", "/usr/lib/chromium/chrome-sandbox"):
        if Path(place).exists() and Path(place).stat().st_mode & stat.S_ISUID:
            return _ok(f"through {place}")
    held = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
    if held.exists() and held.read_text().strip() == "1":
        mend = (
            "sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0, or install Chrome's .deb"
        )
    else:
        mend = "sudo sysctl user.max_user_namespaces=15000 kernel.unprivileged_userns_clone=1"
    return Found("broken", "user namespaces are refused: the browser's sandbox cannot stand", mend)


def _new_user_namespace() -> bool:
    import ctypes

    return bool(ctypes.CDLL(None).unshare(0x10000000) == 0)


def _in_child(question: Callable[[], bool]) -> bool:
    """Ask in a process of its own, so that the answer changes nothing here."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if question() else 1
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def fonts() -> Found:
    """Whether pages have letters to be painted with."""
    if sys.platform == "darwin":
        return _ok("the system's own")
    names = [
        path.name.lower()
        for place in _FONTS
        for path in Path(place).expanduser().rglob("*")
        if path.suffix.lower() in (".ttf", ".otf", ".ttc", ".pfb", ".woff2")
    ]
    if not names:
        return Found(
            "broken",
            "no fonts: pages are painted as boxes",
            "sudo apt-get install fonts-liberation",
        )
    lacking = []
    if not any("emoji" in name for name in names):
        lacking.append(("emoji", "fonts-noto-color-emoji"))
    if not any("cjk" in name or "wqy" in name or "ipag" in name for name in names):
        lacking.append(("Chinese, Japanese and Korean", "fonts-noto-cjk"))
    if lacking:
        return Found(
            "warn",
            f"{len(names)} fonts, none for {' nor '.join(what for what, _ in lacking)}",
            f"sudo apt-get install {' '.join(package for _, package in lacking)}",
        )
    return _ok(f"{len(names)} fonts")


def runtime() -> Found:
    """Whether the daemon's directory is the user's own."""
    root = RuntimePaths().root
    if len(str(RuntimePaths().socket)) > LONGEST_SOCKET:
        return Found(
            "broken", f"{root} is too long a path for a socket", "set PILOTHOUSE_RUNTIME_DIR"
        )
    if not root.exists():
        above = next(parent for parent in root.parents if parent.exists())
        if os.access(above, os.W_OK):
            return _ok(f"{root} (made by the first call)")
        return Found("broken", f"{above} cannot be written to", "set PILOTHOUSE_RUNTIME_DIR")
    found = root.stat()
    if found.st_uid != os.getuid():
        return Found("broken", f"{root} belongs to another user", "set PILOTHOUSE_RUNTIME_DIR")
    if stat.S_IMODE(found.st_mode) & 0o077:
        return Found("broken", f"{root} is open to others", f"chmod 700 {root}")
    return _ok(f"{root}, for you alone")


def daemon() -> Found:
    """Whether a daemon runs and answers at its socket."""
    place = RuntimePaths().socket
    if not place.exists():
        return _ok("none runs: the first call starts one")
    with socket.socket(socket.AF_UNIX) as sock:
        sock.settimeout(2.0)
        try:
            sock.connect(str(place))
        except ConnectionRefusedError:
            return Found("warn", f"{place} is left from a daemon that died",
                         "nothing to do: the next call starts afresh")  # fmt: skip
        except OSError as error:
            return Found("broken", f"{place}: {error.strerror}", "check who owns the directory")
    return _ok(f"one answers at {place}")


def tools() -> Found:
    """What agents get on each platform, and what is wrong with the choice."""
    from pilothouse.cli.doctor.tools_check import chosen_tools

    return Found(*chosen_tools())


def relay() -> Found:
    """The port for other programs, and the Chrome that is lent."""
    from pilothouse.cli.doctor.relay_check import relay_state

    return Found(*relay_state())


def ports() -> Found:
    """Loopback, and the browser that the settings say to join."""
    try:
        with socket.socket() as sock:
            sock.bind(("127.0.0.1", 0))
    except OSError as error:
        return Found("broken", f"no port on loopback: {error.strerror}", "bring up the lo device")
    try:
        endpoint = load().browser.cdp_url
    except PilothouseError:
        endpoint = ""
    if not endpoint:
        return _ok("loopback works; our own browsers need no port")
    from urllib.parse import urlsplit

    parts = urlsplit(f"http://127.0.0.1:{endpoint}" if endpoint.isdigit() else endpoint)
    if not parts.hostname:
        return _ok("loopback works")
    try:
        usual = 443 if parts.scheme in ("https", "wss") else 80
        socket.create_connection((parts.hostname, parts.port or usual), 3.0).close()
    except OSError as error:
        return Found(
            "broken",
            f"browser.cdp_url: nobody answers at {parts.hostname}:{parts.port} ({error})",
            "start that browser, or: pilothouse config set browser.cdp_url ''",
        )
    return _ok(f"the browser at {parts.hostname}:{parts.port} answers")


def stale() -> Found:
    """What dead browsers and daemons left behind."""
    left: list[str] = []
    for runs in default_roots():
        for path in sorted(runs.iterdir()) if runs.is_dir() and os.access(runs, os.R_OK) else ():
            record = read_record(path) if path.is_dir() else None
            if record is not None and record.orphaned:
                left.append(str(path))
    scratch = RuntimePaths().scratch
    if not _daemon_lives() and scratch.is_dir():
        left += [str(path) for path in sorted(scratch.iterdir())]
    if left:
        shown = ", ".join(left[:3]) + (f" and {len(left) - 3} more" if len(left) > 3 else "")
        return Found("warn", f"left by processes that died: {shown}",
                     "nothing to do: the next browser sweeps them away")  # fmt: skip
    return _ok("nothing is left of dead browsers")


def _daemon_lives() -> bool:
    with socket.socket(socket.AF_UNIX) as sock:
        try:
            sock.connect(str(RuntimePaths().socket))
        except OSError:
            return False
    return True


def profiles() -> Found:
    """The named profiles and their locks."""
    folder = profile_path("x", os.environ).parent
    names = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    used, dead = [], []
    for name in names:
        lock = folder / name / "SingletonLock"
        try:
            if lock_owner(folder / name) is not None:
                used.append(name)
            elif lock.is_symlink():
                dead.append(name)
        except PilothouseError as error:
            return Found("warn", error.message, error.hint)
    if dead:
        return Found("warn", f"locked by browsers that died: {', '.join(dead)}",
                     "nothing to do: the lock is removed when the profile is opened")  # fmt: skip
    if not names:
        return _ok("no named ones yet")
    return _ok(f"{len(names)} named" + (f", in use: {', '.join(used)}" if used else ""))


def walls() -> Found:
    """Which walls stand around code that `run` is given."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            missing = raise_walls(Path("/nonexistent"), Limits())[1]
            os.write(write, ",".join(missing).encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as said:
        missing = [name for name in said.read().decode().split(",") if name]
    os.waitpid(child, 0)
    if not missing:
        return _ok("limits, network, files, processes")
    return Found(
        "warn",
        f"code that is run is less walled in: {', '.join(missing)}",
        "; ".join(_WALLS.get(name, name) for name in missing),
    )


def room() -> Found:
    """Disk and shared memory."""
    # Browsers' profiles may lie in memory; what else is passing lies on the disk.
    for folder in (default_root().parent, Path(tempfile.gettempdir())):
        free = shutil.disk_usage(folder).free
        if free < LEAST_FREE:
            return Found(
                "broken", f"{free // 1024**2} MB are free in {folder}", "free some space there"
            )
    shm = Path("/dev/shm")
    if shm.is_dir() and shutil.disk_usage(shm).total < SMALLEST_SHM:
        return Found("warn", "/dev/shm is small: large pages may crash", "docker run --shm-size=1g")
    return _ok(f"{free / 1024**3:.0f} GB free in {folder}")


CHECKS: Sequence[tuple[str, Check]] = (
    ("python", python),
    ("settings", settings),
    ("browser", browser),
    ("sandbox", sandbox),
    ("fonts", fonts),
    ("runtime", runtime),
    ("daemon", daemon),
    ("tools", tools),
    ("ports", ports),
    ("relay", relay),
    ("left over", stale),
    ("profiles", profiles),
    ("walls", walls),
    ("room", room),
)
