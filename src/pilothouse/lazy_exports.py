"""Packages whose names are imported on first use.

Some processes need one module of a package and must not pay for the others: the command line, the
sandbox's zygote, the guardian. Their packages declare which module has which name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

__all__ = ["lazy_exports"]


def lazy_exports(package: str, modules: Mapping[str, Sequence[str]]) -> Callable[[str], object]:
    """Return a package's `__getattr__`. `modules` maps each module to the names it provides."""
    module_of = {name: module for module, names in modules.items() for name in names}

    def import_name(name: str) -> object:
        if (module := module_of.get(name)) is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        import importlib

        return getattr(importlib.import_module(f"{package}.{module}"), name)

    return import_name
