"""The user's rules for dialogs by type and origin, from config.yaml to the page; and what works in
a browser, as clients read it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pilothouse import connect
from tests.daemon.daemon_process import at_home
from tests.page_server import Pages

pytestmark = pytest.mark.browser

PAGE = "<title>asks</title><button onclick=\"document.title = {what}('sure?')\">Go</button>"


def test_rules_by_type_and_origin_hold_and_what_works_is_told(
    chromium_path: Path, pages: Pages
) -> None:
    with Pages() as other, at_home(chromium_path) as home:
        config = home.paths.root / "config.yaml"
        home.paths.prepare()
        config.write_text(
            f"""browser:
  dialog_rules:
    - {{type: alert, policy: auto_accept}}
    - {{origin: "{pages.url("").rstrip("/")}", policy: auto_dismiss}}
    - {{type: confirm, origin: "{other.url("").rstrip("/")}", policy: auto_accept}}
"""
        )
        home.start(PILOTHOUSE_CONFIG=str(config))
        line = home.line()
        ends = {
            ("alert", pages): "undefined",
            ("alert", other): "undefined",
            ("confirm", pages): "false",
            ("prompt", pages): "null",
            ("confirm", other): "true",
        }
        for (what, site), title in ends.items():
            url = site.add(f"/{what}.html", PAGE.format(what=what))
            line.call("open", url=url)
            line.call("tab.click", target="button=Go")
            assert line.call("tab.title") == title, (what, url)
            (over,) = line.call("tab.dialogs")["recent_dialogs"][-1:]
            assert (over["type"], over["closed_by"]) == (what, "auto_policy")
        # No rule is about this one: it waits.
        line.call("open", url=other.add("/prompt.html", PAGE.format(what="prompt")))
        blocked = line.call("tab.click", target="button=Go")
        assert blocked["blocked_by"][0]["type"] == "prompt"
        line.call("tab.handle_dialog")
        (tab,) = line.call("tabs")
        (browser,) = line.call("status")["browsers"]
        assert tab["capabilities"] == browser["capabilities"]
        assert tab["capabilities"]["dialog_respond"] == "native"
        with connect("me", paths=home.paths, start=False) as client:
            assert client.tabs()[0].capabilities["frame_tree"] is True
