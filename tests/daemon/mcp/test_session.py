"""One MCP session: its images, its folders, its resources, its end."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from pilothouse.daemon.mcp.session import MAX_PICTURES
from pilothouse.errors import ToolError
from tests.daemon.daemon_process import Home
from tests.daemon.mcp_sessions_without_browser import PICTURE, Room
from tests.daemon.raw_mcp_client import talking
from tests.page_server import Pages


@pytest.fixture
async def room(tmp_path: Path) -> Room:
    return Room(tmp_path)


async def test_a_picture_can_be_read_again_by_its_link(room: Room) -> None:
    mcp_session = room.mcp_session()
    result = await mcp_session.call_tool("shoot", {})
    assert result["content"][1] == {"type": "image", **PICTURE}
    link = result["content"][2]
    assert link["type"] == "resource_link"
    assert link["uri"] in [one["uri"] for one in mcp_session.list_resources()]
    read = await mcp_session.read_resource(link["uri"])
    assert read == {"uri": link["uri"], "mimeType": "image/png", "blob": PICTURE["data"]}


async def test_a_client_that_sees_no_pictures_gets_the_link_alone(room: Room) -> None:
    mcp_session = room.mcp_session()
    mcp_session.tool_session.accepts_images = False
    kinds = [block["type"] for block in (await mcp_session.call_tool("shoot", {}))["content"]]
    assert kinds == ["text", "resource_link"]


async def test_only_the_last_pictures_are_kept(room: Room) -> None:
    mcp_session = room.mcp_session()
    for _ in range(MAX_PICTURES + 3):
        await mcp_session.call_tool("shoot", None)
    uris = [one["uri"] for one in mcp_session.list_resources() if "pictures" in one["uri"]]
    assert len(uris) == MAX_PICTURES
    with pytest.raises(ToolError, match="nothing at"):
        await mcp_session.read_resource("pilothouse://pictures/1")


async def test_no_other_session_reads_a_picture(room: Room) -> None:
    uri = (await room.mcp_session("a").call_tool("shoot", {}))["content"][2]["uri"]
    with pytest.raises(ToolError, match="nothing at"):
        await room.mcp_session("b").read_resource(uri)


@pytest.mark.parametrize(
    "uri",
    [
        "pilothouse://",
        "pilothouse://journals",
        "journal",
        "file:///etc/passwd",
        "pilothouse://tabs/main",
        "pilothouse://tabs/../snapshot",
        "pilothouse://tabs/main/snapshot",
    ],
)
async def test_elsewhere_is_nothing(room: Room, uri: str) -> None:
    with pytest.raises(ToolError):
        await room.mcp_session().read_resource(uri)


async def test_folders_are_those_of_this_machine(room: Room) -> None:
    mcp_session = room.mcp_session()
    mcp_session.set_roots(
        ["file:///a/b%20c", "file://localhost/d", "file://other/e", "https://x/", "f"]
    )
    assert mcp_session.tool_session.files.roots == (Path("/a/b c"), Path("/d"))
    assert mcp_session.has_roots


async def test_a_call_is_a_line_of_the_journal(room: Room) -> None:
    mcp_session = room.mcp_session()
    await mcp_session.call_tool("where", {"ref": "e7"})
    read = await mcp_session.read_resource("pilothouse://journal")
    assert '"event": "where"' in read["text"]
    assert "e7" in read["text"]
    assert read["text"].startswith("[begin untrusted journal ")


async def test_progress_is_said_while_a_call_takes_long(room: Room) -> None:
    said: list[tuple[int, str]] = []
    heard = asyncio.Event()

    async def say(at: int, text: str) -> None:
        said.append((at, text))
        heard.set()

    call = asyncio.ensure_future(room.mcp_session().call_tool("wait", {}, say))
    async with asyncio.timeout(30):
        await heard.wait()
        room.go.set()
        await call
    assert said == [(1, "waiting for a word")]


async def test_a_tool_session_is_given_up_at_the_end_unless_it_has_a_name(room: Room) -> None:
    tool_service = room.daemon.tool_service
    nameless, named = room.mcp_session("x"), room.mcp_session("y", keep_tabs=True)
    await nameless.close()
    await named.close()
    assert tool_service.session_for("x", "mcp", ("browser",)) is not nameless.tool_session
    assert tool_service.session_for("y", "mcp", ("browser",)) is named.tool_session


@pytest.mark.browser
async def test_tabs_are_read_as_text_and_as_pictures(lived_in: Home, served: Pages) -> None:
    served.add("/boats.html", "<title>Boats</title><h1>Sloops</h1>")
    line = lived_in.line("reads")
    line.call("open", url=served.url("/boats.html"), name="a b/c")
    async with talking(lived_in, "reads", returns=True) as talk:
        await talk.greet()
        listed = (await talk.ask("resources/list"))["resources"]
        uris = [one["uri"] for one in listed]
        assert "pilothouse://tabs/a%20b%2Fc/snapshot" in uris
        read = await talk.ask("resources/read", {"uri": "pilothouse://tabs/a%20b%2Fc/snapshot"})
        assert "Sloops" in read["contents"][0]["text"]
        read = await talk.ask("resources/read", {"uri": "pilothouse://tabs/a%20b%2Fc/screenshot"})
        assert read["contents"][0]["mimeType"] == "image/png"
        assert read["contents"][0]["blob"].startswith("iVBOR")


@pytest.mark.parametrize("tool", ["dropped", "shapeless"])
async def test_a_tool_that_breaks_in_any_way_gives_an_error_as_its_result(
    room: Room, tool: str
) -> None:
    result = await room.mcp_session().call_tool(tool, {})
    assert result["isError"] is True
    fields = result["structuredContent"]
    assert fields["error"].startswith(tool)
    assert fields["hint"]
