"""THE WIRE: frames, ids, sessions. Knows no dialog, tool or agent.

Read in this order:

    message.py     the envelope: commands, events, raw JSON
    router.py      pure: one frame in, what it means out
    reply.py       what a sender holds until Chrome answers
    session.py     the face of one target: send, on, expect, enable_domain
    targets.py     which targets the browser has, for who wants to know: connection.targets
    connection.py  the shell: reader, deadlines, drops, reconnect (backoff.py says when)
    transport.py   what it asks of a wire; pipe.py and websocket.py are the two there are
    protocol.py    generated: typed builders for the commands and events we use
"""

from __future__ import annotations

from pilothouse.cdp.connection import Connection, Status
from pilothouse.cdp.message import ROOT, Command, Event, EventName, SessionId
from pilothouse.cdp.pipe import dial_pipe
from pilothouse.cdp.reply import PendingCommand, Reply
from pilothouse.cdp.router import Counts
from pilothouse.cdp.session import DEFAULT_DEADLINE_S, Expectation, Session
from pilothouse.cdp.targets import TargetInfo, Targets, TargetWait
from pilothouse.cdp.transport import Dial, Receiver, Transport
from pilothouse.cdp.websocket import dial_websocket

__all__ = [
    "DEFAULT_DEADLINE_S",
    "ROOT",
    "Command",
    "Connection",
    "Counts",
    "Dial",
    "Event",
    "EventName",
    "Expectation",
    "PendingCommand",
    "Receiver",
    "Reply",
    "Session",
    "SessionId",
    "Status",
    "TargetInfo",
    "TargetWait",
    "Targets",
    "Transport",
    "dial_pipe",
    "dial_websocket",
]
