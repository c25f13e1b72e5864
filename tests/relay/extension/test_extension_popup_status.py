"""What the user of a lent Chrome is shown of those who use it."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, cast

from pilothouse.relay.extension.extension_popup_status import (
    BrowserUser,
    StatusUpdater,
    client_users,
    owner_users,
)
from pilothouse.relay.hub.hub import Hub
from pilothouse.relay.hub.tab_activity_and_conflicts import ConflictDetector
from pilothouse.tabs.owned_tab_and_browser import OwnedTab


class StatusReceiver:
    """An extension that keeps what it is told."""

    def __init__(self) -> None:
        self.connected = True
        self.tabs = {"T1": 1, "T2": 2}
        self.told: list[tuple[str, Any]] = []

    def status(self) -> dict[str, Any]:
        attached = [{"targetId": target, "tabId": tab} for target, tab in self.tabs.items()]
        return {"connected": self.connected, "attached": attached}

    def notify(self, method: str, params: Mapping[str, Any]) -> None:
        self.told.append((method, dict(params)))

    def take(self) -> list[tuple[str, Any]]:
        told, self.told = self.told, []
        return told


async def test_it_is_told_who_is_there_and_which_tabs_are_whose_once() -> None:
    window, users = (
        StatusReceiver(),
        [BrowserUser("c1", "bob", frozenset({"T1", "elsewhere"}), "click", 2.5)],
    )
    showing = StatusUpdater(lambda: [("Work", window)], lambda name: users)
    showing.refresh()
    assert window.take() == [
        (
            "status",
            {"clients": [{"id": "c1", "label": "bob", "lastAction": "click", "at": 2500}]},
        ),
        ("share", {"client": "bob", "tabIds": [1]}),
    ]
    showing.refresh()
    assert window.take() == []
    users[:] = [BrowserUser("c1", "bob", frozenset({"T1", "T2"}), "click", 2.5)]
    showing.refresh()
    assert window.take() == [("share", {"client": "bob", "tabIds": [2]})]
    users.clear()
    showing.refresh()
    assert window.take() == [("status", {"clients": []})]


async def test_one_that_was_away_is_told_everything_anew() -> None:
    window, users = StatusReceiver(), [BrowserUser("c1", "bob", frozenset({"T1"}))]
    showing = StatusUpdater(lambda: [("Work", window)], lambda name: users)
    showing.refresh()
    before = window.take()
    window.connected = False
    showing.refresh()
    assert window.take() == []
    window.connected = True
    showing.refresh()
    assert window.take() == before


def test_conflicts_are_shown_the_last_few() -> None:
    row = BrowserUser("c1", "bob", conflicts=("a", "b", "c", "d")).row()
    assert row == {"id": "c1", "label": "bob", "conflicts": ["b", "c", "d"]}


def test_clients_are_told_with_what_they_did_last() -> None:
    leases = ConflictDetector()
    leases.record_action("T1", "ann", "clicked in Flights", 10.0)
    leases.record_action("T1", "bob", "typed in Flights", 12.0)

    def client(label: str, did: str, at: float) -> SimpleNamespace:
        spec = SimpleNamespace(id=f"c-{label}", label=label)
        return SimpleNamespace(
            spec=spec, label=label, owner=f"relay-{label}-1", opened_targets=set(),
            requested_tabs=set(), acted_targets={"T1"}, last_action=did, last_action_at=at,
        )  # fmt: skip

    hub = SimpleNamespace(
        clients=lambda: [client("ann", "", 0.0), client("bob", "typed in Flights", 12.0)],
        leases=leases,
        conflicts=leases.conflicts,
        supervisor=SimpleNamespace(clock=1000.0),
    )
    ann, bob = client_users(cast(Hub, hub))
    assert (ann.label, ann.words, ann.conflicts) == ("ann", "", ())
    assert (bob.label, bob.words, bob.at) == ("bob", "typed in Flights", 1012.0)
    assert bob.targets == frozenset({"T1"}), "a tab of the user's that it acted in is its, too"
    assert bob.conflicts == ("bob typed in Flights 2.0 s after ann acted there",)


async def test_owners_are_told_by_the_last_of_their_tabs_that_live() -> None:
    def tab(owner: str, number: int, used_at: float, alive: bool = True) -> OwnedTab:
        tabs = {f"t{number}": SimpleNamespace(target_id=f"T{number}")}
        supervisor = SimpleNamespace(clock=1000.0, state=SimpleNamespace(tabs=tabs))
        made = SimpleNamespace(
            owner=owner,
            tab_id=f"t{number}",
            alive=alive,
            supervisor=supervisor,
            used_at=used_at,
            last_action=f"clicked {number}",
        )
        return cast(OwnedTab, made)

    tabs = [tab("me", 1, 5.0), tab("me", 2, 9.0), tab("me", 3, 11.0, alive=False)]
    (me,) = owner_users(tabs, lambda owner: {"me": "claude"}[owner])
    assert (me.id, me.label, me.targets) == ("me", "claude", frozenset({"T1", "T2"}))
    assert (me.words, me.at) == ("clicked 2", 1009.0)


async def test_two_of_one_name_share_a_group() -> None:
    window = StatusReceiver()
    users = [
        BrowserUser("c1", "claude", frozenset({"T1"})),
        BrowserUser("c2", "claude", frozenset({"T2"})),
    ]
    showing = StatusUpdater(lambda: [("Work", window)], lambda name: users)
    showing.refresh()
    assert window.take()[1:] == [("share", {"client": "claude", "tabIds": [1, 2]})]
    showing.refresh()
    assert window.take() == []
