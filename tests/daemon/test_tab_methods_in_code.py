"""Every method of the tab, by name, in code that runs on a real page; aliases beside them."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pilothouse.code.client.daemon_connection import DaemonClient
from tests.daemon.daemon_process import Home
from tests.page_server import Pages

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

_HTML = """<!doctype html><title>harbour</title>
<style>#a,#b{width:60px;height:40px;background:#9cf;margin:4px} #far{margin-top:3000px}</style>
<main><h1>Harbour</h1><p>The <b>tide</b> turns at noon.</p></main>
<button id=go onclick="document.title = 'gone'">Go</button>
<label>Name <input id=name value=Ann></label>
<select id=one><option value=r>Red<option value=g>Green</select>
<select id=many multiple><option>x<option>y<option>z</select>
<input type=file id=file multiple>
<div id=a>take</div><div id=b>drop</div>
<a href="/other.html">other</a>
<button id=far>far below</button>
<script>
  const $ = id => document.getElementById(id);
  $('a').onmousedown = () => { window.held = true; };
  $('b').onmouseup = () => { document.title = held ? 'dropped' : 'missed'; };
  $('name').onkeydown = event => { window.lastKey = event.key; };
  let n = 0;
  window.ask = () => setInterval(() => fetch('/data.json?n=' + n++), 50);
  window.later = (code) => setTimeout(code, 100);
</script>"""


@pytest.fixture(scope="module")
def line(lived_in: Home, served: Pages) -> Iterator[DaemonClient]:
    """A line whose owner has a tab."""
    served.add("/tab.html", _HTML)
    served.add("/other.html", "<title>other</title><p>Elsewhere")
    served.add("/data.json", '{"ok": true}')
    made = lived_in.line("")
    made.call("open")
    yield made
    made.call("close", all=True)


class Tab:
    """The page, fresh, and code on it."""

    def __init__(self, line: DaemonClient, served: Pages) -> None:
        self._line = line
        self.url = served.url("/tab.html")
        self.other = served.url("/other.html")
        line.call("open", url=self.url)

    def report(self, code: str, **more: Any) -> dict[str, Any]:
        """What a run comes to."""
        report: dict[str, Any] = self._line.call("run", code=code, **more)
        return report

    def run(self, code: str) -> Any:
        """The value of code that goes well."""
        report = self.report(code)
        assert "error" not in report, report["error"]
        return report["value"]


@pytest.fixture
def tab(line: DaemonClient, served: Pages) -> Tab:
    return Tab(line, served)


def test_name(tab: Tab) -> None:
    assert tab.run("tab.name") == "main"


def test_page(tab: Tab) -> None:
    code = "tab.page.cdp('Runtime.evaluate', expression='1 + 1')['result']['value']"
    assert tab.run(code) == 2
    assert tab.run("page.cdp('Runtime.evaluate', {'expression': '2 + 2'})['result']['value']") == 4


def test_signal(tab: Tab) -> None:
    # That it is set once the time is up is shown where nothing depends on speed: test_clock.py.
    assert tab.run("[tab.signal.aborted, browser.tab('main').signal.aborted]") == [False, False]


def test_url(tab: Tab) -> None:
    assert tab.run("tab.url()") == tab.url


def test_title(tab: Tab) -> None:
    assert tab.run("await tab.title()") == "harbour"


def test_goto(tab: Tab) -> None:
    arrival = tab.run(f"tab.goto({tab.other!r})")
    assert (arrival["url"], arrival["title"], arrival["status"]) == (tab.other, "other", 200)
    tab.run(f"tab.goto({tab.url!r}, waitUntil='domcontentloaded')")
    assert tab.run("tab.title()") == "harbour"


def test_selectors_narrow_down_in_code_as_everywhere(tab: Tab) -> None:
    assert tab.run("tab.text('select >> nth=0 >> option >> nth=-1')") == "Green"
    assert tab.run("[tab.count('option'), tab.count('select >> nth=1 >> option')]") == [5, 3]
    assert tab.run("page.locator('main').get_by_text('tide').inner_text()") == "tide"
    assert tab.run("page.get_by_text('Go').locator('..').get_by_role('link').count()") == 1
    assert (
        tab.run('tab.click(\'body:has-text("tide") >> aria/Go[role="button"]\'); tab.title()')
        == "gone"
    )


def test_observe(tab: Tab) -> None:
    seen = tab.run("tab.observe()")
    assert (seen["url"], seen["title"]) == (tab.url, "harbour")
    assert seen["viewport"]["width"] == seen["scroll"]["width"] > 0
    assert seen["scroll"]["scrollHeight"] > seen["scroll"]["height"]
    found = {(element["role"], element["name"]): element for element in seen["elements"]}
    assert found["textbox", "Name"]["value"] == "Ann"
    assert ("button", "far below") in found
    assert not any(role == "heading" for role, _ in found)
    assert len({element["id"] for element in seen["elements"]}) == len(seen["elements"])


def test_observe_include_all_and_viewport_only(tab: Tab) -> None:
    every = tab.run("tab.observe(includeAll=True)['elements']")
    assert any(element["role"] == "heading" for element in every)
    near = tab.run("tab.observe(viewport_only=True)['elements']")
    names = [element["name"] for element in near]
    assert "Go" in names
    assert "far below" not in names


def test_screenshot(tab: Tab) -> None:
    report = tab.report("shot = tab.screenshot()\ndisplay(shot)\n[shot['width'], shot['mime']]")
    said, image, _ = report["content"]
    assert [item["type"] for item in report["content"]] == ["text", "image", "text"]
    (saved,) = report["details"]["screenshots"]
    assert said["text"].startswith(f"Screenshot of {saved['width']}x{saved['height']} in ")
    assert Path(saved["dest"]).read_bytes().startswith(b"\x89PNG")
    assert saved["mimeType"] == report["value"][1] == "image/png"
    assert (image["mimeType"], base64.b64decode(image["data"])[:2]) == ("image/jpeg", b"\xff\xd8")


def test_screenshot_selector_full_page_and_silent(tab: Tab) -> None:
    code = (
        "whole = tab.screenshot(fullPage=True, silent=True)\n"
        "part = tab.screenshot(selector='#a', silent=True)\n"
        "[whole['css_height'], part['css_width'], part['css_height']]"
    )
    report = tab.report(code)
    assert [item["type"] for item in report["content"]] == ["text"]
    height, *part = report["value"]
    assert height > 3000
    assert part == [60, 40]


def test_extract(tab: Tab) -> None:
    assert "# Harbour" in tab.run("tab.extract()['text']")
    assert "**tide**" in tab.run("tab.extract('markdown')['text']")
    text = tab.run("tab.extract('text')['text']")
    assert "The tide turns at noon." in text


def test_click(tab: Tab) -> None:
    receipt = tab.run("tab.click('#go')")
    assert "clicked" in receipt["text"]
    assert tab.run("tab.title()") == "gone"
    tab.run("tab.goto(tab.url())\ntab.click('text/Go')")
    assert tab.run("tab.title()") == "gone"


def test_type(tab: Tab) -> None:
    tab.run("tab.type('#name', ' Lee')")
    assert tab.run("tab.value('#name')") == "Ann Lee"


def test_fill(tab: Tab) -> None:
    tab.run("tab.fill('#name', 'Bo')")
    assert tab.run("tab.value('#name')") == "Bo"


def test_press(tab: Tab) -> None:
    tab.run("tab.press('End', selector='#name')\ntab.press('x')")
    assert tab.run("[tab.evaluate('lastKey'), tab.value('#name')]") == ["x", "Annx"]
    tab.run("tab.press('Control+A', '#name')\ntab.press('Delete')")
    assert tab.run("tab.value('#name')") == ""


def test_scroll(tab: Tab) -> None:
    tab.run("tab.scroll(0, 400)\ntab.wait_for(function='scrollY > 300')")
    tab.run("tab.scroll(dy=-400)\ntab.wait_for(function='scrollY == 0')")


def test_drag(tab: Tab) -> None:
    tab.run("tab.drag('#a', '#b')")
    assert tab.run("tab.title()") == "dropped"
    centres = "[{k: b[k] + b[s] / 2 for k, s in (('x', 'width'), ('y', 'height'))} for b in boxes]"
    tab.run(
        f"tab.goto(tab.url())\nboxes = [tab.box('#a'), tab.box('#b')]\ntab.drag(*{centres})\n"
        "assert tab.title() == 'dropped'"
    )


@pytest.mark.parametrize("method", ["wait_for", "waitFor"])
def test_wait_for(tab: Tab, method: str) -> None:
    late = "later(\"document.body.insertAdjacentHTML('beforeend', '<i id=new>Fresh</i>')\")"
    found = tab.run(f"tab.evaluate({late!r})\ntab.{method}('#new')")
    assert (found["count"], found["visible"]) == (1, 1)
    assert tab.run(f"tab.{method}('text=Fresh')")["count"] >= 1
    gone = "later(\"document.getElementById('new').remove()\")"
    found = tab.run(f"tab.evaluate({gone!r})\ntab.{method}('text/Fresh', state='detached')")
    assert found["count"] == 0


def test_wait_for_an_element_of_a_ref(tab: Tab) -> None:
    code = (
        "ref = next(e['id'] for e in tab.observe()['elements'] if e['name'] == 'Go')\n"
        "tab.wait_for(ref)\n"
        "tab.evaluate(\"later(() => document.getElementById('go').remove())\")\n"
        "tab.wait_for(ref, state='hidden')['count']"
    )
    assert tab.run(code) == 0


def test_evaluate(tab: Tab) -> None:
    assert tab.run("tab.evaluate('document.title')") == "harbour"
    assert tab.run("tab.evaluate('(a, b) => ({sum: a + b.n})', 1, {'n': 2})") == {"sum": 3}
    assert tab.run("tab.evaluate('async (x) => [x, await Promise.resolve(2)]', args=[1])") == [1, 2]
    assert tab.run("tab.evaluate('const t = document.title; return t.length')") == 7


@pytest.mark.parametrize("method", ["scroll_into_view", "scrollIntoView"])
def test_scroll_into_view(tab: Tab, method: str) -> None:
    tab.run(f"tab.{method}('#far')")
    top = tab.run("tab.evaluate(\"document.getElementById('far').getBoundingClientRect().top\")")
    assert 0 <= top < tab.run("tab.evaluate('innerHeight')")


def test_select(tab: Tab) -> None:
    tab.run("tab.select('#one', 'g')")
    assert tab.run("tab.value('#one')") == "g"
    tab.run("tab.select('#one', 'Red')")
    assert tab.run("tab.value('#one')") == "r"
    chosen = (
        "tab.evaluate(\"[...document.getElementById('many').selectedOptions].map(o => o.value)\")"
    )
    tab.run("tab.select('#many', 'x', 'z')")
    assert tab.run(chosen) == ["x", "z"]
    tab.run("tab.select('#many', ['y'])")
    assert tab.run(chosen) == ["y"]


@pytest.mark.parametrize("method", ["upload", "upload_file", "uploadFile"])
def test_upload_file(tab: Tab, method: str) -> None:
    tab.run(
        "Path('sub').mkdir()\nPath('one.txt').write_text('first')\n"
        "Path('sub/two.txt').write_text('second')\n"
        f"tab.{method}('#file', 'one.txt', Path('sub/two.txt').absolute())"
    )
    # The run is over and its files are gone; the page has them all the same.
    files = "[...document.getElementById('file').files]"
    read = f"Promise.all({files}.map(async f => [f.name, await f.text()]))"
    assert tab.run(f'tab.evaluate("{read}")') == [["one.txt", "first"], ["two.txt", "second"]]


@pytest.mark.parametrize("method", ["wait_for_url", "waitForUrl"])
def test_wait_for_url(tab: Tab, method: str) -> None:
    go = "tab.evaluate(\"later(() => { location.href = '/other.html'; })\")"
    assert tab.run(f"{go}\ntab.{method}('other')") == tab.other
    assert tab.run(f"tab.{method}('**/other.html', timeout=5)") == tab.other
    assert tab.run(f"tab.{method}(r're:/o\\w+\\.html$')") == tab.other


@pytest.mark.parametrize("method", ["wait_for_response", "waitForResponse"])
def test_wait_for_response(tab: Tab, method: str) -> None:
    answer = tab.run(f"tab.evaluate('ask()')\ntab.{method}('/data.json', timeout=20)")
    assert answer["status"] == 200
    assert "/data.json?n=" in answer["url"]


def test_id(tab: Tab) -> None:
    code = (
        "found = next(e for e in tab.observe()['elements'] if e['name'] == 'Name')\n"
        "field = tab.id(found['id'])\nfield.fill('Cy')\nfield.press('End')\nfield.type('!')\n"
        "by_number = tab.id(int(found['id'].removeprefix('e')))\n"
        "[by_number.value(), by_number == field]"
    )
    assert tab.run(code) == ["Cy!", True]
