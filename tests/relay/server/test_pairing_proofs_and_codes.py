"""How an extension and the relay prove themselves to each other."""

from __future__ import annotations

import hashlib
import hmac
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilothouse.relay.server.pairing_proofs_and_codes import (
    CODE_LETTERS,
    CODE_LIVES_S,
    NOT_PAIRED,
    HandshakeFailure,
    PairingChallenge,
    PairingCodes,
    Welcome,
    compute_proof,
    derive_code_key,
    new_secret,
)

SECRET = new_secret()
INSTALL = "install-1"
NONCE = "n" * 32
PORT = 19222


def known(install: str) -> str | None:
    return SECRET if install == INSTALL else None


class Talk:
    """One greeting, from the extension's side."""

    def __init__(self, codes: PairingCodes | None = None) -> None:
        self.greeting = PairingChallenge(PORT, "relay-1")
        self.codes = codes or PairingCodes()
        challenge = json.loads(self.greeting.encode_challenge())
        assert challenge["method"] == "challenge"
        assert challenge["params"]["version"] == 2
        self.nonce = challenge["params"]["nonce"]

    def says(
        self, params: Any, method: str = "hello", now: float = 0.0
    ) -> Welcome | HandshakeFailure:
        return self.raw(json.dumps({"method": method, "params": params}).encode(), now)

    def raw(self, frame: bytes, now: float = 0.0) -> Welcome | HandshakeFailure:
        return self.greeting.verify_hello(frame, known, self.codes, now)

    def proof(self, key: str = SECRET, who: str = "extension") -> str:
        text = f"{who} {PORT} {self.nonce} {NONCE}".encode()
        return hmac.new(key.encode(), text, hashlib.sha256).hexdigest()

    def code_proof(self, code: str) -> str:
        return self.proof(derive_code_key(code, self.nonce, NONCE))

    def hello(self, **changed: Any) -> dict[str, Any]:
        said = {"install": INSTALL, "nonce": NONCE, "proof": self.proof(), "version": "1.0"}
        return {"wire": 2, "port": PORT, **said, **changed}


def test_who_knows_the_secret_is_welcome_and_hears_the_proof_of_the_relay() -> None:
    talk = Talk()
    found = talk.says(
        talk.hello(
            product="Chrome/156",
            userAgent="Mozilla/5.0",
            profile="Work",
            settings={"mode": "auto"},
        )
    )
    assert isinstance(found, Welcome)
    hello = found.hello
    assert (hello.install, hello.version, hello.profile) == (INSTALL, "1.0", "Work")
    assert (hello.product, hello.user_agent) == ("Chrome/156", "Mozilla/5.0")
    assert hello.settings == {"mode": "auto"}
    welcome = json.loads(found.message)
    text = f"relay {PORT} {NONCE} {talk.nonce}".encode()
    due = hmac.new(SECRET.encode(), text, hashlib.sha256).hexdigest()
    told = {"proof": due, "relay": "relay-1", "heartbeat": 1000}
    assert welcome == {"method": "welcome", "params": told}
    assert found.new_secret == ""
    assert SECRET not in found.message.decode()


def test_nonces_are_never_the_same() -> None:
    assert len({Talk().nonce for _ in range(50)}) == 50


@pytest.mark.parametrize(
    "changed",
    [
        {"proof": ""},
        {"proof": "0" * 64},
        {"proof": None},
        {"proof": 7},
        {"proof": "\ud800"},
        {"install": "install-2"},
        {"install": ""},
        {"install": "../../etc"},
        {"install": None},
        {"nonce": ""},
        {"nonce": "short"},
        {"nonce": "n" * 31 + " "},
        {"nonce": None},
        {"codeProof": "0" * 64},
    ],
)
def test_who_proves_nothing_is_sent_away(changed: dict[str, Any]) -> None:
    talk = Talk()
    found = talk.says(talk.hello(**changed))
    assert isinstance(found, HandshakeFailure)
    assert found.code == NOT_PAIRED == 4003
    assert SECRET not in found.reason


def test_a_proof_of_another_visit_or_of_the_relay_is_none() -> None:
    earlier, talk = Talk(), Talk()
    assert isinstance(talk.says(talk.hello(proof=earlier.proof())), HandshakeFailure)
    assert isinstance(talk.says(talk.hello(proof=talk.proof(who="relay"))), HandshakeFailure)
    assert isinstance(talk.says(talk.hello(proof=talk.proof(new_secret()))), HandshakeFailure)


@pytest.mark.parametrize(
    "frame",
    [
        b"",
        b"\xff",
        b"null",
        b"[]",
        b"7",
        b'"hello"',
        b"{}",
        b'{"method":"hello"}',
        b'{"method":"hello","params":[]}',
        b'{"id":1,"method":"listTabs","params":{}}',
        b"[" * 50_000,
    ],
)
def test_nothing_but_a_hello_counts(frame: bytes) -> None:
    assert isinstance(Talk().raw(frame), HandshakeFailure)


@given(st.dictionaries(st.sampled_from(["install", "nonce", "proof", "x"]), st.text() | st.none()))
def test_no_hello_of_a_stranger_makes_it_raise(params: dict[str, Any]) -> None:
    assert isinstance(Talk().says(params), HandshakeFailure)


def test_what_an_extension_says_of_itself_is_made_plain() -> None:
    talk = Talk()
    found = talk.says(talk.hello(version="a\nb", product=7, profile="x" * 1000, settings=[1]))
    assert isinstance(found, Welcome)
    assert (found.hello.version, found.hello.product) == ("a b", "")
    assert len(found.hello.profile) == 400
    assert found.hello.settings == {}


@pytest.mark.boundary
@pytest.mark.parametrize("port", [1, PORT + 1, 0])
def test_a_proof_for_another_port_is_none(port: int) -> None:
    talk = Talk()
    proof = compute_proof(SECRET, "extension", port, talk.nonce, NONCE)
    found = talk.says(talk.hello(proof=proof))
    assert isinstance(found, HandshakeFailure)
    assert found.code == NOT_PAIRED


@pytest.mark.parametrize("port", [1, None, "19222", {}])
def test_who_dialled_another_port_is_told_so(port: Any) -> None:
    talk = Talk()
    found = talk.says(talk.hello(port=port))
    assert isinstance(found, HandshakeFailure)
    assert str(PORT) in found.reason


# Codes.


def test_a_code_can_be_typed_by_a_person() -> None:
    codes = PairingCodes()
    made = {codes.create(0.0) for _ in range(50)}
    assert len(made) == 50
    assert all(len(code) == 8 and set(code) <= set(CODE_LETTERS) for code in made)
    alike = ("0OD", "1IL", "2Z", "5S", "8B", "6G", "UV")
    assert all(len(set(CODE_LETTERS) & set(letters)) <= 1 for letters in alike)
    assert made.isdisjoint({repr(codes)})


def test_a_code_pairs_once_and_brings_a_secret() -> None:
    codes = PairingCodes()
    code = codes.create(0.0)
    talk = Talk(codes)
    by_code = talk.hello(proof="", codeProof=talk.code_proof(code), install="stranger-1")
    found = talk.says(by_code, now=1)
    assert isinstance(found, Welcome)
    assert found.hello.install == "stranger-1"
    said = json.loads(found.message)["params"]
    assert said["secret"] == found.new_secret
    assert said["install"] == "stranger-1"
    assert len(found.new_secret) == 43
    key = derive_code_key(code, talk.nonce, NONCE)
    assert said["proof"] == compute_proof(key, "relay", PORT, NONCE, talk.nonce)
    assert found.new_secret not in repr(found)
    again = Talk(codes)
    assert isinstance(
        again.says(again.hello(codeProof=again.code_proof(code)), now=2), HandshakeFailure
    )


def test_a_code_is_good_for_two_minutes() -> None:
    codes = PairingCodes()
    code = codes.create(10.0)
    talk = Talk(codes)
    hello = talk.hello(codeProof=talk.code_proof(code))
    assert isinstance(talk.says(hello, now=10 + CODE_LIVES_S), HandshakeFailure)
    assert isinstance(talk.says(hello, now=11), HandshakeFailure)


def test_a_code_bears_five_tries() -> None:
    for wrong, pairs in ((4, True), (5, False)):
        codes = PairingCodes()
        code = codes.create(0.0)
        for _ in range(wrong):
            talk = Talk(codes)
            assert isinstance(
                talk.says(talk.hello(codeProof=talk.code_proof("AAAAAAAA"))), HandshakeFailure
            )
        talk = Talk(codes)
        found = talk.says(talk.hello(codeProof=talk.code_proof(code)))
        assert isinstance(found, Welcome) is pairs


def test_a_new_code_makes_the_old_one_void() -> None:
    codes = PairingCodes()
    old, new = codes.create(0.0), codes.create(1.0)
    talk = Talk(codes)
    assert isinstance(
        talk.says(talk.hello(codeProof=talk.code_proof(old)), now=2), HandshakeFailure
    )
    talk = Talk(codes)
    assert isinstance(talk.says(talk.hello(codeProof=talk.code_proof(new)), now=2), Welcome)


def test_without_a_code_no_code_is_right() -> None:
    talk = Talk()
    assert isinstance(talk.says(talk.hello(codeProof=talk.code_proof(""))), HandshakeFailure)
