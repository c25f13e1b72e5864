"""Answers to dialogs, and closing tabs, on a fake Chrome."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from pilothouse.errors import ToolError
from pilothouse.supervisor import Supervisor
from tests.fake_chrome import FakeChrome, FakeError
from tests.supervisor.fake_dialogs import WITHIN_S, close_dialog, open_dialog

HANDLE = "Page.handleJavaScriptDialog"


async def test_an_answer_is_sent_and_returns_when_the_dialog_closed(
    fake_chrome: FakeChrome, supervised: Supervisor
) -> None:
    tab = await supervised.open_tab("ann")
    dialog = await open_dialog(fake_chrome, supervised, tab, "prompt")
    answering = asyncio.ensure_future(supervised.answer(accept=True, text="yes"))
    (asked,) = await fake_chrome.heard(HANDLE)
    assert asked.params == {"accept": True, "promptText": "yes"}
    assert not answering.done()
    close_dialog(fake_chrome, supervised, tab, accepted=True)
    result = await asyncio.wait_for(answering, WITHIN_S)
    assert (result.closed.dialog.id, result.closed.closed_by) == (dialog.id, "agent")
    assert not result.already_closed
    late = await supervised.answer(accept=True, dialog_id=dialog.id)
    assert late.already_closed


async def test_an_answer_needs_a_dialog_and_only_one(
    fake_chrome: FakeChrome, supervised: Supervisor
) -> None:
    with pytest.raises(ToolError, match="no dialog is open"):
        await supervised.answer(accept=True)
    names = [
        (await open_dialog(fake_chrome, supervised, await supervised.open_tab(who), "alert")).id
        for who in ("ann", "bob")
    ]
    with pytest.raises(ToolError, match="2 dialogs are open") as refused:
        await supervised.answer(accept=True)
    assert all(name in refused.value.hint for name in names)
    with pytest.raises(ToolError, match="there is no dialog d-99"):
        await supervised.answer(accept=True, dialog_id="d-99")


@pytest.mark.parametrize(
    ("params", "field"),
    [({}, "accept"), ({"accept": 1}, "accept"), ({"accept": True, "promptText": 1}, "promptText")],
)
async def test_an_answer_by_a_command_names_the_parameter_that_is_wrong(
    fake_chrome: FakeChrome, supervised: Supervisor, params: dict[str, Any], field: str
) -> None:
    tab = await supervised.open_tab("ann")
    await open_dialog(fake_chrome, supervised, tab, "alert")
    with pytest.raises(ToolError, match=f"^{field}: invalid value"):
        await supervised.cdp(HANDLE, params, tab=tab)


async def test_a_tab_is_closed_again_until_it_is_gone(
    fake_chrome: FakeChrome, supervised: Supervisor
) -> None:
    tab = await supervised.open_tab("ann")
    tries: list[str] = []

    def refuse_once(params: dict[str, Any]) -> dict[str, Any]:
        tries.append(params["targetId"])
        if len(tries) == 1:
            raise FakeError(-32000, "not now")
        return {"success": True}

    fake_chrome.answer("Target.closeTarget", refuse_once)
    await asyncio.wait_for(supervised.close_tab(tab), WITHIN_S)
    assert len(tries) == 2
    assert tab not in supervised.state.tabs


async def test_a_dialog_is_dismissed_before_its_tab_closes(
    fake_chrome: FakeChrome, supervised: Supervisor
) -> None:
    tab = await supervised.open_tab("ann")
    await open_dialog(fake_chrome, supervised, tab, "confirm")
    closing = asyncio.ensure_future(supervised.close_tab(tab))
    (asked,) = await fake_chrome.heard(HANDLE)
    assert asked.params["accept"] is False
    assert "Target.closeTarget" not in [r.method for r in fake_chrome.received]
    close_dialog(fake_chrome, supervised, tab, accepted=False)
    await asyncio.wait_for(closing, WITHIN_S)
    assert tab not in supervised.state.tabs
