"""`python -m tests.fetch_npm_packages`: everything from npm that tests need, at once.

`./dev test` starts it beside the checks that need no package; a test that comes before its package
is there waits for it. What fails here fails again, with its reason, in the test that needs it.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.browser.ui_framework_pages import built_pages
from tests.npm_package_cache import installed

ROOT = Path(__file__).parents[1]

# Which package.json goes to which folder below .dev.
WANTED = {
    "tests/fixtures_agents": "agents",
    "tests/fixtures_mcp": "mcp",
    "tests/fixtures_servers": "mcp-servers",
    "tests/conformance": "conformance",
}


def main() -> None:
    """Fetch it all."""
    with ThreadPoolExecutor() as pool:
        pool.submit(built_pages)
        for source, cache in WANTED.items():
            pool.submit(installed, ROOT / source / "package.json", ROOT / ".dev" / cache)


if __name__ == "__main__":
    main()
