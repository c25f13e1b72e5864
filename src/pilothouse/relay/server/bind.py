"""Open the relay's listening socket, on this machine only, and name who holds a taken port.

Knows: listening sockets, processes. Must not know: what is served there.
"""

from __future__ import annotations

import errno
import os
import socket

from pilothouse.errors import PilothouseError, ToolError
from pilothouse.paths import loopback_address

__all__ = ["DEFAULT_PORT", "listen"]

DEFAULT_PORT = 19222


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens on this machine's loopback address.

    Raises ToolError for other addresses, PilothouseError if the port is not available.
    """
    if not 0 <= port < 65536:
        raise ToolError(
            f"port: {port} is out of range; expected 0 to 65535", hint="use 0 to pick a free one"
        )
    address = loopback_address(host)
    sock = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((address, port))
        sock.listen(128)
    except OSError as error:
        sock.close()
        told = f"{address}:{port}: {os.strerror(error.errno or 0)}"
        if error.errno != errno.EADDRINUSE:
            raise PilothouseError(told, hint="check the address") from None
        holder = _holder(port)
        raise PilothouseError(
            f"port {port} is taken" + (f" by {holder}" if holder else ""),
            hint="stop that program, or set another port for the relay",
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
