"""Finds the reason in its output why a browser did not start. Pure."""

from __future__ import annotations

import re
import signal

__all__ = ["describe_exit", "diagnose"]

_PATTERNS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), hint)
    for pattern, hint in (
        (
            r"error while loading shared libraries|cannot open shared object",
            "a system library is missing: install the browser with the system's package manager",
        ),
        (
            r"no usable sandbox|running as root without --no-sandbox|sandbox.*(failed|error)",
            "allow user namespaces on this machine, or add --no-sandbox to args if you trust"
            " the pages",
        ),
        (
            r"profile appears to be in use|singletonlock|process_?singleton",
            "another browser uses this profile: close it or use another profile name",
        ),
        (
            r"missing x server|\$display|cannot open display|unable to open x display|wayland",
            "there is no display: set headed=False, or run under xvfb-run",
        ),
        (r"no space left on device|disk full", "free some space in the temporary directory"),
        (r"exec format error|cannot execute", "install a browser for this type of machine"),
        (r"permission denied", "check who may read and run the browser's files"),
        (r"fatal|check failed", "try another browser with PILOTHOUSE_BROWSER"),
    )
)
_TIMESTAMP = re.compile(r"^\[[^\]]*\]\s*")


def diagnose(log: str) -> tuple[str, str]:
    """Return the most informative line of a log, and a hint; both may be empty."""
    lines = [_TIMESTAMP.sub("", line.strip()) for line in log.splitlines() if line.strip()]
    for pattern, hint in _PATTERNS:
        for line in lines:
            if pattern.search(line):
                return line[:300], hint
    return (lines[-1][:300] if lines else ""), ""


def describe_exit(code: int) -> str:
    """Describe an exit code: `ended with code 1`, `was killed by SIGKILL`."""
    if code >= 0:
        return f"ended with code {code}"
    try:
        return f"was killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"was killed by signal {-code}"
