"""How many connections there may be, and which of them goes first. On real sockets:
test_web_server.py."""

from __future__ import annotations

from pilothouse.daemon.web.connection_limits import Connections, HttpLimits


class _Line:
    def __init__(self, peer: str = "127.0.0.1") -> None:
        self.peer = peer
        self.aborted = False

    def abort(self) -> None:
        self.aborted = True


def test_limits_are_those_that_the_documentation_promises() -> None:
    assert HttpLimits() == HttpLimits(head_s=10.0, unproven=64, per_peer=256, sessions=64)


def test_oldest_connection_without_the_token_makes_room() -> None:
    all_of_them = Connections(HttpLimits(unproven=2))
    lines = [_Line() for _ in range(4)]
    all_of_them.enter(lines[0])
    assert all_of_them.prove(lines[0])
    for line in lines[1:]:
        all_of_them.enter(line)
    assert [line.aborted for line in lines] == [False, True, False, False]
    assert len(all_of_them) == 3


def test_connections_with_the_token_are_counted_by_address() -> None:
    all_of_them = Connections(HttpLimits(per_peer=1))
    one, two, other = _Line(), _Line(), _Line("::1")
    for line in (one, two, other):
        all_of_them.enter(line)
    assert all_of_them.prove(one)
    assert all_of_them.prove(one)
    assert not all_of_them.prove(two)
    assert all_of_them.prove(other)
    all_of_them.leave(one)
    all_of_them.leave(one)
    assert all_of_them.prove(two)


def test_nothing_is_left_of_connections_that_are_over() -> None:
    all_of_them = Connections(HttpLimits())
    lines = [_Line(str(number)) for number in range(20)]
    for line in lines:
        all_of_them.enter(line)
        all_of_them.prove(line)
        all_of_them.leave(line)
    assert len(all_of_them) == 0
