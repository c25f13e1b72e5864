"""The project keeps its own rules, and the rules bite."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from tests import code_and_docs_rules as rules
from tests.code_and_docs_rules import ROOT, Source, python_files

# Modules without a test file of their own: each is covered through the surface named beside it.
# This list only shrinks; a module that gets its test leaves it.
UNMIRRORED: dict[str, str] = {
    "src/pilothouse/cdp/pipe.py": "tests/cdp/test_connection.py",
    "src/pilothouse/cdp/awaitable_reply.py": "tests/cdp/test_connection.py",
    "src/pilothouse/cdp/session.py": "tests/cdp/test_connection.py",
    "src/pilothouse/cli/commands/look.py": "tests/cli/test_main.py",
    "src/pilothouse/cli/output/browser_tree.py": "tests/cli/test_main.py",
}

Rule = Callable[[Source], list[str]]


def keeps(offences: Iterable[str]) -> None:
    """Fail with one line per offence."""
    found = list(offences)
    if found:
        pytest.fail("\n".join(["against the house rules:", *found]), pytrace=False)


@pytest.mark.parametrize(
    "rule",
    [
        rules.imports_downwards,
        rules.impure_imports,
        rules.all_is_complete,
        rules.prints,
        rules.banned_names,
        rules.without_module_docstring,
    ],
)
def test_every_module_of_the_product_keeps(rule: Rule) -> None:
    keeps(offence for source in python_files("src") for offence in rule(source))


@pytest.mark.parametrize("rule", [rules.oversized, rules.long_functions])
def test_every_python_file_keeps(rule: Rule) -> None:
    everything = python_files("src", "tests", "scripts", "bench")
    keeps(offence for source in everything for offence in rule(source))


def test_the_drawn_error_tree_is_the_built_one() -> None:
    (errors,) = (s for s in python_files("src") if s.path == "src/pilothouse/errors.py")
    keeps(rules.error_tree(errors))


def test_every_module_has_a_test_file_that_mirrors_it() -> None:
    tests = {source.path for source in python_files("tests")}
    keeps(
        offence
        for source in python_files("src")
        if source.path not in UNMIRRORED
        for offence in rules.missing_mirror(source, tests)
    )


def test_the_list_of_unmirrored_modules_only_shrinks() -> None:
    tests = {source.path for source in python_files("tests")}
    lacking = {s.path for s in python_files("src") if rules.missing_mirror(s, tests)}
    keeps(
        f"{path} is in UNMIRRORED and has a test, or is gone: take it off the list"
        for path in UNMIRRORED.keys() - lacking
    )
    keeps(
        f"{path} is said to be covered by {test}, which is not there"
        for path, test in UNMIRRORED.items()
        if test not in tests
    )


def test_nothing_is_left_unfinished() -> None:
    texts = [*python_files("src", "tests", "scripts", "bench")]
    texts += [Source(p.relative_to(ROOT).as_posix(), p.read_text()) for p in rules.markdown_files()]
    keeps(offence for source in texts for offence in rules.unfinished_work(*source))


def test_every_relative_link_leads_somewhere() -> None:
    keeps(offence for path in rules.markdown_files() for offence in rules.broken_links(path))


@pytest.mark.parametrize("cards", ["adr", "cdp"])
def test_every_card_is_in_its_index(cards: str) -> None:
    keeps(rules.unindexed(ROOT / "docs" / cards))


def test_every_decision_fits_forty_lines() -> None:
    keeps(
        f"docs/adr/{path.name} is longer than 40 lines: say less"
        for path in (ROOT / "docs" / "adr").glob("0*.md")
        if len(path.read_text().splitlines()) > 40
    )


def test_every_cdp_card_is_short_and_says_how_it_is_known() -> None:
    for path in (ROOT / "docs" / "cdp").glob("*.md"):
        if path.name == "INDEX.md":
            continue
        text = path.read_text()
        assert len(text.splitlines()) <= 30, f"{path.name} is long for one claim: split it"
        assert "Measured:" in text or "Source:" in text, f"{path.name}: say how it is known"
        assert "In the code:" in text, f"{path.name}: say where it matters in the code"
        assert "](" in text, f"{path.name}: link to a sibling card"


# The rules bite: each refuses a snippet made to break it.


def file(path: str, text: str = "") -> Source:
    return Source(f"src/pilothouse/{path}", text)


@pytest.mark.parametrize(
    ("source", "says"),
    [
        (file("cdp/router.py", "from pilothouse.daemon import x"), "not below 'cdp'"),
        (file("cdp/router.py", "import pilothouse.supervisor.model.state"), "not below 'cdp'"),
        (file("cdp/deep/x.py", "from ...browsers import y"), "not below 'cdp'"),
        (file("cdp/__init__.py", "from ..tabs import y"), "not below 'cdp'"),
        (file("relay/hub/hub.py", "from pilothouse.chat import y"), "not below 'relay'"),
        (file("loopback.py", "from pilothouse.settings import y"), "not below 'loopback'"),
        (file("cli/x.py", "from pilothouse.cdp._secret import y"), "private to 'cdp'"),
        (file("cli/x.py", "from pilothouse.cdp.session import _y"), "private to 'cdp'"),
        (file("attic/x.py", "import json"), "no place in ROOMS"),
        (file("cli/x.py", "import pilothouse.attic"), "in no room"),
        (
            file(
                "cdp/x.py", "if TYPE_CHECKING:\n  def f() -> None:\n    from pilothouse import cli"
            ),
            "src/pilothouse/cdp/x.py:3 imports pilothouse.cli",
        ),
    ],
)
def test_an_import_upwards_or_into_private_files_is_refused(source: Source, says: str) -> None:
    (offence,) = rules.imports_downwards(source)
    assert says in offence


@pytest.mark.parametrize(
    "source",
    [
        file("cdp/session.py", "from pilothouse.cdp._inner import x\nfrom . import router"),
        file("asyncio_tasks.py", "from pilothouse.errors import PilothouseError"),
        file("browsers/launched_browser_opener.py", "from pilothouse.cdp import Connection"),
        file("__init__.py", "from pilothouse.cli import main"),
        file("cli/x.py", "from pilothouse import __version__"),
    ],
)
def test_an_import_downwards_or_within_a_room_is_fine(source: Source) -> None:
    assert rules.imports_downwards(source) == []


@pytest.mark.parametrize(
    "path", ["cdp/router.py", "supervisor/model/dialogs.py", "browsers/target_choice.py"]
)
def test_a_pure_file_may_not_import_the_clock(path: str) -> None:
    (offence,) = rules.impure_imports(file(path, "def f():\n    from time import monotonic"))
    assert f"{path}:2 imports time.monotonic" in offence
    assert rules.impure_imports(file(path, "import json")) == []


@pytest.mark.parametrize("path", ["cdp/connection.py", "supervisor/shell_timers.py"])
def test_a_shell_may_import_the_clock(path: str) -> None:
    assert rules.impure_imports(file(path, "import time, asyncio")) == []


def test_a_long_file_and_a_long_function_are_refused() -> None:
    body = "def f():\n" + "    x = 1\n" * 60
    assert "f has 61 lines" in rules.long_functions(file("cdp/a.py", body))[0]
    assert rules.long_functions(file("cdp/a.py", body.replace("    x = 1\n", "", 1))) == []
    assert "601 lines" in rules.oversized(file("cdp/a.py", "x = 1\n" * 601))[0]
    assert rules.oversized(file("cdp/a.py", "x = 1\n" * 600)) == []
    assert rules.oversized(file("cdp/protocol.py", "x = 1\n" * 601)) == []


def test_an_incomplete_or_wrong_all_is_refused() -> None:
    assert "no __all__: list f" in rules.all_is_complete(file("a.py", "def f(): ..."))[0]
    assert rules.all_is_complete(file("a.py", "def _f(): ...\nX = 1")) == []
    wrong = file("a.py", '__all__ = ["gone", "X"]\nX = 1\nclass New: ...')
    assert [o.split(": ", 1)[1] for o in rules.all_is_complete(wrong)] == [
        "New is missing in __all__: list it or hide it",
        "__all__ lists gone, which is not there: drop it",
    ]


def test_an_error_tree_that_differs_from_the_classes_is_refused() -> None:
    drawn = '"""Errors.\n\n    A\n    ├── B   why\n    │   └── C\n    └── D\n"""\n'
    built = "class A(Exception): ...\nclass B(A): ...\nclass C(B): ...\nclass D(A): ...\n"
    assert rules.error_tree(file("errors.py", drawn + built)) == []
    moved = built.replace("C(B)", "C(A)")
    assert "C is drawn below B" in rules.error_tree(file("errors.py", drawn + moved))[0]
    extra = built + "class E(D): ...\n"
    assert "E is drawn below nothing" in rules.error_tree(file("errors.py", drawn + extra))[0]


def test_a_module_without_a_mirror_is_refused() -> None:
    source = file("cdp/new.py", "def f(): ...")
    (offence,) = rules.missing_mirror(source, {"tests/cdp/test_newer.py"})
    assert "write tests/cdp/test_new.py" in offence
    assert rules.missing_mirror(source, {"tests/cdp/test_new.py"}) == []
    assert rules.missing_mirror(source, {"tests/cdp/test_new_drops.py"}) == []
    assert rules.missing_mirror(file("cdp/__init__.py", "import json"), set()) == []


def test_a_print_outside_the_cli_is_refused() -> None:
    assert "daemon/x.py:1 prints" in rules.prints(file("daemon/x.py", "print(1)"))[0]
    assert rules.prints(file("cli/x.py", "print(1)")) == []


@pytest.mark.parametrize(
    "source",
    [
        file("cdp/utils.py"),
        file("cdp/a.py", "class TabUtils: ..."),
        file("cdp/a.py", "class HTTPHelper: ..."),
        file("cdp/a.py", "def click_helper(): ..."),
    ],
)
def test_a_name_that_says_nothing_is_refused(source: Source) -> None:
    assert rules.banned_names(source)


def test_a_name_that_only_resembles_a_banned_one_is_fine() -> None:
    text = "class BrowserHandle: ...\ndef handle_dialog(): ...\ndef utilise(): ..."
    assert rules.banned_names(file("cdp/a.py", text)) == []


def test_a_module_without_a_docstring_is_refused() -> None:
    assert rules.without_module_docstring(file("cdp/a.py", "x = 1"))


def test_unfinished_work_is_refused() -> None:
    (offence,) = rules.unfinished_work("a.py", "x = 1\n# TO" + "DO: more")
    assert offence.startswith("a.py:2 holds a TO" + "DO")


def test_a_broken_link_and_an_unlisted_card_are_refused(tmp_path: Path) -> None:
    (tmp_path / "INDEX.md").write_text(
        "[one](one.md) [gone](gone.md#x) [web](https://x.test/y)\n```\n[no](code.md)\n```\n"
    )
    (tmp_path / "one.md").write_text("[self](#top)")
    (tmp_path / "two.md").write_text("")
    assert rules.broken_links(tmp_path / "INDEX.md", tmp_path) == [
        "INDEX.md links to gone.md#x, which is not there: mend the link"
    ]
    assert rules.unindexed(tmp_path) == [
        f"{tmp_path.name}/INDEX.md does not link to two.md: add a line for it"
    ]
