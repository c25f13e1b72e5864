"""Commands that are sent while a dialog is open: allowed ones that neither leave nor close the
page. That Chromium answers them is tested in tests/browser/test_raw_cdp.py."""

from __future__ import annotations

import pytest

from pilothouse.security.cdp_methods import TOOL, Check
from pilothouse.supervisor.capabilities.dialog_safe_commands import (
    DIALOG_SAFE_COMMANDS,
    HANDLE_DIALOG,
)

# They reach the browser process too, and would leave the page or take its dialog away unanswered.
LEAVE = {"Page.close", "Page.navigate", "Page.reload", "Page.stopLoading", "Page.crash"}


@pytest.mark.parametrize("method", sorted(DIALOG_SAFE_COMMANDS | {HANDLE_DIALOG}))
def test_each_is_a_command_that_tools_may_send(method: str) -> None:
    assert TOOL[method].check is not Check.REFUSED


def test_none_leaves_the_page() -> None:
    assert DIALOG_SAFE_COMMANDS.isdisjoint(LEAVE)
    assert HANDLE_DIALOG not in DIALOG_SAFE_COMMANDS


@pytest.mark.parametrize("domain", ["Runtime", "DOM", "CSS", "Accessibility", "Input", "Overlay"])
def test_what_needs_the_renderer_is_not_among_them(domain: str) -> None:
    assert [method for method in DIALOG_SAFE_COMMANDS if method.startswith(f"{domain}.")] == []
