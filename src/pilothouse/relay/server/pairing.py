"""How an extension proves that it is the one that was paired, and the relay that it is the relay.

    relay      {"method": "challenge", "params": {"nonce": N1, "version": 2}}
    extension  {"method": "hello", "params": {"wire": 2, "port": P, "nonce": N2, "install", "proof",
                                              "version", "product", "profile", "settings", ...}}
               proof = hex HMAC-SHA256(secret, "extension P N1 N2")
    relay      {"method": "welcome", "params": {"proof": hex HMAC-SHA256(secret, "relay P N2 N1"),
                                                "relay": id, "heartbeat": ms between pings}}

P is the port that the extension dialled, and the port that the relay listens on. A process that
listens on one port and passes everything on to a relay on another port cannot make the two proofs
agree: it knows no secret.

An extension that came without a secret says `codeProof` instead of `proof`, with a key made of the
one-time code that a person typed into it; its welcome is proven with that key too, and carries the
new `secret`. Keys are the UTF-8 bytes of the text; a code is typed in any case, with or without
dashes, and used in capitals without them. A code is short: its key is stretched by PBKDF2 with both
nonces as salt, so that nobody who heard a proof finds the code while it is good.

Knows: nonces, proofs, codes. Must not know: files, sockets, clocks: the time is told. Nothing that
arrives makes it raise, and what it says never holds a secret.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pilothouse.relay.interfaces import HEARTBEAT_S, Hello
from pilothouse.relay.server.client_options import one_line

__all__ = [
    "HandshakeFailure",
    "PairingChallenge",
    "PairingCodes",
    "Welcome",
    "compute_proof",
    "derive_code_key",
    "is_install",
    "new_secret",
]

WIRE_VERSION = 2

# Close codes of /extension.
NOT_PAIRED, NO_HELLO, OTHER_VERSION, OTHER_PORT = 4003, 4008, 4010, 4011
_OTHER_VERSION = "another version: run pilothouse extension install, reload the extension"

CODE_LENGTH = 8
CODE_LIVES_S = 120.0
CODE_TRIES = 5
# No two of these look alike, whatever the font.
CODE_LETTERS = "ABCDEFGHJKMNPQRTUWXY3479"

# How often PBKDF2 goes round for a code: a proof costs some 50 ms, all codes 100 CPU years.
CODE_ROUNDS = 100_000

_INSTALL = re.compile(r"[A-Za-z0-9_-]{8,64}")
_NONCE = re.compile(r"[A-Za-z0-9_-]{16,128}")
_LONGEST_FIELD = 400


def new_secret() -> str:
    """A secret, or a nonce: 32 random bytes."""
    return secrets.token_urlsafe(32)


def compute_proof(key: str, who: str, port: int, first: str, second: str) -> str:
    """What only one who knows the key can say, as `who`, at this port, after these two nonces."""
    said = f"{who} {port} {first} {second}".encode()
    return hmac.new(key.encode(), said, hashlib.sha256).hexdigest()


def derive_code_key(code: str, first: str, second: str) -> str:
    """Stretch a code into a key for one greeting. `first` is the relay's nonce."""
    salt = f"{first} {second}".encode()
    return hashlib.pbkdf2_hmac("sha256", code.encode(), salt, CODE_ROUNDS).hex()


def is_install(text: str) -> bool:
    """Whether this names an install."""
    return _INSTALL.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class Welcome:
    """It has proven who it is: what to answer, what it says of itself, and what to keep if it was
    paired just now."""

    message: bytes = field(repr=False)
    hello: Hello
    new_secret: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class HandshakeFailure:
    """It has not: the close code and why."""

    code: int
    reason: str


class PairingCodes:
    """The one code that may be typed at a time."""

    def __init__(self) -> None:
        self._code = ""
        self._until = 0.0
        self._tries = 0

    def create(self, now: float) -> str:
        """A new code; an older one is void."""
        self._code = "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))
        self._until = now + CODE_LIVES_S
        self._tries = CODE_TRIES
        return self._code

    def verify(self, proof: str, port: int, nonces: tuple[str, str], now: float) -> str:
        """The key of the code, which is void now, if this proves it; else "", and one try less is
        left."""
        if not self._code or now >= self._until:
            self._code = ""
            return ""
        key = derive_code_key(self._code, *nonces)
        wanted = compute_proof(key, "extension", port, *nonces)
        self._tries -= 1
        if hmac.compare_digest(proof.encode(), wanted.encode()):
            self._code = ""
            return key
        if not self._tries:
            self._code = ""
        return ""

    def describe_failure(self) -> str:
        """Why the code that was just tried is not taken, for the person who typed it."""
        if self._code:
            left = f"{self._tries} {'try is' if self._tries == 1 else 'tries are'} left"
            return f"Wrong code; {left}."
        return "No code is good now: run pilothouse extension pair for a new one."


class PairingChallenge:
    """One challenge, and what is made of the answer. `port` is where the relay listens, `relay` its
    id, by which an extension knows whether it is the one from before."""

    def __init__(self, port: int, relay: str = "") -> None:
        self._port = port
        self._relay = relay
        self._nonce = new_secret()

    def encode_challenge(self) -> bytes:
        """What is said first."""
        return _encode("challenge", {"nonce": self._nonce, "version": WIRE_VERSION})

    def verify_hello(
        self,
        message: bytes,
        secret_of: Callable[[str], str | None],
        codes: PairingCodes,
        now: float,
    ) -> Welcome | HandshakeFailure:
        """Judge the first message of an extension."""
        try:
            message = json.loads(message)
        except (ValueError, RecursionError):
            return HandshakeFailure(NOT_PAIRED, "a hello is wanted first")
        params = message.get("params") if isinstance(message, dict) else None
        if not isinstance(params, dict) or message.get("method") != "hello":
            return HandshakeFailure(NOT_PAIRED, "a hello is wanted first")
        if params.get("wire") != WIRE_VERSION:
            return HandshakeFailure(OTHER_VERSION, _OTHER_VERSION)
        install, nonce = _text(params, "install"), _text(params, "nonce")
        if not is_install(install) or not _NONCE.fullmatch(nonce):
            return HandshakeFailure(NOT_PAIRED, "the hello names no install, or has no nonce")
        # Only words for an honest mistake: what binds the port is the proof.
        dialled = params.get("port")
        if dialled != self._port:
            told = dialled if isinstance(dialled, int) else "no port"
            return HandshakeFailure(
                OTHER_PORT, f"the extension dialled {told}, the relay is at {self._port}"
            )
        fresh = new_secret() if "codeProof" in params else ""
        key = self._key(params, install, (self._nonce, nonce), secret_of, codes, now)
        if not key and fresh:
            return HandshakeFailure(NOT_PAIRED, codes.describe_failure())
        if not key:
            return HandshakeFailure(
                NOT_PAIRED, "this extension is not paired: pilothouse extension pair"
            )
        said: dict[str, Any] = {
            "proof": compute_proof(key, "relay", self._port, nonce, self._nonce),
            "relay": self._relay,
            "heartbeat": round(HEARTBEAT_S * 1000),
        }
        if fresh:
            said |= {"secret": fresh, "install": install}
        return Welcome(_encode("welcome", said), _hello(install, params), fresh)

    def _key(
        self,
        params: dict[str, Any],
        install: str,
        nonces: tuple[str, str],
        secret_of: Callable[[str], str | None],
        codes: PairingCodes,
        now: float,
    ) -> str:
        """The key that a hello has proven; "" if it has not."""
        if "codeProof" in params:
            return codes.verify(_text(params, "codeProof"), self._port, nonces, now)
        key = secret_of(install) or ""
        # An install that is unknown is compared like one that is known.
        wanted = compute_proof(key or new_secret(), "extension", self._port, *nonces)
        return key if hmac.compare_digest(_text(params, "proof").encode(), wanted.encode()) else ""


def _hello(install: str, params: dict[str, Any]) -> Hello:
    settings = params.get("settings")
    return Hello(
        install=install,
        version=one_line(_text(params, "version"), _LONGEST_FIELD),
        product=one_line(_text(params, "product"), _LONGEST_FIELD),
        user_agent=one_line(_text(params, "userAgent"), _LONGEST_FIELD),
        profile=one_line(_text(params, "profile"), _LONGEST_FIELD),
        settings=settings if isinstance(settings, dict) else {},
    )


def _text(params: dict[str, Any], name: str) -> str:
    """A field that is a text, and one that can be encoded."""
    value = params.get(name)
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""


def _encode(method: str, params: dict[str, Any]) -> bytes:
    return json.dumps({"method": method, "params": params}).encode()
