"""Fetch interception for several sessions: each decides about a paused request in turn. Pure.

Knows: patterns, whose turn it is, and which replies pass a request on. Must not know: the socket;
`FetchInterception` returns what to send and whom to tell. The session that enabled it last decides
first, like the outermost wrapper.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import msgspec

from pilothouse.relay.extension_browser.tab_and_message_types import decode_object

__all__ = ["EmitEvent", "FetchInterception", "SendFetchCommand"]

Params = Mapping[str, Any]

_CONTINUES = {"Fetch.continueRequest": {"requestId", "interceptResponse"}}
_CONTINUES["Fetch.continueResponse"] = {"requestId"}
_EVERYTHING: Params = {"urlPattern": "*", "requestStage": "Request"}


@dataclass(frozen=True, slots=True)
class SendFetchCommand:
    """A command to send to Chrome."""

    method: str
    params: Params


@dataclass(frozen=True, slots=True)
class EmitEvent:
    """An event for one session."""

    session: str
    method: str
    raw: msgspec.Raw


@dataclass(slots=True)
class _Interception:
    """One session's `Fetch.enable`."""

    patterns: Sequence[Params]
    auth: bool


@dataclass(slots=True)
class _PausedRequest:
    """A paused request: its event, and which sessions decide in which order."""

    method: str
    raw: msgspec.Raw
    answer: str
    holder: str = ""
    next: list[str] = field(default_factory=list)
    # A session wants to intercept the response too.
    intercept: bool = False
    key: str = ""


class FetchInterception:
    """The paused requests of one page, frame or worker."""

    def __init__(self) -> None:
        self._interceptions: dict[str, _Interception] = {}
        self._paused: dict[str, _PausedRequest] = {}
        # By network id: sessions that asked to intercept the response.
        self._responses: dict[str, set[str]] = {}
        self._enabled_with: Params | None = None

    # Enable and disable.

    def enable(self, session: str, params: Params) -> SendFetchCommand | None:
        """Enable it for a session. Returns the command to send; None if Chrome has it already."""
        given = params.get("patterns")
        patterns = given if isinstance(given, list) and given else [_EVERYTHING]
        self._interceptions.pop(session, None)
        self._interceptions[session] = _Interception(
            patterns, params.get("handleAuthRequests") is True
        )
        return self._update_enable()

    def disable(self, session: str) -> list[SendFetchCommand | EmitEvent]:
        """Disable it for a session. Requests that it held go to the next one."""
        if self._interceptions.pop(session, None) is None:
            return []
        acts: list[SendFetchCommand | EmitEvent] = []
        for number, paused in list(self._paused.items()):
            if session in paused.next:
                paused.next.remove(session)
            if paused.holder == session:
                acts += self._pass_on(number, paused)
        update = self._update_enable()
        return [*acts, update] if update else acts

    def is_enabled(self, session: str) -> bool:
        """Return whether a session has it enabled."""
        return session in self._interceptions

    def replay(self) -> list[SendFetchCommand]:
        """Return the commands for a newly attached debugger. Requests that the old one had paused
        are gone."""
        self._paused.clear()
        self._responses.clear()
        return (
            [SendFetchCommand("Fetch.enable", self._enabled_with)]
            if self._enabled_with is not None
            else []
        )

    def _update_enable(self) -> SendFetchCommand | None:
        united: Params | None = None
        if self._interceptions:
            every = [p for one in self._interceptions.values() for p in one.patterns]
            patterns = [p for n, p in enumerate(every) if p not in every[:n]]
            auth = any(one.auth for one in self._interceptions.values())
            united = {"patterns": patterns, "handleAuthRequests": auth}
        if united == self._enabled_with:
            return None
        self._enabled_with = united
        return (
            SendFetchCommand("Fetch.disable", {})
            if united is None
            else SendFetchCommand("Fetch.enable", united)
        )

    # Events of the page.

    def on_paused(self, method: str, raw: msgspec.Raw) -> list[SendFetchCommand | EmitEvent]:
        """Handle Fetch.requestPaused or Fetch.authRequired."""
        params = decode_object(raw)
        number = str(params.get("requestId", ""))
        key = str(params.get("networkId") or number)
        if method == "Fetch.authRequired":
            paused = _PausedRequest(method, raw, "Fetch.continueWithAuth", key=key)
        elif "responseStatusCode" in params or "responseErrorReason" in params:
            paused = _PausedRequest(method, raw, "Fetch.continueResponse", key=key)
        else:
            paused = _PausedRequest(method, raw, "Fetch.continueRequest", key=key)
        paused.next = [s for s in reversed(self._interceptions) if self._wants(s, paused, params)]
        if paused.answer == "Fetch.continueResponse":
            self._responses.pop(key, None)
        self._paused[number] = paused
        return self._pass_on(number, paused)

    def _wants(self, session: str, paused: _PausedRequest, params: Params) -> bool:
        one = self._interceptions[session]
        if paused.answer == "Fetch.continueWithAuth":
            return one.auth and any(_matches(p, params) for p in one.patterns)
        stage = "Response" if paused.answer == "Fetch.continueResponse" else "Request"
        if stage == "Response" and session in self._responses.get(paused.key, ()):
            return True
        return any(
            p.get("requestStage", "Request") == stage and _matches(p, params) for p in one.patterns
        )

    # Decisions of sessions.

    def on_decision(
        self, session: str, method: str, params: Params
    ) -> list[SendFetchCommand | EmitEvent] | None:
        """Handle a session's decision. Returns None if it is not its turn. If the result has no
        `SendFetchCommand`, the next session decides now."""
        number = str(params.get("requestId", ""))
        paused = self._paused.get(number)
        if paused is None or paused.holder != session:
            return None
        if not _is_plain_continue(method, params):
            del self._paused[number]
            if params.get("interceptResponse"):
                self._responses.setdefault(paused.key, set()).add(session)
            return [SendFetchCommand(method, params)]
        if params.get("interceptResponse"):
            paused.intercept = True
            self._responses.setdefault(paused.key, set()).add(session)
        return self._pass_on(number, paused)

    def _pass_on(self, number: str, paused: _PausedRequest) -> list[SendFetchCommand | EmitEvent]:
        if paused.next:
            paused.holder = paused.next.pop(0)
            return [EmitEvent(paused.holder, paused.method, paused.raw)]
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
        return [SendFetchCommand(paused.answer, answer)]


def _is_plain_continue(method: str, params: Params) -> bool:
    """Return whether a decision changes nothing, so that the next session decides."""
    if method == "Fetch.continueWithAuth":
        answer = params.get("authChallengeResponse")
        return isinstance(answer, dict) and answer.get("response") == "Default"
    return method in _CONTINUES and params.keys() <= _CONTINUES[method]


def _matches(pattern: Params, params: Params) -> bool:
    kind = pattern.get("resourceType")
    if kind and kind != params.get("resourceType"):
        return False
    url = params.get("request", {}).get("url", "")
    return _wildcard(str(pattern.get("urlPattern", "*"))).fullmatch(str(url)) is not None


@lru_cache(maxsize=512)
def _wildcard(pattern: str) -> re.Pattern[str]:
    """Compile a URL pattern: `*` is any text, `?` any character, a backslash escapes them."""
    spelt, escaped = "", False
    for letter in pattern:
        if escaped or letter not in "*?\\":
            spelt, escaped = spelt + re.escape(letter), False
        elif letter == "\\":
            escaped = True
        else:
            spelt += ".*" if letter == "*" else "."
    return re.compile(spelt, re.DOTALL)
