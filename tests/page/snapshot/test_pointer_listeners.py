"""Who listens to the pointer is known without asking every element, and never wrongly."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from pilothouse.page.snapshot.pointer_listeners import PointerListeners
from pilothouse.page.world.isolated_worlds import IsolatedWorld
from tests.browser.browser_with_dialog_places import Stage, staged
from tests.page.snapshot_tab import SnapshotTab, opened, run, see

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

LISTEN = ".addEventListener('pointerdown', () => {})"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(chromium_path: Path) -> AsyncIterator[Stage]:
    async with staged() as made:
        yield made


async def _world(seen: SnapshotTab) -> IsolatedWorld:
    return await seen.worlds.of(seen.tab_context.main())


async def test_a_document_that_listens_as_a_whole_is_quiet(stage: Stage) -> None:
    seen = await opened(stage, f"<div id=d>Words</div><script>document{LISTEN}</script>")
    assert "- text: Words" in await see(seen)
    assert (await _world(seen)).has_listeners is False


@pytest.mark.parametrize("who", ["document.documentElement", "document.body", "d", "b"])
async def test_a_document_with_one_element_that_listens_is_not(stage: Stage, who: str) -> None:
    seen = await opened(
        stage, f"<div id=d>Words</div><button id=b>Go</button><script>{who}{LISTEN}</script>"
    )
    assert '- button "Go" [ref=' in "\n".join(await see(seen))
    assert (await _world(seen)).has_listeners is (who != "b")  # a button is no plain element


async def test_a_document_written_anew_is_asked_anew(stage: Stage) -> None:
    seen = await opened(stage, "<div>Old</div>")
    assert "- text: Old" in await see(seen)
    await run(
        stage,
        seen,
        f"document.open(); document.write('<div id=n>New</div>'); document.close(); n{LISTEN}",
    )
    assert any(line.startswith("- generic [ref=") and "New" in line for line in await see(seen))


async def test_indexes_speak_of_the_plain_elements_that_listen(stage: Stage) -> None:
    seen = await opened(stage, f"<p>1</p><p id=two>2</p><script>two{LISTEN}</script>")
    world = await _world(seen)
    listeners = PointerListeners(seen.tab_context, seen.worlds)
    # html and body come first.
    assert await listeners.find(seen.tab_context.main(), world, 10) == [3]
    assert await listeners.find(seen.tab_context.main(), world, 2) == []


async def test_who_listens_is_known_anew_when_it_changes_and_only_then(stage: Stage) -> None:
    seen = await opened(
        stage, f"<p id=one>1</p><p id=two>2</p><script>f = () => {{}}; one{LISTEN}</script>"
    )

    async def listening() -> list[str]:
        return [line[-1] for line in await see(seen) if line.startswith("- generic [ref=")]

    assert [await listening(), await listening()] == [["1"], ["1"]]
    await run(stage, seen, "two.addEventListener('click', f)")
    assert [await listening(), await listening()] == [["1", "2"], ["1", "2"]]
    await run(stage, seen, "two.removeEventListener('click', f)")
    assert await listening() == ["1"]
    # The same element listens, but stands elsewhere among the others.
    await run(stage, seen, "document.body.prepend(document.createElement('p')), two.after(one)")
    assert await listening() == ["1"]
