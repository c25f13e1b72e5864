"""Names and roles against Chrome's own accessibility tree, element by element, page by page.

docs/names.md says what is compared and explains every class of differences.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from pilothouse.cdp import Command
from pilothouse.page.place import Place
from pilothouse.page.worlds import Worlds
from tests.browser.stage import Stage, show, staged
from tests.page.corpus import corpus

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


@dataclass(frozen=True, slots=True)
class Seen:
    """One element as the tree has it, and as each of our two ways has it."""

    page: str
    tag: str
    tree: tuple[str, str] | None
    native: tuple[str, str]
    own: tuple[str, str]


@dataclass(slots=True)
class Score:
    """How often one way says what the tree says."""

    total: int = 0
    roles: int = 0
    names: int = 0
    differences: Counter[str] = field(default_factory=Counter)

    def add(self, seen: Seen, said: tuple[str, str]) -> None:
        assert seen.tree is not None
        self.total += 1
        role, name = seen.tree
        self.roles += role == said[0]
        self.names += name == said[1]
        if role != said[0]:
            self.differences[f"role {role} is {said[0]} ({seen.tag}) {seen.page}"] += 1
        if name != said[1]:
            self.differences[f"name {name[:40]!r} is {said[1][:40]!r} ({seen.tag}) {seen.page}"] += 1

    def line(self, way: str) -> str:
        return (
            f"{way}: {self.total} elements, roles {100 * self.roles / self.total:.2f} %, "
            f"names {100 * self.names / self.total:.2f} %"
        )


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(chromium_path: Path) -> AsyncIterator[Stage]:
    async with staged() as made:
        yield made


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def seen(stage: Stage) -> list[Seen]:
    """Every element of the corpus. about:blank loads nothing, so a page is complete at once."""
    tab = await stage.sup.open_tab("names")
    place = Place(stage.sup, tab)
    worlds = Worlds(place)
    everything: list[Seen] = []
    for name, html in corpus():
        everything.extend(await look(place, worlds, name, html))
    await stage.sup.close_tab(tab)
    return everything


async def look(place: Place, worlds: Worlds, page: str, html: str) -> list[Seen]:
    """One page, asked in one go: nothing happens between the answers."""
    session = place.session
    world = await worlds.of(place.main())
    send = session.send
    set_content = {"frameId": place.main().id, "html": html}
    await send(Command("Page.setDocumentContent", set_content))
    document = send(Command("DOM.getDocument", {"depth": -1, "pierce": True}))
    tree = send(Command("Accessibility.getFullAXTree", {}))
    native = worlds.post(world, "everything", False, names=True)
    own = worlds.post(world, "everything", True)
    nodes = {
        node["backendDOMNodeId"]: node
        for node in (await tree)["nodes"]
        if "backendDOMNodeId" in node and not node["ignored"]
    }
    elements = list(elements_of((await document)["root"]))
    answers = list(zip(elements, await native, await own, strict=True))
    return [
        Seen(page, tag, spoken(nodes.get(number)), (by_chrome[0], by_chrome[1]), (by_us[0], by_us[1]))
        for (tag, number), by_chrome, by_us in answers
    ]


def elements_of(node: dict[str, Any]) -> Iterator[tuple[str, int]]:
    """Elements in the order of `ph.everything`: what is in an open shadow root comes first."""
    if node["nodeType"] == 1:
        yield node["localName"], node["backendNodeId"]
    for root in node.get("shadowRoots", ()):
        if root["shadowRootType"] == "open":
            for child in root.get("children", ()):
                yield from elements_of(child)
    for child in node.get("children", ()):
        yield from elements_of(child)


def spoken(node: dict[str, Any] | None) -> tuple[str, str] | None:
    if node is None:
        return None
    return str(node["role"]["value"]), str(node.get("name", {}).get("value", ""))


async def test_chromes_own_names_are_those_of_its_tree(seen: list[Seen]) -> None:
    score = Score()
    for one in seen:
        if one.tree is not None:
            score.add(one, one.native)
    show(score.line("native"))
    assert score.roles >= 0.995 * score.total, score.differences.most_common(20)
    assert score.names >= 0.995 * score.total, score.differences.most_common(20)


async def test_our_own_names_are_those_of_chromes_tree(seen: list[Seen]) -> None:
    score = Score()
    for one in seen:
        if one.tree is not None:
            score.add(one, one.own)
    show(score.line("own"))
    assert score.roles >= 0.95 * score.total, score.differences.most_common(20)
    assert score.names >= 0.97 * score.total, score.differences.most_common(20)
