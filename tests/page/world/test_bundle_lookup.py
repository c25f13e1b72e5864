"""The bundles are made of the modules in js/, and none needs another file."""

from __future__ import annotations

from pathlib import Path

from pilothouse.page.world.bundle_lookup import (
    ACTION_BUNDLE,
    JS_FUNCTIONS,
    SNAPSHOT_BUNDLE,
    SNAPSHOT_FUNCTIONS,
    js_function,
)
from scripts.bundle_page_scripts import TARGET, write_bundles


def test_committed_bundles_are_up_to_date(tmp_path: Path) -> None:
    write_bundles(tmp_path)
    made = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    committed = {path.name: path.read_bytes() for path in TARGET.iterdir()}
    assert made == committed, "run: python -m scripts.bundle_page_scripts"


def test_bundles_import_nothing() -> None:
    for bundle in (SNAPSHOT_BUNDLE, ACTION_BUNDLE, js_function("listeners")):
        assert "import" not in bundle.replace("important", "")
        assert "require(" not in bundle


def test_bundles_keep_the_budget_that_every_document_pays() -> None:
    """Chrome needs a millisecond for every 20 KB of a command."""
    assert len(SNAPSHOT_BUNDLE) < 80_000
    assert len(ACTION_BUNDLE) < 50_000


def test_snapshot_bundle_has_the_walk_and_action_bundle_the_probe() -> None:
    assert "walk" in SNAPSHOT_FUNCTIONS
    assert "probe" in JS_FUNCTIONS - SNAPSHOT_FUNCTIONS
