"""An element that a snapshot named: it is its ref, and what a tab can do with one, it can.

    for found in tab.observe()["elements"]:
        tab.id(found["id"]).click()

Knows: the tab. Must not know: how elements are found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pilothouse.code.client.aliases import method_of_other_name

if TYPE_CHECKING:
    from pilothouse.code.client.tab import Tab

__all__ = ["Element", "ref_of"]


def ref_of(number: int | str) -> str:
    """`12` as `e12`; refs stay as they are."""
    return f"e{number}" if str(number).isdecimal() else str(number)


class Element(str):
    """The ref of an element, good wherever a target is wanted. Options are those of the tab's
    methods of the same names."""

    __slots__ = ("_tab",)
    _tab: Tab

    def __new__(cls, ref: str, tab: Tab) -> Element:
        """The element of a ref in a tab."""
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
        """Click it twice."""
        return self._tab.dblclick(str(self), **options)

    def hover(self, **options: Any) -> Any:
        """Move the pointer over it."""
        return self._tab.hover(str(self), **options)

    def focus(self, **options: Any) -> Any:
        """Give it the focus."""
        return self._tab.focus(str(self), **options)

    def type(self, text: str, **options: Any) -> Any:
        """Type text into it, after what is there."""
        return self._tab.type(str(self), text, **options)

    def fill(self, value: Any, **options: Any) -> Any:
        """Set it to a value."""
        return self._tab.fill(str(self), value, **options)

    def clear(self, **options: Any) -> Any:
        """Empty it."""
        return self._tab.clear(str(self), **options)

    def press(self, keys: str, **options: Any) -> Any:
        """Press a key or a chord in it."""
        return self._tab.press(keys, str(self), **options)

    def select(self, *values: Any, **options: Any) -> Any:
        """Choose options of it."""
        return self._tab.select(str(self), *values, **options)

    def check(self, **options: Any) -> Any:
        """Tick it."""
        return self._tab.check(str(self), **options)

    def uncheck(self, **options: Any) -> Any:
        """Untick it."""
        return self._tab.uncheck(str(self), **options)

    def upload(self, *paths: Any, **options: Any) -> Any:
        """Give files to it."""
        return self._tab.upload(str(self), *paths, **options)

    def drag(self, destination: Any, **options: Any) -> Any:
        """Drag it onto something."""
        return self._tab.drag(str(self), destination, **options)

    def scroll_into_view(self, **options: Any) -> Any:
        """Scroll until it can be seen."""
        return self._tab.scroll_into_view(str(self), **options)

    def screenshot(self, **options: Any) -> Any:
        """A picture of it."""
        return self._tab.screenshot(str(self), **options)

    def text(self) -> Any:
        """Its text, as it is painted."""
        return self._tab.text(str(self))

    def value(self) -> Any:
        """The value of the field."""
        return self._tab.value(str(self))

    def attr(self, name: str) -> Any:
        """An attribute of it."""
        return self._tab.attr(str(self), name)

    def box(self) -> Any:
        """Where it is."""
        return self._tab.box(str(self))

    def is_visible(self) -> Any:
        """Whether it is there and painted."""
        return self._tab.is_visible(str(self))

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            return method_of_other_name(self, name)
