"""`python -m bench extract`: which article is read out of saved pages, beside the usual libraries.

Every program gets the same pages (extract_pages.py): the Python libraries the HTML, ours and
Readability alone the page as Chromium shows it, without scripts and network. Precision, recall and
F1 are means over pages, by runs of four words. Pages are left out whose article people do not see:
we do not read what is hidden.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table

from bench import chromium, report
from bench.extract_pages import NODE, Page, load, plain_text
from bench.extract_score import Score, averaged, compared, contains, sentences_score
from bench.pilothouse_tool import Ours
from bench.tool_browsers_and_pages import FLAGS, Pages

__all__ = ["run"]

OURS = "pilothouse, article"
WHOLE = "pilothouse, whole page"
ALONE = "Readability.js alone"
SIZE = 4
# Of the expected text the browser shows at least so much; else the article is hidden from people.
SHOWN = 0.5
GOALS = {"public": 0.965, "mozilla": 0.97}
# What is asked of each column: these sets of pages together.
COLUMNS = {
    "mozilla": ("mozilla",),
    "public": ("curated", "news"),
    "curated": ("curated",),
    "news": ("news",),
}
POLICY = "default-src 'none'; style-src 'unsafe-inline'"

Texts = dict[tuple[str, str], str]


def run(half: str, json_path: Path | None, console: Console) -> int:
    """Read one half of the pages with everything and print the table."""
    pages = [page for page in load() if page.half == half]
    console.print(f"{len(pages)} pages of the {half} half", highlight=False)
    took: dict[str, list[float]] = {}
    texts: dict[str, Texts] = {}
    for name, read in _libraries().items():
        texts[name] = _read(pages, read, took.setdefault(name, []))
    texts |= _in_browser(pages, took)
    shown = [page for page in pages if _is_shown(page, texts[WHOLE])]
    rows = {name: _row(said, shown) for name, said in texts.items()}
    _show(console, rows, took, texts)
    hidden = [page.name for page in pages if page not in shown]
    console.print(f"left out, the article is hidden: {', '.join(hidden) or 'none'}")
    for name, goal in GOALS.items():
        verdict = "met" if rows[OURS][name].f1 >= goal else "missed"
        console.print(f"{name}: {rows[OURS][name].f1:.3f}, goal {goal}: {verdict}", highlight=False)
    result = {
        "bench": "extract",
        "machine": report.machine(chromium.version(chromium.find())),
        "half": half,
        "hidden": hidden,
        "rows": {name: {c: _plain(s) for c, s in row.items()} for name, row in rows.items()},
        "median_ms": {name: median(times) * 1e3 for name, times in took.items()},
    }
    console.print(f"written: {report.write(json_path, 'extract', result)}", highlight=False)
    return 0


def _libraries() -> dict[str, Callable[[str], str]]:
    import readability  # only this benchmark has them
    import trafilatura

    logging.disable(logging.CRITICAL)  # both tell at length what they cannot read

    def precise(html: str) -> str:
        return str(trafilatura.extract(html, favor_precision=True, include_comments=False) or "")

    def usual(html: str) -> str:
        return str(trafilatura.extract(html, include_comments=False) or "")

    def summary(html: str) -> str:
        return plain_text(readability.Document(html).summary(html_partial=True))

    return {
        f"trafilatura {trafilatura.__version__}": usual,
        "trafilatura, precision": precise,
        "readability-lxml": summary,
    }


def _read(pages: Sequence[Page], read: Callable[[str], str], took: list[float]) -> Texts:
    said: Texts = {}
    for page in pages:
        started = time.perf_counter()
        said[page.corpus, page.name] = read(page.html)
        took.append(time.perf_counter() - started)
    return said


def _in_browser(pages: Sequence[Page], took: dict[str, list[float]]) -> dict[str, Texts]:
    library = (NODE / "@mozilla/readability/Readability.js").read_text("utf-8")
    alone = f"""(() => {{ {library.partition("if (typeof module")[0]}
    return new Readability(document.cloneNode(true)).parse()?.content ?? "" }})()"""
    texts: dict[str, Texts] = {OURS: {}, WHOLE: {}, ALONE: {}}
    with ExitStack() as stack:
        served = stack.enter_context(Pages({}, policy=POLICY))
        browser = chromium.Chromium(chromium.find(), "extract", pipe=False, extra=FLAGS)
        stack.callback(browser.close)
        browser.wait_ready()
        ours = Ours(browser.where)
        stack.callback(ours.close)
        ways: dict[str, Callable[[], str]] = {
            WHOLE: lambda: ours.article(whole=True),
            OURS: ours.article,
            ALONE: lambda: plain_text(str(ours.evaluate(alone))),
        }
        for number, page in enumerate(pages):
            served.add(f"/{number}", page.html)
            ours.open(served.url(f"/{number}"))
            for name, way in ways.items():
                started = time.perf_counter()
                texts[name][page.corpus, page.name] = way()
                took.setdefault(name, []).append(time.perf_counter() - started)
    return texts


def _is_shown(page: Page, whole: Texts) -> bool:
    if not page.text:
        return True
    return compared(whole[page.corpus, page.name], page.text, SIZE).recall >= SHOWN


def _row(said: Texts, pages: Sequence[Page]) -> dict[str, Score]:
    row = {
        column: averaged(
            [
                compared(said[page.corpus, page.name], page.text, SIZE)
                for page in pages
                if page.corpus in corpora
            ]
        )
        for column, corpora in COLUMNS.items()
    }
    found = []
    for page in pages:
        if page.wanted:
            text = said[page.corpus, page.name]
            there = sum(contains(text, sentence) for sentence in page.wanted)
            wrong = sum(contains(text, sentence) for sentence in page.unwanted)
            found.append((there, len(page.wanted), wrong, len(page.unwanted)))
    return row | {"sentences": sentences_score(found)}


def _plain(score: Score) -> dict[str, float]:
    return {"precision": score.precision, "recall": score.recall, "f1": score.f1}


def _show(
    console: Console,
    rows: dict[str, dict[str, Score]],
    took: dict[str, list[float]],
    texts: dict[str, Texts],
) -> None:
    columns = list(next(iter(rows.values())))
    table = Table(title="F1 (precision / recall)")
    for title in ("", *columns, "empty", "median ms"):
        table.add_column(title)
    for name, row in rows.items():
        figures: list[Any] = [
            f"{s.f1:.3f} ({s.precision:.3f} / {s.recall:.3f})" for s in row.values()
        ]
        empty = sum(1 for text in texts[name].values() if not text.strip())
        table.add_row(name, *figures, str(empty), f"{median(took[name]) * 1e3:.0f}")
    console.print(table)
