"""Who may be in at once, and how long one waits for one's turn."""

from __future__ import annotations

import pytest

from pilothouse.relay.server.client_slots import (
    DEAD_AFTER_S,
    SLOT_BUSY,
    STANDBY_S,
    Slots,
    next_poll_delay,
)


def test_many_clients_may_be_in_at_once() -> None:
    slots = Slots()
    assert slots.take("c1", "one", 0.0, "noon") is None
    assert slots.take("c2", "", 1.0, "later") is None
    assert len(slots) == 2
    assert slots.status() == {
        "mode": "multi-client",
        "busy": False,
        "activeClientId": None,
        "connectedAt": None,
        "clients": [
            {"id": "c1", "label": "one", "connectedAt": "noon"},
            {"id": "c2", "label": "", "connectedAt": "later"},
        ],
    }
    assert slots.dead_clients(10_000.0) == []


def test_in_single_active_the_second_is_told_to_wait_and_the_first_stays() -> None:
    slots = Slots("single-active")
    assert slots.status()["busy"] is False
    assert slots.take("c1", "one", 0.0, "noon") is None
    assert slots.take("c2", "two", 1.0, "later") is SLOT_BUSY
    assert SLOT_BUSY.status == 409
    assert SLOT_BUSY.message == "Another CDP client is already connected"
    facts = slots.status()
    assert (facts["busy"], facts["activeClientId"], facts["connectedAt"]) == (True, "c1", "noon")
    assert [one["id"] for one in facts["clients"]] == ["c1"]
    slots.leave("c2")
    assert len(slots) == 1
    slots.leave("c1")
    slots.leave("c1")
    assert slots.take("c2", "two", 2.0, "later") is None


def test_a_dead_client_loses_the_slot_when_somebody_asks() -> None:
    slots = Slots("single-active")
    slots.take("c1", "", 0.0, "noon")
    assert slots.dead_clients(DEAD_AFTER_S - 1) == []
    slots.mark_seen("c1", 20.0)
    slots.mark_seen("nobody", 20.0)
    assert slots.dead_clients(DEAD_AFTER_S + 19) == []
    assert slots.dead_clients(DEAD_AFTER_S + 20) == ["c1"]


@pytest.mark.parametrize("random", [0.0, 0.25, 0.999])
def test_one_who_waits_asks_three_to_five_times_a_second_and_not_for_ever(random: float) -> None:
    pause = next_poll_delay(random, 0.0)
    assert pause is not None
    assert 0.2 <= pause <= 0.4
    assert pause == pytest.approx(0.2 + random * 0.2)
    assert next_poll_delay(random, STANDBY_S - 0.1) == pytest.approx(0.1)
    assert next_poll_delay(random, STANDBY_S) is None
    assert next_poll_delay(random, STANDBY_S + 1) is None


def test_tools_at_work_hold_the_only_slot_and_are_named_to_the_user_alone() -> None:
    slots = Slots("single-active")
    told = slots.status(["ann"])
    assert (told["busy"], told["tools"]) == (True, ["ann"])
    others = slots.anonymous_status(["ann"])
    assert (others["busy"], "ann" in str(others)) == (True, False)
    assert Slots().status(["ann"])["busy"] is False
