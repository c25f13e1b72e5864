"""Dialogs and other interrupts, as an agent meets them."""

from __future__ import annotations

import pytest

from tests.page_server import Pages
from tests.tools.tool_caller import Agent

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]


def test_dialog_nobody_opened_cannot_be_answered(agent: Agent) -> None:
    agent.ok("browser_tabs", action="new")
    assert agent.refused("browser_dialog", action="accept")[0] == "no dialog is open"
    error, hint = agent.refused("browser_dialog", action="accept", dialog_id="d-999")
    assert "there is no dialog d-999" in error
    assert "pending dialogs: none" in hint
    error, hint = agent.refused("browser_dialog", action="ok")
    assert "unknown value 'ok'" in error
    assert hint == "use one of accept, dismiss"


def test_dialog_of_a_popup_is_answered_from_the_page_it_stops(agent: Agent, served: Pages) -> None:
    served.add("/sub.html", "<title>sub</title>")
    url = served.add(
        "/super.html", "<button onclick=\"w = window.open('/sub.html')\">Open</button>"
    )
    agent.ok("browser_navigate", url=url)
    agent.ok("browser_click", ref="button=Open")
    agent.ok("browser_wait", url="sub.html", tab="main.1")
    blocked = agent.blocked("browser_console", expression="w.confirm('from there')")
    dialog = blocked["blocked_by"][0]["id"]
    answered = agent.ok("browser_dialog", action="accept", dialog_id=dialog)
    assert answered["interrupted"]["result"] is True


def test_password_is_asked_for_and_given(agent: Agent, served: Pages) -> None:
    url = served.add_protected("/secret.html", "<title>Secret</title>", "anna", "pass")
    blocked = agent.blocked("browser_navigate", url=url)
    assert blocked["blocked_by"][0]["kind"] == "auth"
    assert "browser_interrupt" in blocked["hint"]
    (waiting,) = agent.ok("browser_interrupt")["interrupts"]
    assert waiting["answers"] == ["provide", "cancel"]
    error, hint = agent.refused("browser_interrupt", id=waiting["id"])
    assert error == "action: missing"
    assert hint == "give one of: provide, cancel"
    assert "does not take 'grant'" in agent.refused("browser_interrupt", action="grant")[0]
    answered = agent.ok("browser_interrupt", action="provide", username="anna", password="pass")
    assert answered["answered"] == waiting["id"]
    assert answered["interrupted"]["title"] == "Secret"


def test_nothing_that_waits_cannot_be_answered(agent: Agent) -> None:
    agent.ok("browser_tabs", action="new")
    assert agent.ok("browser_interrupt") == {"success": True, "interrupts": []}
    assert agent.refused("browser_interrupt", action="cancel") == (
        "id: no interrupt is pending",
        "nothing waits for an answer: go on",
    )
    assert "no interrupt i-99" in agent.refused("browser_interrupt", id="i-99", action="x")[0]
    assert "unknown blocked call 'a-1'" in agent.refused("browser_interrupt", action_id="a-1")[0]


def test_result_of_a_call_somebody_else_freed_is_fetched_by_its_id(
    agent: Agent, served: Pages
) -> None:
    agent.ok("browser_tabs", action="new")
    blocked = agent.blocked("browser_console", expression="confirm('?')")
    agent.line.call("tab.handle_dialog", tab="main", accept=True)
    told = agent.ok("browser_interrupt", action_id=blocked["action_id"])
    assert told["interrupted"]["result"] is True


def test_chooser_takes_no_file_that_an_upload_would_not_take(agent: Agent, served: Pages) -> None:
    url = served.add("/choose.html", "<input type=file aria-label=File>")
    agent.ok("browser_navigate", url=url)
    agent.use("browser_click", ref="label=File")
    waiting = agent.ok("browser_interrupt")["interrupts"]
    assert [one["kind"] for one in waiting] == ["file_chooser"]
    answer = {"action": "upload", "files": ["/etc/hostname"]}
    assert "outside the allowed" in agent.refused("browser_interrupt", **answer)[0]
    # Nor past the tool, by the verb itself.
    told = agent.use(
        "execute",
        code=f"tab.answer({waiting[0]['id']!r}, 'upload', {{'files': ['/etc/hostname']}})",
    )
    assert "outside the allowed" in told["error"]
    agent.ok("browser_interrupt", action="cancel")
