"""The browser's clipboard, as text.

Knows: that a browser has one clipboard for all of its tabs and contexts (a browser with a window
uses the person's own), and that pages need a permission and the focus for it, so it is used on a
hidden page instead: the user's page notices nothing, no permission is changed, and it works on
pages without https and while a dialog is open. Must not know: who wants it.
"""

from __future__ import annotations

from pilothouse.cdp.protocol import Input
from pilothouse.errors import ToolError
from pilothouse.page.hidden_page import HiddenPage, open_hidden_page
from pilothouse.page.tab_context import TabContext

__all__ = ["Clipboard"]

LONGEST = 1_000_000

_FIELD = "document.body.replaceChildren(globalThis.field = document.createElement('textarea'));"
_COPY = (
    _FIELD + "field.value = given; field.focus(); field.select(); "
    "({copied: document.execCommand('copy'), value: field.value})"
)


class Clipboard:
    """Text in and out of the clipboard."""

    def __init__(self, context: TabContext) -> None:
        self._context = context

    async def read(self) -> str:
        """The text in the clipboard; empty if there is none."""
        async with open_hidden_page(self._context) as page:
            return await _paste(page)

    async def write(self, text: str) -> None:
        """Put a text into the clipboard. Raises ToolError if it did not get there."""
        if not isinstance(text, str) or "\0" in text:
            raise ToolError("text is no plain text", hint="give a text without zero characters")
        if len(text) > LONGEST:
            raise ToolError(
                f"text has {len(text)} characters, over {LONGEST}", hint="give a shorter one"
            )
        if not text:
            # Copying nothing leaves what was there.
            raise ToolError("text is empty", hint="a clipboard holds at least one character")
        async with open_hidden_page(self._context) as page:
            await page.hand_over("given", text)
            done = await page.evaluate(_COPY)
            # A text field makes every line break one character.
            if not done["copied"] or await _paste(page) != done["value"]:
                raise ToolError(
                    "the browser did not take the text into its clipboard",
                    hint="try again; another program may hold the clipboard",
                )


async def _paste(page: HiddenPage) -> str:
    await page.evaluate(_FIELD + "field.focus(); 0")
    await page.session.send(Input.dispatchKeyEvent(type="rawKeyDown", commands=["paste"]))
    return str(await page.evaluate("field.value"))
