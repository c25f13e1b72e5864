"""`pilothouse doctor`: every check, what it found, how to mend it. It changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pilothouse.cli.daemon_call import DONE, FAILED, Answer, Call, Waiting
from pilothouse.cli.doctor.checks import CHECKS, Check

__all__ = ["diagnosis", "doctor"]


def doctor(call: Call) -> Answer:
    """Look at everything; exit code 1 if something is broken."""
    with Waiting("looking", call.json):
        findings = diagnosis(CHECKS)
    broken = [found["name"] for found in findings if found["state"] == "broken"]

    def show() -> None:
        from pilothouse.cli.output import show_checks

        show_checks(findings)

    if not broken:
        return Answer({"checks": findings}, show, code=DONE)
    error = {"message": f"broken: {', '.join(broken)}", "hint": "see mend", "kind": "Broken"}
    return Answer({"checks": findings}, show, code=FAILED, error=error)


def diagnosis(checks: Sequence[tuple[str, Check]]) -> list[dict[str, Any]]:
    """What each check found."""
    found = [(name, check()) for name, check in checks]
    return [
        {"name": name, "state": one.state, "found": one.found, "mend": one.mend}
        for name, one in found
    ]
