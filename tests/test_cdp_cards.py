"""Every card on CDP says how it is known, and links to what is public about it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.house_rules import ROOT

CARDS = sorted(path for path in (ROOT / "docs" / "cdp").glob("*.md") if path.name != "INDEX.md")
KNOWN = json.loads((ROOT / "tests" / "protocol_methods.json").read_text("utf-8"))
PAGES = "https://chromedevtools.github.io/devtools-protocol/tot"
_LINK = re.compile(r"\[(\w+)\.(\w+)\]\((\S+)\)")


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.stem)
def test_a_card_names_its_source_and_links_to_the_protocol(card: Path) -> None:
    text = card.read_text("utf-8")
    assert re.search(r"^(Measured|Source):", text, re.M), "how is it known?"
    named = set(re.findall(r"`([A-Z]\w+\.\w+)", text)) & {*KNOWN["commands"], *KNOWN["events"]}
    if named:
        assert re.search(r"^Reference: ", text, re.M), f"link to the page of {sorted(named)[0]}"
    for domain, name, link in _LINK.findall(text):
        kind = "method" if f"{domain}.{name}" in KNOWN["commands"] else "event"
        assert f"{domain}.{name}" in {*KNOWN["commands"], *KNOWN["events"]}
        assert link == f"{PAGES}/{domain}/#{kind}-{name}"
    assert len(text.splitlines()) <= 30, "one claim per card"
