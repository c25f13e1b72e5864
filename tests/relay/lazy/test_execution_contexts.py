"""Made-up contexts have ids that no browser gives, and each id is given once."""

from __future__ import annotations

from pilothouse.relay.lazy.execution_contexts import (
    FIRST_CONTEXT_ID,
    UNIQUE_ID_PREFIX,
    LazyContexts,
)


def test_ids_begin_where_no_browser_counts_to_and_are_never_given_twice() -> None:
    contexts = LazyContexts("L1")
    first = contexts.make("F", default=True)
    assert first.id == FIRST_CONTEXT_ID
    contexts.clear()
    second = contexts.make("F", default=True)
    assert second.id > first.id
    assert second.unique != first.unique
    assert second.unique.startswith(UNIQUE_ID_PREFIX)
    assert contexts.by_id(first.id) is None


def test_two_sessions_on_one_tab_have_unique_ids_of_their_own() -> None:
    assert LazyContexts("L1").make("F").unique != LazyContexts("L2").make("F").unique


def test_a_world_is_found_by_its_name_and_one_without_never() -> None:
    contexts = LazyContexts("L1")
    contexts.make("F", default=True)
    contexts.make("F")
    named = contexts.make("F", "w", universal=True)
    assert contexts.world("w") is named
    assert contexts.world("") is None
    assert contexts.world("x") is None
    assert len(contexts.worlds()) == 2


def test_a_context_is_found_by_either_name_until_it_is_dropped() -> None:
    contexts = LazyContexts("L1")
    main = contexts.make("F", default=True)
    assert contexts.by_real(None) is None
    contexts.bind(main, 7, "1.2")
    contexts.bind(main, 7)
    assert (main.real, main.real_unique) == (7, "1.2")
    assert contexts.by_real(7) is contexts.by_unique(main.unique) is contexts.by_id(main.id)
    contexts.drop(main)
    assert not contexts
    assert contexts.by_real(7) is None


def test_it_is_described_as_chrome_describes_one() -> None:
    made = LazyContexts("L1").make("F", "w")
    assert made.description("http://a") == {
        "id": FIRST_CONTEXT_ID,
        "origin": "http://a",
        "name": "w",
        "uniqueId": made.unique,
        "auxData": {"isDefault": False, "type": "isolated", "frameId": "F"},
    }
