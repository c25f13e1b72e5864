"""Pages made with the frameworks people use: installed, built once, and shown deep inside frames.

    built = built_pages()                                    # installs what is not there yet
    shown = await show_bundle(stage, built, "react", "deep")

Knows: the build script of tests/fixtures_web, and how frames are nested and scaled. Must not know:
what is asserted. What is fetched and built lies in .dev, by the checksum of what it is made from.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pilothouse.page.page import Page
from tests.browser.browser_with_dialog_places import Stage
from tests.npm_package_cache import checksum, installed, made_whole, program, run

__all__ = ["FRAMES", "PLACES", "Shown", "built_pages", "show_bundle", "show_html"]

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "tests" / "fixtures_web"
CACHE = ROOT / ".dev" / "web"
BUILD_WITHIN_S = 120

# From the top down: whose site each frame is, and how it is scaled by the page around it.
FRAMES: Mapping[str, tuple[tuple[str, float], ...]] = {
    "main": (),
    "own": (("127.0.0.1", 0.8),),
    "deep": (("localhost", 0.5), ("a.localhost", 1.3), ("b.localhost", 0.9)),
    # The last one shares the process, and so the pointer, of the one around it.
    "mixed": (("localhost", 0.7), ("a.localhost", 1.3), ("a.localhost", 0.9)),
}
PLACES = ("main", "deep")

_numbers = itertools.count(1)
# Frameworks render when they like.
_RENDERED = """new Promise((done) => {
  const there = () => document.getElementById("state")?.textContent;
  const look = () => (there() ? done(1) : setTimeout(look, 10));
  look();
})"""


# Building.


def built_pages() -> Path:
    """The folder with one script for each page; installs and builds it if it is not there."""
    sources = [path for path in sorted(SOURCE.iterdir()) if path.is_file()]
    pages = CACHE / f"pages-{checksum(*sources)}"
    if not pages.exists():
        made_whole(pages, _build)
    return pages


def _build(into: Path) -> None:
    packages = installed(SOURCE / "package.json", CACHE)
    script = [program("node"), str(SOURCE / "build.mjs"), str(packages), str(into)]
    run(script, within=BUILD_WITHIN_S, where=SOURCE)


# Showing.


@dataclass(frozen=True, slots=True)
class Shown:
    """A page and the frame that is acted in."""

    stage: Stage
    page: Page
    frame: str
    frames: Mapping[str, str]

    async def js(self, expression: str, within: str = "spot") -> Any:
        """The value of an expression in the innermost frame, or in another one."""
        frame = self.frame if within == "spot" else self.frames[within]
        return await self.stage.value(frame, expression)

    async def state(self, element: str = "state") -> Any:
        """What the framework says it holds."""
        return await self.js(f"JSON.parse(document.getElementById('{element}').textContent)")


async def show_bundle(stage: Stage, built: Path, name: str, place: str) -> Shown:
    """Show one of the built pages."""
    script = f"/web/{name}.js"
    stage.pages.add(script, (built / f"{name}.js").read_bytes())
    shown = await show_html(stage, f'<div id=app></div><script src="{script}"></script>', place)
    await shown.js(_RENDERED)
    return shown


async def show_html(stage: Stage, html: str, place: str, around: str = "") -> Shown:
    """Show some HTML in a fresh tab: in the main frame, or in frames one inside the other, each
    scaled and below the fold. `around` is added to the page around the innermost frame."""
    number = next(_numbers)
    pages = stage.pages
    path = f"/deep{number}_0.html"
    pages.add(path, f"<!doctype html><title>page</title>{html}")
    names = []
    for level, (host, scale) in enumerate(reversed(FRAMES[place]), 1):
        names.append("spot" if level == 1 else f"around{level}")
        inner = pages.url(path, host=host)
        path = f"/deep{number}_{level}.html"
        pages.add(path, _around(names[-1], inner, scale, level) + (around if level == 1 else ""))
    tab = await stage.sup.open_tab(f"deep{number}", pages.url(path))
    frames = {"top": (await stage.loaded(tab)).id}
    for name in reversed(names):
        frames[name] = (await stage.loaded(tab, name)).id
    page = Page(stage.sup, tab)
    await page.start()
    return Shown(stage, page, frames.get("spot", frames["top"]), frames)


def _around(name: str, inner: str, scale: float, level: int) -> str:
    size = f"width:{500 + 60 * level}px;height:{420 + 60 * level}px"
    return (
        f"<!doctype html><title>around</title><p>around {level}</p><div style='height:300px'></div>"
        f'<iframe id=inner name="{name}" src="{inner}" style="{size};border:3px solid;padding:5px;'
        f'transform:scale({scale});transform-origin:10px 20px"></iframe>'
    )
