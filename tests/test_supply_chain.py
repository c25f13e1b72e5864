"""All that is fetched for development, CI and benchmarks has a hash that was written down."""

from __future__ import annotations

import ast
import json
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PYTHON = sorted((ROOT / "requirements").glob("*.lock"))
NPM = sorted(
    path
    for folder in ("bench", "scripts/javascript", "src/pilothouse/page/world/library", "tests/*")
    for path in ROOT.glob(f"{folder}/package.json")
)


def _name(requirement: str) -> str:
    found = re.match(r"[\w.-]+", requirement)
    assert found is not None
    return re.sub(r"[-_.]+", "-", found[0]).lower()


@pytest.mark.parametrize("lock", PYTHON, ids=lambda path: path.name)
def test_every_locked_python_package_has_a_version_and_hashes(lock: Path) -> None:
    text = lock.read_text("utf-8")
    entries = [e for e in re.split(r"\n(?=\S)", text.strip()) if not e.startswith("#")]
    assert entries
    for entry in entries:
        assert re.match(r"[\w.-]+(\[[\w,-]+\])?==\S+ ", entry), entry[:80]
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", entry), entry[:80]
    # Neither an index nor a file of one machine.
    assert "://" not in text
    assert "--index-url" not in text


@pytest.mark.parametrize(("lock", "groups"), [("runtime", ()), ("dev", ("dev",)), ("bench", ())])
def test_lock_file_has_what_the_project_asks_for(lock: str, groups: tuple[str, ...]) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    wanted = [*project["project"]["dependencies"]]
    for group in groups:
        wanted += project["dependency-groups"][group]
    text = (ROOT / "requirements" / f"{lock}.lock").read_text("utf-8")
    locked = {_name(line) for line in text.splitlines() if re.match(r"\w", line)}
    assert {_name(one) for one in wanted} <= locked


def test_every_package_that_the_product_imports_is_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project.get("optional-dependencies", {}).values()
    declared = {_name(one) for one in sum(extras, project["dependencies"])}
    providers = packages_distributions()
    undeclared = {
        f"{path.relative_to(ROOT)} imports {module}"
        for path in (ROOT / "src").rglob("*.py")
        for module in _imported(path) - sys.stdlib_module_names - {"pilothouse"}
        if declared.isdisjoint(map(_name, providers.get(module, ())))
    }
    assert undeclared == set()


def _imported(path: Path) -> set[str]:
    """The top-level modules that a file imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return found


def test_every_package_json_is_looked_at() -> None:
    assert len(NPM) == 8


@pytest.mark.parametrize("wanted", NPM, ids=lambda path: path.parent.name)
def test_every_package_of_npm_is_locked_with_its_hash_and_without_a_host(wanted: Path) -> None:
    lock = json.loads(wanted.with_name("package-lock.json").read_text("utf-8"))
    asked = json.loads(wanted.read_text("utf-8"))
    assert lock["packages"][""].get("dependencies") == asked.get("dependencies")
    for name, package in lock["packages"].items():
        if name and not package.get("link"):
            assert package.get("inBundle") or package["integrity"].startswith("sha512-"), name
            assert "resolved" not in package, name
        # `npm ci` refuses a lock file that lacks one, also of another system.
        for other in (*package.get("dependencies", ()), *package.get("optionalDependencies", ())):
            assert any(each.endswith(f"node_modules/{other}") for each in lock["packages"]), other


def test_dev_installs_only_what_is_locked() -> None:
    text = (ROOT / "dev").read_text("utf-8").replace("\\\n", " ")
    by_pip = re.findall(r"pip install .*", text)
    assert by_pip
    for line in by_pip:
        assert "--require-hashes" in line or "--no-deps --no-build-isolation" in line, line
    for line in re.findall(r"npm install .*", text):
        assert "--package-lock-only" in line, line
    assert re.search(r"npm ci .*--ignore-scripts", text)
