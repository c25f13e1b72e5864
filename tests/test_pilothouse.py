"""The front of the package: cheap to import, and the client is there for who asks."""

from __future__ import annotations

import subprocess
import sys

import pilothouse
from pilothouse import errors


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


def test_what_programs_catch_is_imported_from_the_front() -> None:
    from pilothouse import Blocked, Client, PilothouseError, Refused, RunFailed, Tab, connect

    assert Blocked.__mro__.index(Refused) < Blocked.__mro__.index(PilothouseError)
    assert issubclass(RunFailed, Refused)
    assert {one.__name__ for one in (Client, Tab, connect)} <= set(dir(pilothouse))


def test_every_exception_is_imported_from_the_front() -> None:
    classes = [name for name in errors.__all__ if name[0].isupper()]
    assert classes
    for name in classes:
        assert getattr(pilothouse, name) is getattr(errors, name)
        assert name in dir(pilothouse)
