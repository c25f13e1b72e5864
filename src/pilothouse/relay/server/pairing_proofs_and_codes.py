"""How an extension proves that it is the paired one, and the relay that it is the relay.

    relay      {"method": "challenge", "params": {"nonce": N1, "version": 2}}
    extension  {"method": "hello", "params": {"wire": 2, "port": P, "nonce": N2, "install", "proof",
                                              "version", "product", "profile", "settings", ...}}
               proof = hex HMAC-SHA256(secret, "extension P N1 N2")
    relay      {"method": "welcome", "params": {"proof": hex HMAC-SHA256(secret, "relay P N2 N1"),
                                                "relay": id, "heartbeat": ms between pings}}

P is the port that the extension dialled and the relay listens on. A process that listens on one
port and forwards everything to a relay on another port cannot make the two proofs agree: it does
not know the secret.

An extension without a secret sends `codeProof` instead of `proof`. Its key is derived from the
one-time code that a person typed in. The welcome is proven with the same key, and carries the new
`secret`. Keys are the UTF-8 bytes of the text. A code may be typed in any case, with or without
dashes; it is used in capitals without dashes. A code is short, so PBKDF2 stretches it, with both
nonces as salt: who overhears a proof cannot find the code while it is valid.

Knows: nonces, proofs, codes. Must not know: files, sockets, clocks (callers pass the time). It
never raises over what arrives, and its messages never contain a secret.
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
_OTHER_VERSION = "another version: run pilothouse extension install, then reload the extension"

CODE_LENGTH = 8
CODE_LIVES_S = 120.0
CODE_TRIES = 5
# No two of these look alike in any font.
CODE_LETTERS = "ABCDEFGHJKMNPQRTUWXY3479"

# PBKDF2 iterations: one proof costs about 50 ms, trying all codes 100 CPU years.
CODE_ITERATIONS = 100_000

_INSTALL = re.compile(r"[A-Za-z0-9_-]{8,64}")
_NONCE = re.compile(r"[A-Za-z0-9_-]{16,128}")
_MAX_FIELD_LENGTH = 400


def new_secret() -> str:
    """Return a secret or nonce: 32 random bytes."""
    return secrets.token_urlsafe(32)


def compute_proof(key: str, who: str, port: int, first: str, second: str) -> str:
    """Return the proof that `who` knows the key, for this port and these two nonces."""
    said = f"{who} {port} {first} {second}".encode()
    return hmac.new(key.encode(), said, hashlib.sha256).hexdigest()


def derive_code_key(code: str, first: str, second: str) -> str:
    """Derive a key from a code, for one handshake. `first` is the relay's nonce."""
    salt = f"{first} {second}".encode()
    return hashlib.pbkdf2_hmac("sha256", code.encode(), salt, CODE_ITERATIONS).hex()


def is_install(text: str) -> bool:
    """Return whether a text is a valid install id."""
    return _INSTALL.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class Welcome:
    """A proven hello: the reply, what the extension says about itself, and a new secret if it was
    paired just now."""

    message: bytes = field(repr=False)
    hello: Hello
    new_secret: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class HandshakeFailure:
    """A hello that proves nothing: the close code and the reason."""

    code: int
    reason: str


class PairingCodes:
    """The one pairing code that is valid at a time."""

    def __init__(self) -> None:
        self._code = ""
        self._until = 0.0
        self._tries = 0

    def create(self, now: float) -> str:
        """Create a code. An older one becomes invalid."""
        self._code = "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))
        self._until = now + CODE_LIVES_S
        self._tries = CODE_TRIES
        return self._code

    def verify(self, proof: str, port: int, nonces: tuple[str, str], now: float) -> str:
        """Return the key of the code if the proof is right, and use the code up.

        Otherwise return "" and count a failed try.
        """
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
        """Explain to the person who typed it why the last code failed."""
        if self._code:
            left = f"{self._tries} {'try' if self._tries == 1 else 'tries'} left"
            return f"Wrong code; {left}."
        return "No code is valid now: run pilothouse extension pair for a new one."


class PairingChallenge:
    """One challenge and the check of its answer.

    `port` is the relay's port. `relay` is the relay's id, by which an extension recognizes it.
    """

    def __init__(self, port: int, relay: str = "") -> None:
        self._port = port
        self._relay = relay
        self._nonce = new_secret()

    def encode_challenge(self) -> bytes:
        """Return the first message."""
        return _encode("challenge", {"nonce": self._nonce, "version": WIRE_VERSION})

    def verify_hello(
        self,
        message: bytes,
        secret_of: Callable[[str], str | None],
        codes: PairingCodes,
        now: float,
    ) -> Welcome | HandshakeFailure:
        """Check the first message of an extension."""
        try:
            message = json.loads(message)
        except (ValueError, RecursionError):
            return HandshakeFailure(NOT_PAIRED, "the first message must be a hello")
        params = message.get("params") if isinstance(message, dict) else None
        if not isinstance(params, dict) or message.get("method") != "hello":
            return HandshakeFailure(NOT_PAIRED, "the first message must be a hello")
        if params.get("wire") != WIRE_VERSION:
            return HandshakeFailure(OTHER_VERSION, _OTHER_VERSION)
        install, nonce = _text(params, "install"), _text(params, "nonce")
        if not is_install(install) or not _NONCE.fullmatch(nonce):
            return HandshakeFailure(NOT_PAIRED, "hello: install or nonce is missing or invalid")
        # Only a clear message for an honest mistake: the proof is what binds the port.
        dialled = params.get("port")
        if dialled != self._port:
            shown = dialled if isinstance(dialled, int) else "no port"
            return HandshakeFailure(
                OTHER_PORT, f"the extension dialled {shown}, the relay is at {self._port}"
            )
        fresh = new_secret() if "codeProof" in params else ""
        key = self._key(params, install, (self._nonce, nonce), secret_of, codes, now)
        if not key and fresh:
            return HandshakeFailure(NOT_PAIRED, codes.describe_failure())
        if not key:
            return HandshakeFailure(
                NOT_PAIRED, "this extension is not paired: run pilothouse extension pair"
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
        """Return the key that a hello proves; "" if it proves none."""
        if "codeProof" in params:
            return codes.verify(_text(params, "codeProof"), self._port, nonces, now)
        key = secret_of(install) or ""
        # Unknown installs take the same time as known ones.
        wanted = compute_proof(key or new_secret(), "extension", self._port, *nonces)
        return key if hmac.compare_digest(_text(params, "proof").encode(), wanted.encode()) else ""


def _hello(install: str, params: dict[str, Any]) -> Hello:
    settings = params.get("settings")
    return Hello(
        install=install,
        version=one_line(_text(params, "version"), _MAX_FIELD_LENGTH),
        product=one_line(_text(params, "product"), _MAX_FIELD_LENGTH),
        user_agent=one_line(_text(params, "userAgent"), _MAX_FIELD_LENGTH),
        profile=one_line(_text(params, "profile"), _MAX_FIELD_LENGTH),
        settings=settings if isinstance(settings, dict) else {},
    )


def _text(params: dict[str, Any], name: str) -> str:
    """Return a text field, safe to encode; "" if it is missing or no text."""
    value = params.get(name)
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""


def _encode(method: str, params: dict[str, Any]) -> bytes:
    return json.dumps({"method": method, "params": params}).encode()
