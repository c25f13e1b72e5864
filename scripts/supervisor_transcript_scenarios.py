"""Scenarios on a real Chromium under a supervisor that record_transcript.py records.

Each gets a started supervisor and a page server, and returns when the events it is about are in
the state.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from pilothouse.cdp import Session
from pilothouse.cdp.protocol import Input, Page, Runtime, Target
from pilothouse.supervisor import Frame, Policy, State, Supervisor
from pilothouse.supervisor.model import TabKey
from pilothouse.supervisor.model import events as ev
from tests.page_server import Pages

__all__ = ["SUPERVISED", "WITHIN_S", "Stage", "Story"]

WITHIN_S = 10.0
ELSEWHERE = "localhost"
FAR = "a.localhost"

Play = Callable[["Stage"], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Story:
    """A scenario, and the options it needs."""

    play: Play
    downloads: bool = False


class Stage:
    """A supervisor, its pages, and helpers for scenarios."""

    def __init__(self, supervisor: Supervisor, pages: Pages) -> None:
        self.supervisor = supervisor
        self.pages = pages
        self._count = 0

    def page(self, body: str, host: str = "127.0.0.1") -> str:
        """Add a page; return its URL."""
        self._count += 1
        path = f"/{self._count}.html"
        self.pages.add(path, f"<!doctype html>{body}")
        return self.pages.url(path, host=host)

    async def open(self, body: str) -> str:
        """Open a new page in a new tab; return the tab."""
        url = self.page(body)
        tab = await self.supervisor.open_tab("ann", url)
        await self.frame(url)
        return tab

    async def until(self, question: Callable[[State], object]) -> None:
        """Wait until the predicate holds."""
        await self.supervisor.wait_for(question, WITHIN_S)

    async def frame(self, url: str) -> Frame:
        """Wait for the frame with this URL and its execution context; return it."""

        def there(state: State) -> Frame | None:
            shown = (f for f in state.frames.values() if f.url == url and state.context_of(f))
            return next(shown, None)

        return await self.supervisor.wait_for(there, WITHIN_S)

    async def run(self, code: str, *, tab: str = "", frame: Frame | None = None) -> str:
        """Evaluate code; return the id of the action if something blocks it."""
        frame_id = frame.id if frame is not None else self.supervisor.state.tabs[tab].target_id
        params = {"expression": code, "userGesture": True}
        asked = await self.supervisor.cdp("Runtime.evaluate", params, frame_id=frame_id)
        return asked.action_id

    async def dialogs(self, count: int) -> list[str]:
        """Wait until this many dialogs are open; return their ids."""
        await self.until(lambda state: len(state.dialogs) == count)
        return list(self.supervisor.state.dialogs)

    async def go(self, tab: str, url: str) -> None:
        """Navigate and wait for the new document."""
        await self.supervisor.cdp("Page.navigate", {"url": url}, tab=tab)
        await self.frame(url)


async def navigation(stage: Stage) -> None:
    """Load two documents, then change the fragment."""
    tab = await stage.open("<title>One</title>")
    two = stage.page("<title>Two</title>")
    await stage.go(tab, two)
    await stage.go(tab, f"{two}#below")


async def redirects(stage: Stage) -> None:
    """Follow a redirect over another site."""
    tab = await stage.open("start")
    end = stage.page("end")
    stage.pages.add_redirect("/second", end)
    stage.pages.add_redirect("/first", stage.pages.url("/second", host=ELSEWHERE))
    await stage.supervisor.cdp("Page.navigate", {"url": stage.pages.url("/first")}, tab=tab)
    await stage.frame(end)


async def same_process_frame(stage: Stage) -> None:
    """A frame of the same site, which navigates."""
    first, second = stage.page("first"), stage.page("second")
    await stage.open(f"<iframe name=inner src='{first}'></iframe>")
    await stage.run(f"location.href = '{second}'", frame=await stage.frame(first))
    await stage.frame(second)


async def oopif(stage: Stage) -> None:
    """A frame of another site."""
    inner = stage.page("inner", ELSEWHERE)
    await stage.open(f"<iframe src='{inner}'></iframe>")
    await stage.frame(inner)


async def nested_oopif(stage: Stage) -> None:
    """Three sites, one inside the other."""
    leaf = stage.page("leaf", FAR)
    middle = stage.page(f"<iframe src='{leaf}'></iframe>", ELSEWHERE)
    await stage.open(f"<iframe src='{middle}'></iframe>")
    await stage.frame(middle)
    await stage.frame(leaf)


async def srcdoc(stage: Stage) -> None:
    """A frame with srcdoc."""
    await stage.open("<iframe srcdoc='<p>hello'></iframe>")
    await stage.frame("about:srcdoc")


async def oopif_removed(stage: Stage) -> None:
    """A cross-site frame that the page removes."""
    inner = stage.page("inner", ELSEWHERE)
    tab = await stage.open(f"<iframe src='{inner}'></iframe>")
    await stage.frame(inner)
    await stage.run("void document.querySelector('iframe').remove()", tab=tab)
    await stage.until(lambda state: len(state.frames) == len(state.tabs) == len(state.sessions))


async def frame_changes_process(stage: Stage) -> None:
    """A frame that moves to its own process and back."""
    near, far, back = stage.page("near"), stage.page("far", ELSEWHERE), stage.page("back")
    tab = await stage.open(f"<iframe src='{near}'></iframe>")
    await stage.frame(near)
    for url in (far, back):
        await stage.run(f"void (document.querySelector('iframe').src = '{url}')", tab=tab)
        await stage.frame(url)
    await stage.until(lambda state: all(s.kind == "page" for s in state.sessions.values()))


async def popup(stage: Stage) -> None:
    """A page opens another one, which has the same owner."""
    second = stage.page("<title>Second</title>")
    tab = await stage.open("first")
    await stage.run(f"void open('{second}')", tab=tab)
    await stage.frame(second)
    await stage.until(lambda s: [t for t in s.tabs.values() if t.url == second and t.opener == tab])


async def popup_with_prompt(stage: Stage) -> None:
    """A popup that opens a dialog before it has loaded."""
    second = stage.page("<script>document.title = prompt('name?', 'nobody')</script>")
    tab = await stage.open("first")
    await stage.run(f"void open('{second}')", tab=tab)
    await stage.dialogs(1)
    await stage.supervisor.answer(accept=True, text="ann")
    await stage.frame(second)


async def native_dialogs(stage: Stage) -> None:
    """An alert, a confirm and two prompts, answered one after the other."""
    tab = await stage.open("page")
    for question, accept, text in (
        ("alert('hello')", True, None),
        ("confirm('sure?')", False, None),
        ("prompt('name?', 'nobody')", True, "ann"),
        ("prompt('name?', 'nobody')", True, None),
    ):
        action = await stage.run(question, tab=tab)
        await stage.supervisor.answer(accept=accept, text=text)
        await stage.supervisor.actions.result(action, WITHIN_S)


async def beforeunload(stage: Stage) -> None:
    """Two beforeunload dialogs: one is dismissed, one accepted."""
    away = stage.page("away")
    for accept in (False, True):
        tab = await stage.open("<script>onbeforeunload = e => e.preventDefault()</script>")
        await touch(stage.supervisor.session(tab))
        asked = await stage.supervisor.cdp("Page.navigate", {"url": away}, tab=tab)
        await stage.dialogs(1)
        await stage.supervisor.answer(accept=accept)
        await stage.supervisor.actions.result(asked.action_id, WITHIN_S)
    await stage.frame(away)


async def touch(session: Session) -> None:
    """Click until it counts: Chrome shows beforeunload dialogs only after a user gesture, and
    ignores clicks before the first paint."""
    touched, active = False, Runtime.evaluate(expression="navigator.userActivation.hasBeenActive")
    while not touched:
        for kind in ("mousePressed", "mouseReleased"):
            click = Input.dispatchMouseEvent(type=kind, x=50, y=50, button="left", clickCount=1)
            await session.send(click)
        touched = (await session.send(active))["result"].get("value") is True


async def oopif_dialog(stage: Stage) -> None:
    """A prompt in a cross-site frame, answered over the bridge."""
    inner = stage.page("inner", ELSEWHERE)
    await stage.open(f"<iframe src='{inner}'></iframe>")
    action = await stage.run("prompt('name?', 'nobody')", frame=await stage.frame(inner))
    await stage.supervisor.answer(accept=True, text="ann")
    await stage.supervisor.actions.result(action, WITHIN_S)


async def two_oopif_dialogs(stage: Stage) -> None:
    """Two frames open a dialog at once; the later one is answered first."""
    left, right = stage.page("left", ELSEWHERE), stage.page("right", FAR)
    await stage.open(f"<iframe src='{left}'></iframe><iframe src='{right}'></iframe>")
    for url in (left, right):
        await stage.run(f"confirm('{url[-6:]}')", frame=await stage.frame(url))
    for dialog in reversed(await stage.dialogs(2)):
        await stage.supervisor.answer(accept=True, dialog_id=dialog)


async def dialog_ended_by_navigation(stage: Stage) -> None:
    """The page navigates while its dialog is open."""
    tab = await stage.open("page")
    await stage.run("confirm('sure?')", tab=tab)
    await stage.dialogs(1)
    away = stage.page("away")
    await stage.supervisor.session(tab).send(Page.navigate(url=away))
    await stage.frame(away)


async def watchdog(stage: Stage) -> None:
    """A dialog that times out."""
    now = stage.supervisor.now()
    stage.supervisor.feed(ev.PolicySet(now, TabKey("ann"), Policy(timeout_s=0.2)))
    tab = await stage.open("page")
    await stage.run("confirm('sure?')", tab=tab)
    await stage.until(lambda state: state.recent_dialogs)


async def crash_and_reload(stage: Stage) -> None:
    """The renderer crashes and the page is reloaded."""
    tab = await stage.open("page")
    main = stage.supervisor.state.frames[stage.supervisor.state.tabs[tab].target_id]
    stage.supervisor.session(tab).send(Page.crash())
    await stage.until(lambda state: state.interrupts)
    (interrupt,) = stage.supervisor.state.interrupts
    stage.supervisor.answer_interrupt(interrupt, "reload")
    # The new process starts with an empty document; wait for the page's own.
    await stage.until(lambda state: state.frames[main.id].loader != main.loader)
    await stage.frame(main.url)


async def worker(stage: Stage) -> None:
    """A page with a dedicated worker."""
    stage.pages.add("/worker.js", "postMessage('here')")
    await stage.open("<script>new Worker('/worker.js')</script>")
    await stage.until(lambda state: "worker" in {s.kind for s in state.sessions.values()})


async def download(stage: Stage) -> None:
    """Download a file."""
    stage.pages.add_download("/file.txt", "content", "file.txt")
    tab = await stage.open("<a href='/file.txt'>file</a>")
    await stage.run("document.querySelector('a').click()", tab=tab)
    await stage.until(lambda s: {d.state for d in s.downloads.values()} == {"completed"})


async def auth(stage: Stage) -> None:
    """A page behind HTTP authentication."""
    url = stage.pages.add_protected("/secret.html", "inside", "ann", "opensesame")
    tab = await stage.open("outside")
    await stage.supervisor.cdp("Page.navigate", {"url": url}, tab=tab)
    await stage.until(lambda state: state.interrupts)
    (interrupt,) = stage.supervisor.state.interrupts
    stage.supervisor.answer_interrupt(interrupt, "provide", username="ann", password="opensesame")
    await stage.frame(url)


async def tab_closed_with_dialog(stage: Stage) -> None:
    """A tab with an open dialog is closed."""
    tab = await stage.open("page")
    await stage.run("confirm('sure?')", tab=tab)
    await stage.dialogs(1)
    target = stage.supervisor.state.tabs[tab].target_id
    await stage.supervisor.connection.send(Target.closeTarget(targetId=target))
    await stage.until(lambda state: tab not in state.tabs)


SUPERVISED: dict[str, Story] = {
    play.__name__: Story(play, downloads=play is download)
    for play in (
        auth,
        beforeunload,
        crash_and_reload,
        dialog_ended_by_navigation,
        download,
        frame_changes_process,
        native_dialogs,
        navigation,
        nested_oopif,
        oopif,
        oopif_dialog,
        oopif_removed,
        popup,
        popup_with_prompt,
        redirects,
        same_process_frame,
        srcdoc,
        tab_closed_with_dialog,
        two_oopif_dialogs,
        watchdog,
        worker,
    )
}
