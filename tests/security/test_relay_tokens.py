"""What a token of the relay lets its holder do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilothouse.security.relay_tokens import (
    Grant,
    TokenBook,
    TokenRecord,
    created_token,
    url_token,
)

pytestmark = pytest.mark.boundary

OWN = "a-token-of-forty-three-letters-as-ours-are-xy"
BOOK = TokenBook(OWN)


def test_the_users_own_token_acts_as_any_owner() -> None:
    assert BOOK.grant(OWN) == Grant("own", owner="", shared=True)


@pytest.mark.parametrize("owner", ["shop", "ann lee", "élan", "a.b", "x" * 200, "../x"])
def test_the_token_of_an_owners_url_acts_as_that_owner_alone(owner: str) -> None:
    assert BOOK.grant(url_token(OWN, owner)) == Grant(f"url-{owner}", owner, shared=False)
    assert BOOK.grant(url_token(OWN, owner, "lazy")) == Grant(f"url-{owner}", owner, shared=True)
    assert url_token(OWN, owner) == url_token(OWN, owner)


def test_a_url_token_cannot_be_made_another_owners_or_wider() -> None:
    kind, name, attach, mac = url_token(OWN, "alice").split(".")
    other = url_token(OWN, "bob").split(".")[1]
    for forged in (
        f"{kind}.{other}.{attach}.{mac}",
        f"{kind}.{name}.eager.{mac}",
        f"{kind}.{name}.{attach}.",
        f"{kind}..{attach}.{mac}",
        url_token(OWN[:-1] + "z", "alice"),
    ):
        assert BOOK.grant(forged) is None


def test_rotation_ends_the_url_tokens_of_one_owner_or_of_all() -> None:
    old = url_token(OWN, "alice")
    assert TokenBook(OWN, generations={"alice": 1}).grant(old) is None
    assert TokenBook(OWN, generations={"bob": 1}).grant(old) is not None
    assert TokenBook("another-token-of-the-user-that-is-long-enough").grant(old) is None


def test_a_created_token_is_kept_as_a_hash_and_good_while_it_is_kept() -> None:
    token, hashed = created_token("ab12", "s" * 43)
    assert "s" * 43 not in hashed
    record = TokenRecord("shop", hashed, attach="eager", files=("/srv/in",))
    book = TokenBook(OWN, {"ab12": record})
    assert book.grant(token) == Grant("ab12", "shop", shared=True, files=("/srv/in",))
    assert book.grant(token + "x") is None
    assert book.grant("token.ab12.") is None
    assert BOOK.grant(token) is None
    assert BOOK.grant("token..") is None


def test_a_book_without_a_real_token_is_not_made() -> None:
    for token in ("", "short"):
        with pytest.raises(ValueError, match="too short"):
            TokenBook(token)
    assert OWN not in repr(BOOK)


@given(st.text(max_size=80))
def test_no_text_is_taken_for_a_token(text: str) -> None:
    assert BOOK.grant(text) is None
    assert BOOK.grant(f"owner.{text}") is None
    assert BOOK.grant(f"token.{text}") is None
