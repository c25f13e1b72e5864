"""What the snapshot lists as interactive, against a script of the page's own that judges the same.

Every page of the corpus stands in one of four places: the main frame, an open and a closed shadow
root, and a frame with a process of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from pilothouse.cdp import Command
from pilothouse.page.snapshot.snapshot import SnapshotOptions
from pilothouse.supervisor import Frame
from tests.browser.browser_with_dialog_places import Stage, show, staged
from tests.page.actionable_elements_oracle import BEFORE_SCRIPTS, JUDGE
from tests.page.corpus import corpus
from tests.page.snapshot_tab import SnapshotTab, all_nodes, opened

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

PLACES = ("main frame", "open root", "closed root", "OOPIF")

_IN_ROOT = """(html => {
  document.body.innerHTML = "<x-host style='display:block'></x-host>";
  document.body.firstChild.attachShadow({mode: MODE}).innerHTML = html;
})"""


@dataclass(slots=True)
class Score:
    """How well the snapshot's list and the judge's agree."""

    judged: int = 0
    found: int = 0
    listed: int = 0
    right: int = 0
    missed: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)

    def line(self, place: str) -> str:
        recall, precision = self.found / self.judged, self.right / self.listed
        return (
            f"interactive in the {place}: recall {recall:.4f} of {self.judged}, "
            f"precision {precision:.4f} of {self.listed}"
        )


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def scores(chromium_path: Path) -> AsyncIterator[dict[str, Score]]:
    async with staged() as stage:
        stage.pages.add("/inner.html", "<!doctype html><title>inner</title>")
        main = await opened(stage, "")
        around = await opened(
            stage,
            f'<body style="margin:0"><iframe style="border:0;width:780px;height:580px" '
            f'src="{stage.pages.url("/inner.html", "localhost")}"></iframe>',
            frames=1,
        )
        result = {place: Score() for place in PLACES}
        for number, (name, html) in enumerate(corpus()):
            place = PLACES[number % len(PLACES)]
            page = around if place == "OOPIF" else main
            await judge(stage, page, place, name, html, result[place])
        yield result


async def judge(
    stage: Stage, page: SnapshotTab, place: str, name: str, html: str, score: Score
) -> None:
    top = page.tab_context.main()
    inner = [frame for frame in page.tab_context.frames() if frame.parent == top.id]
    frame = inner[0] if place == "OOPIF" else top
    await write(stage, page, frame, place, html)
    snapshot = await page.snapshot(SnapshotOptions(budget=0))
    said = await stage.value(frame.id, JUDGE)
    prefix = page.refs.prefix(frame.id)
    listed = [n for n in all_nodes(snapshot) if n.acts and n.ref.startswith(f"{prefix}e")]
    numbers = [int(n.ref.rpartition("e")[2]) for n in listed]
    judged = await judged_as(page, frame, numbers)
    acts = set(said["acts"])
    clear = {j for n, j in zip(listed, judged, strict=True) if "covered" not in n.states}
    # A label stands for its control and an option for its list: to click one is to click the other.
    stands = {int(label): control for label, control in said["stands"].items()}
    for one in acts:
        score.judged += 1
        score.found += one in clear
        if one not in clear:
            score.missed[f"{name}: {await tag(stage, frame, one)}"] += 1
    for one in {stands.get(j, j) for j in clear}:
        score.listed += 1
        right = one in acts or one in said["maybe"]
        score.right += right
        if not right:
            score.wrong[f"{name}: {await tag(stage, frame, one)}"] += 1


async def write(stage: Stage, page: SnapshotTab, frame: Frame, place: str, html: str) -> None:
    """Put a page of the corpus into its place."""
    session = page.tab_context.session_of(frame)
    await stage.value(frame.id, BEFORE_SCRIPTS)
    if "root" in place:
        mode = "'open'" if place.startswith("open") else "'closed'"
        await session.send(
            Command(
                "Page.setDocumentContent", {"frameId": frame.id, "html": "<!doctype html><body>"}
            )
        )
        await stage.value(frame.id, f"{_IN_ROOT.replace('MODE', mode)}({html!r})")
        return
    await session.send(Command("Page.setDocumentContent", {"frameId": frame.id, "html": html}))


async def judged_as(page: SnapshotTab, frame: Frame, numbers: list[int]) -> list[int]:
    """The judge's numbers of the snapshot's elements."""
    world = await page.worlds.of(frame)
    # Only a frame in which something is done has `element`: let the numbers be asked for first.
    await page.worlds.call_in(world, "box", {"number": 0})
    which = f"{numbers}.map(n => Number(ph.element({{number: n}}).getAttribute('data-judged')))"
    asked = {"expression": which, "contextId": world.context_id, "returnByValue": True}
    answer: Any = await world.session.send(Command("Runtime.evaluate", asked))
    assert "exceptionDetails" not in answer, answer
    result: list[int] = answer["result"]["value"]
    return result


async def tag(stage: Stage, frame: Frame, number: int) -> str:
    """An element as it is written, for whoever has to find out."""
    find = f"""(() => {{ const found = []; const look = (root) => {{
        for (const e of root.querySelectorAll('*')) {{
            if (e.getAttribute('data-judged') === '{number}') found.push(e);
            const inner = __judge.rootOf(e); if (inner) look(inner); }} }};
        look(document);
        return found.map(e => e.outerHTML.slice(0, 160)).join() }})()"""
    return str(await stage.value(frame.id, find))


@pytest.mark.parametrize("place", PLACES)
async def test_what_can_be_acted_on_is_listed_and_nothing_else(
    scores: dict[str, Score], place: str
) -> None:
    score = scores[place]
    show(score.line(place))
    assert score.judged > 200, "the corpus has too little to judge"
    assert score.found >= 0.98 * score.judged, score.missed.most_common(40)
    assert score.right >= 0.95 * score.listed, score.wrong.most_common(40)


async def test_the_whole_corpus_is_judged(scores: dict[str, Score]) -> None:
    total = Score()
    for score in scores.values():
        total.judged += score.judged
        total.found += score.found
        total.listed += score.listed
        total.right += score.right
    show(total.line("whole corpus"))
    assert total.found >= 0.98 * total.judged
    assert total.right >= 0.95 * total.listed
