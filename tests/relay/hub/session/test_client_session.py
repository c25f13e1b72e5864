"""What a client's session says of itself, from its kind, its state and what was set on it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from pilothouse.relay.hub.session.client_session import AutoAttachment, ClientSession, Discovery
from pilothouse.relay.hub.session.state_transitions import SHOWN, SessionState
from pilothouse.relay.target_command_params import AutoAttach


def session(kind: str) -> ClientSession:
    """A session of a client with only the parts that a session reads."""
    hub = SimpleNamespace(handlers_for=lambda kind: {})
    client = SimpleNamespace(hub=hub, used_targets=set())
    return ClientSession(cast(Any, client), b"S", "S", "T", kind, None)


@pytest.mark.parametrize("state", SessionState)
def test_a_client_can_use_a_session_only_while_it_is_shown(state: SessionState) -> None:
    one = session("page")
    one.state = state
    assert one.is_shown == (state in SHOWN)
    assert one.is_waiting == (state is SessionState.WAITING)


def test_only_sessions_on_pages_and_below_them_forward_their_commands() -> None:
    assert [kind for kind in ("browser", "tab", "page", "worker") if session(kind).forwards] == [
        "page",
        "worker",
    ]


def test_a_page_is_remembered_as_used_by_its_client() -> None:
    assert session("page").client.used_targets == {"T"}
    assert session("worker").client.used_targets == set()


def test_nothing_was_announced_on_a_session_without_discovery() -> None:
    one = session("browser")
    assert not one.has_announced("T")
    one.discovery = Discovery((), {"T"})
    assert one.has_announced("T")
    assert not one.has_announced("U")


def test_auto_attach_that_is_off_admits_nothing_and_makes_nothing_wait() -> None:
    auto = AutoAttachment()
    assert not auto.admits("page")
    assert not auto.waits
    auto.settings = AutoAttach(({"type": "page"},), wait_for_debugger=True)
    assert auto.admits("page")
    assert not auto.admits("worker")
    assert auto.waits
