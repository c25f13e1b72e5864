"""Chrome's command line: what we always say, and what nobody may add. Pure.

Knows: switches. Must not know: processes, directories' contents.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from pilothouse.browsers.kinds import Headless, Proxy
from pilothouse.browsers.stealth import Build, Machine, screen, switches
from pilothouse.errors import BrowserError
from pilothouse.security.cloud_metadata_hosts import block_metadata_flag

__all__ = ["SANDBOX_OFF", "check_args", "headless_argv"]

SANDBOX_OFF = "--no-sandbox"

# Height of the window's frame and toolbars in new headless; the viewport lies below them.
_WINDOW_CHROME_PX = 87

# Switches that run other programs, open another way in, load foreign code, or take over what
# this room decides itself. The second column is what to do instead.
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
        "it would write files wherever it likes",
    ),
    (r"proxy-.*|no-proxy-server", "set the proxy of the browser kind"),
    (r"headless", "set headed on the browser kind"),
    (r"js-flags", "it would change the engine; of these only a heap limit is taken"),
    (
        r"disable-web-security|allow-file-access-from-files|single-process|no-zygote-sandbox",
        "it would take the walls between sites down",
    ),
    (r"ppapi-plugin-launcher|register-pepper-plugins|nacl-.*", "it would load foreign code"),
    (
        r"wait-for-debugger.*|gtest_.*|test-type|enable-automation",
        "it would change how the browser starts",
    ),
)
_HARMLESS = r"--js-flags=--max-old-space-size=\d+"
_OF_APPS = frozenset({"user-data-dir", "profile-directory", "headless"})

_ALWAYS = (
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
    # A tab nobody looks at must go on working.
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-hang-monitor",
    # A page from this cache tells clients of the relay nothing of its load: going back would not
    # end for them.
    "--disable-back-forward-cache",
    # Roles and names of elements, as the browser computes them, for the snapshot.
    "--enable-blink-features=ComputedAccessibilityInfo",
)
_FEATURES_OFF = (
    "CalculateNativeWinOcclusion",
    "MediaRouter",
    "OptimizationHints",
    "Translate",
)
_LISTS = (
    "disable-blink-features",
    "disable-features",
    "enable-blink-features",
    "enable-features",
    "host-resolver-rules",
)


def check_args(args: Sequence[str], *, app: bool = False) -> tuple[str, ...]:
    """Notes about extra switches. Raises BrowserError for one that is denied.

    `app` is true for applications, which may be told where their data lies.
    """
    notes = []
    for arg in args:
        if "\0" in arg or "\n" in arg:
            raise BrowserError(
                f"argument {arg!r} holds a control character", hint="give each switch apart"
            )
        if not arg.startswith("-"):
            if app:
                continue
            raise BrowserError(
                f"argument {arg!r} is no switch",
                hint="switches start with --; open pages through the connection",
            )
        # Chrome takes one dash or two, and any case on some platforms.
        name = arg.lstrip("-").partition("=")[0].lower()
        if name == "no-sandbox":
            notes.append("sandbox off: asked for by --no-sandbox")
        if re.fullmatch(_HARMLESS, arg) or (app and name in _OF_APPS):
            continue
        for pattern, instead in _DENIED:
            if re.fullmatch(pattern, name):
                raise BrowserError(f"argument {arg.partition('=')[0]} is refused", hint=instead)
    return tuple(notes)


def headless_argv(
    executable: Path,
    kind: Headless,
    profile: Path,
    *,
    proxy: Proxy | None,
    sandbox: bool,
    build: Build | None = None,
) -> list[str]:
    """The whole command line for a browser on a pipe (descriptors 3 and 4). `build` is what the
    program says it is, if that is known."""
    view = kind.viewport
    window = (view.width, view.height + _WINDOW_CHROME_PX)
    flags = [
        *_ALWAYS,
        f"--disable-features={','.join(_FEATURES_OFF)}",
        f"--user-data-dir={profile}",
        f"--window-size={window[0]},{window[1]}",
        *switches(kind, build, Machine.here()),
    ]
    if not kind.headed:
        flags += [
            "--headless=new",
            "--hide-scrollbars",
            "--mute-audio",
            f"--screen-info={screen(kind.stealth, window, view.scale)}",
            # Nobody asked for a first tab: without one a start takes half the processor time.
            "--no-startup-window",
        ]
        # Windows would say that they do not know this switch, in a bar over the page.
        flags.append(block_metadata_flag())
    if not sandbox and SANDBOX_OFF not in kind.args:
        flags.append(SANDBOX_OFF)
    if proxy is not None:
        flags += proxy.flags()
    first = ["about:blank"] if kind.headed else []
    return [str(executable), *_joined([*flags, *kind.args]), *first]


def _joined(flags: Sequence[str]) -> list[str]:
    """Chrome obeys only the last of two equal switches: lists of features are made one."""
    lists: dict[str, list[str]] = {}
    rest = []
    for flag in flags:
        name, _, value = flag.lstrip("-").partition("=")
        if name in _LISTS:
            lists.setdefault(name, []).append(value)
        else:
            rest.append(flag)
    return rest + [f"--{name}={','.join(values)}" for name, values in lists.items()]
