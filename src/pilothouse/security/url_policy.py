"""Where pages may go and what they may load: one classifier for all of it. Pure.

Knows: origins, addresses in every spelling, schemes, and the rules that speak of them. Must not
know: sessions, sockets or where rules are written. What it cannot read it refuses.

    fence = Fence(allow=(rule("*.example.com"),))
    classify("https://example.com.evil.net/", fence)   # Verdict(allowed=False, …)

Metadata services of clouds are refused whatever the rules say. A rule is
`[scheme://]host[:port]`: `example.com`, `*.example.com` (what is below it), `https://a.b:8443`,
`localhost:*`, `10.0.0.0/8`, `[::1]:3000`, `*`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from ipaddress import IPv4Network, IPv6Network, ip_network

import msgspec
from msgspec.structs import replace

from pilothouse.errors import PilothouseError
from pilothouse.security.ip_addresses import (
    Address,
    Machine,
    Origin,
    addresses_of,
    is_metadata,
    is_private,
    private_name,
    read_host,
    read_origin,
)

__all__ = [
    "NAVIGABLE",
    "SCHEMES",
    "Fence",
    "OriginList",
    "OriginRule",
    "Verdict",
    "classify",
    "classify_navigation",
    "judge_address",
    "rule",
]

Network = IPv4Network | IPv6Network

# What each scheme may be used for, unless a policy says otherwise. One that is not here is refused.
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
    "chrome-error": True,  # what the browser itself shows when a page cannot be had
    "chrome-extension": False,
    "chrome-search": False,
    "chrome-untrusted": False,
    "devtools": False,
    "edge": False,
    "brave": False,
    "isolated-app": False,
    "javascript": False,
    "mailto": True,  # no page: the browser opens none for it
    "tel": True,
    "view-source": False,
}
# Where a tab may be sent. Others need `policies.schemes`; of `about:` there is about:blank alone.
NAVIGABLE = frozenset({"http", "https", "about", "data", "blob"})
# Of these the address names who is talked to.
_NETWORK = frozenset({"http", "https", "ws", "wss", "ftp"})
_ABOUT = frozenset({"blank", "srcdoc"})
_SECURE = {"ws": "http", "wss": "https"}
_RULE = re.compile(
    r"(?:(?P<scheme>[a-z][a-z0-9+.-]*|\*)://)?"
    r"(?P<host>\[[0-9a-fA-F:.]+\](?:/\d{1,3})?|[0-9.]+/\d{1,2}|[^\s/:@?#\[\]\\]+)"
    r"(?::(?P<port>\*|\d{1,5}(?:-\d{1,5})?))?/?"
)
# This machine, in any spelling: connections to the unspecified address end at it, too.
_LOOPBACK: tuple[Network, ...] = (
    IPv4Network("127.0.0.0/8"),
    IPv4Network("0.0.0.0/32"),
    IPv6Network("::/127"),
    IPv6Network("::ffff:127.0.0.0/104"),
    IPv6Network("::ffff:0.0.0.0/128"),
)
_LABEL = re.compile(r"[a-z0-9_*-]{1,63}")


class OriginRule(msgspec.Struct, frozen=True):
    """One line of an allow or a deny list. `said` is how a person wrote it."""

    said: str
    scheme: str = ""
    host: str = "*"
    network: Network | None = None
    ports: tuple[int, int] = (0, 65535)

    def matches(self, origin: Origin) -> bool:
        """Whether it speaks of this origin."""
        if not self._fits(origin):
            return False
        if self.network is not None:
            return any(_inside(address, self.network) for address in origin.addresses)
        return _host_matches(self.host, origin.host)

    def denies(self, origin: Origin, machine: Machine) -> bool:
        """Whether it speaks of this origin as a line of a deny list: there a rule for this machine
        in one spelling is a rule for all of them. An allow list means what it spells."""
        if self.matches(origin):
            return True
        return self._fits(origin) and machine.has(origin) and self._means(machine)

    def _fits(self, origin: Origin) -> bool:
        """Whether scheme and port are those it speaks of."""
        scheme = _SECURE.get(origin.scheme, origin.scheme)
        if self.scheme and _SECURE.get(self.scheme, self.scheme) != scheme:
            return False
        return self.ports[0] <= origin.port <= self.ports[1]

    def _means(self, machine: Machine) -> bool:
        """Whether it names this machine. A wider network that this machine is in does not, unless
        it has loopback addresses in it."""
        if self.network is None:
            names = ("localhost", *machine.names)
            own = self.host.startswith("*.") and machine.has_name(self.host[2:])
            return own or any(_host_matches(self.host, name) for name in names)
        if any(self.network.overlaps(n) for n in _LOOPBACK if n.version == self.network.version):
            return True
        single = self.network.num_addresses == 1
        return single and machine.has_address(self.network.network_address)

    def names(self, origin: Origin) -> bool:
        """Whether it means a private origin by name, not as a part of everything."""
        if not self.matches(origin):
            return False
        return self.network is not None or private_name(self.host.removeprefix("*."))


class OriginList(msgspec.Struct, frozen=True):
    """The only origins that something is for."""

    rules: tuple[OriginRule, ...]

    def refusal(self, url: str) -> tuple[str, str] | None:
        """The origin of an address that is none of them, and those that are; else None."""
        # A blob is of the origin that made it.
        origin = read_origin(url.removeprefix("blob:"))
        # What follows data: or about: is no host, whatever it says.
        web = origin is not None and origin.scheme in ("http", "https")
        if origin is not None and web and any(one.matches(origin) for one in self.rules):
            return None
        here = origin.shown if origin else "this page"
        return here, ", ".join(one.said for one in self.rules)


class Fence(msgspec.Struct, frozen=True):
    """What one owner's pages may reach. Without an allow list everything that is not denied."""

    allow: tuple[OriginRule, ...] | None = None
    deny: tuple[OriginRule, ...] = ()
    private: bool = True
    schemes: tuple[tuple[str, bool], ...] = ()
    # Whether browsers that we did not start may be used although not all of it holds there.
    joined: bool = False
    # What this machine is called, for deny lists.
    machine: Machine = Machine()
    # Lists that must all agree: a narrower policy of one owner never widens everyone's.
    also: tuple[Fence, ...] = ()

    @property
    def walls(self) -> bool:
        """Whether more is asked for than what every page gets."""
        own = self.allow is not None or bool(self.deny) or not self.private
        return own or any(other.walls for other in self.also)

    def narrowed(self, other: Fence) -> Fence:
        """Both policies at once."""
        return replace(self, also=(*self.also, other), joined=self.joined and other.joined)

    def scheme_allowed(self, scheme: str) -> bool:
        """What is said of a scheme here."""
        said = dict(self.schemes).get(scheme, SCHEMES.get(scheme, False))
        return said and all(other.scheme_allowed(scheme) for other in self.also)

    def navigable(self, scheme: str) -> bool:
        """Whether a tab may be sent to addresses of a scheme."""
        said = dict(self.schemes).get(scheme, scheme in NAVIGABLE)
        return said and all(other.navigable(scheme) for other in self.also)


class Verdict(msgspec.Struct, frozen=True):
    """Whether an address may be reached, and which rule says so."""

    allowed: bool
    reason: str = ""
    rule: str = ""

    def __bool__(self) -> bool:
        return self.allowed


_YES = Verdict(allowed=True)


def classify(url: str, fence: Fence) -> Verdict:
    """Whether a page may go to an address or load from it."""
    origin = read_origin(url)
    if origin is None:
        return Verdict(False, "it cannot be read as an address", "unreadable")
    if not fence.scheme_allowed(origin.scheme) or (
        origin.scheme == "about" and origin.host not in _ABOUT
    ):
        return _off(origin.scheme)
    if origin.scheme == "blob":
        return _judge_blob(url, fence)
    if origin.scheme not in _NETWORK:
        return _YES
    return _judge(origin, fence)


def classify_navigation(url: str, fence: Fence) -> Verdict:
    """Whether a tab may be sent to an address: an allow list of schemes, then as `classify`."""
    origin = read_origin(url)
    if origin is not None and (
        not fence.navigable(origin.scheme) or (origin.scheme == "about" and origin.host != "blank")
    ):
        return _off(origin.scheme)
    return classify(url, fence)


def _judge_blob(url: str, fence: Fence) -> Verdict:
    """A blob is as its creator: `blob:https://a.test/…`, or `blob:null/…` without an origin."""
    inner = url.partition(":")[2]
    origin = read_origin(inner)
    if origin is None:
        opaque = inner.strip().lower().startswith("null/")
        return _YES if opaque else Verdict(False, "it cannot be read as an address", "unreadable")
    if origin.scheme not in ("http", "https") and not dict(fence.schemes).get(origin.scheme):
        return Verdict(False, f"blob:{origin.scheme}: addresses are off", "schemes.blob: deny")
    return classify(inner, fence)


def _off(scheme: str) -> Verdict:
    return Verdict(False, f"{scheme}: addresses are off", f"schemes.{scheme}: deny")


def judge_address(origin: Origin, address: Address, fence: Fence, *, own: bool = False) -> Verdict:
    """Whether a name that is allowed may be talked to at the address it turned out to have. `own`:
    the address is one of this machine's."""
    resolved = replace(origin, host=str(address), addresses=addresses_of(address))
    if any(is_metadata(a) for a in resolved.addresses):
        return _metadata(f"{origin.host} ({address})")
    for each in (fence, *fence.also):
        machine = Machine(each.machine.names, (*each.machine.addresses, address))
        for line in each.deny:
            named = line.network is not None and line.matches(resolved)
            if named or line.denies(resolved, machine if own else each.machine):
                return Verdict(False, f"{origin.host} ({address}) is denied", f"deny: {line.said}")
    if any(is_private(a) for a in resolved.addresses):
        # Who names `localhost` or `db.internal` means a private address.
        said = f"{origin.host} is at {address}, a private address"
        return _private((origin, resolved), fence, said)
    return _YES


def _judge(origin: Origin, fence: Fence) -> Verdict:
    if origin.metadata:
        return _metadata(origin.host)
    for each in (fence, *fence.also):
        for line in each.deny:
            if line.denies(origin, each.machine):
                return Verdict(False, f"{origin.host} is denied", f"deny: {line.said}")
        if each.allow is not None and not any(line.matches(origin) for line in each.allow):
            return Verdict(False, f"{origin.shown} is not on the list of allowed origins", "allow")
    if origin.private:
        return _private((origin,), fence, f"{origin.host} is in a private network")
    return _YES


def _private(origins: tuple[Origin, ...], fence: Fence, said: str) -> Verdict:
    for each in (fence, *fence.also):
        named = any(line.names(origin) for line in each.allow or () for origin in origins)
        if not each.private and not named:
            return Verdict(False, said, "private_networks: block")
    return _YES


def _metadata(host: str) -> Verdict:
    return Verdict(False, f"{host} is a cloud's metadata service", "metadata (always)")


def rule(text: str) -> OriginRule:
    """A rule as a person writes it. Raises PilothouseError that says what is wrong with it."""
    said = text.strip()
    match = _RULE.fullmatch(said)
    if match is None:
        raise _wrong(said, "[scheme://]host[:port]; no path, no user name")
    scheme, host, port = match["scheme"] or "", match["host"], match["port"]
    scheme = "" if scheme == "*" else scheme.lower()
    if scheme and scheme not in _NETWORK:
        raise _wrong(said, "http, https, ws or wss; other schemes are set under schemes")
    ports = (0, 65535)
    if port and port != "*":
        first, _, last = port.partition("-")
        ports = (int(first), int(last or first))
        if not 0 < ports[0] <= ports[1] <= 65535:
            raise _wrong(said, "ports are 1 to 65535")
    if host == "*":
        return OriginRule(said, scheme, ports=ports)
    if "/" in host or host.startswith("["):
        return OriginRule(said, scheme, "", _network(said, host), ports)
    name = _rule_host(said, host)
    read = read_host(name) if "*" not in name else None
    if read is not None and read[1]:
        return OriginRule(said, scheme, read[0], ip_network(read[0]), ports)
    return OriginRule(said, scheme, name, None, ports)


def _rule_host(said: str, host: str) -> str:
    starred = host.startswith("*.")
    read = read_host(host.removeprefix("*.").replace("*", "0star0"))
    if read is None:
        raise _wrong(said, "a host such as example.com or *.example.com")
    name = read[0].replace("0star0", "*")
    if not all(_LABEL.fullmatch(label) for label in name.split(".")) or name.startswith("*."):
        raise _wrong(said, "one * stands for a part of a name, *. in front for all below it")
    return f"*.{name}" if starred else name


def _network(said: str, host: str) -> Network:
    try:
        return ip_network(host.replace("[", "").replace("]", ""), strict=False)
    except ValueError:
        raise _wrong(said, "an address or a network such as 10.0.0.0/8") from None


def _host_matches(pattern: str, host: str) -> bool:
    if pattern == "*":
        return True
    if pattern.startswith("*."):
        # Everything below it, never the name as the end of another.
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


def _inside(address: Address, network: Network) -> bool:
    return address.version == network.version and address in network


def _wrong(said: str, hint: str) -> PilothouseError:
    return PilothouseError(f"{said!r} is no rule for origins", hint=hint)
