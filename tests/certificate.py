"""A self-signed certificate out of the standard library alone, for servers in tests.

Knows: just enough DER, and ECDSA over P-256. The arithmetic takes no care of side channels and
the key lives for one test: never use this for anything that matters.
"""

from __future__ import annotations

import base64
import hashlib
import ipaddress
import secrets
from collections.abc import Iterable

__all__ = ["self_signed"]

# The curve P-256: y^2 = x^3 - 3x + b over the field of P, with the generator G of order N.
P = 2**256 - 2**224 + 2**192 + 2**96 - 1
N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
G = (
    0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
    0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
)

INTEGER, BITS, OCTETS, OID, TEXT, TIME = 0x02, 0x03, 0x04, 0x06, 0x0C, 0x18
SEQUENCE, SET = 0x30, 0x31

EC_PUBLIC_KEY = bytes.fromhex("2A8648CE3D0201")
CURVE_P256 = bytes.fromhex("2A8648CE3D030107")
ECDSA_SHA256 = bytes.fromhex("2A8648CE3D040302")
COMMON_NAME = bytes.fromhex("550403")
ALT_NAMES = bytes.fromhex("551D11")

Point = tuple[int, int] | None


def self_signed(names: Iterable[str], addresses: Iterable[str]) -> str:
    """Private key and certificate as PEM, for host names and IP addresses."""
    secret = secrets.randbelow(N - 1) + 1
    public = _multiply(secret, G)
    assert public is not None
    point = b"\4" + public[0].to_bytes(32) + public[1].to_bytes(32)
    algorithm = _der(SEQUENCE, _der(OID, ECDSA_SHA256))
    subject_key = _der(
        SEQUENCE,
        _der(SEQUENCE, _der(OID, EC_PUBLIC_KEY), _der(OID, CURVE_P256)),
        _der(BITS, b"\0" + point),
    )
    name = _der(
        SEQUENCE,
        _der(SET, _der(SEQUENCE, _der(OID, COMMON_NAME), _der(TEXT, b"pilothouse tests"))),
    )
    alternatives = [_der(0x82, host.encode()) for host in names]
    alternatives += [_der(0x87, ipaddress.ip_address(a).packed) for a in addresses]
    extension = _der(SEQUENCE, _der(OID, ALT_NAMES), _der(OCTETS, _der(SEQUENCE, *alternatives)))
    body = _der(
        SEQUENCE,
        _der(0xA0, _integer(2)),
        _integer(secrets.randbits(64)),
        algorithm,
        name,
        _der(SEQUENCE, _der(TIME, b"20200101000000Z"), _der(TIME, b"20991231000000Z")),
        name,
        subject_key,
        _der(0xA3, _der(SEQUENCE, extension)),
    )
    certificate = _der(SEQUENCE, body, algorithm, _der(BITS, b"\0" + _sign(secret, body)))
    key = _der(
        SEQUENCE,
        _integer(1),
        _der(OCTETS, secret.to_bytes(32)),
        _der(0xA0, _der(OID, CURVE_P256)),
        _der(0xA1, _der(BITS, b"\0" + point)),
    )
    return _pem("EC PRIVATE KEY", key) + _pem("CERTIFICATE", certificate)


def _sign(secret: int, message: bytes) -> bytes:
    digest = int.from_bytes(hashlib.sha256(message).digest())
    nonce = secrets.randbelow(N - 1) + 1
    point = _multiply(nonce, G)
    assert point is not None
    r = point[0] % N
    s = pow(nonce, -1, N) * (digest + r * secret) % N
    return _der(SEQUENCE, _integer(r), _integer(s))


def _multiply(scalar: int, point: Point) -> Point:
    total: Point = None
    while scalar:
        if scalar & 1:
            total = _add(total, point)
        point = _add(point, point)
        scalar >>= 1
    return total


def _add(one: Point, other: Point) -> Point:
    if one is None or other is None:
        return one or other
    (x1, y1), (x2, y2) = one, other
    if x1 == x2 and (y1 + y2) % P == 0:
        return None
    if one == other:
        slope = (3 * x1 * x1 - 3) * pow(2 * y1, -1, P)
    else:
        slope = (y2 - y1) * pow(x2 - x1, -1, P)
    x = (slope * slope - x1 - x2) % P
    return x, (slope * (x1 - x) - y1) % P


def _integer(value: int) -> bytes:
    # One byte more than needed keeps the sign bit clear; DER wants no other leading zero.
    return _der(INTEGER, value.to_bytes(value.bit_length() // 8 + 1))


def _der(tag: int, *parts: bytes) -> bytes:
    body = b"".join(parts)
    size = len(body)
    if size < 0x80:
        return bytes([tag, size]) + body
    length = size.to_bytes((size.bit_length() + 7) // 8)
    return bytes([tag, 0x80 | len(length)]) + length + body


def _pem(label: str, der: bytes) -> str:
    body = base64.encodebytes(der).decode()
    return f"-----BEGIN {label}-----\n{body}-----END {label}-----\n"
