"""The ledger on disk: written as it is, told once, and no hindrance when it is spoilt."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

import pytest

from pilothouse.daemon.lost_tabs_record import CrashRecord
from pilothouse.tabs.tabs import OwnedTab


class _Kept:
    def __init__(self, owner: str, name: str, url: str) -> None:
        self.owner, self.name, self.url = owner, name, url


def _tab(owner: str, name: str, url: str) -> OwnedTab:
    return cast(OwnedTab, _Kept(owner, name, url))


def test_what_was_kept_is_told_to_its_owner_once(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    CrashRecord(path).write([_tab("ann", "main", "http://a/"), _tab("bob", "x", "http://b/")])
    after = CrashRecord(path)
    after.read()
    assert after.take_lost("ann") == ["main http://a/"]
    assert after.take_lost("ann") == []
    assert after.take_lost("carol") == []


def test_what_nobody_has_asked_for_is_kept_for_the_daemon_after_that(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    CrashRecord(path).write([_tab("bob", "x", "http://b/")])
    second = CrashRecord(path)
    second.read()
    second.write([_tab("ann", "main", "http://a/")])
    assert json.loads(path.read_text()) == {"bob": ["x http://b/"], "ann": ["main http://a/"]}


def test_nothing_is_written_that_has_not_changed(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    ledger = CrashRecord(path)
    ledger.write([_tab("ann", "main", "http://a/")])
    path.unlink()
    ledger.write([_tab("ann", "main", "http://a/")])
    assert not path.exists()


@pytest.mark.parametrize("spoilt", ["", "{", "[1]", "null"])
def test_spoilt_ledger_means_that_nothing_is_known_to_be_lost(tmp_path: Path, spoilt: str) -> None:
    path = tmp_path / "ledger"
    path.write_text(spoilt)
    ledger = CrashRecord(path)
    ledger.read()
    assert ledger.take_lost("ann") == []


def test_orderly_end_leaves_no_ledger(tmp_path: Path) -> None:
    ledger = CrashRecord(tmp_path / "ledger")
    ledger.write([])
    ledger.forget()
    ledger.forget()
    assert list(tmp_path.iterdir()) == []
