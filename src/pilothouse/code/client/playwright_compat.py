"""`page` and `context` with the most used methods of Playwright, on top of Tab.

    page.goto("https://example.com/")
    page.get_by_role("button", name="Save").click()
    page.locator("li").nth(2).inner_text()

Knows: which verb stands for which Playwright method, and that Playwright counts milliseconds where
we count seconds. Must not know: the socket. In a run, `await` works before every call. A missing
method raises an error that names the alternative.
"""

from __future__ import annotations

import base64
import difflib
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pilothouse.code.client.locator import Locator, by_engine, by_role, seconds
from pilothouse.code.client.raw_cdp import RawPage
from pilothouse.code.client.tab import Tab
from pilothouse.code.run_result import NoSuchAttribute
from pilothouse.security.filenames import image_format

__all__ = ["Context", "Keyboard", "Mouse", "PlaywrightPage", "ScreenshotBytes", "SharedPage"]

_WAIT_UNTIL = {"networkidle": "networkidle0"}
_ALTERNATIVES = {
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


class ScreenshotBytes(bytes):
    """The bytes of a screenshot, with a short `repr`."""

    def __repr__(self) -> str:
        return f"<screenshot of {len(self)} bytes>"


class PlaywrightPage(RawPage):
    """The page of a tab, for code that is written for Playwright."""

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
        instead = _ALTERNATIVES.get(name) or (f"page.{near[0]}" if near else "a method of tab")
        raise NoSuchAttribute(f"page has no {name!r} here", f"use {instead}", "AttributeError")

    @property
    def context(self) -> Context:
        """The context: cookies, and your other tabs."""
        return Context(self._call, self.tab, self._open_tab)

    # Navigation.

    @property
    def url(self) -> str:
        """The URL."""
        return str(self.tab.url())

    def title(self) -> str:
        """The title."""
        return str(self.tab.title())

    def content(self) -> str:
        """Return the whole document as HTML."""
        return str(self.tab.html())

    def goto(self, url: str, *, wait_until: str = "load", timeout: float = 30_000) -> Any:
        """Navigate to a URL."""
        return self.tab.goto(url, _WAIT_UNTIL.get(wait_until, wait_until), seconds(timeout))

    def go_back(self, *, timeout: float = 30_000) -> Any:
        """Go back in the history."""
        return self.tab.back(timeout=seconds(timeout))

    def go_forward(self, *, timeout: float = 30_000) -> Any:
        """Go forward in the history."""
        return self.tab.forward(timeout=seconds(timeout))

    def reload(self, *, timeout: float = 30_000) -> Any:
        """Reload the page."""
        return self.tab.reload(timeout=seconds(timeout))

    def close(self) -> Any:
        """Close the tab."""
        return self._call("close", name=self.tab.name)

    def bring_to_front(self) -> None:
        """Do nothing: every tab behaves as if it were in front."""

    def set_viewport_size(self, size: dict[str, int]) -> Any:
        """Set the size of the viewport."""
        return self.tab.viewport(size["width"], size["height"])

    def set_content(self, html: str, **ignored: Any) -> Any:
        """Replace the document with HTML."""
        code = "(html) => { document.open(); document.write(html); document.close(); }"
        return self.tab.evaluate(code, html)

    # Reading.

    def evaluate(self, expression: str, arg: Any = None) -> Any:
        """Run JavaScript in the page."""
        return self.tab.evaluate(expression, *(() if arg is None else (arg,)))

    def screenshot(
        self, *, path: str | None = None, full_page: bool = False, type: str = "png", **more: Any
    ) -> ScreenshotBytes:
        """Take a screenshot, show it in the result and return its bytes."""
        kind = image_format(path, type, field="path") if path else type
        taken = self.tab.screenshot(full_page=full_page, format=kind, **more)
        data = base64.b64decode(taken["data"])
        if path:
            Path(path).write_bytes(data)
        return ScreenshotBytes(data)

    def locator(self, selector: str, *, has_text: str = "") -> Locator:
        """Find elements by any selector."""
        found = Locator(self.tab, selector)
        return found.filter(has_text=has_text) if has_text else found

    def get_by_role(self, role: str, *, name: Any = "", exact: bool = False) -> Locator:
        """Find elements by role and accessible name."""
        return Locator(self.tab, by_role(role, name, exact))

    def get_by_text(self, text: Any, *, exact: bool = False) -> Locator:
        """Find elements by text."""
        return Locator(self.tab, by_engine("text", text, exact))

    def get_by_label(self, text: Any, *, exact: bool = False) -> Locator:
        """Find fields by label."""
        return Locator(self.tab, by_engine("label", text, exact))

    def get_by_placeholder(self, text: Any, *, exact: bool = False) -> Locator:
        """Find fields by placeholder."""
        return Locator(self.tab, by_engine("placeholder", text, exact))

    def get_by_alt_text(self, text: Any, *, exact: bool = False) -> Locator:
        """Find images by alternative text."""
        return Locator(self.tab, by_engine("alt", text, exact))

    def get_by_title(self, text: Any, *, exact: bool = False) -> Locator:
        """Find elements by title."""
        return Locator(self.tab, by_engine("title", text, exact))

    def get_by_test_id(self, name: str) -> Locator:
        """Find elements by test id."""
        return Locator(self.tab, by_engine("testid", name, False))

    def query_selector(self, selector: str) -> Locator | None:
        """Return the first match, or None."""
        found = self.locator(selector)
        return found.first if found.count() else None

    def query_selector_all(self, selector: str) -> list[Locator]:
        """Return a locator for each match."""
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
        """Wait until the tab has a URL."""
        return self.tab.wait_for_url(url, seconds(timeout))

    def wait_for_function(self, expression: str, *, timeout: float = 30_000) -> Any:
        """Wait until a JavaScript expression is true."""
        return self.tab.wait_for(function=expression, timeout=seconds(timeout))

    def wait_for_load_state(self, state: str = "load", *, timeout: float = 30_000) -> Any:
        """Wait for a load state: load, domcontentloaded or networkidle."""
        if state == "networkidle":
            return self.tab.wait_for(idle=True, timeout=seconds(timeout))
        reached = "complete" if state == "load" else "interactive"
        code = f"['{reached}', 'complete'].includes(document.readyState)"
        return self.tab.wait_for(function=code, timeout=seconds(timeout))

    # Actions by selector; locators have the same methods.

    def click(self, selector: str, **options: Any) -> Any:
        """Click an element."""
        return self.locator(selector).click(**options)

    def dblclick(self, selector: str, **options: Any) -> Any:
        """Double-click an element."""
        return self.locator(selector).dblclick(**options)

    def fill(self, selector: str, value: str, **options: Any) -> Any:
        """Set the value of a field."""
        return self.locator(selector).fill(value, **options)

    def type(self, selector: str, text: str, **options: Any) -> Any:
        """Type text key by key."""
        return self.locator(selector).press_sequentially(text, **options)

    def press(self, selector: str, key: str, **options: Any) -> Any:
        """Focus an element and press a key."""
        return self.locator(selector).press(key, **options)

    def hover(self, selector: str, **options: Any) -> Any:
        """Move the pointer over an element."""
        return self.locator(selector).hover(**options)

    def focus(self, selector: str, **options: Any) -> Any:
        """Focus an element."""
        return self.tab.focus(selector, timeout=seconds(options.get("timeout")))

    def check(self, selector: str, **options: Any) -> Any:
        """Check a checkbox or radio button."""
        return self.locator(selector).check(**options)

    def uncheck(self, selector: str, **options: Any) -> Any:
        """Uncheck a checkbox."""
        return self.locator(selector).uncheck(**options)

    def select_option(self, selector: str, value: Any = None, **options: Any) -> Any:
        """Select options."""
        return self.locator(selector).select_option(value, **options)

    def set_input_files(self, selector: str, files: Any, **options: Any) -> Any:
        """Set the files of a file input."""
        return self.locator(selector).set_input_files(files, **options)

    def drag_and_drop(self, source: str, target: str) -> Any:
        """Drag one element onto another."""
        return self.tab.drag(source, target)

    def inner_text(self, selector: str) -> str:
        """Return the rendered text of an element."""
        return self.locator(selector).first.inner_text()

    def text_content(self, selector: str) -> str:
        """Return the rendered text of an element; Playwright would include hidden text."""
        return self.locator(selector).first.text_content()

    def inner_html(self, selector: str) -> str:
        """Return the HTML inside an element."""
        return self.locator(selector).first.inner_html()

    def input_value(self, selector: str) -> str:
        """Return the value of a field."""
        return self.locator(selector).first.input_value()

    def get_attribute(self, selector: str, name: str) -> str | None:
        """Return an attribute of an element."""
        return self.locator(selector).first.get_attribute(name)

    def is_visible(self, selector: str) -> bool:
        """Return whether an element exists and is visible."""
        return self.locator(selector).first.is_visible()

    def is_checked(self, selector: str) -> bool:
        """Return whether an element is checked."""
        return self.locator(selector).first.is_checked()


class SharedPage:
    """A tab of the user's Chrome that the user shares. It has only a URL and a title until it is
    adopted."""

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
            "adopt it first, with the tool browser_tabs outside of this code: "
            f'action="adopt", target="{self.id}"',
            "NotAdopted",
        )


class Keyboard:
    """Sends keys to the focused element."""

    def __init__(self, tab: Tab) -> None:
        self._tab = tab

    def press(self, key: str, **ignored: Any) -> Any:
        """Press a key or a chord."""
        return self._tab.press(key)

    def type(self, text: str, **ignored: Any) -> Any:
        """Type text into the focused element."""
        return self._tab.type(":focus", text)

    insert_text = type

    def down(self, key: str) -> Any:
        """Press a key and hold it."""
        return self._tab.key_down(key)

    def up(self, key: str) -> Any:
        """Release a key."""
        return self._tab.key_up(key)


class Mouse:
    """Moves and clicks the pointer at coordinates in CSS pixels."""

    def __init__(self, tab: Tab) -> None:
        self._tab = tab

    def click(self, x: float, y: float, *, button: str = "left", click_count: int = 1) -> Any:
        """Click at a point."""
        return self._tab.click([x, y], button=button, count=click_count)

    def dblclick(self, x: float, y: float) -> Any:
        """Double-click at a point."""
        return self._tab.click([x, y], count=2)

    def move(self, x: float, y: float, **ignored: Any) -> Any:
        """Move the pointer to a point."""
        return self._tab.hover([x, y])

    def wheel(self, delta_x: float, delta_y: float) -> Any:
        """Scroll by CSS pixels."""
        return self._tab.scroll(delta_x, delta_y)


class Context:
    """Your tabs, and their cookies and emulation."""

    def __init__(
        self, call: Callable[..., Any], tab: Tab, page: Callable[[str], PlaywrightPage]
    ) -> None:
        self._call = call
        self._tab = tab
        self._page = page

    @property
    def pages(self) -> list[PlaywrightPage | SharedPage]:
        """Your tabs, then the tabs that the user shares from their own Chrome."""
        mine = [self._page(tab["name"]) for tab in self._call("tabs")]
        return [*mine, *(SharedPage(tab) for tab in self._call("relay.shared")["tabs"])]

    def new_page(self) -> PlaywrightPage:
        """Open another tab."""
        taken = {tab["name"] for tab in self._call("tabs")}
        number = 2
        while f"tab{number}" in taken:
            number += 1
        self._call("open", name=f"tab{number}")
        return self._page(f"tab{number}")

    def cookies(self, urls: str | list[str] | None = None) -> Any:
        """Return cookies, optionally only those for some URLs."""
        return self._tab.cookies([urls] if isinstance(urls, str) else urls)

    def add_cookies(self, cookies: list[dict[str, Any]]) -> Any:
        """Set cookies."""
        return self._tab.set_cookies(cookies)

    def clear_cookies(self, **which: str) -> Any:
        """Delete cookies."""
        return self._tab.clear_cookies(**which)

    def storage_state(self, *, path: str = "") -> Any:
        """Return cookies and storage, or write them to `path`."""
        return self._tab.save_state(path)

    def set_offline(self, offline: bool) -> Any:
        """Emulate being offline, or end it."""
        return self._tab.emulate(offline=offline)

    def set_geolocation(self, place: dict[str, float]) -> Any:
        """Emulate a position."""
        return self._tab.emulate(geolocation=[place["latitude"], place["longitude"]])
