"""TODO-MAP page/input."""

from __future__ import annotations

from pilothouse.page.input.action_runner import Act
from pilothouse.page.input.actionability import Aim, Need, a_point
from pilothouse.page.input.clipboard import Clipboard
from pilothouse.page.input.drag import Drag
from pilothouse.page.input.element_facts import Inspect
from pilothouse.page.input.fill import Fill
from pilothouse.page.input.keyboard import Keyboard
from pilothouse.page.input.mouse import Mouse
from pilothouse.page.input.receipt import (
    DOWNLOADS_OFF,
    Receipt,
    dialog_words,
    download_words,
    interrupt_words,
    is_settled,
)
from pilothouse.page.input.scroll import Scroll
from pilothouse.page.input.select import Choose
from pilothouse.page.input.selector_parts import Query, parse_target
from pilothouse.page.input.upload import Uploads

__all__ = [
    "DOWNLOADS_OFF",
    "Act",
    "Aim",
    "Choose",
    "Clipboard",
    "Drag",
    "Fill",
    "Inspect",
    "Keyboard",
    "Mouse",
    "Need",
    "Query",
    "Receipt",
    "Scroll",
    "Uploads",
    "a_point",
    "dialog_words",
    "download_words",
    "interrupt_words",
    "is_settled",
    "parse_target",
]
