"""Kinds as values, and proxies from the environment."""

from __future__ import annotations

import pytest

from pilothouse.browsers import (
    AppKind,
    ConnectedKind,
    ExtensionKind,
    HeadlessKind,
    Proxy,
    Viewport,
)
from pilothouse.errors import BrowserError


def test_equal_kinds_are_one_key() -> None:
    assert (
        len(
            {
                HeadlessKind(),
                HeadlessKind(),
                HeadlessKind(headed=True),
                AppKind("/a"),
                AppKind("/a"),
            }
        )
        == 3
    )


def test_level_of_stealth_tells_browsers_apart_and_is_told_unless_it_is_the_usual_one() -> None:
    assert HeadlessKind() == HeadlessKind(stealth="minimal") != HeadlessKind(stealth="off")
    assert HeadlessKind(stealth="full").describe() == "headless browser, stealth full"
    assert HeadlessKind(profile="work").describe() == 'headless browser, profile "work"'
    with pytest.raises(BrowserError, match="stealth: unknown value 'total'") as refused:
        HeadlessKind(stealth="total")  # type: ignore[arg-type]
    assert "minimal" in refused.value.hint


def test_default_viewport_is_a_common_laptop() -> None:
    assert HeadlessKind().viewport == Viewport(1365, 768, 1.25)


def test_proxy_comes_from_the_environment() -> None:
    environ = {
        "PILOTHOUSE_PROXY": "http://127.0.0.1:8080",
        "PILOTHOUSE_PROXY_BYPASS_LOOPBACK": "yes",
        "PILOTHOUSE_PROXY_IGNORE_CERT_ERRORS": "1",
    }
    proxy = Proxy.from_environment(environ)
    assert proxy == Proxy("http://127.0.0.1:8080", proxy_loopback=True, ignore_cert_errors=True)
    assert proxy.flags() == [
        "--proxy-server=http://127.0.0.1:8080",
        "--proxy-bypass-list=<-loopback>",
        "--ignore-certificate-errors",
    ]


def test_puppeteer_names_are_understood_after_our_own() -> None:
    theirs = {"PUPPETEER_PROXY": "socks5://a:1", "PUPPETEER_PROXY_BYPASS_LOOPBACK": "off"}
    assert Proxy.from_environment(theirs) == Proxy("socks5://a:1")
    assert Proxy.from_environment({**theirs, "PILOTHOUSE_PROXY": "b:2"}) == Proxy("b:2")
    assert Proxy.from_environment({}) is None


def test_password_in_a_proxy_address_never_reaches_a_command_line() -> None:
    with pytest.raises(BrowserError) as refused:
        Proxy("http://me:secret@proxy:1").flags()
    assert "secret" not in refused.value.format_line()


def test_description_hides_tokens() -> None:
    kind = ConnectedKind("wss://user:pw@cloud.example/browser?token=secret")
    assert kind.describe() == "browser at wss://cloud.example/browser?…"


def test_lent_chrome_is_told_by_its_profile_and_a_tab_of_it_by_its_target() -> None:
    assert ExtensionKind().describe() == "the user's Chrome"
    assert ExtensionKind("work", "Inbox").describe() == 'the user\'s Chrome, profile "work"'
    assert (
        len(
            {
                ExtensionKind(),
                ExtensionKind(""),
                ExtensionKind("work"),
                ExtensionKind("work", "Inbox"),
            }
        )
        == 3
    )
