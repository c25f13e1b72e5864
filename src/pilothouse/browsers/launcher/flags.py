"""Builds Chrome's command line, and checks extra switches against a deny list. Pure.

Knows: switches. Must not know: processes, the contents of directories.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from pilothouse.browsers.kinds import HeadlessKind, Proxy
from pilothouse.browsers.stealth import BrowserBuild, MachineInfo, screen_info, stealth_flags
from pilothouse.errors import BrowserError
from pilothouse.security.cloud_metadata_hosts import block_metadata_flag

__all__ = ["SANDBOX_OFF", "check_args", "headless_argv"]

SANDBOX_OFF = "--no-sandbox"

# Height of title bar and toolbars in new headless mode; the viewport is below them.
_WINDOW_CHROME_PX = 87

# Denied switches: those that run other programs, open another debugging channel, load foreign code,
# or override what this package sets itself. The second column is the hint.
_DENIED: tuple[tuple[str, str], ...] = (
    (r".*-cmd-prefix|.*-launcher|browser-subprocess-path", "it would run another program"),
    (
        r"load-extension|load-apps|load-and-launch-app|disable-extensions-except"
        r"|(de)?allowlisted-extension-id|whitelisted-extension-id|load-component-extension",
        "it would load foreign code; use a named profile with the extension installed",
    ),
    (r"remote-debugging-.*", "the debugging channel is set up by Pilothouse"),
    (r"remote-allow-origins", "it would let web pages drive the browser"),
    (r"enable-unsafe-extension-debugging", "it would open a second way to load code"),
    (
        r"user-data-dir|profile-directory|disk-cache-dir|data-path|homedir",
        "name a kept profile instead",
    ),
    (
        r"crash-dumps-dir|log-file|ssl-key-log-file|net-log|log-net-log|trace-startup-file",
        "it would write files anywhere",
    ),
    (r"proxy-.*|no-proxy-server", "set the proxy of the browser kind"),
    (r"headless", "set headed on the browser kind"),
    (r"js-flags", "use only --js-flags=--max-old-space-size=N"),
    (
        r"disable-web-security|allow-file-access-from-files|single-process|no-zygote-sandbox",
        "it would remove the isolation between sites",
    ),
    (r"ppapi-plugin-launcher|register-pepper-plugins|nacl-.*", "it would load foreign code"),
    (
        r"wait-for-debugger.*|gtest_.*|test-type|enable-automation",
        "it would change how the browser starts",
    ),
)
_ALLOWED_JS_FLAGS = r"--js-flags=--max-old-space-size=\d+"
_ALLOWED_FOR_APPS = frozenset({"user-data-dir", "profile-directory", "headless"})

_BASE_FLAGS = (
    "--remote-debugging-pipe",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-service-autorun",
    "--disable-background-networking",
    "--disable-breakpad",
    "--disable-client-side-phishing-detection",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-quic",
    "--disable-search-engine-choice-screen",
    "--disable-sync",
    "--metrics-recording-only",
    "--password-store=basic",
    "--use-mock-keychain",
    # Background tabs must keep running at full speed.
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-hang-monitor",
    # A page from this cache sends no load events to clients of the relay, so their goBack() would
    # never return.
    "--disable-back-forward-cache",
    # Gives our snapshot the roles and names of elements, as the browser computes them.
    "--enable-blink-features=ComputedAccessibilityInfo",
)
_DISABLED_FEATURES = (
    "CalculateNativeWinOcclusion",
    "MediaRouter",
    "OptimizationHints",
    "Translate",
)
_LIST_SWITCHES = (
    "disable-blink-features",
    "disable-features",
    "enable-blink-features",
    "enable-features",
    "host-resolver-rules",
)


def check_args(args: Sequence[str], *, app: bool = False) -> tuple[str, ...]:
    """Check extra switches and return notes about them. Raises BrowserError for a denied one.

    app: the switches are for an application, which may have --user-data-dir
    """
    notes = []
    for arg in args:
        if "\0" in arg or "\n" in arg:
            raise BrowserError(
                f"argument {arg!r} contains a control character", hint="pass each switch separately"
            )
        if not arg.startswith("-"):
            if app:
                continue
            raise BrowserError(
                f"argument {arg!r} is not a switch",
                hint="start switches with --; open pages with open",
            )
        # Chrome accepts one or two dashes, and any case on some platforms.
        name = arg.lstrip("-").partition("=")[0].lower()
        if name == "no-sandbox":
            notes.append("sandbox off: asked for by --no-sandbox")
        if re.fullmatch(_ALLOWED_JS_FLAGS, arg) or (app and name in _ALLOWED_FOR_APPS):
            continue
        for pattern, instead in _DENIED:
            if re.fullmatch(pattern, name):
                raise BrowserError(f"argument {arg.partition('=')[0]} is refused", hint=instead)
    return tuple(notes)


def headless_argv(
    executable: Path,
    kind: HeadlessKind,
    profile: Path,
    *,
    proxy: Proxy | None,
    sandbox: bool,
    build: BrowserBuild | None = None,
) -> list[str]:
    """Build the command line for a browser on a pipe (descriptors 3 and 4).

    build: name and version of the browser, if known
    """
    view = kind.viewport
    window = (view.width, view.height + _WINDOW_CHROME_PX)
    flags = [
        *_BASE_FLAGS,
        f"--disable-features={','.join(_DISABLED_FEATURES)}",
        f"--user-data-dir={profile}",
        f"--window-size={window[0]},{window[1]}",
        *stealth_flags(kind, build, MachineInfo.detect()),
    ]
    if not kind.headed:
        flags += [
            "--headless=new",
            "--hide-scrollbars",
            "--mute-audio",
            f"--screen-info={screen_info(kind.stealth, window, view.scale)}",
            # Without a first tab, the start takes half the CPU time.
            "--no-startup-window",
        ]
        # Not with visible windows: they would warn of this switch in a bar above the page.
        flags.append(block_metadata_flag())
    if not sandbox and SANDBOX_OFF not in kind.args:
        flags.append(SANDBOX_OFF)
    if proxy is not None:
        flags += proxy.flags()
    first = ["about:blank"] if kind.headed else []
    return [str(executable), *_merge_lists([*flags, *kind.args]), *first]


def _merge_lists(flags: Sequence[str]) -> list[str]:
    """Merge switches that hold lists, because Chrome uses only the last of equal switches."""
    lists: dict[str, list[str]] = {}
    rest = []
    for flag in flags:
        name, _, value = flag.lstrip("-").partition("=")
        if name in _LIST_SWITCHES:
            lists.setdefault(name, []).append(value)
        else:
            rest.append(flag)
    return rest + [f"--{name}={','.join(values)}" for name, values in lists.items()]
