"""`UrlPolicyEnforcer`: applies each owner's URL policy to the sessions of one supervisor.

It blocks requests and navigations, and reports them to the tab. What CDP does not show (sockets,
early connections) the filtering proxy blocks (browsers/filtering_proxy/proxy.py), in browsers that
we launch.

Knows: which tab has which policy. Must not know: where the rules come from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from pilothouse.cdp import Command, Event, Session, SessionId
from pilothouse.cdp.message import decode_object
from pilothouse.cdp.protocol import Page
from pilothouse.errors import NotPermitted, ToolError
from pilothouse.security.cloud_metadata_hosts import METADATA_PREFIXES
from pilothouse.security.url_policy import UrlPolicy, Verdict, classify, classify_navigation
from pilothouse.supervisor.model import Tab
from pilothouse.supervisor.model import events as ev

if TYPE_CHECKING:
    from pilothouse.supervisor.supervisor import Supervisor

__all__ = ["NO_DIRECT_UDP_FLAGS", "UrlPolicyEnforcer", "blocked_url_error", "hint_for_verdict"]

MAX_REPORTS_PER_TAB = 50

# UDP bypasses the filtering proxy, so WebRTC must not use it.
NO_DIRECT_UDP_FLAGS = ("--webrtc-ip-handling-policy=disable_non_proxied_udp",)


def blocked_url_error(url: str, verdict: Verdict) -> ToolError:
    """Build the error for a URL that the policy blocks."""
    return NotPermitted(
        f"url: {url[:200]} is refused: {verdict.reason} (policy: {verdict.rule})",
        hint=hint_for_verdict(verdict),
    )


class UrlPolicyEnforcer:
    """Applies the URL policies of one browser: by browser context, else by owner."""

    def __init__(self, supervisor: Supervisor) -> None:
        self._supervisor = supervisor
        self._by_context: dict[str, UrlPolicy] = {}
        self._by_owner: dict[str, UrlPolicy] = {}
        self._reported: dict[str, set[str]] = {}
        # Whether a relay client is attached to a tab: it could read what the user opens there.
        self.is_used_by_relay: Callable[[Tab], bool] = _not_used

    def set_policy(self, owner: str, policy: UrlPolicy, context: str = "") -> None:
        """Set the policy for an owner's tabs, and for everything in its browser context."""
        self._by_owner[owner] = policy
        if context:
            self._by_context[context] = policy

    def remove_policy(self, owner: str, context: str = "") -> None:
        """Remove the policy of an owner that has left."""
        self._by_owner.pop(owner, None)
        self._by_context.pop(context, None)

    def policy_for(self, tab: Tab | None) -> UrlPolicy:
        """Return the policy that applies to a tab."""
        if tab is None:
            return _DEFAULT
        inner = self._by_context.get(tab.context) if tab.context else None
        found = inner or self._by_owner.get(tab.owner)
        if found is None and self.is_used_by_relay(tab):
            # A tab of the user's own that a program can read: not while it shows the dashboard.
            return UrlPolicy(own_ports=self._supervisor.options.own_ports)
        return found or _DEFAULT

    def check_navigation(self, tab_id: str, url: str) -> None:
        """Raise ToolError for a URL that a tab may not navigate to."""
        verdict = classify_navigation(url, self.policy_for(self._supervisor.state.tabs.get(tab_id)))
        if not verdict:
            raise blocked_url_error(url, verdict)

    def classify_for_owner(
        self, owner: str, target: str, url: str, *, is_navigation: bool = True
    ) -> Verdict:
        """Whether an owner may send a target's tab to an address, or (`is_navigation` is False)
        have what is there loaded: by the owner's policy and by that of the tab."""
        classified = classify_navigation if is_navigation else classify
        for policy in (
            self._by_owner.get(owner, _DEFAULT),
            self.policy_for(self._supervisor.state.tab_of_target(target)),
        ):
            verdict = classified(url, policy)
            if not verdict:
                return verdict
        return verdict

    def intercept_patterns(self, tab_id: str) -> list[Mapping[str, str]]:
        """Return the patterns of requests that must be paused and checked in a tab."""
        if self.policy_for(self._supervisor.state.tabs.get(tab_id)).is_restrictive:
            return [{"urlPattern": "*", "requestStage": "Request"}]
        return [*_METADATA_PATTERNS, *self._supervisor.options.own_ports.patterns]

    def block_request(self, event: Event[Any]) -> bool:
        """Check a paused request; fail it and return True if the policy blocks it."""
        params, supervisor = event.params, self._supervisor
        tab = supervisor.state.tab_of(event.session_id)
        session = supervisor.connection.sessions.get(event.session_id)
        url = params["request"]["url"]
        verdict = classify(url, self.policy_for(tab))
        if verdict or session is None or tab is None:
            return False
        if verdict.rule.startswith("schemes.") and self._is_users_own(tab, verdict.rule):
            return False
        why = {"requestId": params["requestId"], "errorReason": "BlockedByClient"}
        session.send(Command("Fetch.failRequest", why))
        kind = str(params.get("resourceType", "request")).lower()
        self._report(tab, kind, url, verdict)
        return True

    def check_response(self, event: Event[Any]) -> None:
        """Check the IP address that a response came from. Too late to block the request, but in
        time to keep the response from being read. This catches host names that resolve to a
        metadata service."""
        address = event.params.get("response", {}).get("remoteIPAddress", "")
        if not address.startswith(_METADATA_ADDRESS_PREFIXES):
            return
        host = address.strip("[]")
        url = f"http://[{host}]/" if ":" in host else f"http://{host}/"
        tab = self._supervisor.state.tab_of(event.session_id)
        verdict = classify(url, _DEFAULT)
        session = self._supervisor.connection.sessions.get(tab.session) if tab else None
        if verdict or tab is None or session is None:
            return
        session.send(Command("Page.navigate", {"url": "about:blank"}))
        self._report(tab, "page", event.params["response"].get("url", url), verdict)

    def check_document(self, event: ev.FrameNavigated | ev.FrameTreeLoaded) -> None:
        """Check the document that a tab shows; navigate away if the policy blocks it. CDP cannot
        pause the first request of a tab opened by a drop or a middle click, or of a popup in a
        browser that we did not launch (docs/cdp/drops-that-open-tabs.md)."""
        match event:
            case ev.FrameNavigated(parent=""):
                self._check_shown(event.session, event.url)
            case ev.FrameTreeLoaded(frames=(first, *_)) if not first.parent:
                tab = self._supervisor.state.tab_of(event.session)
                # Leave documents alone that were open before we connected.
                if tab is not None and tab.opener:
                    self._check_shown(event.session, first.url)

    def check_first_document(self, session: Session) -> None:
        """Check the document of a new tab without opener: it may have loaded before its session was
        set up."""
        tab = self._supervisor.state.tab_of(session.id)
        if tab is None or tab.opener or tab.owner or not self._supervisor.options.owned:
            return

        def known(raw: msgspec.Raw) -> None:
            shown = (decode_object(raw) or {}).get("frameTree", {}).get("frame", {})
            self._check_shown(session.id, str(shown.get("url", "")))

        session.send(Page.getFrameTree()).on_result(known)

    def _check_shown(self, session_id: SessionId, url: str) -> None:
        tab = self._supervisor.state.tab_of(session_id)
        session = self._supervisor.connection.sessions.get(session_id)
        if tab is None or tab.session != session_id or session is None or not url:
            return
        verdict = classify(url, self.policy_for(tab))
        if verdict or (
            verdict.rule.startswith("schemes.") and self._is_allowed_scheme(tab, verdict)
        ):
            return
        session.send(Command("Page.navigate", {"url": "about:blank"}))
        self._report(tab, "page", url, verdict)

    def _report(self, tab: Tab, kind: str, url: str, verdict: Verdict) -> None:
        # A page may retry endlessly: report each reason once per tab.
        self._reported = {key: said for key, said in self._reported.items() if self._is_open(key)}
        known = self._reported.setdefault(tab.id, set())
        if verdict.reason in known or len(known) >= MAX_REPORTS_PER_TAB:
            return
        known.add(verdict.reason)
        said = f"blocked by policy: {kind} {url[:200]}: {verdict.reason} ({verdict.rule})"
        self._supervisor.feed(ev.BlockedByPolicy(self._supervisor.now(), tab.id, said))

    def _is_users_own(self, tab: Tab, rule: str) -> bool:
        """Return whether the user may open this scheme: `chrome:` and files in the user's own tabs,
        but no file where a relay client could read it."""
        if tab.owner or tab.context in self._by_context:
            return False
        return not (rule.startswith(_FILE_RULES) and self.is_used_by_relay(tab))

    def _is_allowed_scheme(self, tab: Tab, verdict: Verdict) -> bool:
        """Return whether to leave a document with this scheme alone. Applications have schemes of
        their own, and in a browser that we did not launch Chrome keeps pages from opening such
        URLs."""
        return not self._supervisor.options.owned or self._is_users_own(tab, verdict.rule)

    def _is_open(self, tab: str) -> bool:
        return tab in self._supervisor.state.tabs


def hint_for_verdict(verdict: Verdict) -> str:
    """Return a hint: what to do instead of what the verdict blocks."""
    if verdict.rule.startswith("metadata"):
        return "metadata services are never reached; no setting changes that"
    if verdict.rule.startswith("schemes.javascript"):
        return "run the code with evaluate"
    if verdict.rule.startswith("schemes.file"):
        return "serve the file over http; or let the user set policies.schemes.file: allow"
    if verdict.rule.startswith("schemes."):
        return "use an http or https address, or about:blank"
    if verdict.rule.startswith("dashboard"):
        return "leave the dashboard to the user: no agent may see or use it"
    if verdict.rule == "unreadable":
        return 'give an address such as "https://example.com/path"'
    return "stay within the user's policies; only the user can change them, in config.yaml"


def _not_used(tab: Tab) -> bool:
    return False


_DEFAULT = UrlPolicy()
_FILE_RULES = ("schemes.file:", "schemes.filesystem:")
# Addresses with other prefixes cannot belong to a metadata service.
_METADATA_ADDRESS_PREFIXES = (
    "169.254.",
    "100.100.100.",
    "168.63.129.",
    "192.0.0.",
    "[f",
    "f",
    "[::",
    "::",
)
_METADATA_PATTERNS: list[Mapping[str, str]] = [
    {"urlPattern": f"http?://{host}*", "requestStage": "Request"} for host in METADATA_PREFIXES
]
