"""Every CDP method has a decision, for tools and for relay clients; nothing passes without one."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from pilothouse.security import cdp_methods
from pilothouse.security.cdp_methods import RELAY, TOOL, Check, Decision
from scripts.generate_protocol import read_allow_list
from tests.chromium import running_chromium

KNOWN = json.loads((Path(__file__).parent.parent / "protocol_methods.json").read_text())["commands"]
# Fields whose names sound like a destination, a file or somebody else's, in methods that a tool may
# send: each one was looked at, and names something within the page or the cookie jar of the tab.
HARMLESS_FIELDS = {
    "CacheStorage.requestCacheNames": {"securityOrigin", "storageKey"},
    "CacheStorage.requestCachedResponse": {"requestURL"},
    "CacheStorage.requestEntries": {"pathFilter"},
    "DOM.copyTo": {"targetNodeId"},
    "DOM.moveTo": {"targetNodeId"},
    "DOM.pushNodeByPathToFrontend": {"path"},
    "IndexedDB": {"securityOrigin", "storageKey"},
    "Network.deleteCookies": {"url", "path"},
    "Network.fetchSchemefulSite": {"origin"},
    "Network.getCertificate": {"origin"},
    "Network.getCookies": {"urls"},
    "Network.setCookie": {"url", "path"},
    "Page.createIsolatedWorld": {"contentSecurityPolicy"},
    "Page.deleteCookie": {"url"},
    "Page.getResourceContent": {"url"},
    "Page.searchInResource": {"url"},
    "Runtime.compileScript": {"sourceURL"},
}
# Refused in every command.
NEVER = {"browserContextId", "targetId"}
SUSPECT = ("url", "uri", "path", "file", "target", "browsercontext", "origin", "storagekey")


@pytest.mark.parametrize("table", [TOOL, RELAY], ids=["tool", "relay"])
def test_every_method_of_the_protocol_has_a_decision(table: dict[str, Decision]) -> None:
    assert sorted(KNOWN.keys() - table.keys()) == []
    assert sorted(table.keys() - KNOWN.keys()) == []


@pytest.mark.browser
def test_every_method_of_the_running_chromium_has_a_decision(chromium_path: Path) -> None:
    with running_chromium(chromium_path) as endpoint:
        served = endpoint.get("/json/protocol")["domains"]
    fields = {
        f"{domain['domain']}.{command['name']}": {p["name"] for p in command.get("parameters", ())}
        for domain in served
        for command in domain.get("commands", ())
    }
    assert len(fields) > 600
    assert sorted(fields.keys() - TOOL.keys()) == []
    assert sorted(fields.keys() - RELAY.keys()) == []
    assert _undecided(fields) == []


def test_no_method_is_decided_twice() -> None:
    texts = [cdp_methods._CONFINED, cdp_methods._OWN_JAR, cdp_methods._WHOLE_BROWSER]
    for groups in (cdp_methods._RELAY_ONLY, cdp_methods._RELAY_HANDLED, cdp_methods._REFUSED):
        texts += [methods for _, _, methods in groups]
    named = Counter(method for text in texts for method in cdp_methods._methods(text))
    named.update(list(cdp_methods._SPECIAL_CASES))
    assert [method for method, times in named.items() if times > 1] == []


@pytest.mark.parametrize("table", [TOOL, RELAY], ids=["tool", "relay"])
def test_every_refusal_has_a_reason_and_a_way_on(table: dict[str, Decision]) -> None:
    refused = [d for d in table.values() if d.check is Check.REFUSED]
    assert refused
    assert all(d.why and d.instead for d in refused)


def test_what_a_tool_may_not_send_is_never_left_to_the_relay_s_judgement() -> None:
    relays = {Check.FILES, Check.ALONE, Check.HANDLED, Check.HISTORY}
    assert [m for m, d in TOOL.items() if d.check in relays] == []


def test_a_tool_cannot_switch_off_a_domain_that_the_supervisor_uses() -> None:
    used = {name.partition(".")[0] for name in read_allow_list() if name.endswith(".enable")}
    assert {"Page", "Runtime", "Fetch", "Network", "Log", "Debugger", "FedCm"} <= used
    for domain in sorted(used):
        decision = TOOL.get(f"{domain}.disable")
        assert decision is None or decision.check is Check.REFUSED, domain


@pytest.mark.parametrize("domain", ["Fetch", "Target", "Debugger", "Tracing", "SystemInfo"])
def test_no_method_of_these_domains_is_for_tools(domain: str) -> None:
    assert {d.check for m, d in TOOL.items() if m.startswith(f"{domain}.")} == {Check.REFUSED}


@pytest.mark.parametrize("domain", ["Tracing", "SystemInfo", "Tethering", "PWA", "Extensions"])
def test_no_method_of_these_domains_is_for_relay_clients(domain: str) -> None:
    assert {d.check for m, d in RELAY.items() if m.startswith(f"{domain}.")} == {Check.REFUSED}


def test_every_field_that_sounds_like_a_destination_or_a_file_was_looked_at() -> None:
    fields = {method: {*known["required"], *known["optional"]} for method, known in KNOWN.items()}
    assert _undecided(fields) == []


def _undecided(fields: dict[str, set[str]]) -> list[str]:
    """Fields of methods that a tool may send, about which nothing is said."""
    found = []
    for method, names in sorted(fields.items()):
        decision = TOOL[method]
        if decision.check in (Check.REFUSED, Check.OWN_JAR, Check.FIELDS):
            continue
        said = HARMLESS_FIELDS.get(method, set()) | {*decision.fields, *NEVER}
        said |= HARMLESS_FIELDS.get(method.partition(".")[0], set())
        suspect = [name for name in names if any(word in name.lower() for word in SUSPECT)]
        found += [f"{method} {name}" for name in suspect if name not in said]
    return found
