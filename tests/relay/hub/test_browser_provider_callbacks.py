"""An upstream that says nothing of owners shows no strangers anything."""

from __future__ import annotations

import dataclasses

from pilothouse.relay.hub.browser_provider_callbacks import Upstream


async def test_without_an_owner_s_word_nothing_is_anybody_s() -> None:
    usual = {f.name: f.default for f in dataclasses.fields(Upstream)}
    context, options = usual["context"], usual["context_options"]
    is_visible = usual["is_visible"]
    assert callable(context)
    assert callable(options)
    assert callable(is_visible)
    assert await context("me") == ""
    assert await options("me") == {}
    assert is_visible("me", {"targetId": "t"}) is False
    assert usual["is_extension"] is False
    # Where a client's files come from has no default: it must be decided for every browser.
    assert usual["files"] is dataclasses.MISSING
