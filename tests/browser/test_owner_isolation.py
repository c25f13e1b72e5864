"""Two owners at the desk of one daemon: neither reads a word of the other's. S15, through tools."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.daemon.daemon_process import Home, open_daemon
from tests.page_server import Pages
from tests.soak_extent import repeats
from tests.tools.tool_caller import Agent

pytestmark = [pytest.mark.browser, pytest.mark.soak]

TABS = repeats(2, 50)
OPERATIONS = repeats(25, 1_000)

_PAGE = """<!doctype html><title>{word} title</title><h1>{word} heading</h1>
<button onclick="console.log('{word} said'); document.cookie='{word}=1'">go</button>
<input aria-label="{word} field"><script>localStorage.setItem('{word}', '{word}')</script>"""


@pytest.fixture(scope="module")
def pages() -> Iterator[Pages]:
    with Pages() as pages:
        for word in ("annas", "berts"):
            pages.add(f"/{word}.html", _PAGE.format(word=word))
        yield pages


@pytest.fixture(scope="module")
def home(chromium_path: Path) -> Iterator[Home]:
    with open_daemon(chromium_path, browser=False) as made:
        yield made


def _some(chance: random.Random, agent: Agent, word: str, pages: Pages) -> Any:
    """One thing an agent may do."""
    tab = f"{word}-{chance.randrange(TABS)}"
    name, given = chance.choice(
        [
            ("browser_snapshot", {}),
            ("browser_tabs", {}),
            ("browser_console", {}),
            ("browser_network", {}),
            ("browser_cookies", {}),
            ("browser_storage", {}),
            ("browser_downloads", {}),
            ("browser_interrupt", {}),
            ("browser_click", {"ref": "button"}),
            ("browser_type", {"ref": "input", "text": word}),
            ("browser_navigate", {"url": pages.url(f"/{word}.html")}),
            ("browser_cdp", {"method": "Target.getTargets"}),
            ("browser_cdp", {"method": "Network.getAllCookies"}),
            ("journal", {}),
            ("tabs", {}),
        ]
    )
    if name in ("journal", "tabs"):
        return agent.line.call(name, **given)
    given = given if name == "browser_tabs" else {**given, "tab": tab}
    return agent.use(name, **given)


def test_no_owner_reads_a_word_of_anothers(home: Home, pages: Pages) -> None:
    chance = random.Random(7)
    agents = {word: Agent(home.line(word)) for word in ("annas", "berts")}
    for word, agent in agents.items():
        for number in range(TABS):
            agent.line.call("open", name=f"{word}-{number}", url=pages.url(f"/{word}.html"))
    theirs = {
        word: {str(tab["id"]) for tab in agent.line.call("tabs")} for word, agent in agents.items()
    }
    assert not theirs["annas"] & theirs["berts"]
    for _ in range(OPERATIONS):
        word = chance.choice(list(agents))
        (other,) = [name for name in agents if name != word]
        said = json.dumps(_some(chance, agents[word], word, pages))
        assert other not in said
    for word, agent in agents.items():
        (other,) = [name for name in agents if name != word]
        told = agent.use("browser_snapshot", tab=f"{other}-0")
        assert told["success"] is False
        assert "there is no tab" in told["error"]
        assert other not in told["hint"].replace(f"{other}-0", "")
        agent.line.call("close", all=True)
