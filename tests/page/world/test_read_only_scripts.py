"""Which of our own functions the user's Chrome lets through under "read only"."""

from __future__ import annotations

from pilothouse.page.world.bundle import OFFERED, declared_call
from pilothouse.page.world.read_only_scripts import CHANGES, DISPATCHER, READS, own_readers
from pilothouse.security.read_only_scripts import digest


def test_every_function_of_our_world_is_decided_upon() -> None:
    assert READS | CHANGES == OFFERED
    assert frozenset() == READS & CHANGES


def test_only_readers_are_listed_and_the_dispatcher_calls_no_others() -> None:
    told = own_readers()
    for function in OFFERED:
        listed = digest(declared_call(function)) in told["texts"]
        assert listed == (function in READS or function == DISPATCHER), function
    assert told["calls"] == sorted(READS)
    assert told["alone"] == [digest(declared_call(DISPATCHER))]
