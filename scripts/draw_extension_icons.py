"""Draw the extension's icons: a ship's wheel in the window of a pilothouse.

    python scripts/draw_extension_icons.py

Small icons have fewer spokes and thicker lines, so that they stay readable.
"""

from __future__ import annotations

import math
from pathlib import Path

from PIL import Image, ImageDraw

OUT = Path(__file__).parent.parent / "extension" / "icons"
SIZES = (16, 32, 48, 128)
FINE = 8  # draw this many times larger, then scale down

WALL = (16, 52, 74, 255)
GLASS = (22, 122, 124, 255)
WHEEL = (255, 255, 255, 255)
HUB = (255, 196, 87, 255)


def draw(size: int) -> Image.Image:
    """Draw one icon."""
    small = size <= 16
    whole = size * FINE
    image = Image.new("RGBA", (whole, whole), (0, 0, 0, 0))
    pen = ImageDraw.Draw(image)
    pen.rounded_rectangle((0, 0, whole - 1, whole - 1), whole * 0.22, fill=WALL)
    edge = whole * (0.07 if small else 0.09)
    pen.rounded_rectangle((edge, edge, whole - edge, whole - edge), whole * 0.16, fill=GLASS)
    middle = whole / 2
    ring, line = whole * (0.25 if small else 0.23), whole * (0.085 if small else 0.062)
    reach = whole * (0.40 if small else 0.375)
    count = 6 if small else 8
    for number in range(count):
        angle = math.pi / 2 + 2 * math.pi * number / count
        x, y = math.cos(angle), math.sin(angle)
        end = (middle + reach * x, middle + reach * y)
        pen.line((middle, middle, *end), fill=WHEEL, width=round(line * 0.85))
        knob = line * (0.55 if small else 0.78)
        pen.ellipse((end[0] - knob, end[1] - knob, end[0] + knob, end[1] + knob), fill=WHEEL)
    box = (middle - ring, middle - ring, middle + ring, middle + ring)
    pen.ellipse(box, outline=WHEEL, width=round(line))
    hub = whole * (0.10 if small else 0.085)
    pen.ellipse((middle - hub, middle - hub, middle + hub, middle + hub), fill=HUB)
    return image.resize((size, size), Image.Resampling.LANCZOS)


def main() -> None:
    """Write the icons of all sizes."""
    OUT.mkdir(parents=True, exist_ok=True)
    for size in SIZES:
        draw(size).save(OUT / f"{size}.png", optimize=True)


if __name__ == "__main__":
    main()
