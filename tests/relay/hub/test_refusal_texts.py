"""What is refused is refused with its name, a reason and a way out."""

from __future__ import annotations

import pytest

from pilothouse.relay.hub.refusal_texts import profile_data_refusal, refusal
from pilothouse.security.cdp_policy import REFUSED_AT_ROOT, RELAY, Check

REFUSED = [method for method, decision in RELAY.items() if decision.check is Check.REFUSED]


@pytest.mark.parametrize("method", sorted({*REFUSED, *REFUSED_AT_ROOT}))
def test_a_refusal_names_the_method_the_reason_and_what_to_do_instead(method: str) -> None:
    words = refusal(method)
    assert words.startswith(f"Pilothouse refuses {method}: ")
    assert "; instead " in words


def test_clearing_somebody_s_profile_is_refused_by_name() -> None:
    assert "Network.clearBrowserCookies" in profile_data_refusal("Network.clearBrowserCookies")


def test_what_is_allowed_has_no_words() -> None:
    assert refusal("Page.navigate") == ""
