"""`page` and `context` with the everyday methods of Playwright, on our own tabs.

    page.goto("https://example.com/")
    page.get_by_role("button", name="Save").click()
    page.locator("li").nth(2).inner_text()

Knows: which of Playwright's words mean which verb; its milliseconds are our seconds. Must not know:
the socket. `await` may stand before anything, as in all code that runs here. What is missing says
what to use instead.
"""

from __future__ import annotations

import base64
import difflib
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pilothouse.code.client.locator import Locator, by_role, by_words, seconds
from pilothouse.code.client.raw_cdp import RawPage
from pilothouse.code.client.tab import Tab
from pilothouse.code.run_result import NoSuchAttribute

__all__ = ["Context", "Keyboard", "Mouse", "PlaywrightPage", "SharedPage", "Shot"]

_WAITS = {"networkidle": "networkidle0"}
_INSTEAD = {
    "on": "tab.console(), tab.requests(), tab.dialogs()",
    "expect_response": "tab.wait_for_response(pattern)",
    "expect_popup": "browser.tabs() after the click",
    "expect_download": "tab.wait_for(download=True)",
    "frame_locator": "refs of snapshot(): they reach into frames",
    "frame": "refs of snapshot(): they reach into frames",
    "frames": "tab.frames()",
    "main_frame": "the page itself",
    "route": "tab.route(pattern, action=…)",
    "unroute": "tab.unroute()",
    "pdf": "tab.pdf()",
    "add_init_script": "page.cdp('Page.addScriptToEvaluateOnNewDocument', source=…)",
    "expose_function": "tab.evaluate(code)",
    "request": "page.evaluate('fetch(…)')",
}


class Shot(bytes):
    """A screenshot's bytes; shown in a line, not in full."""

    def __repr__(self) -> str:
        return f"<screenshot of {len(self)} bytes>"


class PlaywrightPage(RawPage):
    """A tab's page, as code for Playwright expects it."""

    def __init__(
        self, call: Callable[..., Any], tab: Tab, open_tab: Callable[[str], PlaywrightPage]
    ) -> None:
        super().__init__(call, tab.name)
        self.tab = tab
        self.keyboard = Keyboard(tab)
        self.mouse = Mouse(tab)
        self._open_tab = open_tab

    def __repr__(self) -> str:
        return f"<page of tab {self.tab.name}>"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        known = [word for word in dir(type(self)) if not word.startswith("_")]
        near = difflib.get_close_matches(name, known, 1)
        instead = _INSTEAD.get(name) or (f"page.{near[0]}" if near else "a method of tab")
        raise NoSuchAttribute(f"page has no {name!r} here", f"use {instead}", "AttributeError")

    @property
    def context(self) -> Context:
        """Cookies, and the other tabs."""
        return Context(self._call, self.tab, self._open_tab)

    # Going.

    @property
    def url(self) -> str:
        """The address."""
        return str(self.tab.url())

    def title(self) -> str:
        """The title."""
        return str(self.tab.title())

    def content(self) -> str:
        """The whole document as HTML."""
        return str(self.tab.html())

    def goto(self, url: str, *, wait_until: str = "load", timeout: float = 30_000) -> Any:
        """Go to an address."""
        return self.tab.goto(url, _WAITS.get(wait_until, wait_until), seconds(timeout))

    def go_back(self, *, timeout: float = 30_000) -> Any:
        """Go back."""
        return self.tab.back(timeout=seconds(timeout))

    def go_forward(self, *, timeout: float = 30_000) -> Any:
        """Go forward."""
        return self.tab.forward(timeout=seconds(timeout))

    def reload(self, *, timeout: float = 30_000) -> Any:
        """Load again."""
        return self.tab.reload(timeout=seconds(timeout))

    def close(self) -> Any:
        """Close the tab."""
        return self._call("close", name=self.tab.name)

    def bring_to_front(self) -> None:
        """Nothing: every tab here is as good as in front."""

    def set_viewport_size(self, size: dict[str, int]) -> Any:
        """The size of the page."""
        return self.tab.viewport(size["width"], size["height"])

    def set_content(self, html: str, **ignored: Any) -> Any:
        """Put HTML in the place of the document."""
        code = "(html) => { document.open(); document.write(html); document.close(); }"
        return self.tab.evaluate(code, html)

    # Looking.

    def evaluate(self, expression: str, arg: Any = None) -> Any:
        """Run JavaScript in the page."""
        return self.tab.evaluate(expression, *(() if arg is None else (arg,)))

    def screenshot(
        self, *, path: str | None = None, full_page: bool = False, type: str = "png", **more: Any
    ) -> Shot:
        """A picture's bytes; it is shown in the result, too."""
        taken = self.tab.screenshot(full_page=full_page, format=type, **more)
        data = base64.b64decode(taken["data"])
        if path:
            Path(path).write_bytes(data)
        return Shot(data)

    def locator(self, selector: str, *, has_text: str = "") -> Locator:
        """Elements by any selector."""
        found = Locator(self.tab, selector)
        return found.filter(has_text=has_text) if has_text else found

    def get_by_role(self, role: str, *, name: Any = "", exact: bool = False) -> Locator:
        """Elements by role and name."""
        return Locator(self.tab, by_role(role, name, exact))

    def get_by_text(self, text: Any, *, exact: bool = False) -> Locator:
        """Elements by their text."""
        return Locator(self.tab, by_words("text", text, exact))

    def get_by_label(self, text: Any, *, exact: bool = False) -> Locator:
        """Fields by their label."""
        return Locator(self.tab, by_words("label", text, exact))

    def get_by_placeholder(self, text: Any, *, exact: bool = False) -> Locator:
        """Fields by their placeholder."""
        return Locator(self.tab, by_words("placeholder", text, exact))

    def get_by_alt_text(self, text: Any, *, exact: bool = False) -> Locator:
        """Images by their alternative text."""
        return Locator(self.tab, by_words("alt", text, exact))

    def get_by_title(self, text: Any, *, exact: bool = False) -> Locator:
        """Elements by their title."""
        return Locator(self.tab, by_words("title", text, exact))

    def get_by_test_id(self, name: str) -> Locator:
        """Elements by their test id."""
        return Locator(self.tab, by_words("testid", name, False))

    def query_selector(self, selector: str) -> Locator | None:
        """The first element that fits, if any does."""
        found = self.locator(selector)
        return found.first if found.count() else None

    def query_selector_all(self, selector: str) -> list[Locator]:
        """All elements that fit."""
        return self.locator(selector).all()

    # Waiting.

    def wait_for_timeout(self, ms: float) -> None:
        """Wait so many milliseconds."""
        time.sleep(ms / 1000)

    def wait_for_selector(
        self, selector: str, *, state: str = "visible", timeout: float = 30_000
    ) -> Locator:
        """Wait for an element."""
        found = self.locator(selector)
        found.wait_for(state=state, timeout=timeout)
        return found.first

    def wait_for_url(self, url: str, *, timeout: float = 30_000, **ignored: Any) -> Any:
        """Wait until the tab is at an address."""
        return self.tab.wait_for_url(url, seconds(timeout))

    def wait_for_function(self, expression: str, *, timeout: float = 30_000) -> Any:
        """Wait until JavaScript gives something true."""
        return self.tab.wait_for(function=expression, timeout=seconds(timeout))

    def wait_for_load_state(self, state: str = "load", *, timeout: float = 30_000) -> Any:
        """Wait until the document is so far."""
        if state == "networkidle":
            return self.tab.wait_for(idle=True, timeout=seconds(timeout))
        reached = "complete" if state == "load" else "interactive"
        code = f"['{reached}', 'complete'].includes(document.readyState)"
        return self.tab.wait_for(function=code, timeout=seconds(timeout))

    # Acting on what a selector finds; a locator can do the same.

    def click(self, selector: str, **options: Any) -> Any:
        """Click."""
        return self.locator(selector).click(**options)

    def dblclick(self, selector: str, **options: Any) -> Any:
        """Click twice."""
        return self.locator(selector).dblclick(**options)

    def fill(self, selector: str, value: str, **options: Any) -> Any:
        """Fill a field."""
        return self.locator(selector).fill(value, **options)

    def type(self, selector: str, text: str, **options: Any) -> Any:
        """Type key by key."""
        return self.locator(selector).press_sequentially(text, **options)

    def press(self, selector: str, key: str, **options: Any) -> Any:
        """Press a key."""
        return self.locator(selector).press(key, **options)

    def hover(self, selector: str, **options: Any) -> Any:
        """Move the pointer there."""
        return self.locator(selector).hover(**options)

    def focus(self, selector: str, **options: Any) -> Any:
        """Give it the focus."""
        return self.tab.focus(selector, timeout=seconds(options.get("timeout")))

    def check(self, selector: str, **options: Any) -> Any:
        """Tick."""
        return self.locator(selector).check(**options)

    def uncheck(self, selector: str, **options: Any) -> Any:
        """Untick."""
        return self.locator(selector).uncheck(**options)

    def select_option(self, selector: str, value: Any = None, **options: Any) -> Any:
        """Choose options."""
        return self.locator(selector).select_option(value, **options)

    def set_input_files(self, selector: str, files: Any, **options: Any) -> Any:
        """Give files."""
        return self.locator(selector).set_input_files(files, **options)

    def drag_and_drop(self, source: str, target: str) -> Any:
        """Drag one element onto another."""
        return self.tab.drag(source, target)

    def inner_text(self, selector: str) -> str:
        """The text as it is painted."""
        return self.locator(selector).first.inner_text()

    def text_content(self, selector: str) -> str:
        """The text."""
        return self.locator(selector).first.text_content()

    def inner_html(self, selector: str) -> str:
        """The HTML inside."""
        return self.locator(selector).first.inner_html()

    def input_value(self, selector: str) -> str:
        """The value of a field."""
        return self.locator(selector).first.input_value()

    def get_attribute(self, selector: str, name: str) -> str | None:
        """An attribute."""
        return self.locator(selector).first.get_attribute(name)

    def is_visible(self, selector: str) -> bool:
        """Whether it is there and painted."""
        return self.locator(selector).first.is_visible()

    def is_checked(self, selector: str) -> bool:
        """Whether it is ticked."""
        return self.locator(selector).first.is_checked()


class SharedPage:
    """A tab of the user's Chrome that the user shares: its address and title are known, and it is
    used once it is adopted."""

    def __init__(self, tab: dict[str, str]) -> None:
        self.url = tab["url"]
        self.id = tab["target"][:8]
        self.shared_by = tab["shared_by"]
        self._title = tab["title"]

    def __repr__(self) -> str:
        return f"<shared tab {self.id} {self._title!r} {self.url}: not adopted yet>"

    def title(self) -> str:
        """The title."""
        return self._title

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise NoSuchAttribute(
            f"this tab is shared by the user and not adopted yet: {self._title!r}",
            f'adopt it first: browser_tabs(action="adopt", target="{self.id}")',
            "NotAdopted",
        )


class Keyboard:
    """The keys, wherever the focus is."""

    def __init__(self, tab: Tab) -> None:
        self._tab = tab

    def press(self, key: str, **ignored: Any) -> Any:
        """Press a key or a chord."""
        return self._tab.press(key)

    def type(self, text: str, **ignored: Any) -> Any:
        """Type a text into what has the focus."""
        return self._tab.type(":focus", text)

    insert_text = type

    def down(self, key: str) -> Any:
        """Press a key and hold it."""
        return self._tab.key_down(key)

    def up(self, key: str) -> Any:
        """Let go of it."""
        return self._tab.key_up(key)


class Mouse:
    """The pointer."""

    def __init__(self, tab: Tab) -> None:
        self._tab = tab

    def click(self, x: float, y: float, *, button: str = "left", click_count: int = 1) -> Any:
        """Click at a point."""
        return self._tab.click([x, y], button=button, count=click_count)

    def dblclick(self, x: float, y: float) -> Any:
        """Click twice at a point."""
        return self._tab.click([x, y], count=2)

    def move(self, x: float, y: float, **ignored: Any) -> Any:
        """Move to a point."""
        return self._tab.hover([x, y])

    def wheel(self, delta_x: float, delta_y: float) -> Any:
        """Turn the wheel."""
        return self._tab.scroll(delta_x, delta_y)


class Context:
    """Your tabs and what they share."""

    def __init__(
        self, call: Callable[..., Any], tab: Tab, page: Callable[[str], PlaywrightPage]
    ) -> None:
        self._call = call
        self._tab = tab
        self._page = page

    @property
    def pages(self) -> list[PlaywrightPage | SharedPage]:
        """Your tabs, then the tabs of their own Chrome that the user shares."""
        mine = [self._page(tab["name"]) for tab in self._call("tabs")]
        return [*mine, *(SharedPage(tab) for tab in self._call("relay.shared")["tabs"])]

    def new_page(self) -> PlaywrightPage:
        """Another tab."""
        taken = {tab["name"] for tab in self._call("tabs")}
        number = 2
        while f"tab{number}" in taken:
            number += 1
        self._call("open", name=f"tab{number}")
        return self._page(f"tab{number}")

    def cookies(self, urls: str | list[str] | None = None) -> Any:
        """The cookies."""
        return self._tab.cookies([urls] if isinstance(urls, str) else urls)

    def add_cookies(self, cookies: list[dict[str, Any]]) -> Any:
        """Set cookies."""
        return self._tab.set_cookies(cookies)

    def clear_cookies(self, **which: str) -> Any:
        """Delete cookies."""
        return self._tab.clear_cookies(**which)

    def storage_state(self, *, path: str = "") -> Any:
        """Cookies and storage."""
        return self._tab.save_state(path)

    def set_offline(self, offline: bool) -> Any:
        """Whether the page is cut off."""
        return self._tab.emulate(offline=offline)

    def set_geolocation(self, place: dict[str, float]) -> Any:
        """Where the page believes to be."""
        return self._tab.emulate(geolocation=[place["latitude"], place["longitude"]])
