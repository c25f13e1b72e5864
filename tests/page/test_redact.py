"""Secrets taken out of text. All secrets here are invented, and put together at run time so that
no scanner takes this file for a leak."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilothouse.page.redact import redact, redact_headers, redact_url, redact_value

LONG = "aB3" * 12
JWT = "eyJ" + "hbGciOiJIUzI1NiJ9" + "." + "eyJ" + "zdWIiOiIxMjM0In0" + "." + "s5rX" * 8
CARD = "4111 1111" + " 1111 1111"


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (f"Authorization: Bearer {LONG}", LONG),
        (f"authorization: Basic {LONG}", LONG),
        (f"fetched with Bearer {LONG} today", LONG),
        ("Cookie: sid=abc123; theme=dark", "abc123"),
        ("> Set-Cookie: sid=abc123; Path=/", "abc123"),
        (f"https://a.example/cb?code={LONG}&state=ok", LONG),
        ("https://a.example/?access_token=short1", "short1"),
        (f"https://a.example/#id_token={LONG}", LONG),
        (f"see https://a.example/x?k2={LONG}.", LONG),
        ("https://anna:geheim@a.example/", "geheim"),
        ('{"password": "correct horse"}', "correct horse"),
        ("{'apiKey': 'abc-123'}", "abc-123"),
        (JWT, JWT),
        ("ghp_" + LONG, LONG),
        ("sk_live_" + LONG, LONG),
        ("AKIA" + "ABCDEFGH12345678", "ABCDEFGH12345678"),
        (f"card {CARD} please", CARD),
        ("otpauth://totp/A:b?secret=JBSWY3DPEHPK3PXP", "JBSWY3DPEHPK3PXP"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----", "MIIEow"),
        ('<input name="p" type="password" value="geheim">', "geheim"),
        ("<input value='geheim' type=password>", "geheim"),
        ('<input autocomplete="one-time-code" value="123456">', "123456"),
        ('  - textbox "Password" [ref=e3] [focused]: geheim', "geheim"),
    ],
)
def test_a_secret_is_taken_out(text: str, secret: str) -> None:
    clean = redact(text)
    assert secret not in clean
    assert "[redacted " in clean


@pytest.mark.parametrize(
    "text",
    [
        "Order 1234567890123456 shipped",
        "0000 0000 0000 0000",
        "https://a.example/products/blue-suede-shoes?page=2&sort=price-low-to-high",
        "https://a.example/?id=550e8400-e29b-41d4-a716-446655440000",
        '<input type="text" value="Anna">',
        '- textbox "Name" [ref=e3]: Anna',
        '{"author": "Anna", "sidebar": "left"}',
        "The basic idea is a bearer of news.",
        "Compass and passage",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert redact(text) == text


def test_a_secret_that_is_known_goes_wherever_it_is() -> None:
    assert "geheim" not in redact("a geheim b geheim", ["geheim"])
    assert redact("a tiny b", ["a"]) == "a tiny b"
    assert "longer" not in redact("my longer secret", ["longer secret", "secret"])


def test_headers_lose_their_credentials() -> None:
    kept = redact_headers({"Cookie": "a=b", "X-Api-Key": "k", "Accept": "text/html"})
    assert kept["Accept"] == "text/html"
    assert kept["Cookie"] == kept["X-Api-Key"] == "[redacted header]"


def test_values_are_redacted_all_through() -> None:
    clean = redact_value({"typed": ["geheim"], "password": "x", "n": 3, "auth": {}}, ["geheim"])
    assert clean == {
        "typed": ["[redacted secret]"],
        "password": "[redacted field]",
        "n": 3,
        "auth": {},
    }


@given(st.text(alphabet=st.sampled_from("abc=&?#:/@ \"'<>1234eyJ.-_[]password\n"), max_size=200))
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    once = redact(text)
    assert redact(once) == once
    assert redact_url(redact_url(text)) == redact_url(text)


@pytest.mark.parametrize(
    "piece",
    [
        "eyJaaaaaaaaaa",
        "https://a?b=",
        "- textbox pin]",
        "4 ",
        '"token":',
        "<input value=",
        "://",
        "-",
    ],
)
def test_text_written_to_be_slow_is_not(piece: str) -> None:
    """Bounded, not asserted to be fast: a pattern that explodes takes minutes."""
    text = (piece * 200_000)[:500_000]
    started = time.monotonic()
    redact(text)
    assert time.monotonic() - started < 20
