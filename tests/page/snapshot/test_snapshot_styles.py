"""Whatever way a style comes to a page, what it hides is not shown and what it makes is.

The walker only reads properties that some style speaks of; each of these pages speaks of one.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from pilothouse.cdp import Command
from tests.browser.browser_with_dialog_places import Stage, staged
from tests.page.snapshot_tab import opened, see

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

HIDING = (
    "clip-path: circle(0)",
    "clip-path: inset(50%)",
    "position: absolute; clip: rect(0 0 0 0); width: 1px; height: 1px",
    "filter: opacity(0)",
    "position: absolute; left: -9999px",
    "position: fixed; top: -500px; height: 20px",
    "display: block; height: 0; overflow: hidden",
    "display: block; transform: scale(0)",
    "display: block; transform: translateX(-5000px)",
    "text-indent: -9999px; display: block",
    "content-visibility: hidden; display: block",
    "font-size: 0",
    "font-size: 0.5px",
    "font-size: calc(2px - 1px)",
    "font: 1px serif",
    "color: transparent",
    "color: rgba(1, 2, 3, 0)",
    "color: rgb(1, 2, 3); background: rgb(1, 2, 3)",
    "background-color: black",
    "visibility: hidden",
    "opacity: 0",
)

# Ways by which a declaration can reach the element with the class "it".
WAYS = {
    "sheet": "<style>.it {{ {0} }}</style>",
    "media": "<style>@media screen {{ @supports (color: red) {{ .it {{ {0} }} }} }}</style>",
    "layer": "<style>@layer one {{ div {{ & .it {{ {0} }} }} }}</style>",
    "inserted": "<style id=s></style><script>s.sheet.insertRule('.it {{ {0} }}')</script>",
    "adopted": "<script>const made = new CSSStyleSheet(); made.replaceSync('.it {{ {0} }}');"
    "document.adoptedStyleSheets = [made]</script>",
    "property": "<script>onload = () => {{ document.querySelector('.it').style.cssText = '{0}' }}"
    "</script>",
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(chromium_path: Path) -> AsyncIterator[Stage]:
    async with staged() as made:
        made.pages.add("/hide.css", ".it { clip-path: circle(0) }")
        yield made


async def shown(stage: Stage, html: str) -> bool:
    """Whether the secret is, on a page whose other words are."""
    text = "\n".join(await see(await opened(stage, html), budget=0))
    assert "plain words" in text
    return "secret" in text


@pytest.mark.parametrize("declared", HIDING)
async def test_a_single_property_hides_wherever_it_is_the_only_one(
    stage: Stage, declared: str
) -> None:
    page = f"<p>plain words</p><div><span class=it style='{declared}'>secret</span></div>"
    assert not await shown(stage, page)


@pytest.mark.parametrize("way", WAYS)
async def test_a_style_hides_whatever_way_it_comes(stage: Stage, way: str) -> None:
    style = WAYS[way].format("clip-path: circle(0)")
    body = "<p>plain words</p><div><span class=it>secret</span></div>"
    assert not await shown(stage, f"{body}{style}")
    assert await shown(stage, f"{body}{WAYS[way].format('text-align: right')}")


async def test_a_foreign_style_sheet_hides_too(stage: Stage) -> None:
    href = stage.pages.url("/hide.css", "localhost")
    body = f"<link rel=stylesheet href='{href}'><p>plain words</p><span class=it>secret</span>"
    assert not await shown(stage, body)


async def test_an_animation_of_a_script_hides_too(stage: Stage) -> None:
    play = "it.animate([{clipPath: 'circle(0)'}, {clipPath: 'circle(0)'}], 1e6)"
    body = f"<p>plain words</p><div id=it>secret</div><script>{play}</script>"
    assert not await shown(stage, body)


@pytest.mark.parametrize(
    "rule", [":host { clip-path: circle(0) }", "::slotted(*) { clip-path: circle(0) }"]
)
async def test_a_shadow_root_hides_its_host_and_what_is_slotted(stage: Stage, rule: str) -> None:
    page = f"""<p>plain words</p><x-box style="display: block"><span>secret</span></x-box><script>
        const box = document.querySelector("x-box");
        box.attachShadow({{mode: "open"}}).innerHTML = "<style>{rule}</style><slot></slot>";
    </script>"""
    assert not await shown(stage, page)


async def test_text_made_by_a_style_is_part_of_a_name(stage: Stage) -> None:
    page = "<style>button::before { content: 'very ' } a { text-transform: uppercase }</style>"
    page += "<button>good</button> <a href=#>loud</a>"
    lines = await see(await opened(stage, page), budget=0)
    assert [line.partition(" [")[0] for line in lines] == ['- button "very good"', '- link "LOUD"']


async def test_quotes_that_the_browser_makes_are_part_of_a_name(stage: Stage) -> None:
    lines = await see(await opened(stage, "<button><q>good</q></button>"), budget=0)
    assert [line.partition(" [")[0] for line in lines] == ['- button "“good”"']


# Sheets that a page's own list does not have, as extensions and debuggers add them.
@pytest.mark.parametrize("hidden", ["div", "p", "b", "section", "button"])
async def test_a_sheet_that_the_page_does_not_know_hides_as_well(stage: Stage, hidden: str) -> None:
    page = await opened(
        stage,
        "<p>plain words</p><section><h2>secret heading</h2><div><p>one <b>secret bold</b></p>"
        "<button>secret button</button></div></section>",
    )
    session = page.tab_context.session
    frame = page.tab_context.main().id
    await session.send(Command("DOM.enable"))
    await session.send(Command("CSS.enable"))
    creating: Command[Any] = Command("CSS.createStyleSheet", {"frameId": frame})
    made = await session.send(creating)
    rule = f"{'' if hidden == 'section' else 'section '}{hidden} {{ display: none }}"
    sheet = {"styleSheetId": made["styleSheetId"], "text": rule}
    await session.send(Command("CSS.setStyleSheetText", sheet))
    text = "\n".join(await see(page, budget=0))
    gone = {
        "div": ("one", "secret bold", "secret button"),
        "p": ("one", "secret bold"),
        "b": ("secret bold",),
        "section": ("secret",),
        "button": ("secret button",),
    }
    assert [word for word in gone[hidden] if word in text] == []
    assert ("secret heading" in text) == (hidden != "section")
    assert "plain words" in text


@pytest.mark.parametrize(
    ("style", "lines"),
    [
        # What stands in a line is said in one, whatever the element usually is.
        ("", ["- text: one", "- text: two three", "- text: four"]),
        ("div { display: inline }", ["- text: one two three four"]),
        ("i { display: block }", ["- text: one", "- text: two", "- text: three", "- text: four"]),
        ("@media print { div { display: inline } }", ["- text: one", "- text: two three"]),
        ("div { display: flex }", ["- text: one", "- text: two", "- text: three"]),
        ("div { display: contents }", ["- text: one two three four"]),
        ("i { float: left }", ["- text: one", "- text: two", "- text: three"]),
        ("body { & i { display: block } }", ["- text: one", "- text: two", "- text: three"]),
    ],
)
async def test_lines_are_those_that_the_styles_make(
    stage: Stage, style: str, lines: list[str]
) -> None:
    html = f"<style>{style}</style>one <div>two <i>three</i></div> four"
    assert (await see(await opened(stage, html), budget=0))[: len(lines)] == lines
