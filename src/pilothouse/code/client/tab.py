"""A tab, as Python code sees it: every verb is a method; each call waits for its result.

Made by scripts/generate_client.py from the declarations of the verbs; do not edit it by hand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pilothouse.code.client.aliases import either_spelling
from pilothouse.code.client.element import Element, ref_of
from pilothouse.code.client.notebook_display import Picture, Rich, Snapshot
from pilothouse.code.client.raw_cdp import RawPage

__all__ = ["Tab"]


class Tab(Rich):
    """One tab of yours, by name. What cannot be done is raised, with a hint in its words.

    Options may be given as `wait_until` or `waitUntil`.
    """

    def __init__(
        self, call: Callable[..., Any], name: str = "main", opened: dict[str, Any] | None = None
    ) -> None:
        self._call = call
        self.name = name
        # How it was opened: address, title, browser, whether it was there before.
        self.opened: dict[str, Any] = opened or {}

    def __repr__(self) -> str:
        return f"<Tab {self.name}>"

    @property
    def page(self) -> RawPage:
        """CDP itself, for what a tab does not offer: `tab.page.cdp("Page.reload")`."""
        return RawPage(self._call, self.name)

    def id(self, ref: int | str) -> Element:
        """The element of a ref that `snapshot` or `observe` gave: `tab.id("e12").click()`.

        Raises at once if it is not on the page any more.
        """
        element = Element(ref_of(ref), self)
        element.is_visible()
        return element

    @either_spelling
    def click(
        self,
        target: str | list[float] | dict[str, float],
        button: str = "left",
        count: int = 1,
        modifiers: list[str] | None = None,
        position: list[float] | None = None,
        hold_ms: float = 0,
        frame: str = "",
        nth: int | None = None,
        timeout: float | None = None,
    ) -> Any:
        """Click an element, as a person would.

        target: a ref (e12), CSS, text=…, button=Save, label=…, XPath, or x,y
        button: left, right or middle
        count: 2 is a double click
        frame: the frame it is in: the ref of its iframe, its name, or part of its address
        nth: which one if several match; 0 is the first, -1 the last
        timeout: seconds to wait for the element
        """
        return self._call(
            "tab.click",
            tab=self.name,
            target=target,
            button=button,
            count=count,
            modifiers=modifiers or [],
            position=position,
            hold_ms=hold_ms,
            frame=frame,
            nth=nth,
            timeout=timeout,
        )

    @either_spelling
    def dblclick(
        self,
        target: str | list[float] | dict[str, float],
        frame: str = "",
        nth: int | None = None,
        timeout: float | None = None,
    ) -> Any:
        """Click an element twice."""
        return self._call(
            "tab.dblclick", tab=self.name, target=target, frame=frame, nth=nth, timeout=timeout
        )

    @either_spelling
    def hover(
        self,
        target: str | list[float] | dict[str, float],
        modifiers: list[str] | None = None,
        frame: str = "",
        nth: int | None = None,
        timeout: float | None = None,
    ) -> Any:
        """Move the pointer over an element."""
        return self._call(
            "tab.hover",
            tab=self.name,
            target=target,
            modifiers=modifiers or [],
            frame=frame,
            nth=nth,
            timeout=timeout,
        )

    @either_spelling
    def type(
        self,
        target: str | list[float] | dict[str, float],
        text: str,
        delay_ms: float = 0,
        submit: bool = False,
        frame: str = "",
        nth: int | None = None,
        timeout: float | None = None,
    ) -> Any:
        """Type text into an element, key by key, after what is there.

        text: what is typed
        submit: press Enter afterwards
        """
        return self._call(
            "tab.type",
            tab=self.name,
            target=target,
            text=text,
            delay_ms=delay_ms,
            submit=submit,
            frame=frame,
            nth=nth,
            timeout=timeout,
        )

    @either_spelling
    def fill(
        self,
        target: str | list[float] | dict[str, float],
        value: str | bool | float | list[str],
        submit: bool = False,
        frame: str = "",
        nth: int | None = None,
        timeout: float | None = None,
    ) -> Any:
        """Set a field of any kind to a value, and check that it took it.

        value: text; true or false for checkboxes; an option for lists
        submit: send the form: by Enter, or its button where Enter does not
        """
        return self._call(
            "tab.fill",
            tab=self.name,
            target=target,
            value=value,
            submit=submit,
            frame=frame,
            nth=nth,
            timeout=timeout,
        )

    @either_spelling
    def clear(
        self,
        target: str | list[float] | dict[str, float],
        frame: str = "",
        nth: int | None = None,
        timeout: float | None = None,
    ) -> Any:
        """Empty a field."""
        return self._call(
            "tab.clear", tab=self.name, target=target, frame=frame, nth=nth, timeout=timeout
        )

    @either_spelling
    def press(
        self,
        keys: str,
        target: str | list[float] | dict[str, float] | None = None,
        frame: str = "",
        nth: int | None = None,
        timeout: float | None = None,
    ) -> Any:
        """Press a key or a chord, in the focused element or in `target`.

        keys: Enter, Escape, a, Control+A, Shift+Tab
        """
        return self._call(
            "tab.press",
            tab=self.name,
            keys=keys,
            target=target,
            frame=frame,
            nth=nth,
            timeout=timeout,
        )

    @either_spelling
    def select(
        self,
        target: str | list[float] | dict[str, float],
        *values: str | int | list[str | int],
        frame: str = "",
        nth: int | None = None,
        timeout: float | None = None,
    ) -> Any:
        """Choose options of a list by value, label or index.

        values: one of them, or several for lists that take several
        """
        return self._call(
            "tab.select",
            tab=self.name,
            target=target,
            values=values[0] if len(values) == 1 else list(values),
            frame=frame,
            nth=nth,
            timeout=timeout,
        )

    @either_spelling
    def check(
        self,
        target: str | list[float] | dict[str, float],
        frame: str = "",
        nth: int | None = None,
        timeout: float | None = None,
    ) -> Any:
        """Tick a checkbox, radio button or switch."""
        return self._call(
            "tab.check", tab=self.name, target=target, frame=frame, nth=nth, timeout=timeout
        )

    @either_spelling
    def uncheck(
        self,
        target: str | list[float] | dict[str, float],
        frame: str = "",
        nth: int | None = None,
        timeout: float | None = None,
    ) -> Any:
        """Untick a checkbox or switch."""
        return self._call(
            "tab.uncheck", tab=self.name, target=target, frame=frame, nth=nth, timeout=timeout
        )

    @either_spelling
    def focus(
        self,
        target: str | list[float] | dict[str, float],
        frame: str = "",
        nth: int | None = None,
        timeout: float | None = None,
    ) -> Any:
        """Give an element the focus."""
        return self._call(
            "tab.focus", tab=self.name, target=target, frame=frame, nth=nth, timeout=timeout
        )

    @either_spelling
    def scroll(
        self,
        dx: float = 0,
        dy: float = 0,
        target: str | list[float] | dict[str, float] | None = None,
        to: str = "",
        frame: str = "",
        nth: int | None = None,
        timeout: float | None = None,
    ) -> Any:
        """Scroll the page or an element by so many pixels, or to an edge.

        to: top or bottom
        """
        return self._call(
            "tab.scroll",
            tab=self.name,
            dx=dx,
            dy=dy,
            target=target,
            to=to,
            frame=frame,
            nth=nth,
            timeout=timeout,
        )

    @either_spelling
    def scroll_into_view(
        self,
        target: str | list[float] | dict[str, float],
        frame: str = "",
        nth: int | None = None,
        timeout: float | None = None,
    ) -> Any:
        """Scroll until an element can be seen."""
        return self._call(
            "tab.scroll_into_view",
            tab=self.name,
            target=target,
            frame=frame,
            nth=nth,
            timeout=timeout,
        )

    @either_spelling
    def drag(
        self,
        source: str | list[float] | dict[str, float],
        destination: str | list[float] | dict[str, float] | None = None,
        by: list[float] | None = None,
        steps: int = 12,
        frame: str = "",
        nth: int | None = None,
        timeout: float | None = None,
    ) -> Any:
        """Drag an element onto another one, to a point, or by a distance.

        source: what is taken
        destination: where it is dropped
        by: instead of that, pixels to the right and down
        steps: moves of the pointer on the way
        """
        return self._call(
            "tab.drag",
            tab=self.name,
            source=source,
            destination=destination,
            by=by,
            steps=steps,
            frame=frame,
            nth=nth,
            timeout=timeout,
        )

    @either_spelling
    def upload(
        self,
        target: str | list[float] | dict[str, float],
        *paths: str | list[str],
        how: str = "auto",
        any_type: bool = False,
        frame: str = "",
        nth: int | None = None,
        timeout: float | None = None,
    ) -> Any:
        """Give files to a file input, to a button that opens a chooser, or to a drop zone.

        paths: one file or several, in a folder that may be read
        how: auto, input, chooser or drop
        any_type: also files that the input says it does not accept
        """
        return self._call(
            "tab.upload",
            tab=self.name,
            target=target,
            paths=paths[0] if len(paths) == 1 else list(paths),
            how=how,
            any_type=any_type,
            frame=frame,
            nth=nth,
            timeout=timeout,
        )

    @either_spelling
    def key_down(self, key: str) -> Any:
        """Press a key and hold it.

        key: Shift, Control, a, ArrowDown
        """
        return self._call("tab.key_down", tab=self.name, key=key)

    @either_spelling
    def key_up(self, key: str = "") -> Any:
        """Let go of a held key; of all without a name.

        key: the key that is held
        """
        return self._call("tab.key_up", tab=self.name, key=key)

    @either_spelling
    def clipboard_read(self) -> Any:
        """The text in the clipboard."""
        return self._call("tab.clipboard_read", tab=self.name)

    @either_spelling
    def clipboard_write(self, text: str) -> Any:
        """Put a text into the clipboard.

        text: what is put there
        """
        return self._call("tab.clipboard_write", tab=self.name, text=text)

    @either_spelling
    def goto(self, url: str, wait_until: str = "load", timeout: float = 30.0) -> Any:
        """Go to an address.

        wait_until: load, domcontentloaded, networkidle0, networkidle2, commit or settled
        """
        return self._call(
            "tab.goto", tab=self.name, url=url, wait_until=wait_until, timeout=timeout
        )

    @either_spelling
    def back(self, wait_until: str = "load", timeout: float = 30.0) -> Any:
        """Go back in the history."""
        return self._call("tab.back", tab=self.name, wait_until=wait_until, timeout=timeout)

    @either_spelling
    def forward(self, wait_until: str = "load", timeout: float = 30.0) -> Any:
        """Go forward in the history."""
        return self._call("tab.forward", tab=self.name, wait_until=wait_until, timeout=timeout)

    @either_spelling
    def reload(
        self, ignore_cache: bool = False, wait_until: str = "load", timeout: float = 30.0
    ) -> Any:
        """Load the page again."""
        return self._call(
            "tab.reload",
            tab=self.name,
            ignore_cache=ignore_cache,
            wait_until=wait_until,
            timeout=timeout,
        )

    @either_spelling
    def stop(self) -> Any:
        """Stop loading."""
        return self._call("tab.stop", tab=self.name)

    @either_spelling
    def evaluate(
        self, code: str, *args: Any, frame_id: str = "", world: str = "main", timeout: float = 30.0
    ) -> Any:
        """Run JavaScript in the page: an expression, a body with return, or a function with args.

        world: main is the page's own, isolated sees the same document and none of its variables
        """
        return self._call(
            "tab.evaluate",
            tab=self.name,
            code=code,
            args=list(args),
            frame_id=frame_id,
            world=world,
            timeout=timeout,
        )

    @either_spelling
    def wait_for(
        self,
        selector: str = "",
        state: str = "visible",
        text: str = "",
        text_gone: str = "",
        url: str = "",
        function: str = "",
        response: str = "",
        request: str = "",
        idle: bool = False,
        download: bool = False,
        popup: bool = False,
        timeout: float = 30.0,
    ) -> Any:
        """Wait for one thing to come true.

        selector: CSS, text=…, button=… or a ref; state: visible, hidden, attached or detached
        text: a text that any frame shows; text_gone: one that none shows any more
        url: a part of the address, or a glob
        function: JavaScript that gives something true
        response: the next response from an address; a glob or a part
        request: the next request to an address; a glob or a part
        idle: until no request was under way for half a second
        download: until the next download has ended
        popup: until the page opens the next tab
        """
        return self._call(
            "tab.wait_for",
            tab=self.name,
            selector=selector,
            state=state,
            text=text,
            text_gone=text_gone,
            url=url,
            function=function,
            response=response,
            request=request,
            idle=idle,
            download=download,
            popup=popup,
            timeout=timeout,
        )

    @either_spelling
    def wait_for_url(self, pattern: str, timeout: float = 30.0) -> Any:
        """Wait until the tab is at an address; returns the whole of it.

        pattern: a part of the address, a glob, or re:<regular expression>
        """
        return self._call("tab.wait_for_url", tab=self.name, pattern=pattern, timeout=timeout)

    @either_spelling
    def wait_for_response(self, pattern: str, timeout: float = 30.0) -> Any:
        """Wait for the answer to a request of the page.

        pattern: a part of its address, a glob, or re:<regular expression>
        """
        return self._call("tab.wait_for_response", tab=self.name, pattern=pattern, timeout=timeout)

    @either_spelling
    def result(self, action_id: str, again: bool = False, timeout: float = 30.0) -> Any:
        """The result, given once, of an action that something had blocked and that is answered.

        again: what blocks it still, or anew, comes back at once
        """
        return self._call(
            "tab.result", tab=self.name, action_id=action_id, again=again, timeout=timeout
        )

    @either_spelling
    def cookies(self, urls: list[str] | None = None) -> Any:
        """The cookies of your browser context, or those a request to `urls` would carry."""
        return self._call("tab.cookies", tab=self.name, urls=urls)

    @either_spelling
    def set_cookies(self, cookies: list[dict[str, Any]]) -> Any:
        """Set cookies: name, value, and url or domain."""
        return self._call("tab.set_cookies", tab=self.name, cookies=cookies)

    @either_spelling
    def clear_cookies(self, name: str = "", domain: str = "", path: str = "") -> Any:
        """Delete cookies by name, domain or path; without any of them, all."""
        return self._call("tab.clear_cookies", tab=self.name, name=name, domain=domain, path=path)

    @either_spelling
    def storage(self, kind: str = "local", key: str = "", frame_id: str = "") -> Any:
        """What the page keeps in its storage; one value, or all.

        kind: local or session; key: one entry
        """
        return self._call("tab.storage", tab=self.name, kind=kind, key=key, frame_id=frame_id)

    @either_spelling
    def set_storage(
        self, key: str, value: str | None, kind: str = "local", frame_id: str = ""
    ) -> Any:
        """Set a value of the page's storage; null removes it.

        kind: local or session; key: the entry
        value: its new value
        """
        return self._call(
            "tab.set_storage", tab=self.name, key=key, value=value, kind=kind, frame_id=frame_id
        )

    @either_spelling
    def save_state(self, path: str = "") -> Any:
        """Cookies and storage as a file (or a value) that `load_state` takes."""
        return self._call("tab.save_state", tab=self.name, path=path)

    @either_spelling
    def load_state(self, state: str | dict[str, Any]) -> Any:
        """Restore cookies and storage from a file or a value of `save_state`."""
        return self._call("tab.load_state", tab=self.name, state=state)

    @either_spelling
    def viewport(self, width: int, height: int, scale: float = 1.0, mobile: bool = False) -> Any:
        """Set the size of the page.

        width: CSS pixels; height: CSS pixels; scale: device pixels in a CSS pixel
        mobile: as on a phone, with its viewport meta and overlay scrollbars
        """
        return self._call(
            "tab.viewport", tab=self.name, width=width, height=height, scale=scale, mobile=mobile
        )

    @either_spelling
    def emulate(
        self,
        device: str = "",
        user_agent: str = "",
        locale: str = "",
        timezone: str = "",
        geolocation: list[float] | None = None,
        offline: bool | None = None,
        throttle: str = "",
        color_scheme: str = "",
        reduced_motion: str = "",
        media: str = "",
        cpu: float = 0,
        reset: bool = False,
    ) -> Any:
        """Tell the page something else about the world; without any, what it is told now.

        device: a device by name, such as iPhone 13; its size, scale, touch and user agent
        user_agent: what the browser says it is
        locale: such as de-AT
        timezone: such as Europe/Vienna
        geolocation: latitude and longitude, and accuracy in metres if wanted
        offline: whether the page is cut off from the network
        throttle: a slow network: none, 2g, slow-3g, fast-3g or 4g
        color_scheme: light, dark or no-preference
        reduced_motion: reduce or no-preference
        media: screen or print
        cpu: so many times slower, 1 to 100
        reset: end all emulation first
        """
        return self._call(
            "tab.emulate",
            tab=self.name,
            device=device,
            user_agent=user_agent,
            locale=locale,
            timezone=timezone,
            geolocation=geolocation,
            offline=offline,
            throttle=throttle,
            color_scheme=color_scheme,
            reduced_motion=reduced_motion,
            media=media,
            cpu=cpu,
            reset=reset,
        )

    @either_spelling
    def downloads(self) -> Any:
        """The files this tab has downloaded, or is downloading, with the path of each."""
        return self._call("tab.downloads", tab=self.name)

    @either_spelling
    def save_download(self, id: str, to: str = "") -> Any:
        """Move a downloaded file to another folder that may be written to.

        id: of the download; `downloads` lists it
        to: a name or a path; without it, the file stays where it was kept
        """
        return self._call("tab.save_download", tab=self.name, id=id, to=to)

    @either_spelling
    def dialogs(self) -> Any:
        """The dialogs that wait, the last ones that are over, and other interrupts."""
        return self._call("tab.dialogs", tab=self.name)

    @either_spelling
    def handle_dialog(
        self, accept: bool = True, text: str | None = None, dialog_id: str | None = None
    ) -> Any:
        """Answer a dialog; the only one there is, unless an id is given.

        text: what is typed into a prompt
        """
        return self._call(
            "tab.handle_dialog", tab=self.name, accept=accept, text=text, dialog_id=dialog_id
        )

    @either_spelling
    def answer(self, interrupt_id: str, action: str, detail: dict[str, Any] | None = None) -> Any:
        """Decide about anything else that waits: a password, a file chooser, a permission.

        interrupt_id: what waits, such as i-1; `dialogs` lists it
        action: one of the answers it names, such as provide, upload, grant, deny or cancel
        detail: what it needs, as {"username": "ann", "password": "…"} or {"files": ["a.txt"]}
        """
        return self._call(
            "tab.answer",
            tab=self.name,
            interrupt_id=interrupt_id,
            action=action,
            detail=detail or {},
        )

    @either_spelling
    def console(self, since: int | None = None, level: str = "debug", limit: int = 100) -> Any:
        """What the page said on its console, and its uncaught errors.

        since: only lines from this number on; `next_seq` of an earlier answer
        level: debug, info, warning or error: that and worse
        """
        return self._call("tab.console", tab=self.name, since=since, level=level, limit=limit)

    @either_spelling
    def errors(self, limit: int = 50) -> Any:
        """The errors of the page."""
        return self._call("tab.errors", tab=self.name, limit=limit)

    @either_spelling
    def requests(
        self,
        since: str = "",
        url: str = "",
        type: str = "",
        failed: bool | None = None,
        limit: int = 100,
    ) -> Any:
        """The requests of the page, newest last.

        url: a part of the address, or a glob
        """
        return self._call(
            "tab.requests",
            tab=self.name,
            since=since,
            url=url,
            type=type,
            failed=failed,
            limit=limit,
        )

    @either_spelling
    def request(self, id: str, body: bool = False) -> Any:
        """One request with its headers; and its body, if asked for."""
        return self._call("tab.request", tab=self.name, id=id, body=body)

    @either_spelling
    def har(self, url: str = "") -> Any:
        """The requests as a HAR file."""
        return self._call("tab.har", tab=self.name, url=url)

    @either_spelling
    def route(
        self,
        pattern: str,
        action: str = "block",
        status: int = 200,
        headers: dict[str, str] | None = None,
        body: str = "",
        url: str = "",
        times: int = 0,
    ) -> Any:
        """Block, mock or change the requests that fit a pattern, from now on.

        pattern: a part of the address, a glob, or re:<regular expression>
        action: block, mock (status, headers, body) or continue (headers, url)
        status: of the mocked answer
        headers: of the mocked answer, or to be sent instead
        body: of the mocked answer
        times: how often; 0 is always
        """
        return self._call(
            "tab.route",
            tab=self.name,
            pattern=pattern,
            action=action,
            status=status,
            headers=headers or {},
            body=body,
            url=url,
            times=times,
        )

    @either_spelling
    def unroute(self, id: str = "") -> Any:
        """Take back a route; without an id all of them.

        id: what `route` gave, such as route-1
        """
        return self._call("tab.unroute", tab=self.name, id=id)

    @either_spelling
    def routes(self) -> Any:
        """The routes there are."""
        return self._call("tab.routes", tab=self.name)

    @either_spelling
    def url(self) -> Any:
        """The address of the page."""
        return self._call("tab.url", tab=self.name)

    @either_spelling
    def title(self) -> Any:
        """The title of the page."""
        return self._call("tab.title", tab=self.name)

    @either_spelling
    def snapshot(
        self,
        interactive: bool = False,
        depth: int = 0,
        root: str = "",
        viewport: bool = False,
        budget: int = 4000,
        find: str = "",
        limit: int = 0,
        diff: bool = False,
        boxes: bool = False,
        hidden: bool = False,
        client: str = "",
    ) -> Snapshot:
        """What is on the page, in all frames, as text with refs to act on.

        interactive: only what can be acted on, and alerts
        root: a ref: only what is in it
        budget: about how many tokens; 0 is no limit
        find: only rows, items and lines with this text, or /regex/
        limit: show at most so many of those; 0 is all
        diff: only what changed since your last snapshot
        """
        return Snapshot(
            self._call(
                "tab.snapshot",
                tab=self.name,
                interactive=interactive,
                depth=depth,
                root=root,
                viewport=viewport,
                budget=budget,
                find=find,
                limit=limit,
                diff=diff,
                boxes=boxes,
                hidden=hidden,
                client=client,
            )
        )

    @either_spelling
    def changed(self) -> Any:
        """What reads otherwise since the page was last looked at: lines that came and went."""
        return self._call("tab.changed", tab=self.name)

    @either_spelling
    def observe(self, include_all: bool = False, viewport_only: bool = False) -> Any:
        """The elements that can be acted on, as a list: id, role, name, value, states.

        include_all: also what can only be read
        viewport_only: only what is in the viewport now
        """
        return self._call(
            "tab.observe", tab=self.name, include_all=include_all, viewport_only=viewport_only
        )

    @either_spelling
    def screenshot(
        self,
        target: str | list[float] | dict[str, float] | None = None,
        full_page: bool = False,
        annotate: bool = False,
        format: str = "png",
        quality: int | None = None,
        scale: float = 1.0,
        for_model: bool = False,
        save: str = "",
    ) -> Picture:
        """A picture of the viewport, the whole page or one element.

        annotate: draw the refs on it
        for_model: a copy of at most 1024x1024 and 150 KiB
        save: also write it to this file, in a folder that may be written to
        """
        return Picture(
            self._call(
                "tab.screenshot",
                tab=self.name,
                target=target,
                full_page=full_page,
                annotate=annotate,
                format=format,
                quality=quality,
                scale=scale,
                for_model=for_model,
                save=save,
            )
        )

    @either_spelling
    def extract(
        self, format: str = "markdown", article: bool = True, selector: str = "", limit: int = 0
    ) -> Any:
        """The page's article as markdown or text, with its tables, links and code.

        A page without an article gives its main part, else everything; `what` says which: article,
        main, page, selection. A page without any text gives None.

        article: the article alone, or (false) the whole page
        selector: CSS; reads only this part of the page
        limit: characters; 0 is none
        """
        return self._call(
            "tab.extract",
            tab=self.name,
            format=format,
            article=article,
            selector=selector,
            limit=limit,
        )

    @either_spelling
    def images(self, backgrounds: bool = False, hidden: bool = True) -> Any:
        """The images of the page: address, alternative text, sizes.

        backgrounds: also images of CSS backgrounds; hidden: also those that are not shown
        """
        return self._call("tab.images", tab=self.name, backgrounds=backgrounds, hidden=hidden)

    @either_spelling
    def pdf(
        self,
        paper: str = "a4",
        landscape: bool = False,
        pages: str = "",
        scale: float = 1.0,
        background: bool = True,
        save: str = "",
    ) -> Any:
        """The page as a PDF.

        paper: a3, a4, a5, a6, letter, legal or tabloid; landscape: lay it on its side
        background: also colours and pictures behind the text
        pages: such as 1-3, 5; all without it
        save: also write it to this file, in a folder that may be written to
        """
        return self._call(
            "tab.pdf",
            tab=self.name,
            paper=paper,
            landscape=landscape,
            pages=pages,
            scale=scale,
            background=background,
            save=save,
        )

    @either_spelling
    def text(self, target: str | list[float] | dict[str, float], nth: int | None = None) -> Any:
        """The text of an element, as it is painted."""
        return self._call("tab.text", tab=self.name, target=target, nth=nth)

    @either_spelling
    def html(
        self, target: str | list[float] | dict[str, float] = "html", nth: int | None = None
    ) -> Any:
        """The HTML of an element; without one, of the page."""
        return self._call("tab.html", tab=self.name, target=target, nth=nth)

    @either_spelling
    def value(self, target: str | list[float] | dict[str, float], nth: int | None = None) -> Any:
        """The value of a field."""
        return self._call("tab.value", tab=self.name, target=target, nth=nth)

    @either_spelling
    def attr(
        self, target: str | list[float] | dict[str, float], name: str, nth: int | None = None
    ) -> Any:
        """An attribute of an element; nothing if it has none of that name.

        name: of the attribute
        """
        return self._call("tab.attr", tab=self.name, target=target, name=name, nth=nth)

    @either_spelling
    def count(self, target: str | list[float] | dict[str, float]) -> Any:
        """How many elements match."""
        return self._call("tab.count", tab=self.name, target=target)

    @either_spelling
    def box(self, target: str | list[float] | dict[str, float], nth: int | None = None) -> Any:
        """Where an element is in its frame: x, y, width, height."""
        return self._call("tab.box", tab=self.name, target=target, nth=nth)

    @either_spelling
    def is_visible(
        self, target: str | list[float] | dict[str, float], nth: int | None = None
    ) -> Any:
        """Whether an element is there and painted."""
        return self._call("tab.is_visible", tab=self.name, target=target, nth=nth)

    @either_spelling
    def is_enabled(
        self, target: str | list[float] | dict[str, float], nth: int | None = None
    ) -> Any:
        """Whether an element is enabled."""
        return self._call("tab.is_enabled", tab=self.name, target=target, nth=nth)

    @either_spelling
    def is_checked(
        self, target: str | list[float] | dict[str, float], nth: int | None = None
    ) -> Any:
        """Whether a checkbox, radio button or switch is on."""
        return self._call("tab.is_checked", tab=self.name, target=target, nth=nth)

    @either_spelling
    def frames(self) -> Any:
        """The frames of the page as a tree."""
        return self._call("tab.frames", tab=self.name)

    # The same by the names other tools have for them.
    scrollIntoView = scroll_into_view
    keyDown = key_down
    keyUp = key_up
    clipboardRead = clipboard_read
    clipboardWrite = clipboard_write
    waitFor = wait_for
    waitForUrl = wait_for_url
    waitForResponse = wait_for_response
    setCookies = set_cookies
    clearCookies = clear_cookies
    setStorage = set_storage
    saveState = save_state
    loadState = load_state
    saveDownload = save_download
    handleDialog = handle_dialog
    isVisible = is_visible
    isEnabled = is_enabled
    isChecked = is_checked
    upload_file = uploadFile = upload
