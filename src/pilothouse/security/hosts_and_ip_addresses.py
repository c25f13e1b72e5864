"""Parses hosts and IP addresses in every notation, as a browser does. Pure.

It follows the URL standard, because a page is loaded from where the browser thinks the URL leads,
not from where it seems to lead: `0x7f.1`, `[::ffff:127.0.0.1]` and `127.0.0.1` are the same host.

Knows: schemes, hosts, notations of addresses, and which addresses are private, loopback or a
cloud's metadata service. Must not know: what is allowed.
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
    "LocalMachine",
    "Origin",
    "embedded_addresses",
    "is_loopback",
    "is_metadata",
    "is_private",
    "is_private_host",
    "parse_host",
    "parse_origin",
]

Address = IPv4Address | IPv6Address

_DEFAULT_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443, "ftp": 21}
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:")
_FORBIDDEN = re.compile(r"[\x00-\x20#%/:<>?@\[\\\]^|\x7f]")
_ODD_DOTS = re.compile("[\u3002\uff0e\uff61]")
_IGNORED = re.compile("[\u00ad\u200b\u2060\ufeff\u200c\u200d\ufe00-\ufe0f]")

# Metadata services. All of 169.254.0.0/16, because each cloud uses some address in it.
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
_PRIVATE_SUFFIXES = (
    "localhost",
    "local",
    "internal",
    "intranet",
    "lan",
    "home.arpa",
    "corp",
    "home",
)


class Origin(msgspec.Struct, frozen=True):
    """Scheme, host and port of a URL.

    addresses: if the host is an IP address, that address and those embedded in it
    """

    scheme: str
    host: str = ""
    port: int = 0
    addresses: tuple[Address, ...] = ()

    @property
    def is_metadata(self) -> bool:
        """Tell whether it is a cloud's metadata service."""
        is_named = any(self.host == n or self.host.endswith(f".{n}") for n in METADATA_HOSTS[:1])
        return (
            is_named
            or self.host in METADATA_HOSTS
            or any(is_metadata(address) for address in self.addresses)
        )

    @property
    def is_private(self) -> bool:
        """Tell whether it is outside the public internet, as far as its name shows."""
        if self.addresses:
            return any(is_private(address) for address in self.addresses)
        return is_private_host(self.host)

    @property
    def text(self) -> str:
        """Format it for a message."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        is_default = _DEFAULT_PORTS.get(self.scheme) == self.port
        return f"{self.scheme}://{host}" + ("" if is_default else f":{self.port}")


class LocalMachine(msgspec.Struct, frozen=True):
    """Names and addresses of this machine besides `localhost` and loopback addresses."""

    names: tuple[str, ...] = ()
    addresses: tuple[Address, ...] = ()

    def has_name(self, host: str) -> bool:
        """Tell whether a host name is this machine's."""
        return host == "localhost" or host.endswith(".localhost") or host in self.names

    def has_address(self, address: Address) -> bool:
        """Tell whether an address is this machine's: loopback, unspecified, or one of its own."""
        return is_loopback(address) or any(a in self.addresses for a in embedded_addresses(address))

    def has(self, origin: Origin) -> bool:
        """Tell whether an origin is this machine, in any notation."""
        return self.has_name(origin.host) or any(map(self.has_address, origin.addresses))


def parse_origin(url: str) -> Origin | None:
    """Parse the origin of an absolute URL; None if it cannot be parsed."""
    text = url.strip("".join(map(chr, range(0x21)))).translate({9: None, 10: None, 13: None})
    match = _SCHEME.match(text.lower())
    if match is None:
        return None
    scheme, rest = match[0][:-1], text[match.end() :]
    if scheme not in _DEFAULT_PORTS:
        # Keep the case: in Chrome `about:BLANK` is not about:blank.
        return Origin(scheme, rest.partition("?")[0].partition("#")[0][:100])
    rest = rest.replace("\\", "/").lstrip("/")
    authority = re.split(r"[/?#]", rest, maxsplit=1)[0]
    host_and_port = authority.rpartition("@")[2]
    host, port = _split_port(host_and_port)
    read = parse_host(host)
    if read is None or port is None:
        return None
    number = port or _DEFAULT_PORTS[scheme]
    return Origin(scheme, read[0], number, read[1]) if 0 < number < 65536 else None


def _split_port(text: str) -> tuple[str, int | None]:
    """Split host and port. Port 0 means the default port, None an invalid one."""
    match = re.fullmatch(r"(\[[^\]]*\]|[^:]*)(?::(\d*))?", text, re.DOTALL)
    if match is None or not match[1]:
        return "", None
    digits = (match[2] or "").lstrip("0")
    if len(digits) > 5:
        return match[1], None
    return match[1], int(digits or 0)


def parse_host(text: str) -> tuple[str, tuple[Address, ...]] | None:
    """Normalize a host and return it with its addresses; None if it is invalid."""
    if text.startswith("["):
        return _parse_ipv6(text)
    name = _to_ascii(text)
    if name is None:
        return None
    name = name.removesuffix(".")
    if not name or _FORBIDDEN.search(name) or ".." in name or name.startswith("."):
        return None
    last = name.rpartition(".")[2]
    if last.isdigit() or re.fullmatch(r"0x[0-9a-f]*", last):
        address = _parse_ipv4(name.split("."))
        return (str(address), embedded_addresses(address)) if address is not None else None
    return name, ()


def _parse_ipv6(text: str) -> tuple[str, tuple[Address, ...]] | None:
    if not text.endswith("]") or "%" in text:
        return None
    try:
        address = IPv6Address(text[1:-1])
    except ValueError:
        return None
    return str(address), embedded_addresses(address)


def _parse_ipv4(parts: list[str]) -> IPv4Address | None:
    """Parse an IPv4 address as the URL standard does: 1 to 4 parts, decimal, 0x hex or 0 octal."""
    if len(parts) > 4:
        return None
    numbers = []
    for part in parts:
        number = _parse_number(part)
        if number is None:
            return None
        numbers.append(number)
    if any(number > 255 for number in numbers[:-1]) or numbers[-1] >= 256 ** (5 - len(numbers)):
        return None
    value = numbers[-1]
    for index, number in enumerate(numbers[:-1]):
        value += number << (8 * (3 - index))
    return IPv4Address(value)


def _parse_number(text: str) -> int | None:
    try:
        if text.startswith("0x"):
            return int(text[2:] or "0", 16)
        if len(text) > 1 and text.startswith("0"):
            return int(text, 8)
        return int(text) if text.isascii() and text.isdigit() else None
    except ValueError:
        return None


def _to_ascii(text: str) -> str | None:
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


def embedded_addresses(address: Address) -> tuple[Address, ...]:
    """Return an address and the IPv4 address embedded in it, if any.

    IPv4-embeds_ipv4, 6to4, NAT64, IPv4-compatible, Teredo, and link-local with 169.254/16 inside.
    """
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
    """Tell whether it is an address of a metadata service."""
    return any(address.version == net.version and address in net for net in _METADATA)


def is_loopback(address: Address) -> bool:
    """Tell whether it is a loopback or unspecified address."""
    return any(a.is_loopback or a.is_unspecified for a in embedded_addresses(address))


def is_private(address: Address) -> bool:
    """Tell whether it is outside the public internet."""
    embeds_ipv4 = isinstance(address, IPv6Address) and len(embedded_addresses(address)) > 1
    if embeds_ipv4:
        return any(is_private(inner) for inner in embedded_addresses(address)[1:])
    if isinstance(address, IPv4Address) and address in _SHARED:
        return True
    return not address.is_global or address.is_multicast or address.is_reserved


def is_private_host(host: str) -> bool:
    """Tell whether a host is a private address, or a name of this machine or a private network."""
    try:
        return is_private(ip_address(host))
    except ValueError:
        pass
    if "." not in host:
        return host != "*"
    return any(host == end or host.endswith(f".{end}") for end in _PRIVATE_SUFFIXES)
