"""Addresses as a browser reads them, in whatever spelling: pure.

Knows: schemes, hosts, numbers that stand for addresses, and which addresses are whose. Must not
know: what is allowed. It reads as the URL standard says, since a page is loaded from where the
browser reads the address to lead, not from where it looks to lead.
"""

from __future__ import annotations

import re
import unicodedata
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from urllib.parse import unquote_to_bytes

import msgspec

from pilothouse.security.cloud_metadata_hosts import METADATA_HOSTS

__all__ = [
    "Address",
    "Machine",
    "Origin",
    "addresses_of",
    "is_loopback",
    "is_metadata",
    "is_private",
    "private_name",
    "read_host",
    "read_origin",
]

Address = IPv4Address | IPv6Address

_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443, "ftp": 21}
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:")
_FORBIDDEN = re.compile(r"[\x00-\x20#%/:<>?@\[\\\]^|\x7f]")
_ODD_DOTS = re.compile("[\u3002\uff0e\uff61]")
_IGNORED = re.compile("[\u00ad\u200b\u2060\ufeff\u200c\u200d\ufe00-\ufe0f]")

# Where clouds tell a machine its own keys. All of 169.254.0.0/16 counts: each has some there.
_METADATA = (
    IPv4Network("169.254.0.0/16"),
    IPv4Network("100.100.100.200/32"),
    IPv4Network("168.63.129.16/32"),
    IPv4Network("192.0.0.192/32"),
    IPv6Network("fd00:ec2::/32"),
    IPv6Network("fd20:ce::254/128"),
    IPv6Network("fd00:42::42/128"),
)
_SHARED = IPv4Network("100.64.0.0/10")
_SIX_TO_FOUR = IPv6Network("2002::/16")
_NAT64 = (IPv6Network("64:ff9b::/96"), IPv6Network("64:ff9b:1::/48"))
_COMPATIBLE = IPv6Network("::/96")
_PRIVATE_ENDS = ("localhost", "local", "internal", "intranet", "lan", "home.arpa", "corp", "home")


class Origin(msgspec.Struct, frozen=True):
    """Who an address talks to. `addresses` are those its host spells, in all forms they have."""

    scheme: str
    host: str = ""
    port: int = 0
    addresses: tuple[Address, ...] = ()

    @property
    def metadata(self) -> bool:
        """Whether a cloud's metadata service is meant."""
        named = any(self.host == n or self.host.endswith(f".{n}") for n in METADATA_HOSTS[:1])
        return (
            named
            or self.host in METADATA_HOSTS
            or any(is_metadata(address) for address in self.addresses)
        )

    @property
    def private(self) -> bool:
        """Whether it is not on the public network, as far as its spelling tells."""
        if self.addresses:
            return any(is_private(address) for address in self.addresses)
        return private_name(self.host)

    @property
    def shown(self) -> str:
        """For a message."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        usual = _PORTS.get(self.scheme) == self.port
        return f"{self.scheme}://{host}" + ("" if usual else f":{self.port}")


class Machine(msgspec.Struct, frozen=True):
    """What this machine is called besides `localhost` and its loopback addresses."""

    names: tuple[str, ...] = ()
    addresses: tuple[Address, ...] = ()

    def has_name(self, host: str) -> bool:
        """Whether a host name is this machine's."""
        return host == "localhost" or host.endswith(".localhost") or host in self.names

    def has_address(self, address: Address) -> bool:
        """Whether an address is this machine's: loopback, unspecified, or one of its own."""
        return is_loopback(address) or any(a in self.addresses for a in addresses_of(address))

    def has(self, origin: Origin) -> bool:
        """Whether an origin is this machine, in whatever spelling."""
        return self.has_name(origin.host) or any(map(self.has_address, origin.addresses))


def read_origin(url: str) -> Origin | None:
    """The origin of an absolute address; None if there is none to read."""
    text = url.strip("".join(map(chr, range(0x21)))).translate({9: None, 10: None, 13: None})
    match = _SCHEME.match(text.lower())
    if match is None:
        return None
    scheme, rest = match[0][:-1], text[match.end() :]
    if scheme not in _PORTS:
        # As it is spelled: Chrome reads `about:BLANK` as a page of its own, not as about:blank.
        return Origin(scheme, rest.partition("?")[0].partition("#")[0][:100])
    rest = rest.replace("\\", "/").lstrip("/")
    authority = re.split(r"[/?#]", rest, maxsplit=1)[0]
    host_and_port = authority.rpartition("@")[2]
    host, port = _split_port(host_and_port)
    read = read_host(host)
    if read is None or port is None:
        return None
    number = port or _PORTS[scheme]
    return Origin(scheme, read[0], number, read[1]) if 0 < number < 65536 else None


def _split_port(text: str) -> tuple[str, int | None]:
    """Host and port; port 0 is the usual one, None is no port."""
    match = re.fullmatch(r"(\[[^\]]*\]|[^:]*)(?::(\d*))?", text, re.DOTALL)
    if match is None or not match[1]:
        return "", None
    digits = (match[2] or "").lstrip("0")
    if len(digits) > 5:
        return match[1], None
    return match[1], int(digits or 0)


def read_host(text: str) -> tuple[str, tuple[Address, ...]] | None:
    """A host in its one spelling, with the addresses it is; None if it is none."""
    if text.startswith("["):
        return _read_v6(text)
    name = _ascii_name(text)
    if name is None:
        return None
    name = name.removesuffix(".")
    if not name or _FORBIDDEN.search(name) or ".." in name or name.startswith("."):
        return None
    last = name.rpartition(".")[2]
    if last.isdigit() or re.fullmatch(r"0x[0-9a-f]*", last):
        address = _read_v4(name.split("."))
        return (str(address), addresses_of(address)) if address is not None else None
    return name, ()


def _read_v6(text: str) -> tuple[str, tuple[Address, ...]] | None:
    if not text.endswith("]") or "%" in text:
        return None
    try:
        address = IPv6Address(text[1:-1])
    except ValueError:
        return None
    return str(address), addresses_of(address)


def _read_v4(parts: list[str]) -> IPv4Address | None:
    """Numbers as the URL standard reads them: decimal, 0x hexadecimal, 0 octal; one to four."""
    if len(parts) > 4:
        return None
    numbers = []
    for part in parts:
        number = _read_number(part)
        if number is None:
            return None
        numbers.append(number)
    if any(number > 255 for number in numbers[:-1]) or numbers[-1] >= 256 ** (5 - len(numbers)):
        return None
    value = numbers[-1]
    for place, number in enumerate(numbers[:-1]):
        value += number << (8 * (3 - place))
    return IPv4Address(value)


def _read_number(text: str) -> int | None:
    try:
        if text.startswith("0x"):
            return int(text[2:] or "0", 16)
        if len(text) > 1 and text.startswith("0"):
            return int(text, 8)
        return int(text) if text.isascii() and text.isdigit() else None
    except ValueError:
        return None


def _ascii_name(text: str) -> str | None:
    try:
        decoded = unquote_to_bytes(text).decode("utf-8")
    except (UnicodeDecodeError, UnicodeEncodeError):
        return None
    plain = unicodedata.normalize("NFKC", _ODD_DOTS.sub(".", _IGNORED.sub("", decoded))).lower()
    plain = unicodedata.normalize("NFC", _ODD_DOTS.sub(".", plain))
    try:
        return ".".join(
            label if label.isascii() else f"xn--{label.encode('punycode').decode('ascii')}"
            for label in plain.split(".")
        )
    except UnicodeError:
        return None


def addresses_of(address: Address) -> tuple[Address, ...]:
    """An address and those that are wrapped in it."""
    if isinstance(address, IPv4Address):
        return (address,)
    inner: list[Address] = [address]
    value = int(address)
    if address.ipv4_mapped is not None:
        inner.append(address.ipv4_mapped)
    elif address in _SIX_TO_FOUR:
        inner.append(IPv4Address((value >> 80) & 0xFFFFFFFF))
    elif any(address in net for net in _NAT64) or (address in _COMPATIBLE and value > 1):
        inner.append(IPv4Address(value & 0xFFFFFFFF))
    elif address.teredo is not None:
        inner.append(address.teredo[1])
    elif address.is_link_local and value & 0xFFFF0000 == 0xA9FE0000:
        inner.append(IPv4Address(value & 0xFFFFFFFF))
    return tuple(inner)


def is_metadata(address: Address) -> bool:
    """Whether clouds tell keys there."""
    return any(address.version == net.version and address in net for net in _METADATA)


def is_loopback(address: Address) -> bool:
    """Whether it is this machine."""
    return any(a.is_loopback or a.is_unspecified for a in addresses_of(address))


def is_private(address: Address) -> bool:
    """Whether it is not on the public network."""
    mapped = isinstance(address, IPv6Address) and len(addresses_of(address)) > 1
    if mapped:
        return any(is_private(inner) for inner in addresses_of(address)[1:])
    if isinstance(address, IPv4Address) and address in _SHARED:
        return True
    return not address.is_global or address.is_multicast or address.is_reserved


def private_name(host: str) -> bool:
    """Whether a name is one of this machine or of a private network, or a private address."""
    try:
        return is_private(ip_address(host))
    except ValueError:
        pass
    if "." not in host:
        return host != "*"
    return any(host == end or host.endswith(f".{end}") for end in _PRIVATE_ENDS)
