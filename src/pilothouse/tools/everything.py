"""All declared tools, by family. Importing this declares them."""

from __future__ import annotations

from pilothouse.tools import (
    acting,
    browser_connection,
    coding,
    going,
    keeping,
    knowing,
    seeing,
    traffic,
    web,
)

__all__ = ["DECLARED"]

DECLARED = (going, seeing, acting, knowing, keeping, traffic, web, coding, browser_connection)
