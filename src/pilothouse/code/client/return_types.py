"""The types of what calls return: mappings, as JSON has them.

Only type checkers and readers use this module: nothing imports it at run time.
"""

from __future__ import annotations

from typing import Any, TypedDict

__all__ = ["ClosedDict", "CookieDict", "NavigationDict", "ReceiptDict"]


class ReceiptDict(TypedDict):
    """What an action did (its receipt). `text` says it in one line, the other fields in parts."""

    text: str
    # False when nothing that can be seen changed.
    changed: bool
    action: str
    # The element, as a snapshot names it, and the tag that received the input.
    target: str
    hit: str
    url: str
    title: str
    navigated: str
    dialogs: list[str]
    # What else waits for an answer: a file chooser, a permission prompt, print.
    interrupts: list[dict[str, Any]]
    new_tabs: list[str]
    downloads: list[dict[str, Any]]
    downloads_off: bool
    focus: str
    dom: dict[str, int]
    scrolled: bool
    alerts: list[str]
    # Fields for which the browser refused to submit the form.
    refused: list[str]
    invalid: list[str]
    console_errors: list[str]
    requests_pending: int
    value: Any
    notes: list[str]


class ClosedDict(TypedDict):
    """The names of the tabs that a call closed, and of those it released: they stay open."""

    closed: list[str]
    released: list[str]


class NavigationDict(TypedDict):
    """Where a navigation ended. `kind` is document, same_document, download, no_content,
    error_page, aborted or pending."""

    url: str
    kind: str
    status: int
    title: str
    redirects: list[dict[str, Any]]
    error: str
    loaded: str
    timed_out: bool
    # URLs of requests without a response when the timeout came.
    hanging: list[str]
    filename: str
    from_cache: bool
    # The URL that was asked for, where the page of before is still shown.
    asked: str
    path: str


class CookieDict(TypedDict, total=False):
    """A cookie, with the field names of CDP."""

    name: str
    value: str
    domain: str
    path: str
    expires: float
    size: int
    httpOnly: bool
    secure: bool
    session: bool
    sameSite: str
    priority: str
    sourceScheme: str
    sourcePort: int
    partitionKey: Any
