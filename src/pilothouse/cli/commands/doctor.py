"""`pilothouse doctor`: run all checks and print the findings. It changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pilothouse.cli.command_invocation import DONE, FAILED, CommandResult, Invocation, Spinner
from pilothouse.cli.doctor import CHECKS, Check

__all__ = ["doctor", "run_checks"]


def doctor(call: Invocation) -> CommandResult:
    """Run all checks; exit code 1 if something is broken."""
    with Spinner("checking", call.json):
        findings = run_checks(CHECKS)
    broken = [found["name"] for found in findings if found["state"] == "broken"]

    def show() -> None:
        from pilothouse.cli.output import show_checks

        show_checks(findings)

    if not broken:
        return CommandResult({"checks": findings}, show, code=DONE)
    error = {
        "message": f"broken: {', '.join(broken)}",
        "hint": "see the field mend of each check",
        "kind": "Broken",
    }
    return CommandResult({"checks": findings}, show, code=FAILED, error=error)


def run_checks(checks: Sequence[tuple[str, Check]]) -> list[dict[str, Any]]:
    """Run the checks and return their findings as JSON."""
    found = [(name, check()) for name, check in checks]
    return [
        {"name": name, "state": one.state, "found": one.found, "mend": one.mend}
        for name, one in found
    ]
