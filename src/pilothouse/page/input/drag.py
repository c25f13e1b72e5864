"""Dragging: with the pointer, or as HTML drag and drop, whichever the page starts.

Knows: that the page decides by how it reacts to the first moves, that Chrome then reports an HTML
drag (`Input.dragIntercepted`, on the tab's own session for every frame) and takes drag events for
the rest, and that the button must never stay pressed. Must not know: how elements are found.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Unpack

import msgspec
from msgspec.structs import replace

from pilothouse.cdp import Event
from pilothouse.cdp.protocol import Input
from pilothouse.errors import ToolError, UsageError
from pilothouse.page.input.action_runner import ActionRunner
from pilothouse.page.input.actionable_elements import (
    ElementLookup,
    ElementResolver,
    ReadyElement,
    Requirements,
)
from pilothouse.page.input.mouse import MouseInput, send_button, send_move
from pilothouse.page.input.receipt import Receipt
from pilothouse.page.input.selectors import Point, parse_selector
from pilothouse.page.world import IsolatedWorld
from pilothouse.supervisor import Outcome

if TYPE_CHECKING:
    from pilothouse.cdp.protocol import InputDragData

__all__ = ["DragAndDrop"]

MOST_STEPS = 200
# Chrome starts a drag after a few pixels, for a link after many more.
FIRST_PX = (4.0, 9.0)
LINK_PX = (30.0, 50.0)
UNKNOWN_DIRECTION = (100.0, 100.0)
INTERCEPTED_WITHIN_S = 2.0

_SOURCE = Requirements(arm=True)
_ATTACHED = Requirements(enabled=False, point=False, outside=True)
_DROP_POINT = Requirements(enabled=False, outside=True)

Offset = tuple[float, float]


class _DragState(msgspec.Struct):
    """A drag in progress: where it is, and what to undo if it fails."""

    at: ReadyElement
    x: float
    y: float
    down: bool = False
    data: InputDragData | None = None
    watched: list[IsolatedWorld] = msgspec.field(default_factory=list)


class DragAndDrop:
    """Drags in one tab."""

    def __init__(self, resolver: ElementResolver, runner: ActionRunner, mouse: MouseInput) -> None:
        self._resolver = resolver
        self._runner = runner
        self._mouse = mouse

    async def drag(
        self,
        source: Any,
        destination: Any = None,
        *,
        by: tuple[float, float] | None = None,
        steps: int = 12,
        **lookup: Unpack[ElementLookup],
    ) -> Outcome[Receipt]:
        """Drag an element onto another element, to a point, or by a distance.

        The receipt's value says how: `pointer`, or `html5` if the page accepted a real drop.
        `lookup` is for the source.
        """
        if (destination is None) == (by is None):
            raise UsageError("destination: give either destination or by", hint="use by=(100, 0)")
        if by is not None and (len(by) != 2 or not any(by)):
            raise UsageError(
                f"by: {by!r} is not a distance",
                hint="use by=(100, 0) for 100 pixels to the right",
            )
        if isinstance(steps, bool) or not 1 <= steps <= MOST_STEPS:
            raise UsageError(f"steps: {steps} is out of range", hint=f"use 1 to {MOST_STEPS}")
        if destination is not None:
            parse_selector(destination, field="destination")

        async def work() -> Receipt:
            if destination is not None:
                await self._resolver.resolve(
                    destination, _ATTACHED, name="destination", timeout=lookup.get("timeout")
                )

            async def drag_element(element: ReadyElement) -> Any:
                return await self._drag(element, destination, by, steps)

            receipt = await self._mouse.press_with_retry(
                source, _SOURCE, "dragged", drag_element, **lookup
            )
            return replace(receipt, notes=_notes(receipt))

        return await self._runner.tab_context.race(work)

    async def _drag(
        self, element: ReadyElement, destination: Any, by: Offset | None, steps: int
    ) -> dict[str, str] | None:
        """Do the whole drag. The button is always released at the end."""
        top = self._runner.tab_context.session
        drag = _DragState(element, element.x, element.y)
        intercepted: asyncio.Future[InputDragData] = asyncio.get_running_loop().create_future()

        def on_intercepted(event: Event[Any]) -> None:
            if event.session_id == top.id and not intercepted.done():
                intercepted.set_result(event.params["data"])

        unsubscribe = self._runner.tab_context.supervisor.connection.on(
            Input.dragIntercepted, on_intercepted
        )
        try:
            await top.send(Input.setInterceptDrags(enabled=True))
            world = await self._watch(drag, element)
            if not await self._press(drag, world):
                return None
            direction = await self._estimate_direction(element, destination, by)
            await self._make_first_moves(drag, direction, FIRST_PX)
            goal = await self._resolve_destination(element, destination, by)
            if not await self._wait_for_interception(drag, world, intercepted):
                if goal.session is element.session:
                    await self._move_along_path(drag, goal, steps)
                else:
                    await self._make_first_moves(drag, direction, LINK_PX)
                await self._wait_for_interception(drag, world, intercepted)
            if drag.data is not None:
                return await self._drop_data(drag, goal, steps)
            if goal.session is not element.session:
                raise _cross_site_error(element, goal)
            await send_button(element.session, "mouseReleased", drag.x, drag.y, "left", 1, 0)
            drag.down = False
            return {"how": "pointer", "on": goal.describe()}
        finally:
            unsubscribe()
            self._release(drag)

    async def _watch(self, drag: _DragState, element: ReadyElement) -> IsolatedWorld:
        world = element.world or await self._runner.worlds.of(element.frame)
        if world not in drag.watched:
            drag.watched.append(world)
            await self._runner.worlds.call_in(world, "dragWatch")
        return world

    async def _press(self, drag: _DragState, world: IsolatedWorld) -> bool:
        """Press the button; returns false if another element got the press."""
        session = drag.at.session
        sent = [send_move(session, drag.x, drag.y)]
        drag.down = True
        sent.append(send_button(session, "mousePressed", drag.x, drag.y, "left", 1, 0))
        for reply in sent:
            await reply
        return bool(await self._runner.worlds.call_in(world, "gripped"))

    async def _estimate_direction(
        self, element: ReadyElement, destination: Any, by: Offset | None
    ) -> Offset:
        """Return the approximate direction: pages tell drags from swipes by the first moves."""
        if by is not None:
            return by
        point = parse_selector(destination, field="destination")
        if isinstance(point, Point):
            return point.x - element.x, point.y - element.y
        there = await self._resolver.resolve(destination, _ATTACHED, name="destination")
        if there.frame.id != element.frame.id or there.world is None or element.world is None:
            return UNKNOWN_DIRECTION
        boxes = [
            await self._runner.worlds.call_in(there.world, "box", one.js_handle)
            for one in (element, there)
        ]
        if any(box["state"] != "ok" for box in boxes):
            return UNKNOWN_DIRECTION
        here, goal = ((box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes)
        return goal[0] - here[0], goal[1] - here[1]

    async def _make_first_moves(
        self, drag: _DragState, direction: Offset, pixels: Sequence[float]
    ) -> None:
        """Move this many pixels from where the element was pressed."""
        length = (direction[0] ** 2 + direction[1] ** 2) ** 0.5 or 1.0
        for far in pixels:
            part = min(far, length) / length
            await self._move_to(
                drag, drag.at.x + direction[0] * part, drag.at.y + direction[1] * part
            )

    async def _resolve_destination(
        self, element: ReadyElement, destination: Any, by: Offset | None
    ) -> ReadyElement:
        """Resolve the destination only now: pages rearrange themselves when a drag begins."""
        if by is not None:
            x, y = element.x + by[0], element.y + by[1]
            return replace(element, x=x, y=y, role="point", name="", selector=f"{x:g},{y:g}")
        return await self._resolver.resolve(destination, _DROP_POINT, name="destination")

    async def _move_to(self, drag: _DragState, x: float, y: float) -> None:
        drag.x, drag.y = x, y
        await send_move(drag.at.session, x, y, buttons=1)

    async def _move_along_path(self, drag: _DragState, goal: ReadyElement, steps: int) -> None:
        """Move the pointer step by step; awaits each move, or Chrome would merge them."""
        for x, y in _points_between(drag, goal, steps):
            await self._move_to(drag, x, y)

    async def _wait_for_interception(
        self, drag: _DragState, world: IsolatedWorld, intercepted: asyncio.Future[InputDragData]
    ) -> bool:
        """Whether the page started an HTML drag; stores its data if so."""
        state = await self._runner.worlds.call_in(world, "dragState")
        if state["began"] and not intercepted.done():
            await asyncio.wait({intercepted}, timeout=INTERCEPTED_WITHIN_S)
        if intercepted.done():
            drag.data = intercepted.result()
        return intercepted.done()

    async def _drop_data(self, drag: _DragState, goal: ReadyElement, steps: int) -> dict[str, str]:
        assert drag.data is not None
        world = await self._watch(drag, goal)
        session, data = goal.session, drag.data
        path = list(_points_between(drag, goal, steps)) if session is drag.at.session else []
        path += [(goal.x, goal.y), (goal.x, goal.y)]
        for number, (x, y) in enumerate(path):
            kind = "dragOver" if number else "dragEnter"
            await session.send(Input.dispatchDragEvent(type=kind, x=x, y=y, data=data))
        drag.x, drag.y = goal.x, goal.y
        await session.send(Input.dispatchDragEvent(type="drop", x=goal.x, y=goal.y, data=data))
        # The drop ends the drag whether it was accepted or not; Chrome notifies the source.
        drag.down, drag.data = False, None
        state = await self._runner.worlds.call_in(world, "dragState")
        if not state["dropped"]:
            raise ToolError(
                f"{goal.describe()} did not accept the drop of {drag.at.describe()}",
                hint="drop it on an element that accepts it; nothing was moved",
            )
        return {"how": "html5", "on": state["on"] or goal.describe()}

    def _release(self, drag: _DragState) -> None:
        """Undo what is not finished. Awaits nothing, because it also runs when the drag is
        cancelled."""
        session = drag.at.session
        if drag.data is not None:
            session.send(
                Input.dispatchDragEvent(type="dragCancel", x=drag.x, y=drag.y, data=drag.data)
            )
        if drag.down:
            send_button(session, "mouseReleased", drag.x, drag.y, "left", 1, 0)
        self._runner.tab_context.session.send(Input.setInterceptDrags(enabled=False))
        for world in drag.watched:
            self._runner.worlds.notify(world, "dragEnd")


def _cross_site_error(source: ReadyElement, goal: ReadyElement) -> ToolError:
    return ToolError(
        f"{source.describe()} cannot be dragged to {goal.describe()} with the pointer: they are in "
        "frames of different sites",
        hint="use elements of one frame; only HTML drag and drop crosses sites",
    )


def _points_between(drag: _DragState, goal: ReadyElement, steps: int) -> Iterator[Offset]:
    """Yield the points on the way; the destination is the last."""
    x, y = drag.x, drag.y
    for number in range(1, steps + 1):
        part = number / steps
        yield x + (goal.x - x) * part, y + (goal.y - y) * part


def _notes(receipt: Receipt) -> tuple[str, ...]:
    if not receipt.value:
        return ()
    if receipt.value["how"] == "html5":
        return (f"dropped on {receipt.value['on']}",)
    return (f"the pointer was released on {receipt.value['on']}; look whether it accepted",)
