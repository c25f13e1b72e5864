"""Scripts for new documents and names that pages call, by the session that set them. Pure.

Knows: what is whose, and what is taken back with its session. Must not know: what they do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from pilothouse.relay.extension_browser.client_session import Script, Session
from pilothouse.relay.extension_browser.types import Wrong, encode, loads

if TYPE_CHECKING:
    from pilothouse.relay.extension_browser.debuggee import Strand

__all__ = [
    "REMOVE_SCRIPT",
    "add_binding",
    "add_script",
    "remove_binding",
    "remove_script",
    "take_back",
]

REMOVE_SCRIPT = "Page.removeScriptToEvaluateOnNewDocument"
_NO_SCRIPT = Wrong(-32000, "Script not found")


def add_script(
    strand: Strand, session: Session, number: int, method: str, raw: msgspec.Raw
) -> None:
    """A script for every new document; its session alone may remove it."""

    def settled(result: msgspec.Raw | None, wrong: Wrong | None) -> None:
        if result is not None:
            name = str(loads(result).get("identifier", ""))
            if session.id in strand.sessions:
                session.scripts[name] = Script(name, loads(raw))
            else:
                strand.core.tell_strand(strand, REMOVE_SCRIPT, {"identifier": name})
        strand.core.settle(session.id, number, result, wrong)

    strand.core.ask_strand(strand, method, raw, settled, session=session)


def remove_script(
    strand: Strand, session: Session, number: int, method: str, raw: msgspec.Raw
) -> None:
    """Its own, by the id that the session knows."""
    script = session.scripts.pop(str(loads(raw).get("identifier", "")), None)
    if script is None:
        strand.core.fail(session.id, number, _NO_SCRIPT)
        return
    params = msgspec.Raw(encode({"identifier": script.wire_id}))
    strand.core.forward(strand, session, number, method, params)


def add_binding(
    strand: Strand, session: Session, number: int, method: str, raw: msgspec.Raw
) -> None:
    """A name by which the page calls the session."""
    params = loads(raw)
    name = str(params.get("name", ""))
    known = any(other.bindings.get(name) == params for other in strand.sessions.values())
    session.bindings[name] = params
    strand.forward_if(not known, session, number, method, raw)


def remove_binding(
    strand: Strand, session: Session, number: int, method: str, raw: msgspec.Raw
) -> None:
    """The name goes when nobody listens to it any more."""
    name = str(loads(raw).get("name", ""))
    session.bindings.pop(name, None)
    others = any(name in other.bindings for other in strand.sessions.values())
    strand.forward_if(not others, session, number, method, raw)


def take_back(strand: Strand, session: Session) -> None:
    """A session ended: its scripts and names go."""
    for script in session.scripts.values():
        strand.core.tell_strand(strand, REMOVE_SCRIPT, {"identifier": script.wire_id})
    for name in session.bindings:
        if not any(name in other.bindings for other in strand.sessions.values()):
            strand.core.tell_strand(strand, "Runtime.removeBinding", {"name": name})
