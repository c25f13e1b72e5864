"""MCP on the daemon's own socket: sessions, owners, and what an agent does in them."""

from __future__ import annotations

import asyncio
import contextlib
import json
from pathlib import Path
from typing import Any

import pytest

from pilothouse.code.client.daemon_connection import DaemonClient, Refused
from tests.chromium import running_chromium
from tests.daemon.daemon_process import Home
from tests.daemon.raw_mcp_client import talking
from tests.page_server import Pages

pytestmark = pytest.mark.browser

FORM = "<title>Boats</title><button onclick=\"document.title='done'\">Go</button>"
ASKS = "<title>Asks</title><button onclick=\"alert('Sure?')\">Go</button>"


def structured(result: dict[str, Any]) -> Any:
    return result["structuredContent"]


def opened(home: Home, owner: str, url: str) -> None:
    home.line(owner).call("open", url=url)


async def test_an_agent_sees_a_page(lived_in: Home, served: Pages) -> None:
    served.add("/boats.html", FORM)
    owner = "sees"
    await asyncio.to_thread(opened, lived_in, owner, served.url("/boats.html"))
    async with talking(lived_in, owner, returns=True) as talk:
        greeting = await talk.greet()
        assert greeting["serverInfo"]["name"] == "pilothouse"
        names = [tool["name"] for tool in (await talk.ask("tools/list"))["tools"]]
        assert "browser_snapshot" in names
        seen = await talk.call("browser_snapshot")
        assert seen["isError"] is False
        assert "structuredContent" not in seen  # some clients would show that alone
        (block,) = seen["content"]
        ours, mark, theirs = block["text"].split("\n", 2)
        assert json.loads(ours) == {"success": True, "element_count": 1}
        assert mark.startswith("[begin untrusted page text ")
        assert theirs.startswith("Boats <")
        assert 'button "Go"' in theirs


async def test_what_is_wrong_is_said_in_the_result(lived_in: Home) -> None:
    async with talking(lived_in) as talk:
        await talk.greet()
        unknown = await talk.call("browser_snapshott")
        assert unknown["isError"] is True
        assert structured(unknown)["hint"] == "did you mean browser_snapshot?"
        wrong = await talk.call("browser_snapshot", interactiv=True)
        assert "unknown parameter 'interactiv'" in structured(wrong)["error"]
        assert structured(wrong)["hint"] == "did you mean interactive?"


async def test_error_about_an_endpoint_is_marked_only_where_it_quotes_the_browser(
    lived_in: Home, chromium_path: Path, refusing_port: int
) -> None:
    silent = f"http://127.0.0.1:{refusing_port}"
    with running_chromium(chromium_path) as other:
        async with talking(lived_in, "joins", toolsets="browser, connect") as talk:
            await talk.greet()
            refused = await talk.call("browser_connect", endpoint=silent)
            (block,) = refused["content"]
            assert "untrusted" not in block["text"]
            assert f"{silent} refuses the connection: nothing listens" in block["text"]
            await talk.call("browser_connect", endpoint=str(other.port))
            unknown = await talk.call("browser_tabs", action="adopt", target="boats")
            ours, _, theirs = unknown["content"][0]["text"].partition("[begin untrusted page text ")
            assert "about:blank" not in ours
            assert "no page matches 'boats'; there are: 'about:blank'" in theirs


async def test_many_calls_at_once_are_all_answered(lived_in: Home, served: Pages) -> None:
    served.add("/boats.html", FORM)
    await asyncio.to_thread(opened, lived_in, "many", served.url("/boats.html"))
    async with talking(lived_in, "many", returns=True) as talk:
        await talk.greet()
        for number in range(100, 120):
            talk.send("tools/call", {"name": "browser_snapshot", "arguments": {}}, number)
            if number == 110:
                talk.send("resources/list", None, "between")
        answered: set[Any] = set()
        while len(answered) < 21:
            message = await talk.hear()
            assert "result" in message, message
            answered.add(message["id"])
        assert answered == {*range(100, 120), "between"}


async def test_a_session_without_a_name_takes_its_tabs_with_it(
    lived_in: Home, served: Pages
) -> None:
    served.add("/boats.html", FORM)
    line = await asyncio.to_thread(DaemonClient, "", paths=lived_in.paths, start=False)
    owner = line.owner
    await asyncio.to_thread(line.call, "open", url=served.url("/boats.html"))
    await asyncio.to_thread(line.call, "mcp")
    reader, writer = await asyncio.open_unix_connection(sock=line.hand_over())
    other = lived_in.line(owner)
    assert len(other.call("tabs")) == 1
    writer.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
    async with asyncio.timeout(60):
        assert json.loads(await reader.readline())["id"] == 1
        writer.close()
        while await asyncio.to_thread(other.call, "tabs"):
            pass


async def test_a_session_with_a_name_finds_its_tabs_again(lived_in: Home, served: Pages) -> None:
    served.add("/boats.html", FORM)
    await asyncio.to_thread(opened, lived_in, "returns", served.url("/boats.html"))
    for _ in range(2):
        async with talking(lived_in, "returns", returns=True) as talk:
            await talk.greet()
            assert "Boats" in (await talk.call("browser_snapshot"))["content"][-1]["text"]


async def test_no_session_sees_what_another_has(lived_in: Home, served: Pages) -> None:
    served.add("/secret.html", "<title>Secret</title><p>hidden treasure")
    await asyncio.to_thread(opened, lived_in, "rich", served.url("/secret.html"))
    async with talking(lived_in) as talk:
        await talk.greet()
        seen = await talk.call("browser_snapshot")
        read = await talk.ask("resources/list")
        journal = await talk.ask("resources/read", {"uri": "pilothouse://journal"})
        for answer in (seen, read, journal):
            assert "ecret" not in json.dumps(answer)
            assert "treasure" not in json.dumps(answer)


async def test_a_dialog_that_blocks_is_named_and_the_session_goes_on(
    lived_in: Home, served: Pages
) -> None:
    served.add("/asks.html", ASKS)
    await asyncio.to_thread(opened, lived_in, "blocked", served.url("/asks.html"))
    async with talking(lived_in, "blocked", returns=True) as talk:
        await talk.greet()
        text = (await talk.call("browser_snapshot"))["content"][-1]["text"]
        ref = text.partition("[ref=")[2].partition("]")[0]
        line = lived_in.line("blocked")
        blocked = await asyncio.to_thread(line.call, "tab.click", target=ref)
        assert blocked["blocked_by"][0]["message"] == "Sure?"
        seen = (await talk.call("browser_snapshot"))["content"][0]["text"]
        assert '"pending_dialogs":[{' in seen
        assert seen.count("Sure?") == 1
        await asyncio.to_thread(line.call, "tab.handle_dialog", accept=True)


async def test_what_is_asked_at_once_with_the_greeting_is_answered_once(lived_in: Home) -> None:
    async with talking(lived_in) as talk:
        talk.send(
            "initialize",
            {
                "protocolVersion": "2024-11-05",
                "capabilities": {},
                "clientInfo": {"name": "t", "version": "1"},
            },
            1,
        )
        talk.send("notifications/initialized")
        talk.send("tools/list", None, 2)
        assert (await talk.answer(1))["result"]["protocolVersion"] == "2024-11-05"
        assert (await talk.answer(2))["result"]["tools"]
        assert talk.heard == []


async def test_a_line_turns_only_once(lived_in: Home) -> None:
    line = await asyncio.to_thread(DaemonClient, "", paths=lived_in.paths, start=False)
    with contextlib.closing(line), pytest.raises(Refused, match="expected a list of names"):
        await asyncio.to_thread(line.call, "mcp", toolsets=7)


async def test_sessions_that_end_leave_nothing_behind(lived_in: Home) -> None:
    keeper = lived_in.line("keeper")
    before = keeper.call("status")["sizes"]["tasks"]
    for _ in range(5):
        async with talking(lived_in) as talk:
            await talk.greet()
            await talk.ask("resources/templates/list")
    async with asyncio.timeout(60):
        while (await asyncio.to_thread(keeper.call, "status"))["sizes"]["tasks"] > before:
            pass


async def test_a_session_opens_its_tabs_as_it_asked_and_others_do_not(lived_in: Home) -> None:
    size = {"width": 500, "height": 400}
    async with talking(lived_in, browser={"viewport": size}) as talk, talking(lived_in) as other:
        widths = {}
        for one in (talk, other):
            await one.greet()
            await one.call("browser_navigate", url="about:blank")
            told = await one.call("browser_evaluate", expression="innerWidth")
            widths[one] = structured(told)["result"]
        assert widths[talk] == 500
        assert widths[other] != 500
        # A size that was changed since stays with the tab.
        await talk.call("browser_batch", steps=[])
        cdp = {"width": 600, "height": 400, "deviceScaleFactor": 1, "mobile": False}
        method = "Emulation.setDeviceMetricsOverride"
        await talk.call("browser_cdp", method=method, params=cdp)
        await talk.call("browser_navigate", url="data:text/html,again")
        told = await talk.call("browser_evaluate", expression="innerWidth")
        assert structured(told)["result"] == 600


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        ({"platform": "fridge"}, "unknown value 'fridge'"),
        ({"browser": {"viewport": "wide"}}, "viewport: expected an object, got 'wide'"),
        ({"toolsets": 7}, "toolsets: expected a list of names"),
    ],
)
def test_what_a_session_cannot_have_is_refused_before_it_begins(
    lived_in: Home, asked: dict[str, Any], error: str
) -> None:
    with pytest.raises(Refused, match=error):
        lived_in.line("asks too much").call("mcp", **asked)


async def test_a_session_of_another_platform_gets_that_platforms_tools(lived_in: Home) -> None:
    async with talking(lived_in, platform="acp") as talk:
        await talk.greet()
        names = {tool["name"] for tool in (await talk.ask("tools/list"))["tools"]}
        assert {"browser_cookies", "browser_vision"} <= names
        assert "web_search" not in names  # no search engine is set up
        used = await talk.call("web_search", query="x")
        assert "no search engine is set up" in used["content"][0]["text"]


async def test_a_lean_session_is_told_what_its_batch_can_call(lived_in: Home) -> None:
    async with talking(lived_in, toolsets="lean") as talk:
        await talk.greet()
        listed = {tool["name"]: tool for tool in (await talk.ask("tools/list"))["tools"]}
        assert set(listed) == {"browser_navigate", "browser_snapshot", "browser_batch"}
        about = listed["browser_batch"]["description"]
        assert (
            "- browser_click(ref, button?=left|middle|right, double?, modifiers?): Click" in about
        )
        assert "- browser_fill_form(fields=[{ref, value}], submit?): Fill" in about
        assert "- browser_navigate(" not in about
        page = "data:text/html,<button onclick=\"this.textContent='done'\">Go</button>"
        steps = [
            {"tool": "browser_navigate", "arguments": {"url": page}},
            {"tool": "browser_click", "arguments": {"ref": "button=Go"}},
        ]
        done = await talk.call("browser_batch", steps=steps)
        assert done["isError"] is False
        assert "done" in done["content"][0]["text"]


@pytest.mark.parametrize(
    ("asked", "able"),
    [({"images": "omit"}, {}), ({}, {"experimental": {"images": False}})],
    ids=["option", "capability"],
)
async def test_a_client_without_eyes_is_sent_links_and_no_pictures(
    lived_in: Home, asked: dict[str, Any], able: dict[str, Any]
) -> None:
    async with talking(lived_in, **asked) as talk:
        await talk.greet(**able)
        await talk.call("browser_navigate", url="about:blank")
        shot = await talk.call("browser_screenshot")
        assert [block["type"] for block in shot["content"]] == ["text", "resource_link"]
        seen = await talk.call("browser_vision", question="What is it?")
        assert "no vision model is configured" in seen["content"][0]["text"]


async def test_images_of_a_page_are_listed_and_no_pictures(lived_in: Home, served: Pages) -> None:
    served.add("/images.html", "<title>I</title><img src='data:image/gif;base64,R0lGOD' alt=Dot>")
    async with talking(lived_in) as talk:
        await talk.greet()
        await talk.call("browser_navigate", url=served.url("/images.html"))
        listed = await talk.call("browser_get_images")
        assert [block["type"] for block in listed["content"]] == ["text"]
        assert [one["alt"] for one in structured(listed)["images"]] == ["Dot"]


async def test_prompts_are_offered_and_filled_in(lived_in: Home) -> None:
    async with talking(lived_in) as talk:
        assert "prompts" in (await talk.greet())["capabilities"]
        listed = (await talk.ask("prompts/list"))["prompts"]
        assert [one["name"] for one in listed] == ["fill_form", "collect_data", "debug_page"]
        given = {"name": "fill_form", "arguments": {"url": "https://a.example/", "data": "Ann"}}
        (message,) = (await talk.ask("prompts/get", given))["messages"]
        assert "https://a.example/" in message["content"]["text"]
        talk.send("prompts/get", {"name": "fill_form", "arguments": {}}, "wrong")
        refused = await talk.answer("wrong")
        assert "missing argument 'url'" in refused["error"]["message"]


async def test_what_needs_a_browser_is_hidden_while_none_can_be_reached(lived_in: Home) -> None:
    needs = {"browser_cdp", "browser_dialog"}
    async with talking(lived_in, browser={"cdp_url": "http://127.0.0.1:1"}) as talk:
        await talk.greet()

        async def listed() -> set[str]:
            return {tool["name"] for tool in (await talk.ask("tools/list"))["tools"]}

        assert needs <= await listed()
        refused = await talk.call("browser_navigate", url="about:blank")
        assert refused["isError"] is True
        assert needs.isdisjoint(await listed())
        off = structured(await talk.call("browser_dialog", action="accept"))
        assert off["error"].startswith("browser_dialog is off: no browser can be reached: ")
        assert off["hint"] == "wait: it comes back when the reason is gone"
    async with talking(lived_in) as other:
        await other.greet()
        await other.call("browser_navigate", url="about:blank")
        names = {tool["name"] for tool in (await other.ask("tools/list"))["tools"]}
        assert needs <= names


async def test_a_browser_that_can_be_reached_again_brings_its_tools_back(lived_in: Home) -> None:
    line = await asyncio.to_thread(lived_in.line, "comes back")

    def listed() -> set[str]:
        return {tool["name"] for tool in line.call("tools", platform="mcp")}

    with pytest.raises(Refused):
        await asyncio.to_thread(line.call, "open", app={"cdp_url": "http://127.0.0.1:1"})
    assert "browser_cdp" not in await asyncio.to_thread(listed)
    await asyncio.to_thread(line.call, "open")
    assert "browser_cdp" in await asyncio.to_thread(listed)
    # One that is tried in vain beside a living tab takes nothing away.
    with pytest.raises(Refused):
        await asyncio.to_thread(line.call, "open", name="x", app={"cdp_url": "http://127.0.0.1:1"})
    assert "browser_cdp" in await asyncio.to_thread(listed)
    await asyncio.to_thread(line.call, "close", all=True)
