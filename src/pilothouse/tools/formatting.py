"""Turn the daemon's replies into fields of a tool's answer. Pure.

Knows: receipts, navigation results and images as JSON. Must not know: where they come from.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pilothouse.code.client import answer_hint
from pilothouse.errors import PilothouseError, plural
from pilothouse.page.input import (
    DOWNLOADS_OFF,
    describe_dom_changes,
    describe_download,
    describe_interrupt,
)

__all__ = [
    "EMPTY_PAGE",
    "RELEASED_NOTE",
    "describe_changes",
    "describe_refused_submit",
    "drop_empty",
    "element_label",
    "fields_without_page_text",
    "format_action",
    "format_closed",
    "format_dialogs",
    "format_image",
    "format_navigation",
    "format_page_content",
    "format_prompts",
    "js_type",
    "merge_changes",
    "shorten_url",
]

LONGEST_ADDRESS = 300
EMPTY_PAGE = "the page has no text"
RELEASED_NOTE = "released tabs stay open in their browser"
_DEBUG_FIELDS = ("session_id", "frame_id", "tab", "via")


def describe_changes(receipt: Mapping[str, Any]) -> list[str]:
    """Return what an action changed, one short text each; empty if nothing visible changed."""
    changes: list[str] = []
    if receipt.get("refused"):
        changes.append(describe_refused_submit(receipt))
    changes += [f"not valid: {one}" for one in receipt.get("invalid", ())]
    changes += [str(alert) for alert in receipt.get("alerts", ())]
    if receipt.get("navigated"):
        changes.append(str(receipt["navigated"]))
    changes += [f"dialog opened: {dialog}" for dialog in receipt.get("dialogs", ())]
    changes += [f"new tab {tab}" for tab in receipt.get("new_tabs", ())]
    off = bool(receipt.get("downloads_off"))
    changes += [describe_download(one, off=off) for one in receipt.get("downloads", ())]
    # After a navigation, focus and DOM changes of the old page are irrelevant.
    gone = str(receipt.get("navigated", "")).startswith("went to ")
    if receipt.get("focus") and not gone and not _focus_stayed(receipt):
        changes.append(f"focus on {receipt['focus']}")
    if not gone and (counted := describe_dom_changes(receipt.get("dom", {}))):
        changes.append(f"page changed ({counted})")
    if receipt.get("scrolled"):
        changes.append("scrolled")
    if receipt.get("requests_pending"):
        changes.append(f"{plural(receipt['requests_pending'], 'request')} still pending")
    changes += [f"console error: {error}" for error in receipt.get("console_errors", ())]
    return changes


def _focus_stayed(receipt: Mapping[str, Any]) -> bool:
    """Return whether the focus is on the element that was acted on, as one expects."""
    return str(receipt.get("target", "")).startswith(f"{receipt['focus']} [")


def describe_refused_submit(receipt: Mapping[str, Any]) -> str:
    """Return why the browser refused to submit a form."""
    return f"not submitted: {'; '.join(str(one) for one in receipt['refused'])}"


def merge_changes(receipts: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return what several actions changed, without duplicates. Focus, scrolling and pending
    requests are reported for the last action only."""
    *earlier, last = receipts
    changes: list[str] = []
    dom: dict[str, int] = dict(last.get("dom", {}))
    for receipt in earlier:
        passing = {"focus": "", "scrolled": False, "requests_pending": 0, "dom": {}}
        changes += describe_changes({**receipt, **passing})
        for what, number in receipt.get("dom", {}).items():
            dom[what] = dom.get(what, 0) + number
    return list(dict.fromkeys([*changes, *describe_changes({**last, "dom": dom})]))


def format_action(receipt: Mapping[str, Any], **fields: Any) -> dict[str, Any]:
    """Return the fields of an action's answer: the given ones, `changes`, and the URL if the tab
    navigated."""
    result: dict[str, Any] = {**fields}
    result.setdefault("changes", describe_changes(receipt))
    if receipt.get("navigated"):
        result["url"] = receipt.get("url", "")
    for name in ("new_tabs", "notes"):
        if receipt.get(name):
            result[name] = list(receipt[name])
    if receipt.get("interrupts"):
        result["prompts"] = format_prompts(receipt["interrupts"])
    if receipt.get("downloads_off"):
        result["prompts"] = [*result.get("prompts", ()), DOWNLOADS_OFF]
    return result


def format_prompts(interrupts: Iterable[Mapping[str, Any]]) -> list[str]:
    """Describe what an action opened that waits for an answer, and the tool that answers it.
    Contains no page text."""
    return [f"{describe_interrupt(one)}: {answer_hint(dict(one), 'mcp')}" for one in interrupts]


def format_dialogs(shown: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return dialogs without their debugging fields: they are added to every answer."""
    result = [{key: one[key] for key in one if key not in _DEBUG_FIELDS} for one in shown]
    for one in result:
        for moment in ("opened_at", "closed_at"):
            if moment in one:
                one[moment] = round(one[moment], 1)
    return result


def element_label(receipt: Mapping[str, Any], selector: str) -> str:
    """Return the element of an action by role, name and ref; if unknown, the given selector."""
    return str(receipt.get("target") or selector)


def format_navigation(arrival: Mapping[str, Any]) -> dict[str, Any]:
    """Return where a navigation led. Usual values, such as status 200, are left out."""
    result: dict[str, Any] = {"url": arrival["url"], "title": arrival.get("title", "")}
    if arrival.get("asked"):
        result["asked_for"] = shorten_url(arrival["asked"])
    if arrival["kind"] != "document":
        result["kind"] = arrival["kind"]
    if arrival.get("status") and arrival["status"] != 200:
        result["status"] = arrival["status"]
    for name in ("error", "filename", "path"):
        if arrival.get(name):
            result[name] = arrival[name]
    if arrival.get("redirects"):
        result["redirects"] = [shorten_url(one["url"]) for one in arrival["redirects"]]
    if arrival.get("timed_out"):
        result["timed_out"] = f"reached {arrival.get('loaded') or 'nothing'} in time"
        result["hanging"] = [shorten_url(url) for url in arrival.get("hanging", ())][:10]
    return result


def format_image(taken: Mapping[str, Any]) -> dict[str, Any]:
    """Return an image with its size, and the factor from image pixels to CSS pixels."""
    result: dict[str, Any] = {
        "image": {"data": taken["data"], "mimeType": taken["mime"]},
        "width": taken["width"],
        "height": taken["height"],
    }
    if taken.get("factor", 1) != 1:
        result["factor"] = round(taken["factor"], 4)
    for name in ("note", "path"):
        if taken.get(name):
            result[name] = taken[name]
    return result


def js_type(value: Any) -> str:
    """Return the JavaScript type of a JSON value."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"


def fields_without_page_text(error: PilothouseError) -> frozenset[str]:
    """Return which of `error` and `hint` contain no page text."""
    parts = {"error": "message", "hint": "hint"}
    return frozenset(field for field, part in parts.items() if part not in error.untrusted)


def shorten_url(url: str) -> str:
    """Return the URL, shortened if it is long: a data: URL can have megabytes."""
    return url if len(url) <= LONGEST_ADDRESS else f"{url[:LONGEST_ADDRESS]}… ({len(url)} long)"


def drop_empty(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields without empty values. False and 0 stay."""
    return {name: value for name, value in fields.items() if value not in ("", None, [], {}, ())}


def format_closed(tabs: Mapping[str, Any]) -> dict[str, Any]:
    """Return which tabs a call closed, and which it released, as fields of an answer."""
    return drop_empty({"closed": tabs["closed"], "released": tabs["released"]})


def format_page_content(read: Mapping[str, Any]) -> dict[str, Any]:
    """Return the text of a page (from page/extract/page_text.py) as fields of an answer."""
    result = {"content": read["text"], "title": read["title"], "url": read["url"]}
    return result | drop_empty({"cut": read["cut"] or None, "note": read["note"]})
