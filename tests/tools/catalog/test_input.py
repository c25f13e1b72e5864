"""Acting on elements, as an agent does it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pilothouse.code.client.client import connect
from tests.daemon.daemon_process import Home
from tests.page_server import Pages
from tests.tools.tool_caller import Agent

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

FORM = """
<title>Form</title>
<input aria-label=Name>
<input type=checkbox aria-label=Agree>
<select aria-label=Size><option value=s>Small<option value=l>Large</select>
<select aria-label=Many multiple><option>One<option>Two<option>Three</select>
<p id=log></p>
<script>
addEventListener('click', (e) => { log.append(`${e.type}${e.shiftKey ? ' shift' : ''};`) });
addEventListener('dblclick', (e) => { log.append('dblclick;') });
addEventListener('contextmenu', (e) => { e.preventDefault(); log.append('menu;') });
addEventListener('keydown', (e) => { if (e.key === 'Enter') log.append('enter;') });
</script>
<button>Push</button>
"""


def _log(agent: Agent) -> str:
    return str(agent.ok("browser_console", expression="log.textContent")["result"])


@pytest.fixture
def form(agent: Agent, served: Pages) -> Agent:
    """An agent before a form."""
    agent.ok("browser_navigate", url=served.add("/form.html", FORM))
    return agent


def test_click_by_ref_tells_element_and_changes(form: Agent) -> None:
    snapshot = form.ok("browser_snapshot")["snapshot"]
    ref = snapshot.split('button "Push" [ref=')[1].split("]")[0]
    for said in (f"@{ref}", ref, "button=Push"):
        clicked = form.ok("browser_click", ref=said)
        assert clicked["clicked"] == f'button "Push" [{ref}]'
    assert clicked["diff"][0] == "+ text: click;click;click;"
    assert _log(form) == "click;click;click;"


def test_click_tells_the_lines_that_it_changed_to_who_has_looked(form: Agent) -> None:
    form.ok("browser_snapshot")
    assert form.ok("browser_click", ref="button=Push")["diff"] == ["+ text: click;"]
    pushed = form.ok("browser_click", ref="button=Push")
    assert pushed["diff"] == ["+ text: click;click;", "- text: click;"]
    snapshot = form.ok("browser_snapshot")["snapshot"]
    assert "click;click;" in snapshot


def test_an_alert_is_told_of_a_page_that_is_too_large_to_compare(
    agent: Agent, served: Pages
) -> None:
    many = "".join(f"<button>b{n}</button>" for n in range(2500))
    fails = (
        "<p role=alert id=told></p><button onclick=\"told.textContent='It failed'\">Try</button>"
    )
    agent.ok("browser_navigate", url=served.add("/large.html", fails + many))
    tried = agent.ok("browser_click", ref="button=Try")
    assert "alert: It failed" in tried["changes"]
    assert "diff" not in tried


def test_what_scrolling_brings_is_told(agent: Agent, served: Pages) -> None:
    url = served.add(
        "/endless.html",
        "<p style=height:3000px>top</p><script>addEventListener('scroll', () => "
        "document.body.append('more came'), {once: true})</script>",
    )
    agent.ok("browser_navigate", url=url)
    assert "+ text: more came" in agent.ok("browser_scroll", direction="bottom")["diff"]


def test_a_page_that_goes_on_in_the_same_document_is_shown(agent: Agent, served: Pages) -> None:
    url = served.add(
        "/app.html",
        "<title>App</title><main id=m><button onclick=\"history.pushState(0, '', '/app/2');"
        "m.innerHTML = Array(60).fill().map((_, n) => `<p>line ${n}</p>`).join('')\">Go</button>"
        "</main>",
    )
    agent.ok("browser_navigate", url=url)
    gone = agent.ok("browser_click", ref="button=Go")
    assert "- text: line 59" in gone["snapshot"]


def test_typing_tells_the_lines_that_it_changed(form: Agent) -> None:
    form.ok("browser_snapshot")
    typed = form.ok("browser_type", ref="label=Name", text="Ada")
    assert any("Ada" in line for line in typed["diff"])


def test_click_with_modifier_button_or_twice(form: Agent) -> None:
    form.ok("browser_click", ref="button=Push", modifiers=["Shift"])
    form.ok("browser_click", ref="button=Push", button="right")
    form.ok("browser_click", ref="button=Push", double=True)
    assert _log(form) == "click shift;menu;click;click;dblclick;"


def test_click_that_leads_away_tells_where(agent: Agent, served: Pages) -> None:
    there = served.add("/away.html", "<title>Away</title>")
    agent.ok("browser_navigate", url=served.add("/link.html", "<a href=/away.html>go</a>"))
    clicked = agent.ok("browser_click", ref="text=go")
    assert clicked["url"] == there
    assert f"Away <{there}>" in clicked["snapshot"]
    assert f"went to {there}" in clicked["changes"]


@pytest.mark.parametrize(
    ("given", "error", "hint"),
    [
        ({"ref": "e999"}, "e999", "snapshot"),
        ({"ref": "#none"}, "#none", ""),
        ({"ref": "button=Push", "button": "lef"}, "unknown value 'lef'", "did you mean left?"),
        ({"ref": ""}, "ref: expected a selector, got an empty string", "e12"),
        ({"target": "e1"}, "unknown parameter 'target'", "use only: ref"),
    ],
)
def test_bad_click_says_what_is_wrong(
    form: Agent, given: dict[str, object], error: str, hint: str
) -> None:
    said, advice = form.refused("browser_click", **given)
    assert error in said
    assert hint in advice


def test_click_a_dialog_interrupts_gives_its_result_with_the_answer(
    agent: Agent, served: Pages
) -> None:
    url = served.add(
        "/sure.html",
        "<button onclick=\"document.title = confirm('sure?') + ' ' + prompt('why?', 'so')\">"
        "Delete</button>",
    )
    agent.ok("browser_navigate", url=url)
    blocked = agent.blocked("browser_click", ref="button=Delete")
    assert blocked["error"] == "blocked by a dialog (confirm)"
    assert blocked["blocked_by"][0]["message"] == "sure?"
    assert "pending_dialogs" not in blocked  # it is told once
    first = agent.ok("browser_dialog", action="accept")
    assert first["dialog"]["message"] == "sure?"
    # The same click meets a second dialog: it is told at once, and the click goes on.
    again = first["interrupted"]
    assert (again["action_id"], again["success"]) == (blocked["action_id"], False)
    assert again["blocked_by"][0]["message"] == "why?"
    second = agent.ok("browser_dialog", action="accept")
    done = second["interrupted"]
    assert (done["tool"], done["success"]) == ("browser_click", True)
    assert done["clicked"].startswith('button "Delete"')
    assert not any("dialog opened" in change for change in done["changes"])
    assert agent.ok("browser_console", expression="document.title")["result"] == "true so"


def test_type_replaces_appends_and_submits(form: Agent) -> None:
    typed = form.ok("browser_type", ref="label=Name", text="Anna")
    assert typed["typed"] == "Anna"
    assert typed["element"].startswith('textbox "Name"')
    form.ok("browser_type", ref="label=Name", text="Bo")
    form.ok("browser_type", ref="label=Name", text="b", append=True, submit=True)
    value = form.ok("browser_console", expression="document.querySelector('input').value")
    assert value["result"] == "Bob"
    assert "enter;" in _log(form)
    assert "button" in form.refused("browser_type", ref="button=Push", text="x")[0]
    assert "missing required field text" in form.refused("browser_type", ref="e1")[0]


def test_keys_are_pressed_where_the_focus_is_or_where_asked(form: Agent) -> None:
    pressed = form.ok("browser_press", key="Tab")
    assert pressed["pressed"] == "Tab"
    assert any("focus on" in change for change in pressed["changes"])
    form.ok("browser_press", key="Enter", ref="label=Name")
    assert "enter;" in _log(form)
    error, _ = form.refused("browser_press", key="Entr")
    assert "Entr" in error


def test_scrolling_goes_all_ways(agent: Agent, served: Pages) -> None:
    url = served.add(
        "/scroll.html",
        "<div id=box style='overflow:auto;width:100px;height:100px'><p style='height:900px'></div>"
        "<div style='width:4000px;height:4000px'></div>",
    )
    agent.ok("browser_navigate", url=url)

    def at() -> list[int]:
        found = agent.ok("browser_console", expression="[scrollX, scrollY, box.scrollTop]")
        return [round(number) for number in found["result"]]

    assert agent.ok("browser_scroll", direction="down")["scrolled"] == "down"
    assert at() == [0, 500, 0]
    agent.ok("browser_scroll", direction="right", amount=200)
    agent.ok("browser_scroll", direction="up", amount=100)
    assert at() == [200, 400, 0]
    agent.ok("browser_scroll", direction="bottom")
    agent.ok("browser_scroll", direction="top")
    agent.ok("browser_scroll", direction="down", amount=50, ref="#box")
    assert at()[1:] == [0, 50]
    error, hint = agent.refused("browser_scroll", direction="dwn")
    assert error == "browser_scroll: direction: unknown value 'dwn'"
    assert hint == "did you mean down? use one of up, down, left, right, top, bottom"


def test_hover_shows_what_it_brings_up(agent: Agent, served: Pages) -> None:
    url = served.add("/hover.html", "<p onmouseenter=\"document.body.append('menu!')\">Over</p>")
    agent.ok("browser_navigate", url=url)
    assert "+ text: menu!" in agent.ok("browser_hover", ref="p")["diff"]
    assert agent.ok("browser_find", query="menu!")["matches"] == 1
    assert "#no" in agent.refused("browser_hover", ref="#no")[0]


def test_options_are_chosen_by_value_or_label(form: Agent) -> None:
    assert form.ok("browser_select", ref="label=Size", values="Large")["selected"]
    form.ok("browser_select", ref="label=Many", values=["One", "Three"])
    found = form.ok(
        "browser_console",
        expression="[...document.querySelectorAll('option:checked')].map((o) => o.text)",
    )
    assert found["result"] == ["Large", "One", "Three"]
    error, hint = form.refused("browser_select", ref="label=Size", values="Huge")
    assert "Huge" in error
    assert "Small" in error + hint


def test_form_is_filled_in_one_call(form: Agent) -> None:
    filled = form.ok(
        "browser_fill_form",
        fields=[
            {"ref": "label=Name", "value": "Anna"},
            {"ref": "label=Agree", "value": True},
            {"ref": "label=Size", "value": "Large"},
        ],
        submit=False,
    )
    assert [one["ref"] for one in filled["filled"]] == ["label=Name", "label=Agree", "label=Size"]
    code = "[...document.querySelectorAll('input,select')].map((f) => f.checked || f.value)"
    assert form.ok("browser_console", expression=code)["result"][:3] == ["Anna", True, "l"]


def test_bad_field_of_a_form_is_named(form: Agent) -> None:
    fields: list[dict[str, object]] = [
        {"ref": "label=Name", "value": "Anna"},
        {"ref": "label=Nope", "value": 1},
    ]
    error, hint = form.refused("browser_fill_form", fields=fields)
    assert error.startswith("fields[1] (label=Nope): ")
    assert "filled before it: label=Name" in hint
    assert "fields: the list is empty" in form.refused("browser_fill_form", fields=[])[0]
    error, hint = form.refused("browser_fill_form", fields=[{"ref": "e1", "vale": 1}])
    assert "unknown field vale" in error
    assert "did you mean value?" in hint


def test_form_behind_a_dialog_lists_every_field_that_was_not_filled(form: Agent) -> None:
    fields = [{"ref": "label=Name", "value": "Anna"}, {"ref": "label=Agree", "value": True}]
    form.ok("browser_evaluate", expression="void setTimeout(() => alert('Wait'))")
    form.blocked("browser_wait", text="never")
    answer = form.blocked("browser_fill_form", fields=fields)
    assert answer["filled"] == []
    assert answer["not_filled"] == ["label=Name", "label=Agree"]
    form.ok("browser_dialog", action="accept")
    assert len(form.ok("browser_fill_form", fields=fields)["filled"]) == 2


def test_drag_moves_onto_another_or_by_a_way(agent: Agent, served: Pages) -> None:
    url = served.add(
        "/drag.html",
        "<input type=range id=r min=0 max=100 value=0 style='width:200px'>"
        "<div id=a style='width:50px;height:50px;background:red'>A</div>"
        "<div id=b style='width:50px;height:50px;background:blue'>B</div>"
        "<script>let down = ''; a.onmousedown = () => { down = 'A' };"
        "b.onmouseup = () => { document.title = `${down} on B` }</script>",
    )
    agent.ok("browser_navigate", url=url)
    assert agent.ok("browser_drag", ref="#a", to="#b")["dragged"]
    assert agent.ok("browser_console", expression="document.title")["result"] == "A on B"
    agent.ok("browser_drag", ref="#r", by=[60, 0])
    assert int(agent.ok("browser_console", expression="r.value")["result"]) > 50
    assert "neither to nor by" in agent.refused("browser_drag", ref="#a")[0]
    assert "both to and by" in agent.refused("browser_drag", ref="#a", to="#b", by=[1, 1])[0]
    assert "by: [1.0] is not a distance" in agent.refused("browser_drag", ref="#a", by=[1])[0]


def test_upload_takes_only_files_of_folders_that_were_named(
    open_daemon: Home, agent: Agent, served: Pages, tmp_path: Path
) -> None:
    file = tmp_path / "report.txt"
    file.write_text("figures")
    url = served.add("/up.html", "<input type=file aria-label=File>")
    agent.ok("browser_navigate", url=url)
    error, hint = agent.refused("browser_upload", ref="label=File", paths=str(file))
    assert "outside the allowed folders" in error
    assert hint
    assert (
        "paths: the list is empty" in agent.refused("browser_upload", ref="label=File", paths=[])[0]
    )
    # The Python client hands over files of its own.
    with connect(agent.line.owner, paths=open_daemon.paths, start=False) as client:
        given = client.tool("browser_upload", ref="label=File", paths=str(file))
    assert given["success"], given
    assert given["uploaded"] == ["report.txt"]
    names = agent.ok("browser_console", expression="document.querySelector('input').files[0].name")
    assert names["result"] == "report.txt"


def test_errors_name_the_parameters_of_the_tool(form: Agent) -> None:
    """Tools call verbs whose parameters have other names, such as `target` for `ref`."""
    for name, given, said in (
        ("browser_click", {"ref": "9999,9999"}, "ref: 9999,9999 is outside the viewport"),
        ("browser_click", {"ref": ""}, "ref: expected a selector"),
        ("browser_press", {"key": "Entr"}, "key: unknown key 'Entr'"),
        ("browser_drag", {"ref": "", "by": [1, 1]}, "ref: expected a selector"),
        (
            "browser_upload",
            {"ref": "#f", "paths": "/etc/passwd"},
            "paths: '/etc/passwd' is refused",
        ),
        ("browser_screenshot", {"save": "x.gif"}, "save: .gif is not an image format"),
        ("browser_screenshot", {"save": "/etc/x.png"}, "save: '/etc/x.png' is refused"),
        ("browser_emulate", {"throttle": "5g"}, "throttle: unknown value '5g'"),
        ("browser_emulate", {"width": 5, "height": 500}, "width: expected a whole number from 100"),
        ("browser_wait", {"text": "x", "timeout": 5000}, "timeout: expected at most 300 seconds"),
    ):
        error, hint = form.refused(name, **given)
        assert error.startswith(said), name
        assert hint, name


def test_the_hint_for_a_missing_tab_names_a_tool(form: Agent) -> None:
    error, hint = form.refused("browser_click", ref="e1", tab="nope")
    assert error == 'there is no tab "nope"'
    assert hint.startswith("open it first, with browser_navigate or browser_tabs; your tabs: ")
