"""Bundle the page scripts, the ES modules in src/pilothouse/page/world/js, with esbuild.

python -m scripts.bundle_page_scripts

The bundles are committed, so that an installation needs no bundler and reads one file each.
"""

from __future__ import annotations

from pathlib import Path

from scripts.javascript_tools_setup import run_node

__all__ = ["TARGET", "write_bundles"]

TARGET = Path(__file__).parents[1] / "src/pilothouse/page/world/bundles"


def write_bundles(folder: Path) -> None:
    """Write all bundles into a folder."""
    run_node("bundle.mjs", str(folder))


if __name__ == "__main__":
    write_bundles(TARGET)
