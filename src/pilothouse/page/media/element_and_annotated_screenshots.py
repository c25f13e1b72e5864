"""Screenshots of one element, or of the page with every ref drawn on it.

Knows: where elements of any frame are in page coordinates. Must not know: how a screenshot is
taken (screenshot.py).
"""

from __future__ import annotations

from typing import Any

from pilothouse.page.input import ElementResolver, Requirements, point_error
from pilothouse.page.media.screenshot import ScreenshotCapture
from pilothouse.page.media.screenshot_size_and_annotation import Rect, RefBox, Screenshot
from pilothouse.page.snapshot import Node, Refs, SnapshotOptions, Snapshots, parse_ref
from pilothouse.page.world import FrameElements, IsolatedWorlds
from pilothouse.supervisor import Outcome

__all__ = ["Screenshots"]


class Screenshots:
    """Takes the screenshots of one tab."""

    def __init__(
        self,
        resolver: ElementResolver,
        worlds: IsolatedWorlds,
        frame_elements: FrameElements,
        refs: Refs,
        snapshots: Snapshots,
    ) -> None:
        self._resolver = resolver
        self._worlds = worlds
        self._frame_elements = frame_elements
        self._refs = refs
        self._snapshots = snapshots
        self._capture = ScreenshotCapture(resolver.tab_context, worlds)

    async def screenshot(
        self,
        target: Any = None,
        *,
        full_page: bool = False,
        annotate: bool = False,
        format: str = "png",
        quality: int | None = None,
        scale: float = 1.0,
        for_model: bool = False,
        if_changed: str = "",
    ) -> Outcome[Screenshot]:
        """Take a screenshot of the viewport, the whole page or one element; `annotate` draws the
        refs.

        `for_model` makes a copy that any model accepts: at most 1024x1024 pixels and 150 KiB. See
        `ScreenshotCapture.take` for the rest.
        """

        async def work() -> Outcome[Screenshot]:
            clip = await self._clip(target) if target is not None else None
            boxes = await self._ref_boxes() if annotate else []
            return await self._capture.take(
                full_page=full_page,
                clip=clip,
                format=format,
                quality=quality,
                scale=scale,
                for_model=for_model,
                ref_boxes=boxes,
                if_changed=if_changed,
            )

        if target is None and not annotate:
            return await work()
        outcome = await self._resolver.tab_context.race(work)
        return outcome.value if outcome.value is not None else Outcome(
            blocked_by=outcome.blocked_by, action_id=outcome.action_id
        )  # fmt: skip

    async def _clip(self, target: Any) -> Rect:
        """Scroll an element into view and return its rectangle in page coordinates."""
        element = await self._resolver.resolve(target, Requirements(enabled=False))
        if element.world is None:
            raise point_error("target", element.selector)
        box = element.facts["box"]
        x, y, scale = await self._origin(element.frame.id)
        main = self._resolver.tab_context.main()
        seen = await self._worlds.read(main, "scrolled")
        return Rect(
            x + box["x"] * scale + seen["x"],
            y + box["y"] * scale + seen["y"],
            box["width"] * scale,
            box["height"] * scale,
        )

    async def _origin(self, frame_id: str) -> tuple[float, float, float]:
        """Return the position of a frame's viewport in the main frame's viewport, and its scale:
        a CSS transform may have resized the frame."""
        frame = self._resolver.tab_context.frame(frame_id)
        if not frame.parent:
            return 0.0, 0.0, 1.0
        position = await self._frame_elements.of(frame)
        x, y, scale = await self._origin(frame.parent)
        if position is None:
            return x, y, scale
        parent = self._resolver.tab_context.frame(frame.parent)
        at = await self._worlds.read(parent, "frameOrigin", position[1])
        return x + at["x"] * scale, y + at["y"] * scale, scale * at["scale"]

    async def _ref_boxes(self) -> list[RefBox]:
        """Return the interactive elements in the viewport, with their boxes."""
        options = SnapshotOptions(boxes=True, viewport=True, budget=0)
        # A client name of our own: the agent's diffs must not compare with this snapshot.
        snapshot = await self._snapshots.take(options, client="screenshots")
        origins: dict[str, tuple[float, float, float]] = {}
        boxes = []
        for node in _interactive(snapshot.nodes):
            parsed = parse_ref(node.ref)
            if parsed is None or not node.box:
                continue
            frame_id = self._refs.frame_of(parsed)
            if frame_id not in origins:
                origins[frame_id] = await self._origin(frame_id)
            x, y, scale = origins[frame_id]
            left, top, width, height = (float(part) for part in node.box.split(","))
            box = RefBox(node.ref, x + left * scale, y + top * scale, width * scale, height * scale)
            boxes.append(box)
        return boxes


def _interactive(nodes: list[Node]) -> list[Node]:
    return [inner for node in nodes for inner in node.walk() if inner.acts]
