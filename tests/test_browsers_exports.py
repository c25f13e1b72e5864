"""The front of the room: its names, each found when it is first asked for."""

from __future__ import annotations

import subprocess
import sys

import pytest

import pilothouse.browsers as room


def test_every_name_is_where_it_is_said_to_be() -> None:
    for name in room.__all__:
        assert getattr(room, name).__name__ == name


def test_what_is_not_there_is_not_there() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        room.nothing  # noqa: B018


def test_the_room_itself_costs_nothing() -> None:
    """A daemon starts a browser before it has read the rest of the room."""
    code = "import sys, pilothouse.browsers; sys.exit('asyncio' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
