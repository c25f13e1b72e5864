"""Every script in examples/ runs as it is, on a page of this machine."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.daemon.daemon_process import Home, open_daemon
from tests.page_server import Pages

pytestmark = pytest.mark.browser

EXAMPLES = Path(__file__).parents[2] / "examples"
WITHIN_S = 60

ARTICLE = f"""<title>Knots</title><article><h1>Knots</h1>
<p>{"A bowline makes a loop that does not slip, and comes undone easily. " * 6}</p></article>"""
LOGIN = """<title>Login</title><form action=/welcome>
<label>Email <input name=email required></label>
<label>Password <input type=password name=password required></label>
<button>Sign in</button></form>"""
CART = """<title>Cart</title>
<button onclick="document.title = confirm('Delete it?')">Delete</button>"""

# What each script is given, and a line that it prints.
RUNS = {
    "read_article": (["/article"], "A bowline makes a loop"),
    "fill_form": (["/login"], r"Now at http://.*/welcome\?email=ann"),
    "answer_dialog": (["/cart"], "The page asks: Delete it[?]"),
    "many_pages": (["/article", "/cart"], "Knots  <http://.*/article>\nCart  <http://.*/cart>"),
    "mcp_client": (["/cart"], r'button "Delete" \[ref=e1\]'),
}


@pytest.fixture(scope="module")
def home(chromium_path: Path) -> Iterator[Home]:
    with open_daemon(chromium_path) as made:
        yield made


@pytest.fixture(scope="module")
def pages() -> Iterator[Pages]:
    with Pages() as made:
        made.add("/article", ARTICLE)
        made.add("/login", LOGIN)
        made.add("/welcome", "<title>Welcome</title>")
        made.add("/cart", CART)
        yield made


@pytest.mark.parametrize("name", RUNS)
def test_an_example_runs_as_it_is(name: str, home: Home, pages: Pages) -> None:
    paths, expected = RUNS[name]
    ran = subprocess.run(
        [sys.executable, "-W", "error", EXAMPLES / f"{name}.py", *map(pages.url, paths)],
        env=home.environ(),
        capture_output=True,
        text=True,
        timeout=WITHIN_S,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert re.search(expected, ran.stdout), ran.stdout


def test_every_example_is_run_and_listed() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.py")} == RUNS.keys()
    listed = (EXAMPLES / "README.md").read_text("utf-8")
    assert all(f"({name}.py)" in listed for name in RUNS)
