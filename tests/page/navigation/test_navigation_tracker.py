"""Every order of events a navigation has, as recorded from Chromium 156: pure."""

from __future__ import annotations

from typing import Any

from pilothouse.page.navigation.navigation_tracker import NEVER, NavigationTracker, Redirect

F = "main"


class Play:
    """Plays events at a load, a second apart."""

    def __init__(self) -> None:
        self.tracker = NavigationTracker(F, "http://a/old")
        self.now = 0.0

    def handle_event(self, method: str, **params: Any) -> Play:
        self.now += 1.0
        self.tracker.handle_event(method, params, "s", self.now)
        return self

    def start(self, loader: str, url: str, kind: str = "differentDocument") -> Play:
        return self.handle_event(
            "Page.frameStartedNavigating",
            frameId=F,
            loaderId=loader,
            url=url,
            navigationType=kind,
        )

    def request(self, loader: str, url: str, redirected: int = 0) -> Play:
        more = {"redirectResponse": {"status": redirected}} if redirected else {}
        return self.handle_event(
            "Network.requestWillBeSent",
            requestId=loader,
            loaderId=loader,
            type="Document",
            request={"url": url},
            **more,
        )

    def response(self, loader: str, status: int = 200) -> Play:
        return self.handle_event(
            "Network.responseReceived", requestId=loader, response={"status": status}
        )

    def failed(self, loader: str, error: str, *, canceled: bool) -> Play:
        return self.handle_event(
            "Network.loadingFailed", requestId=loader, errorText=error, canceled=canceled
        )

    def navigated(self, loader: str, url: str, kind: str = "Navigation", **more: str) -> Play:
        frame = {"id": F, "loaderId": loader, "url": url, **more}
        return self.handle_event("Page.frameNavigated", frame=frame, type=kind)

    def mark(self, loader: str, *names: str) -> Play:
        for name in names:
            self.handle_event("Page.lifecycleEvent", frameId=F, loaderId=loader, name=name)
        return self

    def document(self, loader: str, url: str) -> Play:
        return self.start(loader, url).request(loader, url).response(loader).navigated(loader, url)

    def due(self, state: str = "load") -> float:
        return self.tracker.seconds_until(state, self.now)


def test_a_document_passes_through_its_states() -> None:
    play = Play().start("L", "http://a/").request("L", "http://a/")
    play.tracker.select_loader("L")
    assert play.due("commit") == NEVER
    play.response("L").navigated("L", "http://a/")
    assert (play.due("commit"), play.due("domcontentloaded")) == (0.0, NEVER)
    play.mark("L", "DOMContentLoaded")
    assert (play.due("domcontentloaded"), play.due("load")) == (0.0, NEVER)
    assert play.tracker.reached_state(play.now) == "domcontentloaded"
    play.mark("L", "load")
    assert play.due("load") == 0.0
    got = play.tracker.result("load", play.now, timed_out=False)
    assert (got.kind, got.url, got.status) == ("document", "http://a/", 200)


def test_idle_counts_from_the_commit() -> None:
    play = Play().document("L", "http://a/").mark("L", "DOMContentLoaded", "load")
    play.handle_event("Network.loadingFinished", requestId="L")
    assert play.tracker.seconds_until("networkidle0", play.now) == 0.5
    assert play.tracker.seconds_until("networkidle0", play.now + 0.5) == 0.0
    assert play.tracker.reached_state(play.now + 0.5) == "networkidle0"


def test_redirects_of_the_server_come_in_order() -> None:
    play = Play().start("L", "http://a/1").request("L", "http://a/1")
    play.request("L", "http://a/2", 302).request("L", "http://a/3", 301)
    play.response("L").navigated("L", "http://a/3")
    got = play.tracker.result("load", play.now, timed_out=False)
    assert got.redirects == (Redirect("http://a/1", 302), Redirect("http://a/2", 301))


def test_a_document_that_goes_on_by_itself_is_followed() -> None:
    play = Play().document("L", "http://a/1")
    play.tracker.select_loader("L")
    play.handle_event(
        "Page.frameRequestedNavigation", frameId=F, url="http://a/2", disposition="currentTab"
    )
    play.document("M", "http://a/2")
    assert play.due() == NEVER
    play.mark("M", "DOMContentLoaded", "load")
    assert play.due() == 0.0
    got = play.tracker.result("load", play.now, timed_out=False)
    assert (got.url, got.redirects) == ("http://a/2", (Redirect("http://a/1", 200, "page"),))


def test_a_loaded_document_counts_while_its_successor_only_starts() -> None:
    play = Play().document("L", "http://a/1").mark("L", "load")
    play.tracker.select_loader("L")
    play.start("M", "http://a/2")
    assert play.due() == 0.0
    assert play.tracker.current is not None


def test_one_that_takes_the_place_of_another_is_followed() -> None:
    play = Play().start("L", "http://a/1")
    play.tracker.select_loader("L")
    play.start("M", "http://a/2").navigated("M", "http://a/2").mark("M", "load")
    assert play.tracker.navigations[0].ended == "aborted"
    assert play.due() == 0.0
    assert play.tracker.result("load", play.now, timed_out=False).url == "http://a/2"


def test_an_older_navigation_is_not_taken_for_the_chosen_one() -> None:
    play = Play().navigated("K", "http://a/0").mark("K", "load").start("L", "http://a/1")
    play.tracker.select_loader("L")
    assert play.due() == NEVER
    play.navigated("L", "http://a/1").mark("L", "load")
    assert play.due() == 0.0


def test_an_error_page_keeps_its_address_and_error() -> None:
    play = Play().start("L", "http://a/").failed("L", "net::ERR_FAILED", canceled=False)
    assert play.due("commit") == NEVER
    play.navigated("L", "chrome-error://chromewebdata/", unreachableUrl="http://a/")
    play.mark("L", "load")
    got = play.tracker.result("load", play.now, timed_out=False)
    assert (got.kind, got.url, got.error) == ("error_page", "http://a/", "net::ERR_FAILED")
    assert play.due() == 0.0


def test_no_content_and_aborted_are_ends() -> None:
    for status, kind in ((204, "no_content"), (205, "no_content"), (0, "aborted")):
        play = Play().start("L", "http://a/").response("L", status)
        play.failed("L", "net::ERR_ABORTED", canceled=True)
        assert play.due("networkidle0") == 0.0
        assert play.tracker.result("load", play.now, timed_out=False).kind == kind


def test_the_answer_alone_can_tell_that_nothing_comes() -> None:
    play = Play().start("L", "mailto:x")
    play.tracker.select_loader("L")
    play.tracker.fail_selected("net::ERR_ABORTED", download=False)
    assert play.tracker.result("load", play.now, timed_out=False).kind == "aborted"
    empty = Play()
    empty.tracker.fail_selected("net::ERR_ABORTED", download=False)
    assert empty.due() == 0.0


def test_a_download_is_known_by_the_answer_or_by_its_event() -> None:
    play = Play().start("L", "http://a/f").response("L")
    play.failed("L", "net::ERR_ABORTED", canceled=True)
    play.handle_event(
        "Page.downloadWillBegin", frameId=F, url="http://a/f", guid="g", suggestedFilename="f.csv"
    )
    got = play.tracker.result("load", play.now, timed_out=False)
    assert (got.kind, got.filename, got.error) == ("download", "f.csv", "")
    other = Play().start("L", "http://a/f")
    other.tracker.select_loader("L")
    other.tracker.fail_selected("net::ERR_ABORTED", download=True)
    assert other.tracker.result("load", other.now, timed_out=False).kind == "download"


def test_moves_within_the_document_need_no_loading() -> None:
    play = Play().start("L", "http://a/old#x", "sameDocument")
    play.tracker.select_same_document("http://a/old#x")
    assert play.due() == NEVER
    play.handle_event("Page.navigatedWithinDocument", frameId=F, url="http://a/old#x")
    assert play.due() == 0.0
    got = play.tracker.result("load", play.now, timed_out=False)
    assert (got.kind, got.url) == ("same_document", "http://a/old#x")
    by_script = Play().handle_event("Page.navigatedWithinDocument", frameId=F, url="http://a/new")
    assert (by_script.tracker.same_document_moves, by_script.tracker.url) == (1, "http://a/new")
    by_script.tracker.select_same_document("http://a/new")
    assert by_script.due() == 0.0


def test_a_page_from_the_cache_is_loaded_when_it_is_shown() -> None:
    play = Play().start("N", "http://a/1", "historyDifferentDocument")
    play.tracker.select_type("history")
    play.navigated("L", "http://a/1", "BackForwardCacheRestore")
    assert play.due() == 0.0
    assert play.tracker.result("load", play.now, timed_out=False).from_cache


def test_a_kind_that_has_not_begun_is_the_next_to_begin() -> None:
    play = Play().navigated("K", "http://a/0").mark("K", "load")
    play.tracker.select_type("reload")
    assert play.due() == NEVER
    play.start("L", "http://a/0", "reload").navigated("L", "http://a/0").mark("L", "load")
    assert play.due() == 0.0


def test_other_frames_are_only_noted() -> None:
    play = Play().handle_event(
        "Page.frameStartedNavigating", frameId="child", loaderId="C", url="x", navigationType=""
    )
    assert (play.tracker.navigations, play.tracker.frames) == ([], {"child"})


def test_a_timeout_names_what_hangs() -> None:
    play = Play().start("L", "http://a/").request("L", "http://a/")
    got = play.tracker.result("load", play.now, timed_out=True)
    assert (got.kind, got.hanging) == ("pending", ("GET http://a/ (0.0 s)",))


def test_a_fragment_belongs_to_the_address() -> None:
    play = Play().navigated("L", "http://a/", urlFragment="#x")
    assert play.tracker.url == "http://a/#x"
