"""PdfPrinter: prints a page to PDF.

Knows: paper sizes, lengths and Page.printToPDF. Must not know: where the file is written.
"""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING

import msgspec

from pilothouse.cdp import Command
from pilothouse.cdp.protocol import IO, Page
from pilothouse.errors import CommandFailed, ToolError, UsageError
from pilothouse.page.tab_context import TabContext
from pilothouse.supervisor import Outcome

if TYPE_CHECKING:
    from pilothouse.cdp.protocol import PagePrintToPDFResult

__all__ = ["PAPERS", "PdfFile", "PdfOptions", "PdfPrinter", "inches", "paper_size"]

WITHIN_S = 120.0
CHUNK = 1 << 20

# Width and height in inches, portrait.
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
    """Options of a PDF; lengths are in inches or have a unit ("1.5cm")."""

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
    """A page printed to PDF."""

    data: bytes
    mime: str = "application/pdf"
    path: str = ""


class PdfPrinter:
    """Prints one tab."""

    def __init__(self, context: TabContext) -> None:
        self._context = context

    async def print(self, options: PdfOptions | None = None) -> Outcome[PdfFile]:
        """Print the page. Raises ToolError for invalid options."""
        command = _command(options or PdfOptions())
        session = self._context.session

        async def work() -> PdfFile:
            try:
                answer = await session.send(command, WITHIN_S)
            except CommandFailed as error:
                raise ToolError(
                    f"Chrome could not print the page: {error.detail}",
                    hint="check pages, scale and margins: they must leave something to print",
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


def _command(options: PdfOptions) -> Command[PagePrintToPDFResult]:
    width, height = paper_size(options.paper)
    given = options.margins
    sides = given if isinstance(given, tuple) else (given,) * 4
    if len(sides) != 4:
        raise UsageError(
            "margins: expected one length or four", hint="pass top, right, bottom and left"
        )
    top, right, bottom, left = (inches(side, "margins") for side in sides)
    if not 0.1 <= options.scale <= 2:
        raise UsageError(
            f"scale: {options.scale:g} is out of range; expected 0.1 to 2", hint="use 1"
        )
    if not _RANGES.fullmatch(options.pages):
        raise UsageError(f"pages: {options.pages!r} is not a list of pages", hint='use "1-3, 5"')
    return Page.printToPDF(
        landscape=options.landscape,
        displayHeaderFooter=bool(options.header or options.footer),
        # With an empty template Chrome prints its own, with date and URL.
        headerTemplate=options.header or "<span></span>",
        footerTemplate=options.footer or "<span></span>",
        printBackground=options.background,
        scale=options.scale,
        paperWidth=width,
        paperHeight=height,
        marginTop=top,
        marginRight=right,
        marginBottom=bottom,
        marginLeft=left,
        pageRanges=options.pages,
        preferCSSPageSize=options.css_size,
        generateDocumentOutline=options.outline,
        transferMode="ReturnAsStream",
    )


def paper_size(paper: str | tuple[float | str, float | str]) -> tuple[float, float]:
    """Return width and height in inches. Raises ToolError."""
    if isinstance(paper, tuple):
        width, height = (inches(side, "paper") for side in paper)
        if width <= 0 or height <= 0:
            raise UsageError(
                "paper: width and height must be more than 0",
                hint='pass a name, or lengths such as ("210mm", "297mm")',
            )
        return width, height
    found = PAPERS.get(paper.lower())
    if found is None:
        raise UsageError(
            f"paper: unknown value {paper!r}; expected one of {', '.join(PAPERS)}",
            hint="use one of these names, or pass width and height",
        )
    return found


def inches(length: float | str, field: str) -> float:
    """Convert a length to inches; a number is in inches already. Raises ToolError."""
    if isinstance(length, int | float):
        if length < 0:
            raise UsageError(f"{field}: {length:g} is negative; expected 0 or more", hint="use 0.4")
        return float(length)
    match = _LENGTH.fullmatch(length)
    if match is None:
        raise UsageError(
            f"{field}: {length!r} is not a length",
            hint="use a number of inches, or a length such as 10mm, 1.5cm or 20px",
        )
    return float(match[1]) * _UNITS[match[2]]
