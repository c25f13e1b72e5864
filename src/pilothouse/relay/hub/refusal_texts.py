"""The text of refusals: the method, the reason, what to do instead.

Knows: how a refusal reads. Must not know: sessions. `security/cdp_policy` decides which methods are
refused, and why.
"""

from __future__ import annotations

from pilothouse.security.cdp_policy import REFUSED_AT_ROOT, RELAY, Check

__all__ = ["format_refusal", "profile_data_refusal", "refusal"]


def format_refusal(method: str, why: str, instead: str) -> str:
    """Format a refusal."""
    return f"Pilothouse refuses {method}: {why}; instead {instead}"


def refusal(method: str) -> str:
    """Return why a method is always refused; empty when it may be allowed."""
    decision = RELAY.get(method)
    if decision is None or decision.check is not Check.REFUSED:
        decision = REFUSED_AT_ROOT.get(method)
    return format_refusal(method, decision.why, decision.instead) if decision is not None else ""


def profile_data_refusal(method: str) -> str:
    """Return why data of a whole profile is neither read nor cleared."""
    return format_refusal(
        method,
        "it would read or clear data of a profile that is not the client's own",
        "work in a browser context of your own, or delete single cookies by name",
    )
