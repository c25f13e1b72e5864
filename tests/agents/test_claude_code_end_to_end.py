"""A real agent's program drives a real browser by MCP; only its model is a script."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.agents.claude_code import ask, left_by
from tests.agents.scripted_model import Call, ScriptedModel, Talk, Words
from tests.daemon.daemon_process import Home, at_home
from tests.page_server import Pages

# The first run fetches the program, and busy machines are slow.
pytestmark = [pytest.mark.browser, pytest.mark.timeout(900)]

MINE = "mcp__pilothouse__"
TASK = "Have the letters on my desk burnt. Say no when you are asked first."
# As text, or in JSON.
BUTTON = r'button \\?"Burn the letters\\?" \[ref=(e\d+)\]'
DIALOG = r"browser_dialog \(dialog_id (.+?)\)"
DESK = """<!doctype html><title>The desk</title>
<h1>The desk</h1>
<p id=state>Three letters lie here.</p>
<button id=burn>Burn the letters</button>
<script>
burn.onclick = (click) => {
  const sure = confirm("Burn all three?");
  const told = new XMLHttpRequest();  // the server hears of it before anybody can see it
  told.open("GET", `/heard?sure=${sure}&trusted=${click.isTrusted}`, false);
  told.send();
  state.textContent = sure ? "Only ashes lie here." : "The letters still lie here.";
};
</script>"""


def think(url: str, talk: Talk) -> Call | Words:
    """In a model's place: the next turn follows from what the calls told."""
    if not talk.results:
        return Call(f"{MINE}browser_navigate", {"url": url}, "I go to the desk.")
    last = talk.results[-1]
    match last.tool.removeprefix(MINE):
        case "browser_navigate" | "browser_dialog":
            return Call(f"{MINE}browser_snapshot", {}, "I look at it.")
        case "browser_snapshot" if "Only ashes lie here." in last.text:
            return Words("Done: only ashes lie there.")
        case "browser_snapshot" if found := re.search(BUTTON, last.text):
            return Call(f"{MINE}browser_click", {"ref": found[1]}, f"The button is {found[1]}.")
        case "browser_click" if found := re.search(DIALOG, last.text):
            said_no = any(result.tool == f"{MINE}browser_dialog" for result in talk.results)
            answer = {"action": "accept" if said_no else "dismiss", "dialog_id": found[1]}
            return Call(f"{MINE}browser_dialog", answer, "It asks whether I am sure.")
    return Words(f"I do not understand: {last.text}")


def test_agent_goes_clicks_answers_the_dialogs_and_sees_what_came_of_it(
    chromium_path: Path, pages: Pages, tmp_path: Path
) -> None:
    pages.add("/heard", "")
    url = pages.add("/desk.html", DESK)
    with at_home(chromium_path) as home, ScriptedModel(lambda talk: think(url, talk)) as model:
        home.start()
        ran = ask(TASK, model.url, _servers(home), tmp_path)
        # It has gone with all that it began, and has asked nobody else anything.
        assert psutil.wait_procs(left_by(tmp_path), timeout=20)[1] == []
        assert model.strays == []

    assert ran.code == 0, ran.errors
    assert ran.said == "Done: only ashes lie there."
    # What the page itself saw: clicks as of a person, and both answers.
    assert [visit.path for visit in pages.visits if visit.path.startswith("/heard")] == [
        "/heard?sure=false&trusted=true",
        "/heard?sure=true&trusted=true",
    ]
    _check_what_the_model_was_told(model.talks)


def _check_what_the_model_was_told(talks: list[Talk]) -> None:
    assert TASK in talks[0].asked
    assert all(name.startswith(MINE) for name in talks[0].tools)
    assert talks[0].tools[f"{MINE}browser_click"]["input_schema"]["required"] == ["ref"]
    went, *rounds, seen = talks[-1].results
    assert "The desk" in _of_the_page(went.text)
    assert "Only ashes lie here." in _of_the_page(seen.text)
    words = ("Three letters lie here.", "The letters still lie here.")
    for said, (looked, clicked, answered) in zip(words, (rounds[:3], rounds[3:]), strict=True):
        tools = [result.tool.removeprefix(MINE) for result in (looked, clicked, answered)]
        assert tools == ["browser_snapshot", "browser_click", "browser_dialog"]
        assert said in _of_the_page(looked.text)
        # The click did not end well yet, and its result comes with the answer.
        assert (clicked.is_error, answered.is_error) == (True, False)
        assert "Burn all three?" in clicked.text
        interrupted = json.loads(re.findall(r"{.*}", answered.text)[0])["interrupted"]
        assert (interrupted["tool"], interrupted["success"]) == ("browser_click", True)
        # What the click changed, and the dialog only once: beside it, where it was answered.
        assert any(line.startswith("+ text: ") for line in interrupted["diff"])
        assert answered.text.count("Burn all three?") == 1


def _of_the_page(text: str) -> str:
    """What the page says. It must stand between marks that the page cannot know."""
    marks = r"\[begin untrusted page text (\w+)\](.*)\[end untrusted page text \1\]"
    found = re.search(marks, text, re.DOTALL)
    assert found is not None, text
    return found[2]


def _servers(home: Home) -> dict[str, Any]:
    """What we tell people to write into the program's settings, and where this daemon is."""
    printed = subprocess.run(
        [sys.executable, "-m", "pilothouse", "mcp", "--print-config", "claude"],
        env=home.environ(),
        capture_output=True,
        check=True,
        timeout=60,
    )
    servers: dict[str, Any] = json.loads(printed.stdout)
    ours = {name: value for name, value in home.environ().items() if "PILOTHOUSE_" in name}
    servers["mcpServers"]["pilothouse"]["env"] = ours
    return servers
