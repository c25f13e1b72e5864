"""How an extension proves that it is the one that was paired, and the relay that it is the relay.

    relay      {"method": "challenge", "params": {"nonce": N1, "version": 1}}
    extension  {"method": "hello", "params": {"install", "nonce": N2, "proof", "version", ...}}
               proof = hex HMAC-SHA256(secret, "extension N1 N2")
    relay      {"method": "welcome", "params": {"proof": hex HMAC-SHA256(secret, "relay N2 N1")}}

An extension that came without a secret says `codeProof` instead of `proof`, with the one-time code
that a person typed into it as the key; its welcome is proven with the code too, and carries the new
`secret`. Keys are the UTF-8 bytes of the text; a code is typed in any case, with or without dashes,
and used in capitals without them.

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

from pilothouse.relay.parts import Hello
from pilothouse.relay.specs import one_line

__all__ = ["Codes", "Greeting", "Welcome", "Wrong", "is_install", "new_secret", "proof_of"]

WIRE_VERSION = 1

# Close codes of /extension.
NOT_PAIRED, NO_HELLO, OTHER_VERSION = 4003, 4008, 4010

CODE_LENGTH = 8
CODE_LIVES_S = 120.0
CODE_TRIES = 5
# No two of these look alike, whatever the font.
CODE_LETTERS = "ABCDEFGHJKMNPQRTUWXY3479"

_INSTALL = re.compile(r"[A-Za-z0-9_-]{8,64}")
_NONCE = re.compile(r"[A-Za-z0-9_-]{16,128}")
_LONGEST_FIELD = 400


def new_secret() -> str:
    """A secret, or a nonce: 32 random bytes."""
    return secrets.token_urlsafe(32)


def proof_of(key: str, who: str, first: str, second: str) -> str:
    """What only one who knows the key can say, as `who`, after these two nonces."""
    return hmac.new(key.encode(), f"{who} {first} {second}".encode(), hashlib.sha256).hexdigest()


def is_install(text: str) -> bool:
    """Whether this names an install."""
    return _INSTALL.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class Welcome:
    """It has proven who it is: what to answer, what it says of itself, and what to keep if it was
    paired just now."""

    frame: bytes = field(repr=False)
    hello: Hello
    new_secret: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Wrong:
    """It has not: the close code and why."""

    code: int
    words: str


class Codes:
    """The one code that may be typed at a time."""

    def __init__(self) -> None:
        self._code = ""
        self._until = 0.0
        self._tries = 0

    def make(self, now: float) -> str:
        """A new code; an older one is void."""
        self._code = "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))
        self._until = now + CODE_LIVES_S
        self._tries = CODE_TRIES
        return self._code

    def proves(self, proof: str, nonces: tuple[str, str], now: float) -> str:
        """The code, which is void now, if this proves it; else "", and one try less is left."""
        if not self._code or now >= self._until:
            self._code = ""
            return ""
        code, wanted = self._code, proof_of(self._code, "extension", *nonces)
        self._tries -= 1
        if hmac.compare_digest(proof.encode(), wanted.encode()):
            self._code = ""
            return code
        if not self._tries:
            self._code = ""
        return ""


class Greeting:
    """One challenge, and what is made of the answer."""

    def __init__(self) -> None:
        self._nonce = new_secret()

    def challenge(self) -> bytes:
        """What is said first."""
        return _frame("challenge", {"nonce": self._nonce, "version": WIRE_VERSION})

    def hear(
        self, frame: bytes, secret_of: Callable[[str], str | None], codes: Codes, now: float
    ) -> Welcome | Wrong:
        """Judge the first message of an extension."""
        try:
            message = json.loads(frame)
        except (ValueError, RecursionError):
            return Wrong(NOT_PAIRED, "a hello is wanted first")
        params = message.get("params") if isinstance(message, dict) else None
        if not isinstance(params, dict) or message.get("method") != "hello":
            return Wrong(NOT_PAIRED, "a hello is wanted first")
        install, nonce = _text(params, "install"), _text(params, "nonce")
        if not is_install(install) or not _NONCE.fullmatch(nonce):
            return Wrong(NOT_PAIRED, "the hello names no install, or has no nonce")
        nonces = (self._nonce, nonce)
        fresh = ""
        if "codeProof" in params:
            key = codes.proves(_text(params, "codeProof"), nonces, now)
            fresh = new_secret()
        else:
            key = secret_of(install) or ""
            # An install that is unknown is compared like one that is known.
            wanted = proof_of(key or new_secret(), "extension", *nonces)
            if not hmac.compare_digest(_text(params, "proof").encode(), wanted.encode()):
                key = ""
        if not key:
            return Wrong(NOT_PAIRED, "this extension is not paired: pilothouse extension pair")
        said: dict[str, Any] = {"proof": proof_of(key, "relay", nonce, self._nonce)}
        if fresh:
            said |= {"secret": fresh, "install": install}
        return Welcome(_frame("welcome", said), _hello(install, params), fresh)


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


def _frame(method: str, params: dict[str, Any]) -> bytes:
    return json.dumps({"method": method, "params": params}).encode()
