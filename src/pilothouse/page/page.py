"""Page: one object with everything that can be read from a tab's page and done on it.

    page = Page(supervisor, tab)
    await page.goto("https://example.org")
    snapshot = await page.snapshot()
    outcome = await page.click("e12")
    outcome.value.text()          # the receipt; outcome.blocked_by instead if a dialog opened

Knows: which class does what. Must not know: how.
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
from pilothouse.page.script import Evaluation, PageConsole
from pilothouse.page.snapshot import Refs, Snapshots
from pilothouse.page.storage import Cookies, TabDownloads, WebStorage
from pilothouse.page.tab_context import TabContext
from pilothouse.page.world import FrameElements, IsolatedWorlds
from pilothouse.security.file_access import FileAccess, FolderAccess
from pilothouse.supervisor import Supervisor

__all__ = ["Page"]

# A response without new data for this long does not count as pending.
SILENT_S = 0.2


class Page:
    """One tab of one supervised browser. `start` begins to log its requests; `close` stops."""

    def __init__(
        self, supervisor: Supervisor, tab: str, *, files: FolderAccess | None = None
    ) -> None:
        files = self.files = files or FileAccess()
        context = self.tab_context = TabContext(supervisor, tab)
        worlds = self.worlds = IsolatedWorlds(context)
        refs = self.refs = Refs(context.session.target_id)
        frame_elements = FrameElements(context, worlds)
        # Reading.
        snapshots = Snapshots(context, worlds, refs, frame_elements)
        self.snapshot, self.changed = snapshots.take, snapshots.changed
        self.extract = Extractor(context, worlds, frame_elements).read
        self.images = Images(context, worlds).find_all
        self.pdf = PdfPrinter(context).print
        self.console = PageConsole(context)
        # Requests.
        self.network = NetworkLog(context)
        self.routes = Routes(context, files)
        # Input.
        self.resolver = ElementResolver(context, worlds, refs, frame_elements)
        self.runner = ActionRunner(context, worlds, _PendingRequests(self.network, supervisor.now))
        self.screenshot = Screenshots(
            self.resolver, worlds, frame_elements, refs, snapshots
        ).screenshot
        self.inspect = ElementFacts(self.resolver).read
        self.mouse = MouseInput(self.resolver, self.runner)
        self.click, self.hover = self.mouse.click, self.mouse.hover
        self.keyboard = KeyboardInput(self.resolver, self.runner, frame_elements)
        self.press, self.type = self.keyboard.press, self.keyboard.type
        selects = SelectControls(self.resolver, self.runner, self.mouse)
        fields = FormFields(self.resolver, self.runner, self.mouse, selects)
        self.fill, self.clear, self.focus = fields.fill, fields.clear, fields.focus
        self.check, self.uncheck = fields.check, fields.uncheck
        self.select = selects.select
        scroller = Scroller(self.resolver, self.runner)
        self.scroll, self.scroll_to = scroller.scroll, scroller.to_edge
        self.scroll_into_view = scroller.into_view
        self.drag = DragAndDrop(self.resolver, self.runner, self.mouse).drag
        self.upload = Uploads(
            self.resolver,
            self.runner,
            self.mouse,
            lambda path: check_upload(path, files.reads, files.never),
        ).upload
        self.clipboard = Clipboard(context)
        # Navigation and waits.
        self.navigation = Navigation(context, worlds)
        self.goto, self.reload = self.navigation.goto, self.navigation.reload
        self.back, self.forward = self.navigation.back, self.navigation.forward
        self.evaluation = Evaluation(context, worlds)
        self.evaluate = self.evaluation.evaluate
        self.waits = Waits(context, worlds, evaluation=self.evaluation)
        # Storage and emulation.
        self.cookies = Cookies(context, worlds)
        self.storage = WebStorage(context, worlds, self.cookies, files)
        self.emulation = TabEmulation(context)
        self.downloads = TabDownloads(context, files)

    async def start(self) -> None:
        """Log the page's requests from now on (receipts count the pending ones), and have new
        documents load our scripts, so that their first snapshot is fast."""
        self.worlds.preload()
        if self.worlds.warms_up:
            self.navigation.prepare_early()
        await self.network.start()

    async def close(self) -> None:
        """Stop listening to the tab; the tab itself stays open."""
        await self.network.close()


class _PendingRequests:
    """The network log as the action runner uses it for receipts."""

    def __init__(self, log: NetworkLog, now: Callable[[], float]) -> None:
        self._log = log
        self._now = now

    def pending_since(self, at: float) -> int:
        """Count pending requests that started after `at`. A response that fell silent is not
        counted: it is a stream, or a body that the page does not read."""
        silent = self._now() - SILENT_S
        return sum(
            1
            for request in self._log.in_flight()
            if request.since >= at and not (request.responded and request.heard_at < silent)
        )

    def last_end(self) -> float:
        """Return when the last counted request ended."""
        return self._log.last_end
