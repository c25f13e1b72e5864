"""Requests that are stopped for several sessions: one after the other decides. Pure.

Knows: patterns, whose turn it is, and what passes a request on. Must not know: the wire; `Fetching`
says what to send and whom to tell. Who turned it on last is asked first, as wrappers are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import msgspec

from pilothouse.relay.extension_browser.types import loads

__all__ = ["Fetching", "Send", "Tell"]

Params = Mapping[str, Any]

_CONTINUES = {"Fetch.continueRequest": {"requestId", "interceptResponse"}}
_CONTINUES["Fetch.continueResponse"] = {"requestId"}
_EVERYTHING: Params = {"urlPattern": "*", "requestStage": "Request"}


@dataclass(frozen=True, slots=True)
class Send:
    """A command for the wire."""

    method: str
    params: Params


@dataclass(frozen=True, slots=True)
class Tell:
    """An event for one session."""

    session: str
    method: str
    raw: msgspec.Raw


@dataclass(slots=True)
class _Wish:
    patterns: Sequence[Params]
    auth: bool


@dataclass(slots=True)
class _Paused:
    """A request that stands still: what was said of it, and who is asked when."""

    method: str
    raw: msgspec.Raw
    answer: str
    holder: str = ""
    next: list[str] = field(default_factory=list)
    # Somebody wants to see the response as well.
    intercept: bool = False
    key: str = ""


class Fetching:
    """The stopped requests of one page, frame or worker."""

    def __init__(self) -> None:
        self._wishes: dict[str, _Wish] = {}
        self._paused: dict[str, _Paused] = {}
        # By network id: who asked for the response when it let the request go.
        self._responses: dict[str, set[str]] = {}
        self._told: Params | None = None

    # Turning it on and off.

    def enable(self, session: str, params: Params) -> Send | None:
        """A session has requests stopped: what to send, None if the page does so already."""
        given = params.get("patterns")
        patterns = given if isinstance(given, list) and given else [_EVERYTHING]
        self._wishes.pop(session, None)
        self._wishes[session] = _Wish(patterns, params.get("handleAuthRequests") is True)
        return self._retold()

    def disable(self, session: str) -> list[Send | Tell]:
        """A session wants none any more; what it holds goes on to the next."""
        if self._wishes.pop(session, None) is None:
            return []
        acts: list[Send | Tell] = []
        for number, paused in list(self._paused.items()):
            if session in paused.next:
                paused.next.remove(session)
            if paused.holder == session:
                acts += self._pass_on(number, paused)
        retold = self._retold()
        return [*acts, retold] if retold else acts

    def has(self, session: str) -> bool:
        """Whether a session has requests stopped."""
        return session in self._wishes

    def replay(self) -> list[Send]:
        """What a debugger that has just been put on again must be told; what it had stopped is
        gone."""
        self._paused.clear()
        self._responses.clear()
        return [Send("Fetch.enable", self._told)] if self._told is not None else []

    def _retold(self) -> Send | None:
        united: Params | None = None
        if self._wishes:
            every = [p for wish in self._wishes.values() for p in wish.patterns]
            patterns = [p for n, p in enumerate(every) if p not in every[:n]]
            auth = any(wish.auth for wish in self._wishes.values())
            united = {"patterns": patterns, "handleAuthRequests": auth}
        if united == self._told:
            return None
        self._told = united
        return Send("Fetch.disable", {}) if united is None else Send("Fetch.enable", united)

    # What the page says.

    def stopped(self, method: str, raw: msgspec.Raw) -> list[Send | Tell]:
        """A request stands still, or asks for a password."""
        params = loads(raw)
        number = str(params.get("requestId", ""))
        key = str(params.get("networkId") or number)
        if method == "Fetch.authRequired":
            paused = _Paused(method, raw, "Fetch.continueWithAuth", key=key)
        elif "responseStatusCode" in params or "responseErrorReason" in params:
            paused = _Paused(method, raw, "Fetch.continueResponse", key=key)
        else:
            paused = _Paused(method, raw, "Fetch.continueRequest", key=key)
        paused.next = [s for s in reversed(self._wishes) if self._wants(s, paused, params)]
        if paused.answer == "Fetch.continueResponse":
            self._responses.pop(key, None)
        self._paused[number] = paused
        return self._pass_on(number, paused)

    def _wants(self, session: str, paused: _Paused, params: Params) -> bool:
        wish = self._wishes[session]
        if paused.answer == "Fetch.continueWithAuth":
            return wish.auth and any(_fits(p, params) for p in wish.patterns)
        stage = "Response" if paused.answer == "Fetch.continueResponse" else "Request"
        if stage == "Response" and session in self._responses.get(paused.key, ()):
            return True
        return any(
            p.get("requestStage", "Request") == stage and _fits(p, params) for p in wish.patterns
        )

    # What sessions answer.

    def answers(self, session: str, method: str, params: Params) -> list[Send | Tell] | None:
        """A session decides. None: it is not its turn. No `Send` in it: the decision is with
        another one now."""
        number = str(params.get("requestId", ""))
        paused = self._paused.get(number)
        if paused is None or paused.holder != session:
            return None
        if not _passes(method, params):
            del self._paused[number]
            if params.get("interceptResponse"):
                self._responses.setdefault(paused.key, set()).add(session)
            return [Send(method, params)]
        if params.get("interceptResponse"):
            paused.intercept = True
            self._responses.setdefault(paused.key, set()).add(session)
        return self._pass_on(number, paused)

    def _pass_on(self, number: str, paused: _Paused) -> list[Send | Tell]:
        if paused.next:
            paused.holder = paused.next.pop(0)
            return [Tell(paused.holder, paused.method, paused.raw)]
        del self._paused[number]
        if paused.answer == "Fetch.continueWithAuth":
            answer: Params = {
                "requestId": number,
                "authChallengeResponse": {"response": "Default"},
            }
        elif paused.intercept:
            answer = {"requestId": number, "interceptResponse": True}
        else:
            answer = {"requestId": number}
        return [Send(paused.answer, answer)]


def _passes(method: str, params: Params) -> bool:
    """Whether an answer leaves the decision to whoever comes next."""
    if method == "Fetch.continueWithAuth":
        answer = params.get("authChallengeResponse")
        return isinstance(answer, dict) and answer.get("response") == "Default"
    return method in _CONTINUES and params.keys() <= _CONTINUES[method]


def _fits(pattern: Params, params: Params) -> bool:
    kind = pattern.get("resourceType")
    if kind and kind != params.get("resourceType"):
        return False
    url = params.get("request", {}).get("url", "")
    return _wildcard(str(pattern.get("urlPattern", "*"))).fullmatch(str(url)) is not None


@lru_cache(maxsize=512)
def _wildcard(pattern: str) -> re.Pattern[str]:
    """`*` is any text, `?` any character; a backslash takes that away."""
    spelt, escaped = "", False
    for letter in pattern:
        if escaped or letter not in "*?\\":
            spelt, escaped = spelt + re.escape(letter), False
        elif letter == "\\":
            escaped = True
        else:
            spelt += ".*" if letter == "*" else "."
    return re.compile(spelt, re.DOTALL)
