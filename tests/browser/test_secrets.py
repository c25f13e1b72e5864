"""A secret typed by name is in nothing that anybody reads: S16, through a whole house."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.house.home import Home, at_home
from tests.pages import Pages
from tests.tools.agent import Agent

pytestmark = pytest.mark.browser

SECRET = 'hunter2 "&/ü'
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
  history.replaceState(0, '', '?said=' + encodeURIComponent(value));
  await fetch('/echo?q=' + encodeURIComponent(value), {method: 'POST',
    body: JSON.stringify({value}), headers: {Authorization: 'Basic ' + coded, 'X-Echo': coded}});
  said.dataset.done = 'yes';
};
</script>"""


@pytest.fixture(scope="module")
def pages() -> Iterator[Pages]:
    with Pages() as pages:
        pages.add("/login.html", PAGE)
        pages.add("/echo", "thanks")
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
    for form in ("hunter2", coded[8:16], PIN):
        assert form not in said


def test_a_secret_typed_by_name_is_in_no_output(agent: Agent, home: Home, pages: Pages) -> None:
    agent.ok("browser_navigate", url=pages.url("/login.html"))
    typed = agent.ok("browser_type", ref="#field", text="{{secret:SHOP}}")
    clicked = agent.ok("browser_click", ref="#go")
    waited = agent.use("browser_wait", text="you said")
    line = agent.line
    line.call("tab.wait_for", selector="#said[data-done]", state="attached")
    (visit,) = [v for v in pages.visits if v.path.startswith("/echo")]
    assert json.loads(visit.body) == {"value": SECRET}
    answers = [
        typed,
        clicked,
        waited,
        agent.ok("browser_snapshot"),
        agent.ok("browser_snapshot", full=True),
        agent.ok("browser_network"),
        agent.ok("browser_console"),
        agent.use("browser_console", expression="document.documentElement.outerHTML"),
        agent.use("browser_cdp", method="Runtime.evaluate", params={"expression": "field.value"}),
        agent.use("browser_storage"),
        agent.use("browser_cookies"),
        agent.use("browser_tabs"),
        agent.use("browser_find", query="hunter"),
        agent.use("browser_extract"),
        line.call("tab.value", target="#field"),
        line.call("tab.html"),
        line.call("tab.har"),
        line.call("tab.evaluate", code="({a: [field.value]})"),
        line.call("run", code="print(tab.value('#field'), tab.title(), tab.url())"),
        line.call("tabs"),
        line.call("journal", last=400),
    ]
    _unsaid(*answers, home.places.log.read_text())
    assert "[secret SHOP]" in json.dumps(answers)


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
