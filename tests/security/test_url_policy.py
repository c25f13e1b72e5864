"""One classifier: metadata services, lists of origins, private networks, schemes."""

from __future__ import annotations

from ipaddress import ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilothouse.errors import PilothouseError
from pilothouse.security.hosts_and_ip_addresses import LocalMachine, parse_origin
from pilothouse.security.url_policy import (
    OwnPorts,
    UrlPolicy,
    classify,
    classify_address,
    classify_navigation,
    parse_rule,
)

FREE = UrlPolicy()
WALLED = UrlPolicy(private=False)
GOOD = UrlPolicy(allow=(parse_rule("good.com"), parse_rule("*.good.com")))

METADATA = """
http://169.254.169.254/
http://169.254.169.254/latest/meta-data/iam/security-credentials/
http://169.254.169.254:80/
http://169.254.169.254./
http://2852039166/
http://0xa9fea9fe/
http://0xA9.0xFE.0xA9.0xFE/
http://0251.0376.0251.0376/
http://025177524776/
http://169.254.43518/
http://169.16689662/
http://0xa9.254.0251.254/
http://user@169.254.169.254/
http://user:pass@169.254.169.254/
http://good.com@169.254.169.254/
http://[::ffff:169.254.169.254]/
http://[::ffff:a9fe:a9fe]/
http://[0:0:0:0:0:ffff:a9fe:a9fe]/
http://[::169.254.169.254]/
http://[64:ff9b::169.254.169.254]/
http://[2002:a9fe:a9fe::]/
http://[fe80::a9fe:a9fe]/
http://[fd00:ec2::254]/
http://[fd00:0ec2:0:0:0:0:0:254]/
http://[FD00:EC2::254]:80/
http://metadata.google.internal/
http://METADATA.GOOGLE.INTERNAL/
http://metadata.google.internal./computeMetadata/v1/
http://metadata/
http://metadata.goog/
http://instance-data/latest/
http://100.100.100.200/latest/meta-data/
http://1684301000/
http://168.63.129.16/
http://192.0.0.192/
http://169.254.170.2/v2/credentials
http://①⑥⑨.②⑤④.①⑥⑨.②⑤④/
http://169。254。169。254/
http://%31%36%39.254.169.254/
ws://169.254.169.254/
https://169.254.169.254/
http:\\\\169.254.169.254\\
http:169.254.169.254
""".split()  # noqa: SIM905 - a table is easier to read as text


@pytest.mark.parametrize("url", METADATA)
def test_metadata_services_are_refused_whatever_the_rules_say(url: str) -> None:
    everything = UrlPolicy(
        allow=(parse_rule("*"), parse_rule("169.254.0.0/16"), parse_rule("*:*")), private=True
    )
    for fence in (FREE, WALLED, everything):
        verdict = classify(url, fence)
        assert not verdict
        assert verdict.rule == "metadata (always)"


EVIL = r"""
https://evil.com/
https://good.com@evil.com/
https://good.com:good.com@evil.com/
https://good.com%40evil.com/
https://good.com%2f@evil.com/
https://good.com%23@evil.com/
https://good.com.evil.com/
https://good.com.evil.com./
https://evil.com/good.com
https://evil.com/?good.com
https://evil.com/?https://good.com
https://evil.com/#good.com
https://evil.com#@good.com/
https://evil.com?@good.com/
https://evil.com\@good.com/
https://evil.com\.good.com/
https:\\evil.com\good.com
https:/\evil.com/good.com
https:evil.com
https:/evil.com/
https:///evil.com/
https://evilgood.com/
https://evil-good.com/
https://notgood.com/
https://good.co/
https://good.comm/
https://good.com.co/
https://good-com/
https://goodxcom/
https://xgood.com/
https://good.com,evil.com/
https://good.com;evil.com/
https://good.com&evil.com/
https://good.com%00.evil.com/
https://good.com%0d%0a.evil.com/
https://good.com%20.evil.com/
https://evil.com%2egood.com@evil.com/
https://%C9%A1ood.com/
https://g%D0%BE%D0%BEd.com/
https://good。com。evil.com/
https://good.com。evil.com/
https://evil.com%EF%BC%8Fgood.com/
https://evil.com%E3%80%82com/
https://evil.com:443@evil.com/
https://1.2.3.4/
https://16909060/
https://0x01020304/
https://[::ffff:1.2.3.4]/
https://[2001:db8::1]/
https://localhost/
http://evil.com:80/
ws://evil.com/
wss://good.com.evil.com/
wss://good.com@evil.com/
ftp://good.com/
file://good.com/etc/passwd
view-source:https://good.com/
chrome://good.com/
javascript://good.com/%0aalert(1)
filesystem:https://good.com/temporary/
blob-x:https://good.com/
https://good..com/
https://.good.com/
https://*.good.com@evil.com/
""".split()  # noqa: SIM905 - a table is easier to read as text


@pytest.mark.parametrize("url", EVIL)
def test_no_spelling_gets_past_a_list_of_allowed_origins(url: str) -> None:
    assert not classify(url, GOOD)


@pytest.mark.parametrize(
    "url",
    [
        "https://good.com",
        "http://good.com:8080/x?evil.com",
        "https://GOOD.com./",
        "https://evil.com@good.com/",
        "https://a.good.com/",
        "https://a.b.good.com/",
        "wss://good.com/socket",
        "about:blank",
        "about:srcdoc",
        "data:text/html,evil.com",
        "blob:https://good.com/1234",
    ],
)
def test_what_is_meant_by_the_list_passes(url: str) -> None:
    assert classify(url, GOOD)


def test_the_tables_are_as_long_as_they_should_be() -> None:
    assert len(METADATA) >= 40
    assert len(EVIL) >= 60


@pytest.mark.parametrize(
    ("said", "matching", "other"),
    [
        ("example.com", "http://example.com:99", "http://a.example.com"),
        ("*.example.com", "https://a.b.example.com", "https://example.com"),
        ("https://example.com", "https://example.com:8443", "http://example.com"),
        ("https://example.com", "wss://example.com", "ws://example.com"),
        ("example.com:8080", "http://example.com:8080", "http://example.com"),
        ("example.com:8000-8999", "http://example.com:8500", "http://example.com:9000"),
        ("localhost:*", "http://localhost:3000", "http://a.localhost:3000"),
        ("shop-*.example.com", "http://shop-7.example.com", "http://shop-7.evil.example.com"),
        ("10.0.0.0/8", "http://10.2.3.4", "http://11.0.0.1"),
        ("127.0.0.1", "http://127.1", "http://127.0.0.2"),
        ("[::1]:3000", "http://[::1]:3000", "http://[::1]:3001"),
        ("[fd00::]/8", "http://[fd12::1]", "http://[2606::1]"),
        ("münchen.de", "http://xn--mnchen-3ya.de", "http://munchen.de"),
        ("EXAMPLE.com.", "http://example.com", "http://example.net"),
        ("*", "http://anything.at.all", "file:///x"),
    ],
)
def test_a_rule_means_what_it_says(said: str, matching: str, other: str) -> None:
    fence = UrlPolicy(allow=(parse_rule(said),))
    assert classify(matching, fence)
    assert not classify(other, fence)
    # Deny lists take all spellings of this machine as one.
    if not other.startswith("file") and not said.startswith(("localhost", "127.")):
        assert classify(other, UrlPolicy(deny=(parse_rule(said),)))
    assert not classify(matching, UrlPolicy(deny=(parse_rule(said),), allow=(parse_rule("*"),)))


@pytest.mark.parametrize(
    "said",
    [
        "",
        "https://",
        "https://example.com/path",
        "user@example.com",
        "*.*.com",
        "file://x",
        "example.com:0",
        "example.com:99999",
        "example.com:9-1",
        "10.0.0.0/99",
        "[zz]",
        "exa mple.com",
        "example..com",
        "http://*.",
    ],
)
def test_a_rule_that_means_nothing_is_refused_with_a_hint(said: str) -> None:
    with pytest.raises(PilothouseError, match="not a valid origin rule") as refused:
        parse_rule(said)
    assert refused.value.hint


@pytest.mark.parametrize(
    "url", ["http://localhost", "http://127.1:8080", "http://10.0.0.1", "http://printer.local"]
)
def test_private_networks_are_open_unless_blocked_and_then_opened_only_by_name(url: str) -> None:
    assert classify(url, FREE)
    assert classify(url, WALLED).rule == "private_networks: block"
    assert not classify(url, UrlPolicy(private=False, allow=(parse_rule("*"),)))
    named = tuple(
        parse_rule(said) for said in ("localhost", "127.0.0.1:8080", "10.0.0.0/8", "*.local")
    )
    assert classify(url, UrlPolicy(private=False, allow=named))


def test_a_name_is_as_good_as_its_address() -> None:
    origin = parse_origin("http://rebound.example.com/")
    assert origin is not None
    assert classify_address(origin, ip_address("93.184.216.34"), WALLED)
    assert not classify_address(origin, ip_address("127.0.0.1"), WALLED)
    assert classify_address(origin, ip_address("127.0.0.1"), FREE)
    assert not classify_address(origin, ip_address("169.254.169.254"), FREE)
    assert not classify_address(origin, ip_address("::ffff:169.254.169.254"), FREE)
    named = UrlPolicy(
        private=False, allow=(parse_rule("*"), parse_rule("localhost:*"), parse_rule("db.internal"))
    )
    for url in ("http://localhost:3000", "http://db.internal"):
        local = parse_origin(url)
        assert local is not None
        assert classify_address(local, ip_address("10.0.0.1"), named)
        assert not classify_address(local, ip_address("169.254.169.254"), named)
    assert not classify_address(origin, ip_address("10.0.0.1"), named)
    denied = UrlPolicy(deny=(parse_rule("93.184.0.0/16"),))
    assert (
        classify_address(origin, ip_address("93.184.216.34"), denied).rule == "deny: 93.184.0.0/16"
    )


def test_a_scheme_is_as_the_table_says_and_can_be_switched() -> None:
    assert not classify("file:///etc/passwd", FREE)
    assert classify("file:///etc/passwd", UrlPolicy(schemes=(("file", True),)))
    assert not classify("data:text/html,x", UrlPolicy(schemes=(("data", False),)))
    assert not classify("about:settings", FREE)
    assert not classify("unheard-of:x", FREE)


def test_an_owners_own_policy_only_narrows() -> None:
    both = GOOD.combine(UrlPolicy(allow=(parse_rule("*"),), schemes=(("file", True),), joined=True))
    assert classify("https://good.com", both)
    assert not classify("https://evil.com", both)
    assert not classify("file:///x", both)
    assert not both.joined
    assert not classify(
        "https://a.good.com", GOOD.combine(UrlPolicy(deny=(parse_rule("a.good.com"),)))
    )


def test_only_what_asks_for_more_than_everybody_has_needs_walls() -> None:
    assert not FREE.is_restrictive
    assert not UrlPolicy(schemes=(("file", True),)).is_restrictive
    assert WALLED.is_restrictive
    assert GOOD.is_restrictive
    assert FREE.combine(GOOD).is_restrictive


@given(st.text(max_size=80))
def test_whatever_comes_there_is_a_verdict(text: str) -> None:
    for url in (text, f"http://{text}", f"https://good.com{text}"):
        verdict = classify(url, GOOD)
        assert verdict.allowed or (verdict.reason and verdict.rule)


@pytest.mark.parametrize(
    "url",
    [
        *("http://a.test/", "https://a.test/", "about:blank", "ABOUT:blank#x", "data:,x"),
        *("blob:https://a.test/1", "blob:null/1"),
    ],
)
def test_tabs_are_sent_to_pages(url: str) -> None:
    assert classify_navigation(url, FREE)
    assert classify_navigation(f" \t{url}\n", FREE)


@pytest.mark.parametrize(
    "url",
    [
        *("about:version", "about:BLANK", "about:srcdoc", "about://blank", "about:blank/"),
        *("chrome://settings", "chrome-error://chromewebdata/", "view-source:http://a.test/"),
        *("javascript:1", "file:///x", "filesystem:http://a.test/x", "mailto:a@a.test", "tel:1"),
        *("ws://a.test/", "blob:chrome://x/1", "blob:file:///1", "blob:1", "never-heard-of:x"),
    ],
)
def test_tabs_are_sent_nowhere_else(url: str) -> None:
    assert not classify_navigation(url, FREE)
    assert not classify_navigation(f"{url[:3]}\n{url[3:]}", FREE)
    assert not classify_navigation(url.upper(), FREE)


def test_settings_open_more_schemes_and_close_some() -> None:
    wide = UrlPolicy(schemes=(("file", True), ("data", False)))
    assert classify_navigation("file:///x", wide)
    assert not classify_navigation("data:,x", wide)
    assert not classify_navigation("file:///x", wide.combine(FREE))
    assert not classify_navigation("about:version", UrlPolicy(schemes=(("about", True),)))


def test_a_blob_is_judged_as_who_made_it() -> None:
    assert not classify("blob:https://evil.test/1", GOOD)
    assert classify("blob:https://good.com/1", GOOD)


_OWN = LocalMachine(("myhost",), (ip_address("192.0.2.7"), ip_address("2001:db8::7")))
_SPELLINGS = (
    "localhost",
    "a.localhost",
    "127.0.0.1",
    "127.9.9.9",
    "0.0.0.0",
    "0",
    "0x7f.1",
    "[::]",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:0.0.0.0]",
    "myhost",
    "192.0.2.7",
    "[2001:db8::7]",
    "[::ffff:192.0.2.7]",
)
_RULES = (
    "localhost:81",
    "127.0.0.1:81",
    "127.0.0.0/8:81",
    "0.0.0.0:81",
    "[::1]:81",
    "[::]:81",
    "[::ffff:127.0.0.1]:81",
    "*.localhost:81",
    "local*:81",
    "myhost:81",
    "192.0.2.7:81",
    "[2001:db8::7]:81",
    "http://127.0.0.1:81",
)


@pytest.mark.boundary
@pytest.mark.parametrize("said", _RULES)
@pytest.mark.parametrize("host", _SPELLINGS)
def test_deny_rule_for_this_machine_holds_for_every_spelling_of_it(said: str, host: str) -> None:
    fence = UrlPolicy(deny=(parse_rule(said),), machine=_OWN)
    assert classify(f"http://{host}:81/", fence).rule == f"deny: {said}"
    assert classify(f"ws://{host}:81/", fence).rule == f"deny: {said}"
    assert classify(f"http://{host}:82/", fence)


@pytest.mark.boundary
@pytest.mark.parametrize("said", ["127.0.0.1", "localhost", "0.0.0.0", "[::1]"])
def test_name_that_leads_to_this_machine_is_denied_with_it(said: str) -> None:
    fence = UrlPolicy(deny=(parse_rule(said),))
    origin = parse_origin("http://rebound.example.com/")
    assert origin is not None
    for address in ("127.0.0.1", "127.8.8.8", "0.0.0.0", "::1", "::", "::ffff:127.0.0.1"):
        assert not classify_address(origin, ip_address(address), fence)
    assert classify_address(origin, ip_address("192.0.2.9"), fence)
    assert not classify_address(origin, ip_address("192.0.2.9"), fence, own=True)


def test_deny_rule_for_another_machine_leaves_this_one_open() -> None:
    for said in ("192.0.2.8", "192.0.2.0/24", "other", "*.example.com", "10.0.0.0/8"):
        assert classify("http://127.0.0.1/", UrlPolicy(deny=(parse_rule(said),), machine=_OWN)), (
            said
        )


def test_allow_rule_means_what_it_spells() -> None:
    fence = UrlPolicy(allow=(parse_rule("127.0.0.1:81"),), machine=_OWN)
    assert classify("http://127.0.0.1:81/", fence)
    for host in ("0.0.0.0", "[::1]", "localhost", "127.0.0.2", "myhost"):
        assert not classify(f"http://{host}:81/", fence), host


# The dashboard's own port.

OWN = OwnPorts()
OWN.ports.add(7411)
AGENTS = UrlPolicy(own_ports=OWN)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:7411/",
        "http://localhost:7411/api/state",
        "http://LOCALHOST.:7411/",
        "http://a.localhost:7411/",
        "http://[::1]:7411/",
        "http://[::ffff:127.0.0.1]:7411/",
        "http://0.0.0.0:7411/",
        "http://127.1:7411/",
        "http://2130706433:7411/",
        "http://0x7f.1:7411/",
        "http://user@127.0.0.1:07411/",
        "http:\\\\127.0.0.1:7411\\",
        "https://127.0.0.1:7411/",
        "ws://localhost:7411/api/view",
        "blob:http://127.0.0.1:7411/1",
        " http://127.0.0.1:74\t11/",
    ],
)
def test_agents_never_reach_the_dashboard_whatever_the_lists_say(url: str) -> None:
    for policy in (AGENTS, UrlPolicy(own_ports=OWN, allow=(parse_rule("localhost:*"),))):
        for judge in (classify, classify_navigation):
            verdict = judge(url, policy)
            assert not verdict, url
    assert classify(url, AGENTS).rule == "dashboard (always)"


@pytest.mark.parametrize(
    "url",
    ["http://127.0.0.1:7412/", "http://127.0.0.1/", "http://example.com:7411/", "about:blank"],
)
def test_other_ports_and_machines_are_not_the_dashboard(url: str) -> None:
    assert classify(url, AGENTS)
    assert classify("http://127.0.0.1:7411/", FREE)


def test_a_name_that_leads_to_the_dashboard_is_refused_where_it_is_resolved() -> None:
    origin = parse_origin("http://evil.example:7411/")
    assert origin is not None
    assert not classify_address(origin, ip_address("127.0.0.1"), AGENTS)
    assert classify_address(origin, ip_address("93.184.216.34"), AGENTS)
