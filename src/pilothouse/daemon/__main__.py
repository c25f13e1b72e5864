"""`python -m pilothouse.daemon`: the daemon itself. Clients start it when they find nobody home.

Most of a start is imports. A client that will want a browser rings (code/client/daemon_client.py):
then Chrome is started before anything else is read, and comes up beside the rest of the daemon.
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

from pilothouse.browsers.launcher import Ahead
from pilothouse.daemon.default_browser import launched
from pilothouse.errors import PilothouseError
from pilothouse.paths import RuntimePaths
from pilothouse.settings import Settings, load

if TYPE_CHECKING:
    from pilothouse.browsers import Browsers, Headless
    from pilothouse.daemon.daemon import Daemon

__all__ = ["main"]

# How often a thread that imports lets the loop go on.
_TURNS_S = 0.0005
# So many new objects before it is looked which of them are garbage. Python's own 700 are there
# before every answer, and what was imported would be looked through as well, for milliseconds.
_GARBAGE_AFTER = 20_000


def main() -> int:
    """Be the daemon of this user, unless there is one. The exit code: 0 told to stop or not needed
    any more, 143 and 130 ended by a signal, 1 another daemon or a fall, 2 bad settings."""
    gc.disable()
    paths = RuntimePaths()
    paths.prepare()
    lock = paths.lock.open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        sys.stderr.write("a daemon is running already\n")
        return 1
    try:
        settings = load()
    except PilothouseError as error:
        sys.stderr.write(error.line() + "\n")
        return 2
    paths.socket.unlink(missing_ok=True)
    ahead = Ahead()
    if _bell() and select.select([0], [], [], 0)[0]:
        _answer_bell(settings, ahead.launch)
    from pilothouse.tasks import run

    try:
        return run(_live(paths, settings, ahead))
    except PilothouseError as error:
        import logging

        logging.getLogger(__name__).exception("the daemon falls")
        sys.stderr.write(error.line() + "\n")
        return 1
    finally:
        paths.socket.unlink(missing_ok=True)


async def _live(paths: RuntimePaths, settings: Settings, ahead: Ahead) -> int:
    import asyncio
    import signal

    from pilothouse.browsers import Browsers

    browsers = Browsers(ahead=ahead)
    for kind in ahead.launched:
        browsers.prepare(kind)
    loop = asyncio.get_running_loop()
    if _bell():

        def rung() -> None:
            loop.remove_reader(0)
            _answer_bell(settings, browsers.prepare)

        loop.add_reader(0, rung)
    try:
        make = await asyncio.to_thread(_furnish, paths, settings)
    except PilothouseError as error:
        await browsers.close()
        sys.stderr.write(error.line() + "\n")
        return 2
    daemon = make(browsers)
    gc.freeze()
    gc.set_threshold(_GARBAGE_AFTER)
    gc.enable()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, daemon.end, 128 + number)
    await daemon.serve()
    return daemon.code


def _furnish(paths: RuntimePaths, settings: Settings) -> Callable[[Browsers], Daemon]:
    """Everything else. Raises PilothouseError for bad policies."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(_TURNS_S)
    try:
        from pilothouse.daemon.daemon import Daemon
        from pilothouse.daemon.logs import keep_log
        from pilothouse.tabs import verbs as _verbs  # noqa: F401 - declares them
        from pilothouse.tools.policies import load as load_policies
    finally:
        sys.setswitchinterval(usual)
    policies = load_policies()
    keep_log(paths.log, settings.daemon.log_mb, policies.secrets.redactor.redact)
    return lambda browsers: Daemon(paths, settings, policies, browsers)


def _bell() -> bool:
    """Whether whoever started this daemon may still ring."""
    return stat.S_ISFIFO(os.fstat(0).st_mode)


def _answer_bell(settings: Settings, launch: Callable[[Headless], object]) -> None:
    """It rang, or nobody rings any more: have a browser started, and listen no more."""
    wanted = launched(settings) if os.read(0, 1) else None
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    if wanted is not None:
        launch(wanted)


if __name__ == "__main__":
    sys.exit(main())
