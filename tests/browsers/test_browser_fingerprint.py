"""What our browsers say about themselves: the same everywhere, and nothing that is made up."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import pytest
import pytest_asyncio

from pilothouse.browsers import HeadlessKind
from pilothouse.browsers.kinds import Stealth
from pilothouse.page.emulation.emulation import TabEmulation
from pilothouse.page.tab_context import TabContext
from tests.browser.ui_framework_pages import built_pages
from tests.browsers.browser_fingerprint import DETAILED, PLACES, Score, Scored, gathered, scored

LEVELS: tuple[Stealth, ...] = get_args(Stealth)
WINDOWS = ("page", "own_frame", "srcdoc_frame", "foreign_frame", "popup")
SAME = (
    "userAgent",
    "appVersion",
    "platform",
    "language",
    "languages",
    "locale",
    "timeZone",
    "cores",
    "memory",
    "brands",
    "mobile",
    "system",
    "hints",
    "gpu",
    "echoed",
)
SAME_IN_WINDOWS = ("webdriver", "notifications", "plugins", "pdf", "codecs", "touch", "pointer")

pytestmark = [
    pytest.mark.browser,
    pytest.mark.asyncio(loop_scope="module"),
    # The first one may have to wait for the detector to be fetched and built.
    pytest.mark.timeout(400),
]


@dataclass(frozen=True, slots=True)
class Seen:
    """One level: its scorecard, a tab behind another one, and a detector's verdicts."""

    score: Score
    behind: list[Any]
    verdicts: dict[str, dict[str, Any]]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def seen(chromium_path: Path) -> dict[str, Seen]:
    """All levels, one browser after the other."""
    detector = (built_pages() / "botd.js").read_bytes()
    found: dict[str, Seen] = {}
    for level in LEVELS:
        async with scored(HeadlessKind(args=("--site-per-process",), stealth=level)) as at:
            at.stage.pages.add("/botd.js", detector)
            at.stage.pages.add(
                "/botd.html", "<!doctype html><body><script src='/botd.js'></script>"
            )
            found[level] = Seen(await gathered(at), await behind(at), await verdicts(at))
    return found


async def behind(at: Scored) -> list[Any]:
    """What a tab believes while another one is in front."""
    _, first = await at.opened("/empty.html")
    second, _ = await at.opened("/empty.html")
    await at.stage.sup.cdp("Page.bringToFront", tab=second)
    found: list[Any] = await at.asked(first, "[document.visibilityState, document.hasFocus()]")
    return found


async def verdicts(at: Scored) -> dict[str, dict[str, Any]]:
    """The detector's word in a page and in a popup."""
    _, page = await at.opened("/botd.html")
    popup = """new Promise(done => {
        addEventListener("message", event => done(event.data), { once: true });
        window.open("/botd.html", "", "popup,width=400,height=300");
    })"""
    return {
        "page": await at.asked(page, "verdict()"),
        "popup": await at.asked(page, popup, gesture=True),
    }


@pytest.mark.parametrize("level", LEVELS)
async def test_every_place_says_the_same(seen: dict[str, Seen], level: str) -> None:
    cards = seen[level].score.cards
    assert set(cards) == set(PLACES)
    page = cards["page"]
    for place, card in cards.items():
        rows = (*SAME, *(SAME_IN_WINDOWS if place in WINDOWS else ()))
        assert {row: card[row] for row in rows} == {row: page[row] for row in rows}, place
        assert card["echoed"] is True, place


@pytest.mark.parametrize("level", LEVELS)
async def test_headers_say_what_scripts_read(seen: dict[str, Seen], level: str) -> None:
    page, headers = seen[level].score.cards["page"], seen[level].score.headers
    told = {name: list(values) for name, values in headers.items()}
    assert {name: values for name, values in told.items() if len(values) != 1} == {}
    assert told["user-agent"] == [page["userAgent"]]
    accepted = [part.split(";")[0] for part in told["accept-language"][0].split(",")]
    assert accepted == page["languages"]
    assert told["sec-ch-ua"] == [listed(page["brands"])]
    assert told["sec-ch-ua-platform"] == [f'"{page["system"]}"']
    assert told["sec-ch-ua-mobile"] == ["?1" if page["mobile"] else "?0"]
    for header, name in DETAILED.items():
        value = page["hints"][name]
        shown = listed(value) if name == "fullVersionList" else f'"{value}"'
        assert told[header] == [shown], header


async def test_chrome_by_itself_says_what_it_is(seen: dict[str, Seen]) -> None:
    score = seen["off"].score
    assert "HeadlessChrome/" in score.cards["page"]["userAgent"]
    assert all(score.cards[place]["webdriver"] is True for place in WINDOWS)


@pytest.mark.parametrize("level", ["minimal", "full"])
async def test_nothing_says_headless_or_automation(seen: dict[str, Seen], level: str) -> None:
    score = seen[level].score
    assert "headless" not in json.dumps([score.cards, score.headers]).lower()
    assert all(score.cards[place]["webdriver"] is False for place in WINDOWS)


@pytest.mark.parametrize("level", ["minimal", "full"])
async def test_all_else_is_what_chrome_says_by_itself(seen: dict[str, Seen], level: str) -> None:
    """Nothing is made up: also the hints that we give back are those of this very Chrome."""
    own, ours = seen["off"].score.cards["page"], seen[level].score.cards["page"]
    for row in SAME:
        plain = json.dumps(own[row]).replace("HeadlessChrome", "Chrome")
        assert json.dumps(ours[row]) == plain, row


@pytest.mark.parametrize("level", LEVELS)
async def test_no_function_is_patched_and_nothing_is_random(
    seen: dict[str, Seen], level: str
) -> None:
    for place, card in seen[level].score.cards.items():
        assert card["drawing"] == card["drawnAgain"], place
        if place in WINDOWS:
            assert card["patched"] == [], place
            assert card["sound"] == card["soundAgain"], place
    page = seen[level].score.cards["page"]
    assert page["gpu"] == seen["off"].score.cards["page"]["gpu"]
    assert page["plugins"] == [True, 5]


@pytest.mark.parametrize("level", LEVELS)
async def test_values_that_belong_together_agree(seen: dict[str, Seen], level: str) -> None:
    cards = seen[level].score.cards
    for place in WINDOWS:
        permission, state = cards[place]["notifications"]
        assert permission == {"prompt": "default"}.get(state, state), place
    for place in ("page", "popup"):
        card = cards[place]
        for inner, outer, whole in zip(card["inner"], card["outer"], card["screen"], strict=True):
            assert 0 < inner <= outer, place
            assert place == "popup" or outer <= whole
        assert card["available"] <= card["screen"]


async def test_level_full_has_a_screen_around_the_window_and_a_mouse(seen: dict[str, Seen]) -> None:
    cards = seen["full"].score.cards
    assert all(cards[place]["pointer"] == [True, True] for place in WINDOWS)
    assert {cards[place]["scale"] for place in WINDOWS} == {1.25}
    page = cards["page"]
    assert page["screen"] == [1920, 1080]
    assert page["outer"] < page["screen"]


async def test_tab_behind_another_is_hidden_unless_the_level_is_full(seen: dict[str, Seen]) -> None:
    assert seen["minimal"].behind == ["hidden", False]
    assert seen["full"].behind == ["visible", True]


@pytest.mark.parametrize("level", LEVELS)
async def test_stack_of_an_error_is_not_read_by_who_listens_to_the_console(
    seen: dict[str, Seen], level: str
) -> None:
    """The well-known probe for a debugger; that the name is read once more is documented."""
    cards = seen[level].score.cards
    assert {cards[place]["consoleReads"]["stack"] for place in WINDOWS} == {0}


@pytest.mark.parametrize("level", ["minimal", "full"])
async def test_open_source_detector_sees_no_bot(seen: dict[str, Seen], level: str) -> None:
    for place, verdict in seen[level].verdicts.items():
        assert verdict == {"bot": False, "by": []}, place


async def test_open_source_detector_sees_chrome_as_it_is(seen: dict[str, Seen]) -> None:
    for place, verdict in seen["off"].verdicts.items():
        assert verdict["bot"] is True, place
        assert verdict["by"], place


def listed(brands: list[dict[str, str]]) -> str:
    """A list of brands as a header has it."""
    return ", ".join(f'"{entry["brand"]}";v="{entry["version"]}"' for entry in brands)


# Emulation goes before it.

WHO = """(async () => {
    const hints = await navigator.userAgentData.getHighEntropyValues(["fullVersionList"]);
    return { agent: navigator.userAgent, platform: navigator.platform, hints,
             languages: navigator.languages };
})()"""
# A fresh one each time: a worker that runs keeps the user agent it began with, in any Chrome.
FRESH_WORKER = """new Promise(done => {
    const source = SOURCE + ".then(said => postMessage(said))";
    new Worker(URL.createObjectURL(new Blob([source]))).onmessage = event => done(event.data);
})""".replace("SOURCE", json.dumps(WHO))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def at(chromium_path: Path) -> AsyncIterator[Scored]:
    async with scored(HeadlessKind(args=("--site-per-process",))) as made:
        pages = made.stage.pages
        inner = pages.url("/empty.html", host="localhost")
        pages.add("/around.html", f'<!doctype html><iframe name="spot" src="{inner}"></iframe>')
        yield made


async def who(at: Scored, tab: str) -> list[Any]:
    """What the page, its worker and a frame of another site say."""
    top = (await at.stage.loaded(tab)).id
    spot = (await at.stage.loaded(tab, "spot")).id
    return [
        await at.asked(top, WHO),
        await at.asked(top, FRESH_WORKER),
        await at.asked(spot, WHO),
    ]


async def test_wins_and_its_end_brings_the_usual_values_back(at: Scored) -> None:
    tab, _ = await at.opened("/around.html")
    emulation = TabEmulation(TabContext(at.stage.sup, tab))
    usual = await who(at, tab)
    assert usual[0] == usual[1] == usual[2]
    windows = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/140.0.0.0 Safari/537.36"
    await emulation.user_agent(windows)
    for said in await who(at, tab):
        assert (said["agent"], said["hints"]["platform"]) == (windows, "Windows")
    await emulation.reset()
    assert emulation.status() == {}
    assert await who(at, tab) == usual


async def test_language_alone_leaves_the_name_as_it_is(at: Scored) -> None:
    tab, _ = await at.opened("/around.html")
    emulation = TabEmulation(TabContext(at.stage.sup, tab))
    usual = await who(at, tab)
    await emulation.locale("de-DE")
    assert emulation.status() == {"locale": "de-DE"}
    for said, before in zip(await who(at, tab), usual, strict=True):
        assert said == {**before, "languages": ["de-DE", "de"]}
    await emulation.reset("locale")
    assert await who(at, tab) == usual


async def test_name_given_as_a_switch_is_kept_everywhere() -> None:
    async with scored(HeadlessKind(args=("--user-agent=Mine/1.0",))) as at:
        _, page = await at.opened("/empty.html")
        assert await at.asked(page, "navigator.userAgent") == "Mine/1.0"
