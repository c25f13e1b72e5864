"""What the extension is allowed to be (S3, S20), read off its files. No browser."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import pilothouse
from pilothouse.relay.extension.installation import EXTENSION_ID, id_of_key, source_dir

FOLDER = source_dir()
SCRIPTS = sorted(FOLDER.rglob("*.js"))
PAGES = sorted(FOLDER.rglob("*.html"))
WORKER = FOLDER / "background" / "worker.js"
LISTENER = re.compile(r"chrome\.\w+(?:\.\w+)*\.on\w+\.addListener")


@pytest.fixture(scope="module")
def manifest() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / "manifest.json").read_text())
    return found


def test_permissions_are_these_and_no_others(manifest: dict[str, Any]) -> None:
    assert manifest["permissions"] == ["debugger", "tabs", "tabGroups", "storage", "alarms"]
    assert manifest["incognito"] == "not_allowed"


@pytest.mark.parametrize(
    "absent",
    [
        "host_permissions", "optional_permissions", "optional_host_permissions", "content_scripts",
        "externally_connectable", "web_accessible_resources", "oauth2", "commands", "sandbox",
        "chrome_url_overrides", "update_url", "devtools_page", "declarative_net_request",
    ],
)  # fmt: skip
def test_the_manifest_reaches_for_nothing_more(manifest: dict[str, Any], absent: str) -> None:
    assert absent not in manifest


def test_every_key_of_the_manifest_is_a_known_one(manifest: dict[str, Any]) -> None:
    assert set(manifest) == {
        "action", "background", "content_security_policy", "description", "icons", "incognito",
        "key", "manifest_version", "minimum_chrome_version", "name", "options_ui", "permissions",
        "version",
    }  # fmt: skip
    assert manifest["manifest_version"] == 3
    assert manifest["minimum_chrome_version"] == "125"


def test_the_id_follows_from_the_key(manifest: dict[str, Any]) -> None:
    assert id_of_key(manifest["key"]) == EXTENSION_ID
    assert re.fullmatch("[a-p]{32}", EXTENSION_ID)


def test_the_version_is_that_of_pilothouse(manifest: dict[str, Any]) -> None:
    assert manifest["version"] == pilothouse.__version__


def test_pages_run_only_their_own_code(manifest: dict[str, Any]) -> None:
    (policy,) = manifest["content_security_policy"].values()
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["script-src"] == rules["style-src"] == "'self'"
    assert rules["connect-src"] == "'self' ws://127.0.0.1:*"
    for name in ("base-uri", "form-action", "frame-ancestors"):
        assert rules[name] == "'none'"


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_scripts_listen_to_nobody_outside_and_make_no_code(script: Path) -> None:
    text = script.read_text()
    for banned in ("MessageExternal", "ConnectExternal", "eval(", "new Function", "innerHTML",
                   "executeScript", "document.write", "insertAdjacentHTML"):  # fmt: skip
        assert banned not in text
    assert not re.findall(r"(?:https?|wss?)://(?!127\.0\.0\.1)[\w.]+/?", _code(text))
    assert len(text.splitlines()) <= 600


def _code(text: str) -> str:
    """Without comments and patterns."""
    return "\n".join(
        line for line in text.splitlines() if not re.match(r"\s*(//|\*|/\*)|const \w+ = /", line)
    )


def test_every_listener_that_wakes_the_worker_is_registered_at_its_top_level() -> None:
    for script in SCRIPTS:
        for line in script.read_text().splitlines():
            if LISTENER.search(line):
                assert script == WORKER, f"{script.name}: {line}"
                assert line.startswith("chrome."), f"within something: {line}"
    worker = WORKER.read_text()
    assert not re.search(r"^await |^\S.*= await ", worker, re.MULTILINE)
    for script in SCRIPTS:
        # A worker that imports JSON starts once and, after it was ended, never again.
        assert "with { type:" not in script.read_text()


def test_every_file_that_is_named_is_there() -> None:
    named = [
        (path, name)
        for path in [*SCRIPTS, *PAGES, FOLDER / "manifest.json"]
        for name in re.findall(
            r"[\"']((?:\.{1,2}/)*[\w/]+\.(?:js|css|html|png))[\"']", path.read_text()
        )
    ]
    assert named
    assert [(path.name, name) for path, name in named if not _resolve(path, name).is_file()] == []


def _resolve(path: Path, name: str) -> Path:
    """Imports and links of pages are relative to their file, all other names to the root."""
    relative = name.startswith(".") or path.suffix == ".html"
    return (path.parent if relative else FOLDER) / name


def test_the_table_names_methods_that_exist() -> None:
    table = json.loads((FOLDER / "background" / "read_only_methods.json").read_text())
    known = json.loads((Path(__file__).parent.parent / "protocol_methods.json").read_text())
    methods = set(known["commands"])
    named = {*table["read"], *table["guarded"], *table["never"], *table["navigates"], *table["own"]}
    assert named - methods == set()
    assert table["read"] == sorted(set(table["read"]))
    assert not set(table["read"]) & {*table["guarded"], *table["never"], *table["navigates"]}
    acts = re.compile(
        r"Input\.|\.set(?!AutoAttach|LifecycleEvents|FocusEmulation)|\.clear|\.delete"
    )
    assert [method for method in table["read"] if acts.search(method)] == []


class _Controls(HTMLParser):
    """Which controls of a page have a name for people who cannot see it."""

    def __init__(self) -> None:
        super().__init__()
        self.labelled: set[str] = set()
        self.controls: list[tuple[str, bool]] = []
        self._labels = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "label":
            self._labels += 1
            if named := given.get("for"):
                self.labelled.add(named)
        elif tag in ("input", "select", "textarea"):
            self.controls.append((given.get("id") or "", self._labels > 0))
        elif tag == "img":
            assert "alt" in given

    def handle_endtag(self, tag: str) -> None:
        if tag == "label":
            self._labels -= 1


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_every_control_has_a_label(page: Path) -> None:
    text = page.read_text()
    seen = _Controls()
    seen.feed(text)
    assert seen.controls
    for name, within in seen.controls:
        assert within or name in seen.labelled, f"{page.name}: {name} has no label"
    assert '<html lang="en">' in text
    assert not re.search(r"\son\w+=|<style|<script>|\sstyle=", text)
