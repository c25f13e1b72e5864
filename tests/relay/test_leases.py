"""Who acted last is known, and two who act at once are noted; nobody is kept out."""

from __future__ import annotations

from pilothouse.relay.leases import Leases


def test_one_client_alone_is_no_conflict() -> None:
    leases = Leases()
    leases.acted("t", "one", "Page.navigate", 1.0)
    leases.acted("t", "one", "Page.navigate", 2.0)
    lease = leases.of("t")
    assert lease is not None
    assert (lease.label, lease.since, lease.last) == ("one", 1.0, 2.0)
    assert leases.conflicts() == []


def test_another_that_acts_shortly_after_is_noted() -> None:
    leases = Leases()
    leases.acted("t", "one", "Page.navigate", 1.0)
    leases.acted("t", "two", "Input.insertText", 2.0)
    assert leases.conflicts() == ["two sent Input.insertText to tab t 1.0 s after one acted there"]


def test_another_that_acts_much_later_takes_over() -> None:
    leases = Leases()
    leases.acted("t", "one", "Page.navigate", 1.0)
    leases.acted("t", "two", "Page.navigate", 100.0)
    lease = leases.of("t")
    assert (leases.conflicts(), lease and lease.label) == ([], "two")


def test_leases_end_with_the_client_or_the_tab() -> None:
    leases = Leases()
    leases.acted("t", "one", "Page.navigate", 1.0)
    leases.acted("u", "two", "Page.navigate", 1.0)
    leases.left("one")
    leases.gone("u")
    assert (leases.of("t"), leases.of("u")) == (None, None)
