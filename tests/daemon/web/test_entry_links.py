"""One-time links and sessions, by a clock of the tests' own."""

from __future__ import annotations

from pilothouse.daemon.web.entry_links import LINK_S, MAX_SESSIONS, SESSION_IDLE_S, EntryLinks


def test_a_link_lets_in_once() -> None:
    links = EntryLinks()
    secret = links.create(0.0)
    session = links.redeem(secret, 1.0)
    assert session is not None
    assert links.is_session(session.cookie, session.csrf, 2.0)
    assert links.redeem(secret, 2.0) is None


def test_a_link_that_nobody_used_ends_after_a_minute() -> None:
    links = EntryLinks()
    assert LINK_S == 60.0
    early, late = links.create(0.0), links.create(0.0)
    assert links.redeem(early, 59.9) is not None
    assert links.redeem(late, 60.0) is None


def test_cookie_and_proof_must_be_of_one_session() -> None:
    links = EntryLinks()
    one, two = (links.redeem(links.create(0.0), 0.0) for _ in range(2))
    assert one is not None
    assert two is not None
    assert not links.is_session(one.cookie, two.csrf, 1.0)
    assert not links.is_session(one.csrf, one.cookie, 1.0)
    assert not links.is_session(one.cookie, "", 1.0)
    assert not links.is_session("", "", 1.0)
    assert links.is_session(two.cookie, two.csrf, 1.0)


def test_a_session_ends_when_it_is_left_or_unused_or_all_are_revoked() -> None:
    links = EntryLinks()
    left, idle, other = (links.redeem(links.create(0.0), 0.0) for _ in range(3))
    assert left is not None
    assert idle is not None
    assert other is not None
    links.end(left.cookie)
    assert not links.is_session(left.cookie, left.csrf, 1.0)
    assert links.is_session(other.cookie, other.csrf, SESSION_IDLE_S - 1)
    assert not links.is_session(idle.cookie, idle.csrf, SESSION_IDLE_S)
    unused = links.create(SESSION_IDLE_S)
    assert links.revoke_all() == 1
    assert not links.is_session(other.cookie, other.csrf, SESSION_IDLE_S)
    assert links.redeem(unused, SESSION_IDLE_S) is None
    assert len(links) == 0


def test_the_longest_unused_session_makes_room_for_another_one() -> None:
    links = EntryLinks()
    sessions = [links.redeem(links.create(0.0), 0.0) for _ in range(MAX_SESSIONS)]
    first, second = sessions[0], sessions[1]
    assert first is not None
    assert second is not None
    assert links.is_session(first.cookie, first.csrf, 1.0)
    links.redeem(links.create(2.0), 2.0)
    assert links.is_session(first.cookie, first.csrf, 3.0)
    assert not links.is_session(second.cookie, second.csrf, 3.0)


def test_no_secret_is_kept() -> None:
    links = EntryLinks()
    secret = links.create(0.0)
    session = links.redeem(links.create(0.0), 0.0)
    assert session is not None
    kept = repr(vars(links))
    assert not [text for text in (secret, session.cookie, session.csrf) if text in kept]
