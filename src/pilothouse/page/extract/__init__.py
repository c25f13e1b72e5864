"""Text extraction: the page, its article or a part of it as markdown or plain text.

    page_text.py      Extractor.read() asks every frame for its text and returns an ExtractedText
    frame_texts.py  pure text functions: put the text of each frame where its element is, clean up
                    blank lines, cut at a limit

The text is made in the page by js/extract.js (walk of the composed tree), js/extract_text_writer.js
(markdown writer) and js/extract_article.js (Readability on a copy of the document). A frame's
text has a marker where a child frame belongs; stitch() replaces the markers by the texts of the
child frames. docs/extract.md explains why this is done in the page.
"""

from __future__ import annotations

from pilothouse.page.extract.page_text import ExtractedText, Extractor

__all__ = ["ExtractedText", "Extractor"]
