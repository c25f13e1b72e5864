"""A job in a shop over MCP, and every answer as the model reads it: nothing that the page says is
hidden, nothing that did not happen is told, and only the page's words stand between the marks."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.daemon.daemon_process import Home
from tests.daemon.raw_mcp_client import Talk, talking
from tests.daemon.shop_pages import add_shop
from tests.page_server import Pages

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

_MARKED = re.compile(
    r"\n\[begin untrusted page text (\w{12})\]\n(.*)\n\[end untrusted page text \1\]", re.DOTALL
)


class Reader:
    """Calls tools and reads their answers as a model does."""

    def __init__(self, talk: Talk, base: str) -> None:
        self._talk = talk
        self._base = base

    async def use(self, tool: str, **given: Any) -> tuple[dict[str, Any], str]:
        """Our own words, and what stands between the marks."""
        (block,) = (await self._talk.call(tool, **given))["content"]
        text = block["text"].replace(self._base, "")
        ours, mark, _ = text.partition("\n")
        found = _MARKED.fullmatch(text[len(ours) :])
        assert bool(found) == bool(mark), text
        return json.loads(ours), found[2] if found else ""

    async def page(self, tool: str, **given: Any) -> str:
        """What the page says, without the numbers of refs."""
        ours, theirs = await self.use(tool, **given)
        assert ours["success"] is True, (ours, theirs)
        return re.sub(r"\[(ref=)?e\d+\]", "[e]", theirs)


@pytest.fixture
async def reader(lived_in: Home, served: Pages, request: pytest.FixtureRequest) -> Any:
    orders = add_shop(served)
    owner = request.node.name[:60]
    async with talking(lived_in, owner) as talk:
        await talk.greet()
        made = Reader(talk, orders.removesuffix("/shop/orders.html"))
        await talk.call("browser_navigate", url=orders)
        yield made


async def test_the_first_look_says_what_the_page_says(reader: Reader) -> None:
    ours, _ = await reader.use("browser_snapshot")
    assert ours == {"success": True, "element_count": 6}
    assert await reader.page("browser_snapshot") == "\n".join(
        (
            "Orders </shop/orders.html>",
            '- heading "Orders" [level=1]',
            "- navigation:",
            '  - link "New order" [e]',
            '  - link "Archive" [e]',
            "- status: 4 orders, 1 late",
            "- text: Price [deleted: 10] [inserted: 8] only today",
            "- table:",
            "  - row: Order | Customer | Total",
            "  - row: Order 001 | Customer 1 | 10.00",
            '    - button "Delete" [e]',
            "  - row: Order 002 | Customer 2 | 20.00",
            '    - button "Delete" [e]',
            "  - row: Order 003 | Customer 3 | 30.00",
            '    - button "Delete" [e]',
            "  - row: Order 004 | Customer 4 | 40.00",
            '    - button "Delete" [e]',
        )
    )
    short = await reader.page("browser_snapshot", interactive=True)
    assert "- status: 4 orders, 1 late" in short
    assert '- row: Order 003 | Customer 3 | 30.00\n  - button "Delete" [e]' in short
    assert "heading" not in short


async def test_what_is_sought_is_found_whole_with_its_refs(reader: Reader) -> None:
    row = '- table:\n  - row: Order 003 | Customer 3 | 30.00\n    - button "Delete" [e]'
    for tool, asked in (("browser_find", "query"), ("browser_snapshot", "find")):
        ours, theirs = await reader.use(tool, **{asked: "order 003"})
        assert ours["matches"] == 1
        assert re.sub(r"ref=e\d+", "e", theirs) == f"1 match in Orders </shop/orders.html>\n{row}"
        ours, theirs = await reader.use(tool, **{asked: "Order 017"})
        assert ours["matches"] == 0
        assert theirs == "0 matches in Orders </shop/orders.html>"
    ours, theirs = await reader.use("browser_find", query="/^Delete$/", limit=2)
    assert (ours["matches"], ours["shown"], theirs.count("- row")) == (4, 2, 2)


async def test_a_dialog_is_told_once_and_then_what_came_of_it(reader: Reader) -> None:
    ours, theirs = await reader.use("browser_click", ref="#r3 button")
    assert ours["error"] == "blocked by a dialog (confirm)"
    assert ours["hint"].startswith("answer it with browser_dialog (dialog_id d-")
    assert theirs.count("Delete Order 003?") == 1
    assert "frame_id" not in theirs
    ours, theirs = await reader.use("browser_dialog", action="accept")
    assert ours["interrupted"]["success"] is True
    assert theirs.count("Delete Order 003?") == 1
    assert json.loads(theirs)["interrupted"]["diff"][:3] == [
        "+ status: 3 orders left",
        "- status: 4 orders, 1 late",
        "- row: Order 003 | Customer 3 | 30.00",
    ]
    assert "recent_dialogs" not in await reader.page("browser_snapshot")


async def test_a_form_tells_the_effects_of_all_its_fields_and_why_it_is_refused(
    reader: Reader,
) -> None:
    came = await reader.page("browser_click", ref="text=New order")
    assert '- combobox "Customer" [e] [required]: Choose (or Ann | Bob)' in came
    values = (("E-mail", "ann"), ("Country", "US"), ("Amount", 42), ("Password", "hunter22"))
    fields = [{"ref": f"label={name}", "value": value} for name, value in values]
    told = json.loads(await reader.page("browser_fill_form", fields=fields))
    held = [field["value"] for field in told["filled"]]
    assert held == ["ann", "US", "42", "••••••"]
    assert "+ alert: E-mail needs an @" in told["diff"]
    assert '+ textbox "State" [e] [required]' in told["diff"]
    # The next call tells what is new since then.
    again = [{"ref": "label=Amount", "value": 43}]
    ours, theirs = await reader.use("browser_fill_form", fields=again, submit=True)
    assert ours["success"] is False
    assert ours["hint"].startswith("fill the missing fields")
    error = json.loads(theirs)["error"]
    assert error.startswith("not submitted: Customer: Please select an item in the list")
    assert "State: Please fill out this field" in error
    assert "needs an @" not in theirs
    clicked = await reader.page("browser_click", ref="button=Place order")
    assert "not submitted: Customer: Please select an item in the list" in clicked
    seen = await reader.page("browser_snapshot")
    assert '\n    - invalid "Please select an item in the list."' in seen
    rest = [{"ref": "label=State", "value": "Ohio"}, {"ref": "label=Customer", "value": "Ann"}]
    await reader.page("browser_fill_form", fields=rest)
    made = await reader.page("browser_click", ref="button=Place order")
    assert "- status: Order 005 was placed." in made


async def test_where_an_action_leads_is_seen_at_once(reader: Reader) -> None:
    gone = await reader.page("browser_click", ref="text=Archive")
    assert gone.endswith(
        '- heading "404" [level=1]\n- text: There is no archive any more. Ask support.'
    )
    back = await reader.page("browser_back")
    assert "- row: Order 004 | Customer 4 | 40.00" in back


async def test_a_page_that_is_not_left_is_told_as_the_page_that_is_there(
    reader: Reader, served: Pages
) -> None:
    await reader.page("browser_navigate", url=served.url("/shop/login.html"))
    await reader.page("browser_type", ref="label=User", text="ann")
    failed = await reader.page("browser_type", ref="label=Password", text="x1y2", submit=True)
    assert "+ alert: Wrong password for ann" in failed
    assert "x1y2" not in failed
    shown = json.loads(await reader.page("browser_click", ref="button=Help"))
    assert shown["diff"] == [
        "+ dialog [modal]:",
        "+   text: Call 555-1234 between 9 and 5.",
        '+   button "Close" [e]',
    ]
    await reader.page("browser_click", ref="button=Close")
    ours, theirs = await reader.use("browser_click", ref="button=Popup")
    (popup,) = ours["new_tabs"]
    assert "notices" not in theirs
    assert "Made" in await reader.page("browser_snapshot", tab=popup)
    ours, _ = await reader.use("browser_navigate", url=served.url("/shop/orders.html"))
    assert ours["error"].endswith("the page asks whether to leave")
    ours, theirs = await reader.use("browser_dialog", action="dismiss")
    assert ours["interrupted"]["success"] is False
    assert "the previous page is still there" in ours["interrupted"]["error"]
    there = json.loads(theirs)["interrupted"]
    assert (there["url"], there["title"]) == ("/shop/login.html", "Log in")
    assert there["asked_for"] == "/shop/orders.html"


async def test_errors_without_a_word_of_the_page_have_no_marks(reader: Reader) -> None:
    for tool, given in (
        ("browser_click", {"ref": "e4711"}),
        ("browser_click", {"ref": "button=Nothing such"}),
        ("browser_find", {}),
        ("browser_snapshot", {"tab": "nowhere"}),
        ("browser_clik", {}),
    ):
        ours, theirs = await reader.use(tool, **given)
        assert ours["success"] is False
        assert ours["hint"], tool
        assert theirs == "", tool
    ours, theirs = await reader.use("browser_navigate", url="http://no.such.host.invalid/")
    assert "ERR_NAME_NOT_RESOLVED" in ours["error"]
    assert "timeout" not in ours["hint"]


async def test_our_words_about_code_have_no_marks(lived_in: Home) -> None:
    async with talking(lived_in, "coder", toolsets=["code"]) as talk:
        await talk.greet()
        reader = Reader(talk, "http://nowhere")
        await reader.use("browser", action="open")
        ours, theirs = await reader.use("browser", action="run", code="1 / 0")
        assert ours["hint"] == "fix the code; state and the tab are as the code left them"
        assert "ZeroDivisionError" in theirs  # an exception may quote the page
        ours, theirs = await reader.use("browser", action="close")
        assert (ours["result"], theirs) == ("Closed main", "")


async def test_frames_are_told_when_they_are_new_and_on_demand(
    reader: Reader, served: Pages
) -> None:
    served.add("/shop/inner.html", "<button>Within</button>")
    url = served.add("/shop/framed.html", "<iframe src=/shop/inner.html></iframe>")
    await reader.page("browser_navigate", url=url)
    assert '"frame_tree"' in await reader.page("browser_snapshot")
    assert '"frame_tree"' not in await reader.page("browser_snapshot")
    asked = await reader.page("browser_snapshot", frames=True)
    tree = json.loads(asked.partition("\n")[0])["frame_tree"]
    assert tree["top"]["frame_id"]
    assert [child["url"] for child in tree["children"]] == ["/shop/inner.html"]
