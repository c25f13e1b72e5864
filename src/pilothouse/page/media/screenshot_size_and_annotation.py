"""Screenshots as values: image sizes, scales, and refs drawn onto an image. Pure.

Knows: image headers, the image limits of models, pillow (imported only to draw). Must not know:
browsers.
"""

from __future__ import annotations

import hashlib
import io
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from pilothouse.errors import ToolError, UsageError

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

__all__ = [
    "FORMATS",
    "MODEL_BYTES",
    "MODEL_EDGE",
    "MODEL_STEPS",
    "LayoutMetrics",
    "Rect",
    "RefBox",
    "Screenshot",
    "annotate",
    "check_format",
    "digest",
    "image_size",
    "model_scale",
    "painted_scale",
    "region",
]

FORMATS = ("png", "jpeg", "webp")

# Models accept images of this size without an error and without shrinking them.
MODEL_EDGE = 1024
MODEL_BYTES = 150 * 1024
LEAST_EDGE = 200
# JPEG quality and scale to try, best first; the last is always small enough.
MODEL_STEPS = ((70, 1.0), (50, 1.0), (35, 0.75), (30, 0.5), (25, 0.35), (20, 0.25), (10, 0.15))

# For longer images, Chromium's compositor repeats or drops parts.
PAINTED_EDGE = 16_384
LARGEST_SCALE = 10.0


class Rect(msgspec.Struct, frozen=True):
    """A part of the page, in CSS pixels from its top left corner."""

    x: float
    y: float
    width: float
    height: float

    def within(self, other: Rect) -> bool:
        """Whether this rectangle lies inside another one, with half a pixel of tolerance."""
        return (
            self.x >= other.x - 0.5
            and self.y >= other.y - 0.5
            and self.x + self.width <= other.x + other.width + 0.5
            and self.y + self.height <= other.y + other.height + 0.5
        )


class RefBox(msgspec.Struct, frozen=True):
    """A ref and the box of its element, in CSS pixels of the viewport."""

    ref: str
    x: float
    y: float
    width: float
    height: float


class LayoutMetrics(msgspec.Struct, frozen=True):
    """The visible part and the size of a page in CSS pixels; `density` is device pixels per CSS
    pixel."""

    viewport: Rect
    width: float
    height: float
    density: float = 1.0

    @classmethod
    def of(cls, answer: Any, density: float) -> LayoutMetrics:
        """Convert the reply of Page.getLayoutMetrics, which lacks an emulated density."""
        seen, size = answer["cssVisualViewport"], answer["cssContentSize"]
        shown = Rect(seen["pageX"], seen["pageY"], seen["clientWidth"], seen["clientHeight"])
        return cls(shown, size["width"], size["height"], density)


class Screenshot(msgspec.Struct, frozen=True):
    """An image of a page. Multiply a point of the image by `factor` to get CSS pixels."""

    data: bytes
    mime: str
    width: int
    height: int
    factor: float
    css_width: float
    css_height: float
    x: float = 0.0
    y: float = 0.0
    note: str = ""
    unchanged: bool = False
    digest: str = ""
    path: str = ""


def check_format(format: str, quality: int | None) -> None:
    """Check format and quality: Chromium's own errors are hard to understand. Raises ToolError."""
    if format not in FORMATS:
        raise UsageError(
            f"format: unknown value {format!r}; expected one of {', '.join(FORMATS)}",
            hint=f"use one of {', '.join(FORMATS)}",
        )
    if quality is not None and format == "png":
        raise UsageError("quality: png images have no quality", hint="omit it, or use jpeg or webp")
    if quality is not None and not 0 <= quality <= 100:
        raise UsageError(
            f"quality: {quality} is out of range; expected 0 to 100", hint="use 75, for example"
        )


def region(clip: Rect | None, full_page: bool, metrics: LayoutMetrics) -> tuple[Rect, bool]:
    """Return the rectangle to paint, and whether it exceeds the viewport. Raises ToolError."""
    if clip is not None and full_page:
        raise UsageError("full_page cannot be combined with one element", hint="pass one of them")
    if full_page:
        whole = Rect(0, 0, metrics.width, metrics.height)
        return whole, not whole.within(metrics.viewport)
    if clip is None:
        return metrics.viewport, False
    seen = metrics.viewport
    right = min(clip.x + clip.width, max(metrics.width, seen.x + seen.width))
    bottom = min(clip.y + clip.height, max(metrics.height, seen.y + seen.height))
    left, top = max(0.0, clip.x), max(0.0, clip.y)
    if right - left < 1 or bottom - top < 1:
        raise ToolError(
            f"clip: {clip.x:g},{clip.y:g} {clip.width:g}x{clip.height:g} is outside the page",
            hint=f"use a part of the page: {metrics.width:g}x{metrics.height:g} CSS pixels",
        )
    part = Rect(left, top, right - left, bottom - top)
    return part, not part.within(metrics.viewport)


def painted_scale(part: Rect, scale: float) -> tuple[float, str]:
    """Return the scale that Chromium can paint, and a note if it is not the requested one."""
    if not 0 < scale <= LARGEST_SCALE:
        raise UsageError(
            f"scale: {scale:g} is out of range; expected more than 0, at most {LARGEST_SCALE:g}",
            hint="use 1 for one image pixel per CSS pixel",
        )
    edge = max(part.width, part.height)
    if edge * scale <= PAINTED_EDGE:
        return scale, ""
    possible = PAINTED_EDGE / edge
    return possible, (
        f"the page is {part.width:g}x{part.height:g}: shown at {possible:.0%} because no image may "
        f"be longer than {PAINTED_EDGE}"
    )


def model_scale(part: Rect) -> tuple[float, str]:
    """Return the scale of a model's copy: the long edge at most MODEL_EDGE, the short edge at
    least LEAST_EDGE if possible, because some models refuse slivers."""
    scale = min(1.0, MODEL_EDGE / part.width, MODEL_EDGE / part.height)
    short, long = sorted((part.width * scale, part.height * scale))
    if short < LEAST_EDGE:
        scale *= min(LEAST_EDGE / short, MODEL_EDGE / long)
    if scale >= 0.35:
        return scale, ""
    return (
        scale,
        f"shown at {scale:.0%}: too small to read; capture the viewport or one element instead",
    )


def digest(data: bytes) -> str:
    """Return a digest of an image: equal images have equal digests."""
    return hashlib.blake2s(data, digest_size=10).hexdigest()


def image_size(data: bytes) -> tuple[int, int]:
    """Read width and height from the header of a png, jpeg or webp image. Raises ValueError."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")
    if data.startswith(b"\xff\xd8"):
        return _jpeg_size(data)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return _webp_size(data)
    raise ValueError("neither png nor jpeg nor webp")


def _jpeg_size(data: bytes) -> tuple[int, int]:
    at = 2
    while at + 9 < len(data):
        marker, length = data[at + 1], int.from_bytes(data[at + 2 : at + 4], "big")
        # SOF markers hold the size; C4, C8 and CC in their range are tables.
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height = int.from_bytes(data[at + 5 : at + 7], "big")
            return int.from_bytes(data[at + 7 : at + 9], "big"), height
        at += 2 + length
    raise ValueError("a jpeg without a frame")


def _webp_size(data: bytes) -> tuple[int, int]:
    kind = data[12:16]
    if kind == b"VP8X":
        return (
            int.from_bytes(data[24:27], "little") + 1,
            int.from_bytes(data[27:30], "little") + 1,
        )
    if kind == b"VP8L":
        bits = int.from_bytes(data[21:25], "little")
        return (bits & 0x3FFF) + 1, ((bits >> 14) & 0x3FFF) + 1
    width, height = data[26:28], data[28:30]
    return int.from_bytes(width, "little") & 0x3FFF, int.from_bytes(height, "little") & 0x3FFF


# Colours that are easy to tell apart, and dark enough for white letters.
_COLOURS = ("#c2185b", "#1565c0", "#2e7d32", "#6a1b9a", "#b34700", "#00695c", "#4e342e", "#37474f")


def annotate(
    data: bytes,
    boxes: Sequence[RefBox],
    shown: Rect,
    viewport: Rect,
    format: str,
    quality: int | None,
) -> bytes:
    """Draw a box and a label for each ref onto an image. Raises ToolError without pillow."""
    try:
        from PIL import Image, ImageDraw, ImageFont
    except ImportError as error:
        raise ToolError(
            "annotated screenshots need pillow", hint="run pip install pillow, or omit the refs"
        ) from error
    with Image.open(io.BytesIO(data)) as opened:
        image = opened.convert("RGB")
    ratio = image.width / shown.width
    font = ImageFont.load_default(size=max(11, min(18, round(13 * ratio))))
    draw = ImageDraw.Draw(image)
    taken: list[tuple[float, float, float, float]] = []
    for index, box in enumerate(boxes):
        left = (box.x + viewport.x - shown.x) * ratio
        top = (box.y + viewport.y - shown.y) * ratio
        right, bottom = left + box.width * ratio, top + box.height * ratio
        if right < 0 or bottom < 0 or left > image.width or top > image.height:
            continue
        colour = _COLOURS[index % len(_COLOURS)]
        draw.rectangle((left, top, max(left, right), max(top, bottom)), outline=colour, width=2)
        _draw_label(draw, box.ref, (left, top), (image.width, image.height), colour, font, taken)
    out = io.BytesIO()
    options: dict[str, Any] = (
        {} if format == "png" else {"quality": 75 if quality is None else quality}
    )
    image.save(out, format.upper(), **options)
    return out.getvalue()


def _draw_label(
    draw: ImageDraw,
    text: str,
    at: tuple[float, float],
    size: tuple[int, int],
    colour: str,
    font: Any,
    taken: list[tuple[float, float, float, float]],
) -> None:
    """Draw a label at its box, where no other label is yet if possible."""
    box = draw.textbbox((0, 0), text, font=font)
    width, height = math.ceil(box[2] - box[0]) + 6, math.ceil(box[3] - box[1]) + 4
    left, top = at
    for x, y in ((left, top - height), (left, top), (left + width, top), (left, top + height)):
        x = min(max(0.0, x), max(0.0, size[0] - width))
        y = min(max(0.0, y), max(0.0, size[1] - height))
        label = (x, y, x + width, y + height)
        if not any(_overlap(label, other) for other in taken):
            break
    taken.append(label)
    draw.rectangle(label, fill=colour)
    draw.text((label[0] + 3 - box[0], label[1] + 2 - box[1]), text, fill="white", font=font)


def _overlap(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
