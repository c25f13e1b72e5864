"""Screenshots, PDFs and the list of a page's images.

    element_and_annotated_screenshots.py  Screenshots.screenshot(): of the viewport, the page or an
                    element, optionally with every ref drawn on it
    screenshot.py   ScreenshotCapture.take(): has Chrome paint a rectangle, also in background tabs,
                    within WITHIN_S
    screenshot_size_and_annotation.py  Screenshot (the image with its scale), sizes, scales, labels;
                    pure
    pdf.py          PdfPrinter.print(): PdfOptions to a PdfFile
    page_images.py  Images.find_all(): the images of all frames as PageImage

A screenshot goes selector -> element box -> Rect in page coordinates -> Page.captureScreenshot ->
(draw refs, shrink for a model) -> Screenshot. Files are written elsewhere: local_files.py.
"""

from __future__ import annotations

from pilothouse.page.media.element_and_annotated_screenshots import Screenshots
from pilothouse.page.media.page_images import Images, PageImage
from pilothouse.page.media.pdf import PdfOptions, PdfPrinter
from pilothouse.page.media.screenshot_size_and_annotation import MODEL_BYTES, MODEL_EDGE, Screenshot

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
