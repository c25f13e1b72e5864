"""Secrets taken out of text. All secrets here are invented, and put together at run time so that
no scanner takes this file for a leak."""

from __future__ import annotations

import base64
import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilothouse.errors import PilothouseError, ToolError
from pilothouse.security.redaction import (
    Redactor,
    redact,
    redact_endpoint,
    redact_url,
    redact_value,
    strip_userinfo,
)

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


# Values that are known.

VALUE = "P@ssw0rd!"
REDACTOR = Redactor({"SHOP": VALUE, "PIN": "4711"})
PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 3).decode()


def test_a_value_goes_in_every_spelling_and_its_name_stands_there() -> None:
    said = {"url": "/?p=P%40ssw0rd!", "list": ["P&#64;ssw0rd!", ("x", VALUE)], VALUE: "key"}
    assert REDACTOR.redact(said) == {
        "url": "/?p=[secret SHOP]",
        "list": ["[secret SHOP]", ["x", "[secret SHOP]"]],
        "[secret SHOP]": "key",
    }


def test_numbers_hide_too_and_other_values_stay() -> None:
    shown = REDACTOR.redact({"4711": 4711, "n": 5, "yes": True, "none": None, "f": 1.5})
    assert shown == {"[secret PIN]": "[secret PIN]", "n": 5, "yes": True, "none": None, "f": 1.5}


def test_one_secret_may_be_a_part_of_another() -> None:
    both = Redactor({"SHORT": "hunter", "LONG": "hunter2 and more"})
    assert both.redact_text("hunter2 and more; hunter2") == "[secret LONG]; [secret SHORT]2"


@pytest.mark.parametrize(
    "answer",
    [
        {"data": PNG, "mime": "image/png"},
        {"image": {"data": PNG, "mimeType": "image/png"}},
        {"content": [{"type": "image", "data": PNG}], "blob": PNG},
        {"content": {"encoding": "base64", "text": PNG, "mimeType": "image/png"}},
        {"result": {"data": PNG}},
        {"html": f"<img src='data:image/png;base64,{PNG}'>"},
    ],
)
def test_pictures_stay_whole_whatever_their_letters_happen_to_spell(answer: Any) -> None:
    letters = PNG[40:46]
    assert letters.isalnum()
    assert Redactor({"PIN": letters}).redact(answer) == answer


def test_only_what_is_a_picture_is_left_alone() -> None:
    letters = PNG[40:46]
    redactor = Redactor({"PIN": letters})
    for said in (letters, f"x{letters}", f"{PNG} {letters}", f"iVBORw0KGgo{letters}\n"):
        assert letters not in redactor.redact({"data": said})["data"]
    assert letters not in redactor.redact({"title": PNG})["title"]


def test_a_body_in_base64_goes_whole_if_a_secret_is_in_its_bytes() -> None:
    def body(inside: bytes) -> dict[str, Any]:
        return {"encoding": "base64", "text": base64.b64encode(inside).decode()}

    assert REDACTOR.redact(body(b"\x00\x01 fine \xff")) == body(b"\x00\x01 fine \xff")
    for inside in (b"\x00 P@ssw0rd! \xff", b'{"p": "P%40ssw0rd!"}'):
        assert REDACTOR.redact(body(inside))["text"] == "[secret in text]"
    coded = {"base64Encoded": True, "body": base64.b64encode(VALUE.encode()).decode()}
    assert REDACTOR.redact(coded)["body"] == "[secret in body]"


def test_errors_say_no_secret() -> None:
    with pytest.raises(PilothouseError) as refused, REDACTOR.redact_errors():
        raise ToolError(f"cannot type {VALUE}", hint=f"not {VALUE}")
    assert refused.value.format_line() == "cannot type [secret SHOP] (not [secret SHOP])"
    assert VALUE not in str(refused.value)
    said = r"KeyError: '\[secret SHOP\]'"
    with pytest.raises(RuntimeError, match=said) as fault, REDACTOR.redact_errors():
        raise KeyError(VALUE)
    assert fault.value.__suppress_context__
    with pytest.raises(TimeoutError, match=r"\[secret SHOP\]"), REDACTOR.redact_errors():
        raise TimeoutError(VALUE)
    with pytest.raises(KeyError, match="plain"), REDACTOR.redact_errors():
        raise KeyError("plain")


def test_without_secrets_nothing_is_touched() -> None:
    answer = {"a": ["b"]}
    assert Redactor().redact(answer) is answer
    assert not Redactor()
    assert REDACTOR


def test_an_answer_stays_json_when_it_is_redacted() -> None:
    odd = Redactor({"ODD": '"quoted" \\'})
    said = {"a": '"quoted" \\', "b": ['x"quoted" \\y'], "c": json.dumps('"quoted" \\')}
    assert odd.redact(said) == {"a": "[secret ODD]", "b": ["x[secret ODD]y"], "c": '"[secret ODD]"'}


def test_addresses_lose_user_and_password() -> None:
    assert strip_userinfo("at ws://me:pw@h/p now") == "at ws://h/p now"
    assert redact_endpoint("wss://me:pw@h/p?token=s#f") == "wss://h/p?…"
