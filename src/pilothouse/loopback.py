"""Listen on this machine's loopback address, and on no other.

Knows: sockets, and who holds a port. Must not know: who is served.
"""

from __future__ import annotations

import errno
import os
import socket

from pilothouse.errors import PilothouseError, UsageError

__all__ = ["listen", "loopback_address"]

_HINTS = {
    errno.EACCES: "use a port from 1024 up, or 0 for a free one",
    errno.EADDRNOTAVAIL: "use 127.0.0.1",
}


def loopback_address(host: str) -> str:
    """Return the loopback address to listen on. Raises UsageError for any other host."""
    if host in ("", "127.0.0.1", "localhost"):
        return "127.0.0.1"
    if host in ("::1", "[::1]"):
        return "::1"
    raise UsageError(
        f"host: {host!r} is not a loopback address",
        hint="use 127.0.0.1 or ::1; for other machines set up a tunnel with authentication",
    )


def listen(host: str, port: object, *, taken_hint: str) -> socket.socket:
    """Return a socket that listens on a port of the loopback address, and does not block.

    Raises UsageError for another address or what is no port, PilothouseError if the port is not
    available; if it is taken, with `taken_hint`."""
    if isinstance(port, bool) or not isinstance(port, int) or not 0 <= port < 65536:
        raise UsageError(
            f"port: expected a number from 0 to 65535, got {port!r}", hint="use 0 for a free port"
        )
    address = loopback_address(host)
    sock = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((address, port))
        sock.listen(128)
    except OSError as error:
        sock.close()
        if error.errno == errno.EADDRINUSE:
            holder = _holder(port)
            raise PilothouseError(
                f"port {port} is taken" + (f" by {holder}" if holder else ""), hint=taken_hint
            ) from None
        raise PilothouseError(
            f"could not listen on {address}:{port}: {os.strerror(error.errno or 0)}",
            hint=_HINTS.get(error.errno or 0, "use another port"),
        ) from None
    sock.setblocking(False)
    return sock


def _holder(port: int) -> str:
    """Return who listens on a port; "" if this user may not know."""
    import psutil  # imported late: only needed for a taken port

    try:
        found = psutil.net_connections("tcp")
        for one in found:
            if one.status == psutil.CONN_LISTEN and one.laddr and one.laddr.port == port:
                return f"{psutil.Process(one.pid).name()} (pid {one.pid})" if one.pid else ""
    except psutil.Error:
        return ""
    return ""
