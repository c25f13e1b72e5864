"""Secrets are typed by name and come back in no spelling."""

from __future__ import annotations

from typing import Any

import pytest

from pilothouse.errors import ToolError
from pilothouse.security.secrets import Secrets, SecretText, reveal
from pilothouse.security.url_policy import OriginList, parse_rule

VALUE = 'p@ss "w&rd"/é<42>'
SECRETS = Secrets(
    {"SHOP": VALUE, "PIN": "471147"},
    {"PIN": OriginList((parse_rule("bank.example"), parse_rule("*.bank.example")))},
)


@pytest.mark.parametrize(
    "text", ["{{secret:SHOP}}", "{{ secret : SHOP }}", "before {{secret:SHOP}} after"]
)
def test_a_secret_is_typed_by_its_name(text: str) -> None:
    assert VALUE in SECRETS.fill_in(text, "https://anywhere.example/")


@pytest.mark.parametrize("text", ["", "plain", "secret:SHOP", "{secret:SHOP}", "the secret of it"])
def test_other_text_is_left_as_it_is(text: str) -> None:
    assert SECRETS.fill_in(text, "https://anywhere.example/") == text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{{secret:OTHER}}", "there is no secret 'OTHER'"),
        ("{{secret}}", "does not name a secret"),
        ("{{secret:}}", "does not name a secret"),
        ("{{secret:SHOP}", "does not name a secret"),
        ("{{secret:SH OP}}", "does not name a secret"),
    ],
)
def test_what_names_no_secret_is_refused_and_never_typed(text: str, said: str) -> None:
    with pytest.raises(ToolError, match=said) as refused:
        SECRETS.fill_in(text, "https://anywhere.example/")
    assert VALUE not in refused.value.format_line()


def test_a_secret_with_origins_is_typed_nowhere_else() -> None:
    assert SECRETS.fill_in("{{secret:PIN}}", "https://www.bank.example/login") == "471147"
    for url in ("https://evil.example/", "https://bank.example.evil.net/", "about:blank", ""):
        with pytest.raises(ToolError, match="may not be typed") as refused:
            SECRETS.fill_in("{{secret:PIN}}", url)
        assert "bank.example" in refused.value.hint


def test_only_what_is_typed_may_name_a_secret() -> None:
    url = "https://anywhere.example/"
    asked = "{{secret:SHOP}}"

    def revealed(verb: str, **params: Any) -> Any:
        return reveal(SECRETS.mark_in_call(verb, params), url)

    assert revealed("type", target=asked, text=asked) == {"target": asked, "text": VALUE}
    assert revealed("answer", detail={"password": asked}) == {"detail": {"password": VALUE}}
    assert revealed("fill", value=["a", asked]) == {"value": ["a", VALUE]}
    for verb in ("goto", "evaluate", "click"):
        assert revealed(verb, url=asked, code=asked) == {"url": asked, "code": asked}


def test_until_it_is_revealed_a_text_is_only_its_template() -> None:
    given = SECRETS.mark_in_call("type", {"text": "x{{secret:PIN}}"})["text"]
    assert isinstance(given, SecretText)
    assert given == "x{{secret:PIN}}"
    assert given.is_restricted
    assert not SECRETS.mark_in_call("type", {"text": "{{secret:SHOP}}"})["text"].is_restricted
    assert "471147" not in repr(given)
    assert reveal(given, "https://bank.example/") == "x471147"
    with pytest.raises(ToolError, match="may not be typed"):
        reveal([{"a": given}], "https://evil.example/")


def test_an_unknown_name_is_refused_before_anything_is_done() -> None:
    with pytest.raises(ToolError, match="there is no secret 'NONE'"):
        SECRETS.mark_in_call("fill", {"value": "{{secret:NONE}}"})


@pytest.mark.parametrize(
    "url", ["data:bank.example", "about:bank.example", "data:text/html,bank.example", "about:blank"]
)
def test_what_follows_data_or_about_is_no_origin(url: str) -> None:
    with pytest.raises(ToolError, match="may not be typed"):
        SECRETS.fill_in("{{secret:PIN}}", url)


def test_a_blob_is_of_the_origin_that_made_it() -> None:
    assert SECRETS.fill_in("{{secret:PIN}}", "blob:https://bank.example/0-1") == "471147"
    with pytest.raises(ToolError, match="may not be typed"):
        SECRETS.fill_in("{{secret:PIN}}", "blob:https://evil.example/0-1")
