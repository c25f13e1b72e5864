"""What a token of the relay lets its holder do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilothouse.security.relay_tokens import (
    Grant,
    TokenBook,
    TokenRecord,
    make_created_token,
    make_url_token,
)

pytestmark = pytest.mark.boundary

OWN_TOKEN = "a-token-of-forty-three-letters-as-ours-are-xy"
BOOK = TokenBook(OWN_TOKEN)


def test_the_users_own_token_acts_as_any_owner() -> None:
    assert BOOK.find_grant(OWN_TOKEN) == Grant("own", owner="", shared=True)


@pytest.mark.parametrize("owner", ["shop", "ann lee", "élan", "a.b", "x" * 200, "../x"])
def test_the_token_of_an_owners_url_acts_as_that_owner_alone(owner: str) -> None:
    assert BOOK.find_grant(make_url_token(OWN_TOKEN, owner)) == Grant(
        f"url-{owner}", owner, shared=False
    )
    assert BOOK.find_grant(make_url_token(OWN_TOKEN, owner, "lazy")) == Grant(
        f"url-{owner}", owner, shared=True
    )
    assert make_url_token(OWN_TOKEN, owner) == make_url_token(OWN_TOKEN, owner)


def test_a_url_token_cannot_be_made_another_owners_or_wider() -> None:
    kind, name, attach, mac = make_url_token(OWN_TOKEN, "alice").split(".")
    other = make_url_token(OWN_TOKEN, "bob").split(".")[1]
    for forged in (
        f"{kind}.{other}.{attach}.{mac}",
        f"{kind}.{name}.eager.{mac}",
        f"{kind}.{name}.{attach}.",
        f"{kind}..{attach}.{mac}",
        make_url_token(OWN_TOKEN[:-1] + "z", "alice"),
    ):
        assert BOOK.find_grant(forged) is None


def test_rotation_ends_the_url_tokens_of_one_owner_or_of_all() -> None:
    old = make_url_token(OWN_TOKEN, "alice")
    assert TokenBook(OWN_TOKEN, generations={"alice": 1}).find_grant(old) is None
    assert TokenBook(OWN_TOKEN, generations={"bob": 1}).find_grant(old) is not None
    assert TokenBook("another-token-of-the-user-that-is-long-enough").find_grant(old) is None


def test_a_created_token_is_kept_as_a_hash_and_good_while_it_is_kept() -> None:
    token, hashed = make_created_token("ab12", "s" * 43)
    assert "s" * 43 not in hashed
    record = TokenRecord("shop", hashed, attach="eager", files=("/srv/in",))
    book = TokenBook(OWN_TOKEN, {"ab12": record})
    assert book.find_grant(token) == Grant("ab12", "shop", shared=True, files=("/srv/in",))
    assert book.find_grant(token + "x") is None
    assert book.find_grant("token.ab12.") is None
    assert BOOK.find_grant(token) is None
    assert BOOK.find_grant("token..") is None


def test_a_book_without_a_real_token_is_not_made() -> None:
    for token in ("", "short"):
        with pytest.raises(ValueError, match="shorter than"):
            TokenBook(token)
    assert OWN_TOKEN not in repr(BOOK)


@given(st.text(max_size=80))
def test_no_text_is_taken_for_a_token(text: str) -> None:
    assert BOOK.find_grant(text) is None
    assert BOOK.find_grant(f"owner.{text}") is None
    assert BOOK.find_grant(f"token.{text}") is None
