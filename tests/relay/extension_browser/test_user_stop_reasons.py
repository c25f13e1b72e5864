"""What the user did has one name and one sentence, in the relay and in the extension alike."""

from __future__ import annotations

import re
from pathlib import Path

from pilothouse.relay.extension_browser.user_stop_reasons import NOT_SHARED, USER_STOPS

SCRIPT = Path(__file__).parents[3] / "extension" / "shared" / "user_stop_reasons.js"


def test_relay_and_extension_have_the_same_names_and_words() -> None:
    text = SCRIPT.read_text("utf-8")
    names = re.findall(r'^export const [A-Z_]+ = "(.+)";', text, re.MULTILINE)
    # The extension says of a tab that is not shared that there is no such tab.
    assert set(names) == set(USER_STOPS) - {NOT_SHARED.name}
    for name in names:
        assert f'"{USER_STOPS[name].reason}"' in text
        assert f'"{USER_STOPS[name].hint}"' in text


def test_no_two_states_share_a_name_or_a_sentence() -> None:
    assert len({state.reason for state in USER_STOPS.values()}) == len(USER_STOPS)
