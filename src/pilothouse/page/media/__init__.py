"""TODO-MAP page/media."""

from __future__ import annotations

from pilothouse.page.media.annotated_screenshot import Pictures
from pilothouse.page.media.image_geometry import MODEL_BYTES, MODEL_EDGE, Picture
from pilothouse.page.media.images import Images, PageImage
from pilothouse.page.media.pdf import Pdf, Sheet

__all__ = [
    "MODEL_BYTES",
    "MODEL_EDGE",
    "Images",
    "PageImage",
    "Pdf",
    "Picture",
    "Pictures",
    "Sheet",
]
