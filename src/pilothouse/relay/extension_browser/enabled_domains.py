"""Which session of a shared page has turned which domain on. Pure.

Knows: how the wishes of several sessions make one `enable`. Must not know: the wire.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

__all__ = ["UNASKED", "Domains"]

Params = Mapping[str, Any]

# Domains that are never turned on: their events go to every session of the page.
UNASKED = frozenset({"Emulation", "Input", "Inspector", "Storage", "Target", "Tracing"})


class Domains:
    """The domains of one page, frame or worker."""

    def __init__(self) -> None:
        self._wanted: dict[str, dict[str, Params]] = {}
        self._told: dict[str, Params] = {}

    def enable(self, session: str, domain: str, params: Params) -> Params | None:
        """A session turns a domain on: with what to do so on the wire, None if that is done."""
        wanted = self._wanted.setdefault(domain, {})
        wanted[session] = params
        merged = _merged(list(wanted.values()))
        if self._told.get(domain) == merged:
            return None
        self._told[domain] = merged
        return merged

    def failed(self, domain: str) -> None:
        """There is no such domain on this page."""
        self._wanted.pop(domain, None)
        self._told.pop(domain, None)

    def disable(self, session: str, domain: str) -> bool:
        """A session turns a domain off: whether the wire is to do so."""
        wanted = self._wanted.get(domain)
        if wanted is None:
            return True  # whoever turns off what is off is told so by the page
        wanted.pop(session, None)
        if wanted:
            return False
        self.failed(domain)
        return True

    def hears(self, domain: str) -> Collection[str]:
        """The sessions that have a domain on."""
        return self._wanted.get(domain, ())

    def leaves(self, session: str) -> list[str]:
        """A session ends: the domains that nobody wants any more."""
        mine = [domain for domain, wanted in self._wanted.items() if session in wanted]
        return [domain for domain in mine if self.disable(session, domain)]

    def replay(self) -> list[tuple[str, Params]]:
        """What a debugger that has just been put on again must be told."""
        return [(f"{domain}.enable", params) for domain, params in self._told.items()]


def _merged(wanted: Sequence[Params]) -> Params:
    """One set of params that serves all: the larger number, and no limit where one has none."""
    if len(wanted) == 1:
        return wanted[0]
    merged: dict[str, Any] = {}
    for name in {name: None for params in wanted for name in params}:
        given = [params[name] for params in wanted if name in params]
        if all(isinstance(value, bool) for value in given):
            merged[name] = any(given)
        elif all(isinstance(value, int | float) for value in given):
            if len(given) == len(wanted) or _keeps_bodies(wanted):
                merged[name] = max(given)
        else:
            merged[name] = given[-1]
    return merged


def _keeps_bodies(wanted: Sequence[Params]) -> bool:
    """Whether a session has bodies outlive their page: Chrome wants a limit for that, so there is
    one for all."""
    return any(params.get("enableDurableMessages") for params in wanted)
