"""Describes events and effects as lines of text for people. Pure.

Knows: which tab an event or effect is about, and which deserve a line. Must not know: who may read
it. Owners share a browser, so a line names exactly one tab, or none when it is about the whole
browser. An event that cannot be assigned to one of these gets no line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from pilothouse.supervisor.model import State
from pilothouse.supervisor.model import effects as do
from pilothouse.supervisor.model import events as ev

__all__ = ["ALL_TABS", "JournalLine", "describe_event"]

# The `tab` of a line about the whole browser.
ALL_TABS = ""

# Events whose own line already says what their notice says.
_SELF_EXPLAINING = (ev.SessionAttached, ev.DownloadStarted, ev.DownloadProgressed)


class JournalLine(msgspec.Struct, frozen=True):
    """One line: when, in which tab, what happened, and details."""

    at: float
    tab: str
    what: str
    words: str = ""


def describe_event(
    event: ev.Event, effects: Sequence[do.Effect], before: State, after: State
) -> list[JournalLine]:
    """Return the lines for one event and its effects."""
    lines = [JournalLine(event.at, *line) for line in _event(event, before, after)]
    for effect in effects:
        if isinstance(effect, do.Notify) and isinstance(event, _SELF_EXPLAINING):
            continue
        lines += [JournalLine(event.at, *line) for line in _effect(effect, before, after)]
    return lines


LineParts = tuple[str, str, str]


def _event(event: ev.Event, before: State, after: State) -> Iterator[LineParts]:
    match event:
        case ev.ConnectionDropped(reason=reason):
            yield ALL_TABS, "connection lost", reason
        case ev.ConnectionRestored():
            yield ALL_TABS, "connection back", ""
    yield from _tab(event, before, after)
    yield from _dialog(event, before, after)
    yield from _interrupt(event, before, after)
    yield from _download(event, before, after)
    # After all other lines that the end of a tab causes.
    for gone in before.tabs.keys() - after.tabs.keys():
        yield gone, "closed", before.tabs[gone].url


def _tab(event: ev.Event, before: State, after: State) -> Iterator[LineParts]:
    match event:
        case ev.SessionAttached(kind="page") if (
            tab := after.tab_of_target(event.target_id)
        ) is not None:
            if tab.id not in before.tabs and tab.opener in after.tabs:
                yield tab.opener, "popup", f"{tab.id} {tab.url}".strip()
                yield tab.id, "opened", f"by {tab.opener}"
        case ev.OwnerSet() if event.key.owner and (tab := after.tab_of_target(event.target_id)):
            yield tab.id, "opened", tab.url
        case ev.FrameNavigated() if (frame := after.frames.get(event.frame)) is not None:
            yield frame.tab, "frame loads" if event.parent else "loads", event.url
        case ev.FrameNavigatedWithinDocument() if (
            frame := after.frames.get(event.frame)
        ) is not None:
            yield frame.tab, "moves within", event.url
        case ev.LeaveRequested() if event.tab in after.tabs:
            yield event.tab, "leaves", f"asked by {event.by}"
        case ev.TargetInfoChanged() if (tab := after.tab_of_target(event.target_id)) is not None:
            # Chrome uses the URL as title of a page without one; skip that.
            if tab.title != before.tabs[tab.id].title and tab.title not in tab.url:
                yield tab.id, "title", tab.title
        case ev.TabTargetReplaced() if event.tab in after.tabs:
            yield event.tab, "found again", after.tabs[event.tab].url
        case ev.ReloadedAfterCrash() if (tab := after.tab_of(event.session)) is not None:
            yield tab.id, "loaded again", tab.url


def _dialog(event: ev.Event, before: State, after: State) -> Iterator[LineParts]:
    match event:
        case ev.DialogAnswered() if (dialog := before.dialogs.get(event.dialog)) is not None:
            word = "accept" if event.accept else "dismiss"
            yield dialog.tab, "answer", f"{word} {event.dialog}, by {event.by}"
        case ev.AnswerFailed() if (dialog := before.dialogs.get(event.dialog)) is not None:
            yield dialog.tab, "answer failed", f"{event.dialog}: {event.reason}"
    if after.dialogs is before.dialogs and after.recent_dialogs is before.recent_dialogs:
        return
    for key, dialog in after.dialogs.items():
        if key not in before.dialogs:
            yield dialog.tab, "dialog", f"{dialog.type} {dialog.id}: {dialog.message}"
    known = {closed.dialog.id for closed in before.recent_dialogs}
    for closed in after.recent_dialogs:
        if closed.dialog.id not in known:
            word = "accepted" if closed.accepted else "dismissed"
            yield (
                closed.dialog.tab,
                "dialog over",
                f"{closed.dialog.id} {word} by {closed.closed_by}",
            )


def _interrupt(event: ev.Event, before: State, after: State) -> Iterator[LineParts]:
    if isinstance(event, ev.InterruptAnswered) and event.interrupt in before.interrupts:
        yield before.interrupts[event.interrupt].tab, "answer", f"{event.action} {event.interrupt}"
    if after.interrupts is before.interrupts:
        return
    for key, interrupt in after.interrupts.items():
        if key not in before.interrupts:
            yield interrupt.tab, interrupt.kind, f"{key} {interrupt.origin}".strip()
    for key, interrupt in before.interrupts.items():
        if key not in after.interrupts:
            outcome = event.outcome if isinstance(event, ev.InterruptClosed) else ""
            yield interrupt.tab, f"{interrupt.kind} over", f"{key} {outcome}".strip()


def _download(event: ev.Event, before: State, after: State) -> Iterator[LineParts]:
    if not isinstance(event, ev.DownloadStarted | ev.DownloadProgressed):
        return
    now, then = after.downloads.get(event.guid), before.downloads.get(event.guid)
    if now is None or not now.tab:
        return
    if then is None:
        yield now.tab, "download", f"{now.filename} from {now.url}"
    elif now.state != then.state:
        yield now.tab, f"download {now.state}", now.filename


def _effect(effect: do.Effect, before: State, after: State) -> Iterator[LineParts]:
    match effect:
        case do.AnswerDialog():
            dialog = after.dialogs.get(effect.dialog) or before.dialogs.get(effect.dialog)
            if dialog is not None:
                word = "accept" if effect.accept else "dismiss"
                yield dialog.tab, "sends", f"{word} to {effect.dialog}"
        case do.AnswerInterrupt():
            found = after.interrupts.get(effect.interrupt) or before.interrupts.get(
                effect.interrupt
            )
            if found is not None:
                yield found.tab, "sends", f"{effect.action} to {effect.interrupt}"
        case do.Notify(tab=tab) if tab:
            yield tab, "note", effect.text
