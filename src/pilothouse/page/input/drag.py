"""Dragging: with the pointer, or as HTML drag and drop, whichever the page makes of it.

Knows: that a page decides by what it does with the first moves, that Chrome then hands the drag
over (on the tab's own session, for every frame) and the rest are drag events, and that a button
must never stay down. Must not know: how elements are found.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Unpack

import msgspec
from msgspec.structs import replace

from pilothouse.cdp import Event
from pilothouse.cdp.protocol import Input
from pilothouse.errors import ToolError
from pilothouse.page.input.action_runner import Act
from pilothouse.page.input.actionability import Aim, Aimed, Need, Where
from pilothouse.page.input.mouse import Mouse, button_event, move
from pilothouse.page.input.receipt import Receipt
from pilothouse.page.input.selector_parts import Point, parse_target
from pilothouse.page.world import World
from pilothouse.supervisor import Outcome

if TYPE_CHECKING:
    from pilothouse.cdp.protocol import InputDragData

__all__ = ["Drag"]

MOST_STEPS = 200
# Chrome takes a press for a drag after a few pixels, for a link after many more.
FIRST_PX = (4.0, 9.0)
LINK_PX = (30.0, 50.0)
UNKNOWN_WAY = (100.0, 100.0)
HANDED_OVER_S = 2.0

_SOURCE = Need(arm=True)
_THERE = Need(enabled=False, point=False)
_AIM = Need(enabled=False)

Spot = tuple[float, float]


class _Grip(msgspec.Struct):
    """What is held: where, and what has to be undone if nothing comes of it."""

    at: Aimed
    x: float
    y: float
    down: bool = False
    data: InputDragData | None = None
    watched: list[World] = msgspec.field(default_factory=list)


class Drag:
    """The dragging hand of one tab."""

    def __init__(self, aim: Aim, act: Act, mouse: Mouse) -> None:
        self._aim = aim
        self._act = act
        self._mouse = mouse

    async def drag(
        self,
        source: Any,
        destination: Any = None,
        *,
        by: tuple[float, float] | None = None,
        steps: int = 12,
        **where: Unpack[Where],
    ) -> Outcome[Receipt]:
        """Drag an element onto another, to a point, or by a distance. The receipt's value says
        how: `pointer`, or `html5` when the page took a real drop. `where` is for the source."""
        if (destination is None) == (by is None):
            raise ToolError("destination: give it or by, one of the two", hint="by=(100, 0)")
        if by is not None and (len(by) != 2 or not any(by)):
            raise ToolError(f"by: {by!r} is no way", hint="by=(100, 0) is 100 pixels to the right")
        if isinstance(steps, bool) or not 1 <= steps <= MOST_STEPS:
            raise ToolError(f"steps: {steps}", hint=f"1 to {MOST_STEPS}")
        if destination is not None:
            parse_target(destination, field="destination")

        async def work() -> Receipt:
            if destination is not None:
                await self._aim.at(
                    destination, _THERE, name="destination", timeout=where.get("timeout")
                )

            async def pull(aimed: Aimed) -> Any:
                return await self._pull(aimed, destination, by, steps)

            receipt = await self._mouse.press_on(source, _SOURCE, "dragged", pull, **where)
            return replace(receipt, notes=_notes(receipt))

        return await self._act.tab_context.race(work)

    async def _pull(
        self, aimed: Aimed, destination: Any, by: Spot | None, steps: int
    ) -> dict[str, str] | None:
        """The whole drag; whatever happens, the button is up in the end."""
        top = self._act.tab_context.session
        grip = _Grip(aimed, aimed.x, aimed.y)
        handed: asyncio.Future[InputDragData] = asyncio.get_running_loop().create_future()

        def heard(event: Event[Any]) -> None:
            if event.session_id == top.id and not handed.done():
                handed.set_result(event.params["data"])

        leave = self._act.tab_context.supervisor.connection.on(Input.dragIntercepted, heard)
        try:
            await top.send(Input.setInterceptDrags(enabled=True))
            world = await self._watch(grip, aimed)
            if not await self._take(grip, world):
                return None
            way = await self._way(aimed, destination, by)
            await self._begin(grip, way, FIRST_PX)
            goal = await self._goal(aimed, destination, by)
            if not await self._handed(grip, world, handed):
                if goal.session is aimed.session:
                    await self._carry(grip, goal, steps)
                else:
                    await self._begin(grip, way, LINK_PX)
                await self._handed(grip, world, handed)
            if grip.data is not None:
                return await self._drop(grip, goal, steps)
            if goal.session is not aimed.session:
                raise _apart(aimed, goal)
            await button_event(aimed.session, "mouseReleased", grip.x, grip.y, "left", 1, 0)
            grip.down = False
            return {"how": "pointer", "on": goal.shown()}
        finally:
            leave()
            self._let_go(grip)

    async def _watch(self, grip: _Grip, aimed: Aimed) -> World:
        world = aimed.world or await self._act.worlds.of(aimed.frame)
        if world not in grip.watched:
            grip.watched.append(world)
            await self._act.worlds.call_in(world, "dragWatch")
        return world

    async def _take(self, grip: _Grip, world: World) -> bool:
        """Press the button; false if something else was in the way of it."""
        session = grip.at.session
        sent = [move(session, grip.x, grip.y)]
        grip.down = True
        sent.append(button_event(session, "mousePressed", grip.x, grip.y, "left", 1, 0))
        for reply in sent:
            await reply
        return bool(await self._act.worlds.call_in(world, "gripped"))

    async def _way(self, aimed: Aimed, destination: Any, by: Spot | None) -> Spot:
        """About where it will go: pages tell drags from swipes by the first moves."""
        if by is not None:
            return by
        point = parse_target(destination, field="destination")
        if isinstance(point, Point):
            return point.x - aimed.x, point.y - aimed.y
        there = await self._aim.at(destination, _THERE, name="destination")
        if there.frame.id != aimed.frame.id or there.world is None or aimed.world is None:
            return UNKNOWN_WAY
        boxes = [
            await self._act.worlds.call_in(there.world, "box", one.target) for one in (aimed, there)
        ]
        if any(box["state"] != "ok" for box in boxes):
            return UNKNOWN_WAY
        here, goal = ((box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes)
        return goal[0] - here[0], goal[1] - here[1]

    async def _begin(self, grip: _Grip, way: Spot, pixels: Sequence[float]) -> None:
        """The first moves, so many pixels from where it was taken."""
        length = (way[0] ** 2 + way[1] ** 2) ** 0.5 or 1.0
        for far in pixels:
            part = min(far, length) / length
            await self._to(grip, grip.at.x + way[0] * part, grip.at.y + way[1] * part)

    async def _goal(self, aimed: Aimed, destination: Any, by: Spot | None) -> Aimed:
        """Where it goes, looked up only now: pages make room when a drag begins."""
        if by is not None:
            x, y = aimed.x + by[0], aimed.y + by[1]
            return replace(aimed, x=x, y=y, role="point", name="", said=f"{x:g},{y:g}")
        return await self._aim.at(destination, _AIM, name="destination")

    async def _to(self, grip: _Grip, x: float, y: float) -> None:
        grip.x, grip.y = x, y
        await move(grip.at.session, x, y, buttons=1)

    async def _carry(self, grip: _Grip, goal: Aimed, steps: int) -> None:
        """Move the pointer there; each move is awaited, or Chrome would make one of them all."""
        for x, y in _between(grip, goal, steps):
            await self._to(grip, x, y)

    async def _handed(
        self, grip: _Grip, world: World, handed: asyncio.Future[InputDragData]
    ) -> bool:
        """Whether the page has begun a drag of its own; then Chrome says what is in it."""
        state = await self._act.worlds.call_in(world, "dragState")
        if state["began"] and not handed.done():
            await asyncio.wait({handed}, timeout=HANDED_OVER_S)
        if handed.done():
            grip.data = handed.result()
        return handed.done()

    async def _drop(self, grip: _Grip, goal: Aimed, steps: int) -> dict[str, str]:
        assert grip.data is not None
        world = await self._watch(grip, goal)
        session, data = goal.session, grip.data
        path = list(_between(grip, goal, steps)) if session is grip.at.session else []
        path += [(goal.x, goal.y), (goal.x, goal.y)]
        for number, (x, y) in enumerate(path):
            kind = "dragOver" if number else "dragEnter"
            await session.send(Input.dispatchDragEvent(type=kind, x=x, y=y, data=data))
        grip.x, grip.y = goal.x, goal.y
        await session.send(Input.dispatchDragEvent(type="drop", x=goal.x, y=goal.y, data=data))
        # The drop ended the drag, taken or not: Chrome has told the source.
        grip.down, grip.data = False, None
        state = await self._act.worlds.call_in(world, "dragState")
        if not state["dropped"]:
            raise ToolError(
                f"{goal.shown()} did not take the drop of {grip.at.shown()}",
                hint="drop it on something that takes it; nothing was moved",
            )
        return {"how": "html5", "on": state["on"] or goal.shown()}

    def _let_go(self, grip: _Grip) -> None:
        """Undo what is not over. Nothing is awaited: this also runs when the drag is cancelled."""
        session = grip.at.session
        if grip.data is not None:
            session.send(
                Input.dispatchDragEvent(type="dragCancel", x=grip.x, y=grip.y, data=grip.data)
            )
        if grip.down:
            button_event(session, "mouseReleased", grip.x, grip.y, "left", 1, 0)
        self._act.tab_context.session.send(Input.setInterceptDrags(enabled=False))
        for world in grip.watched:
            self._act.worlds.tell(world, "dragEnd")


def _apart(source: Aimed, goal: Aimed) -> ToolError:
    return ToolError(
        f"{source.shown()} cannot be dragged to {goal.shown()} with the pointer: they are in "
        "frames of different sites",
        hint="only HTML drag and drop goes from one to the other",
    )


def _between(grip: _Grip, goal: Aimed, steps: int) -> Iterator[Spot]:
    """The points on the way, the goal last."""
    x, y = grip.x, grip.y
    for number in range(1, steps + 1):
        part = number / steps
        yield x + (goal.x - x) * part, y + (goal.y - y) * part


def _notes(receipt: Receipt) -> tuple[str, ...]:
    if not receipt.value:
        return ()
    if receipt.value["how"] == "html5":
        return (f"dropped on {receipt.value['on']}",)
    return (
        f"the pointer was released on {receipt.value['on']}; whether it took it, the page says",
    )
