"""`python -m pilothouse.house`: the daemon itself. Clients start it when they find nobody home."""

from __future__ import annotations

import asyncio
import fcntl
import logging
import signal
import sys

from pilothouse.errors import PilothouseError
from pilothouse.house.house import House
from pilothouse.house.logs import keep_log
from pilothouse.places import Places
from pilothouse.settings import load
from pilothouse.tabs import verbs as _verbs  # noqa: F401 - declares them
from pilothouse.tasks import run
from pilothouse.tools.policies import load as load_policies

__all__ = ["main"]


def main() -> int:
    """Be the house of this user, unless there is one. The exit code: 0 told to stop or not needed
    any more, 143 and 130 ended by a signal, 1 another house or a fall, 2 bad settings."""
    places = Places()
    places.prepare()
    lock = places.lock.open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        sys.stderr.write("a house is running already\n")
        return 1
    try:
        settings, policies = load(), load_policies()
    except PilothouseError as error:
        sys.stderr.write(error.line() + "\n")
        return 2
    keep_log(places.log, settings.house.log_mb, policies.secrets.hide)
    places.socket.unlink(missing_ok=True)

    async def live() -> int:
        house = House(places, settings, policies)
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, house.end, 128 + number)
        await house.serve()
        return house.code

    try:
        return run(live())
    except PilothouseError as error:
        logging.getLogger(__name__).exception("the house falls")
        sys.stderr.write(error.line() + "\n")
        return 1
    finally:
        places.socket.unlink(missing_ok=True)


if __name__ == "__main__":
    sys.exit(main())
