"""Pages for comparing what we read with what Chrome reads: several hundred, always the same ones.

Knows: how fragments become pages. Must not know: what is measured on them. Every family draws
its page from a seed of its own, so adding one family changes no other page.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.page import corpus_edge_cases, corpus_forms, corpus_structure, corpus_widgets
from tests.page.corpus_vocabulary import Pick

__all__ = ["VARIANTS", "corpus", "families"]

VARIANTS = 8
MIXES = 48

_STYLES = (
    "",
    "body{font:15px/1.5 sans-serif;margin:2em}button,a{padding:2px 6px}",
    "main{display:grid;grid-template-columns:1fr 1fr;gap:8px}",
    "body{display:flex;flex-wrap:wrap}section,div{min-width:4em}",
    "*{box-sizing:border-box}li{display:inline-block}label{display:block}",
)


def families() -> list[tuple[str, Callable[[Pick], str]]]:
    """Every kind of fragment, by name."""
    return [
        *corpus_forms.FAMILIES,
        *corpus_structure.FAMILIES,
        *corpus_widgets.FAMILIES,
        *corpus_edge_cases.FAMILIES,
    ]


def corpus() -> list[tuple[str, str]]:
    """Name and HTML of every page."""
    pages = []
    known = families()
    for family, draw in known:
        for variant in range(VARIANTS):
            pick = Pick(f"{family}/{variant}")
            pages.append((f"{family}-{variant}", _page(pick, draw(pick))))
    for number in range(MIXES):
        pick = Pick(f"mix/{number}")
        parts = [draw(pick) for _, draw in pick.some(known, 5)]
        wrapped = [_wrapped(pick, part) for part in parts]
        pages.append((f"mix-{number}", _page(pick, "\n".join(wrapped))))
    return pages


def _wrapped(pick: Pick, part: str) -> str:
    around = pick.one("main", "section", "article", "div", "nav", "aside", "form", "header", "")
    return f"<{around}>{part}</{around}>" if around else part


def _page(pick: Pick, body: str) -> str:
    direction = pick.one("", "", "", ' dir="rtl"')
    language = pick.one("en", "de", "ar", "ja")
    return (
        f'<!doctype html><html lang="{language}"{direction}><head><meta charset="utf-8">'
        f"<title>{pick.phrase()}</title><style>{pick.one(*_STYLES)}</style></head>"
        f"<body>{body}</body></html>"
    )
