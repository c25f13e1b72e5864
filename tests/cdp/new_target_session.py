"""What the tests of the connection share: one command and a way to get a session."""

from __future__ import annotations

from typing import Any

from pilothouse.cdp import Command, Connection, Session, SessionId
from pilothouse.cdp.protocol import Target

__all__ = ["VERSION", "attach"]

VERSION = Command[dict[str, Any]]("Browser.getVersion")


async def attach(connection: Connection) -> Session:
    """A session on a new target."""
    created = await connection.send(Target.createTarget(url="about:blank"))
    attached = await connection.send(
        Target.attachToTarget(targetId=created["targetId"], flatten=True)
    )
    return connection.sessions[SessionId(attached["sessionId"])]
