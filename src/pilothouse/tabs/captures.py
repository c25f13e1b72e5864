"""Captures: what a tab showed after each navigation or action, kept on disk for the user.

The setting `browser.capture` switches them on. A capture is made after its call was answered: it
never fails a call, and no call waits for it. Everything is redacted before it is written.

Knows: which calls are captured, in which tabs, and how the page is read. Must not know: folders and
limits (capture_folders.py), or how a call is answered.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from pilothouse.asyncio_tasks import Tasks
from pilothouse.browsers.kinds import BrowserKind, HeadlessKind
from pilothouse.errors import PilothouseError
from pilothouse.page.extract import ExtractedText
from pilothouse.security.redaction import Redactor, redact, redact_value
from pilothouse.supervisor import Outcome
from pilothouse.supervisor.journal import LINES_KEPT_PER_TAB
from pilothouse.supervisor.model import blockers
from pilothouse.tabs.capture_folders import CaptureFolders, capture_name
from pilothouse.tabs.verb_descriptions import action_words, quoted_name

if TYPE_CHECKING:
    from pilothouse.tabs.owned_tab_and_browser import OwnedTab

__all__ = ["Captures", "TabCaptures", "captured_words", "may_capture"]

_log = logging.getLogger(__name__)

T = TypeVar("T")

PART_WITHIN_S = 3.0
# How long the close of a tab waits for captures: while they read the page, and then write files.
READS_ON_WITHIN_S = 0.5
WRITES_WITHIN_S = 5.0
# Characters of a text file. Redaction holds up the daemon for milliseconds per 100,000 characters.
LONGEST_TEXT = 200_000
# A text is read this much further than it is kept, so that the end cannot hold half a secret.
MARGIN = 20_000
# Of each tab. Further captures keep the receipt and the console only.
READ_AT_ONCE = 4
# Pages with more frames are not searched for secrets, so they get no picture if there are secrets.
FRAMES_SEARCHED = 20

_NAVIGATIONS = {
    "open": "navigate",
    "goto": "navigate",
    "back": "back",
    "forward": "forward",
    "reload": "reload",
}
# Ends of a navigation after which the tab shows the page that it showed before.
_STAYED = frozenset({"aborted", "download", "no_content", "pending"})

_HTML = """(longest) => {
  const html = document.documentElement?.outerHTML ?? ''
  const fields = [...document.querySelectorAll('input, textarea')].map((field) => field.value)
  const values = fields.join('\\n')
  return [html.slice(0, longest), values.slice(0, longest), html.length, values.length]
}"""


def may_capture(kind: BrowserKind) -> bool:
    """Return whether the tabs of a browser may be captured: only of one that Pilothouse launched.

    Other browsers show what their user does and is logged in to. Nobody has named those secrets, so
    they cannot be kept out."""
    return isinstance(kind, HeadlessKind)


def captured_words(mode: str, verb: str, answer: Any) -> str:
    """Return what a capture of this call is named after, such as `click Save`; empty if there is
    none. `mode` is the setting."""
    if verb == "evaluate":
        return "evaluate" if mode == "actions" else ""
    if mode == "off" or not isinstance(answer, Mapping) or "blocked_by" in answer:
        return ""
    if verb in _NAVIGATIONS:
        arrived = mode == "actions" or answer.get("kind") not in _STAYED
        return _NAVIGATIONS[verb] if arrived else ""
    is_receipt = {"action", "target", "navigated", "changed"} <= answer.keys()
    if not is_receipt or (mode == "navigation" and not answer["navigated"]):
        return ""
    # `result` returns the receipt of an earlier call, which something blocked.
    did = answer["action"] if verb == "result" else verb
    return f"{did} {quoted_name(str(answer['target']))}"


class _PageRead(msgspec.Struct):
    """What was read of a page: the files, why others are missing, and which are not whole."""

    files: dict[str, str | bytes] = msgspec.field(default_factory=dict)
    missing: dict[str, str] = msgspec.field(default_factory=dict)
    cut: set[str] = msgspec.field(default_factory=set)


class _FrameRead(msgspec.Struct, frozen=True, array_like=True):
    """The HTML of a frame's document and the values of its fields, and how long each is uncut."""

    html: str
    fields: str
    html_length: int
    fields_length: int


class Captures:
    """The captures of all tabs of a daemon. `mode` is the setting `browser.capture`."""

    def __init__(self, root: Path, mode: str, most_mb: int, redactor: Redactor) -> None:
        self.mode = mode
        self.redactor = redactor
        self.folders = CaptureFolders(root, most_bytes=most_mb * 1_000_000)

    def for_tab(self, tab: OwnedTab) -> TabCaptures | None:
        """Return the captures of a new tab; None if it is not to be captured."""
        if self.mode == "off" or not may_capture(tab.kind):
            return None
        return TabCaptures(self, tab)

    def describe(self) -> dict[str, Any]:
        """Return the mode, and if it is on, the folder, and what is in it."""
        if self.mode == "off":
            return {"mode": "off"}
        number, size = self.folders.count()
        shown = {"folder": str(self.folders.root), "captures": number, "bytes": size}
        return {"mode": self.mode, **shown}


class TabCaptures:
    """The captures of one tab, numbered from 1."""

    def __init__(self, captures: Captures, tab: OwnedTab) -> None:
        self._captures = captures
        self._redactor = captures.redactor
        self._tab = tab
        self._tasks = Tasks()
        self._reading: set[asyncio.Future[_PageRead]] = set()
        self._running: set[asyncio.Task[None]] = set()
        self._last: asyncio.Task[None] | None = None
        self._number = 0
        self._console_from = 1
        # The loader id of the document into which a secret was typed last.
        self._secret_in = ""
        self.folder = captures.folders.session_folder(tab.owner, tab.name)

    @property
    def number(self) -> int:
        """The number of the last capture; 0 if there is none."""
        return self._number

    def note_secret(self) -> None:
        """Take no picture of the present document: a secret is being typed into it."""
        self._secret_in = self._loader()

    def after(self, verb: str, answer: Any) -> Path | None:
        """Begin a capture if the call of `verb` with this answer gets one. Returns its folder,
        which appears a moment later. Never waits, and never raises."""
        words = captured_words(self._captures.mode, verb, answer)
        if not words or not self._tab.alive or self._blocked():
            return None
        self._number += 1
        folder = self.folder / capture_name(self._number, self._clean(words))
        details = {
            "action": words if verb in _NAVIGATIONS else action_words(verb, {}, answer) or words,
            "at": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "url": self._tab.url,
            "receipt": answer if verb != "evaluate" else {},
        }
        work = self._capture(folder, details, self._console(), self._last)
        self._last = task = self._tasks.start(work, "capture")
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return folder

    async def close(self) -> None:
        """End the captures that have begun. One that reads the page for longer than
        READS_ON_WITHIN_S is written with what does not come from the page."""
        for within in (READS_ON_WITHIN_S, WRITES_WITHIN_S):
            if self._running:
                await asyncio.wait(self._running, timeout=within)
            for reading in self._reading:
                reading.cancel()
        await self._tasks.close()

    def _blocked(self) -> bool:
        return bool(blockers(self._tab.supervisor.state, self._tab.tab_id))

    def _loader(self) -> str:
        state = self._tab.supervisor.state
        tab = state.tabs.get(self._tab.tab_id)
        frame = state.frames.get(tab.target_id) if tab else None
        return frame.loader if frame else ""

    def _console(self) -> str:
        """Return the console lines since the last capture."""
        since, console = self._console_from, self._tab.page.console
        found = console.entries(since, limit=LINES_KEPT_PER_TAB)
        self._console_from = console.next_seq
        lost = [f"({found['dropped']} earlier lines are lost)"] if found["dropped"] else []
        return "\n".join(lost + [f"{line['level']}: {line['text']}" for line in found["entries"]])

    async def _capture(
        self,
        folder: Path,
        details: dict[str, Any],
        console: str,
        before: asyncio.Task[None] | None,
    ) -> None:
        """Read the page and write a capture, after the one `before`: the oldest are deleted first.
        Its failure is logged, because nobody waits for it."""
        if len(self._reading) >= READ_AT_ONCE:
            read = _PageRead(missing={"page": "earlier captures were still being read"})
        else:
            read = await self._read_or_stop()
        if console:
            read.files["console.txt"] = console
        if before is not None and not before.done():
            await asyncio.wait({before})
        try:
            files = await asyncio.to_thread(self._redact, details, read)
            await asyncio.to_thread(self._captures.folders.write, folder, files)
        except OSError as error:
            _log.warning("could not write the capture %s: %s", folder, error)

    async def _read_or_stop(self) -> _PageRead:
        reading = asyncio.ensure_future(self._read())
        self._reading.add(reading)
        try:
            await asyncio.wait({reading})
        finally:
            self._reading.discard(reading)
            reading.cancel()
        if reading.cancelled():
            return _PageRead(missing={"page": "the tab was closed first"})
        try:
            return reading.result()
        except PilothouseError as error:  # the tab is gone
            return _PageRead(missing={"page": error.message})

    async def _read(self) -> _PageRead:
        """Read the texts of the page, then take a picture, each within PART_WITHIN_S.

        Chrome paints for so long that a call would wait for it: no picture once another call has
        begun."""
        page, read, loader = self._tab.page, _PageRead(), self._loader()
        used_at = self._tab.used_at
        longest = LONGEST_TEXT + MARGIN
        extracting = self._read_part("page.md", page.extract(limit=longest), read.missing)
        text, html = await asyncio.gather(
            extracting, self._read_frame("", "page.html", read.missing)
        )
        if text is not None:
            read.files["page.md"] = text.text
            read.cut |= {"page.md"} if text.cut else set()
        if html is not None:
            read.files["page.html"] = html.html
            read.cut |= {"page.html"} if html.html_length > longest else set()
        if self._tab.used_at != used_at:
            read.missing["picture.jpg"] = "the next call came first"
            return read
        shot = page.screenshot(format="jpeg", quality=70)
        picture = await self._read_part("picture.jpg", shot, read.missing)
        if picture is not None:
            if self._redactor and (why := await self._why_no_picture(loader, text, html)):
                read.missing["picture.jpg"] = why
            else:
                read.files["picture.jpg"] = picture.data
        return read

    async def _why_no_picture(
        self, loader: str, text: ExtractedText | None, html: _FrameRead | None
    ) -> str:
        """Return why a picture that was just taken may show a secret; empty if it shows none.

        What a picture shows cannot be redacted, so all texts and fields of the page are searched:
        those that were read with the picture, and those of all frames now."""
        frames = self._tab.page.tab_context.frames()
        if text is None or text.cut or html is None or len(frames) > FRAMES_SEARCHED:
            return "the page could not be searched for secrets"
        failed: dict[str, str] = {}
        found = await asyncio.gather(*(self._read_frame(f.id, f.id, failed) for f in frames))
        texts = [text.text]
        for one in (html, *found):
            if one is None or max(one.html_length, one.fields_length) > LONGEST_TEXT:
                return "the page could not be searched for secrets"
            texts += (one.html, one.fields)
        # Now, because the next call may have left the page, or typed a secret.
        if loader != self._loader():
            return "the next call left the page"
        if self._secret_in == loader:
            return "a secret was typed into this document"
        shown = await asyncio.to_thread(
            lambda: any(self._redactor.redact_text(text) != text for text in texts)
        )
        return "the page shows a secret" if shown else ""

    async def _read_frame(
        self, frame_id: str, name: str, missing: dict[str, str]
    ) -> _FrameRead | None:
        """Read the HTML and the values of the fields of a frame; "" is the main frame."""
        longest = LONGEST_TEXT + MARGIN
        evaluated = self._tab.page.evaluate(
            _HTML, longest, frame_id=frame_id, world="isolated", limit=8 * longest
        )
        found = await self._read_part(name, evaluated, missing)
        return msgspec.convert(found.value, _FrameRead) if found is not None else None

    async def _read_part(
        self, name: str, work: Awaitable[Outcome[T]], missing: dict[str, str]
    ) -> T | None:
        try:
            async with asyncio.timeout(PART_WITHIN_S):
                outcome = await work
        except TimeoutError:
            missing[name] = f"it took longer than {PART_WITHIN_S:g} s"
            return None
        except PilothouseError as error:
            missing[name] = error.message
            return None
        if outcome.value is None:
            missing[name] = "a dialog or another interrupt held the page"
            if outcome.action_id:
                self._tab.supervisor.actions.drop(outcome.action_id)
        return outcome.value

    def _redact(self, details: dict[str, Any], read: _PageRead) -> dict[str, bytes]:
        """Return the files to write, without secrets. Runs in a thread."""
        files = {}
        for name, data in read.files.items():
            if isinstance(data, str):
                clean = self._clean(data)
                if name in read.cut:
                    clean = clean[: len(clean) - MARGIN] + "\n[cut]"
                data = clean.encode("utf-8", "replace")
            files[name] = data
        told = redact_value(self._redactor.redact({**details, "missing": read.missing}))
        files["receipt.json"] = json.dumps(told, indent=2, default=str).encode()
        return files

    def _clean(self, text: str) -> str:
        return redact(self._redactor.redact_text(text))
