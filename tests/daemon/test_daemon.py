"""The daemon as its clients know it: a real daemon, a real browser, real lines."""

from __future__ import annotations

import json
import stat
import threading
from pathlib import Path
from typing import Any

import pytest

from pilothouse import __version__
from pilothouse.code.client.daemon_connection import Refused
from tests.daemon.daemon_process import Home
from tests.page_server import Pages

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]


def test_hello_tells_owner_version_and_process(lived_in: Home) -> None:
    line = lived_in.line("alice")
    assert line.hello["owner"] == "alice"
    assert line.hello["version"] == __version__
    assert lived_in.process is not None
    assert line.hello["pid"] == lived_in.process.pid
    assert line.hello["notices"] == []


def test_client_without_a_name_gets_one_nobody_guesses(lived_in: Home) -> None:
    one, two = lived_in.line("").owner, lived_in.line("").owner
    assert one != two
    assert one.startswith("owner-")
    assert len(one) >= 18


def test_client_of_another_version_is_told_and_served(lived_in: Home) -> None:
    line = lived_in.line("alice")
    hello = line.call("hello", owner="alice", version="0.0.1")
    (notice,) = hello["notices"]
    assert "this client is version 0.0.1" in notice
    assert f"the daemon is {__version__}" in notice
    assert "daemon stop" in notice
    assert line.call("tabs") == []


@pytest.mark.parametrize("owner", ["x" * 101, "a\nb", 5, ["a"]])
def test_owner_that_cannot_be_one_is_refused(lived_in: Home, owner: Any) -> None:
    with pytest.raises(Refused, match="owner:"):
        lived_in.line("alice").call("hello", owner=owner)


@pytest.mark.parametrize(
    ("method", "params", "said"),
    [
        ("fly", {}, "method: unknown value 'fly'"),
        ("tab.click", {"tab": "nowhere", "target": "e1"}, 'there is no tab "nowhere"'),
        ("open", {"speed": 5}, "open: unknown field 'speed'"),
        ("open", {"app": 5}, "open: app: expected an object, got 5"),
        ("open", {"app": "chrome"}, "open: app: expected an object, got 'chrome'"),
        ("open", {"app": {"speed": 5}}, "open: app: unknown field 'speed'"),
        ("open", {"app": {"path": "/x", "args": "-a"}}, "open: app.args: expected a list"),
        ("close", {"speed": 5}, "close: unknown field 'speed'"),
        ("open", {"app": {"path": "/x", "args": "--a"}}, "args"),
        ("open", {"viewport": [1]}, "viewport:"),
        ("open", {"timeout": "soon"}, "timeout:"),
        ("open", {"url": 5}, "url:"),
        ("close", {"name": 5}, "name:"),
        ("close", {"speed": 5}, "close: .*speed"),
        ("run", {}, "Missing required parameter 'code' for action 'run'"),
        ("run", {"code": "1"}, 'there is no tab "main"'),
        ("run", {"code": "1", "language": "perl"}, "language:"),
    ],
)
def test_calls_that_cannot_be_done_say_what_is_wrong(
    lived_in: Home, method: str, params: dict[str, Any], said: str
) -> None:
    with pytest.raises(Refused, match=said) as refused:
        lived_in.line("nobody").call(method, **params)
    assert refused.value.kind == ("TabNotFound" if "no tab" in said else "UsageError")
    assert refused.value.hint


def test_tab_is_opened_used_and_closed(lived_in: Home, served: Pages) -> None:
    line = lived_in.line("bob")
    url = served.add(
        "/a.html", "<title>A</title><button onclick=\"document.title='B'\">Go</button>"
    )
    opened = line.call("open", url=url)
    assert opened["text"] == f'Opened tab "main" on headless browser\nURL: {url}\nTitle: A'
    assert opened["details"]["reused"] is False
    assert line.call("open")["text"].startswith('Reused tab "main" on headless browser')
    receipt = line.call("tab.click", target="button=Go")
    assert receipt["action"] == "clicked"
    assert line.call("tab.title") == "B"
    (tab,) = line.call("tabs")
    assert (tab["name"], tab["title"], tab["alive"], tab["busy"]) == ("main", "B", True, "")
    with pytest.raises(Refused, match="unknown verb 'clik'") as refused:
        line.call("tab.clik", target="e1")
    assert refused.value.hint == "did you mean click?"
    ledger = json.loads(lived_in.paths.ledger.read_text())
    assert ledger["bob"] == [f"main {url}"]
    assert lived_in.line("carol").call("tabs") == []
    assert line.call("close")["text"] == "Closed main"
    assert line.call("close")["text"] == 'No tab named "main"'
    assert line.call("close", all=True)["text"] == "No tabs"
    assert "bob" not in json.loads(lived_in.paths.ledger.read_text())


def test_popup_is_named_in_the_answer_of_what_caused_it(lived_in: Home, served: Pages) -> None:
    line = lived_in.line("pop")
    served.add("/child.html", "<title>child</title>")
    url = served.add("/opener.html", "<a target=_blank href=/child.html>go</a>")
    line.call("open", url=url)
    receipt = line.call("tab.click", target="text=go")
    assert receipt["new_tabs"] == ["main.1"]
    assert "new tab main.1" in receipt["text"]
    assert line.call("tab.wait_for", tab="main.1", url="child.html")
    assert line.call("close", all=True)["details"]["closed"] == ["main", "main.1"]


def test_tab_stays_when_its_client_hangs_up(lived_in: Home, served: Pages) -> None:
    first = lived_in.line("stay")
    url = served.add("/stay.html", "<title>stay</title>")
    first.call("open", url=url)
    first.close()
    again = lived_in.line("stay")
    assert again.call("tab.title") == "stay"
    again.call("close")


def test_raw_cdp_works_on_the_tab_and_reaches_no_further(lived_in: Home, served: Pages) -> None:
    mine, theirs = lived_in.line("raw"), lived_in.line("other")
    url = served.add("/raw.html", "<title>raw</title>")
    mine.call("open", url=url)
    theirs.call("open", url=served.add("/other.html", "<title>other</title>"))
    evaluate = {"command": "Runtime.evaluate", "params": {"expression": "document.title"}}
    assert mine.call("page.cdp", **evaluate)["result"]["value"] == "raw"
    foreign = theirs.call("page.cdp", command="Page.getFrameTree")["frameTree"]["frame"]["id"]
    with pytest.raises(Refused, match="the page has no frame"):
        mine.call("page.cdp", frame_id=foreign, **evaluate)
    with pytest.raises(Refused, match="beyond this tab"):
        mine.call("page.cdp", command="Target.getTargets")
    for line in (mine, theirs):
        line.call("close")


def test_status_proves_life_by_a_round_trip(lived_in: Home) -> None:
    line = lived_in.line("stat")
    line.call("open")
    status = line.call("status")
    (browser,) = status["browsers"]
    assert browser["product"].startswith("Chrome/")
    assert 0 < browser["ms"] < 2000
    assert status["tabs"] == 1
    assert status["pid"] == line.hello["pid"]
    assert isinstance(status["zygote"], int)
    assert status["clients"] >= 1
    line.call("close")


def test_calls_on_a_busy_tab_queue_and_time_out_with_a_clear_message(
    lived_in: Home, served: Pages
) -> None:
    line, other = lived_in.line("queue"), lived_in.line("queue")
    line.call("open", url=served.add("/q.html", "<title>q</title>"))
    busy = threading.Thread(
        target=lambda: line.call("tab.wait_for", function="window.free", timeout=60)
    )
    busy.start()
    try:
        while not other.call("tabs")[0]["busy"]:
            pass
        with pytest.raises(Refused, match='tab "main" is busy with wait_for for') as refused:
            other.call("tab.extract", timeout=1)
        assert "longer timeout" in refused.value.hint
        assert other.call("tab.title") == "q", "what needs no turn does not wait for it"
    finally:
        evaluate = {"expression": "window.free = 1"}
        other.call("page.cdp", command="Runtime.evaluate", params=evaluate)
        busy.join(60)
    assert not busy.is_alive()
    line.call("close")


def test_files_of_the_daemon_are_for_its_user_alone(lived_in: Home) -> None:
    lived_in.line("files").call("tabs")
    for path in (lived_in.paths.root, lived_in.paths.scratch):
        assert stat.S_IMODE(path.stat().st_mode) == 0o700
    for path in (lived_in.paths.socket, lived_in.paths.log):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_log_is_lines_of_json_without_secrets(lived_in: Home, served: Pages) -> None:
    line = lived_in.line("logged")
    token = "ghp_" + "x9Y8" * 9
    with pytest.raises(Refused):
        line.call(f"fly {token}")
    line.call("open", url=served.url(f"/missing.html?access_token={token}"))
    line.call("close")
    text = lived_in.paths.log.read_text()
    assert token not in text
    lines = [json.loads(one) for one in text.splitlines()]
    assert lines
    assert all({"at", "level", "from", "text"} <= set(one) for one in lines)
    assert "daemon started" in {one["text"] for one in lines}


def test_level_of_stealth_is_a_setting(home: Home) -> None:
    home.start(PILOTHOUSE_STEALTH="off")
    line = home.line("alice")
    line.call("open")
    assert line.call("tab.evaluate", code="navigator.webdriver") is True


@pytest.mark.boundary
def test_page_denied_at_one_spelling_of_this_machine_is_denied_at_all(
    home: Home, served: Pages, tmp_path: Path
) -> None:
    url = served.add("/denied.html", "<title>denied</title>")
    port = url.split(":")[2].split("/")[0]
    config = tmp_path / "config.yaml"
    config.write_text(f'policies: {{deny: ["127.0.0.1:{port}"]}}\n')
    home.start(PILOTHOUSE_CONFIG=str(config))
    line = home.line("me")
    line.call("open")
    for host in ("127.0.0.1", "0.0.0.0", "[::1]", "[::]", "localhost", "a.localhost", "0x7f.1"):
        with pytest.raises(Refused, match="is denied"):
            line.call("tab.goto", url=f"http://{host}:{port}/denied.html")
    assert [visit for visit in served.visits if visit.path == "/denied.html"] == []


@pytest.mark.boundary
def test_a_kept_profile_is_opened_by_its_owners_alone(home: Home, tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    config.write_text("profiles:\n  shop: [nightly]\n", "utf-8")
    data = tmp_path / "data"
    home.start(PILOTHOUSE_CONFIG=str(config), XDG_DATA_HOME=str(data))
    agent, nightly, user = home.line("agent"), home.line("nightly"), home.line("cli")
    for line, profile in ((agent, "shop"), (agent, "work"), (nightly, "work"), (user, "shop")):
        with pytest.raises(Refused, match="may not open the kept profile") as refused:
            line.call("open", profile=profile)
        assert f"profiles: {{{profile}: [" in refused.value.hint
        assert "restart the daemon" in refused.value.hint
    assert not data.exists()
    nightly.call("open", profile="shop")
    user.call("open", profile="work")
    assert sorted(p.name for p in (data / "pilothouse" / "profiles").iterdir()) == ["shop", "work"]
    # Where a tab of an owner is in a kept profile, its code is no way to another one.
    error = nightly.call("run", code="browser.open('x', profile='shop')")["error"]
    assert "code in a run cannot set 'profile'" in error["message"]


def test_the_profile_of_the_settings_is_for_everybody(home: Home, tmp_path: Path) -> None:
    data = tmp_path / "data"
    home.start(PILOTHOUSE_PROFILE="usual", XDG_DATA_HOME=str(data))
    agent = home.line("agent")
    agent.call("open")
    with pytest.raises(Refused, match="may not open the kept profile"):
        agent.call("open", name="other", profile="private")
