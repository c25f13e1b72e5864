"""Pages for the benchmarks, of any size: a shop with navigation, a search and shelves to act on.

`elements` counts what can be acted on: links, buttons, fields, lists of options, boxes to tick.
docs/benchmarks.md says what the size of a page was measured by.
"""

from __future__ import annotations

import re

__all__ = ["form", "framed", "inner", "said", "sized"]

CHARS_PER_TOKEN = 4
A_SHELF = 10

_HEAD = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>
body {{ font: 14px sans-serif; margin: 8px }}
.shelf {{ display: inline-block; width: 560px; margin: 4px; border: 1px solid #ccc; padding: 6px }}
.line {{ display: inline-block; width: 180px }}
a, button, .more {{ cursor: pointer }}
.line input {{ width: 60px }}
.row {{ float: left; width: 50%; white-space: nowrap; overflow: hidden }}
.row input {{ width: 60px }}</style></head><body>"""

_KINDS = (
    '<a id="open-{n}" href="/items/{n}">Open {n}</a>',
    '<button id="buy-{n}" type="button">Buy {n}</button>',
    '<label for="amount-{n}">Amount {n}</label>'
    ' <input id="amount-{n}" name="amount-{n}" {kind} value="1">',
    '<label for="size-{n}">Size {n}</label> <select id="size-{n}" name="size-{n}">'
    "<option>S</option><option>M</option><option>L</option></select>",
    '<label><input type="checkbox" id="gift-{n}" name="gift-{n}"> Gift {n}</label>',
    '<div class="more" role="button" tabindex="0" id="more-{n}">More {n}</div>',
)


def sized(elements: int) -> str:
    """A page with so many elements to act on."""
    head = (
        '<header><nav aria-label="Main"><ul><li><a href="#a">Home</a></li>'
        '<li><a href="#b">Orders</a></li><li><a href="#c">Help</a></li></ul></nav></header>'
        '<main><h1>Shop</h1><form role="search"><label>Search <input type="search" name="q">'
        "</label><button>Find</button></form>"
    )
    shelves = _shelves(elements - 5)
    return f"{_HEAD.format(title=f'Shop of {elements}')}{head}{shelves}</main></body></html>"


def _shelves(elements: int) -> str:
    parts = []
    for start in range(0, elements, A_SHELF):
        parts.append(f'<section class="shelf"><h2>Shelf {start // A_SHELF}</h2><div class="lines">')
        for number in range(start, min(start + A_SHELF, elements)):
            # Few of the fields are for numbers: each of those is a layer of its own to Chrome.
            numeric = number % (10 * len(_KINDS)) == 2
            kind = 'type="number" min="0"' if numeric else 'inputmode="numeric"'
            line = _KINDS[number % len(_KINDS)].format(n=number, kind=kind)
            parts.append(f'<div class="line">{line}</div>')
        parts.append("</div></section>")
    return "".join(parts)


def inner(number: int) -> str:
    """A frame's page of thirty elements to act on, one of them a button called Go."""
    head = _HEAD.format(title=f"Frame {number}")
    return f"{head}<h1>Frame {number}</h1>{_shelves(29)}<button>Go</button></body></html>"


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
        "named": len(set(re.findall(r"Buy (\d+)", text))),
        "frames": len(re.findall(r'button "Go"|<button[^\n]*\n\s*Go\n', text)),
    }
