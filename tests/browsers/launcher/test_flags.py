"""What may be added to Chrome's command line (S18), and what always stands on it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pilothouse.browsers import HeadlessKind, Proxy
from pilothouse.browsers.launcher.flags import check_args, headless_argv
from pilothouse.browsers.stealth import BrowserBuild
from pilothouse.errors import BrowserError


@pytest.mark.parametrize(
    "arg",
    [
        "--renderer-cmd-prefix=/tmp/evil",
        "--utility-cmd-prefix=/tmp/evil",
        "--zygote-cmd-prefix=x",
        "--gpu-launcher=/tmp/evil",
        "--browser-subprocess-path=/tmp/evil",
        "--load-extension=/tmp/evil",
        "-load-extension=/tmp/evil",
        "--LOAD-EXTENSION=/tmp/evil",
        "--disable-extensions-except=/tmp/evil",
        "--remote-debugging-port=9222",
        "--remote-debugging-address=0.0.0.0",
        "--remote-debugging-pipe",
        "--remote-allow-origins=*",
        "--user-data-dir=/home/me",
        "--enable-unsafe-extension-debugging",
        "--proxy-server=http://evil",
        "--js-flags=--allow-natives-syntax",
        "--disable-web-security",
        "--headless=old",
        "https://evil.example",
        "--lang=de\n--no-sandbox",
    ],
)
def test_dangerous_argument_is_refused_by_name(arg: str) -> None:
    """S18: config args are matched against a deny-list."""
    with pytest.raises(BrowserError) as refused:
        check_args([arg])
    assert arg.partition("=")[0][:20] in refused.value.message
    assert refused.value.hint
    assert "\n" not in refused.value.format_line()


@pytest.mark.parametrize(
    "arg",
    ["--lang=de", "--site-per-process", "--js-flags=--max-old-space-size=64", "--disable-gpu"],
)
def test_harmless_argument_passes(arg: str) -> None:
    assert check_args([arg]) == ()


def test_missing_sandbox_is_allowed_and_noted() -> None:
    """S18: --no-sandbox is warned about."""
    assert check_args(["--no-sandbox"]) == ("sandbox off: asked for by --no-sandbox",)


def test_application_may_be_told_where_its_data_lies_but_not_what_to_debug() -> None:
    assert check_args(["--user-data-dir=/data", "document.txt"], app=True) == ()
    with pytest.raises(BrowserError):
        check_args(["--remote-debugging-port=1"], app=True)


def test_command_line_uses_the_pipe_and_no_port() -> None:
    argv = headless_argv(Path("/b"), HeadlessKind(), Path("/p"), proxy=None, sandbox=True)
    assert argv[0] == "/b"
    assert "--remote-debugging-pipe" in argv
    assert not any("remote-debugging-port" in arg for arg in argv)
    assert "--user-data-dir=/p" in argv
    assert "--no-startup-window" in argv
    assert "about:blank" not in argv
    assert "--no-sandbox" not in argv


def test_pages_that_were_left_are_loaded_again_on_the_way_back() -> None:
    argv = headless_argv(Path("/b"), HeadlessKind(), Path("/p"), proxy=None, sandbox=True)
    assert "--disable-back-forward-cache" in argv


def test_headed_browser_gets_no_headless_switches() -> None:
    argv = headless_argv(
        Path("/b"), HeadlessKind(headed=True), Path("/p"), proxy=None, sandbox=False
    )
    assert not any(arg.startswith(("--headless", "--screen-info", "--no-startup")) for arg in argv)
    assert argv[-1] == "about:blank"
    assert argv.count("--no-sandbox") == 1


def test_automation_shows_only_if_nothing_is_done_about_it() -> None:
    quiet = "--disable-blink-features=AutomationControlled"
    for kind, wanted in ((HeadlessKind(), True), (HeadlessKind(stealth="off"), False)):
        argv = headless_argv(Path("/b"), kind, Path("/p"), proxy=None, sandbox=True)
        assert (quiet in argv) == wanted
        assert not any(arg.startswith("--user-agent") for arg in argv), "no build is known"


def test_own_name_of_a_switch_comes_after_ours_so_that_chrome_takes_it() -> None:
    kind = HeadlessKind(args=("--user-agent=Mine/1.0",))
    build = BrowserBuild("Chromium", "156.0.1.2")
    argv = headless_argv(Path("/b"), kind, Path("/p"), proxy=None, sandbox=True, build=build)
    ours, theirs = [arg for arg in argv if arg.startswith("--user-agent=")]
    assert "Chrome/156.0.0.0" in ours
    assert theirs == "--user-agent=Mine/1.0"


def test_feature_lists_of_extra_args_are_joined_with_ours() -> None:
    kind = HeadlessKind(args=("--disable-features=Mine", "--enable-blink-features=Other"))
    argv = headless_argv(Path("/b"), kind, Path("/p"), proxy=Proxy("direct://"), sandbox=True)
    (off,) = [arg for arg in argv if arg.startswith("--disable-features=")]
    (on,) = [arg for arg in argv if arg.startswith("--enable-blink-features=")]
    assert off.endswith(",Mine")
    assert "Translate" in off
    assert on == "--enable-blink-features=ComputedAccessibilityInfo,Other"
