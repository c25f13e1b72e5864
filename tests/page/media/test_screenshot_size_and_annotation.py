"""Sizes, scales and names on pictures: values in, values out."""

from __future__ import annotations

import io

import pytest
from PIL import Image

from pilothouse.errors import ToolError
from pilothouse.page.media.screenshot_size_and_annotation import (
    MODEL_EDGE,
    LayoutMetrics,
    Rect,
    RefBox,
    annotate,
    check_format,
    digest,
    image_size,
    model_scale,
    painted_scale,
    region,
)

VIEWPORT = Rect(0, 100, 800, 600)
METRICS = LayoutMetrics(VIEWPORT, 800, 3000, 2.0)


def made(width: int, height: int, format: str, **options: object) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (width, height), "white").save(out, format, **options)
    return out.getvalue()


@pytest.mark.parametrize(
    "data",
    [
        made(123, 45, "PNG"),
        made(123, 45, "JPEG"),
        made(123, 45, "JPEG", progressive=True),
        made(123, 45, "WEBP"),
        made(123, 45, "WEBP", lossless=True),
    ],
)
def test_the_header_tells_the_size(data: bytes) -> None:
    assert image_size(data) == (123, 45)


@pytest.mark.parametrize("data", [b"", b"GIF89a", b"\xff\xd8\xff\xe0\x00\x04ab"])
def test_what_is_no_image_has_no_size(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"png|jpeg"):
        image_size(data)


def test_the_extended_webp_header_tells_the_size() -> None:
    head = b"RIFF\0\0\0\0WEBPVP8X\0\0\0\0\0\0\0\0"
    assert image_size(head + (122).to_bytes(3, "little") + (44).to_bytes(3, "little")) == (123, 45)


def test_chromiums_answer_tells_viewport_and_size() -> None:
    answer = {
        "cssVisualViewport": {"pageX": 0, "pageY": 100, "clientWidth": 800, "clientHeight": 600},
        "cssContentSize": {"width": 800, "height": 3000},
    }
    assert LayoutMetrics.of(answer, 2.0) == METRICS


def test_without_a_wish_the_viewport_is_shown() -> None:
    assert region(None, False, METRICS) == (VIEWPORT, False)


def test_the_whole_page_goes_beyond_the_viewport() -> None:
    assert region(None, True, METRICS) == (Rect(0, 0, 800, 3000), True)


def test_a_clip_is_cut_to_the_page() -> None:
    part, beyond = region(Rect(-10, 2900, 100, 500), False, METRICS)
    assert (part, beyond) == (Rect(0, 2900, 90, 100), True)
    assert region(Rect(10, 120, 50, 50), False, METRICS) == (Rect(10, 120, 50, 50), False)


def test_a_clip_beside_the_page_is_refused_with_the_pages_size() -> None:
    with pytest.raises(ToolError, match="is outside the page") as told:
        region(Rect(5000, 0, 10, 10), False, METRICS)
    assert "800x3000" in told.value.hint


def test_a_clip_of_the_whole_page_is_a_contradiction() -> None:
    with pytest.raises(ToolError, match="full_page cannot be combined"):
        region(Rect(0, 0, 1, 1), True, METRICS)


def test_no_image_is_longer_than_the_compositor_paints() -> None:
    assert painted_scale(Rect(0, 0, 800, 3000), 1.5) == (1.5, "")
    scale, note = painted_scale(Rect(0, 0, 800, 32_768), 1.0)
    assert scale == 0.5
    assert "50%" in note


@pytest.mark.parametrize("scale", [0, -1, 11])
def test_a_scale_out_of_reach_is_refused(scale: float) -> None:
    with pytest.raises(ToolError, match="scale"):
        painted_scale(VIEWPORT, scale)


@pytest.mark.parametrize(
    ("size", "scale"),
    [
        ((1024, 768), 1.0),
        ((2048, 1000), 0.5),
        ((100, 100), 2.0),
        ((10, 5), 40.0),
        ((1000, 10), 1.024),
    ],
)
def test_a_models_copy_is_neither_too_large_nor_a_sliver(
    size: tuple[int, int], scale: float
) -> None:
    made_scale, note = model_scale(Rect(0, 0, *size))
    assert made_scale == pytest.approx(scale)
    assert max(size) * made_scale <= MODEL_EDGE + 0.01
    assert note == ""


def test_a_copy_that_nobody_can_read_says_so() -> None:
    assert "too small to read" in model_scale(Rect(0, 0, 1000, 20_000))[1]


@pytest.mark.parametrize(("format", "quality"), [("gif", None), ("png", 50), ("jpeg", 101)])
def test_what_chromium_would_refuse_is_refused(format: str, quality: int | None) -> None:
    with pytest.raises(ToolError):
        check_format(format, quality)


def test_equal_pictures_have_equal_digests() -> None:
    assert digest(b"a") == digest(b"a") != digest(b"b")


@pytest.mark.parametrize("format", ["png", "jpeg", "webp"])
def test_marks_are_drawn_where_their_elements_are(format: str) -> None:
    page = made(400, 300, "PNG")
    # Shown at half size, from 100 pixels below the viewport's top.
    shown, viewport = Rect(0, 200, 800, 600), Rect(0, 100, 800, 600)
    mark = RefBox("e12", 200, 300, 100, 60)
    drawn = annotate(page, [mark, RefBox("far", 9000, 0, 5, 5)], shown, viewport, format, None)
    assert image_size(drawn) == (400, 300)
    with Image.open(io.BytesIO(drawn)) as image:
        grey = image.convert("L")
        corner, middle = grey.getpixel((150, 129)), grey.getpixel((125, 115))
    assert isinstance(corner, int)
    assert isinstance(middle, int)
    assert corner < 200, "the box's lower right corner"
    assert middle > 230, "inside it the page is seen"


def test_names_of_elements_at_one_place_do_not_cover_each_other() -> None:
    marks = [RefBox("e1", 50, 50, 30, 30), RefBox("e2", 50, 50, 30, 30)]
    page = made(200, 200, "PNG")
    whole = Rect(0, 0, 200, 200)
    one = annotate(page, marks[:1], whole, whole, "png", None)
    two = annotate(page, marks, whole, whole, "png", None)
    colours = []
    for data in (one, two):
        with Image.open(io.BytesIO(data)) as image:
            colours.append({colour for _, colour in image.convert("RGB").getcolors(9999) or ()})
    assert (0xC2, 0x18, 0x5B) in colours[1], "the first name is still to be seen"
    assert (0x15, 0x65, 0xC0) in colours[1]
    assert (0x15, 0x65, 0xC0) not in colours[0]
