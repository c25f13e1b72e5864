"""What a click makes the page ask a person for, as each surface tells it: file choosers, print,
permissions. None of it may look as if nothing had happened."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pilothouse.code.client.client import Client
from tests.cli.cli_process import run
from tests.daemon.daemon_process import Home
from tests.daemon.raw_mcp_client import Talk, talking
from tests.page_server import Pages

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

_HTML = """<!doctype html><title>asks</title>
<label>Resume <input type=file id=file accept=".pdf, .txt" multiple></label>
<button id=attach onclick="const made = document.createElement('input'); made.type = 'file';
  made.onchange = () => out.value = 'attached ' + made.files[0].name; made.click()">Attach</button>
<button id=print onclick="print()">Print</button>
<button id=where onclick="navigator.geolocation.getCurrentPosition(
  at => out.value = 'at ' + at.coords.latitude, () => out.value = 'unknown')">Where am I</button>
<button id=see onclick="navigator.mediaDevices.getUserMedia({video: true})
  .then(() => out.value = 'seen', () => out.value = 'unseen')">See me</button>
<output id=out></output>"""


@pytest.fixture(scope="module")
def url(served: Pages) -> str:
    return served.add("/asks.html", _HTML)


@pytest.fixture
async def talk(lived_in: Home, url: str) -> Any:
    async with talking(lived_in, "", toolsets="browser,browser-data") as made:
        await made.greet()
        await made.call("browser_navigate", url=url)
        yield made


def said(result: dict[str, Any]) -> str:
    """What the model reads outside of the marks, and in them."""
    return "\n".join(str(block.get("text", "")) for block in result["content"])


def ours(result: dict[str, Any]) -> str:
    return said(result).partition("\n[begin untrusted")[0]


async def test_agent_is_told_which_tool_answers_a_chooser(talk: Talk, tmp_path: Path) -> None:
    look = said(await talk.call("browser_snapshot"))
    assert 'file input "Resume"' in look
    assert "[multiple accepts=.pdf,.txt]" in look
    told = ours(await talk.call("browser_click", ref="#file"))
    assert "a file chooser opened (i-" in told
    assert 'browser_interrupt(action=\\"upload\\"' in told
    # The same one opens again: it is told again, and is still one.
    assert "a file chooser opened (i-" in ours(await talk.call("browser_click", ref="#file"))
    waiting = (await talk.call("browser_interrupt"))["structuredContent"]["interrupts"]
    assert [one["kind"] for one in waiting] == ["file_chooser"]
    assert (await talk.call("browser_interrupt", action="cancel"))["isError"] is False
    assert "a file chooser opened (i-" in ours(await talk.call("browser_click", ref="#attach"))


async def test_agent_is_told_of_print_and_denied_permissions_and_can_grant_them(talk: Talk) -> None:
    told = ours(await talk.call("browser_click", ref="#print"))
    assert "the page asked to print; no print dialog was shown (i-" in told
    assert "browser_pdf" in told
    told = ours(await talk.call("browser_click", ref="#where"))
    assert "the page asked for the permission geolocation; it was denied (i-" in told
    await talk.call("browser_emulate", geolocation=[48.2, 16.4])
    waiting = (await talk.call("browser_interrupt"))["structuredContent"]["interrupts"]
    (asked,) = [one for one in waiting if one["kind"] == "permission"]
    granted = await talk.call("browser_interrupt", id=asked["id"], action="grant")
    assert "repeat the step that asked for it" in ours(granted)
    again = await talk.call("browser_click", ref="#where")
    assert "denied" not in said(again)
    assert "at 48.2" in said(await talk.call("browser_snapshot"))


async def test_a_camera_is_granted_by_nobody_but_a_person(talk: Talk) -> None:
    told = ours(await talk.call("browser_click", ref="#see"))
    assert "the page asked for the permission camera; it was denied" in told
    assert "only a person can grant it: browser.permissions in config.yaml" in told
    refused = await talk.call("browser_interrupt", action="grant")
    assert refused["isError"] is True
    assert "browser.permissions" in said(refused)


async def test_what_is_over_for_the_page_is_told_once(talk: Talk) -> None:
    await talk.call("browser_click", ref="#print")
    first, second = [said(await talk.call("browser_snapshot")) for _ in range(2)]
    assert '"kind":"print"' in first
    assert '"kind":"print"' not in second


async def test_person_is_told_which_command_answers(
    lived_in: Home, url: str, tmp_path: Path
) -> None:
    async def cli(*words: str) -> str:
        code, out, err = await run(*words, "--owner", "ann", **lived_in.environ())
        assert code == 0, err
        return out

    await cli("open", url)
    told = await cli("click", "#attach")
    assert "a file chooser opened (i-" in told
    key = told.partition("(")[2].partition(")")[0]
    assert f"pilothouse answer {key} upload FILE… --owner ann" in told
    file = tmp_path / "plan.txt"
    file.write_text("sails")
    await cli("answer", key, "upload", str(file))
    assert "attached plan.txt" in await cli("wait", "--text", "attached") + await cli("snapshot")
    assert "pilothouse pdf --owner ann saves the page" in await cli("click", "#print")
    told = await cli("click", "#where")
    assert "the page asked for the permission geolocation; it was denied" in told
    assert "grant --owner ann grants it" in told
    await cli("close")


@pytest.fixture
def client(lived_in: Home) -> Iterator[Client]:
    with Client(paths=lived_in.paths, start=False) as made:
        yield made


def test_python_is_told_which_call_answers(client: Client, url: str, tmp_path: Path) -> None:
    tab = client.open(url)
    receipt = tab.click("#attach")
    (waiting,) = receipt["interrupts"]
    assert f"tab.answer({waiting['id']!r}, 'upload'" in receipt["text"]
    file = tmp_path / "plan.txt"
    file.write_text("sails")
    tab.answer(waiting["id"], "upload", {"files": [str(file)]})
    tab.wait_for(text="attached plan.txt")
    assert "tab.pdf()" in tab.click("#print")["text"]
    assert "tab.answer(" in tab.click("#where")["text"]
    code = """
receipt = tab.click("#attach")
open("own.txt", "w").write("sails")
tab.answer(receipt["interrupts"][0]["id"], "upload", {"files": ["own.txt"]})
tab.wait_for(text="attached own.txt")
return receipt["text"]
"""
    assert "tab.answer('i-" in client.run(code).text
