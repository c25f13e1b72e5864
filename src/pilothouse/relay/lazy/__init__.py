"""A tab session without a debugger: set-up commands are answered from the tab's URL alone. Pure.

    client --command--> LazySession.answer()    recorded and answered, or None: attach first
                        LazySession.replay()    the recorded commands, for the real session
    client <--events--- LazySession.finish_replay()   what differs from what the client was told
    client <-> browser  outbound(), inbound(), inbound_result()   made-up ids <-> real ids

Read in this order:

    session.py             LazySession: lazy, attaching, attached
    setup_commands.py      which commands only set a session up; CommandRecording keeps those in
                           force
    document_from_url.py   LazyDocument: the frame and lifecycle events of a tab, from its URL
    execution_contexts.py  LazyContexts: execution contexts the client learned before they were real
    id_map.py              IdMap: both ids of contexts, loaders, frames and scripts

Attaching a debugger shows a banner in the user's Chrome. So a client with `attach=lazy` gets this
session on every shared tab, and relay/hub/lazy_sessions.py attaches on the first real command.
"""

from __future__ import annotations

from pilothouse.relay.lazy.session import CommandFailure, LazySession
from pilothouse.relay.lazy.setup_commands import ADD_SCRIPT, CREATE_WORLD

__all__ = ["ADD_SCRIPT", "CREATE_WORLD", "CommandFailure", "LazySession"]
