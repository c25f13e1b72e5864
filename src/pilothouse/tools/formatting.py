"""How the daemon's answers become fields of a tool's answer. Pure.

Knows: receipts, arrivals and pictures as JSON. Must not know: where they come from.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pilothouse.code.client import answered_with
from pilothouse.errors import PilothouseError
from pilothouse.page.input import DOWNLOADS_OFF, download_words, interrupt_words

__all__ = [
    "EMPTY_PAGE",
    "acted",
    "arrived",
    "changes",
    "dialogs",
    "element",
    "joined",
    "kind_of",
    "not_submitted",
    "page_content",
    "picture",
    "prompts",
    "short",
    "unquoted",
    "without_empty",
]

LONGEST_ADDRESS = 300
EMPTY_PAGE = "the page has no text"
_FOR_DEBUGGERS = ("session_id", "frame_id", "tab", "via")


def changes(receipt: Mapping[str, Any]) -> list[str]:
    """What an action brought about, each thing in a few words; empty if nothing that shows."""
    said: list[str] = []
    if receipt.get("refused"):
        said.append(not_submitted(receipt))
    said += [f"not valid: {one}" for one in receipt.get("invalid", ())]
    said += [str(alert) for alert in receipt.get("alerts", ())]
    if receipt.get("navigated"):
        said.append(str(receipt["navigated"]))
    said += [f"dialog opened: {dialog}" for dialog in receipt.get("dialogs", ())]
    said += [f"new tab {tab}" for tab in receipt.get("new_tabs", ())]
    off = bool(receipt.get("downloads_off"))
    said += [download_words(one, off=off) for one in receipt.get("downloads", ())]
    # Of a page that is gone nobody asks what had the focus.
    gone = str(receipt.get("navigated", "")).startswith("went to ")
    if receipt.get("focus") and not gone and not _stays(receipt):
        said.append(f"focus on {receipt['focus']}")
    if not gone and (
        counted := ", ".join(f"{n} {what}" for what, n in receipt.get("dom", {}).items() if n)
    ):
        said.append(f"page changed ({counted})")
    if receipt.get("scrolled"):
        said.append("scrolled")
    if receipt.get("requests_pending"):
        said.append(f"{receipt['requests_pending']} requests still under way")
    said += [f"console error: {error}" for error in receipt.get("console_errors", ())]
    return said


def _stays(receipt: Mapping[str, Any]) -> bool:
    """Whether the focus is on what was acted on: that goes without saying."""
    return str(receipt.get("target", "")).startswith(f"{receipt['focus']} [")


def not_submitted(receipt: Mapping[str, Any]) -> str:
    """Why the browser refused to submit a form."""
    return f"not submitted: {'; '.join(str(one) for one in receipt['refused'])}"


def joined(receipts: Iterable[Mapping[str, Any]]) -> list[str]:
    """What several actions brought about, each thing once; the focus only where it is at last."""
    *earlier, last = receipts
    said: list[str] = []
    dom: dict[str, int] = dict(last.get("dom", {}))
    for receipt in earlier:
        passing = {"focus": "", "scrolled": False, "requests_pending": 0, "dom": {}}
        said += changes({**receipt, **passing})
        for what, number in receipt.get("dom", {}).items():
            dom[what] = dom.get(what, 0) + number
    return list(dict.fromkeys([*said, *changes({**last, "dom": dom})]))


def acted(receipt: Mapping[str, Any], **fields: Any) -> dict[str, Any]:
    """The fields of an action: its own, what changed, and where the tab is if it went."""
    told: dict[str, Any] = {**fields}
    told.setdefault("changes", changes(receipt))
    if receipt.get("navigated"):
        told["url"] = receipt.get("url", "")
    for name in ("new_tabs", "notes"):
        if receipt.get(name):
            told[name] = list(receipt[name])
    if receipt.get("interrupts"):
        told["prompts"] = prompts(receipt["interrupts"])
    if receipt.get("downloads_off"):
        told["prompts"] = [*told.get("prompts", ()), DOWNLOADS_OFF]
    return told


def prompts(interrupts: Iterable[Mapping[str, Any]]) -> list[str]:
    """What an action opened that waits for an answer, and the tool that answers it. No page has a
    word in it."""
    return [f"{interrupt_words(one)}: {answered_with(dict(one), 'mcp')}" for one in interrupts]


def dialogs(shown: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Dialogs without what only a debugger would want: they are told with every answer."""
    told = [{key: one[key] for key in one if key not in _FOR_DEBUGGERS} for one in shown]
    for one in told:
        for moment in ("opened_at", "closed_at"):
            if moment in one:
                one[moment] = round(one[moment], 1)
    return told


def element(receipt: Mapping[str, Any], said: str) -> str:
    """The element an action met, by role, name and ref; as it was said, if that is not known."""
    return str(receipt.get("target") or said)


def arrived(arrival: Mapping[str, Any]) -> dict[str, Any]:
    """Where a navigation led; what is usual goes without saying."""
    told: dict[str, Any] = {"url": arrival["url"], "title": arrival.get("title", "")}
    if arrival.get("asked"):
        told["asked_for"] = short(arrival["asked"])
    if arrival["kind"] != "document":
        told["kind"] = arrival["kind"]
    if arrival.get("status") and arrival["status"] != 200:
        told["status"] = arrival["status"]
    for name in ("error", "filename", "path"):
        if arrival.get(name):
            told[name] = arrival[name]
    if arrival.get("redirects"):
        told["redirects"] = [short(one["url"]) for one in arrival["redirects"]]
    if arrival.get("timed_out"):
        told["timed_out"] = f"it reached {arrival.get('loaded') or 'nothing'} in time"
        told["hanging"] = [short(url) for url in arrival.get("hanging", ())][:10]
    return told


def picture(taken: Mapping[str, Any]) -> dict[str, Any]:
    """A picture for a client that sees, and how to read positions in it."""
    told: dict[str, Any] = {
        "image": {"data": taken["data"], "mimeType": taken["mime"]},
        "width": taken["width"],
        "height": taken["height"],
    }
    if taken.get("factor", 1) != 1:
        told["factor"] = round(taken["factor"], 4)
    for name in ("note", "path"):
        if taken.get(name):
            told[name] = taken[name]
    return told


def kind_of(value: Any) -> str:
    """What JavaScript would call a value."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"


def unquoted(error: PilothouseError) -> frozenset[str]:
    """The fields of an error in which no page is quoted."""
    parts = {"error": "message", "hint": "hint"}
    return frozenset(field for field, part in parts.items() if part not in error.quotes)


def short(url: str) -> str:
    """An address that does not fill the page: data: addresses can be megabytes."""
    return url if len(url) <= LONGEST_ADDRESS else f"{url[:LONGEST_ADDRESS]}… ({len(url)} long)"


def without_empty(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that say something."""
    return {name: value for name, value in fields.items() if value not in ("", None, [], {}, ())}


def page_content(read: Mapping[str, Any]) -> dict[str, Any]:
    """What was read of a page (page/extract/extract.py), as tools tell it."""
    told = {"content": read["text"], "title": read["title"], "url": read["url"]}
    return told | without_empty({"cut": read["cut"] or None, "note": read["note"]})
