"""TODO-MAP page/input."""

from __future__ import annotations

from pilothouse.page.input.action_runner import ActionRunner
from pilothouse.page.input.actionability import ElementResolver, Requirements, point_error
from pilothouse.page.input.clipboard import Clipboard
from pilothouse.page.input.drag import DragAndDrop
from pilothouse.page.input.element_facts import ElementFacts
from pilothouse.page.input.fill import FormFields
from pilothouse.page.input.keyboard import KeyboardInput
from pilothouse.page.input.mouse import MouseInput
from pilothouse.page.input.receipt import (
    DOWNLOADS_OFF,
    Receipt,
    describe_dialog,
    describe_download,
    describe_interrupt,
    is_download_settled,
)
from pilothouse.page.input.scroll import Scroller
from pilothouse.page.input.select import SelectControls
from pilothouse.page.input.selectors import Query, parse_selector
from pilothouse.page.input.upload import Uploads

__all__ = [
    "DOWNLOADS_OFF",
    "ActionRunner",
    "Clipboard",
    "DragAndDrop",
    "ElementFacts",
    "ElementResolver",
    "FormFields",
    "KeyboardInput",
    "MouseInput",
    "Query",
    "Receipt",
    "Requirements",
    "Scroller",
    "SelectControls",
    "Uploads",
    "describe_dialog",
    "describe_download",
    "describe_interrupt",
    "is_download_settled",
    "parse_selector",
    "point_error",
]
