"""Packages, modules and classes are cut and named by the layout rules, and the rules bite."""

from __future__ import annotations

from tests import layout_rules as rules
from tests.code_and_docs_rules import Source, python_files
from tests.test_code_and_docs_rules import keeps

# Small modules with one importer that stay apart, and why.
APART: dict[str, str] = {
    "src/pilothouse/code/client/app_path_resolution.py": "pure; the client around it is not",
    "src/pilothouse/code/client/reply_router.py": "threads, apart from the socket's protocol",
    "src/pilothouse/daemon/external_mcp_servers/secrets.py": "what servers may read, at a glance",
    "src/pilothouse/daemon/web/mcp_event_store.py": "implements an interface of the MCP SDK",
    "src/pilothouse/page/snapshot/untrusted_markers.py": "pure; a security boundary",
    "src/pilothouse/relay/hub/commands/synthetic_tab_session.py": "one of four tables",
    "src/pilothouse/relay/server/client_slot_wait.py": "waits; client_slots.py is pure",
    "src/pilothouse/supervisor/backend_dismissed_dialogs.py": "only some backends need it",
    "src/pilothouse/supervisor/new_target_hold.py": "a state of its own, tested by itself",
    "src/pilothouse/tools/json_safe.py": "pure; the gate is not",
}

# Class names that mean two things, each plain in its own package.
SAME_NAMES: dict[str, str] = {
    "Event": "a CDP event on the wire (cdp) and what the supervisor's step takes (supervisor)",
    "Snapshot": "a page's snapshot, and the mapping that the Python client returns for it",
    "Tab": "the supervisor's record of a tab, and the Python client's public class",
}

# Modules of sub-packages that some files import directly, because the package's `__init__` would
# import more than they may wait for.
DIRECT: dict[str, list[str]] = {}


def test_sub_packages_are_entered_through_their_init() -> None:
    keeps(
        offence
        for source in python_files("src")
        for offence in rules.private_entries(source, DIRECT)
    )


def test_one_class_name_means_one_thing() -> None:
    keeps(rules.doubled_classes(python_files("src"), SAME_NAMES))


def test_no_folder_is_crowded() -> None:
    keeps(rules.crowded_folders(python_files("src")))


def test_no_module_is_a_fragment_of_its_only_importer() -> None:
    keeps(rules.fragments(python_files("src"), APART))


def test_modules_are_named_by_nouns() -> None:
    keeps(offence for source in python_files("src") for offence in rules.verbal_names(source))


def test_every_package_has_a_map_whose_files_exist() -> None:
    sources = python_files("src")
    files = {source.path for source in (*sources, *python_files("scripts"))}
    keeps(offence for source in sources for offence in rules.unmapped_packages(source, files))


def test_no_export_is_shadowed_by_a_module() -> None:
    sources = python_files("src")
    modules = {source.path for source in sources}
    keeps(offence for source in sources for offence in rules.shadowed_exports(source, modules))


# The rules bite: each refuses a snippet made to break it.


def file(path: str, text: str = "") -> Source:
    return Source(f"src/pilothouse/{path}", text)


def test_an_import_past_an_init_is_refused() -> None:
    text = "from pilothouse.page.input.receipt import Receipt"
    (offence,) = rules.private_entries(file("tabs/tabs.py", text), {})
    assert "import it from pilothouse.page.input" in offence
    assert rules.private_entries(file("page/input/mouse.py", text), {}) == []
    allowed = {"page.input.receipt": ["src/pilothouse/tabs/tabs.py"]}
    assert rules.private_entries(file("tabs/tabs.py", text), allowed) == []
    through = file("tabs/tabs.py", "from pilothouse.page.input import Receipt")
    assert rules.private_entries(through, {}) == []


def test_a_doubled_class_is_refused() -> None:
    two = [file("cdp/a.py", "class Line: ..."), file("page/b.py", "class Line: ...")]
    assert "class Line" in rules.doubled_classes(two, ())[0]
    assert rules.doubled_classes(two, {"Line"}) == []


def test_a_crowded_folder_is_refused() -> None:
    many = [file(f"cdp/m{number}.py") for number in range(21)]
    assert "21 modules" in rules.crowded_folders(many)[0]
    assert rules.crowded_folders(many[1:]) == []


def test_a_fragment_is_refused() -> None:
    two = [file("cdp/a.py", "from pilothouse.cdp import b"), file("cdp/b.py", "x = 1")]
    (offence,) = rules.fragments(two, {})
    assert "cdp/b.py" in offence
    assert "cdp/a.py" in offence
    assert rules.fragments(two, {"src/pilothouse/cdp/b.py": "a reason"}) == []


def test_a_gerund_and_a_participle_are_refused() -> None:
    assert rules.verbal_names(file("page/waiting.py"))
    assert rules.verbal_names(file("page/told.py"))
    assert rules.verbal_names(file("settings.py")) == []
    assert rules.verbal_names(file("page/shared_state.py")) == []


def test_a_package_without_a_map_and_a_map_that_lies_are_refused() -> None:
    assert "write a map" in rules.unmapped_packages(file("cdp/__init__.py", '"""CDP."""'), set())[0]
    lines = "\n".join(["CDP.", *["more"] * 8, "    gone.py   nothing"])
    (offence,) = rules.unmapped_packages(file("cdp/__init__.py", f'"""{lines}"""'), set())
    assert "names gone.py" in offence


def test_an_export_with_the_name_of_a_module_is_refused() -> None:
    text = '__all__ = ["greeting"]\n__getattr__ = lazy_exports(__name__, {})'
    modules = {"src/pilothouse/cdp/greeting.py"}
    assert rules.shadowed_exports(file("cdp/__init__.py", text), modules)
    assert rules.shadowed_exports(file("cdp/__init__.py", text), set()) == []
