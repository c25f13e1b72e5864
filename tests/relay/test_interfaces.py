"""What the parts of the relay agree on."""

from __future__ import annotations

from pilothouse.relay.interfaces import ClientSpec, HttpRefusal


def test_a_client_that_asks_for_nothing_gets_the_safest() -> None:
    spec = ClientSpec("c1")
    assert (spec.attach, spec.owner, spec.tabs) == ("owned", "", ())


def test_a_refusal_says_what_a_client_can_do() -> None:
    refused = HttpRefusal(503, "no extension is connected", "start Chrome, or use browser=managed")
    assert (refused.status, refused.hint) == (503, "start Chrome, or use browser=managed")
