"""One request as it is remembered."""

from __future__ import annotations

from pilothouse.page.network.request_record_and_decoder import EventDecoder, RequestRecord, trim_raw
from tests.page.network_events import raw


def record(**fields: str) -> RequestRecord:
    said = EventDecoder.decode_request(
        raw(requestId="1", request={"url": "http://a/", "method": "GET"}, **fields)
    )
    assert said is not None
    return RequestRecord(said, raw(), "s", "page", 1.0)


def test_navigation_is_named_like_its_document() -> None:
    assert record(loaderId="1").is_navigation
    assert not record(loaderId="2").is_navigation


def test_answer_without_sense_changes_nothing() -> None:
    made = record()
    made.set_response(raw(status="odd"), 2.0)
    assert (made.response, made.status) == (None, 0)


def test_body_is_not_here_before_its_length_is_known() -> None:
    assert not record(type="Fetch").is_body_complete()


def test_what_is_short_is_kept_as_it_is() -> None:
    short = raw(a="b")
    assert trim_raw(short) is short


def test_long_strings_are_cut_wherever_they_are() -> None:
    long = raw(a="x" * 20_000, b=[{"c": "y" * 20_000, "d": 1}] * 100)
    cut = bytes(trim_raw(long))
    assert len(cut) < 150_000
    assert b"(20000 characters)" in cut
