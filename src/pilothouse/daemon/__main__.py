"""`python -m pilothouse.daemon`: the daemon's process. Clients start it when none is running.

Imports take most of the start-up time. A client that will need a browser writes a byte to the
daemon's stdin (code/client/daemon_connection.py). Chrome then launches before the other imports,
and starts up in parallel with them.
"""

from __future__ import annotations

import fcntl
import gc
import os
import select
import stat
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from pilothouse import speedup_switches
from pilothouse.browsers.fallback_browser import kind_to_launch
from pilothouse.browsers.launcher import EarlyLauncher
from pilothouse.errors import PilothouseError
from pilothouse.paths import RuntimePaths
from pilothouse.settings import Settings, load

if TYPE_CHECKING:
    from pilothouse.browsers import Browsers, HeadlessKind
    from pilothouse.daemon.daemon import Daemon

__all__ = ["main"]

# Switch interval while a thread imports, so that the event loop keeps running.
_SWITCH_INTERVAL_S = 0.0005
# New objects before the garbage collector runs. With Python's default of 700 it would run on every
# call, and scan all imported objects too, which takes milliseconds.
_GC_THRESHOLD = 20_000


def main() -> int:
    """Run the daemon of this user, unless one is running. Returns the exit code.

    0: stopped on request or idle. 143, 130: ended by SIGTERM, SIGINT. 1: another daemon is running,
    or this one failed. 2: invalid settings."""
    gc.disable()
    paths = RuntimePaths()
    paths.prepare()
    lock = paths.lock.open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        sys.stderr.write("a daemon is already running\n")
        return 1
    try:
        settings = load()
    except PilothouseError as error:
        sys.stderr.write(error.format_line() + "\n")
        return 2
    speedup_switches.use(settings.speedups)
    paths.socket.unlink(missing_ok=True)
    ahead = EarlyLauncher()
    if _has_launch_pipe() and select.select([0], [], [], 0)[0]:
        _read_launch_request(settings, ahead.launch)
    from pilothouse.asyncio_tasks import run

    try:
        return run(_run_daemon(paths, settings, ahead))
    except PilothouseError as error:
        import logging

        logging.getLogger(__name__).exception("the daemon failed")
        sys.stderr.write(error.format_line() + "\n")
        return 1
    finally:
        paths.socket.unlink(missing_ok=True)


async def _run_daemon(paths: RuntimePaths, settings: Settings, ahead: EarlyLauncher) -> int:
    import asyncio
    import signal

    from pilothouse.browsers import Browsers

    browsers = Browsers(early_launcher=ahead)
    for kind in ahead.launched:
        browsers.prepare(kind)
    loop = asyncio.get_running_loop()
    if _has_launch_pipe():

        def launch_requested() -> None:
            loop.remove_reader(0)
            _read_launch_request(settings, browsers.prepare)

        loop.add_reader(0, launch_requested)
    try:
        make = await asyncio.to_thread(_import_daemon, paths, settings)
    except PilothouseError as error:
        await browsers.close()
        sys.stderr.write(error.format_line() + "\n")
        return 2
    daemon = make(browsers)
    gc.freeze()
    gc.set_threshold(_GC_THRESHOLD)
    gc.enable()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, daemon.end, 128 + number)
    await daemon.serve()
    return daemon.exit_code


def _import_daemon(paths: RuntimePaths, settings: Settings) -> Callable[[Browsers], Daemon]:
    """Import the rest of the daemon; return its constructor. Raises PilothouseError.

    Runs in a thread beside the event loop. Invalid policies are the usual error."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(_SWITCH_INTERVAL_S)
    try:
        from pilothouse.daemon.daemon import Daemon
        from pilothouse.daemon.logs import start_log_file
        from pilothouse.daemon.user_policies_config import load as load_policies
        from pilothouse.tabs import verbs as _verbs  # noqa: F401 - declares them
    finally:
        sys.setswitchinterval(interval)
    policies = load_policies()
    start_log_file(paths.log, settings.daemon.log_mb, policies.secrets.redactor.redact)
    return lambda browsers: Daemon(paths, settings, policies, browsers)


def _has_launch_pipe() -> bool:
    """Return whether stdin is the pipe on which a client may request a browser launch."""
    return stat.S_ISFIFO(os.fstat(0).st_mode)


def _read_launch_request(settings: Settings, launch: Callable[[HeadlessKind], object]) -> None:
    """Launch a browser if the client sent a byte, and replace stdin by /dev/null.

    An empty read means that the client closed its end without a request."""
    wanted = kind_to_launch(settings) if os.read(0, 1) else None
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    if wanted is not None:
        launch(wanted)


if __name__ == "__main__":
    sys.exit(main())
