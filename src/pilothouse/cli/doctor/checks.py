"""The checks of `pilothouse doctor`, one function each. They change nothing.

Knows: what browsers and the daemon need from the machine. Must not know: how findings are shown.
A Finding says what was found; `mend` is the command or step that fixes it.
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
from pilothouse.code.sandbox import Limits, enter_sandbox
from pilothouse.errors import PilothouseError, plural
from pilothouse.paths import RuntimePaths
from pilothouse.settings import config_path, load

__all__ = [
    "CHECKS",
    "Check",
    "Finding",
    "browser",
    "code_sandbox",
    "daemon",
    "disk_space",
    "fonts",
    "leftovers",
    "ports",
    "profiles",
    "python",
    "relay",
    "runtime",
    "sandbox",
    "settings",
    "tools",
]

MIN_PYTHON = (3, 11)
VERSION_TIMEOUT_S = 30.0
MAX_SOCKET_PATH = 100
MIN_SHM = 64 * 1024**2
MIN_FREE = 500 * 1024**2
_NEEDED = ("msgspec", "psutil", "rich", "uvloop", "ruamel.yaml")
_FONTS = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.fonts", "~/.local/share/fonts")
_SANDBOX_HELP = {
    "network": "network: allow user namespaces (sysctl user.max_user_namespaces)",
    "files": "files: use Linux 5.13 or newer with landlock in its list of LSMs",
    "processes": "processes: seccomp filters are not available for this architecture",
}


class Finding:
    """One finding: `state` is ok, warn (works, with less) or broken."""

    __slots__ = ("found", "mend", "state")

    def __init__(self, state: str, found: str, mend: str = "") -> None:
        self.state = state
        self.found = found
        self.mend = mend


Check = Callable[[], Finding]


def _ok(found: str) -> Finding:
    return Finding("ok", found)


def python() -> Finding:
    """Check the Python version and the required packages."""
    missing = [name for name in _NEEDED if not _is_installed(name)]
    said = f"{sys.version.split()[0]} at {sys.executable}"
    if sys.version_info < MIN_PYTHON:
        return Finding("broken", said, "Python 3.11 or newer is needed")
    if missing:
        names = " ".join(missing)
        return Finding("broken", f"{said}; missing: {names}", f"pip install {names}")
    return _ok(said)


def _is_installed(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def settings() -> Finding:
    """Check that the settings file is valid."""
    path = config_path()
    try:
        load()
    except PilothouseError as error:
        return Finding("broken", error.message, error.hint)
    return _ok(f"{path}" if path.exists() else f"defaults (no file at {path})")


def browser() -> Finding:
    """Find the browser and ask for its version."""
    try:
        named = load().browser.executable
        path = check_executable(named, "browser.executable") if named else find_browser()
    except PilothouseError as error:
        return Finding("broken", error.message, error.hint)
    try:
        asked = subprocess.run(
            [path, "--version"], capture_output=True, text=True, timeout=VERSION_TIMEOUT_S
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Finding("broken", f"{path} does not start: {error}", "install it again")
    said = (asked.stdout or asked.stderr).strip().splitlines()
    if asked.returncode or not said:
        why = said[-1] if said else f"it ended with code {asked.returncode}"
        return Finding("broken", f"{path}: {why}", "install it again, or set PILOTHOUSE_BROWSER")
    return _ok(f"{said[-1].strip()} at {path}")


def sandbox() -> Finding:
    """Check whether the browser's own sandbox can start."""
    if sys.platform != "linux":
        return _ok("the system's own")
    if os.geteuid() == 0:
        return Finding(
            "warn",
            "you are root: browsers run without a sandbox",
            "use another user for pages you do not trust",
        )
    if _run_in_child(_new_user_namespace):
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
    return Finding(
        "broken", "user namespaces are refused: the browser's sandbox cannot start", mend
    )


def _new_user_namespace() -> bool:
    import ctypes

    return bool(ctypes.CDLL(None).unshare(0x10000000) == 0)


def _run_in_child(question: Callable[[], bool]) -> bool:
    """Call `question` in a forked process, so that it cannot change this one."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if question() else 1
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def fonts() -> Finding:
    """Check that fonts are installed."""
    if sys.platform == "darwin":
        return _ok("the system's own")
    names = [
        path.name.lower()
        for place in _FONTS
        for path in Path(place).expanduser().rglob("*")
        if path.suffix.lower() in (".ttf", ".otf", ".ttc", ".pfb", ".woff2")
    ]
    if not names:
        return Finding(
            "broken",
            "no fonts: text is drawn as boxes",
            "sudo apt-get install fonts-liberation",
        )
    lacking = []
    if not any("emoji" in name for name in names):
        lacking.append(("emoji", "fonts-noto-color-emoji"))
    if not any("cjk" in name or "wqy" in name or "ipag" in name for name in names):
        lacking.append(("Chinese, Japanese and Korean", "fonts-noto-cjk"))
    if lacking:
        return Finding(
            "warn",
            f"{plural(len(names), 'font')}, none for {' nor '.join(what for what, _ in lacking)}",
            f"sudo apt-get install {' '.join(package for _, package in lacking)}",
        )
    return _ok(plural(len(names), "font"))


def runtime() -> Finding:
    """Check that the daemon's runtime directory belongs to the user alone."""
    root = RuntimePaths().root
    if len(str(RuntimePaths().socket)) > MAX_SOCKET_PATH:
        return Finding(
            "broken", f"{root} is too long a path for a socket", "set PILOTHOUSE_RUNTIME_DIR"
        )
    if not root.exists():
        above = next(parent for parent in root.parents if parent.exists())
        if os.access(above, os.W_OK):
            return _ok(f"{root} (the first command creates it)")
        return Finding("broken", f"{above} cannot be written to", "set PILOTHOUSE_RUNTIME_DIR")
    found = root.stat()
    if found.st_uid != os.getuid():
        return Finding("broken", f"{root} belongs to another user", "set PILOTHOUSE_RUNTIME_DIR")
    if stat.S_IMODE(found.st_mode) & 0o077:
        return Finding("broken", f"other users can access {root}", f"chmod 700 {root}")
    return _ok(f"{root}, accessible only to you")


def daemon() -> Finding:
    """Check whether a daemon answers at its socket."""
    place = RuntimePaths().socket
    if not place.exists():
        return _ok("not running: the first command starts it")
    with socket.socket(socket.AF_UNIX) as sock:
        sock.settimeout(2.0)
        try:
            sock.connect(str(place))
        except ConnectionRefusedError:
            return Finding("warn", f"{place} is left from a daemon that died",
                         "nothing to do: the next call starts afresh")  # fmt: skip
        except OSError as error:
            return Finding("broken", f"{place}: {error.strerror}", "check who owns the directory")
    return _ok(f"answers at {place}")


def tools() -> Finding:
    """Check the tool selection of each platform."""
    from pilothouse.cli.doctor.tool_and_relay_checks import check_tools

    return Finding(*check_tools())


def relay() -> Finding:
    """Check the relay and the extension."""
    from pilothouse.cli.doctor.tool_and_relay_checks import check_relay

    return Finding(*check_relay())


def ports() -> Finding:
    """Check loopback, and the browser of the setting browser.cdp_url."""
    try:
        with socket.socket() as sock:
            sock.bind(("127.0.0.1", 0))
    except OSError as error:
        return Finding("broken", f"no port on loopback: {error.strerror}", "bring up the lo device")
    try:
        endpoint = load().browser.cdp_url
    except PilothouseError:
        endpoint = ""
    if not endpoint:
        return _ok("loopback works; managed browsers need no port")
    from urllib.parse import urlsplit

    parts = urlsplit(f"http://127.0.0.1:{endpoint}" if endpoint.isdigit() else endpoint)
    if not parts.hostname:
        return _ok("loopback works")
    try:
        usual = 443 if parts.scheme in ("https", "wss") else 80
        socket.create_connection((parts.hostname, parts.port or usual), 3.0).close()
    except OSError as error:
        return Finding(
            "broken",
            f"browser.cdp_url: no answer from {parts.hostname}:{parts.port} ({error})",
            "start that browser, or: pilothouse config set browser.cdp_url ''",
        )
    return _ok(f"the browser at {parts.hostname}:{parts.port} answers")


def leftovers() -> Finding:
    """Find files that dead browsers and daemons left behind."""
    left: list[str] = []
    for runs in default_roots():
        for path in sorted(runs.iterdir()) if runs.is_dir() and os.access(runs, os.R_OK) else ():
            record = read_record(path) if path.is_dir() else None
            if record is not None and record.is_orphaned:
                left.append(str(path))
    scratch = RuntimePaths().scratch
    if not _is_daemon_running() and scratch.is_dir():
        left += [str(path) for path in sorted(scratch.iterdir())]
    if left:
        shown = ", ".join(left[:3]) + (f" and {len(left) - 3} more" if len(left) > 3 else "")
        return Finding("warn", f"left by processes that died: {shown}",
                     "nothing to do: the next browser start deletes them")  # fmt: skip
    return _ok("no files of dead browsers")


def _is_daemon_running() -> bool:
    with socket.socket(socket.AF_UNIX) as sock:
        try:
            sock.connect(str(RuntimePaths().socket))
        except OSError:
            return False
    return True


def profiles() -> Finding:
    """Check the named profiles and their locks."""
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
            return Finding("warn", error.message, error.hint)
    if dead:
        return Finding("warn", f"locked by browsers that died: {', '.join(dead)}",
                     "nothing to do: opening the profile removes the lock")  # fmt: skip
    if not names:
        return _ok("no named profiles")
    return _ok(f"{len(names)} named" + (f", in use: {', '.join(used)}" if used else ""))


def code_sandbox() -> Finding:
    """Check which parts of the sandbox for `run` code are available."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            missing = enter_sandbox(Path("/nonexistent"), Limits())[1]
            os.write(write, ",".join(missing).encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as said:
        missing = [name for name in said.read().decode().split(",") if name]
    os.waitpid(child, 0)
    if not missing:
        return _ok("limits, network, files, processes")
    return Finding(
        "warn",
        f"the sandbox for `run` code lacks: {', '.join(missing)}",
        "; ".join(_SANDBOX_HELP.get(name, name) for name in missing),
    )


def disk_space() -> Finding:
    """Check free disk space and shared memory."""
    # Browser profiles may be in memory (tmpfs); other temporary files are on disk.
    for folder in (default_root().parent, Path(tempfile.gettempdir())):
        free = shutil.disk_usage(folder).free
        if free < MIN_FREE:
            return Finding(
                "broken", f"{free // 1024**2} MB are free in {folder}", "free some space there"
            )
    shm = Path("/dev/shm")
    if shm.is_dir() and shutil.disk_usage(shm).total < MIN_SHM:
        return Finding(
            "warn", "/dev/shm is small: large pages may crash", "docker run --shm-size=1g"
        )
    return _ok(f"{free / 1024**3:.0f} GB free in {folder}")


CHECKS: Sequence[tuple[str, Check]] = (
    ("python", python),
    ("settings", settings),
    ("browser", browser),
    ("browser sandbox", sandbox),
    ("fonts", fonts),
    ("runtime", runtime),
    ("daemon", daemon),
    ("tools", tools),
    ("ports", ports),
    ("relay", relay),
    ("leftover files", leftovers),
    ("profiles", profiles),
    ("code sandbox", code_sandbox),
    ("disk space", disk_space),
)
