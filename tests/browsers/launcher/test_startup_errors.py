"""What a browser prints when it cannot start, and what we say about it."""

from __future__ import annotations

import pytest

from pilothouse.browsers.launcher.startup_errors import describe_exit, diagnose


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("chrome: error while loading shared libraries: libnss3.so: cannot open", "library"),
        ("[1:1:0101/1:FATAL:zygote.cc(127)] No usable sandbox! If you are", "user namespaces"),
        ("[1:1:ERROR:x.cc] The profile appears to be in use by another", "profile"),
        ("[1:1:ERROR:ozone.cc(259)] Missing X server or $DISPLAY", "headed=False"),
        ("write failed: No space left on device", "free some space"),
    ],
)
def test_telling_line_is_found_between_noise_and_explained(line: str, hint: str) -> None:
    reason, said = diagnose(f"dbus noise\n{line}\nmore noise\n")
    assert reason in line
    assert not reason.startswith("[")
    assert hint in said


def test_last_line_is_told_when_none_is_known() -> None:
    assert diagnose("one\ntwo\n\n") == ("two", "")
    assert diagnose("") == ("", "")


def test_exit_codes_are_words() -> None:
    assert describe_exit(1) == "ended with code 1"
    assert describe_exit(-9) == "was killed by SIGKILL"
    assert describe_exit(-200) == "was killed by signal 200"
