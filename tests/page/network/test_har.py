"""The archive has every field that HAR 1.2 asks for, of the type it asks for."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import pytest

from pilothouse.page.network.har import HarPage, build_har
from pilothouse.page.network.log_entries import NetworkEntry, make_entry
from tests.page.network_events import Talk

NUMBER = (int, float)

# The format: field -> (type, must it be there). A dict is an object, a list its elements.
COOKIE: dict[str, Any] = {"name": (str, True), "value": (str, True), "path": (str, False)}
COOKIE |= {"domain": (str, False)}
COOKIE |= {"expires": (str, False), "httpOnly": (bool, False), "secure": (bool, False)}
PAIR = {"name": (str, True), "value": (str, True)}
FORMAT: dict[str, Any] = {
    "version": (str, True),
    "creator": ({"name": (str, True), "version": (str, True)}, True),
    "pages": (
        [
            {
                "startedDateTime": (str, True),
                "id": (str, True),
                "title": (str, True),
                "pageTimings": (
                    {"onContentLoad": (NUMBER, False), "onLoad": (NUMBER, False)},
                    True,
                ),
            }
        ],
        False,
    ),
    "entries": (
        [
            {
                "pageref": (str, False),
                "startedDateTime": (str, True),
                "time": (NUMBER, True),
                "request": (
                    {
                        "method": (str, True),
                        "url": (str, True),
                        "httpVersion": (str, True),
                        "cookies": ([COOKIE], True),
                        "headers": ([PAIR], True),
                        "queryString": ([PAIR], True),
                        "postData": ({"mimeType": (str, True), "text": (str, True)}, False),
                        "headersSize": (NUMBER, True),
                        "bodySize": (NUMBER, True),
                    },
                    True,
                ),
                "response": (
                    {
                        "status": (NUMBER, True),
                        "statusText": (str, True),
                        "httpVersion": (str, True),
                        "cookies": ([COOKIE], True),
                        "headers": ([PAIR], True),
                        "content": (
                            {
                                "size": (NUMBER, True),
                                "mimeType": (str, True),
                                "text": (str, False),
                                "encoding": (str, False),
                            },
                            True,
                        ),
                        "redirectURL": (str, True),
                        "headersSize": (NUMBER, True),
                        "bodySize": (NUMBER, True),
                    },
                    True,
                ),
                "cache": ({}, True),
                "timings": (
                    {
                        "blocked": (NUMBER, False),
                        "dns": (NUMBER, False),
                        "connect": (NUMBER, False),
                        "ssl": (NUMBER, False),
                        "send": (NUMBER, True),
                        "wait": (NUMBER, True),
                        "receive": (NUMBER, True),
                    },
                    True,
                ),
                "serverIPAddress": (str, False),
            }
        ],
        True,
    ),
}


def offences(value: Any, wanted: Any, where: str = "log") -> list[str]:
    """What is wrong with a value, by its path."""
    if isinstance(wanted, list):
        if not isinstance(value, list):
            return [f"{where} is no list"]
        return [o for n, v in enumerate(value) for o in offences(v, wanted[0], f"{where}[{n}]")]
    if isinstance(wanted, dict):
        if not isinstance(value, dict):
            return [f"{where} is no object"]
        missing = [f"{where}.{k} is missing" for k, w in wanted.items() if w[1] and k not in value]
        unknown = [
            f"{where}.{k} is unknown" for k in value if k not in wanted and not k.startswith("_")
        ]
        inside = [
            o
            for k, v in value.items()
            if k in wanted
            for o in offences(v, wanted[k][0], f"{where}.{k}")
        ]
        return missing + unknown + inside
    return [] if isinstance(value, wanted) else [f"{where} is {value!r}"]


@dataclass(frozen=True)
class Given:
    text: str
    base64: bool


def story() -> list[NetworkEntry]:
    talk = Talk()
    talk.sent("L", "http://a/?q=1&e=", headers={"Cookie": "s=secret; t=u"})
    talk.sent("L", "http://a/2", redirect=302)
    talk.answer_extra("L", 302)
    cookies = "s=secret; Path=/; HttpOnly\nt=2; Secure; Domain=a"
    talk.answer_extra("L", 200, **{"Set-Cookie": cookies})
    timing = {"requestTime": 2.1, "dnsStart": 0, "dnsEnd": 1, "connectStart": 1, "connectEnd": 9}
    timing |= {"sslStart": 2, "sslEnd": 8, "sendStart": 9, "sendEnd": 10, "receiveHeadersEnd": 300}
    talk.answered("L", protocol="h2", remoteIPAddress="[::1]", statusText="OK", timing=timing)
    talk.data("L", 7)
    talk.finished("L")
    talk.sent("2", "http://a/p", type="Fetch", method="POST")
    talk.failed("2", "net::ERR_FAILED")
    talk.sent("3", "http://a/cached", type="Script")
    talk.answered("3", fromDiskCache=True, hasExtraInfo=False)
    talk.sent("4", "http://a/pending")
    return [make_entry(r, talk.ledger.next_hop(r)) for r in talk.ledger.records()]


PAGES = (HarPage("p1", "first", 1e9), HarPage("p2", "second", 1e9 + 6.5, 10.0, 20.0))


def test_archive_is_valid() -> None:
    made = build_har(story(), PAGES, {"r2": Given("AAAA", True)})
    assert list(made) == ["log"]
    assert offences(made["log"], FORMAT) == []
    json.dumps(made)
    for entry in made["log"]["entries"]:
        assert datetime.fromisoformat(entry["startedDateTime"]).tzinfo is not None


def test_archive_without_anything_is_valid() -> None:
    assert offences(build_har([])["log"], FORMAT) == []


def test_validator_would_notice() -> None:
    made = build_har(story(), PAGES)["log"]
    del made["entries"][0]["request"]["cookies"]
    made["entries"][1]["timings"]["send"] = "long"
    assert offences(made, FORMAT) == [
        "log.entries[0].request.cookies is missing",
        "log.entries[1].timings.send is 'long'",
    ]


def test_time_is_the_sum_of_the_phases() -> None:
    entry = build_har(story())["log"]["entries"][1]
    timings = entry["timings"]
    assert timings["ssl"] == pytest.approx(6)
    assert timings["connect"] == pytest.approx(8)
    assert timings["wait"] == pytest.approx(290)
    assert entry["time"] == pytest.approx(3000, abs=1)


def test_entries_tell_redirects_pages_bodies_and_failures() -> None:
    made = build_har(story(), PAGES, {"r2": Given("AAAA", True)})["log"]["entries"]
    first, second, failed, cached, pending = made
    assert first["response"]["redirectURL"] == "http://a/2"
    assert first["request"]["queryString"] == [
        {"name": "q", "value": "1"},
        {"name": "e", "value": ""},
    ]
    assert second["response"]["content"]["encoding"] == "base64"
    assert second["response"]["httpVersion"] == "HTTP/2.0"
    assert second["serverIPAddress"] == "::1"
    assert [e["pageref"] for e in made] == ["p1", "p1", "p1", "p2", "p2"]
    assert failed["_error"] == "net::ERR_FAILED"
    assert (cached["_fromCache"], cached["response"]["bodySize"]) == ("disk", -1)
    assert pending["response"]["status"] == 0


def test_secrets_stay_at_home_unless_asked_for() -> None:
    assert "secret" not in json.dumps(build_har(story()))
    told = build_har(story(), secrets=True)["log"]["entries"]
    assert told[0]["request"]["cookies"][0] == {"name": "s", "value": "secret"}
    assert told[1]["response"]["cookies"] == [
        {"name": "s", "value": "secret", "path": "/", "httpOnly": True, "secure": False},
        {"name": "t", "value": "2", "domain": "a", "httpOnly": False, "secure": True},
    ]
    assert len([h for h in told[1]["response"]["headers"] if h["name"] == "Set-Cookie"]) == 2
