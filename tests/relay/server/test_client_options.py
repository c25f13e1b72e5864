"""What a client asks for in its query."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilothouse.relay.interfaces import ClientSpec, HttpRefusal
from pilothouse.relay.server.client_options import one_line, parse_client_spec


def spec(*fields: tuple[str, str]) -> ClientSpec:
    found = parse_client_spec("c1", fields)
    assert isinstance(found, ClientSpec)
    return found


def test_who_asks_for_nothing_gets_the_usual() -> None:
    assert spec() == ClientSpec("c1")
    assert spec(("token", "secret"), ("unknown", "x"), ("attach", "")) == ClientSpec("c1")


def test_what_is_usual_is_the_users_to_say() -> None:
    usual = {"browser": "managed", "attach": "lazy"}
    fields = [("attach", "eager"), ("label", "x")]
    assert parse_client_spec("c1", [], usual) == ClientSpec("c1", browser="managed", attach="lazy")
    assert parse_client_spec("c1", fields, usual) == ClientSpec(
        "c1", "x", "managed", attach="eager"
    )


def test_everything_may_be_asked_for() -> None:
    found = spec(
        ("label", "My agent"),
        ("browser", "managed"),
        ("owner", "ann"),
        ("profile", "Work"),
        ("attach", "eager"),
        ("dialogs", "daemon"),
        ("tab", "A"),
        ("tabs", "B,C,,A"),
    )
    assert found == ClientSpec(
        id="c1",
        label="My agent",
        browser="managed",
        owner="ann",
        profile="Work",
        attach="eager",
        dialogs="daemon",
        tabs=("A", "B", "C"),
    )


@pytest.mark.parametrize("name", ["label", "clientLabel", "client"])
def test_a_label_has_three_names_and_is_one_short_line(name: str) -> None:
    assert spec((name, " a\r\n\x1b[31mb\0 " + "x" * 100)).label == ("a [31mb " + "x" * 100)[:80]
    assert spec(("client", "second"), ("label", "first")).label == "first"


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("browser", "firefox", "extension, managed"),
        ("attach", "Lazy", "owned, lazy, eager"),
        ("dialogs", "none", "client, daemon"),
        ("owner", "a\nb", "printable"),
        ("owner", "x" * 201, "at most 200"),
        ("profile", "\x1b", "printable"),
        ("tab", "\0", "printable"),
        ("tabs", "a,\n", "printable"),
    ],
)
def test_a_wrong_value_is_refused_with_its_field_and_what_is_allowed(
    name: str, value: str, allowed: str
) -> None:
    refused = parse_client_spec("c1", [(name, value)])
    assert isinstance(refused, HttpRefusal)
    assert refused.status == 400
    assert refused.message.startswith(f"{name.removesuffix('s') if 'tab' in name else name}: ")
    assert allowed in refused.message
    assert value not in refused.message.split(": ", 1)[1]


def test_two_answers_to_one_question_are_none() -> None:
    assert isinstance(parse_client_spec("c1", [("owner", "a"), ("owner", "b")]), HttpRefusal)
    assert isinstance(
        parse_client_spec("c1", [("attach", "lazy"), ("attach", "eager")]), HttpRefusal
    )
    many = [("tab", str(number)) for number in range(1001)]
    assert isinstance(parse_client_spec("c1", many), HttpRefusal)


@given(st.lists(st.tuples(st.sampled_from(["label", "tab", "owner", "x"]), st.text())))
def test_nothing_makes_it_raise_and_labels_are_plain(fields: list[tuple[str, str]]) -> None:
    found = parse_client_spec("c1", fields)
    if isinstance(found, ClientSpec):
        assert found.label.isprintable()
        assert len(found.label) <= 80


@given(st.text())
def test_one_line_is_one_line(text: str) -> None:
    assert one_line(text, 20).isprintable()
    assert len(one_line(text, 20)) <= 20
