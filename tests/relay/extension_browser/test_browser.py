"""Frames in, frames out: their order, and who gets which."""

from __future__ import annotations

import json
from typing import Any

from pilothouse.cdp import Command
from tests.relay.fake_extension import FakeExtension, FakeTab
from tests.relay.fake_extension_setup import open_stage


async def test_answers_and_events_keep_the_order_in_which_the_page_said_them() -> None:
    tab = FakeTab(1)
    extension = FakeExtension(tab)

    def answers(call: Any) -> dict[str, Any]:
        for number in range(3):
            extension.event(1, "Page.domContentEventFired", {"timestamp": number})
        return {"result": {"type": "undefined"}}

    extension.script["Runtime.evaluate"] = answers
    async with open_stage(extension) as stage:
        session = await stage.attach(tab)
        await stage.send("Page.enable", session)
        seen: list[str] = []
        stage.connection.trace(
            lambda way, frame: (
                seen.append(json.loads(frame).get("method", "answer")) if way == "receive" else None
            )
        )
        await stage.send("Runtime.evaluate", session, expression="1")
        assert seen == ["Page.domContentEventFired"] * 3 + ["answer"]


async def test_a_command_sent_while_events_are_told_waits_until_all_have_heard() -> None:
    tab = FakeTab(1)
    async with open_stage(FakeExtension(tab)) as stage:
        one, two = await stage.attach(tab), await stage.attach(tab)
        for session in (one, two):
            await stage.send("Page.enable", session)
        order: list[str] = []
        stage.connection.trace(
            lambda way, frame: (
                order.append(json.loads(frame).get("method", "answer"))
                if way == "receive"
                else None
            )
        )
        sent: list[Any] = []

        def react(event: Any) -> None:
            if event.method == "Page.loadEventFired" and not sent:
                # Answered without the extension, so at once.
                sent.append(one.send(Command("Page.enable"), 5.0))

        stage.connection.on_any_event(react)
        stage.extension.event(1, "Page.loadEventFired", {"timestamp": 1})
        await stage.settle()
        assert order[:3] == ["Page.loadEventFired", "Page.loadEventFired", "answer"]
        assert await sent[0] == {}


async def test_a_reply_is_passed_on_undecoded_however_large() -> None:
    tab = FakeTab(1)
    extension = FakeExtension(tab)
    data = "x" * 3_000_000
    extension.script["Page.captureScreenshot"] = lambda _: {"data": data}
    async with open_stage(extension) as stage:
        session = await stage.attach(tab)
        answer = await stage.send("Page.captureScreenshot", session)
        assert len(answer["data"]) == len(data)


async def test_nonsense_of_the_extension_changes_nothing() -> None:
    tab = FakeTab(1)
    async with open_stage(FakeExtension(tab)) as stage:
        session = await stage.attach(tab)
        guest = stage.extension._guest
        assert guest is not None
        for frame in (b"", b"{", b"[]", b'{"method":"cdpEvent"}', b'{"id":9999,"result":{}}'):
            guest.on_message(frame)
        guest.on_message(b'{"method":"cdpEvent","params":{"tabId":77,"method":"A.b"}}')
        guest.on_message(b'{"method":"somethingNew","params":{}}')
        assert await stage.send("Page.enable", session) == {}


async def test_whoever_watches_the_root_is_given_what_others_attach_and_loses_it_with_them() -> (
    None
):
    tab = FakeTab(1)
    async with open_stage(FakeExtension(tab), linger_s=0.0) as stage:
        browser = await stage.browser()
        await stage.send("Target.setDiscoverTargets", discover=True)
        page = await stage.attach(tab, browser)
        told = [e for e in stage.events if e.method == "Target.attachedToTarget"]
        on_root, on_browser = told[-2:]
        assert (on_root.session_id, on_browser.session_id) == ("", browser.id)
        assert on_browser.params["sessionId"] == page.id
        made = await stage.send("Target.createTarget", browser, url="about:blank")
        last = stage.heard("Target.attachedToTarget")[-1]
        assert last["targetInfo"]["targetId"] == made["targetId"]
        await stage.send("Target.detachFromTarget", browser, sessionId=page.id)
        gone = [e["sessionId"] for e in stage.heard("Target.detachedFromTarget")]
        assert gone == [page.id, on_root.params["sessionId"]]
        await stage.until(lambda: {"tabId": 1} in stage.extension.wire("detachTab"))
