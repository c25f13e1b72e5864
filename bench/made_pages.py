"""Pages for the benchmarks, of any size: a shop's list with navigation, a form and rows to act on.

`elements` counts what can be acted on or read as one thing: links, buttons, fields, headings, text.
"""

from __future__ import annotations

import re

__all__ = ["form", "framed", "inner", "said", "sized"]

CHARS_PER_TOKEN = 4

_HEAD = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>
body {{ font: 14px sans-serif; margin: 8px }}
.card {{ display: inline-block; width: 240px; margin: 4px; border: 1px solid #ccc; padding: 6px }}
.more {{ cursor: pointer; color: #06c }}
.row {{ float: left; width: 50%; white-space: nowrap; overflow: hidden }}
.row input {{ width: 60px }}</style></head><body>"""


def sized(elements: int) -> str:
    """A page with about this many elements that matter."""
    parts = [_HEAD.format(title=f"Shop of {elements}")]
    parts.append('<header><nav aria-label="Main"><a href="#a">Home</a> <a href="#b">Orders</a> ')
    parts.append('<a href="#c">Help</a></nav></header><main><h1>Shop</h1><form>')
    parts.append('<label>Search <input type="search" name="q"></label><button>Find</button></form>')
    for number in range((elements - 7) // 6):
        # Few of the fields are for numbers: each of those is a layer of its own to Chrome, and with
        # one in every card our walker's hit tests took a quarter to two fifths of its time.
        kind = 'type="number" min="0"' if number % 10 == 0 else 'inputmode="numeric"'
        parts.append(
            f'<div class="card"><h3>Item {number}</h3>'
            f"<p>In stock: <b>{number % 17}</b> pieces</p>"
            f'<a href="#item{number}">Details of item {number}</a>'
            f'<label>Amount {number} <input {kind} value="1"></label>'
            f'<button type="button">Buy item {number}</button>'
            f'<span class="more">Compare {number}</span></div>'
        )
    parts.append("</main></body></html>")
    return "".join(parts)


def inner(number: int) -> str:
    """A frame's page of thirty elements, one of them a button called Go."""
    rows = "".join(
        f'<li><a href="#{n}">Link {n} of frame {number}</a> <button>Act {n}</button></li>'
        for n in range(14)
    )
    head = _HEAD.format(title=f"Frame {number}")
    return f"{head}<h2>Frame {number}</h2><ul>{rows}</ul><button>Go</button></body></html>"


def framed(sources: list[str]) -> str:
    """A page with a frame for each source."""
    frames = "".join(
        f'<iframe title="Frame {n}" width="400" height="300" src="{source}"></iframe>'
        for n, source in enumerate(sources)
    )
    return f"{_HEAD.format(title='Frames')}<h1>Frames</h1>{frames}</body></html>"


def form(rows: int = 20) -> str:
    """Three times as many elements as rows: a button, a field and a list of options in each.

    Every button changes the page when it is pressed, and the page counts the presses. All of it
    can be seen without scrolling.
    """
    parts = [_HEAD.format(title="Form"), '<h1>Form</h1><p id="out">nothing yet</p>']
    for number in range(rows):
        name = f"{number:02}"
        parts.append(
            f'<div class="row"><button type="button" id="Press-{name}">Press-{name}</button>'
            f'<label>Text-{name} <input name="Text-{name}" type="text"></label>'
            f'<label>Pick-{name} <select name="Pick-{name}"><option>Red</option>'
            "<option>Green</option><option>Blue</option></select></label></div>"
        )
    parts.append(
        "<script>var presses = 0; for (const button of document.querySelectorAll('button'))"
        " button.addEventListener('click', () => {"
        " out.textContent = `${button.id} was pressed, ${++presses} in all`; });"
        "</script></body></html>"
    )
    return "".join(parts)


def said(text: str) -> dict[str, float]:
    """What a tool's text about one of these pages costs in tokens, and what of it it names: items
    that can be bought, frames by their button."""
    return {
        "tokens": len(text) / CHARS_PER_TOKEN,
        "named": len(set(re.findall(r"Buy item (\d+)", text))),
        "frames": len(re.findall(r'button "Go"|<button[^\n]*\n\s*Go\n', text)),
    }
