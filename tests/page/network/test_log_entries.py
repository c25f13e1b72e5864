"""Entries: how they are chosen and shown."""

from __future__ import annotations

from typing import Any

import pytest

from pilothouse.errors import ToolError
from pilothouse.page.network.log_entries import (
    HIDDEN,
    NetworkEntry,
    hide_credentials,
    make_entry,
    make_filter,
    parse_entry_id,
)
from tests.page.network_events import Talk


def entry(talk: Talk) -> NetworkEntry:
    return make_entry(talk.ledger.records()[-1])


def some() -> Talk:
    talk = Talk()
    talk.sent("1", "http://a/page")
    talk.answered("1")
    talk.finished("1")
    talk.sent("2", "http://a/api/x", type="XHR")
    talk.answered("2", 404, type="XHR")
    talk.sent("3", "http://b/img.png", type="Image")
    talk.failed("3", "net::ERR_FAILED")
    return talk


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({}, [1, 2, 3]),
        ({"url": "**/api/*"}, [2]),
        ({"url": "http://a"}, [1, 2]),
        ({"type": "fetch"}, [2]),
        ({"type": "Document, image"}, [1, 3]),
        ({"status": 404}, [2]),
        ({"status": "4xx"}, [2]),
        ({"status": "200"}, [1]),
        ({"failed": True}, [3]),
        ({"failed": False, "type": "image"}, []),
    ],
)
def test_filters_choose(asked: dict[str, Any], found: list[int]) -> None:
    chosen = make_filter(**asked)
    assert [r.seq for r in some().ledger.records() if chosen(r)] == found


@pytest.mark.parametrize("asked", [{"status": "many"}, {"status": 99}, {"url": "re:["}])
def test_filter_that_means_nothing_is_refused(asked: dict[str, Any]) -> None:
    with pytest.raises(ToolError):
        make_filter(**asked)


def test_number_of_an_id() -> None:
    assert [parse_entry_id(given) for given in ("r12", 12, "12", None)] == [12, 12, 12, 0]
    with pytest.raises(ToolError):
        parse_entry_id("x1")


def test_secrets_are_hidden_unless_asked_for() -> None:
    talk = Talk()
    talk.sent("1", "http://a/", headers={"authorization": "Bearer t", "Accept": "*/*"})
    talk.asked_extra("1", Cookie="session=s", Accept="*/*")
    talk.answer_extra("1", 200, **{"Set-Cookie": "session=s"})
    talk.answered("1")
    said = entry(talk).as_dict(headers=True)
    assert said["request_headers"] == {"Cookie": HIDDEN, "Accept": "*/*"}
    assert said["response_headers"] == {"Set-Cookie": HIDDEN}
    assert "session=s" not in str(said)
    told = entry(talk).as_dict(headers=True, secrets=True)
    assert told["request_headers"]["Cookie"] == "session=s"
    assert hide_credentials({"AUTHORIZATION": "x"}) == {"AUTHORIZATION": HIDDEN}


def test_what_is_empty_is_not_shown() -> None:
    talk = Talk()
    talk.sent("1", "http://a/", session="worker")
    assert entry(talk).as_dict() == {
        "id": "r1",
        "method": "GET",
        "url": "http://a/",
        "type": "Document",
        "state": "pending",
        "where": "worker",
    }
    talk.answered("1")
    talk.data("1", 5)
    talk.finished("1")
    said = entry(talk).as_dict()
    assert (said["status"], said["size"], said["ms"]) == (200, 5, 3000)


def test_phases_count_from_the_start_of_the_request() -> None:
    talk = Talk()
    talk.sent("1", "http://a/")
    talk.answered("1", timing={"requestTime": 1.5, "sendStart": 2, "sendEnd": 3, "dnsStart": -1})
    assert entry(talk).timing == {"queued": 500, "sendStart": 502, "sendEnd": 503, "dnsStart": -1}
