"""Structure: landmarks, headings, lists, tables, figures, pictures, frames, media.

Knows: fragments of documents. Must not know: what is measured on them.
"""

from __future__ import annotations

from tests.page.corpus_vocabulary import Pick, listed

__all__ = ["FAMILIES"]


def _named(pick: Pick) -> str:
    return pick.one("", "", f' aria-label="{pick.phrase()}"', f' title="{pick.word()}"')


def landmarks(pick: Pick) -> str:
    inner = "".join(
        f"<{tag}{_named(pick)}>{pick.phrase()}</{tag}>"
        for tag in pick.some(["header", "footer", "aside", "nav", "section", "form", "search"], 5)
    )
    around = pick.one("article", "main", "section", "aside", "nav", "div", "blockquote", "fieldset")
    roles = pick.one("", ' role="region"', ' role="main"', ' role="group"', ' role="article"')
    return (
        f"<header>{pick.phrase()}</header><{around}{roles}{_named(pick)}>{inner}</{around}>"
        f"<div{roles}><header>{pick.word()}</header><footer>{pick.word()}</footer></div>"
        f'<div role="{pick.one("banner", "contentinfo", "search", "form", "region", "navigation")}"'
        f"{_named(pick)}>{pick.word()}</div><footer>{pick.word()}</footer>"
    )


def headings(pick: Pick) -> str:
    made = []
    for level in range(1, 7):
        inner = pick.one(
            pick.phrase(),
            f'<a href="#t">{pick.phrase()}</a>',
            f"{pick.word()}<small>{pick.word()}</small>",
            f"<span>{pick.word()}</span><span>{pick.word()}</span>",
            f'{pick.word()} <button title="{pick.word()}">¶</button>',
            f'<img src="l.png" alt="{pick.word()}">',
            "",
        )
        made.append(f"<h{level}{_named(pick)}>{pick.gap()}{inner}</h{level}>")
    made.append(f'<div role="heading" aria-level="3">{pick.phrase()}</div>')
    made.append(f"<hgroup><h2>{pick.word()}</h2><p>{pick.phrase()}</p></hgroup>")
    return pick.gap().join(made)


def lists(pick: Pick) -> str:
    role = pick.one("", ' role="list"', ' role="none"', ' role="menu"', ' role="tablist"')
    items = "".join(
        f"<li{pick.one('', '', ' role=listitem', ' role=menuitem', ' tabindex=0')}>"
        f"{pick.maybe('<a href=#l>', 0.4)}{pick.phrase()}</a></li>"
        for _ in range(4)
    )
    kind = pick.one("ul", "ol", "menu")
    return (
        f"<{kind}{role}{_named(pick)}>{items}</{kind}>"
        f"<ul><li>{pick.word()}<ol><li>{pick.word()}</li></ol></li></ul>"
        f"<dl><dt>{pick.phrase()}</dt><dd>{pick.phrase()}</dd>"
        f"<div><dt>{pick.word()}<dd>{pick.word()}</div></dl>"
        f'<div role="list"><div role="listitem">{pick.word()}</div>'
        f'<span><span role="listitem">{pick.word()}</span></span></div>'
        f'<div role="listitem">{pick.word()}</div><li>{pick.word()}</li>'
    )


def data_tables(pick: Pick) -> str:
    columns = pick.number(2, 4)
    scope = pick.one("", ' scope="col"')
    head = "".join(f"<th{scope}>{pick.phrase(2)}</th>" for _ in range(columns))
    rows = ""
    first = pick.one("td", "th", 'th scope="row"')
    for _ in range(pick.number(2, 4)):
        cells = "".join(f"<td>{_cell(pick)}</td>" for _ in range(columns - 1))
        rows += f"<tr><{first}>{pick.word()}</{first.split()[0]}>{cells}</tr>"
    caption = pick.maybe(f"<caption>{pick.phrase()}</caption>")
    groups = pick.one(
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody>",
        f"<tr>{head}</tr>{rows}",
        f"<tbody><tr>{head}</tr>{rows}</tbody><tfoot><tr><td colspan=2>{pick.word()}</td>"
        f"</tr></tfoot>",
        f"<colgroup><col></colgroup>{rows}",
    )
    role = pick.one("", "", "", ' role="grid"', ' role="table"', ' role="treegrid"')
    return f"<table{role}{_named(pick)}>{caption}{groups}</table>"


def _cell(pick: Pick) -> str:
    return pick.one(
        pick.phrase(),
        f'<a href="#c">{pick.word()}</a>',
        f"<button>{pick.word()}</button> {pick.word()}",
        f'<input aria-label="{pick.word()}" value="{pick.word()}">',
        "",
        f'<img src="c.png" alt="{pick.word()}">',
    )


def layout_tables(pick: Pick) -> str:
    marks = pick.one("", ' border="1"', ' role="presentation"', ' summary="s"', ' cellpadding="9"')
    rows = "".join(
        "<tr>" + "".join(f"<td>{_cell(pick)}</td>" for _ in range(2)) + "</tr>"
        for _ in range(pick.one(1, 2, 3, 21))
    )
    return (
        f"<table{marks}>{rows}</table><table><tr><td>{pick.phrase()}</td></tr></table>"
        f"<table role=list><tr role=listitem><td>{pick.word()}</td></tr></table>"
        f'<table style="display:block"><tr><th>{pick.word()}<td>{pick.word()}</table>'
    )


def aria_tables(pick: Pick) -> str:
    role = pick.one("table", "grid", "treegrid")
    cell = "cell" if role == "table" else "gridcell"
    rows = "".join(
        f'<div role="row"><span role="rowheader">{pick.word()}</span>'
        f'<span role="{cell}">{pick.phrase()}</span></div>'
        for _ in range(3)
    )
    return (
        f'<div role="{role}"{_named(pick)}><div role="rowgroup"><div role="row">'
        f'<span role="columnheader">{pick.word()}</span>'
        f'<span role="columnheader">{pick.word()}</span>'
        f'</div></div><div role="rowgroup">{rows}</div></div>'
        f'<div role="row"><div role="cell">{pick.word()}</div></div><div role="gridcell">x</div>'
    )


def figures(pick: Pick) -> str:
    caption = f"<figcaption>{pick.phrase()}</figcaption>"
    inner = pick.one('<img src="f.png">', f'<img src="f.png" alt="{pick.word()}">', "<pre>x</pre>")
    return (
        f"<figure{_named(pick)}>{pick.one(inner + caption, caption + inner, inner)}</figure>"
        f"<blockquote>{pick.phrase()}<cite>{pick.word()}</cite></blockquote><hr>"
        f"<address>{pick.word()}</address><figcaption>{pick.word()}</figcaption>"
        f'<p>{pick.word()} <abbr title="{pick.phrase()}">{pick.word()}</abbr> '
        f"<dfn>{pick.word()}</dfn> <time>{pick.number(1, 12)}:00</time></p>"
    )


def pictures(pick: Pick) -> str:
    name = pick.fresh("m")
    made = [
        '<img src="p.png">',
        '<img src="p.png" alt="">',
        f'<img src="p.png" alt="{pick.phrase()}">',
        f'<img src="p.png" title="{pick.phrase()}">',
        f'<img src="p.png" alt="" title="{pick.word()}">',
        f'<img src="p.png" alt="{pick.word()}" title="{pick.word()}">',
        f'<img src="p.png" alt="" aria-label="{pick.word()}">',
        f'<img src="p.png" alt="{pick.word()}" role="{pick.one("none", "button")}">',
        f'<a href="#p"><img src="p.png" alt="{pick.word()}"></a>',
        f'<a href="#p" title="{pick.word()}"><img src="p.png" alt=""></a>',
        f"<picture><source><img src=p.png alt='{pick.word()}'></picture>",
        f'<div role="img" aria-label="{pick.phrase()}">{pick.word()}</div>',
        f'<map name="{name}"><area href="#a" alt="{pick.word()}" shape="rect" coords="0,0,9,9">'
        f'<area alt="{pick.word()}" shape="circle" coords="9,9,4"></map>'
        f'<img usemap="#{name}" src="m.png" width=40 height=40 alt="{pick.word()}">',
    ]
    return pick.gap().join(pick.some(made, 9))


def drawings(pick: Pick) -> str:
    title = pick.maybe(f"<title>{pick.phrase()}</title>", 0.6)
    marks = pick.one("", "", f' aria-label="{pick.word()}"', ' role="img"', ' aria-hidden="true"')
    shapes = "".join(
        pick.one(
            '<rect width="9" height="9"/>',
            f'<g><title>{pick.word()}</title><circle r="5"/></g>',
            f'<text y="9">{pick.word()}</text>',
            f'<a href="#s"><text y="9">{pick.word()}</text></a>',
            f'<path d="M0 0h9v9z" aria-label="{pick.word()}"/>',
            f'<rect width="4" height="4" role="button" tabindex="0"><title>{pick.word()}</title>'
            f"</rect>",
            '<g><path d="M1 1h2v2z"/></g>',
        )
        for _ in range(4)
    )
    return (
        f'<svg width="40" height="40"{marks}>{title}{shapes}</svg>'
        f'<button><svg width="9" height="9">{title}<path d="M0 0h9z"/></svg></button>'
        f'<a href="#d"><svg width="9" height="9"{marks}><desc>{pick.word()}</desc></svg></a>'
        f'<canvas width="9" height="9"{_named(pick)}>{pick.maybe(pick.word())}</canvas>'
    )


def disclosures(pick: Pick) -> str:
    summary = pick.one(
        f"<summary>{pick.phrase()}</summary>",
        f"<summary><h3>{pick.word()}</h3></summary>",
        f'<summary aria-label="{pick.word()}">{pick.word()}</summary>',
        "",
        f'<summary role="button">{pick.word()}</summary><summary>{pick.word()}</summary>',
    )
    dialog = pick.one("dialog open", 'dialog open aria-label="d"', "dialog", 'div role="dialog"')
    return (
        f"<details{pick.maybe(' open')}{_named(pick)}>{summary}<p>{pick.phrase()}</p>"
        f"<button>{pick.word()}</button></details><summary>{pick.word()}</summary>"
        f"<{dialog}><h2>{pick.word()}</h2><button>{pick.word()}</button></{dialog.split()[0]}>"
        f'<div role="alertdialog" aria-modal="true" aria-label="{pick.word()}">{pick.word()}</div>'
    )


def frames_and_media(pick: Pick) -> str:
    return (
        f'<iframe{_named(pick)} srcdoc="<p>{pick.word()}</p>"></iframe><iframe role="none">'
        f"</iframe>"
        f"<video{pick.maybe(' controls')}{_named(pick)}></video>"
        f"<audio controls{_named(pick)}></audio>"
        f"<object{_named(pick)}>{pick.word()}</object><embed type='text/plain'{_named(pick)}>"
        f"<output{_named(pick)}>{pick.word()}</output><progress{_named(pick)}></progress>"
        f'<meter value="0.4"{_named(pick)}></meter><p>{pick.word()}</p>'
    )


def prose(pick: Pick) -> str:
    tags = listed(
        "em strong code mark del ins sub sup small u s q cite kbd samp var b i bdi data ruby pre "
        "abbr dfn time span font a"
    )
    body = " ".join(
        f"{pick.phrase()} <{tag}{_named(pick)}>{pick.word()}</{tag}>" for tag in pick.some(tags, 9)
    )
    return (
        f"<article><h1>{pick.phrase()}</h1><p>{body}</p><p>{pick.phrase(9)}<br>{pick.phrase()}"
        f'<wbr>{pick.word()} <a href="#more">{pick.phrase()}</a></p><hr></article>'
    )


FAMILIES = [
    ("landmarks", landmarks),
    ("headings", headings),
    ("lists", lists),
    ("data-tables", data_tables),
    ("layout-tables", layout_tables),
    ("aria-tables", aria_tables),
    ("figures", figures),
    ("pictures", pictures),
    ("drawings", drawings),
    ("disclosures", disclosures),
    ("frames-and-media", frames_and_media),
    ("prose", prose),
]
