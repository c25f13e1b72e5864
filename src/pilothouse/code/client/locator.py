"""Elements of a page, found anew at each use, with the everyday methods of Playwright's locators.

Knows: how its words become our selectors. Must not know: the socket.
"""

from __future__ import annotations

import re
from typing import Any

from pilothouse.code.client.tab import Tab
from pilothouse.code.run_result import CallFailed

__all__ = ["Locator", "by_role", "by_words", "seconds"]

# The longest that anything may take here.
NO_LIMIT_S = 300.0
USUAL_S = 30.0
_REF = re.compile(r"@?(?:f\d+)?e\d+\Z")
_PREFIXED = re.compile(r"[a-z]+=|//|\(//|\.\.?(?:/|$)|(?:text|aria|xpath|pierce)/")
# In brackets and quotes of a role these would end it.
_ENDS_NAME = re.compile(r"[\]\[>]")


def by_role(role: str, name: Any = "", exact: bool = False) -> str:
    """A role and a name as a selector."""
    if not name:
        return f"role={role}"
    said = _plain(name)
    if exact:
        said = f'"{said}"'
    elif _ENDS_NAME.search(said):
        said = f'"{said}" i'
    return f"role={role}[name={said}]"


def by_words(kind: str, text: Any, exact: bool = False) -> str:
    """A text of some kind as a selector."""
    return f'{kind}="{_plain(text)}"' if exact else f"{kind}={_plain(text)}"


def _plain(text: Any) -> str:
    if isinstance(text, re.Pattern):
        raise CallFailed("regular expressions do not find elements here", "give a part of the text")
    return str(text)


def seconds(milliseconds: Any) -> float:
    """Playwright's timeout in seconds: its 0 is no limit, None is the usual 30 s. Raises CallFailed
    for what is no number."""
    if milliseconds is None:
        return USUAL_S
    if isinstance(milliseconds, bool) or not isinstance(milliseconds, int | float):
        raise CallFailed(
            f"timeout: expected a number of milliseconds, got {milliseconds!r}",
            "give milliseconds, such as 5000",
            "UsageError",
        )
    return milliseconds / 1000 if milliseconds else NO_LIMIT_S


def _step(selector: str) -> str:
    """A selector that can follow `>>` whatever stands before it."""
    return selector if _PREFIXED.match(selector) else f"css={selector}"


class Locator:
    """What fits a selector. Without `first` or `nth` it must be one element, to act on it."""

    def __init__(self, tab: Tab, selector: str, nth: int | None = None) -> None:
        self._tab = tab
        self._said = selector
        self._nth = nth

    def __repr__(self) -> str:
        return f"<Locator {self._said!r}{'' if self._nth is None else f' nth={self._nth}'}>"

    # Which.

    @property
    def first(self) -> Locator:
        """The first."""
        return self.nth(0)

    @property
    def last(self) -> Locator:
        """The last there is when it is used."""
        return self.nth(-1)

    def nth(self, index: int) -> Locator:
        """One of them, counted from 0; -1 is the last."""
        return Locator(self._tab, self._said, index)

    @property
    def _selector(self) -> str:
        """The selector with the number in it."""
        return self._said if self._nth is None else f"{self._said} >> nth={self._nth}"

    def count(self) -> int:
        """How many there are."""
        return int(self._tab.count(self._selector))

    def all(self) -> list[Locator]:
        """Each of them."""
        if self._nth is not None:
            return [self] if self.count() else []
        return [self.nth(index) for index in range(self.count())]

    def locator(self, selector: str) -> Locator:
        """What is inside it, by any selector."""
        if _REF.match(self._said) or _REF.match(selector):
            raise CallFailed(
                f"{selector!r} cannot be looked for in {self._said!r}",
                "a ref names one element already: use it alone",
            )
        return Locator(self._tab, f"{self._selector} >> {_step(selector)}")

    def get_by_role(self, role: str, *, name: Any = "", exact: bool = False) -> Locator:
        """What is inside it, by role and name."""
        return self.locator(by_role(role, name, exact))

    def get_by_text(self, text: Any, *, exact: bool = False) -> Locator:
        """What is inside it, by text."""
        return self.locator(by_words("text", text, exact))

    def get_by_label(self, text: Any, *, exact: bool = False) -> Locator:
        """Fields inside it, by label."""
        return self.locator(by_words("label", text, exact))

    def get_by_placeholder(self, text: Any, *, exact: bool = False) -> Locator:
        """Fields inside it, by placeholder."""
        return self.locator(by_words("placeholder", text, exact))

    def get_by_alt_text(self, text: Any, *, exact: bool = False) -> Locator:
        """Images inside it, by alternative text."""
        return self.locator(by_words("alt", text, exact))

    def get_by_title(self, text: Any, *, exact: bool = False) -> Locator:
        """What is inside it, by title."""
        return self.locator(by_words("title", text, exact))

    def get_by_test_id(self, name: str) -> Locator:
        """What is inside it, by test id."""
        return self.locator(by_words("testid", name, False))

    def filter(self, *, has_text: str = "", **other: Any) -> Locator:
        """Those with a text: by position, as they are now."""
        if other:
            raise CallFailed(f"filter: {next(iter(other))} is not known here", "use has_text")
        for one in self.all():
            if has_text.lower() in one.inner_text().lower():
                return one
        raise CallFailed(f"no {self._said!r} has the text {has_text!r}", "look with snapshot()")

    # Acting.

    def _where(self, options: dict[str, Any]) -> dict[str, Any]:
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
        return self._tab.click(self._said, **self._where(options))

    def dblclick(self, **options: Any) -> Any:
        """Click it twice."""
        return self._tab.dblclick(self._said, **self._where(options))

    def hover(self, **options: Any) -> Any:
        """Move the pointer over it."""
        return self._tab.hover(self._said, **self._where(options))

    def focus(self, **options: Any) -> Any:
        """Give it the focus."""
        return self._tab.focus(self._said, **self._where(options))

    def fill(self, value: str, **options: Any) -> Any:
        """Fill it."""
        return self._tab.fill(self._said, value, **self._where(options))

    def clear(self, **options: Any) -> Any:
        """Empty it."""
        return self._tab.clear(self._said, **self._where(options))

    def press_sequentially(self, text: str, *, delay: float = 0, **options: Any) -> Any:
        """Type key by key; `delay` in milliseconds."""
        return self._tab.type(self._said, text, delay_ms=delay, **self._where(options))

    type = press_sequentially

    def press(self, key: str, **options: Any) -> Any:
        """Press a key in it."""
        return self._tab.press(key, self._said, **self._where(options))

    def check(self, **options: Any) -> Any:
        """Tick it."""
        return self._tab.check(self._said, **self._where(options))

    def uncheck(self, **options: Any) -> Any:
        """Untick it."""
        return self._tab.uncheck(self._said, **self._where(options))

    def select_option(
        self, value: Any = None, *, label: Any = None, index: Any = None, **options: Any
    ) -> Any:
        """Choose options by value, label or index."""
        ways: tuple[Any, ...] = (value, label, index, [])
        chosen = next(given for given in ways if given is not None)
        values = list(chosen) if isinstance(chosen, list | tuple) else [chosen]
        return self._tab.select(self._said, *values, **self._where(options))

    def set_input_files(self, files: Any, **options: Any) -> Any:
        """Give it files."""
        paths = list(files) if isinstance(files, list | tuple) else [files]
        return self._tab.upload(self._said, *paths, **self._where(options))

    def drag_to(self, target: Locator) -> Any:
        """Drag it onto another."""
        return self._tab.drag(self._said, target._selector, nth=self._nth)

    def scroll_into_view_if_needed(self, **options: Any) -> Any:
        """Scroll until it can be seen."""
        return self._tab.scroll_into_view(self._said, **self._where(options))

    def wait_for(self, *, state: str = "visible", timeout: float = 30_000) -> None:
        """Wait until it is so."""
        self._tab.wait_for(selector=self._selector, state=state, timeout=seconds(timeout))

    # Looking.

    def inner_text(self) -> str:
        """Its text as it is painted."""
        return str(self._tab.text(self._said, nth=self._nth))

    def text_content(self) -> str:
        """Its text."""
        return self.inner_text()

    def all_inner_texts(self) -> list[str]:
        """The texts of all."""
        return [one.inner_text() for one in self.all()]

    all_text_contents = all_inner_texts

    def inner_html(self) -> str:
        """The HTML inside it."""
        outer = str(self._tab.html(self._said, nth=self._nth))
        inner = re.fullmatch(r"<[^>]*>(.*)</[^>]*>", outer, re.DOTALL)
        return inner[1] if inner else ""

    def input_value(self) -> str:
        """The value of the field."""
        return str(self._tab.value(self._said, nth=self._nth))

    def get_attribute(self, name: str) -> str | None:
        """An attribute of it."""
        found = self._tab.attr(self._said, name, nth=self._nth)
        return None if found is None else str(found)

    def bounding_box(self) -> Any:
        """Where it is."""
        return self._tab.box(self._said, nth=self._nth)

    def is_visible(self) -> bool:
        """Whether it is there and painted."""
        return bool(self._tab.is_visible(self._said, nth=self._nth))

    def is_hidden(self) -> bool:
        """Whether it is not."""
        return not self.is_visible()

    def is_enabled(self) -> bool:
        """Whether it can be used."""
        return bool(self._tab.is_enabled(self._said, nth=self._nth))

    def is_checked(self) -> bool:
        """Whether it is ticked."""
        return bool(self._tab.is_checked(self._said, nth=self._nth))

    def screenshot(self, **options: Any) -> Any:
        """A picture of it."""
        return self._tab.screenshot(self._selector, **options)
