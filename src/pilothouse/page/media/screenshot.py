"""ScreenshotCapture: screenshots of the viewport, the page or a part of it, also of background
tabs.

Knows: how to make Chrome paint. Must not know: elements; the caller passes a rectangle. A tab is
never brought to the front, and a capture never takes longer than WITHIN_S.
docs/cdp/background-screenshots.md explains why a plain Page.captureScreenshot would do both.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pilothouse.cdp import Command, Session
from pilothouse.cdp.protocol import Page
from pilothouse.errors import CommandTimeout, ToolError, WaitTimeout
from pilothouse.page.media.screenshot_size_and_annotation import (
    MODEL_BYTES,
    MODEL_STEPS,
    LayoutMetrics,
    Rect,
    RefBox,
    Screenshot,
    annotate,
    check_format,
    digest,
    image_size,
    model_scale,
    painted_scale,
    region,
)
from pilothouse.page.tab_context import TabContext
from pilothouse.page.world import IsolatedWorlds
from pilothouse.supervisor import Outcome

if TYPE_CHECKING:
    from pilothouse.cdp.protocol import PageCaptureScreenshotResult, PageViewport

__all__ = ["WITHIN_S", "ScreenshotCapture"]

WITHIN_S = 3.0
# A little less than WITHIN_S, after which the race probes the renderer.
_ENDS_AFTER_S = 2.8
# Send a second capture after this time; a tab that paints answers within a tenth of it.
AGAIN_AFTER_S = 1.2

# A screencast makes Chrome paint a tab even in the background. Its frames are not used, so they
# are as small as possible.
_START_SCREENCAST: Command[object] = Command(
    "Page.startScreencast", {"format": "jpeg", "quality": 1, "maxWidth": 8, "maxHeight": 8}
)
_STOP_SCREENCAST: Command[object] = Command("Page.stopScreencast")


class ScreenshotCapture:
    """Captures screenshots of one tab."""

    def __init__(self, context: TabContext, worlds: IsolatedWorlds) -> None:
        self._context = context
        self._worlds = worlds
        # Session id -> how many captures need its screencast now.
        self._screencasts: dict[str, int] = {}

    async def take(
        self,
        *,
        full_page: bool = False,
        clip: Rect | None = None,
        format: str = "png",
        quality: int | None = None,
        scale: float = 1.0,
        for_model: bool = False,
        ref_boxes: Sequence[RefBox] = (),
        if_changed: str = "",
    ) -> Outcome[Screenshot]:
        """Capture the viewport, the whole page or `clip`.

        `scale` is image pixels per CSS pixel. `for_model` ignores scale, format and quality: the
        copy is a jpeg of at most 1024x1024 pixels and 150 KiB. `if_changed` is the digest of an
        earlier screenshot: an equal one is returned without data. Raises ToolError, after
        WITHIN_S at the latest.
        """
        check_format(format, quality)
        session = self._context.session
        request = _CaptureRequest(
            full_page, clip, format, quality, scale, for_model, tuple(ref_boxes)
        )

        async def work() -> Screenshot:
            try:
                async with asyncio.timeout(_ENDS_AFTER_S):
                    taken = await self._take(session, request)
            except (TimeoutError, CommandTimeout) as error:
                raise _paint_error() from error
            if if_changed and if_changed == taken.digest:
                return replace(taken, data=b"", unchanged=True)
            return taken

        return await self._context.race(work, session)

    async def _take(self, session: Session, request: _CaptureRequest) -> Screenshot:
        self._start_screencast(session)
        try:
            metrics = await self._metrics(session)
            part, beyond = region(request.clip, request.full_page, metrics)
            if request.for_model:
                return await self._model_copy(session, request, metrics, part, beyond)
            scale, note = painted_scale(part, request.scale)
            data = await self._capture(
                session, part, beyond, scale / metrics.density, request.format, request.quality
            )
            return await _make_screenshot(data, request, metrics, part, note)
        finally:
            self._stop_screencast(session)

    async def _metrics(self, session: Session) -> LayoutMetrics:
        answer = await session.send(Page.getLayoutMetrics(), WITHIN_S)
        return LayoutMetrics.of(answer, await self._worlds.read(self._context.main(), "density"))

    async def _capture(
        self,
        session: Session,
        part: Rect,
        beyond: bool,
        scale: float,
        format: str,
        quality: int | None,
    ) -> bytes:
        """Have Chrome paint; send a second request if the first one is stuck."""
        clip: PageViewport = {
            "x": part.x,
            "y": part.y,
            "width": part.width,
            "height": part.height,
            "scale": scale,
        }
        command = Page.captureScreenshot(
            format=format,
            quality=quality,
            clip=clip,
            captureBeyondViewport=beyond,
            optimizeForSpeed=True,
        )
        first = asyncio.ensure_future(_send_capture(session, command))
        tries = {first}
        try:
            done, _ = await asyncio.wait(tries, timeout=AGAIN_AFTER_S)
            if not done:
                tries.add(asyncio.ensure_future(_send_capture(session, command)))
                done, _ = await asyncio.wait(
                    tries, timeout=WITHIN_S, return_when=asyncio.FIRST_COMPLETED
                )
            if not done:
                raise _paint_error()
            return done.pop().result()
        finally:
            for task in tries:
                task.cancel()

    async def _model_copy(
        self,
        session: Session,
        request: _CaptureRequest,
        metrics: LayoutMetrics,
        part: Rect,
        beyond: bool,
    ) -> Screenshot:
        """Capture a copy within a model's limits: reduce quality first, then size."""
        full, note = model_scale(part)
        best: Screenshot | None = None
        for quality, less in MODEL_STEPS:
            scale = full * less / metrics.density
            data = await self._capture(session, part, beyond, scale, "jpeg", quality)
            jpeg = request.as_jpeg(quality)
            best = await _make_screenshot(data, jpeg, metrics, part, note)
            if len(best.data) <= MODEL_BYTES:
                break
        assert best is not None
        return best

    def _start_screencast(self, session: Session) -> None:
        count = self._screencasts.get(session.id, 0)
        self._screencasts[session.id] = count + 1
        if not count:
            session.send(_START_SCREENCAST, WITHIN_S)

    def _stop_screencast(self, session: Session) -> None:
        self._screencasts[session.id] -= 1
        if not self._screencasts[session.id]:
            del self._screencasts[session.id]
            session.send(_STOP_SCREENCAST, WITHIN_S)


class _CaptureRequest:
    """The arguments of one call of `take`."""

    def __init__(
        self,
        full_page: bool,
        clip: Rect | None,
        format: str,
        quality: int | None,
        scale: float,
        for_model: bool,
        ref_boxes: tuple[RefBox, ...],
    ) -> None:
        self.full_page = full_page
        self.clip = clip
        self.format = format
        self.quality = quality
        self.scale = scale
        self.for_model = for_model
        self.ref_boxes = ref_boxes

    def as_jpeg(self, quality: int) -> _CaptureRequest:
        return _CaptureRequest(
            self.full_page, self.clip, "jpeg", quality, self.scale, True, self.ref_boxes
        )


async def _send_capture(session: Session, command: Command[PageCaptureScreenshotResult]) -> bytes:
    answer = await session.send(command, WITHIN_S)
    return base64.b64decode(answer["data"])


async def _make_screenshot(
    data: bytes, request: _CaptureRequest, metrics: LayoutMetrics, part: Rect, note: str
) -> Screenshot:
    if request.ref_boxes:
        data = await asyncio.to_thread(
            annotate,
            data,
            request.ref_boxes,
            part,
            metrics.viewport,
            request.format,
            request.quality,
        )
    width, height = image_size(data)
    return Screenshot(
        data=data,
        mime=f"image/{request.format}",
        width=width,
        height=height,
        factor=part.width / width,
        css_width=part.width,
        css_height=part.height,
        x=part.x,
        y=part.y,
        note=note,
        digest=digest(data),
    )


def _paint_error() -> ToolError:
    return WaitTimeout(
        f"Chrome did not paint the tab within {WITHIN_S:g} s",
        hint="try again, because the page may be busy; or take a snapshot, which needs no painting",
    )
