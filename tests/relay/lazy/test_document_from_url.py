"""What an address tells of a document, in Chrome's shapes."""

from __future__ import annotations

import pytest

from pilothouse.relay.lazy.document_from_url import LazyDocument, address_of, child_frames


def at(url: str) -> LazyDocument:
    return LazyDocument.for_url("F", url, "seed")


@pytest.mark.parametrize("url", ["", ":"])
def test_an_address_is_never_empty(url: str) -> None:
    assert at(url).to_frame()["url"] == "about:blank"


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://example.org/a?b#c", "https://example.org"),
        ("http://127.0.0.1:8080/", "http://127.0.0.1:8080"),
        ("about:blank", "://"),
        ("data:text/html,x", "://"),
        ("file:///tmp/a.html", "file://"),
        ("http://[broken", "://"),
    ],
)
def test_its_origin_is_written_as_chrome_writes_it(url: str, origin: str) -> None:
    assert at(url).origin == origin
    assert at(url).to_frame()["securityOrigin"] == origin


def test_a_fragment_stands_apart() -> None:
    frame = at("http://a/b#c").to_frame()
    assert (frame["url"], frame["urlFragment"]) == ("http://a/b", "#c")
    assert "urlFragment" not in at("http://a/b").to_frame()
    assert address_of(frame) == "http://a/b#c"


@pytest.mark.parametrize(
    ("url", "secure"),
    [
        ("https://a/", "Secure"),
        ("http://a/", "InsecureScheme"),
        ("http://x.localhost:1/", "SecureLocalhost"),
    ],
)
def test_it_says_how_far_it_is_secure(url: str, secure: str) -> None:
    assert at(url).to_frame()["secureContextType"] == secure


def test_the_same_document_has_the_same_loader_and_another_has_another() -> None:
    assert at("http://a/").loader == at("http://a/").loader
    assert at("http://a/").loader != LazyDocument.for_url("F", "http://a/", "other").loader
    assert len(at("http://a/").loader) == 32


def test_a_real_frame_shows_it_if_the_address_is_the_same_but_for_the_fragment() -> None:
    document = at("http://a/b#c")
    assert document.matches_frame({"url": "http://a/b"})
    assert document.matches_frame({"url": "http://a/b", "urlFragment": "#d"})
    assert not document.matches_frame({"url": "http://a/x"})
    assert document.matches_frame(
        {"url": "chrome-error://chromewebdata/", "unreachableUrl": "http://a/b"}
    )


def test_lifecycle_events_come_in_chromes_order() -> None:
    document = at("http://a/")
    events = document.lifecycle()
    assert [params["name"] for _, params in events] == [
        "commit",
        "DOMContentLoaded",
        "load",
        "networkAlmostIdle",
        "networkIdle",
    ]
    assert {params["loaderId"] for _, params in events} == {document.loader}
    assert [params["name"] for _, params in document.lifecycle("init")] == ["init"]


def test_children_come_after_their_parents() -> None:
    def tree(name: str, *children: object) -> dict[str, object]:
        return {"frame": {"id": name}, "childFrames": list(children)}

    whole = tree("a", tree("b", tree("c")), {"frame": {"id": "d"}})
    assert [frame["id"] for frame in child_frames(whole)] == ["b", "c", "d"]
