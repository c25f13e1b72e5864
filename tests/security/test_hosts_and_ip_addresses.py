"""Addresses are read as browsers read them, in whatever spelling."""

from __future__ import annotations

from ipaddress import ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilothouse.security.hosts_and_ip_addresses import (
    embedded_addresses,
    is_loopback,
    is_metadata,
    is_private,
    is_private_host,
    parse_host,
    parse_origin,
)


@pytest.mark.parametrize(
    ("url", "scheme", "host", "port"),
    [
        ("http://example.com", "http", "example.com", 80),
        ("HTTPS://EXAMPLE.com.:8443/x", "https", "example.com", 8443),
        (" \t\nhttps://example.com", "https", "example.com", 443),
        ("ht\ntps://exa\tmple.com", "https", "example.com", 443),
        ("https:example.com", "https", "example.com", 443),
        ("https:\\\\example.com\\x", "https", "example.com", 443),
        ("https:////example.com", "https", "example.com", 443),
        ("http://a@b@example.com:80", "http", "example.com", 80),
        ("http://good.com:x@example.com", "http", "example.com", 80),
        ("http://example.com?@good.com", "http", "example.com", 80),
        ("http://example.com#@good.com", "http", "example.com", 80),
        ("http://example.com\\@good.com", "http", "example.com", 80),
        ("http://ex%61mple.com", "http", "example.com", 80),
        ("http://\uff45xample.com", "http", "example.com", 80),
        ("http://example。com", "http", "example.com", 80),
        ("http://ex\u00adample.com", "http", "example.com", 80),
        ("http://münchen.de", "http", "xn--mnchen-3ya.de", 80),
        ("http://faß.de", "http", "xn--fa-hia.de", 80),
        ("wss://example.com:0443", "wss", "example.com", 443),
        ("http://[::1]:3000/", "http", "::1", 3000),
        ("http://[0:0:0:0:0:0:0:1]", "http", "::1", 80),
        ("http://127.1", "http", "127.0.0.1", 80),
        ("http://0177.0.0.1", "http", "127.0.0.1", 80),
        ("http://0x7f000001", "http", "127.0.0.1", 80),
        ("http://2130706433", "http", "127.0.0.1", 80),
        ("http://127.0.0.1.", "http", "127.0.0.1", 80),
        ("http://①②⑦.⓪.⓪.①", "http", "127.0.0.1", 80),
        ("http://0", "http", "0.0.0.0", 80),
    ],
)
def test_an_origin_has_one_reading(url: str, scheme: str, host: str, port: int) -> None:
    origin = parse_origin(url)
    assert origin is not None
    assert (origin.scheme, origin.host, origin.port) == (scheme, host, port)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "example.com",
        "http://",
        "http:///",
        "http://a b.com",
        "http://[::1",
        "http://[fe80::1%25eth0]/",
        "http://example.com:99999",
        "http://example.com:x",
        "http://a:b:c",
        "http://1.2.3.4.5",
        "http://256.1.1.1",
        "http://1.2.3.08",
        "http://example..com",
        "http://%00.com",
        "http://%ff.com",
        "http://a%2fb.com",
    ],
)
def test_what_browsers_refuse_or_read_in_no_one_way_is_no_origin(url: str) -> None:
    assert parse_origin(url) is None


@pytest.mark.parametrize(
    "address",
    [
        "169.254.169.254",
        "169.254.170.2",
        "100.100.100.200",
        "168.63.129.16",
        "192.0.0.192",
        "fd00:ec2::254",
        "fd20:ce::254",
        "::ffff:169.254.169.254",
        "::169.254.169.254",
        "64:ff9b::169.254.169.254",
        "2002:a9fe:a9fe::1",
        "fe80::a9fe:a9fe",
    ],
)
def test_metadata_services_are_known_in_every_wrapping(address: str) -> None:
    assert any(is_metadata(one) for one in embedded_addresses(ip_address(address)))


@pytest.mark.parametrize(
    ("address", "private", "loopback"),
    [
        ("10.1.2.3", True, False),
        ("172.16.0.1", True, False),
        ("192.168.1.1", True, False),
        ("100.64.0.1", True, False),
        ("127.8.8.8", True, True),
        ("0.0.0.0", True, True),
        ("::1", True, True),
        ("::", True, True),
        ("::ffff:127.0.0.1", True, True),
        ("::ffff:10.0.0.1", True, False),
        ("fc00::1", True, False),
        ("fe80::1", True, False),
        ("224.0.0.1", True, False),
        ("255.255.255.255", True, False),
        ("8.8.8.8", False, False),
        ("::ffff:8.8.8.8", False, False),
        ("2606:4700:4700::1111", False, False),
    ],
)
def test_private_addresses_are_known(address: str, private: bool, loopback: bool) -> None:
    read = ip_address(address)
    assert (is_private(read), is_loopback(read)) == (private, loopback)


@pytest.mark.parametrize(
    ("name", "private"),
    [
        ("localhost", True),
        ("a.localhost", True),
        ("printer.local", True),
        ("db.internal", True),
        ("intranet", True),
        ("10.0.0.1", True),
        ("example.com", False),
        ("localhost.example.com", False),
        ("*", False),
    ],
)
def test_private_names_are_known(name: str, private: bool) -> None:
    assert is_private_host(name) is private


@given(st.text(max_size=60))
def test_no_text_breaks_the_reading(text: str) -> None:
    for url in (text, f"http://{text}", f"http://{text}@good.com/", f"http://[{text}]/"):
        origin = parse_origin(url)
        assert origin is None or origin.scheme


@given(st.integers(0, 2**32 - 1), st.sampled_from(["{}", "{:#x}", "0{:o}"]))
def test_every_number_is_the_address_it_stands_for(number: int, spelt: str) -> None:
    read = parse_host(spelt.format(number))
    assert read == (str(ip_address(number)), (ip_address(number),))
