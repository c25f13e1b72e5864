"""TODO-MAP page/media."""

from __future__ import annotations

from pilothouse.page.media.annotated_screenshot import Screenshots
from pilothouse.page.media.image_geometry import MODEL_BYTES, MODEL_EDGE, Screenshot
from pilothouse.page.media.images import Images, PageImage
from pilothouse.page.media.pdf import PdfOptions, PdfPrinter

__all__ = [
    "MODEL_BYTES",
    "MODEL_EDGE",
    "Images",
    "PageImage",
    "PdfOptions",
    "PdfPrinter",
    "Screenshot",
    "Screenshots",
]
