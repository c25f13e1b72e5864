"""A kept profile is opened by the owners that the user named for it, and by nobody else."""

from __future__ import annotations

import pytest

from pilothouse.errors import ToolError
from pilothouse.security.profile_policy import CLI_OWNER, EVERYONE, ProfilePolicy

NAMED = ProfilePolicy({"work": ("nightly",), "shared": (EVERYONE,), "nobody": ()})


@pytest.mark.parametrize(
    ("owner", "profile", "permitted"),
    [
        (CLI_OWNER, "new", True),
        ("mcp-1", "new", False),
        ("", "new", False),
        ("nightly", "work", True),
        # Who is named is meant, and nobody beside.
        (CLI_OWNER, "work", False),
        ("nightly2", "work", False),
        ("Nightly", "work", False),
        (EVERYONE, "work", False),
        ("mcp-1", "shared", True),
        (CLI_OWNER, "nobody", False),
    ],
)
def test_who_may_open_what(owner: str, profile: str, permitted: bool) -> None:
    assert NAMED.permits(owner, profile) is permitted


def test_the_profile_of_every_browser_is_for_everybody_unless_its_owners_are_named() -> None:
    assert ProfilePolicy(default="work").permits("mcp-1", "work")
    assert not ProfilePolicy(default="work").permits("mcp-1", "private")
    assert not ProfilePolicy({"work": ("nightly",)}, default="work").permits("mcp-1", "work")
    assert not ProfilePolicy().permits("mcp-1", "")


def test_a_refusal_says_how_the_user_may_allow_it() -> None:
    with pytest.raises(ToolError, match='owner "mcp-1" may not open the kept profile "work"') as no:
        NAMED.check("mcp-1", "work")
    assert "profiles: {work: [nightly, mcp-1]}" in no.value.hint
    with pytest.raises(ToolError) as unnamed:
        NAMED.check("mcp-1", "new")
    assert "profiles: {new: [cli, mcp-1]}" in unnamed.value.hint
