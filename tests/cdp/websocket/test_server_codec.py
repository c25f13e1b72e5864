"""A client's frames as values, beside what the `websockets` package makes of them."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.protocol import State
from websockets.server import ServerProtocol
from websockets.uri import parse_uri

from pilothouse.cdp.websocket.client_codec import (
    BINARY,
    CLOSE,
    CONTINUATION,
    PING,
    PONG,
    TEXT,
    apply_mask,
)
from pilothouse.cdp.websocket.server_codec import MaskedFrameReader, unmasked_header

MAX = 100_000

# How long an example takes says nothing about it, on a machine that does other things as well.
unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

Message = tuple[int, bytes]


def frame(
    opcode: int,
    payload: bytes = b"",
    *,
    fin: bool = True,
    reserved: int = 0,
    mask: bytes = b"\x01\x80\x33\xfe",
) -> bytes:
    """A client's frame; `mask` b"" leaves it unmasked."""
    first, size = bytes([fin << 7 | reserved << 4 | opcode]), len(payload)
    bit = 0x80 if mask else 0
    said = apply_mask(payload, mask) if mask else payload
    if size < 126:
        return first + bytes([bit | size]) + mask + said
    if size < 65536:
        return first + bytes([bit | 126]) + size.to_bytes(2) + mask + said
    return first + bytes([bit | 127]) + size.to_bytes(8) + mask + said


def read(*chunks: bytes) -> tuple[list[Message], MaskedFrameReader]:
    """What comes of these reads, each into a buffer that still holds older bytes."""
    reader, messages = MaskedFrameReader(MAX), list[Message]()
    for chunk in chunks:
        text = reader.read_single_text(memoryview(chunk + frame(TEXT, b"stale")), len(chunk))
        messages += reader.feed(memoryview(chunk)) if text is None else [(TEXT, text)]
    return messages, reader


def cut(stream: bytes, places: list[int]) -> list[bytes]:
    borders = [0, *sorted(place % (len(stream) + 1) for place in places), len(stream)]
    return [stream[a:b] for a, b in pairwise(borders)]


def peer(stream: bytes) -> tuple[list[Message], bool]:
    """What `websockets` reads as a server: whole messages, and whether the stream is broken."""
    protocol = ServerProtocol(state=State.OPEN, max_size=MAX)
    protocol.receive_data(stream)
    messages: list[Message] = []
    opcode, parts = 0, b""
    for event in protocol.events_received():
        assert isinstance(event, Frame)
        if event.opcode >= Opcode.CLOSE:
            messages.append((int(event.opcode), bytes(event.data)))
            continue
        opcode, parts = int(event.opcode) or opcode, parts + bytes(event.data)
        if event.fin:
            messages.append((opcode, parts))
            parts = b""
    return messages, protocol.parser_exc is not None


payloads = st.one_of(
    st.binary(max_size=20),
    st.sampled_from([0, 1, 124, 125, 126, 127, 65535, 65536, 70000]).map(lambda n: b"x" * n),
)
masks = st.binary(min_size=4, max_size=4)
controls = st.tuples(st.sampled_from([PING, PONG]), st.binary(max_size=125))
places = st.lists(st.integers(min_value=0), max_size=12)


@st.composite
def conversations(draw: st.DrawFn) -> tuple[bytes, list[Message]]:
    """A stream of frames, each with a mask of its own, with fragments and control frames between
    them; and its messages."""
    stream, messages = b"", list[Message]()
    for _ in range(draw(st.integers(0, 5))):
        opcode = draw(st.sampled_from([TEXT, TEXT, BINARY]))
        parts = draw(st.lists(payloads, min_size=1, max_size=3))
        if sum(map(len, parts)) > MAX:
            parts = parts[:1]
        for number, part in enumerate(parts):
            last = number == len(parts) - 1
            kind = opcode if number == 0 else CONTINUATION
            stream += frame(kind, part, fin=last, mask=draw(masks))
            if last:
                messages.append((opcode, b"".join(parts)))
            for control in draw(st.lists(controls, max_size=2)):
                stream += frame(*control, mask=draw(masks))
                messages.append(control)
    return stream, messages


@unhurried
@given(conversations(), places)
def test_any_split_of_any_conversation_gives_the_same_messages(
    conversation: tuple[bytes, list[Message]], places: list[int]
) -> None:
    stream, expected = conversation
    found, reader = read(*cut(stream, places))
    assert found == expected
    assert reader.violation is None
    assert peer(stream) == (expected, False)


@unhurried
@given(conversations())
def test_bytes_that_come_one_by_one_give_the_same_messages(
    conversation: tuple[bytes, list[Message]],
) -> None:
    stream, expected = conversation
    if len(stream) < 2000:
        assert read(*(stream[at : at + 1] for at in range(len(stream))))[0] == expected


@unhurried
@given(
    st.lists(
        st.builds(
            frame,
            st.sampled_from([0, 1, 2, 8, 9, 10]),
            st.sampled_from([b"", b"x", b"y" * 125, b"z" * 126]),
            fin=st.booleans(),
            mask=st.sampled_from([b"", b"mask", b"\0\0\0\0"]),
        ).filter(lambda made: made[0] & 0x0F != CLOSE),
        max_size=6,
    ),
    places,
)
def test_broken_streams_are_found_out_where_the_peer_finds_them_out(
    frames: list[bytes], places: list[int]
) -> None:
    stream = b"".join(frames)
    found, reader = read(*cut(stream, places))
    assert (found, reader.violation is not None) == peer(stream)


@unhurried
@given(st.binary(max_size=300), places)
def test_noise_never_raises_and_reads_the_same_however_it_is_split(
    noise: bytes, places: list[int]
) -> None:
    whole, split = read(noise), read(*cut(noise, places))
    assert whole[0] == split[0]
    assert whole[1].violation == split[1].violation


@unhurried
@given(payloads, st.sampled_from([TEXT, BINARY]))
def test_plain_heads_make_frames_that_a_client_reads(payload: bytes, opcode: int) -> None:
    client = ClientProtocol(parse_uri("ws://peer/"), state=State.OPEN)
    client.receive_data(unmasked_header(opcode, len(payload)) + payload)
    assert client.parser_exc is None
    assert [
        (e.opcode, bytes(e.data)) for e in client.events_received() if isinstance(e, Frame)
    ] == [(opcode, payload)]


@pytest.mark.parametrize("size", [0, 3, 125, 126, 65535])
def test_text_that_comes_alone_is_taken_at_once_and_nothing_else_is(size: int) -> None:
    def alone(chunk: bytes, before: bytes = b"") -> bytes | None:
        reader = MaskedFrameReader(MAX)
        reader.feed(before)
        return reader.read_single_text(memoryview(chunk), len(chunk))

    text = b"x" * size
    assert alone(frame(TEXT, text)) == text
    assert alone(frame(TEXT, text), before=frame(TEXT, b"a", fin=False)) is None
    assert alone(frame(TEXT, text), before=frame(CLOSE)) is None
    assert alone(frame(TEXT, text), before=b"\x81") is None
    assert alone(frame(TEXT, text)[:-1]) is None
    assert alone(frame(TEXT, text) + b"\x81") is None
    assert alone(frame(TEXT, text, mask=b"")) is None
    assert alone(frame(BINARY, text)) is None


@pytest.mark.parametrize(
    ("stream", "code", "reason"),
    [
        (frame(TEXT, b"a", reserved=4), 1002, "an extension we did not offer"),
        (frame(TEXT, b"a", mask=b""), 1002, "not masked"),
        (frame(TEXT, b"x" * 300, mask=b""), 1002, "not masked"),
        (frame(PING, b"a", mask=b""), 1002, "not masked"),
        (frame(PING, b"x" * 126), 1002, "control frame"),
        (frame(3), 1002, "unknown opcode 3"),
        (frame(CONTINUATION, b"a"), 1002, "out of order"),
        (frame(TEXT, b"x" * (MAX + 1))[:14], 1009, "exceeded 100000 bytes"),
        (frame(TEXT, b"x" * MAX, fin=False) + frame(CONTINUATION, b"y"), 1009, "exceeded"),
        (b"\x81\xff" + b"\xff" * 12, 1009, "exceeded"),
    ],
)
def test_violation_is_a_value_with_its_close_code_and_ends_the_reading(
    stream: bytes, code: int, reason: str
) -> None:
    found, reader = read(frame(TEXT, b"before") + stream + frame(TEXT, b"after"))
    assert found == [(TEXT, b"before")]
    assert reader.violation is not None
    assert reader.violation.code == code
    assert reason in reader.violation.reason
    assert reader.feed(frame(TEXT, b"later")) == []


def test_nothing_is_read_after_a_close_frame() -> None:
    found, reader = read(frame(CLOSE, b"\x03\xe8") + frame(TEXT, b"after"))
    assert found == [(CLOSE, b"\x03\xe8")]
    assert reader.violation is None


def test_reader_keeps_nothing_of_what_it_is_fed() -> None:
    buffer = bytearray(frame(TEXT, b"first") + frame(TEXT, b"second", fin=False)[:-2])
    rest = frame(TEXT, b"second", fin=False)[-2:]
    reader = MaskedFrameReader(MAX)
    messages = reader.feed(memoryview(buffer))
    buffer[:] = b"\xff" * len(buffer)
    messages += reader.feed(rest + frame(CONTINUATION, b"!"))
    assert messages == [(TEXT, b"first"), (TEXT, b"second!")]
