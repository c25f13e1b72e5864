"""Looking, as an agent does it."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest

from tests.daemon.daemon_process import Home
from tests.daemon.raw_mcp_client import talking
from tests.page_server import Pages
from tests.tools.tool_caller import Agent

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

_PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def test_snapshot_is_full_or_short(agent: Agent, served: Pages) -> None:
    agent.ok("browser_navigate", url=served.add("/see.html", "<h1>Head</h1><button>Act</button>"))
    full, short = agent.ok("browser_snapshot"), agent.ok("browser_snapshot", interactive=True)
    assert '- heading "Head"' in full["snapshot"]
    assert "Head" not in short["snapshot"]
    assert (short["element_count"], full["element_count"]) == (1, 1)
    assert "frame_tree" not in full
    assert "pending_dialogs" not in full
    assert agent.ok("browser_snapshot", frames=True)["frame_tree"]["top"]["frame_id"]


def test_snapshot_tells_changes_matches_and_parts(agent: Agent, served: Pages) -> None:
    url = served.add(
        "/part.html",
        "<nav><button onclick=\"this.textContent='Off'\">On</button></nav>"
        "<form><input aria-label=Town></form>"
        + "".join(f"<button>other {n}</button>" for n in range(20)),
    )
    agent.ok("browser_navigate", url=url)
    agent.ok("browser_click", ref="button=On")
    changed = agent.ok("browser_snapshot", diff=True)["snapshot"]
    assert "changes since" in changed
    assert "Off" in changed
    assert "Town" not in changed
    found = agent.ok("browser_snapshot", find="/to+wn/")
    assert found["matches"] == 1
    assert "Off" not in found["snapshot"]
    ref = changed.split('"Off" [ref=')[1].split("]")[0]
    inside = agent.ok("browser_snapshot", root=f"@{ref}")["snapshot"]
    assert "Off" in inside
    assert "Town" not in inside
    assert "find: " in agent.refused("browser_snapshot", find="/(/")[0]
    assert "root: 'nav' is not a ref" in agent.refused("browser_snapshot", root="nav")[0]


def test_snapshot_keeps_to_its_budget(agent: Agent, served: Pages) -> None:
    many = "".join(f"<button>number {n}</button>" for n in range(500))
    agent.ok("browser_navigate", url=served.add("/many.html", many))
    short = agent.ok("browser_snapshot", budget=300)
    assert short["cut"] > 0
    assert len(short["snapshot"]) < 3000
    for whole in ({"budget": 0}, {"full": True}):
        assert "number 250" in agent.ok("browser_snapshot", **whole)["snapshot"]


def test_snapshot_shows_frames_as_a_tree(agent: Agent, served: Pages) -> None:
    served.add("/inner.html", "<button>Within</button>")
    other = served.url("/inner.html", host="localhost")
    url = served.add(
        "/frames.html", f"<iframe src=/inner.html></iframe><iframe src='{other}'></iframe>"
    )
    agent.ok("browser_navigate", url=url)
    seen = agent.ok("browser_snapshot")
    assert seen["snapshot"].count('- button "Within"') == 2
    told = seen["frame_tree"]
    assert [child["url"] for child in told["children"]] == [served.url("/inner.html"), other]
    assert "frame_id" not in str(told)
    tree = agent.ok("browser_snapshot", frames=True)["frame_tree"]
    assert tree["top"]["url"] == url
    assert [child["is_oopif"] for child in tree["children"]] == [False, True]
    assert tree["truncated"] is False


def test_last_good_snapshot_comes_marked_stale_while_a_dialog_waits(
    agent: Agent, served: Pages
) -> None:
    url = served.add("/stale.html", "<button onclick=\"alert('stop')\">Stop</button>")
    agent.ok("browser_navigate", url=url)
    agent.blocked("browser_click", ref="button=Stop")
    stale = agent.ok("browser_snapshot")
    assert '- button "Stop"' in stale["snapshot"]
    assert "dialog" in stale["stale"]
    assert [dialog["message"] for dialog in stale["pending_dialogs"]] == ["stop"]
    agent.ok("browser_dialog", action="accept")
    fresh = agent.ok("browser_snapshot")
    assert "stale" not in fresh
    assert "pending_dialogs" not in fresh
    assert "recent_dialogs" not in fresh  # who answered it knows


def test_find_gives_lines_with_refs_and_no_more_than_asked_for(agent: Agent, served: Pages) -> None:
    many = "".join(f"<button>pick {n}</button>" for n in range(30))
    agent.ok("browser_navigate", url=served.add("/find.html", f"<p>none</p>{many}"))
    found = agent.ok("browser_find", query="pick", limit=5)
    assert (found["matches"], found["shown"]) == (30, 5)
    assert '- button "pick 0" [ref=e' in found["snapshot"]
    assert found["snapshot"].count("- button") == 5
    assert found["snapshot"].splitlines()[-1].startswith("[end ")
    assert "limit: 0 is too small" in agent.refused("browser_find", query="pick", limit=0)[0]
    assert agent.ok("browser_find", query="nowhere")["matches"] == 0
    assert "missing required field query" in agent.refused("browser_find")[0]
    assert "find: " in agent.refused("browser_find", query="/[/")[0]


def test_images_are_listed_and_long_addresses_are_short(agent: Agent, served: Pages) -> None:
    served.add("/pixel.png", _PIXEL)
    long = "data:image/png;base64," + base64.b64encode(_PIXEL * 20).decode()
    url = served.add(
        "/imgs.html", f"<img src=/pixel.png alt=Dot width=40><img src='{long}' alt=Data>"
    )
    agent.ok("browser_navigate", url=url)
    found = agent.ok("browser_get_images")
    assert found["count"] == 2
    dot, data = found["images"]
    assert dot == {"src": served.url("/pixel.png"), "alt": "Dot", "width": 1, "height": 1}
    assert len(data["src"]) < 400
    assert "unknown parameter 'all'" in agent.refused("browser_get_images", all=True)[0]


def test_screenshot_is_an_image_and_a_file(agent: Agent, served: Pages, folder: Path) -> None:
    url = served.add("/shot.html", "<h1 style='margin:0'>Shot</h1><div style='height:3000px'>")
    agent.ok("browser_navigate", url=url)
    shot = agent.ok("browser_screenshot")
    assert base64.b64decode(shot["image"]["data"])
    assert shot["image"]["mimeType"].startswith("image/")
    assert max(shot["width"], shot["height"]) <= 1024
    assert "path" not in shot
    part = agent.ok("browser_screenshot", ref="h1", save="h1.png")
    assert part["path"] == str(folder / "h1.png")
    assert Path(part["path"]).read_bytes().startswith(b"\x89PNG")
    tall = agent.ok("browser_screenshot", full_page=True, annotate=True)
    assert tall["height"] > tall["width"]
    assert "is refused" in agent.refused("browser_screenshot", save="/etc/shot.png")[0]
    assert "h2" in agent.refused("browser_screenshot", ref="h2")[0]


def test_client_that_sees_gets_the_picture_with_its_question(agent: Agent, served: Pages) -> None:
    agent.ok("browser_navigate", url=served.add("/look.html", "<h1>Look</h1>"))
    seen = agent.ok("browser_vision", question="What is it?")
    assert seen["question"] == "What is it?"
    assert seen["image"]["data"]
    assert "analysis" not in seen
    assert "missing required field question" in agent.refused("browser_vision")[0]


def test_client_that_does_not_see_gets_the_words_of_the_model(
    open_daemon: Home, served: Pages
) -> None:
    agent = Agent(open_daemon.line("blind"), sees=False)
    words = {"choices": [{"message": {"role": "assistant", "content": "A heading (mock)."}}]}
    served.add("/v1/chat/completions", json.dumps(words))
    agent.ok("browser_navigate", url=served.add("/blind.html", "<h1>Look</h1>"))
    seen = agent.ok("browser_vision", question="What is it?", annotate=True)
    assert (seen["analysis"], seen["model"]) == ("A heading (mock).", "mock-eyes")
    assert "image" not in seen
    asked = json.loads(served.visits_to("/v1/chat/completions")[-1].body)
    assert asked["model"] == "mock-eyes"
    text, image = asked["messages"][0]["content"]
    assert text == {"type": "text", "text": "What is it?"}
    assert image["image_url"]["url"].startswith("data:image/")
    served.add("/v1/chat/completions", "overloaded", status=503)
    error, _ = agent.refused("browser_vision", question="And now?")
    assert "the vision endpoint responded with status 503: overloaded" in error
    agent.line.call("close", all=True)


async def test_an_mcp_client_that_takes_no_images_gets_the_words_of_the_model(
    open_daemon: Home, served: Pages
) -> None:
    words = {"choices": [{"message": {"role": "assistant", "content": "A heading (mock)."}}]}
    served.add("/v1/chat/completions", json.dumps(words))
    url = served.add("/no-eyes.html", "<h1>Look</h1>")
    async with talking(open_daemon, images="omit") as talk:
        await talk.greet()
        await talk.call("browser_navigate", url=url)
        seen = await talk.call("browser_vision", question="What is it?")
    assert [block["type"] for block in seen["content"]] == ["text"]
    assert "A heading (mock)." in seen["content"][0]["text"]
