"""Our scripts share one scope, and the first of them do without the others."""

from __future__ import annotations

import re
from collections import Counter

from pilothouse.page.world.bundle import EYES, EYES_SENT, HANDS


def test_no_two_scripts_use_the_same_name() -> None:
    """They share one scope: a name that is declared twice keeps all of them from running."""
    declared = re.findall(r"^(?:const|let|function\*?|class) +(\w+)", EYES + HANDS, re.MULTILINE)
    assert [name for name, times in Counter(declared).items() if times > 1] == []


def test_first_scripts_need_nothing_of_the_later_ones() -> None:
    """Those come only where something is done, and cannot share what may still change."""
    words = {word for line in EYES.splitlines() for word in re.findall(r"[^.\w'\"`](\w+)", line)}
    later = set(
        re.findall(r"^(?:const|let|function\*?|class) +(\w+)\b.*(?:=>|\()", HANDS, re.MULTILINE)
    )
    used = {name for name in later & words if re.search(rf"(?<![.\w]){name}\(", EYES)}
    methods = {name for name in used if re.search(rf"^  {name}\(", EYES, re.MULTILINE)}
    assert used - methods == set()
    changing = re.findall(r"^let (\w+)", EYES, re.MULTILINE)
    code = "\n".join(line for line in HANDS.splitlines() if not line.lstrip().startswith("//"))
    own = set(re.findall(r"(?:let|const|[({,]) ?(\w+)", code))
    assert [n for n in changing if re.search(rf"(?<![.\w]){n}\b(?!:)", code) and n not in own] == []


def test_what_is_sent_has_neither_comments_nor_indents() -> None:
    assert not re.search(r"^(?://| |$)", EYES_SENT, re.MULTILINE)
    assert len(EYES_SENT) < len(EYES)
