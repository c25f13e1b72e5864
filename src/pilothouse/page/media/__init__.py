"""Screenshots, PDFs and the list of a page's images.

    annotated_screenshot.py   Screenshots.screenshot(): of the viewport, the page or an element,
                              optionally with every ref drawn on it
    screenshot.py             ScreenshotCapture.take(): has Chrome paint a rectangle, also in
                              background tabs, within WITHIN_S
    screenshot_image.py       Screenshot (the image with its scale), sizes, scales, labels; pure
    pdf.py                    PdfPrinter.print(): PdfOptions to a PdfFile
    images.py                 Images.find_all(): the images of all frames as PageImage

A screenshot goes selector -> element box -> Rect in page coordinates -> Page.captureScreenshot ->
(draw refs, shrink for a model) -> Screenshot. Files are written elsewhere: local_files.py.
"""

from __future__ import annotations

from pilothouse.page.media.annotated_screenshot import Screenshots
from pilothouse.page.media.images import Images, PageImage
from pilothouse.page.media.pdf import PdfOptions, PdfPrinter
from pilothouse.page.media.screenshot_image import MODEL_BYTES, MODEL_EDGE, Screenshot

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
