"""An element of a snapshot: a ref string with the tab's methods for elements.

    for found in tab.observe()["elements"]:
        tab.id(found["id"]).click()

Knows: the tab. Must not know: how elements are found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pilothouse.code.client.option_aliases import method_of_other_name

if TYPE_CHECKING:
    from pilothouse.code.client.tab import Tab

__all__ = ["Element", "ref_of"]


def ref_of(number: int | str) -> str:
    """Return `12` as `e12`, and a ref unchanged."""
    return f"e{number}" if str(number).isdecimal() else str(number)


class Element(str):
    """The ref of an element, usable as any `target` parameter. Its methods take the options of
    the tab's methods of the same name."""

    __slots__ = ("_tab",)
    _tab: Tab

    def __new__(cls, ref: str, tab: Tab) -> Element:
        """Create the element for a ref in a tab."""
        made = super().__new__(cls, ref)
        made._tab = tab
        return made

    def __repr__(self) -> str:
        return f"<Element {self!s}>"

    def __str__(self) -> str:
        return str.__str__(self)

    def click(self, **options: Any) -> Any:
        """Click it."""
        return self._tab.click(str(self), **options)

    def dblclick(self, **options: Any) -> Any:
        """Double-click it."""
        return self._tab.dblclick(str(self), **options)

    def hover(self, **options: Any) -> Any:
        """Move the pointer over it."""
        return self._tab.hover(str(self), **options)

    def focus(self, **options: Any) -> Any:
        """Focus it."""
        return self._tab.focus(str(self), **options)

    def type(self, text: str, **options: Any) -> Any:
        """Type text into it, after its present value."""
        return self._tab.type(str(self), text, **options)

    def fill(self, value: Any, **options: Any) -> Any:
        """Set its value."""
        return self._tab.fill(str(self), value, **options)

    def clear(self, **options: Any) -> Any:
        """Clear its value."""
        return self._tab.clear(str(self), **options)

    def press(self, keys: str, **options: Any) -> Any:
        """Focus it and press a key or a chord."""
        return self._tab.press(keys, str(self), **options)

    def select(self, *values: Any, **options: Any) -> Any:
        """Select options of it."""
        return self._tab.select(str(self), *values, **options)

    def check(self, **options: Any) -> Any:
        """Check a checkbox or radio button."""
        return self._tab.check(str(self), **options)

    def uncheck(self, **options: Any) -> Any:
        """Uncheck a checkbox."""
        return self._tab.uncheck(str(self), **options)

    def upload(self, *paths: Any, **options: Any) -> Any:
        """Upload files to it."""
        return self._tab.upload(str(self), *paths, **options)

    def drag(self, destination: Any, **options: Any) -> Any:
        """Drag it onto another element."""
        return self._tab.drag(str(self), destination, **options)

    def scroll_into_view(self, **options: Any) -> Any:
        """Scroll it into view."""
        return self._tab.scroll_into_view(str(self), **options)

    def screenshot(self, **options: Any) -> Any:
        """Take a screenshot of it."""
        return self._tab.screenshot(str(self), **options)

    def text(self) -> Any:
        """Return its rendered text."""
        return self._tab.text(str(self))

    def value(self) -> Any:
        """Return the value of the field."""
        return self._tab.value(str(self))

    def attr(self, name: str) -> Any:
        """Return one of its attributes."""
        return self._tab.attr(str(self), name)

    def box(self) -> Any:
        """Return its position and size in CSS pixels."""
        return self._tab.box(str(self))

    def is_visible(self) -> Any:
        """Return whether it exists and is visible."""
        return self._tab.is_visible(str(self))

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            return method_of_other_name(self, name)
