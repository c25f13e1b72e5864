"""Commands on a real tab: a daemon, a Chromium, and a person who types."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import Shell
from tests.page_server import Pages

pytestmark = pytest.mark.browser

FORM = """<!doctype html><title>Harbour</title><h1>Harbour</h1>
<label>Name <input id=name></label>
<select id=kind><option>sloop<option>ketch</select>
<button id=go onclick="out.textContent = 'gone'">Go</button>
<button id=ask onclick="out.textContent = prompt('Whose boat?', 'mine')">Ask</button>
<input type=file id=papers onchange="out.textContent = this.files[0].name">
<output id=out></output> <a id=pier href="/form.html?pier" target=_blank>Pier</a>
<div id=crate style="width:40px;height:40px;background:red"
  onmousedown="out.textContent = 'taken'">crate</div>
<script>console.warn('low tide'); document.cookie = 'berth=12'</script>"""


@pytest.fixture(scope="module", autouse=True)
def page(shell: Shell, site: Pages) -> str:
    """The tab `main`, at the form."""
    url = site.add("/form.html", FORM)
    ran = shell("open", url)
    assert ran.code == 0, ran.err
    assert ran.out == f"Opened tab main on headless browser\nAt {url} (200): Harbour\n"
    return url


def test_a_snapshot_has_refs_that_can_be_clicked(shell: Shell) -> None:
    shown = shell("snapshot")
    assert shown.code == 0
    (line,) = (line for line in shown.out.splitlines() if 'button "Go"' in line)
    ref = line.partition("[ref=")[2].partition("]")[0]
    clicked = shell("click", ref)
    assert (clicked.code, clicked.err) == (0, "")
    assert clicked.out.startswith(f'Clicked button "Go" [{ref}]; ')
    assert shell("text", "#out").out.startswith("gone")


def test_fields_are_filled_typed_into_chosen_and_pressed(shell: Shell) -> None:
    assert shell("fill", "#name", "Anna").code == 0
    assert shell("type", "#name", " II").code == 0
    assert shell("value", "#name").out == "Anna II\n"
    assert "value is 'ketch'" in shell("select", "#kind", "ketch").out
    assert shell("press", "Control+A", "--timeout", "20", "#name").code == 0
    assert shell("hover", "#go").code == 0


def test_a_person_answers_what_an_agent_asks_and_has_the_tab_until_then(shell: Shell) -> None:
    asked = shell("request-human", "Whose boat is it?", "--choices", "mine", "--choices", "yours")
    assert asked.code == 3
    refused = shell("title")
    assert refused.code == 3
    assert 'a person has the tab "main"' in refused.err
    listed = shell("handover")
    request = listed.out.split()[0]
    assert "Whose boat is it?" in listed.out
    assert "choose: mine, yours" in listed.out
    assert f"pilothouse handover done {request}" in listed.out
    assert shell("handover", "answer").code == 2
    assert shell("handover", "answer", request).code == 2
    answered = shell("handover", "answer", request, "yours")
    assert answered.out == f"{request}: answer\nNo agent waits for you.\n"
    action = asked.out.rsplit("pilothouse result ", 1)[1].split()[0]
    result = json.loads(shell("result", action, "--json").out)["result"]
    assert (result["outcome"], result["answer"]) == ("answered", "yours")
    assert shell("title").out == "Harbour\n"


def test_a_blocked_click_is_exit_code_three_and_its_commands_work(shell: Shell) -> None:
    blocked = shell("click", "#ask")
    assert blocked.code == 3
    lines = [line.split(maxsplit=1)[1] for line in blocked.out.splitlines()[1:]]
    accept, dismiss, result = lines
    assert blocked.out.startswith("Blocked by prompt d-")
    assert dismiss.startswith("pilothouse dialog dismiss d-")
    assert "Whose boat?" in shell("dialog").out
    listed = shell("interrupts")
    assert listed.code == 0
    assert listed.out.splitlines() == [
        f"main: {blocked.out.splitlines()[0].removeprefix('Blocked by ')}",
        *blocked.out.splitlines()[1:3],
    ]
    done = shell(*accept.removeprefix("pilothouse ").replace("TEXT", "Olga's").split())
    assert (done.code, done.out.endswith("Whose boat?\n")) == (0, True)
    assert shell(*result.removeprefix("pilothouse ").split()).out.startswith('Clicked button "Ask"')
    assert shell("text", "#out").out == "Olga's\n"
    assert "Nothing waits" in shell("dialog").out
    assert shell("interrupts", "--tab", "main").out == "Nothing waits for an answer.\n"


def test_a_blocked_click_as_json_has_error_and_result(shell: Shell) -> None:
    blocked = shell("click", "#ask", "--json")
    told = blocked.told
    assert (blocked.code, told["ok"], told["error"]["kind"]) == (3, False, "Blocked")
    assert told["result"]["blocked_by"][0]["message"] == "Whose boat?"
    assert shell("dialog", "dismiss").out.startswith("Dismissed prompt")
    assert shell("result", told["result"]["action_id"]).code == 0


def test_code_is_run_from_words_a_file_and_stdin(shell: Shell) -> None:
    assert shell("run", "-c", "print(tab.title())\n1 + 1").out == "Harbour\n2\n"
    (shell.cwd / "code.py").write_text("state['n'] = 5\nstate['n']")
    assert shell("run", "code.py").out == "5\n"
    assert shell("run", "-", stdin="state['n'] + 1").out == "6\n"
    (shell.cwd / "code.js").write_text("return document.title")
    assert shell("run", "code.js").out == "Harbour\n"


def test_code_that_fails_says_where_and_keeps_its_output(shell: Shell) -> None:
    ran = shell("run", "-c", "print('so far')\n1/0")
    assert (ran.code, ran.out) == (1, "so far\n")
    assert ran.err == "pilothouse: division by zero; at line 2: 1/0\n"
    assert shell("run", "-c", "1/0", "--json").told["error"]["kind"] == "ZeroDivisionError"
    slow = shell("run", "-c", "tab.click('#go', timeout='soon')")
    assert (slow.code, slow.out) == (1, "")
    assert "timeout: expected a number of seconds, got 'soon'" in slow.err
    assert "(give 1 to 300)" in slow.err
    assert "did you mean tab.click?" in shell("run", "-c", "tab.clik('#go')").err
    assert shell("run").code == 2
    assert "No such file" in shell("run", "gone.py").err


def test_javascript_is_evaluated(shell: Shell) -> None:
    assert shell("eval", "document.title").out == "Harbour\n"
    assert json.loads(shell("eval", "-", stdin="({a: [1, 2]})").out) == {"a": [1, 2]}
    assert shell("eval", "(a, b) => a + b", "--args", "[1, 2]").out == "3\n"
    thrown = shell("eval", "throw new Error('\x1b[31mred')")
    assert thrown.code == 1
    assert "\x1b" not in thrown.err


def test_pictures_papers_and_text_become_files_of_the_person(shell: Shell) -> None:
    first, second = shell.json("screenshot"), shell.json("screenshot")
    assert (first["path"], second["path"]) == (
        str(shell.cwd / "main.png"),
        str(shell.cwd / "main-2.png"),
    )
    assert (shell.cwd / "main.png").read_bytes().startswith(b"\x89PNG")
    assert shell("screenshot", "#crate", "-o", "crate.jpg").code == 0
    assert (shell.cwd / "crate.jpg").read_bytes().startswith(b"\xff\xd8")
    assert shell("pdf", "-o", "page.pdf").out.startswith(f"{shell.cwd}/page.pdf  ")
    assert (shell.cwd / "page.pdf").read_bytes().startswith(b"%PDF")
    assert "# Harbour" in shell("extract").out
    assert shell("extract", "-o", "page.md").out == f"{shell.cwd}/page.md\n"
    assert "Harbour" in (shell.cwd / "page.md").read_text()
    assert shell("screenshot", "-o", "no/such/place.png").code == 1


def test_a_file_is_handed_over_and_uploaded(shell: Shell) -> None:
    (shell.cwd / "papers.txt").write_text("registered")
    assert shell("upload", "#papers", "papers.txt").code == 0
    assert shell("text", "#out").out == "papers.txt\n"
    read = "(async () => (await document.querySelector('#papers').files[0].text()))()"
    assert shell("eval", read).out == "registered\n"
    assert "No such file" in shell("upload", "#papers", "gone.txt").err


def test_something_is_dragged_and_scrolled(shell: Shell) -> None:
    assert shell("drag", "#crate", "--by", "30,10").out.startswith("Dragged")
    assert shell("text", "#out").out == "taken\n"
    assert shell("scroll", "--to", "bottom").code == 0


def test_console_network_and_cookies_are_listed(shell: Shell, page: str) -> None:
    assert "warning  low tide" in shell("console").out
    listed = shell("network", "--url", "form.html").out
    assert page in listed
    (request,) = shell.json("network", "--url", "form.html", "--limit", "1")["requests"]
    assert "Harbour" in shell("network", request["id"], "--body").out
    assert shell("network", "--har", "page.har").code == 0
    assert json.loads((shell.cwd / "page.har").read_text())["log"]["entries"]
    assert "berth" in shell("cookies").out
    assert shell("cookies", "set", "tide", "low").out == "Set cookie tide\n"
    assert shell("cookies", "clear", "tide").out == "Cleared 1 cookie\n"
    assert shell("cookies", "set", "tide").code == 2


def test_state_is_saved_and_loaded(shell: Shell) -> None:
    saved = shell("save-state", "mine.json")
    assert saved.out == f"{shell.cwd}/mine.json\n"
    assert (shell.cwd / "mine.json").stat().st_mode & 0o077 == 0
    assert shell("cookies", "clear").code == 0
    assert shell("load-state", "mine.json").code == 0
    assert "berth" in shell("cookies").out
    (shell.cwd / "broken.json").write_text("{")
    assert shell("load-state", "broken.json").code == 1


def test_the_raw_protocol_can_be_spoken(shell: Shell) -> None:
    asked = shell("cdp", "Runtime.evaluate", '{"expression": "6 * 7"}')
    assert json.loads(asked.out)["result"]["value"] == 42
    assert shell("cdp", "No.such").code == 1


def test_waiting_in_vain_is_an_error_and_in_time_is_none(shell: Shell) -> None:
    assert shell("wait", "--text", "Harbour").code == 0
    assert shell("wait", "#name").code == 0
    vain = shell("wait", "--text", "never", "--timeout", "1")
    assert vain.code == 1
    assert "timed out" in vain.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["wait"], "wait: what to wait for is missing (give one of SELECTOR, --text, --text-gone"),
        (["wait", "#go", "--idle"], "wait: SELECTOR and --idle are both given (give one of"),
        (
            ["snapshot", "--budget", "-3"],
            "snapshot: budget: expected a whole number of at least 0 (budget: about how many",
        ),
        (["network", "--limit", "-1"], "requests: limit: expected a whole number of at least 0"),
        (["open", "--viewport", "5x5"], "viewport.width: expected 100 to 7680, got 5"),
    ],
    ids=lambda value: "_".join(value) if isinstance(value, list) else "",
)
def test_what_makes_no_sense_to_the_daemon_is_wrong_usage_too(
    shell: Shell, words: list[str], said: str
) -> None:
    ran = shell(*words)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
    assert shell(*words, "--json").told["error"]["kind"] == "UsageError"


def test_history_goes_back_and_forward(shell: Shell, site: Pages, page: str) -> None:
    second = site.add("/second.html", "<title>Second</title>second")
    assert shell("open", second, "--name", "trip").code == 0
    assert shell("goto", page, "--tab", "trip").code == 0
    assert shell("back", "--tab", "trip").out == f"At {second} (200): Second\n"
    assert shell("forward", "--tab", "trip").out == f"At {page} (200): Harbour\n"
    assert shell("reload", "--tab", "trip").code == 0
    assert shell("close", "trip").out == "Closed trip\n"
    assert shell("close", "trip").out == 'No tab named "trip"\n'


def test_a_popup_gets_a_name_and_other_owners_see_nothing(shell: Shell) -> None:
    assert shell.json("click", "#pier")["new_tabs"] == ["main.1"]
    names = {tab["name"] for tab in shell.json("tabs")}
    assert {"main", "main.1"} <= names
    assert shell("close", "main.1").code == 0
    assert shell.json("tabs", "--owner", "stranger") == []
    refused = shell("click", "#go", "--owner", "stranger", "--json")
    assert (refused.code, refused.told["ok"]) == (1, False)
    assert "open it first" in refused.told["error"]["hint"]


def test_a_page_opens_small_with_a_dialog_of_its_own(shell: Shell, site: Pages) -> None:
    url = site.add("/greets.html", "<title>Hi</title><script>alert('ahoy')</script>")
    ran = shell("open", url, "--name", "greets", "--viewport", "400x300", "--dialogs", "ask")
    assert ran.code == 3
    assert "Blocked by alert" in ran.out
    assert "--tab greets" in ran.out
    assert shell("dialog", "accept", "--tab", "greets").code == 0
    assert shell("eval", "innerWidth", "--tab", "greets").out == "400\n"
    assert shell("close", "greets").code == 0
    assert shell("open", url, "--viewport", "wide").code == 2
