"""Secrets are typed by name and come back in no spelling."""

from __future__ import annotations

import base64
import html
import json
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilothouse.errors import PilothouseError, ToolError
from pilothouse.page.secret_names import Secrets
from pilothouse.supervisor.fence_rules import rule

VALUE = 'p@ss "w&rd"/é<42>'
SECRETS = Secrets(
    {"SHOP": VALUE, "PIN": "471147"}, {"PIN": (rule("bank.example"), rule("*.bank.example"))}
)


@pytest.mark.parametrize(
    "text", ["{{secret:SHOP}}", "{{ secret : SHOP }}", "before {{secret:SHOP}} after"]
)
def test_a_secret_is_typed_by_its_name(text: str) -> None:
    assert VALUE in SECRETS.filled(text, "https://anywhere.example/")


@pytest.mark.parametrize("text", ["", "plain", "secret:SHOP", "{secret:SHOP}", "the secret of it"])
def test_other_text_is_left_as_it_is(text: str) -> None:
    assert SECRETS.filled(text, "https://anywhere.example/") == text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{{secret:OTHER}}", "there is no secret 'OTHER'"),
        ("{{secret}}", "names no secret"),
        ("{{secret:}}", "names no secret"),
        ("{{secret:SHOP}", "names no secret"),
        ("{{secret:SH OP}}", "names no secret"),
    ],
)
def test_what_names_no_secret_is_refused_and_never_typed(text: str, said: str) -> None:
    with pytest.raises(ToolError, match=said) as refused:
        SECRETS.filled(text, "https://anywhere.example/")
    assert VALUE not in refused.value.line()


def test_a_secret_with_origins_is_typed_nowhere_else() -> None:
    assert SECRETS.filled("{{secret:PIN}}", "https://www.bank.example/login") == "471147"
    for url in ("https://evil.example/", "https://bank.example.evil.net/", "about:blank", ""):
        with pytest.raises(ToolError, match="may not be typed") as refused:
            SECRETS.filled("{{secret:PIN}}", url)
        assert "bank.example" in refused.value.hint


def test_only_what_is_typed_may_name_a_secret() -> None:
    url = "https://anywhere.example/"
    asked = "{{secret:SHOP}}"
    assert SECRETS.given("type", {"target": asked, "text": asked}, lambda: url) == {
        "target": asked,
        "text": VALUE,
    }
    assert SECRETS.given("answer", {"detail": {"password": asked}}, lambda: url) == {
        "detail": {"password": VALUE}
    }
    for verb in ("goto", "evaluate", "click"):
        assert SECRETS.given(verb, {"url": asked, "code": asked}, lambda: url)["url"] == asked


def _spelt(value: str) -> dict[str, str]:
    raw = value.encode()
    return {
        "plain": value,
        "json": json.dumps(value),
        "json, not ascii": json.dumps(value, ensure_ascii=False),
        "html": html.escape(value),
        "address": quote(value),
        "component": quote(value, safe=""),
        "form": quote_plus(value),
        "base64": base64.b64encode(raw).decode(),
        "basic": base64.b64encode(b"user:" + raw).decode(),
        "in the middle": base64.b64encode(b"ab" + raw + b"tail").decode(),
        "url base64": base64.urlsafe_b64encode(b"abc" + raw).decode(),
        "hex": raw.hex(),
        "repr": repr(value),
    }


@pytest.mark.parametrize("way", _spelt(VALUE))
def test_no_spelling_of_a_secret_is_said(way: str) -> None:
    said = SECRETS.hide({"text": [f"x {_spelt(VALUE)[way]} y"]})["text"][0]
    assert "[secret SHOP]" in said
    assert VALUE not in said
    assert base64.b64encode(VALUE.encode()).decode()[:8] not in said


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=6, max_size=30))
def test_whatever_the_secret_it_is_found_in_all_its_spellings(value: str) -> None:
    secrets = Secrets({"A": value})
    for way, spelt in _spelt(value).items():
        assert "[secret A]" in secrets.hide(spelt), way


def test_keys_and_numbers_hide_too_and_other_values_stay() -> None:
    shown = SECRETS.hide({"471147": 471147, "n": 5, "yes": True, "none": None, "f": 1.5})
    assert shown == {
        "[secret PIN]": "[secret PIN]",
        "n": 5,
        "yes": True,
        "none": None,
        "f": 1.5,
    }


def test_errors_say_no_secret() -> None:
    with pytest.raises(PilothouseError) as refused, SECRETS.unsaid():
        raise ToolError(f"cannot type {VALUE}", hint=f"not {VALUE}")
    assert refused.value.line() == "cannot type [secret SHOP] (not [secret SHOP])"
    assert VALUE not in str(refused.value)


def test_without_secrets_nothing_is_touched() -> None:
    answer = {"a": ["b"]}
    assert Secrets().hide(answer) is answer
    assert not Secrets()
