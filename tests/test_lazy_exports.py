"""Packages import their names on first use, and say clearly what they do not have."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pilothouse.lazy_exports import lazy_exports


def test_a_name_is_imported_from_the_module_that_has_it() -> None:
    find = lazy_exports("pilothouse", {"errors": ("PilothouseError",)})
    assert find("PilothouseError").__name__ == "PilothouseError"  # type: ignore[attr-defined]


def test_a_name_that_nobody_declared_is_an_attribute_error() -> None:
    find = lazy_exports("pilothouse", {"errors": ("PilothouseError",)})
    with pytest.raises(AttributeError, match="module 'pilothouse' has no attribute 'ToolError'"):
        find("ToolError")


def test_a_package_with_lazy_names_imports_no_module_of_its_own() -> None:
    code = (
        "import sys, pilothouse.code.sandbox\n"
        "print([m for m in sys.modules if m.startswith('pilothouse.code.sandbox.')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=100, check=True
    )
    assert done.stdout.strip() == "[]"
