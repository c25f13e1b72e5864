"""Actionability: from a selector to a point that can be clicked, through every frame.

Knows: how long to wait for each condition, and how to map a point through frames. Must not know:
what the action does with the point. Nothing here relies on animation frames: background tabs have
none.
"""

from __future__ import annotations

import asyncio
from typing import Any, TypedDict

import msgspec

from pilothouse.cdp import Session
from pilothouse.cdp.protocol import Runtime
from pilothouse.errors import InterruptedByNavigation, ToolError, UsageError
from pilothouse.page.input.actionability_errors import no_match_error, not_actionable_error
from pilothouse.page.input.selectors import Point, Query, parse_selector
from pilothouse.page.snapshot import Ref, Refs, parse_ref
from pilothouse.page.tab_context import TabContext
from pilothouse.page.world import FrameElements, IsolatedWorld, IsolatedWorlds
from pilothouse.supervisor import Frame

__all__ = ["ElementLookup", "ElementResolver", "ReadyElement", "Requirements", "point_error"]

# Default timeouts: until the selector matches, until the match is ready, and how long the same
# element may cover it before the wait gives up.
MISSING_WITHIN_S = 2.0
READY_WITHIN_S = 5.0
COVERED_WITHIN_S = 0.3
POLL_S = 0.03


class Requirements(msgspec.Struct, frozen=True):
    """Conditions that an element must meet before the action."""

    visible: bool = True
    enabled: bool = True
    editable: bool = False
    point: bool = True
    arm: bool = False
    scroll: bool = True
    position: tuple[float, float] | None = None
    # A point may lie outside of the viewport: drags end there.
    outside: bool = False
    # What the action needs, if a label or a wrapper may stand for it: "field", "check", "select",
    # "file" or "focus".
    control: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the same as an argument for our page script."""
        argument: dict[str, Any] = {
            "visible": self.visible,
            "enabled": self.enabled,
            "editable": self.editable,
            "point": self.point,
            "arm": self.arm,
            "scroll": self.scroll,
        }
        if self.control:
            argument["control"] = self.control
        if self.position is not None:
            argument["position"] = {"x": self.position[0], "y": self.position[1]}
        return argument


class ReadyElement(msgspec.Struct):
    """An element that is ready, and where to point at it; `x`, `y` are coordinates of `session`."""

    frame: Frame
    session: Session
    world: IsolatedWorld | None
    number: int
    role: str
    name: str
    x: float
    y: float
    # Resolves to this element again: its ref, or `x,y`. The page as a whole and an unknown focus
    # have only a label here.
    selector: str
    facts: dict[str, Any] = msgspec.field(default_factory=dict)
    # Isolated worlds of the parent frames in which a stray press would land; they are guarded too.
    ancestor_worlds: list[IsolatedWorld] = msgspec.field(default_factory=list)

    @property
    def js_handle(self) -> dict[str, Any]:
        """The element as an argument for our page script."""
        return {"number": self.number}

    def describe(self) -> str:
        """Return the element as the agent knows it, such as `button "Save" [e12]`."""
        name = f' "{self.name}"' if self.name else ""
        return f"{self.role}{name} [{self.selector}]"

    def refusal_error(self, result: dict[str, Any]) -> ToolError:
        """Return the error for a page script's refusal to act on this element."""
        return not_actionable_error(self.selector, result, self.selector.rpartition("e")[0])


def point_error(field: str, selector: str) -> ToolError:
    """Return the error for a point where only an element is accepted."""
    return UsageError(
        f"{field}: {selector} is a point; expected an element",
        hint="give a ref of the snapshot or a selector; x,y is for click, hover, drag and scroll",
        untrusted=(),
    )


class ElementLookup(TypedDict, total=False):
    """Which frame and which of several matches is meant, and how long to wait for it."""

    frame: str
    nth: int | None
    timeout: float | None


class ElementResolver:
    """Resolves selectors to elements of one tab."""

    def __init__(
        self, context: TabContext, worlds: IsolatedWorlds, refs: Refs, frame_elements: FrameElements
    ) -> None:
        self.tab_context = context
        self.worlds = worlds
        self._refs = refs
        self._frame_elements = frame_elements

    async def resolve(
        self,
        target: Any,
        requirements: Requirements | None = None,
        *,
        frame: str = "",
        timeout: float | None = None,
        nth: int | None = None,
        name: str = "target",
    ) -> ReadyElement:
        """Return the element a selector names, once it meets the requirements.

        Raises ToolError that names the obstacle: no match (after 2 s), several matches, hidden,
        disabled, or covered by another element.
        """
        parsed = parse_selector(target, field=name, nth=nth)
        requirements = requirements or Requirements()
        if isinstance(parsed, Point):
            if requirements.control:
                raise point_error(name, str(target))
            if not requirements.outside:
                await self._check_in_viewport(parsed, name)
            return self._point(parsed)
        timer = _RefusalTimer(timeout)
        while True:
            try:
                in_frame, world, result = await self._call_in_first_match(
                    parsed, frame, "probe", requirements.as_json()
                )
                element = await self._check_ready(parsed, requirements, in_frame, world, result)
                if isinstance(element, ReadyElement):
                    return element
                result = element
            except InterruptedByNavigation:
                result = {"state": "missing", "count": 0}
            if timer.is_over(result):
                raise self._error(parsed, str(target), result)
            await asyncio.sleep(POLL_S)

    def ref(self, frame: Frame, number: int) -> str:
        """Return the ref of an element that our isolated world in a frame has numbered."""
        return f"{self._refs.prefix(frame.id)}e{number}"

    def _point(self, point: Point) -> ReadyElement:
        main = self.tab_context.main()
        session = self.tab_context.session
        selector = f"{point.x:g},{point.y:g}"
        return ReadyElement(main, session, None, 0, "point", "", point.x, point.y, selector)

    async def _check_in_viewport(self, point: Point, field: str) -> None:
        """Raise UsageError if a point lies outside of the viewport: no event would reach the
        page."""
        world = await self.worlds.of(self.tab_context.main())
        asked = Runtime.evaluate(
            expression="[innerWidth, innerHeight]", contextId=world.context_id, returnByValue=True
        )
        width, height = (await world.session.send(asked))["result"]["value"]
        if not (0 <= point.x < width and 0 <= point.y < height):
            raise UsageError(
                f"{field}: {point.x:g},{point.y:g} is outside the viewport, which is "
                f"{width:g} x {height:g}",
                hint="scroll first, then give a point of the viewport in CSS pixels; or give a "
                "ref, which is scrolled to",
                untrusted=(),
            )

    # Search.

    async def call_on(
        self, target: Ref | Query, function: str, *arguments: Any, frame: str = ""
    ) -> dict[str, Any]:
        """Call a function of our page script on the element that a ref or query names."""
        return (await self._call_in_first_match(target, frame, function, *arguments))[2]

    async def _call_in_first_match(
        self, target: Ref | Query, frame: str, function: str, *arguments: Any
    ) -> tuple[Frame, IsolatedWorld | None, dict[str, Any]]:
        """Call the function in the first frame that has the element; returns frame, world and
        result."""
        if isinstance(target, Ref):
            return await self._call_on_ref(target, function, *arguments)
        frames = self._frames_to_search(frame)
        first = (frames[0], *await self._call_in_frame(frames[0], target, function, *arguments))
        if first[2]["state"] != "missing" or len(frames) == 1:
            return first
        for other in frames[1:]:
            if (counted := await self._count(other, target)) and counted["count"]:
                return other, *await self._call_in_frame(other, target, function, *arguments)
        return first

    async def _call_on_ref(
        self, ref: Ref, function: str, *arguments: Any
    ) -> tuple[Frame, IsolatedWorld | None, dict[str, Any]]:
        frame = self.tab_context.supervisor.state.frames.get(self._refs.frame_of(ref))
        if frame is None or frame.tab != self.tab_context.tab_id:
            return self.tab_context.main(), None, {"state": "stale", "why": "frame"}
        world = await self.worlds.of(frame)
        if ref.number < world.first_number:
            return frame, world, self._note_refs(world, await self._describe_stale_ref(world, ref))
        argument = {"number": ref.number}
        result = await self.worlds.call_in(world, function, argument, *arguments, names=True)
        if result["state"] == "stale" and result["why"] == "unknown":
            result = await self._describe_stale_ref(world, ref)
        return frame, world, self._note_refs(world, result)

    async def _describe_stale_ref(self, world: IsolatedWorld, ref: Ref) -> dict[str, Any]:
        """Return the refusal for a ref of a past document, with similar elements of this one."""
        was = self._refs.shown_as(str(ref))
        if was is None:
            return {"state": "stale", "why": "unknown"}
        like = await self.worlds.call_in(world, "candidates", *was, names=True)
        return {"state": "stale", "why": "document", "role": was[0], "name": was[1], **like}

    async def _call_in_frame(
        self, frame: Frame, target: Query, function: str, *arguments: Any
    ) -> tuple[IsolatedWorld, dict[str, Any]]:
        world = await self.worlds.of(frame)
        argument = target.as_json()
        result = await self.worlds.call_in(world, function, argument, *arguments, names=True)
        return world, self._note_refs(world, result)

    async def _count(self, frame: Frame, target: Query) -> dict[str, Any] | None:
        if self.tab_context.supervisor.state.frames.get(frame.id) is None:
            return None
        result: dict[str, Any] = await self.worlds.read(
            frame, "count", target.as_json(), names=True
        )
        return result

    def _note_refs(self, world: IsolatedWorld, result: dict[str, Any]) -> dict[str, Any]:
        """Remember the element numbers that a page script has assigned."""
        if "next" in result:
            self.worlds.reserve_numbers(world, result["next"])
        return result

    def _frames_to_search(self, named: str) -> list[Frame]:
        """Return the named frame, or all frames with the main frame first."""
        if not named:
            return self.tab_context.frames()
        ref = parse_ref(named)
        if ref is None:
            return [self._frame_by_name(named)]
        for frame in self.tab_context.frames():
            frame_element = self._frame_elements.known(frame.id)
            if frame_element == (self._refs.frame_of(ref), ref.number):
                return [frame]
        raise ToolError(f"frame: {named} is not an iframe", hint="use the ref of an iframe line")

    def _frame_by_name(self, named: str) -> Frame:
        """Return a frame by its id, its name, or a part of its URL. Raises ToolError."""
        frames = self.tab_context.frames()
        for result in (
            [frame for frame in frames if named in (frame.id, frame.name)],
            [frame for frame in frames if frame.parent and named in frame.url],
        ):
            if len(result) == 1:
                return result[0]
            if result:
                raise ToolError(
                    f"frame: {named!r} matches {len(result)} frames",
                    hint="use the ref of one iframe line",
                )
        return self.tab_context.frame(named)

    # Checks.

    async def _check_ready(
        self,
        target: Ref | Query,
        requirements: Requirements,
        frame: Frame,
        world: IsolatedWorld | None,
        result: dict[str, Any],
    ) -> ReadyElement | dict[str, Any]:
        """Return the element with a point for its session, or the refusal that still holds."""
        if result["state"] != "ok" or world is None:
            return result
        number = result["number"]
        same = isinstance(target, Ref) and target.number == number
        selector = str(target) if same else self.ref(frame, number)
        element = ReadyElement(
            frame,
            world.session,
            world,
            number,
            result["role"],
            result["name"],
            0,
            0,
            selector,
            result,
        )
        if not requirements.point:
            return element
        # Frames first: elements of a frame outside the view do not animate, so they never come to
        # rest.
        refused = await self._map_through_frames(element, requirements) or await self._check_still(
            element
        )
        if refused is None:
            return element
        if requirements.arm:
            # Nothing will be pressed, so disarm the guards.
            for armed in (world, *element.ancestor_worlds):
                self.worlds.notify(armed, "effects", True)
        return {**result, **refused}

    async def _check_still(self, element: ReadyElement) -> dict[str, Any] | None:
        """Return a refusal if an animation moves the element, or will soon bring it to rest."""
        if not element.facts.get("moving") or element.world is None:
            return None
        if element.facts["rests"]:
            return {"state": "moving"}
        again = await self.worlds.call_in(element.world, "box", element.js_handle)
        if again.get("state") == "ok" and not _has_moved(again, element.facts["box"]):
            return None
        return {"state": "moving"}

    async def _map_through_frames(
        self, element: ReadyElement, requirements: Requirements
    ) -> dict[str, Any] | None:
        """Set the element's point in its session's coordinates; returns a refusal if a frame hides
        it.

        A frame in its own process (OOPIF) takes its own coordinates. A frame that shares its
        parent's process takes the parent's, so offsets add up on the way to the top. There a
        press that misses the frame can land in a parent, so the parents are guarded too.
        """
        frame, at, own = element.frame, (element.facts["x"], element.facts["y"]), True
        element.x, element.y = at
        while frame.parent:
            frame_element = await self._frame_elements.of(frame)
            parent = self.tab_context.frame(frame.parent)
            if frame_element is None:
                return {"state": "hidden"}
            world = await self.worlds.of(parent)
            own = own and frame.session == parent.session
            argument = {"frame": {"x": at[0], "y": at[1]}, "arm": requirements.arm and own}
            result = await self.worlds.call_in(
                world, "probe", {"number": frame_element[1]}, argument
            )
            if result["state"] != "ok":
                return {"state": result["state"], "cover": result.get("cover", "")}
            at = (result["x"], result["y"])
            if own:
                element.x, element.y = at
                element.ancestor_worlds.append(world)
            frame = parent
        return None

    def _error(self, target: Ref | Query, selector: str, result: dict[str, Any]) -> ToolError:
        prefix = f"f{target.frame}" if isinstance(target, Ref) and target.frame else ""
        if result["state"] in ("missing", "many", "invalid"):
            return no_match_error(selector, result, prefix)
        return not_actionable_error(selector, result, prefix)


def _has_moved(now: dict[str, Any], before: dict[str, Any]) -> bool:
    return any(abs(now[side] - before[side]) > 0.5 for side in ("x", "y", "width", "height"))


class _RefusalTimer:
    """Decides how long to wait out each kind of refusal."""

    def __init__(self, timeout: float | None) -> None:
        self._loop = asyncio.get_running_loop()
        self._began = self._loop.time()
        self._timeout = timeout
        self._cover = ""
        self._covered_since = 0.0

    def is_over(self, result: dict[str, Any]) -> bool:
        """Whether to give up on this refusal."""
        now = self._loop.time()
        spent = now - self._began
        state = result["state"]
        # Waiting cannot cure these.
        if state in ("stale", "many", "invalid"):
            return True
        if state == "covered":
            # A new cover starts a new wait: toasts and spinners pass, a modal stays.
            if result.get("cover") != self._cover:
                self._cover, self._covered_since = result.get("cover", ""), now
            if now - self._covered_since >= COVERED_WITHIN_S:
                return True
        usual = MISSING_WITHIN_S if state == "missing" else READY_WITHIN_S
        return spent >= (usual if self._timeout is None else self._timeout)
