"""The browser's clipboard, as text.

A browser has one clipboard for all tabs and contexts; a headed browser uses the user's own. Pages
need a permission and the focus to use it, so this uses a hidden page instead. The user's page
notices nothing, no permission changes, and it works on pages without https and while a dialog is
open. Must not know: who wants the text.
"""

from __future__ import annotations

from pilothouse.cdp.protocol import Input
from pilothouse.errors import ToolError, UsageError
from pilothouse.page.internal_hidden_page import HiddenPage, open_hidden_page
from pilothouse.page.tab_context import TabContext

__all__ = ["Clipboard"]

LONGEST = 1_000_000

_FIELD = "document.body.replaceChildren(globalThis.field = document.createElement('textarea'));"
_COPY = (
    _FIELD + "field.value = given; field.focus(); field.select(); "
    "({copied: document.execCommand('copy'), value: field.value})"
)


class Clipboard:
    """Reads and writes the clipboard's text."""

    def __init__(self, context: TabContext) -> None:
        self._context = context

    async def read(self) -> str:
        """Return the clipboard's text; empty if there is none."""
        async with open_hidden_page(self._context) as page:
            return await _paste(page)

    async def write(self, text: str) -> None:
        """Put text into the clipboard. Raises ToolError if it did not arrive."""
        if not isinstance(text, str) or "\0" in text:
            raise UsageError(
                "text: expected plain text", hint="give a string without NUL characters"
            )
        if len(text) > LONGEST:
            raise UsageError(
                f"text: {len(text)} characters, more than {LONGEST}", hint="give a shorter text"
            )
        if not text:
            # Copying an empty selection would keep the old content.
            raise UsageError("text: empty", hint="give at least one character")
        async with open_hidden_page(self._context) as page:
            await page.set_variable("given", text)
            done = await page.evaluate(_COPY)
            # Compare with the field's value: a textarea normalizes line breaks.
            if not done["copied"] or await _paste(page) != done["value"]:
                raise ToolError(
                    "the browser did not put the text into its clipboard",
                    hint="try again; another program may hold the clipboard",
                )


async def _paste(page: HiddenPage) -> str:
    await page.evaluate(_FIELD + "field.focus(); 0")
    await page.session.send(Input.dispatchKeyEvent(type="rawKeyDown", commands=["paste"]))
    return str(await page.evaluate("field.value"))
