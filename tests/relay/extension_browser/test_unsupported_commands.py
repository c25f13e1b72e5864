"""What an extension cannot do is said by name."""

from __future__ import annotations

from pilothouse.relay.extension_browser.unsupported_commands import CANNOT


def test_every_limit_names_what_is_refused() -> None:
    for method, wrong in CANNOT.items():
        assert wrong.code == -32000
        assert wrong.message.startswith(f"Pilothouse refuses {method}: ")
