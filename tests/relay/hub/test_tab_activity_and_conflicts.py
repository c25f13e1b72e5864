"""Who acted last is known, and two who act at once are noted; nobody is kept out."""

from __future__ import annotations

from pilothouse.relay.hub.tab_activity_and_conflicts import ConflictDetector


def test_one_client_alone_is_no_conflict() -> None:
    leases = ConflictDetector()
    leases.record_action("t", "one", "went to a.example", 1.0)
    leases.record_action("t", "one", "went to a.example", 2.0)
    lease = leases.last_activity("t")
    assert lease is not None
    assert (lease.label, lease.since, lease.last) == ("one", 1.0, 2.0)
    assert leases.conflicts() == []


def test_another_that_acts_shortly_after_is_noted() -> None:
    leases = ConflictDetector()
    leases.record_action("t", "one", "went to a.example", 1.0)
    leases.record_action("t", "two", "typed in Flights", 2.0)
    assert leases.conflicts() == ["two typed in Flights 1.0 s after one acted there"]


def test_another_that_acts_much_later_takes_over() -> None:
    leases = ConflictDetector()
    leases.record_action("t", "one", "went to a.example", 1.0)
    leases.record_action("t", "two", "went to a.example", 100.0)
    lease = leases.last_activity("t")
    assert (leases.conflicts(), lease and lease.label) == ([], "two")


def test_leases_end_with_the_client_or_the_tab() -> None:
    leases = ConflictDetector()
    leases.record_action("t", "one", "went to a.example", 1.0)
    leases.record_action("u", "two", "went to a.example", 1.0)
    leases.forget_client("one")
    leases.forget_target("u")
    assert (leases.last_activity("t"), leases.last_activity("u")) == (None, None)
