"""A secret typed by name is in nothing that anybody reads: S16, through a whole daemon."""

from __future__ import annotations

import base64
import contextlib
import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pilothouse.code.client.daemon_connection import DaemonClient
from pilothouse.errors import PilothouseError
from tests.daemon.daemon_process import Home, at_home
from tests.page_server import Pages
from tests.tools.tool_caller import Agent

pytestmark = [pytest.mark.browser, pytest.mark.boundary]

SECRET = 'P@ssw0rd! "&/ü'
PIN = "47114711"

# Whatever is typed comes back in every way a page has.
PAGE = """<!doctype html><title>login</title>
<label>Secret <input id=field></label><button id=go>go</button><p id=said></p>
<script>
go.onclick = async () => {
  const value = field.value;
  const coded = btoa(unescape(encodeURIComponent('user:' + value)));
  said.textContent = 'you said ' + value;
  document.title = 'hello ' + value;
  console.log('typed', value, {value, coded});
  console.error(coded);
  localStorage.setItem('said', value);
  document.cookie = 'said=' + encodeURIComponent(value);
  history.replaceState(0, '', '/login.html?said=' + value + '#' + value);
  console.log(location.href, [...new TextEncoder().encode(value)]
    .map((n) => n.toString(16).toUpperCase()).join(''));
  await fetch('/echo?q=' + value);
  await fetch('/echo?' + new URLSearchParams({value}), {method: 'POST',
    body: JSON.stringify({value}), headers: {Authorization: 'Basic ' + coded, 'X-Echo': coded}});
  said.dataset.done = 'yes';
};
</script>"""

EVALUATED = "print(page.cdp('Runtime.evaluate', expression='field.value', returnByValue=True))"
EVALUATED_LETTERS = (
    "print(list(page.cdp('Runtime.evaluate', expression='field.value')['result']['value']))"
)
FRAMED = """<!doctype html><title>framed</title>
<label>Mine <input id=mine></label><iframe name=theirs src="{theirs}"></iframe>"""
# Takes the focus as often as it can: keys go to whoever has it.
GREEDY = """<!doctype html><title>greedy</title><input id=field>
<script>setInterval(() => field.focus(), 1)</script>"""


@pytest.fixture(scope="module")
def pages() -> Iterator[Pages]:
    with Pages() as pages:
        pages.add("/login.html", PAGE)
        pages.add("/echo", "thanks")
        pages.add("/greedy.html", GREEDY)
        for host, other in (("127.0.0.1", "localhost"), ("localhost", "127.0.0.1")):
            for name in ("login", "greedy"):
                theirs = pages.url(f"/{name}.html", host=other)
                pages.add(f"/{host}-{name}.html", FRAMED.format(theirs=theirs))
        pages.add(
            "/srcdoc.html",
            """<!doctype html><title>srcdoc</title>
          <iframe name=theirs srcdoc="<input id=field>"></iframe>""",
        )
        yield pages


@pytest.fixture(scope="module")
def home(
    chromium_path: Path, pages: Pages, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Home]:
    config = tmp_path_factory.mktemp("config") / "config.yaml"
    config.write_text(
        f"secrets:\n  SHOP: {{env: SHOP_SECRET}}\n"
        f'  PIN: {{value: "{PIN}", origins: ["localhost:{pages.port}"]}}\n'
    )
    with at_home(chromium_path) as made:
        made.start(PILOTHOUSE_CONFIG=str(config), SHOP_SECRET=SECRET)
        yield made


@pytest.fixture
def agent(home: Home, request: pytest.FixtureRequest) -> Iterator[Agent]:
    line = home.line(request.node.name[:90])
    yield Agent(line)
    line.call("close", all=True)


def _unsaid(*answers: Any) -> None:
    """None of it holds the secret, plain or coded."""
    said = "\n".join(a if isinstance(a, str) else json.dumps(a) for a in answers)
    coded = base64.b64encode(f"user:{SECRET}".encode()).decode()
    for form in ("ssw0rd", SECRET.encode().hex().upper()[2:16], coded[12:20], PIN):
        at = said.find(form)
        assert at < 0, f"{form} in ...{said[max(at - 200, 0) : at + 60]}"


def test_a_secret_typed_by_name_is_in_no_output(agent: Agent, home: Home, pages: Pages) -> None:
    agent.ok("browser_navigate", url=pages.url("/login.html"))
    typed = agent.ok("browser_type", ref="#field", text="{{secret:SHOP}}")
    clicked = agent.ok("browser_click", ref="#go")
    waited = agent.use("browser_wait", text="you said")
    line = agent.line
    line.call("tab.wait_for", selector="#said[data-done]", state="attached")
    (visit,) = [v for v in pages.visits if v.path.startswith("/echo") and v.method == "POST"]
    assert json.loads(visit.body) == {"value": SECRET}
    answers = [
        typed,
        clicked,
        waited,
        agent.ok("browser_snapshot"),
        agent.ok("browser_snapshot"),
        agent.ok("browser_network"),
        agent.ok("browser_console"),
        agent.use("browser_console", expression="document.documentElement.outerHTML"),
        agent.use("browser_cdp", method="Runtime.evaluate", params={"expression": "field.value"}),
        agent.use("browser_storage"),
        agent.use("browser_cookies"),
        agent.use("browser_tabs"),
        agent.use("browser_find", query="you said"),
        agent.use("browser_extract"),
        line.call("tab.value", target="#field"),
        line.call("tab.html"),
        line.call("tab.har"),
        line.call("tab.evaluate", code="({a: [field.value]})"),
        line.call("run", code="print(tab.value('#field'), tab.title(), tab.url())"),
        line.call("run", code=EVALUATED),
        line.call("run", code="import os\nprint(tab.url())\nraise ValueError(tab.title())"),
        line.call("tabs"),
        line.call("journal", last=400),
    ]
    _unsaid(*answers, home.paths.log.read_text(), home.paths.ledger.read_text())
    assert "[secret SHOP]" in json.dumps(answers)
    assert "[secret SHOP]" in home.paths.ledger.read_text()


def test_code_in_a_run_never_has_the_secret_itself(agent: Agent, pages: Pages) -> None:
    agent.ok("browser_navigate", url=pages.url("/login.html"))
    agent.ok("browser_type", ref="#field", text="{{secret:SHOP}}")
    ran = agent.line.call("run", code="print(list(tab.value('#field')))\n" + EVALUATED_LETTERS)
    letters = ran["details"]["result"]
    assert "'w', '0', 'r'" not in letters
    assert "'s', 'e', 'c'" in letters


def test_the_notice_of_a_crash_says_no_secret(
    chromium_path: Path, pages: Pages, tmp_path: Path
) -> None:
    config = tmp_path / "config.yaml"
    config.write_text("secrets:\n  SHOP: {env: SHOP_SECRET}\n")
    known = {"PILOTHOUSE_CONFIG": str(config), "SHOP_SECRET": SECRET}
    with at_home(chromium_path) as made:
        made.start(**known)
        agent = Agent(made.line("crash"))
        agent.ok("browser_navigate", url=pages.url("/login.html"))
        agent.ok("browser_type", ref="#field", text="{{secret:SHOP}}")
        agent.ok("browser_click", ref="#go")
        agent.line.call("tab.wait_for", selector="#said[data-done]", state="attached")
        agent.line.call("tab.title")
        made.family()
        made.kill()
        _unsaid(made.paths.ledger.read_text())
        made.start(**known)
        (notice,) = made.line("crash").hello["notices"]
    assert "lost in a crash" in notice
    assert "[secret SHOP]" in notice
    _unsaid(notice)


def test_a_form_takes_secrets_too_and_errors_do_not_say_them(agent: Agent, pages: Pages) -> None:
    agent.ok("browser_navigate", url=pages.url("/login.html", host="localhost"))
    filled = agent.ok("browser_fill_form", fields=[{"ref": "#field", "value": "{{secret:PIN}}"}])
    error, hint = agent.refused("browser_type", ref="#none", text="{{secret:SHOP}}")
    unknown, known = agent.refused("browser_type", ref="#field", text="{{secret:OTHER}}")
    assert agent.line.call("tab.evaluate", code="field.value.length") == len(PIN)
    assert "there is no secret 'OTHER'" in unknown
    assert "SHOP, PIN" in known
    _unsaid(filled, error, hint, unknown, known)


def test_a_secret_with_origins_is_not_typed_elsewhere(agent: Agent, pages: Pages) -> None:
    agent.ok("browser_navigate", url=pages.url("/login.html"))
    error, hint = agent.refused("browser_type", ref="#field", text="{{secret:PIN}}")
    assert "may not be typed at http://127.0.0.1" in error
    assert "localhost" in hint
    assert agent.line.call("tab.value", target="#field") == ""


def _framed(line: DaemonClient) -> str:
    """The field in the frame of a page, by its ref, once it is there."""
    give_up = time.monotonic() + 20
    while time.monotonic() < give_up:
        shown = line.call("tab.snapshot")["text"]
        if found := re.search(r"textbox[^\n]*\[ref=(f\d+e\d+)", shown):
            return found[1]
    raise AssertionError(shown)


# The frame that receives it decides, not the page around it: `localhost` may have the PIN.


def test_a_frame_of_another_origin_does_not_get_it(agent: Agent, pages: Pages) -> None:
    agent.ok("browser_navigate", url=pages.url("/localhost-login.html", host="localhost"))
    line = agent.line
    theirs = _framed(line)
    for verb, given in (
        ("type", {"text": "{{secret:PIN}}"}),
        ("fill", {"value": "{{secret:PIN}}"}),
    ):
        with pytest.raises(PilothouseError, match=r"may not be typed at http://127\.0\.0\.1"):
            line.call(f"tab.{verb}", target=theirs, **given)
    assert line.call("tab.value", target=theirs) == ""
    line.call("tab.type", target="#mine", text="{{secret:PIN}}")
    assert line.call("tab.evaluate", code="mine.value.length") == len(PIN)


def test_a_frame_of_its_own_origin_gets_it_whatever_is_around(agent: Agent, pages: Pages) -> None:
    agent.ok("browser_navigate", url=pages.url("/127.0.0.1-login.html"))
    line = agent.line
    theirs = _framed(line)
    line.call("tab.type", target=theirs, text="{{secret:PIN}}")
    assert line.call("tab.value", target=theirs) == "[secret PIN]"
    with pytest.raises(PilothouseError, match="may not be typed"):
        line.call("tab.fill", target="#mine", value="{{secret:PIN}}")
    assert line.call("tab.value", target="#mine") == ""


def test_a_document_without_an_address_is_its_parents(agent: Agent, pages: Pages) -> None:
    agent.ok("browser_navigate", url=pages.url("/srcdoc.html", host="localhost"))
    line = agent.line
    theirs = _framed(line)
    line.call("tab.fill", target=theirs, value="{{secret:PIN}}")
    assert line.call("tab.value", target=theirs) == "[secret PIN]"
    agent.ok("browser_navigate", url=pages.url("/srcdoc.html"))
    theirs = _framed(line)
    with pytest.raises(PilothouseError, match="may not be typed"):
        line.call("tab.fill", target=theirs, value="{{secret:PIN}}")


@pytest.mark.parametrize(("verb", "key"), [("type", "text"), ("fill", "value")])
def test_a_frame_that_takes_the_focus_does_not_get_it_either(
    agent: Agent, pages: Pages, verb: str, key: str
) -> None:
    agent.ok("browser_navigate", url=pages.url("/localhost-greedy.html", host="localhost"))
    line = agent.line
    theirs = _framed(line)
    for _ in range(5):
        # It may fail, for the focus is fought over; it must not go astray.
        with contextlib.suppress(PilothouseError):
            line.call(f"tab.{verb}", target="#mine", **{key: "{{secret:PIN}}"})
        assert line.call("tab.value", target=theirs) == ""
    assert "[secret PIN]" in line.call("tab.value", target="#mine")
