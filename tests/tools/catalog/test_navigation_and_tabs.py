"""Going, waiting and minding tabs, as an agent does it."""

from __future__ import annotations

import pytest

from tests.page_server import Pages
from tests.tools.tool_caller import Agent

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]


def test_navigating_opens_a_tab_and_shows_the_page(agent: Agent, served: Pages) -> None:
    url = served.add("/go.html", "<title>Go</title><p>words</p><button>Save</button>")
    came = agent.ok("browser_navigate", url=url)
    assert (came["url"], came["title"], came["element_count"]) == (url, "Go", 1)
    assert '- button "Save" [ref=e1]' in came["snapshot"]
    assert "- text: words" in came["snapshot"]
    assert "bot_detection_warning" not in came
    assert "auth_wall_warning" not in came
    assert "tab" not in came
    assert agent.ok("browser_tabs")["tabs"] == [
        {"name": "main", "url": url, "title": "Go", "current": True}
    ]


def test_status_and_redirects_are_told_where_they_are_not_usual(
    agent: Agent, served: Pages
) -> None:
    there = served.add("/there.html", "<title>There</title>", status=404)
    served.add_redirect("/from.html", there)
    came = agent.ok("browser_navigate", url=served.url("/from.html"))
    assert (came["url"], came["status"]) == (there, 404)
    assert came["redirects"] == [served.url("/from.html")]


def test_check_for_robots_is_pointed_out(agent: Agent, served: Pages) -> None:
    url = served.add("/cf.html", "<title>Just a moment...</title>", status=403)
    came = agent.ok("browser_navigate", url=url)
    assert "bot check" in came["bot_detection_warning"]


def test_login_that_came_instead_of_the_page_is_pointed_out(agent: Agent, served: Pages) -> None:
    login = served.add("/login", "<title>Welcome</title>")
    served.add_redirect("/account.html", login)
    came = agent.ok("browser_navigate", url=served.url("/account.html"))
    assert "redirected to a login page" in came["auth_wall_warning"]
    assert "auth_wall_warning" not in agent.ok("browser_navigate", url=login)


@pytest.mark.parametrize(
    ("given", "error", "hint"),
    [
        ({"url": ""}, "url: empty", "example.com"),
        ({"url": "javascript:alert(1)"}, "javascript", "evaluate"),
        ({"url": "a.test", "wait_until": "lod"}, "unknown value 'lod'", "did you mean load?"),
        ({"url": "a.test", "newtab": True}, "unknown parameter 'newtab'", "did you mean new_tab?"),
        ({}, "missing required field url", "use only: url"),
        ({"url": "http://127.0.0.1:1/"}, "did not load: net::ERR", "use another port"),
        ({"url": "http://no.host.invalid/"}, "did not load: net::ERR", "this host does not exist"),
    ],
)
def test_bad_navigation_says_what_is_wrong(
    agent: Agent, given: dict[str, object], error: str, hint: str
) -> None:
    said, advice = agent.refused("browser_navigate", **given)
    assert error in said
    assert hint in advice


def test_new_tab_is_named_and_becomes_the_present_one(agent: Agent, served: Pages) -> None:
    one = served.add("/one.html", "<title>One</title>")
    two = served.add("/two.html", "<title>Two</title>")
    agent.ok("browser_navigate", url=one)
    assert agent.ok("browser_navigate", url=two, new_tab=True)["tab"] == "tab2"
    listed = agent.ok("browser_tabs")
    assert listed["current"] == "tab2"
    assert [tab["title"] for tab in listed["tabs"]] == ["One", "Two"]
    assert agent.ok("browser_console", expression="document.title")["result"] == "Two"
    assert agent.ok("browser_console", expression="document.title", tab="main")["result"] == "One"


def test_tabs_are_opened_chosen_and_closed(agent: Agent, served: Pages) -> None:
    url = served.add("/t.html", "<title>T</title>")
    assert agent.ok("browser_tabs") == {"success": True, "tabs": [], "current": "main"}
    made = agent.ok("browser_tabs", action="new", name="shop", url=url)
    assert made["tabs"] == [{"name": "shop", "url": url, "title": "T", "current": True}]
    assert agent.ok("browser_tabs", action="new")["current"] == "tab2"
    assert agent.ok("browser_tabs", action="select", name="shop")["current"] == "shop"
    gone = agent.ok("browser_tabs", action="close")
    assert (gone["closed"], gone["current"]) == ("shop", "tab2")
    error, hint = agent.refused("browser_tabs", action="select", name="tab3")
    assert error == "name: unknown tab 'tab3'"
    assert hint == "did you mean tab2? your tabs: tab2"
    assert "url: not allowed with action list" in agent.refused("browser_tabs", url=url)[0]


def test_popup_is_told_and_can_be_chosen(agent: Agent, served: Pages) -> None:
    served.add("/popup.html", "<title>Popped</title>")
    url = served.add("/pops.html", "<a target=_blank href=/popup.html>open</a>")
    agent.ok("browser_navigate", url=url)
    clicked = agent.ok("browser_click", ref="text=open")
    assert clicked["new_tabs"] == ["main.1"]
    assert "new tab main.1" in clicked["changes"]
    agent.ok("browser_tabs", action="select", name="main.1")
    agent.ok("browser_wait", url="popup.html")
    assert agent.ok("browser_console", expression="document.title")["result"] == "Popped"


def test_back_forward_and_reload_tell_where_they_led(agent: Agent, served: Pages) -> None:
    one = served.add("/b1.html", "<title>B1</title>")
    two = served.add("/b2.html", "<title>B2</title>")
    agent.ok("browser_navigate", url=one)
    assert "no page before" in agent.refused("browser_back")[0]
    agent.ok("browser_navigate", url=two)
    back = agent.ok("browser_back")
    assert (back["url"], back["changes"]) == (one, [f"went to {one}"])
    assert agent.ok("browser_forward")["url"] == two
    assert agent.ok("browser_reload", ignore_cache=True)["title"] == "B2"
    assert "no page after" in agent.refused("browser_forward")[0]
    assert "unknown parameter 'hard'" in agent.refused("browser_reload", hard=True)[0]


def test_wait_ends_when_its_one_thing_is_so(agent: Agent, served: Pages) -> None:
    url = served.add(
        "/w.html",
        "<p id=old>old</p><script>setTimeout(() => { document.body.innerHTML = '<b>new</b>'; "
        "history.pushState(0, '', '/w2.html') }, 50)</script>",
    )
    agent.ok("browser_navigate", url=url)
    assert agent.ok("browser_wait", text="new")["waited_for"] == {"text": "new"}
    agent.ok("browser_wait", text_gone="old")
    agent.ok("browser_wait", ref="#old", state="detached")
    assert agent.ok("browser_wait", url="**/w2.html")["url"] == served.url("/w2.html")
    agent.ok("browser_wait", idle=True)
    assert agent.ok("browser_wait", seconds=0.01)["waited_for"] == {"seconds": 0.01}


@pytest.mark.parametrize(
    ("given", "error", "hint"),
    [
        ({}, "no condition is given", "give exactly one of text, text_gone"),
        ({"text": "a", "url": "b"}, "text and url are given", "give exactly one of"),
        (
            {"seconds": 1000},
            "seconds: expected more than 0 and at most 60, got 1000",
            "wait for what should appear",
        ),
        ({"ref": "e1", "state": "shown"}, "unknown value 'shown'", "use one of visible"),
        ({"text": "never", "timeout": 0.2}, "never", ""),
    ],
)
def test_bad_wait_says_what_is_wrong(
    agent: Agent, served: Pages, given: dict[str, object], error: str, hint: str
) -> None:
    agent.ok("browser_navigate", url=served.add("/empty.html", "nothing"))
    said, advice = agent.refused("browser_wait", **given)
    assert error in said
    assert hint in advice


def test_dialog_while_a_page_loads_does_not_lose_the_navigation(
    agent: Agent, served: Pages
) -> None:
    url = served.add(
        "/asks.html",
        "<title>before</title><script>document.title=prompt('who?')</script><button>B</button>",
    )
    blocked = agent.blocked("browser_navigate", url=url)
    assert "a dialog (prompt)" in blocked["error"]
    assert "browser_dialog" in blocked["hint"]
    answered = agent.ok("browser_dialog", action="accept", prompt_text="Anna")
    navigated = answered["interrupted"]
    assert (navigated["tool"], navigated["success"]) == ("browser_navigate", True)
    assert navigated["title"] == "Anna"
    assert '- button "B"' in navigated["snapshot"]
