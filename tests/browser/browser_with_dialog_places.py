"""A supervised Chromium with pages that can ask in every place a dialog can come from.

Knows: the places, how to reach each one, how to make it ask. Must not know: what is asserted.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from pilothouse.browsers import Browsers, HeadlessKind
from pilothouse.cdp import Session
from pilothouse.supervisor import Dialog, Frame, Interrupt, Options, Outcome, Supervisor
from pilothouse.supervisor import agent_view as view
from tests.page_server import Pages

__all__ = ["PLACES", "WITHIN_S", "Spot", "Stage", "browser_lives", "show", "staged"]

# The machine may be busy: a wait is bounded, its length is not asserted.
WITHIN_S = 8.0

PLACES = ("main", "same_origin", "srcdoc", "oopif", "nested_oopif", "popup", "background")

_FRAME = '<iframe name="{name}" style="position:fixed;left:120px;top:120px" {source}></iframe>'
_PART = """<!doctype html><title>part</title>
<button onclick="ask()" style="position:fixed;left:0;top:0;width:100px;height:50px">ask</button>
<script>var got = "not asked"; var ask = () => 0;</script>"""

_owners = itertools.count(1)


def furnish(pages: Pages) -> None:
    """Serve the pages of the stage."""
    frame = _FRAME.format
    quoted = _PART.replace("&", "&amp;").replace('"', "&quot;")
    localhost, third = (pages.url("/part.html", host=h) for h in ("localhost", "a.localhost"))
    mid = pages.url("/mid.html", host="localhost")
    pages.add("/part.html", _PART)
    pages.add("/main.html", _PART)
    pages.add("/popup.html", _PART)
    pages.add("/background.html", _PART)
    pages.add("/same_origin.html", _PART + frame(name="spot", source='src="/part.html"'))
    pages.add("/srcdoc.html", _PART + frame(name="spot", source=f'srcdoc="{quoted}"'))
    pages.add("/oopif.html", _PART + frame(name="spot", source=f'src="{localhost}"'))
    pages.add("/nested_oopif.html", _PART + frame(name="mid", source=f'src="{mid}"'))
    pages.add("/mid.html", _PART + frame(name="spot", source=f'src="{third}"'))
    pages.add("/elsewhere.html", "<title>elsewhere</title>")
    pages.add("/keeper.html", "<link rel=icon href=data:,><title>keeper</title>")


@dataclass(frozen=True, slots=True)
class Spot:
    """A frame that can be made to ask, and the tab it is in."""

    tab: str
    frame_id: str
    owner: str
    others: tuple[str, ...] = ()


@dataclass(slots=True)
class Stage:
    """One browser, its supervisor, and the pages."""

    sup: Supervisor
    pages: Pages
    pid: int
    spots: dict[str, Spot] = field(default_factory=dict)
    # A tab that no test uses. While one is open, another opens in its window, which costs Chromium
    # half as much as a new window.
    keeper: str = ""

    async def spot(self, place: str) -> Spot:
        """A spot that may have been used before, with nothing open in it."""
        known = self.spots.get(place)
        if known is not None:
            state = self.sup.state
            busy = any(d.tab == known.tab for d in state.dialogs.values())
            frame = state.frames.get(known.frame_id)
            if frame is not None and not busy and frame.url != self.pages.url("/elsewhere.html"):
                await self.value(known.frame_id, "got = 'not asked'; onbeforeunload = null; 0")
                return known
            for tab in (known.tab, *known.others):
                if tab in self.sup.state.tabs:
                    await self.sup.close_tab(tab)
        self.spots[place] = await self.go(place)
        return self.spots[place]

    async def go(self, place: str, owner: str = "", url: str = "") -> Spot:
        """A fresh tab (or popup) showing `place`, ready to be asked in."""
        owner = owner or f"owner{next(_owners)}"
        others: tuple[str, ...] = ()
        url = url or self.pages.url(f"/{place}.html")
        if place != "popup":
            tab = await self.sup.open_tab(owner, url)
        else:
            opener = await self.sup.open_tab(owner, self.pages.url("/main.html"))
            others = (opener,)
            top = await self.loaded(opener)
            await self.run(top.id, f"window.child = window.open({url!r}); 0", gesture=True)
            tab = await self.sup.wait_for(
                lambda s: next((t.id for t in s.tabs.values() if t.opener == opener), None),
                WITHIN_S,
            )
        if place == "background":
            others = (await self.sup.open_tab(owner, self.pages.url("/main.html")),)
        named = "spot" if place in ("same_origin", "srcdoc", "oopif", "nested_oopif") else ""
        frame = await self.loaded(tab, named)
        return Spot(tab, frame.id, owner, others)

    async def loaded(self, tab: str, name: str = "", but: str = "") -> Frame:
        """The tab's main frame, or the one with this name, once its scripts have run; `but` is
        the loader of a document that is about to go."""

        def there(state: Any) -> Frame | None:
            for frame in state.frames.values():
                wanted = frame.name == name if name else not frame.parent
                shows = frame.loader not in ("", but) and frame.url != "about:blank"
                if frame.tab == tab and wanted and shows and state.context_of(frame):
                    found: Frame = frame
                    return found
            return None

        frame = await self.sup.wait_for(there, WITHIN_S)
        # Not by `onload`: a page may set that itself, later.
        ready = (
            "new Promise(r => document.readyState == 'complete' ? r(1)"
            " : addEventListener('load', () => r(1)))"
        )
        await self.value(frame.id, ready)
        return frame

    async def run(
        self, frame_id: str, expression: str, *, gesture: bool = False
    ) -> Outcome[dict[str, Any]]:
        """Evaluate in a frame, raced against what may block it."""
        params = {
            "expression": expression,
            "returnByValue": True,
            "awaitPromise": True,
            "userGesture": gesture,
        }
        return await self.sup.cdp("Runtime.evaluate", params, frame_id=frame_id)

    async def value(self, frame_id: str, expression: str) -> Any:
        """The value of an expression in a frame that nothing blocks."""
        outcome = await self.run(frame_id, expression)
        assert outcome.value is not None, outcome
        result = outcome.value["result"]
        assert "exceptionDetails" not in outcome.value, outcome.value
        return result.get("value")

    async def delivered(self, action_id: str) -> Any:
        """The value of work that was blocked."""
        outcome = await self.sup.actions.result(action_id, WITHIN_S)
        assert outcome.value is not None, "still blocked"
        return outcome.value

    async def click(self, spot: Spot) -> Outcome[Any]:
        """Press the button of a spot with the mouse, where its process takes the mouse."""
        frame = self.sup.state.frames[spot.frame_id]
        own = view.is_oopif(self.sup.state, frame) or not frame.parent
        at = {"x": 20, "y": 20} if own else {"x": 142, "y": 142}
        session = self.sup.frame(spot.frame_id)[0]
        await self._takes_the_mouse(spot.frame_id, session, at)

        async def press() -> Any:
            for kind in ("mousePressed", "mouseReleased"):
                what = {"type": kind, "button": "left", "clickCount": 1, **at}
                done = session.send(_command("Input.dispatchMouseEvent", what))
                result = await done
            return result

        return await self.sup.actions.race(spot.tab, press, session)

    async def _takes_the_mouse(self, frame_id: str, session: Session, at: dict[str, int]) -> None:
        """Until the mouse gets there: a frame that has loaded and was not painted yet is not under
        it, and what is pressed there lands around the frame."""
        moved = "new Promise(r => addEventListener('mousemove', () => r(1), {once: true}))"
        heard = asyncio.ensure_future(self.value(frame_id, moved))
        async with asyncio.timeout(WITHIN_S):
            for step in itertools.count():
                what = {"type": "mouseMoved", "x": at["x"] + step % 2, "y": at["y"]}
                session.send(_command("Input.dispatchMouseEvent", what))
                if (await asyncio.wait({heard}, timeout=0.1))[0]:
                    break
        await heard

    async def dialog(self, tab: str) -> Dialog:
        """The dialog that waits in a tab."""
        return await self.sup.wait_for(
            lambda s: next((d for d in s.dialogs.values() if d.tab == tab), None), WITHIN_S
        )

    async def interrupt(self, kind: str, tab: str = "") -> Interrupt:
        """The interrupt of a kind that waits."""
        return await self.sup.wait_for(
            lambda s: next(
                (i for i in s.interrupts.values() if i.kind == kind and tab in ("", i.tab)), None
            ),
            WITHIN_S,
        )

    async def clear(self) -> None:
        """Close every tab but the keeper, so that the next test starts with none of its own."""
        for tab in list(self.sup.state.tabs):
            if tab != self.keeper and tab in self.sup.state.tabs:
                await self.sup.close_tab(tab)
        self.spots.clear()


def _command(method: str, params: dict[str, Any]) -> Any:
    from pilothouse.cdp import Command

    return Command(method, params)


@contextlib.asynccontextmanager
async def staged(
    options: Options | None = None, *, https: bool = False, args: tuple[str, ...] = ()
) -> AsyncIterator[Stage]:
    """A browser of our own on the stage; `options.page_setup` is the browser's."""
    flags = ("--site-per-process", *(["--ignore-certificate-errors"] if https else []), *args)
    with Pages(https=https) as pages:
        furnish(pages)
        async with Browsers() as browsers:
            handle = await browsers.acquire(HeadlessKind(args=flags))
            sup = Supervisor(handle.connection, options or Options())
            await sup.start()
            assert handle.pid is not None
            try:
                stage = Stage(sup, pages, handle.pid)
                stage.keeper = await sup.open_tab("keeper", pages.url("/keeper.html"))
                await stage.loaded(stage.keeper)
                pages.visits.clear()  # of what the tests do, nobody has visited anything yet
                yield stage
            finally:
                await sup.close()


async def browser_lives(stage: Stage) -> bool:
    """Whether the browser still takes orders."""
    version = (await stage.sup.cdp("Browser.getVersion")).value
    return version is not None and "product" in version


def show(line: str) -> None:
    """Put a figure where people see it, whatever pytest captures."""
    os.write(2, f"\n{line}\n".encode())
