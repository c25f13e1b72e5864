"""The checks of `pilothouse doctor`. They look at the machine and change nothing.

    checks.py                 CHECKS: name and function of every check; each returns a Finding (ok,
                              warn or broken, with a text and how to fix it). Needs no daemon
    tool_and_relay_checks.py  the tool selection and the relay, asked from a running daemon

cli/commands/doctor.py runs CHECKS in order and prints the findings (show_checks in
cli/output/tables.py).
"""

from __future__ import annotations

from pilothouse.cli.doctor.checks import CHECKS, Check

__all__ = ["CHECKS", "Check"]
