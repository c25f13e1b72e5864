"""TODO-MAP daemon/rpc."""

from __future__ import annotations

from pilothouse.daemon.rpc.messages import Request, WithNotices
from pilothouse.daemon.rpc.progress import Progress
from pilothouse.daemon.rpc.server import Client, Server
from pilothouse.daemon.rpc.time_limits import time_limit

__all__ = ["Client", "Progress", "Request", "Server", "WithNotices", "time_limit"]
