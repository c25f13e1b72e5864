"""Our scripts share one scope, and the first of them do without the others."""

from __future__ import annotations

import re
from collections import Counter

from pilothouse.page.world.bundle import ACTION_BUNDLE, SNAPSHOT_BUNDLE, SNAPSHOT_BUNDLE_MINIFIED


def test_no_two_scripts_use_the_same_name() -> None:
    """They share one scope: a name that is declared twice keeps all of them from running."""
    declared = re.findall(
        r"^(?:const|let|function\*?|class) +(\w+)", SNAPSHOT_BUNDLE + ACTION_BUNDLE, re.MULTILINE
    )
    assert [name for name, times in Counter(declared).items() if times > 1] == []


def test_first_scripts_need_nothing_of_the_later_ones() -> None:
    """Those come only where something is done, and cannot share what may still change."""
    words = {
        word
        for line in SNAPSHOT_BUNDLE.splitlines()
        for word in re.findall(r"[^.\w'\"`](\w+)", line)
    }
    later = set(
        re.findall(
            r"^(?:const|let|function\*?|class) +(\w+)\b.*(?:=>|\()", ACTION_BUNDLE, re.MULTILINE
        )
    )
    used = {name for name in later & words if re.search(rf"(?<![.\w]){name}\(", SNAPSHOT_BUNDLE)}
    methods = {name for name in used if re.search(rf"^  {name}\(", SNAPSHOT_BUNDLE, re.MULTILINE)}
    assert used - methods == set()
    changing = re.findall(r"^let (\w+)", SNAPSHOT_BUNDLE, re.MULTILINE)
    code = "\n".join(
        line for line in ACTION_BUNDLE.splitlines() if not line.lstrip().startswith("//")
    )
    own = set(re.findall(r"(?:let|const|[({,]) ?(\w+)", code))
    assert [n for n in changing if re.search(rf"(?<![.\w]){n}\b(?!:)", code) and n not in own] == []


def test_what_is_sent_has_neither_comments_nor_indents() -> None:
    assert not re.search(r"^(?://| |$)", SNAPSHOT_BUNDLE_MINIFIED, re.MULTILINE)
    assert len(SNAPSHOT_BUNDLE_MINIFIED) < len(SNAPSHOT_BUNDLE)
