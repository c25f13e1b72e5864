"""Screenshots: of the viewport, the page or a part of it, also of tabs nobody looks at.

Knows: how Chromium is made to paint. Must not know: what elements are; a caller that wants one
gives its rectangle. A tab is never brought to the front, and never waited for longer than
WITHIN_S: docs/cdp/background-screenshots.md says why a plain capture would be.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pilothouse.cdp import Command, Session
from pilothouse.cdp.protocol import Page
from pilothouse.errors import CommandTimeout, ToolError
from pilothouse.page.media.image_geometry import (
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
# A little less: whoever races this work starts to probe the renderer after WITHIN_S.
_ENDS_AFTER_S = 2.8
# A tab that paints answers within a tenth of it.
AGAIN_AFTER_S = 1.2

# Whoever streams a tab makes it paint, seen or not. The frames themselves are not wanted.
_STREAM: Command[object] = Command(
    "Page.startScreencast", {"format": "jpeg", "quality": 1, "maxWidth": 8, "maxHeight": 8}
)
_STREAM_NO_MORE: Command[object] = Command("Page.stopScreencast")


class ScreenshotCapture:
    """The camera of one tab."""

    def __init__(self, context: TabContext, worlds: IsolatedWorlds) -> None:
        self._context = context
        self._worlds = worlds
        # Session -> how many captures need its stream now.
        self._streaming: dict[str, int] = {}

    async def take(
        self,
        *,
        full_page: bool = False,
        clip: Rect | None = None,
        format: str = "png",
        quality: int | None = None,
        scale: float = 1.0,
        for_model: bool = False,
        marks: Sequence[RefBox] = (),
        if_changed: str = "",
    ) -> Outcome[Screenshot]:
        """A picture of the viewport, of the whole page or of `clip`.

        `scale` is image pixels per CSS pixel. `for_model` ignores it, format and quality: the copy
        is a jpeg of at most 1024x1024 and 150 KiB. `if_changed` is the digest of an earlier
        picture: an equal one comes without data. Raises ToolError, after WITHIN_S at the latest.
        """
        check_format(format, quality)
        session = self._context.session
        wanted = _Wanted(full_page, clip, format, quality, scale, for_model, tuple(marks))

        async def work() -> Screenshot:
            try:
                async with asyncio.timeout(_ENDS_AFTER_S):
                    taken = await self._taken(session, wanted)
            except (TimeoutError, CommandTimeout) as error:
                raise _not_painted() from error
            if if_changed and if_changed == taken.digest:
                return replace(taken, data=b"", unchanged=True)
            return taken

        return await self._context.race(work, session)

    async def _taken(self, session: Session, wanted: _Wanted) -> Screenshot:
        self._stream(session)
        try:
            metrics = await self._metrics(session)
            part, beyond = region(wanted.clip, wanted.full_page, metrics)
            if wanted.for_model:
                return await self._model_copy(session, wanted, metrics, part, beyond)
            scale, note = painted_scale(part, wanted.scale)
            data = await self._capture(
                session, part, beyond, scale / metrics.density, wanted.format, wanted.quality
            )
            return await _developed(data, wanted, metrics, part, note)
        finally:
            self._stream_no_more(session)

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
        """Paint; a second request after a while helps where the first one is stuck."""
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
        first = asyncio.ensure_future(_answered(session, command))
        tries = {first}
        try:
            done, _ = await asyncio.wait(tries, timeout=AGAIN_AFTER_S)
            if not done:
                tries.add(asyncio.ensure_future(_answered(session, command)))
                done, _ = await asyncio.wait(
                    tries, timeout=WITHIN_S, return_when=asyncio.FIRST_COMPLETED
                )
            if not done:
                raise _not_painted()
            return done.pop().result()
        finally:
            for task in tries:
                task.cancel()

    async def _model_copy(
        self, session: Session, wanted: _Wanted, metrics: LayoutMetrics, part: Rect, beyond: bool
    ) -> Screenshot:
        """A copy within a model's limits: quality first, then size gives way."""
        full, note = model_scale(part)
        best: Screenshot | None = None
        for quality, less in MODEL_STEPS:
            scale = full * less / metrics.density
            data = await self._capture(session, part, beyond, scale, "jpeg", quality)
            jpeg = wanted.as_jpeg(quality)
            best = await _developed(data, jpeg, metrics, part, note)
            if len(best.data) <= MODEL_BYTES:
                break
        assert best is not None
        return best

    def _stream(self, session: Session) -> None:
        count = self._streaming.get(session.id, 0)
        self._streaming[session.id] = count + 1
        if not count:
            session.send(_STREAM, WITHIN_S)

    def _stream_no_more(self, session: Session) -> None:
        self._streaming[session.id] -= 1
        if not self._streaming[session.id]:
            del self._streaming[session.id]
            session.send(_STREAM_NO_MORE, WITHIN_S)


class _Wanted:
    """What was asked for."""

    def __init__(
        self,
        full_page: bool,
        clip: Rect | None,
        format: str,
        quality: int | None,
        scale: float,
        for_model: bool,
        marks: tuple[RefBox, ...],
    ) -> None:
        self.full_page = full_page
        self.clip = clip
        self.format = format
        self.quality = quality
        self.scale = scale
        self.for_model = for_model
        self.marks = marks

    def as_jpeg(self, quality: int) -> _Wanted:
        return _Wanted(self.full_page, self.clip, "jpeg", quality, self.scale, True, self.marks)


async def _answered(session: Session, command: Command[PageCaptureScreenshotResult]) -> bytes:
    answer = await session.send(command, WITHIN_S)
    return base64.b64decode(answer["data"])


async def _developed(
    data: bytes, wanted: _Wanted, metrics: LayoutMetrics, part: Rect, note: str
) -> Screenshot:
    if wanted.marks:
        data = await asyncio.to_thread(
            annotate, data, wanted.marks, part, metrics.viewport, wanted.format, wanted.quality
        )
    width, height = image_size(data)
    return Screenshot(
        data=data,
        mime=f"image/{wanted.format}",
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


def _not_painted() -> ToolError:
    return ToolError(
        f"the tab was not painted within {WITHIN_S:g} s",
        hint="its page may be busy: try again, or use a snapshot, which needs no painting",
    )
