"""Code and batches, as an agent runs them."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest

from tests.page_server import Pages
from tests.tools.tool_caller import Agent

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

PAGE = """
<title>Shop</title>
<label>Name <input></label><label><input type=checkbox>Agree</label>
<select aria-label=Size><option value=s>Small<option value=l>Large</select>
<ul><li>one<li>two<li>three</ul>
<button onclick="document.title = 'Bought'">Buy</button>
"""


@pytest.fixture
def shop(agent: Agent, served: Pages) -> Agent:
    """An agent in a shop."""
    agent.ok("browser_navigate", url=served.add("/shop.html", PAGE))
    return agent


def test_code_finds_everyday_page_and_context(shop: Agent, served: Pages) -> None:
    code = """
await page.get_by_label("Name").fill("Anna")
page.get_by_label("Agree").check()
page.select_option("select", "l")
page.get_by_role("button", name="Buy").click()
page.wait_for_function("document.title === 'Bought'")
other = context.new_page()
other.goto(state.setdefault("url", page.url))
display(page.locator("li").nth(1).inner_text())
return {
    "value": page.input_value("input"),
    "checked": page.is_checked("[type=checkbox]"),
    "size": page.locator("select").input_value(),
    "texts": page.locator("li").all_inner_texts(),
    "title": page.title(),
    "other": other.title(),
    "pages": len(context.pages),
}
"""
    told = shop.ok("execute", code=code)
    assert told["result"].startswith("two\n")
    for expected in ('"value": "Anna"', '"checked": true', '"size": "l"', '"title": "Bought"'):
        assert expected in told["result"]
    assert '"other": "Shop"' in told["result"]
    assert '"pages": 2' in told["result"]


def test_state_stays_between_calls_and_tabs_until_reset(shop: Agent) -> None:
    code = "state['n'] = state.get('n', 0) + 1; return state['n']"
    assert shop.ok("execute", code=code)["result"] == "1"
    shop.ok("browser_tabs", action="new", name="other")
    assert shop.ok("execute", code=code)["result"] == "2"
    assert shop.ok("reset") == {"success": True, "reset": True}
    assert shop.ok("execute", code=code)["result"] == "1"
    assert sorted(shop.ok("reset", tabs=True)["closed"]) == ["main", "other"]
    assert "unknown parameter 'all'" in shop.refused("reset", all=True)[0]


def test_code_opens_a_tab_where_there_is_none(agent: Agent) -> None:
    assert agent.ok("execute", code="page.url")["result"] == "about:blank"


def test_snapshot_in_code_is_text_with_refs(shop: Agent) -> None:
    assert '- button "Buy" [ref=e' in shop.ok("execute", code="snapshot(full=False)")["result"]
    assert "two" in shop.ok("execute", code="return snapshot()")["result"]


def test_long_output_is_cut_and_all_of_it_is_in_a_file(shop: Agent) -> None:
    told = shop.ok("execute", code="print('x' * 12_000); print('the end')")
    assert len(told["result"]) < 10_300
    assert "… cut: 2" in told["result"]
    path = Path(told["result"].rpartition(" is in ")[2])
    assert path.read_text().endswith("the end")
    assert path.stat().st_mode & 0o077 == 0


def test_pictures_of_code_are_images_of_the_answer(shop: Agent) -> None:
    told = shop.ok("execute", code="data = page.screenshot(); return len(data)")
    (image,) = told["images"]
    assert base64.b64decode(image["data"]).startswith(b"\xff\xd8")
    assert image["mimeType"] == "image/jpeg"
    assert [next(iter(one)) for one in told["ordered"]] == ["text", "image", "text"]
    (saved,) = told["screenshots"]
    assert Path(saved["dest"]).read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("code", "error", "hint"),
    [
        ("1 +", "SyntaxError", ""),
        ("page.clck('a')", "page has no 'clck' here", "page.click"),
        ("page.on('dialog', print)", "page has no 'on' here", "tab.dialogs()"),
        ("page.click('#nope', timeout=200)", "#nope", ""),
        ("raise ValueError('no')", "ValueError: no", ""),
        ("", "Missing required parameter 'code'", "give code"),
    ],
)
def test_code_that_fails_says_where(shop: Agent, code: str, error: str, hint: str) -> None:
    said, advice = shop.refused("execute", code=code)
    assert error in said
    assert hint in said + advice
    assert advice


def test_code_that_takes_too_long_is_ended(shop: Agent) -> None:
    error, hint = shop.refused("execute", code="while True: pass", timeout=1)
    assert "took longer than 1 s" in error
    assert "longer timeout" in hint
    assert shop.ok("browser_console", expression="document.title")["result"] == "Shop"


def test_browser_opens_runs_and_closes(agent: Agent, served: Pages) -> None:
    url = served.add("/b.html", "<title>B</title>")
    opened = agent.ok(
        "browser",
        action="open",
        name="b",
        url=url,
        viewport={"width": 500, "height": 400},
        dialogs="accept",
    )
    assert (opened["name"], opened["title"], opened["reused"]) == ("b", "B", False)
    code = "display('shown'); return tab.evaluate('innerWidth')"
    assert agent.ok("browser", action="run", name="b", code=code)["result"] == "shown\n500"
    ran = agent.ok("browser", action="run", name="b", code="document.title", language="js")
    assert ran["result"] == "B"
    closed = agent.ok("browser", action="close", name="b")
    assert (closed["result"], closed["closed"]) == ("Closed b", ["b"])
    assert agent.ok("browser", action="close", all=True)["result"] == "No tabs"


@pytest.mark.parametrize(
    ("given", "error", "hint"),
    [
        ({"action": "opn"}, "unknown value 'opn'", "did you mean open?"),
        (
            {"action": "open", "code": "1"},
            "code: not allowed with action open",
            "use only: name, url",
        ),
        (
            {"action": "close", "url": "x"},
            "url: not allowed with action close",
            "use only: name, all",
        ),
        ({"action": "run"}, "Missing required parameter 'code'", "give code"),
        ({"action": "run", "code": "1", "name": "no"}, 'there is no tab "no"', "your tabs"),
        ({"action": "open", "wait_until": "x"}, "wait_until: unknown value 'x'", "one of load"),
        ({"action": "open", "app": {"pth": ""}}, "unknown field pth", "did you mean path?"),
    ],
)
def test_bad_call_of_browser_says_what_is_wrong(
    agent: Agent, given: dict[str, object], error: str, hint: str
) -> None:
    said, advice = agent.refused("browser", **given)
    assert error in said
    assert hint in advice


def test_batch_gives_the_answers_of_all(shop: Agent) -> None:
    told = shop.ok(
        "browser_batch",
        steps=[
            {"tool": "browser_type", "arguments": {"ref": "label=Name", "text": "Bo"}},
            {"tool": "browser_click", "arguments": {"ref": "button=Buy"}},
            {"tool": "browser_console", "arguments": {"expression": "document.title"}},
        ],
    )
    assert [one["tool"] for one in told["results"]] == [
        "browser_type",
        "browser_click",
        "browser_console",
    ]
    assert all(one["success"] for one in told["results"])
    assert told["results"][2]["result"] == "Bought"


def test_batch_shows_the_page_it_ends_on_and_none_between(agent: Agent, served: Pages) -> None:
    served.add("/b3.html", "<title>Three</title><h1>Here</h1>")
    served.add("/b2.html", "<title>Two</title><a href=/b3.html>on</a>")
    url = served.add("/b1.html", "<title>One</title><a href=/b2.html>go</a>")
    steps = [
        {"tool": "browser_navigate", "arguments": {"url": url}},
        {"tool": "browser_find", "arguments": {"query": "go"}},
        {"tool": "browser_click", "arguments": {"ref": "text=go"}},
        {"tool": "browser_click", "arguments": {"ref": "text=on"}},
    ]
    told = agent.ok("browser_batch", steps=steps)
    assert ["snapshot" in one for one in told["results"]] == [False, True, False, False]
    assert '- heading "Here" [level=1]' in told["snapshot"]


def test_pictures_of_a_batch_stand_apart_from_its_answers(shop: Agent) -> None:
    steps = [
        {"tool": "browser_screenshot"},
        {"tool": "browser_vision", "arguments": {"question": "?"}},
    ]
    told = shop.ok("browser_batch", steps=steps)
    assert [one["pictures"] for one in told["results"]] == [["images[0]"], ["images[1]"]]
    assert all("image" not in one for one in told["results"])
    assert len(told["images"]) == 2


def test_batch_stops_at_an_error_unless_told_otherwise(shop: Agent) -> None:
    steps = [
        {"tool": "browser_click", "arguments": {"ref": "#nope"}},
        {"tool": "browser_snapshot"},
    ]
    stopped = shop.use("browser_batch", steps=steps)
    assert stopped["success"] is False
    assert stopped["error"].startswith("steps[0] (browser_click): ")
    assert stopped["hint"].endswith("1 step was not run")
    assert len(stopped["results"]) == 1
    went_on = shop.use("browser_batch", steps=steps, stop_on_error=False)
    assert [one["success"] for one in went_on["results"]] == [False, True]
    assert went_on["success"] is False


@pytest.mark.parametrize(
    ("steps", "error", "hint"),
    [
        ([], "steps: 0 steps are given", "1 to 50"),
        ([{"tool": "browser_batch"}], "steps[0]: browser_batch cannot be nested", "put its steps"),
        ([{"tool": "browser_clik"}], "unknown tool 'browser_clik'", "did you mean browser_click?"),
        ([{"tool": "x", "args": {}}], "unknown field args", "did you mean arguments?"),
    ],
)
def test_bad_batch_says_what_is_wrong(
    agent: Agent, steps: list[object], error: str, hint: str
) -> None:
    said, advice = agent.refused("browser_batch", steps=steps)
    assert error in said
    assert hint in advice


def test_code_calls_the_other_tools_of_its_session(shop: Agent) -> None:
    code = """
seen = tools.browser_snapshot()
clicked = tools.browser_click(ref="button=Buy")
try:
    tools.browser_click(ref="#nowhere")
except Exception as error:
    print("refused:", error)
return [seen["success"], "clicked" in clicked, tab.title() == page.title()]
"""
    told = shop.ok("execute_code", code=code)
    assert "refused: " in told["result"]
    assert json.loads(told["result"].partition("\n")[2]) == [True, True, True]


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("tools.execute(code='1')", "execute: not allowed in code"),
        ("tools.execute_code(code='1')", "execute_code: not allowed in code"),
        ("tools.browser(action='open')", "browser: not allowed in code"),
        (
            "tools.browser_batch(steps=[{'tool': 'browser', 'arguments': {'action': 'open', "
            "'name': 'x', 'app': {'path': '/bin/true'}}}])",
            "browser_batch: not allowed in code",
        ),
        ("tools.no_such_tool()", "unknown tool 'no_such_tool'"),
        ("tools.browser_click(reff='e1')", "unknown parameter 'reff'"),
    ],
)
def test_code_calls_no_tool_that_is_dangerous_or_unknown(
    shop: Agent, code: str, error: str
) -> None:
    assert error in shop.refused("execute_code", code=code)[0]


def test_other_code_has_no_tools(shop: Agent) -> None:
    for tool, given in (("execute", {}), ("browser", {"action": "run"})):
        error, _ = shop.refused(tool, code="tools.browser_snapshot()", **given)
        assert "code in a run cannot call 'tool'" in error
