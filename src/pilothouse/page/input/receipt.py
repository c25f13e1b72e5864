"""Receipts: what an action changed, computed from the state before and after it. Pure.

`Receipt.text()` is the form for agents; a receipt without changes says "nothing changed".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any
from urllib.parse import urlsplit

import msgspec

from pilothouse.errors import plural
from pilothouse.supervisor import ClosedDialog, Frame, Interrupt, State
from pilothouse.supervisor.model import Download

__all__ = [
    "DOWNLOADS_OFF",
    "VALUE_HIDDEN",
    "Baseline",
    "ObservedChanges",
    "Receipt",
    "describe_dialog",
    "describe_dom_changes",
    "describe_download",
    "describe_interrupt",
    "errors_since",
    "is_download_settled",
    "make_receipt",
    "observe_changes",
    "summarize_download",
    "summarize_interrupt",
]

ERRORS_SHOWN = 5
# A note of receipts for password fields; tools look for it, so that they do not show the value.
VALUE_HIDDEN = "its value is not shown"
DOWNLOADS_OFF = (
    "downloads are off: `pilothouse config set browser.downloads true`, then restart the daemon "
    "with `pilothouse daemon stop`"
)


class Baseline(msgspec.Struct, frozen=True):
    """The tab's state before the action."""

    at: float
    url: str
    title: str
    loader: str
    tabs: frozenset[str]
    downloads: frozenset[str]
    dialogs: int

    @classmethod
    def of(cls, state: State, tab: str, main: Frame, at: float) -> Baseline:
        """Return the baseline of a tab as it is now."""
        return cls(
            at,
            main.url,
            state.tabs[tab].title,
            main.loader,
            frozenset(state.tabs),
            frozenset(state.downloads),
            state.dialogs_count,
        )


class ObservedChanges(msgspec.Struct, frozen=True):
    """What has changed since the baseline, according to the supervisor's state."""

    url: str
    navigating: bool
    committed: bool
    url_changed: bool
    new_tabs: tuple[str, ...]
    downloads: tuple[Mapping[str, Any], ...]
    dialogs: tuple[str, ...]
    interrupts: tuple[Mapping[str, Any], ...] = ()
    tab_closed: bool = False
    # The document is the browser's error page for `url`.
    unreachable: bool = False

    @property
    def has_effect(self) -> bool:
        """Whether any of this counts as an effect of the action."""
        return bool(
            self.navigating
            or self.committed
            or self.url_changed
            or self.new_tabs
            or self.downloads
            or self.dialogs
            or self.interrupts
            or self.tab_closed
        )


def observe_changes(baseline: Baseline, state: State, tab: str) -> ObservedChanges:
    """Return the differences between the baseline and the present state."""
    here = state.tabs.get(tab)
    main = state.frames.get(here.target_id) if here else None
    if here is None or main is None:
        return ObservedChanges(baseline.url, False, False, False, (), (), (), tab_closed=True)
    opened = [t for t in state.tabs if t not in baseline.tabs and state.tabs[t].opener == tab]
    # Both open dialogs and those that were closed already, for example by a policy.
    closed = [
        describe_dialog(c.dialog.type, c.dialog.message) + _closed_by_policy(c)
        for c in state.recent_dialogs
        if c.dialog.tab == tab and c.dialog.opened_at >= baseline.at
    ]
    still_open = [
        describe_dialog(d.type, d.message)
        for d in state.dialogs.values()
        if d.tab == tab and d.opened_at >= baseline.at
    ]
    dialogs = closed + still_open
    downloads = [
        summarize_download(d)
        for guid, d in state.downloads.items()
        if guid not in baseline.downloads and (d.tab in ("", tab) or d.opener == tab)
    ]
    # A new loader means a new document; a changed URL with the same loader is a same-document move.
    committed = main.loader != baseline.loader
    return ObservedChanges(
        main.unreachable or main.url,
        bool(here.leave_requested_by),
        committed,
        not committed and main.url != baseline.url,
        tuple(opened),
        tuple(downloads),
        tuple(dialogs),
        tuple(
            summarize_interrupt(i)
            for i in state.interrupts.values()
            if i.tab == tab and i.opened_at >= baseline.at
        ),
        unreachable=bool(main.unreachable),
    )


def is_download_settled(download: Download, *, keeps: bool) -> bool:
    """Whether a download is final: it failed, or its file has its final name.

    `keeps` says whether finished files are renamed; then "completed" alone is not final.
    """
    if download.state != "completed" or not keeps:
        return download.state != "inProgress"
    return bool(download.saved or download.problem)


def summarize_download(download: Download) -> dict[str, Any]:
    """Return a download as a receipt holds it."""
    return {
        "id": download.guid,
        "filename": download.filename or download.url,
        "state": download.state,
        "bytes": download.received,
        "path": download.saved or download.path,
        "problem": download.problem,
    }


_SINGULAR = {
    "nodes added": "node added",
    "attributes": "attribute",
    "texts": "text",
    "inputs": "input",
}


def describe_dom_changes(dom: Mapping[str, int]) -> str:
    """Return the counts of a receipt: `2 nodes added, 1 removed`; empty if nothing changed."""
    return ", ".join(plural(n, _SINGULAR.get(what, what), what) for what, n in dom.items() if n)


def describe_download(shown: Mapping[str, Any], *, off: bool = False) -> str:
    """Return one line about a download: its state and where its file is."""
    name = shown["filename"]
    if shown["state"] == "inProgress":
        return f"download {name} started: {shown['bytes']} bytes so far"
    if off:
        return f"download {name} was blocked: downloads are off"
    if shown["state"] != "completed":
        return f"download {name} was {shown['state']}"
    if shown.get("problem"):
        return f"download {name} could not be saved: {shown['problem']}"
    where = f" to {shown['path']}" if shown.get("path") else ""
    return f"downloaded {name}{where} ({shown['bytes']} bytes)"


def summarize_interrupt(interrupt: Interrupt) -> dict[str, Any]:
    """Return an interrupt as a receipt holds it."""
    shown = {"id": interrupt.id, "kind": interrupt.kind, "answers": list(interrupt.answers)}
    for name in ("mode", "permission", "origin"):
        if interrupt.detail.get(name):
            shown[name] = interrupt.detail[name]
    return shown


def describe_interrupt(shown: Mapping[str, Any]) -> str:
    """Return one line about an interrupt."""
    match shown["kind"]:
        case "file_chooser":
            text = "a file chooser opened"
        case "print":
            text = "the page asked to print; no print dialog was shown"
        case "permission":
            text = f"the page asked for the permission {shown.get('permission')}; it was denied"
        case kind:
            text = f"{kind} is waiting for an answer"
    return f"{text} ({shown['id']})"


def _closed_by_policy(closed: ClosedDialog) -> str:
    """Return how a policy answered a dialog, so that nobody takes it for open; else ""."""
    if closed.closed_by != "auto_policy":
        return ""
    return " (accepted by policy)" if closed.accepted else " (dismissed by policy)"


def describe_dialog(kind: str, message: str) -> str:
    """Return a dialog's type and the start of its message."""
    return f"{kind} {message[:80]!r}"


class Receipt(msgspec.Struct, frozen=True):
    """What an action did. `changed` is false when nothing visible changed."""

    action: str
    target: str
    hit: str = ""
    url: str = ""
    title: str = ""
    navigated: str = ""
    dialogs: tuple[str, ...] = ()
    # Other interrupts that wait for an answer: a file chooser, a permission request, print.
    interrupts: tuple[Mapping[str, Any], ...] = ()
    new_tabs: tuple[str, ...] = ()
    # Downloads: id, filename, state, bytes and path of each.
    downloads: tuple[Mapping[str, Any], ...] = ()
    downloads_off: bool = False
    focus: str = ""
    dom: Mapping[str, int] = msgspec.field(default_factory=dict)
    scrolled: bool = False
    # `alerts`: new texts of alerts and status regions. `refused`: why the browser did not submit
    # the form. `invalid`: fields that the page marked invalid without a submit.
    alerts: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    invalid: tuple[str, ...] = ()
    console_errors: tuple[str, ...] = ()
    requests_pending: int = 0
    value: Any = None
    notes: tuple[str, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether anything changed beyond the action itself."""
        return bool(
            self.navigated
            or self.dialogs
            or self.interrupts
            or self.new_tabs
            or self.downloads
            or self.focus
            or self.scrolled
            or any(self.dom.values())
            or self.alerts
            or self.refused
            or self.invalid
            or self.console_errors
        )

    def text(self) -> str:
        """Return the receipt as one line."""
        parts = [f"{self.action} {self.target}".strip()]
        if self.value is not None:
            parts.append(f"value is {self.value!r}")
        if self.refused:
            parts.append(f"not submitted: {'; '.join(self.refused)}")
        parts += [f"not valid: {one}" for one in self.invalid]
        parts += self.alerts
        if self.navigated:
            parts.append(self.navigated)
        parts += [f"dialog opened: {dialog}" for dialog in self.dialogs]
        parts += [describe_interrupt(one) for one in self.interrupts]
        parts += [f"new tab {tab}" for tab in self.new_tabs]
        parts += [describe_download(one, off=self.downloads_off) for one in self.downloads]
        if self.downloads_off:
            parts.append(DOWNLOADS_OFF)
        if self.focus:
            parts.append(f"focus on {self.focus}")
        if any(self.dom.values()):
            parts.append(f"page changed ({describe_dom_changes(self.dom)})")
        if self.scrolled:
            parts.append("scrolled")
        if self.requests_pending:
            parts.append(f"{plural(self.requests_pending, 'request')} still pending")
        parts += [f"console error: {error}" for error in self.console_errors]
        if not self.changed:
            parts.append("nothing changed")
        return "; ".join((*parts, *self.notes))


def errors_since(at: float, errors: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return console errors since `at`, without those about /favicon.ico.

    Chrome requests the icon by itself, at any time: the page did not cause its error.
    """
    found = (
        str(error["text"])
        for error in errors
        if error["at"] >= at and urlsplit(error.get("url", "")).path != "/favicon.ico"
    )
    return tuple(islice(found, ERRORS_SHOWN))


def make_receipt(
    action: str,
    target: str,
    baseline: Baseline,
    now: ObservedChanges,
    effects: Mapping[str, Any],
    errors: tuple[str, ...] = (),
    pending: int = 0,
    value: Any = None,
    hit: str = "",
    notes: tuple[str, ...] = (),
    downloads_off: bool = False,
) -> Receipt:
    """Build the receipt of an action from what the page and the supervisor observed."""
    dom = {
        word: int(effects.get(key, 0))
        for key, word in (
            ("added", "nodes added"),
            ("removed", "removed"),
            ("attributes", "attributes"),
            ("text", "texts"),
            ("inputs", "inputs"),
        )
    }
    navigated = ""
    if now.tab_closed:
        navigated = "the tab closed"
    elif now.committed:
        failed = ", which could not be reached" if now.unreachable else ""
        navigated = f"went to {now.url}{failed}"
    elif now.url_changed:
        navigated = f"address is {now.url} (same document)"
    elif now.navigating:
        navigated = f"a navigation from {baseline.url} has started"
    return Receipt(
        action,
        target,
        hit=hit,
        url=now.url,
        title=str(effects.get("title", baseline.title)),
        navigated=navigated,
        dialogs=now.dialogs,
        interrupts=now.interrupts,
        new_tabs=now.new_tabs,
        downloads=now.downloads,
        downloads_off=downloads_off and bool(now.downloads),
        focus=str(effects.get("focus", "")),
        dom=dom,
        scrolled=bool(effects.get("scrolled")),
        alerts=tuple(effects.get("alerts", ())),
        refused=tuple(effects.get("refused", ())),
        invalid=tuple(effects.get("invalid", ())),
        console_errors=errors,
        requests_pending=pending,
        value=value,
        notes=notes,
    )
