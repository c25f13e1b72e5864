"""The journal: recent events in each owner's tabs, readable by that owner only.

Knows: how to listen to shared browsers, and which owner a line belongs to. Must not know: what the
lines mean. Lines without an owner are dropped. Lines per owner, owners and characters per line are
limited. Secrets are redacted before a line is stored.
"""

from __future__ import annotations

import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

import msgspec

from pilothouse.daemon.rpc import RpcRequest
from pilothouse.errors import PilothouseError, UsageError
from pilothouse.security.redaction import redact
from pilothouse.supervisor import State, Supervisor, Tab
from pilothouse.supervisor.journal import ALL_TABS, JournalLine, describe_event
from pilothouse.supervisor.model import Effect, Event

__all__ = ["CallRecord", "Journals"]

MAX_LINES = 400
MAX_OWNERS = 64
MAX_LINE_CHARS = 300
# Longer texts are cut before the search for secrets: a data: URL may hold a whole image.
MAX_SCANNED = 2000
DEFAULT_LAST = 50
# Methods other than verbs that get a line, and the parameters that a line may show.
RECORDED_METHODS = frozenset({"open", "close", "run", "page.cdp"})
DESCRIBED_PARAMS = ("target", "url", "command")

# (browser number, tab id). Each browser counts its tabs itself, so ids alone are not unique.
BrowserTab = tuple[int, str]


class _JournalLine(msgspec.Struct, frozen=True):
    at: float
    key: BrowserTab
    tab: str
    event: str
    words: str


class CallRecord(msgspec.Struct):
    """A call of a tool or a verb, as a listener of `Journals.on_call` gets it: when it begins, and
    when it has `ended`."""

    number: int
    at: float
    owner: str
    tab: str
    name: str
    on: str
    ended: bool = False
    ms: float = 0.0
    error: str = ""
    # Set by the caller; redacted already.
    answer: Any = None


class Journals:
    """The journals of all owners. `owner_of` finds the owner of a tab, `owners_of` those of a
    browser,
    `redact_secrets` takes out what the user keeps secret."""

    def __init__(
        self,
        owner_of: Callable[[Supervisor, Tab], str],
        owners_of: Callable[[Supervisor], set[str]],
        redact_secrets: Callable[[str], str] = lambda words: words,
    ) -> None:
        self._redact_secrets = redact_secrets
        self._owner_of = owner_of
        self._owners_of = owners_of
        self._lines: OrderedDict[str, deque[_JournalLine]] = OrderedDict()
        self._numbers: WeakKeyDictionary[Supervisor, int] = WeakKeyDictionary()
        self._count = 0
        self._calls = 0
        # Listeners, while somebody watches: of calls, and of browsers that get their first tab.
        self.on_call: Callable[[CallRecord], object] | None = None
        self.on_browser: Callable[[Supervisor], object] | None = None

    def __len__(self) -> int:
        """Return the number of stored lines."""
        return sum(map(len, self._lines.values()))

    def follow(self, supervisor: Supervisor) -> None:
        """Start to listen to a browser. Repeated calls do nothing."""
        if self.on_browser is not None:
            self.on_browser(supervisor)
        if supervisor in self._numbers:
            return
        self._count += 1
        self._numbers[supervisor] = number = self._count
        before = supervisor.state

        def on_event(event: Event, state: State, effects: list[Effect]) -> None:
            nonlocal before
            was, before = before, state
            for line in describe_event(event, effects, was, state):
                self._record(
                    supervisor, number, line, state.tabs.get(line.tab) or was.tabs.get(line.tab)
                )

        supervisor.observe(on_event)

    def _record(
        self, supervisor: Supervisor, number: int, line: JournalLine, tab: Tab | None
    ) -> None:
        at = supervisor.clock + line.at
        if line.tab == ALL_TABS:
            for owner in self._owners_of(supervisor):
                self._append(
                    owner,
                    _JournalLine(
                        at, (number, ""), "", line.what, _clean(self._redact_secrets(line.words))
                    ),
                )
            return
        owner = self._owner_of(supervisor, tab) if tab is not None else ""
        if owner and tab is not None:
            # A popup's key has the name of its opener, so use its id; `read` maps ids to names.
            name = tab.id if tab.opener else tab.key.name or tab.id
            self._append(
                owner,
                _JournalLine(
                    at, (number, tab.id), name, line.what, _clean(self._redact_secrets(line.words))
                ),
            )

    @contextmanager
    def record_call(self, owner: str, request: RpcRequest) -> Iterator[CallRecord]:
        """Record a call on a tab as a line: method, parameter, error and duration. The caller may
        set `answer` of what it gets."""
        name, params = request.method.removeprefix("tab."), request.params
        beside = name in RECORDED_METHODS
        on = next((str(params[key]) for key in DESCRIBED_PARAMS if params.get(key)), "")
        tab = str(params.get("tab") or (beside and params.get("name")) or "main")
        call = CallRecord(0, 0.0, owner, tab[:MAX_LINE_CHARS], name, on[:MAX_LINE_CHARS])
        if name == request.method and not beside:
            yield call
            return
        self._tell(call)
        began, ended = time.perf_counter(), ""
        try:
            yield call
        except PilothouseError as error:
            ended = f"refused: {error.message}"
            call.error = error.message
            raise
        finally:
            call.ms, call.ended = (time.perf_counter() - began) * 1000, True
            self._tell(call)
            took = f"{call.ms:.0f} ms"
            words = _clean(self._redact_secrets(", ".join(filter(None, (on, ended, took)))))
            now = time.time()  # noqa: TID251 - people read it
            self._append(owner, _JournalLine(now, (0, ""), tab[:MAX_LINE_CHARS], name, words))

    def _tell(self, call: CallRecord) -> None:
        if self.on_call is None:
            return
        if not call.number:
            self._calls += 1
            call.number, call.at = self._calls, time.time()  # noqa: TID251 - people read it
        self.on_call(call)

    def note(self, owner: str, what: str, words: str) -> None:
        """Record a line that belongs to no tab, such as a relay client that acts as the owner."""
        words = _clean(self._redact_secrets(words))
        self._append(owner, _JournalLine(time.time(), (0, ""), "", what, words))  # noqa: TID251

    def _append(self, owner: str, line: _JournalLine) -> None:
        lines = self._lines.get(owner)
        if lines is None:
            lines = self._lines[owner] = deque(maxlen=MAX_LINES)
        self._lines.move_to_end(owner)
        lines.append(line)
        while len(self._lines) > MAX_OWNERS:
            self._lines.popitem(last=False)

    def browser_number(self, supervisor: Supervisor) -> int:
        """Return the number of a browser in tab keys."""
        return self._numbers.get(supervisor, 0)

    def read(
        self, owner: str, params: Mapping[str, Any], names: Mapping[BrowserTab, str]
    ) -> dict[str, Any]:
        """Return an owner's lines, oldest first: of one `tab`, the `last` N, or `since` a time.

        `names` maps tab keys to current names. Raises ToolError for invalid filters."""
        tab, last, since = _parse_filters(params)
        found = []
        for line in self._lines.get(owner, ()):
            name = names.get(line.key, line.tab)
            if line.at > since and (not tab or tab in (name, line.key[1])):
                shown = {"at": round(line.at, 3), "tab": name, "id": line.key[1]}
                found.append({**shown, "event": line.event, "words": _with_tab_names(line, names)})
        left_out = max(len(found) - last, 0)
        return {"entries": found[left_out:], "left_out": left_out}


def _with_tab_names(line: _JournalLine, names: Mapping[BrowserTab, str]) -> str:
    """Return the text of a line, with the ids of other tabs replaced by their names."""
    if line.event not in ("opened", "popup"):
        return line.words
    return " ".join(names.get((line.key[0], word), word) for word in line.words.split(" "))


def _parse_filters(params: Mapping[str, Any]) -> tuple[str, int, float]:
    tab, last, since = (
        params.get("tab", ""),
        params.get("last", DEFAULT_LAST),
        params.get("since", 0),
    )
    if not isinstance(tab, str):
        raise UsageError(f"tab: expected a name, got {tab!r}", hint='give a name such as "main"')
    if isinstance(last, bool) or not isinstance(last, int) or not 1 <= last <= MAX_LINES:
        raise UsageError(
            f"last: expected a number from 1 to {MAX_LINES}, got {last!r}",
            hint="give a number in this range",
        )
    if isinstance(since, bool) or not isinstance(since, int | float):
        raise UsageError(
            f"since: expected seconds, got {since!r}", hint="give the `at` of an entry"
        )
    return tab, last, float(since)


def _clean(words: str) -> str:
    shown = redact(words[:MAX_SCANNED])
    return shown if len(shown) <= MAX_LINE_CHARS else shown[: MAX_LINE_CHARS - 1] + "…"
