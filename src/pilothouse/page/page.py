"""Our object for a tab's page: eyes and hands in one place.

    page = Page(supervisor, tab)
    await page.goto("https://example.org")
    snapshot = await page.snapshot()
    outcome = await page.click("e12")
    outcome.value.text()          # what came of it; or outcome.blocked_by: what is in the way

Knows: which part does what. Must not know: how.
"""

from __future__ import annotations

from collections.abc import Callable

from pilothouse.page.emulation import TabEmulation
from pilothouse.page.extract import Extractor
from pilothouse.page.input import (
    ActionRunner,
    Clipboard,
    DragAndDrop,
    ElementFacts,
    ElementResolver,
    FormFields,
    KeyboardInput,
    MouseInput,
    Scroller,
    SelectControls,
    Uploads,
)
from pilothouse.page.local_files import check_upload
from pilothouse.page.media import Images, PdfPrinter, Screenshots
from pilothouse.page.navigation import Navigation, Waits
from pilothouse.page.network import NetworkLog, Routes
from pilothouse.page.script import Console, Evaluation
from pilothouse.page.snapshot import Refs, Snapshots
from pilothouse.page.storage import Cookies, TabDownloads, WebStorage
from pilothouse.page.tab_context import TabContext
from pilothouse.page.world import FrameElements, IsolatedWorlds
from pilothouse.security.file_access import FileAccess, Folders
from pilothouse.supervisor import Supervisor

__all__ = ["Page"]

SILENT_S = 0.2


class Page:
    """One tab of one supervised browser. `start` keeps a log of its requests; `close` lets go."""

    def __init__(self, supervisor: Supervisor, tab: str, *, files: Folders | None = None) -> None:
        files = self.files = files or FileAccess()
        context = self.tab_context = TabContext(supervisor, tab)
        worlds = self.worlds = IsolatedWorlds(context)
        refs = self.refs = Refs(context.session.target_id)
        frame_elements = FrameElements(context, worlds)
        # Eyes.
        snapshots = Snapshots(context, worlds, refs, frame_elements)
        self.snapshot, self.changed = snapshots.take, snapshots.changed
        self.extract = Extractor(context, worlds, frame_elements).read
        self.images = Images(context, worlds).all
        self.pdf = PdfPrinter(context).print
        self.console = Console(context)
        # Requests.
        self.network = NetworkLog(context)
        self.routes = Routes(context, files)
        # Hands.
        self.resolver = ElementResolver(context, worlds, refs, frame_elements)
        self.runner = ActionRunner(context, worlds, _Requests(self.network, supervisor.now))
        self.screenshot = Screenshots(
            self.resolver, worlds, frame_elements, refs, snapshots
        ).screenshot
        self.inspect = ElementFacts(self.resolver).read
        self.mouse = MouseInput(self.resolver, self.runner)
        self.click, self.hover = self.mouse.click, self.mouse.hover
        self.keyboard = KeyboardInput(self.resolver, self.runner, frame_elements)
        self.press, self.type = self.keyboard.press, self.keyboard.type
        choose = SelectControls(self.resolver, self.runner, self.mouse)
        fields = FormFields(self.resolver, self.runner, self.mouse, choose)
        self.fill, self.clear, self.focus = fields.fill, fields.clear, fields.focus
        self.check, self.uncheck = fields.check, fields.uncheck
        self.select = choose.select
        scrolling = Scroller(self.resolver, self.runner)
        self.scroll, self.scroll_to = scrolling.scroll, scrolling.to_edge
        self.scroll_into_view = scrolling.into_view
        self.drag = DragAndDrop(self.resolver, self.runner, self.mouse).drag
        self.upload = Uploads(
            self.resolver,
            self.runner,
            self.mouse,
            lambda path: check_upload(path, files.reads, files.never),
        ).upload
        self.clipboard = Clipboard(context)
        # Going and waiting.
        self.navigation = Navigation(context, worlds)
        self.goto, self.reload = self.navigation.goto, self.navigation.reload
        self.back, self.forward = self.navigation.back, self.navigation.forward
        self.evaluation = Evaluation(context, worlds)
        self.evaluate = self.evaluation.evaluate
        self.waits = Waits(context, worlds, evaluation=self.evaluation)
        # What is kept, and what the page is told about the world.
        self.cookies = Cookies(context, worlds)
        self.storage = WebStorage(context, worlds, self.cookies, files)
        self.emulation = TabEmulation(context)
        self.downloads = TabDownloads(context, files)

    async def start(self) -> None:
        """Keep a log of the page's requests from now on, of which receipts tell those under way;
        and have its documents to come made ready to be looked at."""
        self.worlds.preload()
        self.navigation.prepare_early()
        await self.network.start()

    async def close(self) -> None:
        """Hear nothing more of the tab; it stays as it is."""
        await self.network.close()


class _Requests:
    """The network log as receipts ask it."""

    def __init__(self, log: NetworkLog, now: Callable[[], float]) -> None:
        self._log = log
        self._now = now

    def pending_since(self, at: float) -> int:
        """What answered and fell silent is a stream, or a body nobody reads: not waited for."""
        silent = self._now() - SILENT_S
        return sum(
            1
            for request in self._log.in_flight()
            if request.since >= at and not (request.responded and request.heard_at < silent)
        )

    def last_end(self) -> float:
        """Of those that are waited for."""
        return self._log.last_end
