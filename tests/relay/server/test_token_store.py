"""The files of the tokens: whose they are, what they hold, who is let in after a change."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from pilothouse.errors import PilothouseError, ToolError
from pilothouse.relay.server.token_store import TokenStore

pytestmark = pytest.mark.boundary


def test_tokens_are_in_files_of_this_user_alone_and_no_secret_is_in_them(tmp_path: Path) -> None:
    tokens = TokenStore(tmp_path / "relay.token")
    name, token = tokens.create("shop", created="today", label="scraper")
    grant = tokens.load().find_grant(token)
    assert grant is not None
    assert (grant.id, grant.owner, grant.shared) == (name, "shop", False)
    kept = tokens.path.read_text()
    assert token not in kept
    assert token.rpartition(".")[2] not in kept
    for path in tmp_path.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_revoked_token_is_good_for_nothing(tmp_path: Path) -> None:
    tokens = TokenStore(tmp_path / "relay.token")
    name, token = tokens.create("shop", created="")
    other = tokens.create("shop", created="")[1]
    assert tokens.revoke(name)
    assert not tokens.revoke(name)
    assert tokens.load().find_grant(token) is None
    assert tokens.load().find_grant(other) is not None


def test_rotation_replaces_the_users_own_token_and_spares_created_ones(tmp_path: Path) -> None:
    tokens = TokenStore(tmp_path / "relay.token")
    own, shop, lab = tokens.load().own, tokens.url_token("shop"), tokens.url_token("lab")
    created = tokens.create("shop", created="")[1]
    tokens.rotate("shop")
    book = tokens.load()
    assert (book.find_grant(shop), book.own) == (None, own)
    assert book.find_grant(tokens.url_token("shop")) is not None
    assert book.find_grant(lab) is not None
    tokens.rotate()
    book = tokens.load()
    assert (book.find_grant(own), book.find_grant(lab)) == (None, None)
    assert book.find_grant(created) is not None


def test_folders_of_a_token_are_there_and_kept_whole(tmp_path: Path) -> None:
    tokens = TokenStore(tmp_path / "relay.token")
    with pytest.raises(ToolError, match="is not a folder"):
        tokens.create("shop", created="", files=(str(tmp_path / "nowhere"),))
    with pytest.raises(ToolError, match="owner: missing; expected the name of an owner"):
        tokens.create("", created="")
    _, token = tokens.create("shop", created="", files=(f"{tmp_path}/../{tmp_path.name}",))
    grant = tokens.load().find_grant(token)
    assert grant is not None
    assert grant.files == (str(tmp_path.resolve()),)


@pytest.mark.parametrize("content", ["", "[]", '{"tokens": 1}', '{"more": {}}', "{" * 5000])
def test_a_file_that_holds_no_tokens_is_named(tmp_path: Path, content: str) -> None:
    tokens = TokenStore(tmp_path / "relay.token")
    tokens.path.write_text(content)
    tokens.path.chmod(0o600)
    with pytest.raises(PilothouseError, match="does not hold tokens"):
        tokens.load()


def test_a_file_that_others_can_read_is_not_believed(tmp_path: Path) -> None:
    tokens = TokenStore(tmp_path / "relay.token")
    tokens.create("shop", created="")
    tokens.path.chmod(0o644)
    with pytest.raises(PilothouseError, match="not a file of yours alone"):
        tokens.load()
    tokens.path.unlink()
    tokens.path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(PilothouseError, match="not a file of yours alone"):
        tokens.load()
