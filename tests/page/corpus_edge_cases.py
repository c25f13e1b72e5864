"""Odd things: hidden parts, text made by CSS, wrong ARIA, white space, depth, moved children.

Knows: fragments that are rare alone and common in sum. Must not know: what is measured on them.
"""

from __future__ import annotations

from tests.page.corpus_vocabulary import Pick, listed

__all__ = ["FAMILIES"]

HIDING = (
    " hidden",
    ' style="display:none"',
    ' style="visibility:hidden"',
    ' aria-hidden="true"',
    ' style="opacity:0"',
    " inert",
    ' style="position:absolute;left:-9999px"',
    ' style="clip-path:inset(50%);position:absolute;width:1px;height:1px;overflow:hidden"',
    ' style="content-visibility:hidden"',
    ' hidden="until-found"',
)


def hidden(pick: Pick) -> str:
    made = []
    for way in pick.some(HIDING, 6):
        tag = pick.one("div", "span", "section", "p")
        made.append(
            f"<{tag}{way}><button>{pick.word()}</button><a href='#h'>{pick.word()}</a>"
            f"{pick.word()}</{tag}>"
        )
        made.append(f"<button>{pick.word()}<span{way}>{pick.word()}</span>{pick.word()}</button>")
    visible = f'<b style="visibility:visible">{pick.word()}</b>'
    made.append(f'<h3>{pick.word()}<i style="visibility:hidden">{pick.word()}{visible}</i></h3>')
    return "\n".join(made)


def hidden_names(pick: Pick) -> str:
    one, two = pick.fresh(), pick.fresh()
    way = pick.one(*HIDING)
    return (
        f'<div id="{one}"{way}>{pick.word()} <b>{pick.word()}</b><div>{pick.word()}</div></div>'
        f'<input aria-labelledby="{one}"><div{way}><span id="{two}">{pick.phrase()}</span></div>'
        f'<button aria-labelledby="{two}">{pick.word()}</button>'
        f'<label{way}>{pick.word()} <input></label><label for="{one}x"{way}>{pick.word()}</label>'
        f'<input id="{one}x" title="{pick.word()}"><a href="#n">{pick.word()}'
        f"<i{way}>{pick.word()}</i></a>"
    )


def made_by_style(pick: Pick) -> str:
    rules = [
        f'.a::before{{content:"{pick.number(1, 99)} "}}',
        '.b::after{content:"*"}',
        '.c::before{content:"\\2192";display:block}',
        '.d::after{content:url(x.png) / "picture"}',
        ".e{text-transform:uppercase}.f{text-transform:capitalize}",
        '.g::before{content:attr(title) ": "}',
        ".h::before{counter-increment:n;content:counter(n) '. '}",
        '.i::after{content:"x";display:none}.j::before{content:""}',
        '.k::before{content:"open" / ""}',
    ]
    made = "".join(
        f'<{tag} class="{name}" href="#s"{pick.maybe(" title=tip", 0.3)}>{pick.phrase(2)}</{tag}>'
        for name in "abcdefghijk"
        for tag in [pick.one("button", "a", "h3", "label")]
    )
    return f"<style>{''.join(rules)}</style>{made}<label class='b'>{pick.word()}<input></label>"


def displayed(pick: Pick) -> str:
    """One name from parts that are laid out in every way."""
    ways = listed(
        "inline inline-block block flex inline-flex grid contents table-cell list-item none"
    )
    made = []
    for _ in range(6):
        tag = pick.one("button", "a href=#d", "h4", "div role=button")
        parts = "".join(
            f'<{name} style="display:{pick.one(*ways)}">{pick.word()}</{name}>{pick.gap()}'
            for name in pick.some(["span", "div", "b", "i", "em", "p"], 3)
        )
        made.append(f"<{tag}>{pick.word()}{parts}{pick.word()}</{tag.split()[0]}>")
    boxes = (
        f'<div style="display:table"><div style="display:table-row">'
        f'<div style="display:table-cell">'
        f"{pick.word()}</div></div></div>"
    )
    floats = f'<h4>{pick.word()}<span style="float:right">{pick.word()}</span>{pick.word()}</h4>'
    return "\n".join(made) + boxes + floats


def contents_boxes(pick: Pick) -> str:
    return "".join(
        f'<{tag} style="display:contents">{pick.phrase()}</{tag}>'
        for tag in ("button", "h2", "nav", "p", "ul", "label", "span", "div")
    ) + (
        f'<table style="display:contents"><tr><th>{pick.word()}<td>{pick.word()}</table>'
        f'<ul style="display:contents"><li style="display:contents">{pick.word()}</ul>'
    )


def wrong_aria(pick: Pick) -> str:
    made = [
        f'<div role="">{pick.word()}</div>',
        f'<h2 role="banana">{pick.word()}</h2>',
        f'<div role="banana button link">{pick.word()}</div>',
        f'<div role=" BUTTON ">{pick.word()}</div>',
        f'<div role="presentation button">{pick.word()}</div>',
        f'<div role="region">{pick.word()}</div>',
        f'<div role="region form" aria-label="{pick.word()}">{pick.word()}</div>',
        f'<button aria-label="">{pick.word()}</button>',
        f'<button aria-label="  ">{pick.word()}</button>',
        f'<button aria-labelledby="">{pick.word()}</button>',
        f'<button aria-labelledby="nothing here">{pick.word()}</button>',
        f'<div aria-hidden="banana"><button>{pick.word()}</button></div>',
        f'<div aria-hidden=""><button>{pick.word()}</button></div>',
        f'<div role="heading" aria-level="99">{pick.word()}</div>',
        f'<div role="checkbox" aria-checked="perhaps">{pick.word()}</div>',
        f'<input role="button" value="{pick.word()}"><input role="heading" title="{pick.word()}">',
        f'<div role="text">{pick.word()}</div><div role="command">{pick.word()}</div>',
        f'<div role="doc-chapter">{pick.word()}</div>'
        f'<a role="doc-backlink" href="#b">{pick.word()}</a>',
        f'<div role="graphics-document" aria-label="{pick.word()}"></div>',
        f'<span aria-label="{pick.word()}">{pick.word()}</span>',
        f'<div role="generic" aria-label="{pick.word()}">{pick.word()}</div>',
        f'<div role="code" aria-label="{pick.word()}">{pick.word()}</div>',
    ]
    return "\n".join(pick.some(made, 13))


def conflicts(pick: Pick) -> str:
    """Elements that are told to mean nothing, and do."""
    role = pick.one("none", "presentation")
    extra = pick.one(
        "", ' tabindex="0"', ' aria-label="x"', ' aria-live="polite"', ' aria-haspopup="true"'
    )
    made = [
        f'<{tag} role="{role}"{extra}>{pick.word()}</{tag}>'
        for tag in ("h2", "p", "nav", "article")
    ]
    made += [
        f'<button role="{role}">{pick.word()}</button><a href="#c" role="{role}">{pick.word()}</a>',
        f'<ul role="{role}"{extra}><li>{pick.word()}</li><li{extra}>{pick.word()}</li></ul>',
        f'<table role="{role}"{extra}><tr><th>{pick.word()}</th><td>{pick.word()}</td></tr>'
        f"</table>",
        f'<img role="{role}" src="c.png" alt="{pick.word()}"{extra}>',
        f'<input role="{role}" title="{pick.word()}"><select role="{role}">'
        f"<option>{pick.word()}</select>",
        f'<fieldset role="{role}"><legend>{pick.word()}</legend></fieldset>',
        f'<h3>{pick.word()}<span role="{role}" title="t">{pick.word()}</span></h3>',
        f'<dl role="{role}"><dt>{pick.word()}<dd>{pick.word()}</dl>',
        f'<button disabled role="{role}">{pick.word()}</button>'
        f'<svg role="{role}" width=9 height=9></svg>',
    ]
    return "".join(made)


def white_space(pick: Pick) -> str:
    return (
        f"<button>\n   {pick.word()}\n\n\t{pick.word()}   </button>"
        f'<a href="#w" aria-label="  {pick.word()}   {pick.word()} ">x</a>'
        f'<button title="{pick.word()}\n{pick.word()}"></button>'
        f"<h3>{pick.word()}<!-- c -->{pick.word()}<b> {pick.word()}</b>&nbsp;{pick.word()}</h3>"
        f"<h3>{pick.word()}&#8203;{pick.word()}&#8206;{pick.word()}&shy;{pick.word()}</h3>"
        f'<button style="white-space:pre">  {pick.word()}\n  {pick.word()}  </button>'
        f"<h4>{pick.word()}<br>{pick.word()}<br><br>{pick.word()}</h4>"
        f'<img src="w.png" alt=" {pick.word()} ">'
        f'<a href="#b"><bdo dir="rtl">{pick.word()}</bdo><bdi>{pick.word()}</bdi></a>'
        f"<button> </button>"
        f"<label>  {pick.word()} \n <input> </label><button>{pick.word()}<wbr>{pick.word()}"
        f"</button>"
    )


def moved(pick: Pick) -> str:
    one, two = pick.fresh("o"), pick.fresh("o")
    return (
        f'<div role="button" aria-owns="{one}">{pick.word()}</div>'
        f'<span id="{one}">{pick.word()}</span>'
        f'<ul aria-owns="{two} missing"><li>{pick.word()}</li></ul>'
        f'<div id="{two}" role="listitem">{pick.word()}</div>'
        f'<div role="listbox" aria-label="{pick.word()}" aria-owns="{two}x"></div>'
        f'<div id="{two}x" role="option">{pick.word()}</div>'
        f'<h2 aria-describedby="{one}">{pick.word()}</h2><p aria-details="{one}">{pick.word()}</p>'
    )


def deep(pick: Pick) -> str:
    depth = pick.number(12, 40)
    tags = [pick.one("div", "div", "span", "section", "b") for _ in range(depth)]
    opened = "".join(f"<{tag}{pick.maybe(' class=x', 0.3)}>" for tag in tags)
    closed = "".join(f"</{tag}>" for tag in reversed(tags))
    inside = f'<button>{pick.word()}<i><b><u>{pick.phrase()}</u></b></i></button><input title="t">'
    return f"{opened}{inside}{closed}<h1>{'<span>' * 9}{pick.phrase()}{'</span>' * 9}</h1>"


def long_names(pick: Pick) -> str:
    many = " ".join(f"<span>{pick.word()}</span>" for _ in range(pick.one(20, 40, 90)))
    return (
        f'<button>{many}</button><a href="#l">{pick.phrase(30)}</a>'
        f'<div role="button"><ul><li>{pick.word()}</li><li>{pick.word()}</li></ul>'
        f"<table><tr><td>{pick.word()}</td><td>{pick.word()}</td></tr></table>"
        f"<p>{pick.word()}</p><p>{pick.word()}</p><hr></div><h2>{many}</h2>"
    )


def inside_names(pick: Pick) -> str:
    """A heading and a link around one of everything."""
    parts = [
        f"<ul><li>{pick.word()}</li></ul>",
        f"<table><tr><td>{pick.word()}</td></tr></table>",
        f"<p title='t'>{pick.word()}</p>",
        f"<section aria-label='s'>{pick.word()}</section>",
        f"<article>{pick.word()}</article>",
        f"<fieldset><legend>{pick.word()}</legend>{pick.word()}</fieldset>",
        f"<figure>{pick.word()}<figcaption>{pick.word()}</figcaption></figure>",
        f"<details open><summary>{pick.word()}</summary>{pick.word()}</details>",
        f"<details><summary>{pick.word()}</summary>{pick.word()}</details>",
        f"<abbr title='{pick.word()}'>{pick.word()}</abbr>",
        f"<iframe title='{pick.word()}'></iframe>",
        f"<div role='group'>{pick.word()}</div>",
        f"<div role='alert'>{pick.word()}</div>",
        f"<div role='dialog'>{pick.word()}</div>",
        f"<div role='toolbar'><button>{pick.word()}</button></div>",
        f"<nav>{pick.word()}</nav>",
        f"<time>{pick.word()}</time>",
        f"<output>{pick.word()}</output>",
        "<meter value='.5'>half</meter>",
        f"<label>{pick.word()}</label>",
        f"<blockquote>{pick.word()}</blockquote>",
        f"<svg width=9 height=9><title>{pick.word()}</title></svg>",
        f"<math><mi>{pick.word()}</mi></math>",
        f"<canvas>{pick.word()}</canvas>",
        f"<ruby>{pick.word()}<rt>{pick.word()}</rt></ruby>",
        f"<slot>{pick.word()}</slot>",
        f"<div role='tooltip'>{pick.word()}</div>",
        f"<span role='img' aria-label='{pick.word()}'>x</span>",
        f"<span role='img'>{pick.word()}</span>",
    ]
    return "".join(
        f"<{tag}>{pick.word()} {part} {pick.word()}</{tag.split()[0]}>"
        for part in pick.some(parts, 9)
        for tag in [pick.one("h3", "a href='#i'", "div role='button'", "div role='tab'")]
    )


def formulas(pick: Pick) -> str:
    value = pick.number(1, 99)
    return (
        f"<h3>{pick.word()} <math><mi>x</mi><mo>=</mo><mn>{value}</mn></math></h3>"
        f"<math><mfrac><mn>{value}</mn><msqrt><mi>y</mi></msqrt></mfrac>"
        f"<msup><mi>{pick.word()}</mi><mn>2</mn></msup></math>"
        f"<p>H<sub>{value}</sub>O <math aria-label='{pick.word()}'><mrow><mi>z</mi></mrow>"
        f"</math></p>"
    )


def hostile(pick: Pick) -> str:
    """Fields and elements whose names hide what scripts look for."""
    names = pick.some(listed("children title id name action elements labels role style"), 5)
    fields = "".join(f'<label>{pick.word()} <input name="{name}"></label>' for name in names)
    return (
        f'<form aria-label="{pick.word()}">{fields}<button>{pick.word()}</button></form>'
        f'<constructor>{pick.word()}</constructor><x-y tabindex="0">{pick.word()}</x-y>'
        f'<svg width="9" height="9"><constructor></constructor><rect width="4" height="4"/></svg>'
        f'<label>{pick.word()} <input type="password" value="{pick.word()}"></label>'
        f'<h3>{pick.word()} <input type="password" value="abc"></h3>'
        f'<a href="#h" id="document">{pick.word()}</a>'
        f'<img name="body" src="h.png" alt="{pick.word()}">'
    )


def grouped(pick: Pick) -> str:
    """Boxes and lists whose attributes or age make something else of them."""
    way = pick.one("draggable=true", "draggable=false", "draggable", "autofocus")
    return (
        f"<div {way}>{pick.word()}</div><div {way} aria-label={pick.fresh()}>{pick.word()}</div>"
        f"<pre {way}>{pick.word()}</pre><p {way}>{pick.word()}</p><span {way}>{pick.word()}</span>"
        f"<section {way}>{pick.word()}</section><button><div {way}>{pick.word()}</div></button>"
        f"<h3>{pick.word()} <div {way}>{pick.word()}</div></h3><button {way}>{pick.word()}</button>"
        f"<a href='#g' {way}>{pick.word()}</a><div {way} role=listitem>{pick.word()}</div>"
        f"<dir><li>{pick.word()}</li><li title=t>{pick.word()}</li></dir>"
        f"<dir role=none><li>{pick.word()}</li></dir><x-y title=t>{pick.word()}</x-y>"
        f"<a onmousedown='1'>{pick.word()}</a>"
    )


def with_actions(pick: Pick) -> str:
    """Names without what aria-actions refers to; targets of others stay."""
    one, two, three = pick.fresh("a"), pick.fresh("a"), pick.fresh("a")
    return (
        f'<div role="tablist"><div role="tab" tabindex="0" aria-actions="{one}">{pick.word()}'
        f'<span id="{one}">{pick.word()}</span></div></div>'
        f'<button aria-actions="{two}"><b>{pick.word()}</b><i id="{two}">{pick.word()}</i></button>'
        f'<h3>{pick.word()} <b id="{three}">{pick.word()}</b></h3>'
        f'<a href="#a" aria-actions="{three} nothing">{pick.phrase()}</a>'
    )


def empty_between(pick: Pick) -> str:
    """Elements that say nothing between two words."""
    nothing = [
        "<i></i>",
        "<span></span><b></b>",
        "<span> </span>",
        '<i class="icon"></i>',
        '<img alt="" src="e.png">',
        '<img src="e.png" role="none">',
        "<svg width=5 height=5></svg>",
        '<svg width=5 height=5><path d="M0 0h5v5z"/></svg>',
        '<span style="display:inline-block;width:9px;height:9px"></span>',
        '<span style="display:block"></span>',
        '<span style="float:left"></span>',
        '<i style="position:absolute"></i>',
        "<div></div>",
        "<em><u></u></em>",
        '<i title="t"></i>',
        "<label></label>",
        '<i role="img"></i>',
        "<x-y></x-y>",
        '<a name="e"></a>',
        "<canvas></canvas>",
    ]
    return "".join(
        f"<{tag}>{pick.word()}{one}{pick.word()}</{tag.split()[0]}>"
        for one in pick.some(nothing, 12)
        for tag in [pick.one("h3", "a href='#e'", "button", "div role='tab'")]
    )


def counted(pick: Pick) -> str:
    """Counters of CSS, painted and in the text for who cannot see."""
    first = pick.number(0, 9)
    return (
        f"<style>body{{counter-reset:n {first} m}}.a::before{{counter-increment:n 2;"
        f"content:url(c.png) / 'No ' counter(n) ':'}}.b::before{{counter-increment:m;"
        f"content:counter(m) '. '}}.c::after{{content:'!' / counter(n) ' of ' counter(m)}}"
        f".d{{counter-reset:n}}.e::before{{content:'§ ' counters(m, '.') ' '}}</style>"
        + "".join(
            f"<{tag} class={kind} href='#c'>{pick.word()}</{tag}>"
            for kind in "aabbceca"
            for tag in [pick.one("h3", "a", "button")]
        )
        + f"<div class=d><button class=a>{pick.word()}</button></div>"
        f"<button class=a>{pick.word()}</button><button class=c>{pick.word()}</button>"
    )


def owned_hidden(pick: Pick) -> str:
    """What aria-owns may not take, and who may not own."""
    ids = [pick.fresh("h") for _ in range(6)]
    return (
        f'<a href="#o" aria-owns="{ids[0]}">{pick.word()}</a><div hidden><b id="{ids[0]}">'
        f'{pick.word()}</b></div><a href="#o" aria-owns="{ids[1]}">{pick.word()}</a>'
        f'<div><b id="{ids[1]}" hidden>{pick.word()}</b></div>'
        f'<h3><b aria-hidden="true" aria-owns="{ids[2]}">{pick.word()}</b>'
        f'<i id="{ids[2]}">{pick.word()}</i></h3>'
        f'<button aria-owns="{ids[3]}">{pick.word()}</button><div aria-hidden="true">'
        f'<b id="{ids[3]}">{pick.word()}</b></div>'
        f'<button aria-owns="{ids[4]}"><span aria-hidden="true"><b id="{ids[4]}">{pick.word()}'
        f"</b>{pick.word()}</span></button>"
    )


def labelled_slots(pick: Pick) -> str:
    """A slot's own label says nothing."""
    one = pick.fresh("s")
    root = (
        f'<template shadowrootmode="open">{pick.word()} <slot aria-label="{pick.word()}">'
        f"{pick.word()}</slot> {pick.word()}</template>"
    )
    return (
        f'<div id="{one}">{root}{pick.word()}</div><button aria-labelledby="{one}"></button>'
        f'<div role="button">{root}{pick.word()}</div><div role="button">{root}</div>'
    )


def referenced(pick: Pick) -> str:
    """Whatever a name refers to is read, also what would not be heard inside of another name."""
    roles = listed(
        "alert article banner blockquote combobox complementary dialog document feed figure grid "
        "group img listbox log main menu navigation note radiogroup region search separator status "
        "tablist tabpanel toolbar tree alertdialog application timer"
    )
    made = []
    for role in pick.some(roles, 6):
        one, two = pick.fresh("r"), pick.fresh("r")
        made.append(
            f'<div id="{one}" role="{role}">{pick.word()}</div><div id="{two}"'
            f'{pick.one("", " hidden")}>{pick.word()} <div role="{role}">{pick.word()}</div></div>'
            f'<button aria-labelledby="{one}"></button><a href="#r" aria-labelledby="{two}">x</a>'
            f"<h3>{pick.word()} <span role='{role}'>{pick.word()}</span> end</h3>"
        )
    veiled, bare = pick.fresh("r"), 'style="visibility:visible"'
    made.append(
        f'<p id="{veiled}">{pick.word()} <b style="visibility:hidden">{pick.word()} <i {bare}>'
        f'{pick.word()}</i></b></p><button aria-labelledby="{veiled}"></button>'
    )
    return "".join(made)


FAMILIES = [
    ("hidden", hidden),
    ("hidden-names", hidden_names),
    ("made-by-style", made_by_style),
    ("displayed", displayed),
    ("contents-boxes", contents_boxes),
    ("wrong-aria", wrong_aria),
    ("conflicts", conflicts),
    ("white-space", white_space),
    ("moved", moved),
    ("deep", deep),
    ("long-names", long_names),
    ("inside-names", inside_names),
    ("formulas", formulas),
    ("hostile", hostile),
    ("grouped", grouped),
    ("with-actions", with_actions),
    ("empty-between", empty_between),
    ("counted", counted),
    ("owned-hidden", owned_hidden),
    ("labelled-slots", labelled_slots),
    ("referenced", referenced),
]
