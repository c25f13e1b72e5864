"""Locators with the most used methods of Playwright's: each use finds the elements again.

Knows: how Playwright's arguments become our selectors. Must not know: the socket.
"""

from __future__ import annotations

import re
from typing import Any

from pilothouse.code.client.tab import Tab
from pilothouse.code.run_result import CallFailed

__all__ = ["Locator", "by_engine", "by_role", "seconds"]

# The longest timeout that a call accepts; stands for Playwright's 0, "no limit".
MAX_TIMEOUT_S = 300.0
DEFAULT_TIMEOUT_S = 30.0
_REF = re.compile(r"@?(?:f\d+)?e\d+\Z")
_PREFIXED = re.compile(r"[a-z]+=|//|\(//|\.\.?(?:/|$)|(?:text|aria|xpath|pierce)/")
# Characters that would end an unquoted name in role=…[name=…].
_NEEDS_QUOTES = re.compile(r"[\]\[>]")


def by_role(role: str, name: Any = "", exact: bool = False) -> str:
    """Return the selector for a role and an accessible name."""
    if not name:
        return f"role={role}"
    said = _require_text(name)
    if exact:
        said = f'"{said}"'
    elif _NEEDS_QUOTES.search(said):
        said = f'"{said}" i'
    return f"role={role}[name={said}]"


def by_engine(kind: str, text: Any, exact: bool = False) -> str:
    """Return a selector such as `text=…` or `label=…`; `exact` puts the text in quotes."""
    return f'{kind}="{_require_text(text)}"' if exact else f"{kind}={_require_text(text)}"


def _require_text(text: Any) -> str:
    if isinstance(text, re.Pattern):
        raise CallFailed("selectors do not support regular expressions", "give a part of the text")
    return str(text)


def seconds(milliseconds: Any) -> float:
    """Convert Playwright's timeout to seconds: 0 means 300 s, None the default 30 s. Raises
    CallFailed if it is not a number."""
    if milliseconds is None:
        return DEFAULT_TIMEOUT_S
    if isinstance(milliseconds, bool) or not isinstance(milliseconds, int | float):
        raise CallFailed(
            f"timeout: expected a number of milliseconds, got {milliseconds!r}",
            "give milliseconds, such as 5000",
            "UsageError",
        )
    if milliseconds > MAX_TIMEOUT_S * 1000:
        raise CallFailed(
            f"timeout: expected at most {MAX_TIMEOUT_S * 1000:g} milliseconds, got {milliseconds}",
            "give milliseconds, such as 5000, or 0 for the longest",
            "UsageError",
        )
    return milliseconds / 1000 if milliseconds else MAX_TIMEOUT_S


def _step(selector: str) -> str:
    """Return a selector with an explicit engine, so that it may follow `>>`."""
    return selector if _PREFIXED.match(selector) else f"css={selector}"


class Locator:
    """The elements that match a selector. Actions need exactly one, or `first`, `last` or `nth`."""

    def __init__(self, tab: Tab, selector: str, nth: int | None = None) -> None:
        self._tab = tab
        self._base = selector
        self._nth = nth

    def __repr__(self) -> str:
        return f"<Locator {self._base!r}{'' if self._nth is None else f' nth={self._nth}'}>"

    # Narrowing down.

    @property
    def first(self) -> Locator:
        """The first match."""
        return self.nth(0)

    @property
    def last(self) -> Locator:
        """The last match, at the time of use."""
        return self.nth(-1)

    def nth(self, index: int) -> Locator:
        """Return the match with this index, from 0; -1 is the last."""
        return Locator(self._tab, self._base, index)

    @property
    def _selector(self) -> str:
        """The selector including the index."""
        return self._base if self._nth is None else f"{self._base} >> nth={self._nth}"

    def count(self) -> int:
        """Count the matches."""
        return int(self._tab.count(self._selector))

    def all(self) -> list[Locator]:
        """Return one locator for each match."""
        if self._nth is not None:
            return [self] if self.count() else []
        return [self.nth(index) for index in range(self.count())]

    def locator(self, selector: str) -> Locator:
        """Find elements inside it by any selector."""
        if _REF.match(self._base) or _REF.match(selector):
            raise CallFailed(
                f"{selector!r} cannot be looked for in {self._base!r}",
                "a ref names one element already: use it alone",
            )
        return Locator(self._tab, f"{self._selector} >> {_step(selector)}")

    def get_by_role(self, role: str, *, name: Any = "", exact: bool = False) -> Locator:
        """Find elements inside it by role and accessible name."""
        return self.locator(by_role(role, name, exact))

    def get_by_text(self, text: Any, *, exact: bool = False) -> Locator:
        """Find elements inside it by text."""
        return self.locator(by_engine("text", text, exact))

    def get_by_label(self, text: Any, *, exact: bool = False) -> Locator:
        """Find fields inside it by label."""
        return self.locator(by_engine("label", text, exact))

    def get_by_placeholder(self, text: Any, *, exact: bool = False) -> Locator:
        """Find fields inside it by placeholder."""
        return self.locator(by_engine("placeholder", text, exact))

    def get_by_alt_text(self, text: Any, *, exact: bool = False) -> Locator:
        """Find images inside it by alternative text."""
        return self.locator(by_engine("alt", text, exact))

    def get_by_title(self, text: Any, *, exact: bool = False) -> Locator:
        """Find elements inside it by title."""
        return self.locator(by_engine("title", text, exact))

    def get_by_test_id(self, name: str) -> Locator:
        """Find elements inside it by test id."""
        return self.locator(by_engine("testid", name, False))

    def filter(self, *, has_text: str = "", **other: Any) -> Locator:
        """Return the first match that contains a text, by its current position."""
        if other:
            raise CallFailed(f"filter: {next(iter(other))} is not known here", "use has_text")
        for one in self.all():
            if has_text.lower() in one.inner_text().lower():
                return one
        raise CallFailed(f"no {self._base!r} has the text {has_text!r}", "look with snapshot()")

    # Actions.

    def _call_options(self, options: dict[str, Any]) -> dict[str, Any]:
        options.pop("force", None)
        options.pop("no_wait_after", None)
        given = options.pop("timeout", None)
        return {"nth": self._nth, "timeout": None if given is None else seconds(given), **options}

    def click(self, **options: Any) -> Any:
        """Click it."""
        if "click_count" in options:
            options["count"] = options.pop("click_count")
        if "position" in options:
            at = options.pop("position")
            options["position"] = [at["x"], at["y"]]
        return self._tab.click(self._base, **self._call_options(options))

    def dblclick(self, **options: Any) -> Any:
        """Double-click it."""
        return self._tab.dblclick(self._base, **self._call_options(options))

    def hover(self, **options: Any) -> Any:
        """Move the pointer over it."""
        return self._tab.hover(self._base, **self._call_options(options))

    def focus(self, **options: Any) -> Any:
        """Focus it."""
        return self._tab.focus(self._base, **self._call_options(options))

    def fill(self, value: str, **options: Any) -> Any:
        """Set the value of a field."""
        return self._tab.fill(self._base, value, **self._call_options(options))

    def clear(self, **options: Any) -> Any:
        """Clear the field."""
        return self._tab.clear(self._base, **self._call_options(options))

    def press_sequentially(self, text: str, *, delay: float = 0, **options: Any) -> Any:
        """Type text key by key, with `delay` milliseconds between keys."""
        return self._tab.type(self._base, text, delay_ms=delay, **self._call_options(options))

    type = press_sequentially

    def press(self, key: str, **options: Any) -> Any:
        """Focus it and press a key."""
        return self._tab.press(key, self._base, **self._call_options(options))

    def check(self, **options: Any) -> Any:
        """Check a checkbox or radio button."""
        return self._tab.check(self._base, **self._call_options(options))

    def uncheck(self, **options: Any) -> Any:
        """Uncheck a checkbox."""
        return self._tab.uncheck(self._base, **self._call_options(options))

    def select_option(
        self, value: Any = None, *, label: Any = None, index: Any = None, **options: Any
    ) -> Any:
        """Select options by value, label or index."""
        ways: tuple[Any, ...] = (value, label, index, [])
        chosen = next(given for given in ways if given is not None)
        values = list(chosen) if isinstance(chosen, list | tuple) else [chosen]
        return self._tab.select(self._base, *values, **self._call_options(options))

    def set_input_files(self, files: Any, **options: Any) -> Any:
        """Set the files of a file input."""
        paths = list(files) if isinstance(files, list | tuple) else [files]
        return self._tab.upload(self._base, *paths, **self._call_options(options))

    def drag_to(self, target: Locator) -> Any:
        """Drag it onto another element."""
        return self._tab.drag(self._base, target._selector, nth=self._nth)

    def scroll_into_view_if_needed(self, **options: Any) -> Any:
        """Scroll it into view."""
        return self._tab.scroll_into_view(self._base, **self._call_options(options))

    def wait_for(self, *, state: str = "visible", timeout: float = 30_000) -> None:
        """Wait until it is in a state: visible, hidden, attached or detached."""
        self._tab.wait_for(selector=self._selector, state=state, timeout=seconds(timeout))

    # Reading.

    def inner_text(self) -> str:
        """Return its rendered text."""
        return str(self._tab.text(self._base, nth=self._nth))

    def text_content(self) -> str:
        """Return its rendered text; Playwright would include hidden text."""
        return self.inner_text()

    def all_inner_texts(self) -> list[str]:
        """Return the rendered text of each match."""
        return [one.inner_text() for one in self.all()]

    all_text_contents = all_inner_texts

    def inner_html(self) -> str:
        """Return the HTML inside it."""
        outer = str(self._tab.html(self._base, nth=self._nth))
        inner = re.fullmatch(r"<[^>]*>(.*)</[^>]*>", outer, re.DOTALL)
        return inner[1] if inner else ""

    def input_value(self) -> str:
        """Return the value of the field."""
        return str(self._tab.value(self._base, nth=self._nth))

    def get_attribute(self, name: str) -> str | None:
        """Return an attribute, or None if it has no such attribute."""
        found = self._tab.attr(self._base, name, nth=self._nth)
        return None if found is None else str(found)

    def bounding_box(self) -> Any:
        """Return its position and size in CSS pixels."""
        return self._tab.box(self._base, nth=self._nth)

    def is_visible(self) -> bool:
        """Return whether it exists and is visible."""
        return bool(self._tab.is_visible(self._base, nth=self._nth))

    def is_hidden(self) -> bool:
        """Return whether it is missing or not visible."""
        return not self.is_visible()

    def is_enabled(self) -> bool:
        """Return whether it is enabled."""
        return bool(self._tab.is_enabled(self._base, nth=self._nth))

    def is_checked(self) -> bool:
        """Return whether it is checked."""
        return bool(self._tab.is_checked(self._base, nth=self._nth))

    def screenshot(self, **options: Any) -> Any:
        """Take a screenshot of it."""
        return self._tab.screenshot(self._selector, **options)
