"""What is refused is refused with its name, a reason and a way out."""

from __future__ import annotations

from pathlib import Path

import pytest

from pilothouse.relay.refusals import (
    AT_ROOT,
    destructive,
    download_refusal,
    refusal,
)
from pilothouse.security.cdp_policy import RELAY, Check

REFUSED = [method for method, decision in RELAY.items() if decision.check is Check.REFUSED]


@pytest.mark.parametrize("method", sorted({*REFUSED, *AT_ROOT}))
def test_a_refusal_names_the_method_the_reason_and_what_to_do_instead(method: str) -> None:
    words = refusal(method)
    assert words.startswith(f"Pilothouse refuses {method}: ")
    assert "; instead " in words


def test_clearing_somebody_s_profile_is_refused_by_name() -> None:
    assert "Network.clearBrowserCookies" in destructive("Network.clearBrowserCookies")


def test_what_is_allowed_has_no_words() -> None:
    assert refusal("Page.navigate") == ""


def test_downloads_stay_below_the_folders_for_them(tmp_path: Path) -> None:
    root = tmp_path / "downloads"
    root.mkdir()
    (root / "out").symlink_to(tmp_path)

    def asked(path: str, behaviour: str = "allow") -> str:
        return download_refusal({"behavior": behaviour, "downloadPath": path}, [root])

    assert asked(str(root / "new")) == ""
    assert asked("", "default") == ""
    assert asked("/etc", "deny") == ""
    for path in (str(tmp_path), str(root / ".." / "x"), str(root / "out" / "x"), "relative"):
        assert "outside the folders" in asked(path)
