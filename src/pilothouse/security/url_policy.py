"""Decides where pages may go and what they may load: one classifier for all URLs. Pure.

    policy = UrlPolicy(allow=(parse_rule("*.example.com"),))
    classify("https://example.com.evil.net/", policy)   # Verdict(allowed=False, ...)

Metadata services of clouds are refused whatever the rules say. URLs that cannot be parsed are
refused. A rule is `[scheme://]host[:port]`: `example.com`, `*.example.com` (subdomains),
`https://a.b:8443`, `localhost:*`, `10.0.0.0/8`, `[::1]:3000`, `*`.

Knows: origins, addresses in every notation, schemes and rules. Must not know: sessions, sockets or
the settings file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from ipaddress import IPv4Network, IPv6Network, ip_network

import msgspec
from msgspec.structs import replace

from pilothouse.errors import PilothouseError
from pilothouse.security.hosts_and_ip_addresses import (
    Address,
    LocalMachine,
    Origin,
    embedded_addresses,
    is_metadata,
    is_private,
    is_private_host,
    parse_host,
    parse_origin,
)

__all__ = [
    "NAVIGABLE",
    "SCHEMES",
    "OriginList",
    "OriginRule",
    "OwnPorts",
    "UrlPolicy",
    "Verdict",
    "classify",
    "classify_address",
    "classify_navigation",
    "parse_rule",
]

Network = IPv4Network | IPv6Network

# Whether pages may load from a scheme, unless a policy says otherwise. Others are refused.
SCHEMES: Mapping[str, bool] = {
    "http": True,
    "https": True,
    "ws": True,
    "wss": True,
    "about": True,
    "blob": True,
    "data": True,
    "file": False,
    "filesystem": False,
    "ftp": False,
    "chrome": False,
    "chrome-error": True,  # the browser's own error page
    "chrome-extension": False,
    "chrome-search": False,
    "chrome-untrusted": False,
    "devtools": False,
    "edge": False,
    "brave": False,
    "isolated-app": False,
    "javascript": False,
    "mailto": True,  # opens no page
    "tel": True,
    "view-source": False,
}
# Schemes that a tab may navigate to. Others need `policies.schemes`; of `about:` only about:blank.
NAVIGABLE = frozenset({"http", "https", "about", "data", "blob"})
# Schemes whose URLs name a host.
_NETWORK_SCHEMES = frozenset({"http", "https", "ws", "wss", "ftp"})
_ABOUT = frozenset({"blank", "srcdoc"})
_HTTP_SCHEME = {"ws": "http", "wss": "https"}
_RULE = re.compile(
    r"(?:(?P<scheme>[a-z][a-z0-9+.-]*|\*)://)?"
    r"(?P<host>\[[0-9a-fA-F:.]+\](?:/\d{1,3})?|[0-9.]+/\d{1,2}|[^\s/:@?#\[\]\\]+)"
    r"(?::(?P<port>\*|\d{1,5}(?:-\d{1,5})?))?/?"
)
# This machine in every notation. Connections to the unspecified address reach it, too.
_LOOPBACK: tuple[Network, ...] = (
    IPv4Network("127.0.0.0/8"),
    IPv4Network("0.0.0.0/32"),
    IPv6Network("::/127"),
    IPv6Network("::ffff:127.0.0.0/104"),
    IPv6Network("::ffff:0.0.0.0/128"),
)
_LABEL = re.compile(r"[a-z0-9_*-]{1,63}")


class OriginRule(msgspec.Struct, frozen=True):
    """One entry of an allow or deny list. `text` is how the user wrote it."""

    text: str
    scheme: str = ""
    host: str = "*"
    network: Network | None = None
    ports: tuple[int, int] = (0, 65535)

    def matches(self, origin: Origin) -> bool:
        """Tell whether the rule covers an origin."""
        if not self._matches_scheme_and_port(origin):
            return False
        if self.network is not None:
            return any(_contains(address, self.network) for address in origin.addresses)
        return _host_matches(self.host, origin.host)

    def denies(self, origin: Origin, machine: LocalMachine) -> bool:
        """Tell whether the rule covers an origin as an entry of a deny list.

        There a rule for this machine in one notation covers all its names and addresses. In an
        allow list a rule covers only what it spells out.
        """
        if self.matches(origin):
            return True
        return (
            self._matches_scheme_and_port(origin)
            and machine.has(origin)
            and self._names_machine(machine)
        )

    def _matches_scheme_and_port(self, origin: Origin) -> bool:
        """Tell whether scheme and port match."""
        scheme = _HTTP_SCHEME.get(origin.scheme, origin.scheme)
        if self.scheme and _HTTP_SCHEME.get(self.scheme, self.scheme) != scheme:
            return False
        return self.ports[0] <= origin.port <= self.ports[1]

    def _names_machine(self, machine: LocalMachine) -> bool:
        """Tell whether the rule names this machine.

        A wider network that contains this machine does not name it, unless it contains loopback
        addresses.
        """
        if self.network is None:
            names = ("localhost", *machine.names)
            own = self.host.startswith("*.") and machine.has_name(self.host[2:])
            return own or any(_host_matches(self.host, name) for name in names)
        if any(self.network.overlaps(n) for n in _LOOPBACK if n.version == self.network.version):
            return True
        single = self.network.num_addresses == 1
        return single and machine.has_address(self.network.network_address)

    def names(self, origin: Origin) -> bool:
        """Tell whether the rule names a private origin explicitly, not only by a wildcard."""
        if not self.matches(origin):
            return False
        return self.network is not None or is_private_host(self.host.removeprefix("*."))


class OriginList(msgspec.Struct, frozen=True):
    """A list of allowed origins, for example of a secret."""

    rules: tuple[OriginRule, ...]

    def refusal(self, url: str) -> tuple[str, str] | None:
        """Return (origin of the URL, allowed origins) if it is not allowed; None if it is."""
        # A blob has the origin of the page that created it.
        origin = parse_origin(url.removeprefix("blob:"))
        # In data: and about: URLs, what looks like a host is none.
        web = origin is not None and origin.scheme in ("http", "https")
        if origin is not None and web and any(one.matches(origin) for one in self.rules):
            return None
        here = origin.text if origin else "this page"
        return here, ", ".join(one.text for one in self.rules)


class OwnPorts:
    """The ports of this machine on which Pilothouse shows pages to people, and to no agent.

    The one thing in a policy that changes: a port opens and closes while pages are open."""

    def __init__(self) -> None:
        self.ports: set[int] = set()

    def covers(self, origin: Origin) -> bool:
        """Return whether an origin is one of these ports, in any notation."""
        return origin.port in self.ports and LocalMachine().has(origin)

    @property
    def patterns(self) -> list[Mapping[str, str]]:
        """The requests to pause and check, for `Fetch.enable`."""
        return [
            {"urlPattern": f"http*://*:{port}/*", "requestStage": "Request"} for port in self.ports
        ]


class UrlPolicy(msgspec.Struct, frozen=True):
    """What the pages of one owner may reach. Without an allow list: everything not denied."""

    allow: tuple[OriginRule, ...] | None = None
    deny: tuple[OriginRule, ...] = ()
    private: bool = True
    schemes: tuple[tuple[str, bool], ...] = ()
    # Whether browsers that we did not launch may be used, although the policy cannot be enforced
    # completely there.
    joined: bool = False
    # Names of this machine, for deny lists.
    machine: LocalMachine = LocalMachine()
    # None for tabs that no agent uses.
    own_ports: OwnPorts | None = None
    # Further policies that must all allow a URL: one owner's policy never widens everyone's.
    also: tuple[UrlPolicy, ...] = ()

    @property
    def is_restrictive(self) -> bool:
        """Tell whether it restricts more than the default policy does."""
        own = self.allow is not None or bool(self.deny) or not self.private
        return own or any(other.is_restrictive for other in self.also)

    def combine(self, other: UrlPolicy) -> UrlPolicy:
        """Return a policy that allows only what both allow."""
        return replace(self, also=(*self.also, other), joined=self.joined and other.joined)

    def allows_scheme(self, scheme: str) -> bool:
        """Tell whether pages may load from a scheme."""
        said = dict(self.schemes).get(scheme, SCHEMES.get(scheme, False))
        return said and all(other.allows_scheme(scheme) for other in self.also)

    def allows_navigation(self, scheme: str) -> bool:
        """Tell whether a tab may navigate to a scheme."""
        said = dict(self.schemes).get(scheme, scheme in NAVIGABLE)
        return said and all(other.allows_navigation(scheme) for other in self.also)


class Verdict(msgspec.Struct, frozen=True):
    """Whether a URL may be reached, and which rule decided it."""

    allowed: bool
    reason: str = ""
    rule: str = ""

    def __bool__(self) -> bool:
        return self.allowed


_ALLOWED = Verdict(allowed=True)


def classify(url: str, policy: UrlPolicy) -> Verdict:
    """Decide whether a page may load a URL."""
    origin = parse_origin(url)
    if origin is None:
        return Verdict(False, "it is not a valid URL", "unreadable")
    if not policy.allows_scheme(origin.scheme) or (
        origin.scheme == "about" and origin.host not in _ABOUT
    ):
        return _refuse_scheme(origin.scheme)
    if origin.scheme == "blob":
        return _judge_blob(url, policy)
    if origin.scheme not in _NETWORK_SCHEMES:
        return _ALLOWED
    return _judge_origin(origin, policy)


def classify_navigation(url: str, policy: UrlPolicy) -> Verdict:
    """Decide whether a tab may navigate to a URL: by its scheme, then as `classify` does."""
    origin = parse_origin(url)
    if origin is not None and (
        not policy.allows_navigation(origin.scheme)
        or (origin.scheme == "about" and origin.host != "blank")
    ):
        return _refuse_scheme(origin.scheme)
    return classify(url, policy)


def _judge_blob(url: str, policy: UrlPolicy) -> Verdict:
    """Judge a blob by its creator: `blob:https://a.test/…`, or `blob:null/…` without origin."""
    inner = url.partition(":")[2]
    origin = parse_origin(inner)
    if origin is None:
        opaque = inner.strip().lower().startswith("null/")
        return _ALLOWED if opaque else Verdict(False, "it is not a valid URL", "unreadable")
    if origin.scheme not in ("http", "https") and not dict(policy.schemes).get(origin.scheme):
        return Verdict(False, f"blob:{origin.scheme}: URLs are not allowed", "schemes.blob: deny")
    return classify(inner, policy)


def _refuse_scheme(scheme: str) -> Verdict:
    return Verdict(False, f"{scheme}: URLs are not allowed", f"schemes.{scheme}: deny")


def classify_address(
    origin: Origin, address: Address, policy: UrlPolicy, *, own: bool = False
) -> Verdict:
    """Decide whether an allowed host may be reached at the IP address that it resolved to.

    own: the address is one of this machine's
    """
    resolved = replace(origin, host=str(address), addresses=embedded_addresses(address))
    if any(is_metadata(a) for a in resolved.addresses):
        return _refuse_metadata(f"{origin.host} ({address})")
    if policy.own_ports is not None and policy.own_ports.covers(resolved):
        return _refuse_own_port()
    for each in (policy, *policy.also):
        machine = LocalMachine(each.machine.names, (*each.machine.addresses, address))
        for line in each.deny:
            named = line.network is not None and line.matches(resolved)
            if named or line.denies(resolved, machine if own else each.machine):
                return Verdict(False, f"{origin.host} ({address}) is denied", f"deny: {line.text}")
    if any(is_private(a) for a in resolved.addresses):
        # A rule that names `localhost` or `db.internal` allows its private address.
        said = f"{origin.host} is at {address}, a private address"
        return _judge_private((origin, resolved), policy, said)
    return _ALLOWED


def _judge_origin(origin: Origin, policy: UrlPolicy) -> Verdict:
    if origin.is_metadata:
        return _refuse_metadata(origin.host)
    if policy.own_ports is not None and policy.own_ports.covers(origin):
        return _refuse_own_port()
    for each in (policy, *policy.also):
        for line in each.deny:
            if line.denies(origin, each.machine):
                return Verdict(False, f"{origin.host} is denied", f"deny: {line.text}")
        if each.allow is not None and not any(line.matches(origin) for line in each.allow):
            return Verdict(False, f"{origin.text} is not on the list of allowed origins", "allow")
    if origin.is_private:
        return _judge_private((origin,), policy, f"{origin.host} is in a private network")
    return _ALLOWED


def _judge_private(origins: tuple[Origin, ...], policy: UrlPolicy, said: str) -> Verdict:
    for each in (policy, *policy.also):
        named = any(line.names(origin) for line in each.allow or () for origin in origins)
        if not each.private and not named:
            return Verdict(False, said, "private_networks: block")
    return _ALLOWED


def _refuse_metadata(host: str) -> Verdict:
    return Verdict(False, f"{host} is a cloud's metadata service", "metadata (always)")


def _refuse_own_port() -> Verdict:
    return Verdict(False, "Pilothouse shows people its dashboard there", "dashboard (always)")


def parse_rule(text: str) -> OriginRule:
    """Parse a rule as the user wrote it. Raises PilothouseError with what is wrong in it."""
    said = text.strip()
    match = _RULE.fullmatch(said)
    if match is None:
        raise _invalid_rule(said, "use [scheme://]host[:port], without path or user name")
    scheme, host, port = match["scheme"] or "", match["host"], match["port"]
    scheme = "" if scheme == "*" else scheme.lower()
    if scheme and scheme not in _NETWORK_SCHEMES:
        raise _invalid_rule(said, "use http, https, ws or wss; set other schemes under schemes")
    ports = (0, 65535)
    if port and port != "*":
        first, _, last = port.partition("-")
        ports = (int(first), int(last or first))
        if not 0 < ports[0] <= ports[1] <= 65535:
            raise _invalid_rule(said, "use ports from 1 to 65535")
    if host == "*":
        return OriginRule(said, scheme, ports=ports)
    if "/" in host or host.startswith("["):
        return OriginRule(said, scheme, "", _parse_network(said, host), ports)
    name = _rule_host(said, host)
    read = parse_host(name) if "*" not in name else None
    if read is not None and read[1]:
        return OriginRule(said, scheme, read[0], ip_network(read[0]), ports)
    return OriginRule(said, scheme, name, None, ports)


def _rule_host(said: str, host: str) -> str:
    starred = host.startswith("*.")
    read = parse_host(host.removeprefix("*.").replace("*", "0star0"))
    if read is None:
        raise _invalid_rule(said, "use a host such as example.com or *.example.com")
    name = read[0].replace("0star0", "*")
    if not all(_LABEL.fullmatch(label) for label in name.split(".")) or name.startswith("*."):
        raise _invalid_rule(
            said, "use * for one label of the name, or *. in front for all subdomains"
        )
    return f"*.{name}" if starred else name


def _parse_network(said: str, host: str) -> Network:
    try:
        return ip_network(host.replace("[", "").replace("]", ""), strict=False)
    except ValueError:
        raise _invalid_rule(said, "use an address or a network such as 10.0.0.0/8") from None


def _host_matches(pattern: str, host: str) -> bool:
    if pattern == "*":
        return True
    if pattern.startswith("*."):
        # Subdomains only: `*.a.com` matches neither `a.com` nor `ba.com`.
        return _labels_match(pattern[2:], host, below=True)
    return _labels_match(pattern, host, below=False)


def _labels_match(pattern: str, host: str, *, below: bool) -> bool:
    wanted, labels = pattern.split("."), host.split(".")
    if len(labels) <= len(wanted) if below else len(labels) != len(wanted):
        return False
    pairs = zip(reversed(wanted), reversed(labels), strict=False)
    return all(_label_matches(glob, label) for glob, label in pairs)


def _label_matches(glob: str, label: str) -> bool:
    if "*" not in glob:
        return glob == label
    return re.fullmatch(".*".join(map(re.escape, glob.split("*"))), label) is not None


def _contains(address: Address, network: Network) -> bool:
    return address.version == network.version and address in network


def _invalid_rule(said: str, hint: str) -> PilothouseError:
    return PilothouseError(f"{said!r} is not a valid origin rule", hint=hint)
