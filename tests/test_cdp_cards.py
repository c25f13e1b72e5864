"""Every card on CDP says how it is known, and links to what is public about it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.code_and_docs_rules import ROOT

CARDS = sorted(path for path in (ROOT / "docs" / "cdp").glob("*.md") if path.name != "INDEX.md")
KNOWN = json.loads((ROOT / "tests" / "protocol_methods.json").read_text("utf-8"))
PAGES = "https://chromedevtools.github.io/devtools-protocol/tot"
_LINK = re.compile(r"\[(\w+)\.(\w+)\]\((\S+)\)")
_IN_THE_CODE = re.compile(r"^In the code:(.*?)^See also:", re.M | re.S)
# A file, and the names in parentheses behind it: `cdp/router.py` (`_attach`, `Router.register`).
_FILE = re.compile(r"`([\w/]+\.(?:py|js|json))`(?:\s+\((`[^)]*`)\))?")


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


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.stem)
def test_a_card_names_files_and_functions_that_exist(card: Path) -> None:
    section = _IN_THE_CODE.search(card.read_text("utf-8"))
    assert section, "name the code that depends on the claim, then the sibling cards"
    files = _FILE.findall(section[1])
    assert files, "name at least one file"
    for name, identifiers in files:
        roots = (ROOT / "src" / "pilothouse", ROOT)
        path = next((root / name for root in roots if (root / name).is_file()), None)
        assert path, f"{name} is neither in src/pilothouse nor in the repository"
        text = path.read_text("utf-8")
        for identifier in re.findall(r"`([^`]+)`", identifiers):
            last = identifier.rpartition(".")[2]
            assert re.search(rf"\b{re.escape(last)}\b", text), f"{name} has no {identifier}"
