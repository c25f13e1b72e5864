"""Every CDP method that Playwright and Puppeteer send has been decided with them in mind."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pilothouse.security.cdp_policy import RELAY, Check
from tests.conformance.client_run_comparison import packages

_NAMED = re.compile(r"[\"'`]([A-Z][A-Za-z]+\.[a-z][A-Za-z]+)[\"'`]")
# What the libraries can send and a relay client may not, on a session of a page.
REFUSED = {
    "playwright-core": {
        "Browser.setDockTile",  # a window with a title; its failure is ignored
        "Target.sendMessageToTarget",  # old browsers only
        "Tracing.end",
        "Tracing.start",
    },
    "puppeteer-core": {
        "Extensions.getExtensions",  # sent to the browser, where it is answered
        "Extensions.loadUnpacked",
        "Extensions.triggerAction",
        "Extensions.uninstall",
        "Target.openDevTools",
        "Tracing.end",
        "Tracing.start",
    },
}


@pytest.mark.parametrize("library", sorted(REFUSED))
def test_the_relay_refuses_a_library_only_what_is_listed(library: str) -> None:
    sent = _sent(packages() / "node_modules" / library)
    assert len(sent) > 100
    refused = {method for method in sent if RELAY[method].check is Check.REFUSED}
    assert refused == REFUSED[library]


def _sent(library: Path) -> set[str]:
    """The methods that a library's code names; events and what is no method are left out."""
    scripts = [path for end in ("js", "mjs", "cjs") for path in library.rglob(f"*.{end}")]
    named = {word for path in scripts for word in _NAMED.findall(path.read_text("utf-8"))}
    return named & RELAY.keys()
