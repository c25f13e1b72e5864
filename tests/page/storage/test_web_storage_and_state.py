"""Storage of frames and saved states, on a real Chromium."""

from __future__ import annotations

import stat
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from pilothouse.cdp.protocol import Target
from pilothouse.errors import ToolError
from pilothouse.page.storage.cookies import Cookies
from pilothouse.page.storage.web_storage_and_state import WebStorage
from pilothouse.page.tab_context import TabContext
from pilothouse.page.world.isolated_worlds import IsolatedWorlds
from pilothouse.security.file_access import FileAccess
from tests.browser.browser_with_dialog_places import Stage, staged

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

AWAY = "https://away.example"


@dataclass
class Kept:
    """A tab with everything that keeps something for it."""

    stage: Stage
    tab_context: TabContext
    cookies: Cookies
    storage: WebStorage

    async def value(self, expression: str) -> Any:
        return await self.stage.value(self.tab_context.main().id, expression)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(chromium_path: Path) -> AsyncIterator[Stage]:
    async with staged() as made:
        made.pages.add("/opaque.html", "<iframe name=spot sandbox=allow-scripts srcdoc=x></iframe>")
        yield made


async def opened(stage: Stage, folder: Path, path: str = "/main.html", context: str = "") -> Kept:
    tab = await stage.sup.open_tab("owner", stage.pages.url(path), context)
    await stage.loaded(tab)
    tab_context = TabContext(stage.sup, tab)
    worlds = IsolatedWorlds(tab_context)
    cookies = Cookies(tab_context, worlds)
    policy = FileAccess(writes=(folder,))
    return Kept(stage, tab_context, cookies, WebStorage(tab_context, worlds, cookies, policy))


@pytest_asyncio.fixture(loop_scope="module")
async def kept(stage: Stage, tmp_path: Path) -> AsyncIterator[Kept]:
    """In a context of its own: nothing is left from the test before."""
    made = await stage.sup.connection.send(Target.createBrowserContext())
    yield await opened(stage, tmp_path, context=made["browserContextId"])
    await stage.clear()


def traffic(stage: Stage) -> list[str]:
    """What was asked for, but for the icon of a tab's page, which Chrome asks for when it likes."""
    own = ("/favicon.ico", "/main.html")
    return [
        visit.path
        for visit in stage.pages.visits
        if not (visit.path == own[0] and visit.headers.get("Referer", "").endswith(own[1]))
    ]


@pytest.mark.parametrize("kind", ["local", "session"])
async def test_storage_is_written_and_read(kept: Kept, kind: str) -> None:
    store = kept.storage
    assert (await store.set("a", "ü\U0001f600", kind)).value == "ü\U0001f600"
    await store.set("b", "2", kind)
    assert await kept.value(f"{kind}Storage.getItem('a')") == "ü\U0001f600"
    assert (await store.items(kind)).value == {"a": "ü\U0001f600", "b": "2"}
    assert (await store.get("a", kind)).value == "ü\U0001f600"
    assert (await store.get("none", kind)).value is None
    assert (await store.remove("a", kind)).value is True
    assert (await store.remove("a", kind)).value is False
    assert (await store.clear(kind)).value == 1
    assert (await store.items(kind)).value == {}


async def test_each_frame_has_the_storage_of_its_origin(stage: Stage, tmp_path: Path) -> None:
    kept = await opened(stage, tmp_path, "/nested_oopif.html")
    mid = await stage.loaded(kept.tab_context.tab_id, "mid")
    spot = await stage.loaded(kept.tab_context.tab_id, "spot")
    for name, frame_id in (("main", ""), ("mid", mid.id), ("spot", spot.id)):
        await kept.storage.clear(frame_id=frame_id)
        await kept.storage.set("where", name, frame_id=frame_id)
    assert (await kept.storage.items()).value == {"where": "main"}
    assert (await kept.storage.items(frame_id=mid.id)).value == {"where": "mid"}
    assert (await kept.storage.items(frame_id=spot.id)).value == {"where": "spot"}
    await stage.clear()


async def test_a_frame_that_keeps_nothing_says_so(stage: Stage, tmp_path: Path) -> None:
    kept = await opened(stage, tmp_path, "/opaque.html")
    spot = await stage.loaded(kept.tab_context.tab_id, "spot")
    with pytest.raises(ToolError, match="SecurityError"):
        await kept.storage.set("a", "1", frame_id=spot.id)
    await stage.clear()


async def test_a_full_storage_says_so(kept: Kept) -> None:
    for key in "abcde":
        await kept.storage.set(key, "x" * 900_000)
    with pytest.raises(ToolError, match="QuotaExceededError"):
        await kept.storage.set("f", "x" * 900_000)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"kind": "cloud"}, "kind"),
        ({"key": 3}, "key"),
        ({"value": 3}, "value"),
        ({"value": "\ud83d"}, "value"),
        ({"value": "x" * 2_000_000}, "value"),
    ],
)
async def test_bad_input_is_named(kept: Kept, given: dict[str, Any], told: str) -> None:
    with pytest.raises(ToolError, match=told):
        await kept.storage.set(**{"key": "a", "value": "b", **given})


async def test_a_dialog_does_not_hang_a_read(kept: Kept) -> None:
    await kept.storage.set("a", "1")
    await kept.stage.run(kept.tab_context.main().id, "setTimeout(() => alert('wait')); 0")
    await kept.stage.dialog(kept.tab_context.tab_id)
    outcome = await kept.storage.items()
    assert [b.tab for b in outcome.blocked_by] == [kept.tab_context.tab_id]
    saved = (await kept.storage.save_state()).value
    assert saved is not None
    assert saved["origins"][0]["localStorage"] == [{"name": "a", "value": "1"}]
    await kept.stage.sup.answer(accept=True, tab=kept.tab_context.tab_id)


async def test_a_state_is_saved_and_restored_without_touching_the_page(kept: Kept) -> None:
    home = kept.stage.pages.url("")
    await kept.cookies.set(
        [{"name": "sid", "value": "1"}, {"name": "o", "value": "2", "url": AWAY}]
    )
    await kept.storage.set("theme", "dark")
    await kept.storage.set("step", "3", "session")
    state = (await kept.storage.save_state(session=True)).value
    assert state is not None
    state["origins"].append({"origin": AWAY, "localStorage": [{"name": "k", "value": "v"}]})
    await kept.cookies.clear()
    await kept.storage.set("theme", "light")
    await kept.storage.set("new", "gone after")
    await kept.storage.clear("session")
    await kept.value("window.untouched = true; 0")
    before = traffic(kept.stage)

    told = (await kept.storage.restore_state(state)).value

    assert told == {"cookies": 2, "origins": [home, AWAY], "not_restored": []}
    assert await kept.value("window.untouched") is True
    assert traffic(kept.stage) == before
    assert (await kept.storage.items()).value == {"theme": "dark"}
    assert (await kept.storage.items("session")).value == {"step": "3"}
    assert sorted(c["name"] for c in await kept.cookies.get()) == ["o", "sid"]
    again = (await kept.storage.save_state(origins=[AWAY], session=True)).value
    assert again == state


async def test_origins_the_tab_has_left_are_saved_too(kept: Kept) -> None:
    await kept.storage.set("first", "1")
    there = kept.stage.pages.url("/main.html", "localhost")
    old = kept.tab_context.main().loader
    await kept.stage.sup.cdp("Page.navigate", {"url": there}, tab=kept.tab_context.tab_id)
    await kept.stage.loaded(kept.tab_context.tab_id, but=old)
    await kept.storage.set("second", "2")
    state = (await kept.storage.save_state()).value
    assert state is not None
    assert {o["origin"] for o in state["origins"]} == {
        kept.stage.pages.url(""),
        kept.stage.pages.url("", "localhost"),
    }


async def test_a_state_file_is_private_and_restored_by_its_name(kept: Kept, tmp_path: Path) -> None:
    await kept.storage.set("a", "1")
    await kept.storage.save_state("state.json")
    file = tmp_path / "state.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    await kept.storage.clear()
    await kept.storage.restore_state("state.json")
    assert (await kept.storage.items()).value == {"a": "1"}
    file.write_text("{half")
    with pytest.raises(ToolError, match="not valid JSON"):
        await kept.storage.restore_state(str(file))
    for path in ("../state.json", "/etc/passwd"):
        with pytest.raises(ToolError, match="refused"):
            await kept.storage.restore_state(path)
        with pytest.raises(ToolError, match="refused"):
            await kept.storage.save_state(path)


@pytest.mark.parametrize(
    "bad",
    [
        {"cookies": [{"name": "x", "value": "1"}]},
        {"origins": [{"origin": "nonsense"}]},
        {"origins": [{"origin": AWAY, "localStorage": [{"name": "a"}]}]},
    ],
)
async def test_a_bad_state_changes_nothing(kept: Kept, bad: dict[str, Any]) -> None:
    await kept.cookies.set([{"name": "a", "value": "1"}])
    await kept.storage.set("a", "1")
    good: dict[str, list[Any]] = {
        "cookies": [{"name": "b", "value": "1", "domain": "b.example", "path": "/"}],
        "origins": [{"origin": kept.stage.pages.url(""), "localStorage": []}],
    }
    both = {key: [*good[key], *bad.get(key, [])] for key in good}
    with pytest.raises(ToolError):
        await kept.storage.restore_state(both, clear=True)
    assert [c["name"] for c in await kept.cookies.get()] == ["a"]
    assert (await kept.storage.items()).value == {"a": "1"}


async def test_cookies_of_before_are_cleared_when_asked(kept: Kept) -> None:
    await kept.cookies.set([{"name": "old", "value": "1"}])
    new = {"name": "new", "value": "1", "domain": "b.example", "path": "/"}
    await kept.storage.restore_state({"cookies": [new]})
    assert len(await kept.cookies.get()) == 2
    await kept.storage.restore_state({"cookies": [new]}, clear=True)
    assert [c["name"] for c in await kept.cookies.get()] == ["new"]


async def test_what_does_not_fit_leaves_what_was_there(kept: Kept) -> None:
    await kept.storage.set("a", "1")
    await kept.cookies.set([{"name": "old", "value": "1"}])
    large = [{"name": "x", "value": "y" * 6_000_000}]
    state = {
        "cookies": [{"name": "new", "value": "1", "domain": "away.example", "path": "/"}],
        "origins": [
            {"origin": AWAY, "localStorage": [{"name": "b", "value": "2"}]},
            {"origin": kept.stage.pages.url(""), "localStorage": large},
        ],
    }
    with pytest.raises(ToolError, match="QuotaExceededError"):
        await kept.storage.restore_state(state, clear=True)
    assert (await kept.storage.items()).value == {"a": "1"}
    assert [c["name"] for c in await kept.cookies.get()] == ["old"]
    saved = (await kept.storage.save_state(origins=[AWAY])).value
    assert saved is not None
    assert AWAY not in [o["origin"] for o in saved["origins"] if o["localStorage"]]


async def test_a_large_storage_is_all_there(kept: Kept) -> None:
    """A hidden page that closes at once would lose some of it."""
    items = [{"name": f"{n}", "value": f"{n}" * 1_000_000} for n in range(3)]
    state = {"cookies": [], "origins": [{"origin": AWAY, "localStorage": items}]}
    await kept.storage.restore_state(state)
    saved = (await kept.storage.save_state(origins=[AWAY])).value
    assert saved is not None
    stored = saved["origins"][0]["localStorage"]
    assert sorted(stored, key=lambda item: item["name"]) == items


async def test_session_storage_of_another_page_is_not_claimed(kept: Kept) -> None:
    entry = {"origin": AWAY, "sessionStorage": [{"name": "a", "value": "1"}], "indexedDB": []}
    told = (await kept.storage.restore_state({"origins": [entry]})).value
    assert told is not None
    assert told["not_restored"] == ["origins[0].indexedDB", f"sessionStorage of {AWAY}"]
