"""Each owner's fence around its pages, on the sessions of one supervisor.

Knows: which tab has which fence, and what to stop for it. Must not know: who wrote the rules. What
is stopped here is told where it happened; what no session shows (sockets, early connections) is
kept in by the gateway (browsers/filtering_proxy/proxy.py), in browsers that we start.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from pilothouse.cdp import Command, Event, Session, SessionId
from pilothouse.cdp.message import decode_object
from pilothouse.cdp.protocol import Page
from pilothouse.errors import ToolError
from pilothouse.security.cloud_metadata_hosts import METADATA_PREFIXES
from pilothouse.security.url_policy import Fence, Verdict, classify, classify_navigation
from pilothouse.supervisor.model import Tab
from pilothouse.supervisor.model import events as ev

if TYPE_CHECKING:
    from pilothouse.supervisor.supervisor import Supervisor

__all__ = ["WAYS_OUT_OFF", "Fences", "refusal", "way_on"]

MOST_TOLD = 50

# Datagrams go by no proxy.
WAYS_OUT_OFF = ("--webrtc-ip-handling-policy=disable_non_proxied_udp",)


def refusal(url: str, verdict: Verdict) -> ToolError:
    """The error for an address that may not be gone to."""
    return ToolError(
        f"url: {url[:200]} is refused: {verdict.reason} (policy: {verdict.rule})",
        hint=way_on(verdict),
    )


class Fences:
    """The fences of one supervised browser: by cookie jar, else by owner."""

    def __init__(self, supervisor: Supervisor) -> None:
        self._supervisor = supervisor
        self._by_context: dict[str, Fence] = {}
        self._by_owner: dict[str, Fence] = {}
        self._told: dict[str, set[str]] = {}
        # Whether a client of the relay is on a tab: what a person opens there it would read.
        self.visited: Callable[[Tab], bool] = _unvisited

    def put(self, owner: str, fence: Fence, context: str = "") -> None:
        """Fence an owner's tabs, and everything in its cookie jar, in from now on."""
        self._by_owner[owner] = fence
        if context:
            self._by_context[context] = fence

    def drop(self, owner: str, context: str = "") -> None:
        """The owner has left; its jar is empty."""
        self._by_owner.pop(owner, None)
        self._by_context.pop(context, None)

    def of(self, tab: Tab | None) -> Fence:
        """What holds for a tab."""
        if tab is None:
            return _USUAL
        inner = self._by_context.get(tab.context) if tab.context else None
        return inner or self._by_owner.get(tab.owner.partition("\n")[0], _USUAL)

    def check(self, tab_id: str, url: str) -> None:
        """Raises ToolError for an address that a tab may not be sent to."""
        verdict = classify_navigation(url, self.of(self._supervisor.state.tabs.get(tab_id)))
        if not verdict:
            raise refusal(url, verdict)

    def judge(self, owner: str, target: str, url: str, *, goes: bool = True) -> Verdict:
        """Whether an owner may send a target's tab to an address, or (`goes` is False) have what is
        there loaded: by the owner's policy and by that of the tab."""
        classified = classify_navigation if goes else classify
        for fence in (
            self._by_owner.get(owner, _USUAL),
            self.of(self._supervisor.state.tab_of_target(target)),
        ):
            verdict = classified(url, fence)
            if not verdict:
                return verdict
        return verdict

    def patterns(self, tab_id: str) -> list[Mapping[str, str]]:
        """Which requests of a tab must be stopped to be judged."""
        if self.of(self._supervisor.state.tabs.get(tab_id)).walls:
            return [{"urlPattern": "*", "requestStage": "Request"}]
        return _METADATA_PATTERNS

    def refuses(self, event: Event[Any]) -> bool:
        """Judge a stopped request; True if it was refused and answered."""
        params, supervisor = event.params, self._supervisor
        tab = supervisor.state.tab_of(event.session_id)
        session = supervisor.connection.sessions.get(event.session_id)
        url = params["request"]["url"]
        verdict = classify(url, self.of(tab))
        if verdict or session is None or tab is None:
            return False
        if verdict.rule.startswith("schemes.") and self._persons(tab, verdict.rule):
            return False
        why = {"requestId": params["requestId"], "errorReason": "BlockedByClient"}
        session.send(Command("Fetch.failRequest", why))
        kind = str(params.get("resourceType", "request")).lower()
        self._tell(tab, kind, url, verdict)
        return True

    def heard(self, event: Event[Any]) -> None:
        """An answer came from this address: too late to keep the request in, not to keep its
        answer from being read. Only a name of which nobody knew where it leads comes so far."""
        address = event.params.get("response", {}).get("remoteIPAddress", "")
        if not address.startswith(_SUSPECT):
            return
        host = address.strip("[]")
        url = f"http://[{host}]/" if ":" in host else f"http://{host}/"
        tab = self._supervisor.state.tab_of(event.session_id)
        verdict = classify(url, _USUAL)
        session = self._supervisor.connection.sessions.get(tab.session) if tab else None
        if verdict or tab is None or session is None:
            return
        session.send(Command("Page.navigate", {"url": "about:blank"}))
        self._tell(tab, "page", event.params["response"].get("url", url), verdict)

    def arrived(self, event: ev.FrameNavigated | ev.FramesSeeded) -> None:
        """Judge the document that a tab shows now. Nothing stops the first request of a tab that a
        drop or a middle click opened, or of a popup in a browser that others started
        (docs/cdp/drops-that-open-tabs.md): what may not be shown is taken away again."""
        match event:
            case ev.FrameNavigated(parent=""):
                self._judge_shown(event.session, event.url)
            case ev.FramesSeeded(frames=(first, *_)) if not first.parent:
                tab = self._supervisor.state.tab_of(event.session)
                # What was there before we joined the browser is shown as it is.
                if tab is not None and tab.opener:
                    self._judge_shown(event.session, first.url)

    def look(self, session: Session) -> None:
        """Judge what a fresh tab shows that nobody opened: it may have arrived before its session
        could tell of it."""
        tab = self._supervisor.state.tab_of(session.id)
        if tab is None or tab.opener or tab.owner or not self._supervisor.options.owned:
            return

        def known(raw: msgspec.Raw) -> None:
            shown = (decode_object(raw) or {}).get("frameTree", {}).get("frame", {})
            self._judge_shown(session.id, str(shown.get("url", "")))

        session.send(Page.getFrameTree()).heard(known)

    def _judge_shown(self, session_id: SessionId, url: str) -> None:
        tab = self._supervisor.state.tab_of(session_id)
        session = self._supervisor.connection.sessions.get(session_id)
        if tab is None or tab.session != session_id or session is None or not url:
            return
        verdict = classify(url, self.of(tab))
        if verdict or (verdict.rule.startswith("schemes.") and self._shown_anyway(tab, verdict)):
            return
        session.send(Command("Page.navigate", {"url": "about:blank"}))
        self._tell(tab, "page", url, verdict)

    def _tell(self, tab: Tab, kind: str, url: str, verdict: Verdict) -> None:
        # A page may try over and over: each reason is told once to a tab.
        self._told = {key: said for key, said in self._told.items() if self._lives(key)}
        known = self._told.setdefault(tab.id, set())
        if verdict.reason in known or len(known) >= MOST_TOLD:
            return
        known.add(verdict.reason)
        said = f"blocked by policy: {kind} {url[:200]}: {verdict.reason} ({verdict.rule})"
        self._supervisor.feed(ev.Refused(self._supervisor.now(), tab.id, said))

    def _persons(self, tab: Tab, rule: str) -> bool:
        """Whether an address is a person's to open: `chrome:` and files in their own tabs, but no
        file where a client of the relay would read it."""
        if tab.owner or tab.context in self._by_context:
            return False
        return not (rule.startswith(_FILES) and self.visited(tab))

    def _shown_anyway(self, tab: Tab, verdict: Verdict) -> bool:
        """Whether a scheme is fine where it came from: an application has schemes of its own, and
        Chrome lets no page open those of a browser that others started."""
        return not self._supervisor.options.owned or self._persons(tab, verdict.rule)

    def _lives(self, tab: str) -> bool:
        return tab in self._supervisor.state.tabs


def way_on(verdict: Verdict) -> str:
    """What to do instead of what a verdict refuses."""
    if verdict.rule.startswith("metadata"):
        return "metadata services are never reached; no setting changes that"
    if verdict.rule.startswith("schemes.javascript"):
        return "run the code with evaluate"
    if verdict.rule.startswith("schemes.file"):
        return "serve the file over http; or let the user set policies.schemes.file: allow"
    if verdict.rule.startswith("schemes."):
        return "use an http or https address, or about:blank"
    if verdict.rule == "unreadable":
        return 'give an address such as "https://example.com/path"'
    return "stay within the user's policies; only the user can change them, in config.yaml"


def _unvisited(tab: Tab) -> bool:
    return False


_USUAL = Fence()
_FILES = ("schemes.file:", "schemes.filesystem:")
# How those begin that are worth a look.
_SUSPECT = ("169.254.", "100.100.100.", "168.63.129.", "192.0.0.", "[f", "f", "[::", "::")
_METADATA_PATTERNS: list[Mapping[str, str]] = [
    {"urlPattern": f"http?://{host}*", "requestStage": "Request"} for host in METADATA_PREFIXES
]
