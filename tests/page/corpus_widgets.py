"""Widgets: ARIA controls, things that are clicked without being buttons, shadow trees, whole apps.

Knows: fragments of applications. Must not know: what is measured on them.
"""

from __future__ import annotations

from tests.page.corpus_vocabulary import Pick, listed

__all__ = ["FAMILIES"]


def tabs(pick: Pick) -> str:
    panel = pick.fresh("p")
    made = "".join(
        f'<{pick.one("button", "div", "a href=#t")} role="tab" id="{pick.fresh("t")}" '
        f'aria-selected="{pick.one("true", "false")}" tabindex="0">{pick.phrase()}</div></a>'
        f"</button>"
        for _ in range(3)
    )
    return (
        f'<div role="tablist" aria-label="{pick.word()}">{made}</div>'
        f'<div role="tabpanel" id="{panel}" aria-labelledby="t2">{pick.phrase()}</div>'
    )


def menus(pick: Pick) -> str:
    items = "".join(
        f'<{tag} role="{pick.one("menuitem", "menuitemcheckbox", "menuitemradio")}" tabindex="-1"'
        f"{pick.maybe(' aria-checked=true', 0.3)}>{pick.maybe('<i>✓</i> ', 0.3)}"
        f"{pick.phrase()}</{tag}>"
        for tag in (pick.one("li", "div"), "li", "span")
    )
    return (
        f'<button aria-haspopup="true" aria-expanded="true">{pick.word()}</button>'
        f'<ul role="{pick.one("menu", "menubar")}">{items}<li role="separator"></li>'
        f'<li role="none"><a role="menuitem" href="#m">{pick.word()}</a></li></ul>'
        f'<div role="toolbar" aria-label="{pick.word()}"><button>{pick.word()}</button></div>'
    )


def trees_and_listboxes(pick: Pick) -> str:
    leaf = f'<li role="treeitem" tabindex="0">{pick.phrase()}</li>'
    option = "".join(
        f'<{pick.one("div", "li")} role="option"{pick.maybe(" aria-selected=true", 0.3)}>'
        f"{pick.phrase()}</li></div>"
        for _ in range(3)
    )
    return (
        f'<ul role="tree" aria-label="{pick.word()}"><li role="treeitem" aria-expanded="true">'
        f'<span>{pick.word()}</span><ul role="group">{leaf}{leaf}</ul></li></ul>'
        f'<div role="listbox" tabindex="0" title="{pick.word()}">{option}'
        f'<div role="group" aria-label="{pick.word()}">{option}</div></div>'
        f'<div role="option">{pick.word()}</div><div role="treeitem">{pick.word()}</div>'
    )


def combos(pick: Pick) -> str:
    name = pick.fresh("l")
    return (
        f'<label id="{name}a">{pick.phrase()}</label>'
        f'<div role="combobox" aria-labelledby="{name}a" aria-expanded="false" tabindex="0">'
        f"{pick.word()}</div>"
        f'<input role="combobox" aria-controls="{name}" aria-autocomplete="list" '
        f'placeholder="{pick.word()}">'
        f'<ul role="listbox" id="{name}"><li role="option">{pick.phrase()}</li></ul>'
        f'<button role="combobox" aria-haspopup="listbox">{pick.phrase()}</button>'
        f'<div role="radiogroup" aria-label="{pick.word()}">'
        f'<span role="radio" tabindex="0" aria-checked="true">{pick.word()}</span>'
        f'<span role="radio" tabindex="-1">{pick.word()}</span></div>'
    )


def ranges(pick: Pick) -> str:
    value = f'aria-valuenow="{pick.number(0, 9)}" aria-valuemin="0" aria-valuemax="9"'
    said = pick.maybe(f' aria-valuetext="{pick.phrase()}"')
    name = pick.one("", f' aria-label="{pick.word()}"', f' title="{pick.word()}"')
    return "".join(
        f'<div role="{role}" tabindex="0" {value}{said}{name}>{pick.maybe(pick.word())}</div>'
        for role in ("slider", "spinbutton", "scrollbar", "progressbar", "meter", "separator")
    )


def switches(pick: Pick) -> str:
    made = []
    for role in ("switch", "checkbox", "button", "radio", "link", "tooltip", "status", "alert"):
        tag = pick.one("div", "span", "button", "a", "li", "p")
        name = pick.one("", "", f' aria-label="{pick.phrase()}"', f' title="{pick.word()}"')
        inner = pick.one(pick.phrase(), f"<b>{pick.word()}</b> <i>{pick.word()}</i>", "")
        made.append(f'<{tag} role="{role}" tabindex="0"{name}>{inner}</{tag}>')
    made.append(f'<label>{pick.word()}<input type="checkbox" role="switch"></label>')
    made.append(f'<input type="checkbox" role="button" aria-label="{pick.word()}">')
    return pick.gap().join(made)


def live_regions(pick: Pick) -> str:
    roles = pick.some(
        listed(
            "alert status log timer marquee note feed article document application math term "
            "definition figure group"
        ),
        7,
    )
    return "".join(
        f'<div role="{role}"{pick.one("", f" aria-label={pick.fresh()}")}>{pick.phrase()} '
        f"<span>{pick.word()}</span></div>"
        for role in roles
    )


def clicked(pick: Pick) -> str:
    """What people click although it is no control."""
    made = [
        f'<div onclick="void 0">{pick.phrase()}</div>',
        f'<span style="cursor:pointer">{pick.phrase()}</span>',
        f'<div tabindex="0">{pick.phrase()}</div>',
        f'<div tabindex="-1">{pick.phrase()}</div>',
        f'<div class="heard" style="width:9em">{pick.phrase()}</div>',
        f'<a class="heard">{pick.phrase()}</a>',
        f'<a onclick="void 0">{pick.phrase()}</a>',
        f'<p class="heard" title="{pick.word()}">{pick.word()} <b>{pick.word()}</b></p>',
        f'<li class="heard" style="cursor:pointer">{pick.word()}</li>',
        f'<div role="button" class="heard">{pick.word()}</div>',
        f'<label style="cursor:pointer"><input type="checkbox">{pick.word()}</label>',
        f'<div style="cursor:pointer">'
        f'<img src="i.png" width="20" height="20" alt="{pick.word()}"></div>',
    ]
    listen = (
        "<script>for (const e of document.querySelectorAll('.heard')) "
        "e.addEventListener('click', () => { e.dataset.done = 1; });</script>"
    )
    return "\n".join(pick.some(made, 8)) + listen


def covered(pick: Pick) -> str:
    """What cannot be clicked although it is there."""
    cover = pick.one("background:#fff", "opacity:.5;background:#000", "background:#eee")
    return (
        f'<div style="position:relative;height:60px"><button>{pick.word()}</button>'
        f'<a href="#u">{pick.word()}</a><div style="position:absolute;inset:0;{cover}"></div></div>'
        f'<div style="position:relative;height:60px"><button>{pick.word()}</button>'
        '<div style="position:absolute;inset:0;pointer-events:none"></div></div>'
        f'<button style="position:absolute;left:-9999px">{pick.word()}</button>'
        f'<div style="position:absolute;top:4000px"><a href="#far">{pick.word()}</a></div>'
        f'<div style="overflow:auto;height:40px"><p style="height:200px">{pick.word()}</p>'
        f"<button>{pick.word()}</button></div>"
        f'<button style="pointer-events:none">{pick.word()}</button>'
        f'<div style="height:0;overflow:hidden"><button>{pick.word()}</button></div>'
        f'<button style="opacity:0">{pick.word()}</button><button disabled>{pick.word()}</button>'
        f'<button style="transform:rotate({pick.number(1, 90)}deg)">{pick.word()}</button>'
    )


def shadows(pick: Pick) -> str:
    mode = pick.one("open", "open", "open", "closed")
    host = pick.one("x-card", "div", "section", "x-field")
    inner = (
        f'<template shadowrootmode="{mode}"><style>button{{color:navy}}</style>'
        f'<h3><slot name="head">{pick.word()}</slot></h3><button><slot></slot></button>'
        f'<label for="s">{pick.word()}</label><input id="s"><slot name="none">'
        f'<a href="#f">{pick.word()}</a></slot></template>'
    )
    return (
        f'<{host}>{inner}<b slot="head">{pick.phrase()}</b>{pick.phrase()}<i>{pick.word()}'
        f"</i></{host}>"
        f'<button><x-icon><template shadowrootmode="open"><span>{pick.word()}</span></template>'
        f"{pick.word()}</x-icon></button><h2><x-name>{pick.phrase()}</x-name></h2>"
        f'<div id="s">{pick.word()}</div><input aria-labelledby="s">'
    )


def nested_shadows(pick: Pick) -> str:
    deep = f'<button aria-label="{pick.word()}"><slot></slot></button>'
    for _ in range(pick.number(1, 4)):
        deep = (
            f'<x-level><template shadowrootmode="open"><div>{pick.word()}{deep}</div>'
            f"</template>{pick.word()}</x-level>"
        )
    return (
        f"{deep}<script>customElements.define('x-made', class extends HTMLElement {{"
        "connectedCallback() { const root = this.attachShadow({mode: 'open'});"
        f'root.innerHTML = \'<a href="#m"><slot></slot></a>'
        f'<input aria-label="{pick.fresh()}">\'; }} }});'
        f"</script><x-made>{pick.phrase()}</x-made>"
        f"<x-made role='group' aria-label='{pick.fresh()}'>"
        f"</x-made><x-plain tabindex='0'>{pick.word()}</x-plain>"
    )


def card_list(pick: Pick) -> str:
    cards = "".join(
        f'<article class="card"><a href="#c{n}">'
        f'<img src="c.png" alt="{pick.word()}" width=30 height=30>'
        f"<h3>{pick.phrase()}</h3></a><p>{pick.phrase(8)}</p><div>"
        f"<span>{pick.number(1, 99)} €</span>"
        f'<button aria-label="{pick.word()} {n}">♥</button>'
        f'<div class="more" style="cursor:pointer">{pick.word()}</div></div></article>'
        for n in range(pick.number(3, 6))
    )
    return (
        f"<header><nav><ul><li><a href='#1'>{pick.word()}</a><li><a href='#2'>{pick.word()}"
        f"</a></ul></nav>"
        f'<form role="search"><input type="search" placeholder="{pick.word()}"><button>→'
        f"</button></form>"
        f"</header><main><h1>{pick.phrase()}</h1>{cards}</main><footer>© {pick.word()}</footer>"
    )


def mail_app(pick: Pick) -> str:
    rows = "".join(
        f'<tr tabindex="-1"><td><input type="checkbox" aria-label="{pick.word()}"></td>'
        f'<td><div role="button" tabindex="0" title="{pick.word()}">☆</div></td>'
        f"<td><b>{pick.word()}</b></td><td><span>{pick.phrase()}</span> - "
        f"<span>{pick.phrase(6)}</span>"
        "</td></tr>"
        for _ in range(pick.number(3, 6))
    )
    return (
        f'<div role="toolbar"><div role="checkbox" tabindex="0" aria-checked="mixed"></div>'
        f'<div role="button" tabindex="0" aria-label="{pick.word()}"><i></i></div></div>'
        f'<table role="{pick.one("grid", "presentation", "table")}"><tbody>{rows}</tbody></table>'
        f'<div role="navigation"><a href="#in" aria-current="page">{pick.word()} <span>({3})'
        f"</span></a></div>"
    )


FAMILIES = [
    ("tabs", tabs),
    ("menus", menus),
    ("trees-and-listboxes", trees_and_listboxes),
    ("combos", combos),
    ("ranges", ranges),
    ("switches", switches),
    ("live-regions", live_regions),
    ("clicked", clicked),
    ("covered", covered),
    ("shadows", shadows),
    ("nested-shadows", nested_shadows),
    ("card-list", card_list),
    ("mail-app", mail_app),
]
