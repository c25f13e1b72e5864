"""The CDP client: messages, ids, flat sessions. Knows nothing of dialogs, tools or agents.

Read in this order:

    message.py                   values: `Command`, `Event`, `Envelope`; params and results stay raw
                                 JSON
    router.py                    pure: `Router` says what one inbound message means
    awaitable_reply.py           `Reply`: what `send` returns; awaiting it gives the result
    armed_wait.py                `ArmedWait`: armed before an action, awaited after it
    session.py                   `Session`, one flat CDP session: send, on, expect (`EventWait`)
    connection.py                `Connection`: reads, dispatches, keeps deadlines, reconnects
    receiver_and_interceptor.py  `EpochReceiver` drops messages of an old transport;
                                 `MessageInterceptor`
    targets.py                   `TargetDiscovery`, as `connection.targets`: targets that come and
                                 go
    backoff.py                   when to dial again after a drop
    transport.py                 the protocols a transport and its receiver follow, encoded or in
                                 this process; size limits
    pipe.py, websocket/ the two transports: `dial_pipe`, `dial_websocket`
    read_coalescer.py  fewer and larger reads during a flood of events
    protocol.py        generated: typed builders for the commands and events we use

A command goes Session.send -> Connection -> Router (id) -> Transport. A message comes
Transport -> EpochReceiver -> Connection -> Router, and then settles its `Reply` or is dispatched
to the listeners of its session.
"""

from __future__ import annotations

from pilothouse.cdp.awaitable_reply import PendingCommand, Reply
from pilothouse.cdp.connection import Connection, Status
from pilothouse.cdp.message import ROOT, Command, Event, EventName, SessionId
from pilothouse.cdp.pipe import dial_pipe
from pilothouse.cdp.router import MessageCounts
from pilothouse.cdp.session import DEFAULT_DEADLINE_S, EventWait, Session
from pilothouse.cdp.targets import TargetDiscovery, TargetInfo, TargetWait
from pilothouse.cdp.transport import Dial, Receiver, Transport
from pilothouse.cdp.websocket import dial_websocket

__all__ = [
    "DEFAULT_DEADLINE_S",
    "ROOT",
    "Command",
    "Connection",
    "Dial",
    "Event",
    "EventName",
    "EventWait",
    "MessageCounts",
    "PendingCommand",
    "Receiver",
    "Reply",
    "Session",
    "SessionId",
    "Status",
    "TargetDiscovery",
    "TargetInfo",
    "TargetWait",
    "Transport",
    "dial_pipe",
    "dial_websocket",
]
