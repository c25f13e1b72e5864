"""Input verbs: actions on elements, with mouse, keyboard and clipboard; each returns a receipt."""

from __future__ import annotations

from typing import Any, Unpack

from pilothouse.errors import UsageError
from pilothouse.page.input import ElementLookup, Receipt
from pilothouse.supervisor import Outcome
from pilothouse.tabs.tabs import OwnedTab
from pilothouse.tabs.verb import verb

__all__ = [
    "Acted",
    "Target",
    "check",
    "clear",
    "click",
    "clipboard_read",
    "clipboard_write",
    "dblclick",
    "drag",
    "fill",
    "focus",
    "hover",
    "key_down",
    "key_up",
    "press",
    "scroll",
    "scroll_into_view",
    "select",
    "type_",
    "uncheck",
    "upload",
]

Target = str | list[float] | dict[str, float]
Acted = Outcome[Receipt]


@verb(changes=True)
async def click(
    tab: OwnedTab,
    target: Target,
    button: str = "left",
    count: int = 1,
    modifiers: list[str] = [],  # noqa: B006
    position: list[float] | None = None,
    hold_ms: float = 0,
    **lookup: Unpack[ElementLookup],
) -> Acted:
    """Click an element with real mouse events. Waits until it can be clicked.

    target: the element: a ref (e12), CSS, text=…, button=Save, label=…, XPath, or x,y
    button: left, right or middle
    count: 2 is a double click
    modifiers: keys to hold: Alt, Control, Meta, Shift
    position: pixels from the left and top of the element; by default its middle
    hold_ms: milliseconds between press and release
    frame: the frame of the element: the ref of its iframe, its name, or part of its URL
    nth: which one if several match; 0 is the first, -1 the last
    timeout: seconds to wait for the element
    """
    if position and len(position) != 2:
        raise UsageError(
            f"position: expected two numbers, got {position}",
            hint="give pixels from left and top, such as [10, 5]",
        )
    at = (position[0], position[1]) if position else None
    return await tab.page.click(
        target,
        button=button,
        count=count,
        modifiers=modifiers,
        position=at,
        hold_ms=hold_ms,
        **lookup,
    )


@verb(changes=True)
async def dblclick(
    tab: OwnedTab,
    target: Target,
    **lookup: Unpack[ElementLookup],
) -> Acted:
    """Double-click an element."""
    return await tab.page.click(target, count=2, **lookup)


@verb(changes=True)
async def hover(
    tab: OwnedTab,
    target: Target,
    modifiers: list[str] = [],  # noqa: B006
    **lookup: Unpack[ElementLookup],
) -> Acted:
    """Move the mouse pointer over an element."""
    return await tab.page.hover(target, modifiers=modifiers, **lookup)


@verb(changes=True)
async def type_(
    tab: OwnedTab,
    target: Target,
    text: str,
    delay_ms: float = 0,
    submit: bool = False,
    **lookup: Unpack[ElementLookup],
) -> Acted:
    """Type text into an element key by key, after its present text.

    text: the text to type
    delay_ms: milliseconds between keys
    submit: press Enter afterwards
    """
    return await tab.page.type(target, text, delay_ms=delay_ms, submit=submit, **lookup)


@verb(changes=True)
async def fill(
    tab: OwnedTab,
    target: Target,
    value: str | bool | float | list[str],
    submit: bool = False,
    **lookup: Unpack[ElementLookup],
) -> Acted:
    """Set the value of a form field of any kind, and check that the field accepted it.

    value: text; true or false for checkboxes; an option for lists
    submit: submit the form afterwards, with Enter or else with its button
    """
    return await tab.page.fill(target, value, submit=submit, **lookup)


@verb(changes=True)
async def clear(
    tab: OwnedTab,
    target: Target,
    **lookup: Unpack[ElementLookup],
) -> Acted:
    """Clear a form field."""
    return await tab.page.clear(target, **lookup)


@verb(changes=True, fields={"key": "keys", "modifiers": "keys"})
async def press(
    tab: OwnedTab,
    keys: str,
    target: Target | None = None,
    **lookup: Unpack[ElementLookup],
) -> Acted:
    """Press a key or a key combination, in the focused element or in `target`.

    keys: such as Enter, Escape, a, Control+A, Shift+Tab
    """
    return await tab.page.press(keys, target, **lookup)


@verb(changes=True, rest="values")
async def select(
    tab: OwnedTab,
    target: Target,
    values: str | int | list[str | int],
    **lookup: Unpack[ElementLookup],
) -> Acted:
    """Select options of a list by value, label or index.

    values: one option, or several if the list allows it
    """
    return await tab.page.select(target, values, **lookup)


@verb(changes=True)
async def check(
    tab: OwnedTab,
    target: Target,
    **lookup: Unpack[ElementLookup],
) -> Acted:
    """Turn a checkbox, radio button or switch on."""
    return await tab.page.check(target, **lookup)


@verb(changes=True)
async def uncheck(
    tab: OwnedTab,
    target: Target,
    **lookup: Unpack[ElementLookup],
) -> Acted:
    """Turn a checkbox or switch off."""
    return await tab.page.uncheck(target, **lookup)


@verb(changes=True)
async def focus(
    tab: OwnedTab,
    target: Target,
    **lookup: Unpack[ElementLookup],
) -> Acted:
    """Focus an element."""
    return await tab.page.focus(target, **lookup)


@verb(changes=True, fields={"edge": "to"})
async def scroll(
    tab: OwnedTab,
    dx: float = 0,
    dy: float = 0,
    target: Target | None = None,
    to: str = "",
    **lookup: Unpack[ElementLookup],
) -> Acted:
    """Scroll the page or an element by pixels, or to an edge.

    dx: pixels to the right
    dy: pixels down
    to: top or bottom
    """
    if to:
        return await tab.page.scroll_to(to, target, **lookup)
    return await tab.page.scroll(dx, dy, target, **lookup)


@verb(changes=True)
async def scroll_into_view(
    tab: OwnedTab,
    target: Target,
    **lookup: Unpack[ElementLookup],
) -> Acted:
    """Scroll until an element is in the viewport."""
    return await tab.page.scroll_into_view(target, **lookup)


@verb(changes=True, fields={"target": "source"})
async def drag(
    tab: OwnedTab,
    source: Target,
    destination: Target | None = None,
    by: list[float] | None = None,
    steps: int = 12,
    **lookup: Unpack[ElementLookup],
) -> Acted:
    """Drag an element onto another element, to a point, or by a distance.

    source: the element to drag
    destination: the element or point to drop it on
    by: instead of destination: pixels to the right and down
    steps: number of mouse moves in between
    """
    if by is not None and len(by) != 2:
        raise UsageError(
            f"by: {by!r} is not a distance",
            hint="give [100, 0] for 100 pixels to the right",
        )
    way = (by[0], by[1]) if by is not None else None
    return await tab.page.drag(source, destination, by=way, steps=steps, **lookup)


@verb(changes=True, rest="paths", fields={"path": "paths"})
async def upload(
    tab: OwnedTab,
    target: Target,
    paths: str | list[str],
    how: str = "auto",
    any_type: bool = False,
    **lookup: Unpack[ElementLookup],
) -> Acted:
    """Upload files to a file input, a button that opens a file chooser, or a drop zone.

    paths: one file or several, in a folder that may be read
    how: auto, input, chooser or drop
    any_type: also files of a type that the input does not accept
    """
    return await tab.page.upload(target, paths, how=how, any_type=any_type, **lookup)


@verb(changes=True)
async def key_down(tab: OwnedTab, key: str) -> Acted:
    """Press a key and hold it down.

    key: such as Shift, Control, a, ArrowDown
    """
    return await tab.page.keyboard.down(key)


@verb(changes=True)
async def key_up(tab: OwnedTab, key: str = "") -> Acted:
    """Release a held key, or all held keys if none is given.

    key: the key to release
    """
    return await tab.page.keyboard.up(key)


@verb()
async def clipboard_read(tab: OwnedTab) -> str:
    """Return the text in the clipboard."""
    return await tab.page.clipboard.read()


@verb(changes=True)
async def clipboard_write(tab: OwnedTab, text: str) -> Any:
    """Write text to the clipboard.

    text: the text to write
    """
    await tab.page.clipboard.write(text)
    return {"written": len(text)}
