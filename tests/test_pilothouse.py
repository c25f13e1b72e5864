"""The front of the package: cheap to import, and the client is there for who asks."""

from __future__ import annotations

import subprocess
import sys


def test_importing_the_package_imports_no_client_and_the_client_no_asyncio() -> None:
    code = (
        "import sys, pilothouse\nprint(len([m for m in sys.modules if 'pilothouse' in m]))\n"
        "from pilothouse import connect\nprint('asyncio' in sys.modules)\n"
        "try:\n    pilothouse.nothing\nexcept AttributeError as error:\n    print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=100, check=True
    )
    assert done.stdout.splitlines() == [
        "1",
        "False",
        "module 'pilothouse' has no attribute 'nothing'",
    ]
