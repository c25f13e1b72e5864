"""Target filters admit what Chrome's would; only true turns auto-attach on."""

from __future__ import annotations

from typing import Any

import pytest

from pilothouse.relay.target_command_params import (
    DEFAULT_FILTER,
    AutoAttach,
    Filter,
    filter_admits,
    read_filter,
)
from tests.relay.fake_extension import FakeExtension, FakeTab
from tests.relay.fake_extension_setup import open_stage


@pytest.mark.parametrize(
    ("wanted", "kind", "taken"),
    [
        (DEFAULT_FILTER, "page", True),
        (DEFAULT_FILTER, "tab", False),
        (DEFAULT_FILTER, "browser", False),
        ([{}], "tab", True),
        ([{"type": "page", "exclude": True}, {}], "page", False),
        ([{"type": "page", "exclude": True}, {}], "tab", True),
        ([{}, {"type": "page", "exclude": True}], "page", True),
        ([{"type": "page"}], "worker", False),
        ([{"exclude": True}, {"type": "page"}], "page", False),
        ([], "page", False),
    ],
)
def test_the_first_entry_that_mentions_a_type_decides(
    wanted: Filter, kind: str, taken: bool
) -> None:
    assert filter_admits(wanted, kind) is taken


def test_without_a_filter_chromes_own_holds() -> None:
    assert read_filter({}) is DEFAULT_FILTER
    assert read_filter({"filter": "odd"}) is DEFAULT_FILTER
    assert read_filter({"filter": [{"type": "page"}, 1]}) == ({"type": "page"},)


@pytest.mark.parametrize("on", [False, None, 1, "true"])
def test_auto_attach_is_on_only_for_true(on: Any) -> None:
    assert AutoAttach.read({"autoAttach": on, "waitForDebuggerOnStart": True}) is None


def test_auto_attach_is_read_from_its_command() -> None:
    on = AutoAttach.read({"autoAttach": True, "waitForDebuggerOnStart": True})
    assert on == AutoAttach(DEFAULT_FILTER, wait_for_debugger=True)
    assert AutoAttach.read({"autoAttach": True, "waitForDebuggerOnStart": 1}) == AutoAttach(
        DEFAULT_FILTER, wait_for_debugger=False
    )


async def test_a_malformed_entry_of_a_filter_is_left_out() -> None:
    tab = FakeTab(1)
    async with open_stage(FakeExtension(tab)) as stage:
        told = await stage.send("Target.getTargets", filter=["page", {"type": "page"}])
        assert [info["targetId"] for info in told["targetInfos"]] == [tab.target_id]
