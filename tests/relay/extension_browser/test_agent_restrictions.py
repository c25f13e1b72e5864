"""What the user's settings allow."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from pilothouse.relay.extension.installation import source_dir
from pilothouse.relay.extension_browser.agent_restrictions import (
    check_command,
    check_open_tab,
    check_tab,
    is_attachable,
    restriction_table,
    site_of,
)
from pilothouse.relay.extension_browser.debuggee import PROBE, RUN
from pilothouse.relay.extension_browser.tab_and_message_types import SharedTab
from tests.npm_package_cache import program

READ_ONLY = {"readOnly": True}
LOCKED = {"lockUrl": True}


def tab(url: str = "https://mine.test/a", locked_to: str = "https://mine.test") -> SharedTab:
    return SharedTab(1, "T", url=url, locked_to=locked_to)


def words(*asked: Any) -> str:
    wrong = check_command(*asked)
    return wrong.message if wrong is not None else ""


def test_without_restrictions_all_but_the_destructive_is_allowed() -> None:
    assert words({}, "Runtime.evaluate", {"expression": "1"}, tab()) == ""
    assert words({}, "Page.navigate", {"url": "https://else.test/"}, tab()) == ""
    for method in restriction_table().never:
        assert words({}, method, {}, tab()).startswith(f"Pilothouse refuses {method}: ")


@pytest.mark.parametrize(
    "method",
    [
        "Page.navigate",
        "Page.reload",
        "Input.dispatchMouseEvent",
        "Input.insertText",
        "DOM.setFileInputFiles",
        "DOM.setAttributeValue",
        "Fetch.enable",
        "Network.setCookie",
        "Storage.setCookies",
        "Storage.getCookies",
        "Emulation.setUserAgentOverride",
        "Runtime.compileScript",
        "No.suchMethod",
    ],
)
def test_reading_only_allows_nothing_that_is_not_on_the_list(method: str) -> None:
    assert "reading only" in words(READ_ONLY, method, {}, tab())


def test_reading_only_allows_scripts_that_cannot_change_anything() -> None:
    for method in ("Runtime.evaluate", "Runtime.callFunctionOn"):
        assert "throwOnSideEffect" in words(READ_ONLY, method, {"expression": "x = 1"}, tab())
        assert "throwOnSideEffect" in words(READ_ONLY, method, {"throwOnSideEffect": 1 > 2}, tab())
        assert words(READ_ONLY, method, {"throwOnSideEffect": True}, tab()) == ""
    assert words(READ_ONLY, "Page.captureScreenshot", {}, tab()) == ""


def test_a_locked_tab_stays_on_its_site() -> None:
    assert words(LOCKED, "Page.navigate", {"url": "https://mine.test/b"}, tab()) == ""
    for url in (
        "https://else.test/",
        "http://mine.test/",
        "",
        "https://mine.test:8/",
    ):
        assert "locked this tab" in words(LOCKED, "Page.navigate", {"url": url}, tab())
    assert "locked" in words(LOCKED, "Page.navigateToHistoryEntry", {"entryId": 1}, tab())
    gone = tab("https://else.test/")
    assert "it is elsewhere" in words(LOCKED, "Runtime.evaluate", {}, gone)
    assert words({}, "Runtime.evaluate", {}, gone) == ""


def test_a_pause_refuses_everything() -> None:
    assert "paused" in words({"paused": True}, "Page.enable", {}, tab())
    assert check_tab({"paused": False}, tab()) is None


@pytest.mark.parametrize(
    ("settings", "url", "says"),
    [
        ({}, "https://a.test/", ""),
        ({"paused": True}, "", "paused"),
        ({"readOnly": True}, "", "reading only"),
        ({"noNewTabs": True}, "", "no new tabs"),
        ({"mode": "manual"}, "", "only the tabs they pick"),
        ({"share": "tab"}, "", "only the tabs they pick"),
        ({"share": "window"}, "", ""),
        ({}, "chrome://settings/", "no agent can work on chrome://settings/"),
    ],
)
def test_tabs_are_opened_only_where_the_user_allows_it(
    settings: dict[str, Any], url: str, says: str
) -> None:
    wrong = check_open_tab(settings, url)
    assert (wrong.message if wrong else "").endswith(says) if not says else says in str(wrong)


def test_a_refusal_carries_what_the_user_says() -> None:
    told = words({"paused": True, "userInstructions": "back at noon"}, "Page.enable", {}, tab())
    assert told.endswith("(the user says: back at noon)")


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("https://a.test/x?y#z", "https://a.test"),
        ("https://A.test:443/", "https://a.test"),
        ("http://u:p@a.test:80/", "http://a.test"),
        ("http://a.test:8080/", "http://a.test:8080"),
        ("file:///etc/passwd", "file://"),
        ("about:blank", ""),
        ("data:text/html,x", ""),
        ("http://[bad", ""),
    ],
)
def test_the_site_of_an_address(url: str, site: str) -> None:
    assert site_of(url) == site


OPEN = """
http://a.test/
https://a.test/
HTTPS://A.test/path?query#fragment
https:a.test
https:\\\\a.test\\x
http://127.0.0.1:8080/
http://[::1]:3000/
https://user:word@a.test/
https://chromewebstore.google.com.evil.test/
https://a.test/chrome://settings
about:blank
ABOUT:blank
about:blank#part
about:blank?query
about:srcdoc
data:text/html,x
DATA:,x
blob:https://a.test/6b3c
blob:null/6b3c
"""
CLOSED = """
about:version
about:crash
about:settings
ABOUT:Version
about:BLANK
about:Blank
about:blank/
about:%62lank
about://version
about://blank
about:
chrome://settings
CHROME://settings
chrome:settings
chrome:///settings
chrome-extension://abcdefghijklmnopabcdefghijklmnop/popup.html
chrome-untrusted://print/
chrome-search://local-ntp/
chrome-error://chromewebdata/
devtools://devtools/bundled/inspector.html
edge://settings
brave://settings
opera://settings
vivaldi://settings
isolated-app://x
view-source:https://a.test/
view-source:about:blank
javascript:alert(1)
JavaScript:alert(1)
file:///etc/passwd
FILE:///etc/passwd
file:c:/x
filesystem:https://a.test/temporary/x
blob:chrome://settings/6b3c
blob:file:///6b3c
blob:blob:https://a.test/6b3c
blob:about:version
blob:https://chromewebstore.google.com/6b3c
blob:6b3c
ftp://a.test/
ws://a.test/
mailto:a@a.test
tel:1
intent://a#Intent;end
https://chromewebstore.google.com/detail/x
https://CHROMEWEBSTORE.google.com./detail/x
http://chromewebstore.google.com/
https://chrome.google.com/webstore/x
https://chrome.google.com//webstore
http://[bad
http://
https://a.test:99999/
a.test
/etc/passwd
"""
BLANKS = (" {}", "\t{}", "\n{}", "{} ", "\x01{}", "\x1f {}")
JUDGED = """
import { readFileSync } from "node:fs";
import { isAttachable } from "%s";
const urls = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(urls.map(isAttachable)));
"""


def modules(folder: Path) -> Path:
    """The extension's scripts where node takes them for modules."""
    shutil.copytree(source_dir(), folder, dirs_exist_ok=True)
    (folder / "package.json").write_text('{"type": "module"}')
    return folder


def spellings(listed: str) -> list[str]:
    """Each as it stands, between blanks, and with what a browser takes out of its middle."""
    urls = listed.split()
    broken = [f"{url[:2]}\t{url[2:4]}\n{url[4:]}" for url in urls]
    return [*urls, *broken, *(form.format(url) for url in urls for form in BLANKS)]


def test_agents_are_on_web_pages_and_blank_ones_and_nowhere_else() -> None:
    assert [url for url in spellings(OPEN) if not is_attachable(url)] == []
    assert [url for url in spellings(CLOSED) if is_attachable(url)] == []
    assert is_attachable("")


def test_the_extension_judges_every_address_as_the_relay_does(tmp_path: Path) -> None:
    urls = ["", *spellings(OPEN), *spellings(CLOSED)]
    module = modules(tmp_path) / "background" / "restrictions.js"
    ran = subprocess.run(
        [program("node"), "--input-type=module", "-e", JUDGED % module],
        input=json.dumps(urls),
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )
    theirs = json.loads(ran.stdout)
    assert [(u, js) for u, js in zip(urls, theirs, strict=True) if js != is_attachable(u)] == []


@pytest.mark.parametrize("url", ["about:version", "about:BLANK", "chrome://settings", "file:///x"])
def test_no_tab_is_sent_to_a_page_that_is_closed(url: str) -> None:
    assert "are the user's alone" in words({}, "Page.navigate", {"url": url}, tab())
    assert words({}, "Page.navigate", {"url": "https://a.test/"}, tab()) == ""


def test_both_sides_judge_by_the_same_table() -> None:
    shipped = Path(__file__).parents[3] / "extension" / "background" / "read_only_methods.json"
    told = json.loads(shipped.read_text())
    assert restriction_table().read == set(told["read"])
    assert restriction_table().never == told["never"]


def test_what_is_sent_along_for_newcomers_is_allowed_where_only_reading_is() -> None:
    for method in (
        PROBE,
        RUN,
        "Page.getFrameTree",
        "Target.setAutoAttach",
        "Target.getTargetInfo",
    ):
        assert words(READ_ONLY, method, {}, tab()) == ""
