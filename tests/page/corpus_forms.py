"""Forms: every control, every way to label one.

Knows: fragments of forms. Must not know: what is measured on them.
"""

from __future__ import annotations

from tests.page.corpus_vocabulary import Pick, listed

__all__ = ["FAMILIES"]

TYPES = listed(
    "text search email tel url password number range date time month week datetime-local color "
    "file checkbox radio submit reset button image hidden"
)


def control(pick: Pick, extra: str = "") -> str:
    """Any control with some of the attributes controls have."""
    kind = pick.one("input", "input", "input", "textarea", "select", "button", "meter", "progress")
    marks = pick.maybe(f' title="{pick.phrase()}"', 0.25)
    marks += pick.maybe(f' aria-label="{pick.phrase()}"', 0.15)
    marks += pick.maybe(" disabled", 0.1) + pick.maybe(" required", 0.1)
    if kind == "input":
        return _input(pick, pick.one(*TYPES), marks + extra)
    if kind == "textarea":
        hint = pick.maybe(f' placeholder="{pick.phrase()}"')
        return f"<textarea{marks}{hint}{extra}>{pick.maybe(pick.phrase())}</textarea>"
    if kind == "select":
        many = pick.one("", "", " multiple", ' size="3"')
        return f"<select{marks}{many}{extra}>{options(pick)}</select>"
    if kind == "button":
        return f"<button{marks}{extra}>{pick.maybe(pick.phrase(), 0.8)}</button>"
    return f'<{kind} value="0.{pick.number(1, 9)}"{marks}{extra}>{pick.word()}</{kind}>'


def _input(pick: Pick, kind: str, marks: str) -> str:
    hint = pick.maybe(f' placeholder="{pick.phrase()}"')
    value = ""
    if kind in ("text", "search", "submit", "reset", "button", "password", "url"):
        value = pick.maybe(f' value="{pick.phrase()}"', 0.4)
    if kind in ("number", "range"):
        value = pick.maybe(f' value="{pick.number(1, 90)}"', 0.6)
    if kind == "image":
        value = pick.maybe(f' alt="{pick.phrase()}"') + pick.maybe(' value="go"', 0.2)
    return f'<input type="{kind}"{hint}{value}{marks}>'


def options(pick: Pick) -> str:
    """Options, some in groups, some with a label of their own."""
    made = []
    for _ in range(pick.number(1, 5)):
        label = pick.maybe(f' label="{pick.phrase()}"', 0.2)
        made.append(f"<option{label}{pick.maybe(' selected', 0.2)}>{pick.phrase()}</option>")
    if pick.chance(0.4):
        made.append(f'<optgroup label="{pick.phrase()}"><option>{pick.word()}</optgroup>')
    return pick.gap().replace("&nbsp;", " ").join(made)


def labels_for(pick: Pick) -> str:
    rows = []
    for _ in range(pick.number(4, 7)):
        name = pick.fresh()
        mark = pick.maybe(
            pick.one(" <b>*</b>", "<i hidden>(secret)</i>", " <em>needed</em>", "<br>x")
        )
        label = f'<label for="{name}">{pick.gap()}{pick.phrase()}{mark}{pick.gap()}</label>'
        made = control(pick, f' id="{name}"')
        rows.append(pick.one(label + made, made + label, f"<div>{label}</div><div>{made}</div>"))
    return "<form>" + "\n".join(rows) + "</form>"


def labels_around(pick: Pick) -> str:
    rows = []
    for _ in range(pick.number(4, 7)):
        inner = [pick.phrase(), control(pick)]
        if pick.chance(0.4):
            inner.append(pick.one("<span>", "<div>", "<small>") + pick.phrase())
        if pick.chance(0.3):
            inner.reverse()
        rows.append("<label>" + pick.gap().join(inner) + "</label>")
    return "<p>" + "</p><p>".join(rows) + "</p>"


def two_labels(pick: Pick) -> str:
    name, other = pick.fresh(), pick.fresh()
    hidden = pick.one(
        "", ' style="display:none"', ' aria-hidden="true"', ' style="visibility:hidden"'
    )
    return (
        f'<label for="{name}">{pick.phrase()}</label>'
        f'<input id="{name}" placeholder="{pick.word()}">'
        f'<label for="{name}"{hidden}>{pick.phrase()}</label>'
        f'<label for="{other}">{pick.phrase()}<label for="{other}">{pick.word()}</label></label>'
        f'<select id="{other}">{options(pick)}</select>'
        f'<label for="missing">{pick.word()}</label><label>{pick.word()}</label>'
        f"<label><input type=checkbox> {pick.word()} <input> {pick.word()}</label>"
    )


def labelled_by(pick: Pick) -> str:
    names = [pick.fresh() for _ in range(4)]
    hide = pick.one("", " hidden", ' style="visibility:hidden"', ' aria-hidden="true"')
    inner = pick.one(
        f"<b>{pick.word()}</b><i>{pick.word()}</i>",
        f"<div>{pick.word()}</div><div>{pick.word()}</div>",
        f'<img alt="{pick.word()}" src="x.png"> {pick.word()}',
        f'{pick.word()} <span aria-label="{pick.word()}">{pick.word()}</span>',
        f"{pick.word()} <span hidden>{pick.word()}</span>",
    )
    made = [
        f'<span id="{names[0]}">{pick.phrase()}</span><div id="{names[1]}"{hide}>{inner}</div>',
        f'<button id="{names[2]}" aria-label="{pick.word()}" '
        f'aria-labelledby="{names[2]} {names[0]}">{pick.word()}</button>',
        f'<input id="{names[3]}" value="{pick.word()}" aria-labelledby="{names[1]} nowhere">',
        f'<a href="#x" aria-labelledby="{names[2]} {names[1]}">{pick.word()}</a>',
        f'<div role="group" aria-labelledby="{names[3]} {names[0]}">{control(pick)}</div>',
        f'<textarea aria-labelledby="gone" title="{pick.phrase()}"></textarea>',
        f'<section aria-labelledby="{names[0]}"><h2 id="{pick.fresh()}">{pick.word()}</h2>'
        f"</section>",
    ]
    return "\n".join(pick.some(made[:1], 1) + pick.some(made[1:], 5))


def fieldsets(pick: Pick) -> str:
    deep = f"<fieldset><legend>{pick.phrase()}</legend>{control(pick)}</fieldset>"
    legend = pick.one(
        f"<legend>{pick.phrase()}</legend>",
        f"<legend><h3>{pick.phrase()}</h3></legend>",
        f"<legend hidden>{pick.word()}</legend>",
        f'<legend>{pick.word()} <input aria-label="{pick.word()}" value="{pick.word()}"></legend>',
        "",
    )
    marks = pick.maybe(f' aria-label="{pick.phrase()}"', 0.2) + pick.maybe(' title="t"', 0.3)
    radios = "".join(
        f'<label><input type="radio" name="r">{pick.gap()}{pick.word()}</label>' for _ in range(3)
    )
    return f"<fieldset{marks}>{legend}{radios}{deep}</fieldset>" + control(pick)


def embedded(pick: Pick) -> str:
    """Controls inside of what names another one."""
    name = pick.fresh()
    parts = [
        f'<input value="{pick.word()}">',
        f"<select>{options(pick)}</select>",
        f'<input type="range" value="{pick.number(1, 99)}">',
        f'<input type="number" value="{pick.number(1, 99)}" aria-label="{pick.word()}">',
        f'<span role="textbox" contenteditable>{pick.word()}</span>',
        f'<div role="slider" aria-valuenow="4" aria-valuetext="{pick.word()}" tabindex="0"></div>',
        f'<div role="spinbutton" aria-valuenow="{pick.number(1, 9)}" tabindex="0"></div>',
        f"<textarea>{pick.word()}</textarea>",
        f"<button>{pick.word()}</button>",
        '<input type="checkbox" checked>',
        f'<div role="listbox"><div role="option" aria-selected="true">{pick.word()}</div></div>',
    ]
    chosen = pick.some(parts, 3)
    return (
        f'<label for="{name}">{pick.word()} {chosen[0]} {pick.word()}</label>'
        f'<input type="checkbox" id="{name}">'
        f'<div role="checkbox" tabindex="0">{pick.word()}{chosen[1]}{pick.word()}</div>'
        f"<h3>{pick.word()} {chosen[2]}</h3>"
        f'<label>{pick.word()} <input value="{pick.word()}"> {pick.word()}</label>'
    )


def buttons(pick: Pick) -> str:
    made = []
    for _ in range(8):
        marks = pick.maybe(f' title="{pick.phrase()}"', 0.4)
        marks += pick.maybe(f' aria-label="{pick.phrase()}"', 0.2)
        marks += pick.one(
            "", "", " aria-pressed=true", " aria-haspopup=menu", " aria-expanded=false"
        )
        inner = pick.one(
            pick.phrase(),
            "",
            f'<img src="x.png" alt="{pick.word()}">',
            f'<svg width="9" height="9"><title>{pick.word()}</title><path d="M0 0h9v9z"/></svg>',
            f'<i class="icon"></i> {pick.word()}',
            f'<span style="position:absolute;left:-999em">{pick.word()}</span>&times;',
            f"<span aria-hidden=true>&#215;</span><span>{pick.word()}</span>",
            "<svg width=9 height=9><path d='M0 0h9v9z'/></svg>",
        )
        made.append(f"<button{marks}>{inner}</button>")
    made.append(
        f'<input type="submit"><input type="reset"><input type="button" title="{pick.word()}">'
    )
    return pick.gap().join(made)


def lists_of_suggestions(pick: Pick) -> str:
    name = pick.fresh()
    kinds = pick.some(["text", "search", "email", "url", "tel", "number", "range", "date"], 4)
    fields = "".join(f'<input type="{kind}" list="{name}" title="{pick.word()}">' for kind in kinds)
    return f'{fields}<input list="none"><datalist id="{name}"><option>{pick.word()}</datalist>'


def every_type(pick: Pick) -> str:
    chosen = pick.some(TYPES, 12)
    return "<form>" + "".join(f"<p>{_input(pick, kind, '')}</p>" for kind in chosen) + "</form>"


def edited(pick: Pick) -> str:
    return (
        f"<div contenteditable>{pick.phrase()} <b>{pick.word()}</b></div>"
        f'<div contenteditable role="textbox" aria-label="{pick.word()}">{pick.word()}</div>'
        f'<p contenteditable="plaintext-only" title="{pick.word()}">{pick.word()}</p>'
        f'<div role="textbox" aria-multiline="true" tabindex="0" aria-placeholder="{pick.word()}">'
        f"{pick.maybe(pick.word())}</div>"
        f'<span role="searchbox" contenteditable aria-labelledby="q">{pick.word()}</span>'
        f'<h2 id="q" contenteditable>{pick.word()}</h2>'
        f"<table contenteditable><tr><td>{pick.word()}<td>{pick.word()}</table>"
    )


FAMILIES = [
    ("labels-for", labels_for),
    ("labels-around", labels_around),
    ("two-labels", two_labels),
    ("labelled-by", labelled_by),
    ("fieldsets", fieldsets),
    ("embedded", embedded),
    ("buttons", buttons),
    ("suggestions", lists_of_suggestions),
    ("every-type", every_type),
    ("edited", edited),
]
