"""Tabs and sessions."""

from __future__ import annotations

from pilothouse.cdp.message import ROOT, SessionId
from pilothouse.supervisor.model import TabKey
from pilothouse.supervisor.model import effects as do
from pilothouse.supervisor.model import events as ev
from pilothouse.supervisor.model.dialog_policy_and_permissions import Policy
from tests.supervisor.step_driver_and_events import (
    CHILD,
    PAGE,
    TAB,
    TOP,
    Dialogue,
    attached,
    child,
    navigated,
    page,
)

OTHER = SessionId("other")


def test_page_that_is_attached_becomes_a_tab_and_is_instrumented() -> None:
    talk = Dialogue()
    assert talk.say(page()) == [do.SetUpSession(PAGE, "page", waiting=False)]
    tab = talk.state.tabs[TAB]
    assert (tab.target_id, tab.session, tab.url) == (TOP, PAGE, "https://top/")
    assert talk.state.tab_of(PAGE) == talk.state.tab_of_target(TOP) == tab


def test_child_works_for_its_parents_tab() -> None:
    talk = Dialogue(page())
    waiting = ev.SessionAttached(1, CHILD, "F", "iframe", parent=PAGE, waiting=True)
    assert talk.say(waiting) == [do.SetUpSession(CHILD, "iframe", waiting=True)]
    talk.say(child("W", OTHER, "worker", CHILD))
    assert {info.tab for info in talk.state.sessions.values()} == {TAB}
    assert talk.state.session_subtree(PAGE) == [PAGE, CHILD, OTHER]


def test_worker_of_the_browser_has_no_tab_and_is_instrumented_all_the_same() -> None:
    talk = Dialogue()
    assert talk.say(child("W", kind="service_worker", parent=ROOT))
    assert talk.state.sessions[CHILD].tab == ""
    assert talk.state.tabs == {}


def test_child_of_a_session_that_is_gone_hangs_on_the_root() -> None:
    talk = Dialogue(page(), child(parent=SessionId("gone")))
    assert (talk.state.sessions[CHILD].parent, talk.state.sessions[CHILD].tab) == (ROOT, "")


def test_popup_belongs_to_its_openers_owner_and_is_announced() -> None:
    talk = Dialogue(page(), ev.OwnerSet(1, TOP, TabKey("ann")))
    effects = talk.say(page("POPUP", OTHER, opener=TOP))
    assert do.Notify(TAB, "the page opened a new tab: t2") in effects
    popup = talk.state.tabs["t2"]
    assert (popup.owner, popup.opener) == ("ann", TAB)


def test_popup_of_an_unknown_opener_belongs_to_nobody() -> None:
    talk = Dialogue(page("POPUP", OTHER, opener="elsewhere"))
    assert (talk.state.tabs[TAB].owner, talk.state.tabs[TAB].opener) == ("", "")


def test_number_of_a_tab_is_never_used_again() -> None:
    talk = Dialogue(page(), ev.SessionDetached(1, PAGE), page("NEXT", OTHER))
    assert list(talk.state.tabs) == ["t2"]


def test_tab_takes_its_whole_family_along() -> None:
    talk = Dialogue(page(), attached(), child(), navigated(session=CHILD))
    talk.say(ev.ContextCreated(2, CHILD, "F", "c1"), ev.SessionDetached(3, PAGE))
    state = talk.state
    assert (state.tabs, state.sessions, state.frames, state.contexts) == ({}, {}, {}, {})


def test_tab_that_is_destroyed_before_it_is_detached_is_gone_at_once() -> None:
    talk = Dialogue(
        page(), attached(), ev.ContextCreated(2, PAGE, TOP, "c"), ev.TargetDestroyed(3, TOP)
    )
    state = talk.state
    assert (state.tabs, state.sessions, state.frames, state.contexts) == ({}, {}, {}, {})
    assert talk.say(ev.SessionDetached(4, PAGE), ev.TargetDestroyed(4, TOP)) == []


def test_target_that_was_never_attached_may_end_too() -> None:
    talk = Dialogue(page())
    assert talk.say(ev.TargetDestroyed(1, "stranger")) == []
    assert list(talk.state.tabs) == [TAB]


def test_child_that_goes_leaves_the_tab() -> None:
    talk = Dialogue(page(), child(), ev.SessionDetached(2, CHILD))
    assert list(talk.state.sessions) == [PAGE]
    assert list(talk.state.tabs) == [TAB]


def test_address_and_title_follow_the_target_and_its_main_frame() -> None:
    talk = Dialogue(page(), ev.TargetInfoChanged(1, TOP, "https://a/", "A"))
    assert (talk.state.tabs[TAB].url, talk.state.tabs[TAB].title) == ("https://a/", "A")
    talk.say(navigated(TOP, url="https://b/"))
    assert talk.state.tabs[TAB].url == "https://b/"
    talk.say(ev.FrameNavigatedWithinDocument(3, PAGE, TOP, "https://b/#c"))
    assert talk.state.tabs[TAB].url == talk.state.frames[TOP].url == "https://b/#c"


def test_late_news_of_the_target_do_not_bring_an_older_address_back() -> None:
    talk = Dialogue(page(), navigated(TOP, url="https://b/"))
    talk.say(ev.FrameNavigatedWithinDocument(3, PAGE, TOP, "https://b/next"))
    talk.say(ev.TargetInfoChanged(4, TOP, "https://b/", "B"))
    assert (talk.state.tabs[TAB].url, talk.state.tabs[TAB].title) == ("https://b/next", "B")


def test_frames_that_were_there_already_say_where_the_tab_is() -> None:
    talk = Dialogue(page(), ev.FrameTreeLoaded(1, PAGE, (navigated(TOP, url="https://top/moved"),)))
    talk.say(ev.TargetInfoChanged(2, TOP, "https://top/", "Top"))
    assert talk.state.tabs[TAB].url == "https://top/moved"


def test_address_that_failed_is_told_by_the_target() -> None:
    error = navigated(TOP, url="chrome-error://chromewebdata/")
    talk = Dialogue(page(), ev.FrameTreeLoaded(1, PAGE, (error,)))
    assert talk.state.tabs[TAB].url == "https://top/"
    talk.say(error, ev.TargetInfoChanged(3, TOP, "https://gone/", "gone"))
    assert talk.state.tabs[TAB].url == "https://gone/"


def test_address_of_an_inner_frame_is_not_the_tabs() -> None:
    talk = Dialogue(
        page(),
        attached(),
        navigated(),
        ev.FrameNavigatedWithinDocument(3, PAGE, "F", "https://f/#x"),
    )
    assert talk.state.tabs[TAB].url == "https://top/"


def test_news_of_strange_targets_change_nothing() -> None:
    talk = Dialogue(page())
    before = talk.state
    talk.say(
        ev.TargetInfoChanged(1, "?", "u", "t"),
        ev.OwnerSet(1, "?", TabKey("ann")),
        ev.StandbyChanged(1, "?", True),
        ev.LeaveRequested(1, "t9", "agent"),
        ev.RendererCrashed(1, SessionId("?")),
        ev.SessionDetached(1, SessionId("?")),
    )
    assert talk.state == before


def test_crashed_page_is_marked_until_it_is_revived() -> None:
    talk = Dialogue(page(), ev.RendererCrashed(1, PAGE))
    assert talk.state.tabs[TAB].crashed
    talk.say(ev.ReloadedAfterCrash(2, PAGE))
    assert not talk.state.tabs[TAB].crashed


def test_crash_of_a_frame_or_worker_does_not_mark_the_tab() -> None:
    talk = Dialogue(page(), child(), ev.RendererCrashed(1, CHILD))
    assert not talk.state.tabs[TAB].crashed


def test_drop_takes_all_sessions_and_leaves_the_tabs() -> None:
    talk = Dialogue(page(), child(), ev.ConnectionDropped(2, "reset"))
    assert (talk.state.connected, talk.state.sessions) == (False, {})
    assert talk.state.tabs[TAB].session == ""


def test_tab_keeps_its_name_and_owner_when_it_is_attached_again() -> None:
    talk = Dialogue(
        page(),
        ev.OwnerSet(1, TOP, TabKey("ann")),
        ev.ConnectionDropped(2, "reset"),
        ev.ConnectionRestored(3),
    )
    talk.say(page(session=OTHER))
    assert talk.say(ev.TargetsReattached(4)) == []
    tab = talk.state.tabs[TAB]
    assert (talk.state.connected, tab.owner, tab.session) == (True, "ann", OTHER)
    assert talk.state.tabs_count == 1


def test_tab_that_is_not_found_again_is_given_up_and_told_once() -> None:
    talk = Dialogue(page(), ev.ConnectionDropped(2, "reset"), ev.ConnectionRestored(3))
    text = "tab t1 (https://top/) was lost with the connection"
    assert talk.say(ev.TargetsReattached(4)) == [do.Notify(TAB, text)]
    assert talk.state.tabs == {}
    assert talk.say(ev.TargetsReattached(5)) == []


def test_lost_tab_lives_on_in_another_target_with_the_same_address() -> None:
    talk = Dialogue(
        page(),
        ev.ConnectionDropped(2, "reset"),
        ev.ConnectionRestored(3),
        ev.TabTargetReplaced(3, TAB, "TWIN"),
    )
    talk.say(page("TWIN", OTHER), ev.TargetsReattached(4))
    assert list(talk.state.tabs) == [TAB]
    assert list(talk.state.frames) == ["TWIN"]


def test_tab_that_lives_is_not_moved_and_no_target_has_two_tabs() -> None:
    talk = Dialogue(page(), page("NEXT", OTHER))
    talk.say(
        ev.TabTargetReplaced(3, TAB, "TWIN"),
        ev.TabTargetReplaced(3, TAB, "NEXT"),
        ev.TabTargetReplaced(3, "t9", "X"),
    )
    assert [tab.target_id for tab in talk.state.tabs.values()] == [TOP, "NEXT"]


def test_who_leaves_is_remembered_until_the_page_is_another() -> None:
    talk = Dialogue(page(), ev.LeaveRequested(1, TAB, "agent"))
    assert talk.state.tabs[TAB].leave_requested_by == "agent"
    talk.say(navigated(TOP))
    assert talk.state.tabs[TAB].leave_requested_by == ""


def test_policies_belong_to_owners() -> None:
    everyone, anns = Policy("auto_dismiss"), Policy("auto_accept")
    talk = Dialogue(ev.PolicySet(1, TabKey(), everyone), ev.PolicySet(1, TabKey("ann"), anns))
    assert talk.state.policy_of(TabKey("ann")) == anns
    assert talk.state.policy_of(TabKey("bob")) == everyone
    assert Dialogue().state.policy_of(TabKey("bob")) == Policy()


def test_holder_is_remembered_per_tab() -> None:
    talk = Dialogue(page(), ev.StandbyChanged(1, TOP, True))
    assert talk.state.tabs[TAB].has_standby
    talk.say(ev.StandbyChanged(2, TOP, False))
    assert not talk.state.tabs[TAB].has_standby


def test_policy_of_an_owner_that_is_gone_is_forgotten_with_its_last_tab() -> None:
    talk = Dialogue(
        ev.PolicySet(1, TabKey(), Policy()), ev.PolicySet(1, TabKey("ann"), Policy("auto_accept"))
    )
    talk.say(page(), ev.OwnerSet(1, TOP, TabKey("ann")), ev.PolicySet(2, TabKey("ann"), None))
    assert list(talk.state.policies) == [TabKey(), TabKey("ann")]
    talk.say(ev.TargetDestroyed(3, TOP), ev.PolicySet(4, TabKey("ann"), None))
    assert list(talk.state.policies) == [TabKey()]
    before = talk.state
    talk.say(ev.PolicySet(5, TabKey("bob"), None))
    assert talk.state == before
