"""The daemon's RPC: JSON-RPC 2.0 over a Unix socket, one message per line.

    messages.py     `RpcRequest`, `ResultWithNotices`, and the bytes of replies, errors and notices
    server.py       `RpcServer` accepts connections and runs one task per call;
                    `RpcClient` is one connection with its owner and its write queue
    time_limits.py  `time_limit`: how many seconds a call may take, from its method and `timeout`
    progress.py     `Progress`: throttled progress notices of one call

A line travels so: `RpcServer` reads it, `messages.parse` makes an `RpcRequest` of it, the handler
(`Daemon.answer`) returns a result or raises PilothouseError, and the reply goes back as one line.
A client may cancel a call by id (`cancel`). A client that does not read its replies is dropped, so
that it cannot fill the daemon's memory. The method `mcp` hands the whole connection to daemon/mcp.
"""

from __future__ import annotations

from pilothouse.daemon.rpc.messages import ResultWithNotices, RpcRequest
from pilothouse.daemon.rpc.progress import Progress
from pilothouse.daemon.rpc.server import RpcClient, RpcServer
from pilothouse.daemon.rpc.time_limits import time_limit

__all__ = ["Progress", "ResultWithNotices", "RpcClient", "RpcRequest", "RpcServer", "time_limit"]
