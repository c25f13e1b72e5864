"""Score computed names and roles on the Web Platform Tests: Chrome's results and ours.

    python -m scripts.score_wpt_names DIRECTORY

DIRECTORY is a checkout of the tests, or the part of one that has `accname`, `wai-aria`, `html-aam`
and `svg-aam`. Their pages declare expectations: `data-expectedlabel` and `data-expectedrole`. For
each such element the script compares Chrome's accessibility tree and both of our methods
(docs/names.md).
The tests are not part of this repository; Debian's source package of Firefox has them below
`testing/web-platform/tests`.
"""

from __future__ import annotations

import asyncio
import functools
import http.server
import sys
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pilothouse.browsers import Browsers, HeadlessKind
from pilothouse.cdp.protocol import DOM, Accessibility
from pilothouse.page import Page
from pilothouse.page.world import IsolatedWorlds
from pilothouse.supervisor import Options, Supervisor

SUITES = ("accname", "wai-aria", "html-aam", "svg-aam")
WAYS = ("chrome", "native", "own")
LOADS_WITHIN_S = 20.0
EXAMPLES = 12

# The expectations of the elements, in the order of `ph.everything`: open shadow roots first.
EXPECTED = """(() => {
    const all = [];
    const visit = (node) => {
        const { expectedlabel = null, expectedrole = null } = node.dataset ?? {};
        if (node.nodeType === 1) all.push([expectedlabel, expectedrole]);
        if (node.shadowRoot) for (const child of node.shadowRoot.childNodes) visit(child);
        for (const child of node.childNodes) visit(child);
    };
    visit(document.documentElement);
    return all;
})()"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves the checkout without logging."""

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""


def elements_of(node: Mapping[str, Any]) -> Iterator[int]:
    """Yield the backend node ids of elements in the order of `ph.everything`."""
    if node["nodeType"] == 1:
        yield node["backendNodeId"]
    for root in node.get("shadowRoots", ()):
        if root["shadowRootType"] == "open":
            for child in root.get("children", ()):
                yield from elements_of(child)
    for child in node.get("children", ()):
        yield from elements_of(child)


async def ask(
    page: Page, worlds: IsolatedWorlds
) -> list[tuple[str | None, str | None, dict[str, Any]]]:
    """Return what each element of the page expects, and (role, name) from each method."""
    tab_context = page.tab_context
    world = await worlds.of(tab_context.main())
    send = tab_context.session.send
    document, tree = (
        send(DOM.getDocument(depth=-1, pierce=True)),
        send(Accessibility.getFullAXTree()),
    )
    native, own = (
        worlds.call_in(world, "everything", "native", names=True),
        worlds.call_in(world, "everything", "own"),
    )
    evaluated = (await page.evaluate(EXPECTED)).value
    assert evaluated is not None, "a dialog is open"
    expected = evaluated.value
    nodes: dict[int, Any] = {
        n["backendDOMNodeId"]: n for n in (await tree)["nodes"] if "backendDOMNodeId" in n
    }
    found = []
    numbers = list(elements_of((await document)["root"]))
    for (label, role), number, *ours in zip(
        expected, numbers, await native, await own, strict=True
    ):
        node = nodes.get(number, {})
        chrome = (
            str(node.get("role", {}).get("value", "")),
            str(node.get("name", {}).get("value", "")),
        )
        found.append((label, role, dict(zip(WAYS, (chrome, *map(tuple, ours)), strict=True))))
    return found


def plain(role: str) -> str:
    """Return the role as the tests spell it: Chrome's tree says `image` for `img`, for example."""
    return {"img": "image", "presentation": "none", "directory": "list"}.get(role, role)


class Scores:
    """Counts how often each method gives the expected result."""

    def __init__(self) -> None:
        self.total: Counter[str] = Counter()
        self.right: Counter[tuple[str, str]] = Counter()
        self.differ: Counter[str] = Counter()

    def add(self, page: str, what: str, wanted: str, said: Mapping[str, str]) -> None:
        """Count the results of all methods for one element."""
        self.total[what] += 1
        for way, spoken in said.items():
            self.right[what, way] += spoken.strip() == wanted.strip()
        if said["native"] != said["chrome"]:
            line = f"{what} {page}: {wanted!r}: {said['native']!r}, Chrome {said['chrome']!r}"
            self.differ[line] += 1

    def lines(self) -> Iterator[str]:
        """Yield the scores of names and roles, then where our native method differs from Chrome."""
        for what in ("name", "role"):
            of = max(1, self.total[what])
            shares = ", ".join(f"{w} {100 * self.right[what, w] / of:.1f} %" for w in WAYS)
            yield f"{what}s as expected, of {self.total[what]}: {shares}"
        for line, count in self.differ.most_common(EXAMPLES):
            yield f"  {count} x {line}"


def pages(root: Path) -> list[str]:
    """Return the pages below a directory that declare expectations."""
    found = sorted(file for suite in SUITES for file in (root / suite).rglob("*.html"))
    wanted = [file for file in found if "data-expected" in file.read_text("utf-8", "replace")]
    return [file.relative_to(root).as_posix() for file in wanted]


async def score(site: str, names: list[str]) -> Scores:
    """Score every element of these pages that has an expectation."""
    scores = Scores()
    async with Browsers() as browsers, await browsers.acquire(HeadlessKind()) as browser:
        supervisor = Supervisor(browser.connection, Options(page_setup=browser.page_setup))
        await supervisor.start()
        page = Page(supervisor, await supervisor.open_tab("wpt"))
        worlds = IsolatedWorlds(page.tab_context)
        for name in names:
            await page.goto(f"{site}/{name}", timeout=LOADS_WITHIN_S)
            for label, role, said in await ask(page, worlds):
                if label is not None:
                    scores.add(name, "name", label, {w: a[1] for w, a in said.items()})
                if role is not None:
                    scores.add(name, "role", plain(role), {w: a[0] for w, a in said.items()})
        await supervisor.close()
    return scores


def main() -> None:
    """Serve the tests, score them, and print the result."""
    root = Path(sys.argv[1]).resolve()
    handler = functools.partial(Quiet, directory=str(root))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        scores = asyncio.run(score(f"http://127.0.0.1:{server.server_port}", pages(root)))
        server.shutdown()
    print("\n".join(scores.lines()))


if __name__ == "__main__":
    main()
