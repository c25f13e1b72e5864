"""Pages as PDF.

Knows: paper, lengths and `Page.printToPDF`. Must not know: where the file goes.
"""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING

import msgspec

from pilothouse.cdp import Command
from pilothouse.cdp.protocol import IO, Page
from pilothouse.errors import CommandFailed, ToolError
from pilothouse.page.tab_context import TabContext
from pilothouse.supervisor import Outcome

if TYPE_CHECKING:
    from pilothouse.cdp.protocol import PagePrintToPDFResult

__all__ = ["PAPERS", "PdfFile", "PdfOptions", "PdfPrinter", "inches", "paper_size"]

WITHIN_S = 120.0
CHUNK = 1 << 20

# Width and height in inches, upright.
PAPERS = {
    "a3": (11.69, 16.54),
    "a4": (8.27, 11.69),
    "a5": (5.83, 8.27),
    "a6": (4.13, 5.83),
    "legal": (8.5, 14.0),
    "letter": (8.5, 11.0),
    "tabloid": (11.0, 17.0),
}
_UNITS = {"in": 1.0, "cm": 1 / 2.54, "mm": 1 / 25.4, "px": 1 / 96, "pt": 1 / 72}
_LENGTH = re.compile(r"\s*(\d+(?:\.\d+)?|\.\d+)\s*(in|cm|mm|px|pt)\s*")
_RANGES = re.compile(r"\s*\d*\s*-?\s*\d*\s*(,\s*\d*\s*-?\s*\d*\s*)*")


class PdfOptions(msgspec.Struct, frozen=True):
    """How a page is put on paper; lengths are inches or carry a unit ("1.5cm")."""

    paper: str | tuple[float | str, float | str] = "a4"
    landscape: bool = False
    margins: float | str | tuple[float | str, float | str, float | str, float | str] = 0.4
    background: bool = True
    scale: float = 1.0
    pages: str = ""
    header: str = ""
    footer: str = ""
    css_size: bool = False
    outline: bool = False


class PdfFile(msgspec.Struct, frozen=True):
    """A printed page."""

    data: bytes
    mime: str = "application/pdf"
    path: str = ""


class PdfPrinter:
    """The printer of one tab."""

    def __init__(self, context: TabContext) -> None:
        self._context = context

    async def print(self, sheet: PdfOptions | None = None) -> Outcome[PdfFile]:
        """Print the page. Raises ToolError for what no printer could do."""
        command = _command(sheet or PdfOptions())
        session = self._context.session

        async def work() -> PdfFile:
            try:
                answer = await session.send(command, WITHIN_S)
            except CommandFailed as error:
                raise ToolError(
                    f"the page was not printed: {error.detail}",
                    hint="check pages, scale and margins: something must be left to print",
                ) from error
            handle = answer["stream"]
            parts: list[bytes] = []
            ended = False
            while not ended:
                piece = await session.send(IO.read(handle=handle, size=CHUNK), WITHIN_S)
                data = piece["data"]
                parts.append(
                    base64.b64decode(data) if piece.get("base64Encoded") else data.encode()
                )
                ended = piece["eof"]
            await session.send(IO.close(handle=handle))
            return PdfFile(b"".join(parts))

        return await self._context.race(work, session)


def _command(sheet: PdfOptions) -> Command[PagePrintToPDFResult]:
    width, height = paper_size(sheet.paper)
    given = sheet.margins
    sides = given if isinstance(given, tuple) else (given,) * 4
    if len(sides) != 4:
        raise ToolError("margins: four are needed", hint="top, right, bottom, left; or one for all")
    top, right, bottom, left = (inches(side, "margins") for side in sides)
    if not 0.1 <= sheet.scale <= 2:
        raise ToolError(f"scale: {sheet.scale:g} is not between 0.1 and 2", hint="1 is as it is")
    if not _RANGES.fullmatch(sheet.pages):
        raise ToolError(f"pages: {sheet.pages!r} names no pages", hint='write "1-3, 5"')
    return Page.printToPDF(
        landscape=sheet.landscape,
        displayHeaderFooter=bool(sheet.header or sheet.footer),
        # An empty one would be Chrome's own, with the date and the address.
        headerTemplate=sheet.header or "<span></span>",
        footerTemplate=sheet.footer or "<span></span>",
        printBackground=sheet.background,
        scale=sheet.scale,
        paperWidth=width,
        paperHeight=height,
        marginTop=top,
        marginRight=right,
        marginBottom=bottom,
        marginLeft=left,
        pageRanges=sheet.pages,
        preferCSSPageSize=sheet.css_size,
        generateDocumentOutline=sheet.outline,
        transferMode="ReturnAsStream",
    )


def paper_size(paper: str | tuple[float | str, float | str]) -> tuple[float, float]:
    """Width and height in inches. Raises ToolError."""
    if isinstance(paper, tuple):
        width, height = (inches(side, "paper") for side in paper)
        if width <= 0 or height <= 0:
            raise ToolError("paper: it has no size", hint='give ("210mm", "297mm") or a name')
        return width, height
    found = PAPERS.get(paper.lower())
    if found is None:
        raise ToolError(
            f"paper: {paper!r} is unknown", hint=f"use {', '.join(PAPERS)}, or width and height"
        )
    return found


def inches(length: float | str, field: str) -> float:
    """A length in inches; numbers are. Raises ToolError."""
    if isinstance(length, int | float):
        if length < 0:
            raise ToolError(f"{field}: {length:g} is negative", hint="use 0 or more")
        return float(length)
    match = _LENGTH.fullmatch(length)
    if match is None:
        raise ToolError(
            f"{field}: {length!r} is no length",
            hint="a number of inches, or 10mm, 1.5cm, 20px",
        )
    return float(match[1]) * _UNITS[match[2]]
