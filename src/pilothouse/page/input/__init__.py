"""Input on one page: find the element a selector names, act on it, report what changed.

    selectors.py               parse_selector(): text -> Ref, Point or Query
    actionable_elements.py     ElementResolver: selector -> ReadyElement (frame, session, x, y) once
                               it meets its Requirements; actionability_errors.py words the refusals
    action_runner.py           ActionRunner.perform(): watch the page, run the action, wait for
                               effects
    receipt.py                 Baseline and ObservedChanges -> Receipt, what the caller gets back
    mouse.py                   MouseInput: click, hover, guarded presses
    keyboard.py                KeyboardInput; keys.py has the key table and the CDP key events
    form_fields.py             FormFields: fill, clear, focus, check; field_value_checks.py compares
                               values
    select.py                  SelectControls: native and custom lists; option_matches.py matches
                               options
    scroll.py drag.py upload.py clipboard.py  Scroller, DragAndDrop, Uploads, Clipboard
    element_facts.py           ElementFacts: read text, value, box or state without acting

Every action takes the same path: selector -> ElementResolver -> ReadyElement -> ActionRunner, which
calls the action's own CDP input -> Receipt. `Page` (page/page.py) builds one of each for a tab.
"""

from __future__ import annotations

from pilothouse.page.input.action_runner import ActionRunner
from pilothouse.page.input.actionable_elements import (
    ElementLookup,
    ElementResolver,
    Requirements,
    point_error,
)
from pilothouse.page.input.clipboard import Clipboard
from pilothouse.page.input.drag import DragAndDrop
from pilothouse.page.input.element_facts import ElementFacts
from pilothouse.page.input.form_fields import FormFields
from pilothouse.page.input.keyboard import KeyboardInput
from pilothouse.page.input.mouse import MouseInput
from pilothouse.page.input.receipt import (
    DOWNLOADS_OFF,
    VALUE_HIDDEN,
    Receipt,
    describe_dialog,
    describe_dom_changes,
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
    "VALUE_HIDDEN",
    "ActionRunner",
    "Clipboard",
    "DragAndDrop",
    "ElementFacts",
    "ElementLookup",
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
    "describe_dom_changes",
    "describe_download",
    "describe_interrupt",
    "is_download_settled",
    "parse_selector",
    "point_error",
]
