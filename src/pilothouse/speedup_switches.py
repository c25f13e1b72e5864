"""Speed-ups that can be switched off, one by one, to find out whether one of them causes a fault.

    lazy_tabs        relay/hub/lazy_sessions.py   LazyTabs
    page_cache       page/snapshot/walk_cache.py  WalkCache
    warm_up          page/page.py                 Page.start, IsolatedWorlds.preload
    coalesce_reads   cdp/read_coalescer.py        ReadCoalescer

Each is behind the class named here, and only that class asks `in_use`. Answers are the same with
and without them: `./dev soak switches` runs the tests with all four switched off.

The choice holds for the whole process, as a log level does. The daemon takes it from its settings.
Knows: the switches. Must not know: what they switch.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

__all__ = ["Speedups", "in_use", "use"]


class Speedups(msgspec.Struct, frozen=True):
    """Speed-ups; switch one off to find out whether it causes a fault."""

    lazy_tabs: Annotated[
        bool,
        "`false`: a relay client with `attach=lazy` gets a debugger on every tab at once, as with "
        "`attach=eager`.",
    ] = True
    page_cache: Annotated[
        bool,
        "`false`: every snapshot reads the whole page, even if nothing has changed.",
    ] = True
    warm_up: Annotated[
        bool,
        "`false`: new documents are not prepared for their first snapshot while they load.",
    ] = True
    coalesce_reads: Annotated[
        bool,
        "`false`: a flood of browser events is read as it comes, not in larger pieces.",
    ] = True


_current = Speedups()


def in_use() -> Speedups:
    """Return the speed-ups that this process uses."""
    return _current


def use(speedups: Speedups) -> None:
    """Use these speed-ups from now on. Open connections and pages keep what they have."""
    global _current
    _current = speedups
