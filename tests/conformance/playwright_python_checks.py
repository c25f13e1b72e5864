"""Playwright for Python (its async API), broadly: each check gives a plain value.

The driver below it is the one of playwright_checks.mjs; what is held here is what a Python program
does with it: its own event plumbing, expectations, handles, routes and files.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.async_api import (
    Browser,
    BrowserContext,
    Dialog,
    Frame,
    Page,
    Playwright,
    Route,
    async_playwright,
    expect,
)

from tests.conformance.python_check_runner import Wish, failure, run_all

WISH = Wish.read() if __name__ == "__main__" else Wish("", "http://127.0.0.1:1/", "", "own")
url = WISH.url


@dataclass(slots=True)
class Stage:
    """What a check gets."""

    driver: Playwright
    browser: Browser
    context: BrowserContext
    page: Page
    more: list[BrowserContext] = field(default_factory=list)

    async def room(self, **options: Any) -> BrowserContext:
        """A context of its own; it ends with the check."""
        made = await self.browser.new_context(**options)
        self.more.append(made)
        return made


Check = Callable[[Stage], Awaitable[Any]]
CHECKS: dict[str, Check] = {}


def check(function: Check) -> Check:
    """Put it on the list."""
    CHECKS[function.__name__] = function
    return function


@check
async def pages_come_and_go(t: Stage) -> Any:
    async with t.context.expect_page() as came:
        made = await t.context.new_page()
    told = [await came.value == made, made.url]
    await made.close()
    return [*told, made.is_closed()]


@check
async def navigation(t: Stage) -> Any:
    answer = await t.page.goto(url("/there"))
    assert answer is not None
    titles = [await t.page.title()]
    await t.page.goto(url("/other.html"))
    await t.page.go_back()
    titles.append(await t.page.title())
    await t.page.reload()
    return [answer.status, titles, t.page.url]


@check
async def navigation_errors(t: Stage) -> Any:
    return [await failure(t.page.goto("http://127.0.0.1:1/")), await failure(t.page.goto("no"))]


@check
async def forms(t: Stage) -> Any:
    await t.page.goto(url("/form.html"))
    await t.page.get_by_label("Name").fill("filled")
    await t.page.get_by_role("button", name="Press me").click()
    await t.page.get_by_label("Agree").check()
    await t.page.select_option("#s", label="C")
    await t.page.locator("#t").press_sequentially("typed")
    await t.page.drag_and_drop("#src", "#dst")
    await expect(t.page.locator("#dst")).to_have_text("dropped cargo")
    await expect(t.page.locator("li")).to_have_count(3)
    return [
        await t.page.input_value("#name"),
        await t.page.text_content("#n"),
        await t.page.is_checked("#c"),
        await t.page.input_value("#s"),
        await t.page.input_value("#t"),
    ]


@check
async def foreign_frames(t: Stage) -> Any:
    await t.page.goto(url("/oopif.html"))
    leaf = t.page.frame_locator("[name=f]").frame_locator("[name=f]")
    await leaf.get_by_role("button").click()
    await expect(leaf.get_by_role("button")).to_have_text("hit")
    hosts = [await frame.evaluate("location.hostname") for frame in t.page.frames]
    return sorted(hosts)


@check
async def evaluate_and_handles(t: Stage) -> Any:
    handle = await t.page.evaluate_handle("({a: [1, 2]})")
    sizes = await t.page.evaluate("([o, s]) => [o.a.length, s.length]", [handle, "x" * 1_000_000])
    error = await failure(t.page.evaluate("() => { throw new TypeError('no') }"))
    many = await asyncio.gather(*(t.page.evaluate("n => n * 2", n) for n in range(30)))
    return [sizes, error, sum(many), len(await t.page.evaluate("'y'.repeat(5000000)"))]


@check
async def exposed_functions_and_init_scripts(t: Stage) -> Any:
    callers: list[str] = []

    def tell(source: dict[str, Any], what: int) -> int:
        frame: Frame = source["frame"]
        callers.append(frame.url)
        return what + 1

    await t.page.expose_binding("tell", tell)
    await t.page.add_init_script("window.early = 'early'")
    await t.page.goto(url("/popped.html"))
    return [await t.page.evaluate("tell(1)"), await t.page.evaluate("made"), callers]


@check
async def dialogs_of_all_kinds(t: Stage) -> Any:
    asked: list[list[str]] = []

    async def answer(dialog: Dialog) -> None:
        asked.append([dialog.type, dialog.message])
        await dialog.accept("me")

    t.page.on("dialog", answer)
    await t.page.goto(url("/dialogs.html"))
    told = []
    for kind in ("alert", "confirm", "prompt"):
        await t.page.click(f"#{kind}")
        told.append(await t.page.text_content("#o"))
    return [asked, told]


@check
async def dialogs_nobody_hears(t: Stage) -> Any:
    await t.page.goto(url("/dialogs.html"))
    await t.page.click("#prompt")
    return [await t.page.text_content("#o"), await t.page.evaluate("confirm('x')")]


@check
async def dialogs_in_foreign_frames(t: Stage) -> Any:
    t.page.on("dialog", lambda dialog: dialog.accept("far"))
    await t.page.goto(url("/dialogs-oopif.html"))
    frame = t.page.frame_locator("[name=f]")
    await frame.locator("#prompt").click()
    await expect(frame.locator("#o")).to_have_text("far")
    return await frame.locator("#o").text_content()


@check
async def popups(t: Stage) -> Any:
    await t.context.add_init_script("window.early = 'early'")
    await t.page.goto(url("/popups.html"))
    async with t.page.expect_popup() as came:
        await t.page.click("#open")
    popup = await came.value
    await popup.wait_for_load_state()
    return [popup.url, await popup.evaluate("made"), await popup.opener() == t.page]


@check
async def routes(t: Stage) -> Any:
    async def made(route: Route) -> None:
        await route.fulfill(status=200, content_type="text/html", body="<title>made</title>")

    async def changed(route: Route) -> None:
        await route.continue_(headers={**route.request.headers, "x-added": "yes"})

    await t.page.route("**/made.html", made)
    await t.page.route("**/echo", changed)
    await t.page.route("**/data.json", lambda route: route.abort())
    await t.page.goto(url("/made.html"))
    echoed = await t.page.evaluate("fetch('/echo').then(r => r.json())")
    failed = await t.page.evaluate("fetch('/data.json').then(() => 'came', () => 'failed')")
    return [await t.page.title(), echoed["headers"]["x-added"], failed]


@check
async def requests_and_bodies(t: Stage) -> Any:
    await t.page.goto(url("/blank.html"))
    async with t.page.expect_response("**/data.json") as came:
        await t.page.evaluate("fetch('/data.json').then(r => r.text())")
    answer = await came.value
    return [answer.status, await answer.json(), answer.request.method]


@check
async def cookies_of_the_context(t: Stage) -> Any:
    await t.context.add_cookies([{"name": "conf_py", "value": "1", "url": url("/")}])
    mine = [c for c in await t.context.cookies() if c.get("name") == "conf_py"]
    await t.context.clear_cookies(name="conf_py")
    left = [c for c in await t.context.cookies() if c.get("name") == "conf_py"]
    return [[(c.get("value"), c.get("domain")) for c in mine], left]


@check
async def storage_state(t: Stage) -> Any:
    one = await t.room()
    page = await one.new_page()
    await page.goto(url("/blank.html"))
    await page.evaluate("localStorage.setItem('kept', 'yes')")
    two = await t.room(storage_state=await one.storage_state())
    other = await two.new_page()
    await other.goto(url("/blank.html"))
    return await other.evaluate("localStorage.getItem('kept')")


@check
async def downloads(t: Stage) -> Any:
    await t.page.goto(url("/downloads.html"))
    async with t.page.expect_download() as came:
        await t.page.click("#a")
    download = await came.value
    place = Path(WISH.scratch) / "python.bin"
    await download.save_as(place)
    return [download.suggested_filename, place.stat().st_size, await download.failure()]


@check
async def uploads(t: Stage) -> Any:
    place = Path(WISH.scratch) / "python.txt"
    place.write_text("12345")
    await t.page.goto(url("/form.html"))
    await t.page.set_input_files("#f", place)
    await t.page.wait_for_function("log => log.textContent.includes('python.txt=5')", arg=await
        t.page.query_selector("#log"))  # fmt: skip
    async with t.page.expect_file_chooser() as came:
        await t.page.click("#f")
    await (await came.value).set_files(place)
    return await t.page.evaluate("f.files.length")


@check
async def screenshots_and_pdf(t: Stage) -> Any:
    await t.page.set_viewport_size({"width": 300, "height": 200})
    await t.page.goto(url("/shapes.html"))
    png = await t.page.screenshot(full_page=True)
    size = [int.from_bytes(png[16:20]), int.from_bytes(png[20:24])]
    return [size, (await t.page.pdf())[:5].decode()]


@check
async def console_and_errors(t: Stage) -> Any:
    async with t.page.expect_console_message() as heard:
        await t.page.evaluate("console.log('said', 1)")
    async with t.page.expect_event("pageerror") as failed:
        await t.page.evaluate("setTimeout(() => { throw new Error('late') }, 0)")
    return [(await heard.value).text, str(await failed.value)]


@check
async def workers(t: Stage) -> Any:
    async with t.page.expect_worker() as came:
        await t.page.goto(url("/workers.html"))
    worker = await came.value
    return [worker.url, await worker.evaluate("6 * 7")]


@check
async def cdp_sessions(t: Stage) -> Any:
    session = await t.context.new_cdp_session(t.page)
    heard: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    session.on("Network.requestWillBeSent", heard.put_nowait)
    await session.send("Network.enable")
    await t.page.goto(url("/blank.html"))
    asked = await heard.get()
    unknown = await failure(session.send("Nonsense.really"))
    await session.detach()
    return [asked["request"]["url"], unknown]


@check
async def contexts_are_apart(t: Stage) -> Any:
    one, two = await t.room(), await t.room(locale="de-DE", viewport={"width": 400, "height": 300})
    await one.add_cookies([{"name": "who", "value": "one", "url": url("/")}])
    page = await two.new_page()
    await page.goto(url("/blank.html"))
    return [await two.cookies(), await page.evaluate("[navigator.language, innerWidth]")]


@check
async def aria_snapshot(t: Stage) -> Any:
    await t.page.goto(url("/aria.html"))
    return await t.page.locator("body").aria_snapshot()


@check
async def second_client_leaves_the_first_alone(t: Stage) -> Any:
    await t.page.goto(url("/form.html"))
    other = await t.driver.chromium.connect_over_cdp(WISH.endpoint)
    page = await other.contexts[0].new_page()
    await page.goto(url("/other.html"))
    title = await page.title()
    await page.close()
    await other.close()
    await t.page.click("#b")
    return [title, other.is_connected(), await t.page.text_content("#n")]


async def main() -> None:
    """One driver for all; "own" rooms on one connection, "shared" ones on one each."""
    async with async_playwright() as driver:
        kept: list[Browser] = []

        @contextlib.asynccontextmanager
        async def stage() -> AsyncIterator[Stage]:
            own = WISH.rooms == "own"
            if not kept or not own:
                kept[:] = [await driver.chromium.connect_over_cdp(WISH.endpoint)]
            browser = kept[0]
            context = await browser.new_context() if own else browser.contexts[0]
            context.set_default_timeout(40_000)
            before = list(context.pages)
            staged = Stage(driver, browser, context, await context.new_page())
            try:
                yield staged
            finally:
                for made in staged.more:
                    await made.close()
                if own:
                    await context.close()
                else:
                    for page in [page for page in context.pages if page not in before]:
                        await page.close()
                    await browser.close()

        await run_all(WISH, CHECKS, stage)


if __name__ == "__main__":
    asyncio.run(main())
