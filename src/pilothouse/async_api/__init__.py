"""The asyncio front door: launch a browser in your own process and drive its pages.

    async with pilothouse.launch() as browser:
        page = await browser.new_page("https://example.org")
        print(await page.title())

No daemon is involved: browser, supervisor and pages live in the caller's event loop.

    browser.py   `launch()` returns a `LaunchContext`, which is awaited or entered to get a
                 `Browser`: it owns the process, its supervisor and its pages
    page.py      `AsyncPage`, generated from the same declarations as the blocking client's `Tab`:
                 one coroutine method for each verb of `pilothouse.tabs`

A call goes `AsyncPage.click()` -> `Browser` -> the tab's lease -> the verb in `pilothouse.tabs`
-> the page. The answer is the same mapping that the blocking client returns. What blocks a call
(a dialog, a password prompt) raises `Blocked`.
"""

from __future__ import annotations

from pilothouse.async_api.browser import Browser, LaunchContext, launch
from pilothouse.async_api.page import AsyncPage

__all__ = ["AsyncPage", "Browser", "LaunchContext", "launch"]
