"""What happened, to which tab, in words a person reads: the journal's other language. Pure.

Knows: whose tab an event or an effect is about, and which of them are worth a line. Must not know:
who may read it. One browser is shared by many owners, so a line names exactly one tab, or none
when it is about the browser as a whole; what cannot be told apart is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from pilothouse.supervisor.model import State
from pilothouse.supervisor.model import effects as do
from pilothouse.supervisor.model import events as ev

__all__ = ["EVERYONE", "Happening", "happenings"]

# The tab of what concerns all who use a browser.
EVERYONE = ""

# Events whose own line says what the owner is told besides.
_SAID = (ev.Attached, ev.DownloadBegan, ev.DownloadMoved)


class Happening(msgspec.Struct, frozen=True):
    """One line: when, in which tab, what, and more about it."""

    at: float
    tab: str
    what: str
    words: str = ""


def happenings(
    event: ev.Event, effects: Sequence[do.Effect], before: State, after: State
) -> list[Happening]:
    """The lines of one event, and of what was done about it."""
    lines = [Happening(event.at, *line) for line in _event(event, before, after)]
    for effect in effects:
        if isinstance(effect, do.Tell) and isinstance(event, _SAID):
            continue
        lines += [Happening(event.at, *line) for line in _effect(effect, before, after)]
    return lines


Line = tuple[str, str, str]


def _event(event: ev.Event, before: State, after: State) -> Iterator[Line]:
    match event:
        case ev.Dropped(reason=reason):
            yield EVERYONE, "connection lost", reason
        case ev.Restored():
            yield EVERYONE, "connection back", ""
    yield from _tab(event, before, after)
    yield from _dialog(event, before, after)
    yield from _interrupt(event, before, after)
    yield from _download(event, before, after)
    # Last, whatever else the end of a tab brought with it.
    for gone in before.tabs.keys() - after.tabs.keys():
        yield gone, "closed", before.tabs[gone].url


def _tab(event: ev.Event, before: State, after: State) -> Iterator[Line]:
    match event:
        case ev.Attached(kind="page") if (tab := after.tab_of_target(event.target_id)) is not None:
            if tab.id not in before.tabs and tab.opener in after.tabs:
                yield tab.opener, "popup", f"{tab.id} {tab.url}".strip()
                yield tab.id, "opened", f"by {tab.opener}"
        case ev.OwnerSet() if event.owner and (tab := after.tab_of_target(event.target_id)):
            yield tab.id, "opened", tab.url
        case ev.FrameNavigated() if (frame := after.frames.get(event.frame)) is not None:
            yield frame.tab, "frame loads" if event.parent else "loads", event.url
        case ev.FrameMoved() if (frame := after.frames.get(event.frame)) is not None:
            yield frame.tab, "moves within", event.url
        case ev.LeavingAsked() if event.tab in after.tabs:
            yield event.tab, "leaves", f"asked by {event.by}"
        case ev.TargetChanged() if (tab := after.tab_of_target(event.target_id)) is not None:
            # A page without a title goes by its address: that is no news.
            if tab.title != before.tabs[tab.id].title and tab.title not in tab.url:
                yield tab.id, "title", tab.title
        case ev.TabFound() if event.tab in after.tabs:
            yield event.tab, "found again", after.tabs[event.tab].url
        case ev.Revived() if (tab := after.tab_of(event.session)) is not None:
            yield tab.id, "loaded again", tab.url


def _dialog(event: ev.Event, before: State, after: State) -> Iterator[Line]:
    match event:
        case ev.Answer() if (dialog := before.dialogs.get(event.dialog)) is not None:
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
            told = f"{closed.dialog.id} {word} by {closed.closed_by}"
            yield closed.dialog.tab, "dialog over", told


def _interrupt(event: ev.Event, before: State, after: State) -> Iterator[Line]:
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


def _download(event: ev.Event, before: State, after: State) -> Iterator[Line]:
    if not isinstance(event, ev.DownloadBegan | ev.DownloadMoved):
        return
    now, then = after.downloads.get(event.guid), before.downloads.get(event.guid)
    if now is None or not now.tab:
        return
    if then is None:
        yield now.tab, "download", f"{now.filename} from {now.url}"
    elif now.state != then.state:
        yield now.tab, f"download {now.state}", now.filename


def _effect(effect: do.Effect, before: State, after: State) -> Iterator[Line]:
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
        case do.Tell(tab=tab) if tab:
            yield tab, "note", effect.text
