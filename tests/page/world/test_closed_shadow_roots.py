"""Closed shadow roots: found where there may be one, and asked about only once."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from pilothouse.page.world.closed_shadow_roots import adopt_closed_roots
from tests.browser.browser_with_dialog_places import Stage, staged
from tests.page.snapshot_tab import opened, refs, run

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

CLOSED = """<script>function closed(host, html) {
  const root = host.attachShadow({mode: 'closed'}); root.innerHTML = html; return root }</script>"""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(chromium_path: Path) -> AsyncIterator[Stage]:
    async with staged() as made:
        yield made


async def test_roots_of_custom_elements_and_of_plain_boxes_are_seen(stage: Stage) -> None:
    page = await opened(
        stage,
        f"""{CLOSED}<x-a></x-a><div id=d></div><section id=s><p>unslotted</p></section>
        <span id=t></span><script>closed(document.querySelector('x-a'), '<button>A</button>');
        closed(d, '<button>D</button>'); closed(s, '<button>S</button>');
        closed(t, '<button>T</button>')</script>""",
    )
    assert list(refs(await page.snapshot())) == ["A", "D", "S", "T"]


async def test_hosts_without_a_closed_root_are_asked_about_once(stage: Stage) -> None:
    page = await opened(stage, "<x-none>text</x-none><x-none></x-none><button>B</button>")
    await page.snapshot()
    world = await page.worlds.of(page.tab_context.main())
    heard = await page.worlds.call_in(world, "walk", {"root": 0}, None, names=True)
    assert heard.split("\n")[0].split("\t")[7] == "0", "nothing is suspected any more"
    assert await adopt_closed_roots(world, 0) == 0


async def test_a_root_that_is_attached_later_is_seen_then(stage: Stage) -> None:
    page = await opened(stage, f"{CLOSED}<x-late></x-late>")
    assert list(refs(await page.snapshot())) == []
    await run(stage, page, "closed(document.querySelector('x-late'), '<button>Late</button>'); 0")
    assert list(refs(await page.snapshot())) == ["Late"]


async def test_a_host_that_goes_away_meanwhile_is_no_trouble(stage: Stage) -> None:
    page = await opened(stage, f"{CLOSED}<x-gone></x-gone><button>B</button>")
    world = await page.worlds.of(page.tab_context.main())
    await page.worlds.call_in(world, "walk", {"root": 0}, None, names=True)
    await run(stage, page, "document.querySelector('x-gone').remove()")
    assert await adopt_closed_roots(world, 3) == 0
