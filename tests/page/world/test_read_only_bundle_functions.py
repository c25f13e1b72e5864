"""Which of our own functions the user's Chrome lets through under "read only"."""

from __future__ import annotations

from pilothouse.page.world.bundle_lookup import JS_FUNCTIONS, call_declaration
from pilothouse.page.world.read_only_bundle_functions import (
    CHANGES,
    DISPATCHER,
    READS,
    read_only_script_table,
)
from pilothouse.security.read_only_script_hashes import digest


def test_every_function_of_our_world_is_decided_upon() -> None:
    assert READS | CHANGES == JS_FUNCTIONS
    assert frozenset() == READS & CHANGES


def test_only_readers_are_listed_and_the_dispatcher_calls_no_others() -> None:
    told = read_only_script_table()
    for function in JS_FUNCTIONS:
        listed = digest(call_declaration(function)) in told["texts"]
        assert listed == (function in READS or function == DISPATCHER), function
    assert told["calls"] == sorted(READS)
    assert told["alone"] == [digest(call_declaration(DISPATCHER))]
