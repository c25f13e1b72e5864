"""Every difference between a client on the relay and one connected to Chromium directly.

    python -m tests.conformance.known_differences > docs/relay-differences.md

The only list: the tests allow no other difference, and docs/relay-differences.md is generated from
it. `shows` is what the client gets instead; the tests still check that.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["DIFFERENCES", "Difference", "allowed", "document"]


@dataclass(frozen=True, slots=True)
class Difference:
    """Checks that differ on one kind of browser, what they show instead, and why."""

    upstream: str
    what: str
    shows: str
    reason: str
    # Client and check: "playwright:context_options_hold".
    checks: tuple[str, ...]
    # A race: the check may also show no difference.
    sometimes: bool = False
    # The check is not run: it would only time out.
    left_out: bool = False


_POPUPS = (
    "Chrome does not let popups wait for an extension's debugger. The relay attaches as soon as "
    "they exist, and misses what they did before."
)
_FILES = (
    "`file:` URLs",
    "file: URLs are not allowed",
    "A client may not read files of the machine that the browser runs on.",
    ("playwright:goto_a_file",),
)
_CHROME = (
    "URLs of Chrome itself (`chrome:`, `about:` except `about:blank`)",
    "chrome: URLs are not allowed",
    "Some of these pages crash the whole browser when they are debugged, and some show what other "
    "clients do. Tabs may open `http`, `https`, `about:blank`, `data` and `blob` URLs, and what "
    "`policies.schemes` allows.",
    ("playwright:crash_is_told",),
)

_TRACES = (
    "Browser traces (`browser.startTracing`, `page.tracing`)",
    "Pilothouse refuses Tracing.start",
    "A trace records every tab of the browser, including those of other clients. Use `Profiler` "
    "and `Performance` on the page. Playwright's `context.tracing` works.",
    ("playwright:tracing_of_the_browser", "puppeteer:tracing"),
)

DIFFERENCES: tuple[Difference, ...] = (
    Difference("daemon", *_FILES),
    Difference("daemon", *_CHROME, left_out=True),
    Difference("extension", *_FILES),
    Difference("daemon", *_TRACES),
    Difference("extension", *_TRACES),
    Difference(
        "extension",
        "New browser contexts (`newContext`, `createBrowserContext`)",
        "Pilothouse refuses Target.createBrowserContext",
        "An extension runs in one profile and cannot create another. Use the default context, or a "
        "managed browser.",
        (
            "playwright:context_close_closes_pages",
            "playwright:contexts_are_apart",
            "playwright:context_options_hold",
            "playwright:java_script_off",
            "playwright:http_credentials",
            "playwright:har_of_a_context",
            "playwright:route_from_har",
            "playwright:clear_all_cookies",
            "playwright:storage_state_round_trip",
            "playwright:indexed_db_is_in_the_state",
            "playwright:mobile_device",
            "playwright:no_viewport",
            "playwright:content_security_policy_is_bypassed",
            "playwright:context_dies_with_its_client",
            "puppeteer:contexts_are_apart",
            "python:storage_state",
            "python:contexts_are_apart",
            "playwright:popup_inherits_the_viewport",
            "playwright:contexts_are_listed_and_unlisted",
            "playwright:closing_a_context_twice_is_fine",
            "playwright:context_close_event_and_reason",
            "playwright:closing_a_context_ends_what_waits",
            "playwright:context_closes_with_before_unload_pages",
            "playwright:context_closes_with_an_open_dialog",
            "playwright:new_page_of_a_context_without_pages",
            "playwright:page_of_the_browser_owns_its_context",
            "playwright:storage_is_apart_and_shared_within",
            "playwright:broadcasts_stay_within_a_context",
            "playwright:base_url",
            "playwright:offline_context",
            "playwright:https_errors_are_ignored_when_told",
            "playwright:user_agent_reaches_requests_and_workers",
            "playwright:locale_time_zone_and_numbers",
            "playwright:bad_time_zone_is_refused",
            "playwright:device_scale_and_screen",
            "playwright:mobile_with_touch",
            "playwright:media_options",
            "playwright:permissions_of_a_context",
            "playwright:permissions_by_origin_and_apart",
            "playwright:clipboard_with_permission",
            "playwright:geolocation_changes",
            "playwright:cookies_of_all_kinds",
            "playwright:storage_state_is_set_and_saved",
            "playwright:proxy_of_a_context",
            "playwright:proxy_with_bypass",
            "playwright:http_credentials_wrong_and_right",
            "playwright:service_workers_are_blocked_when_told",
            "playwright:service_workers_of_a_context",
            "playwright:tracing_of_a_context",
            "playwright:har_with_bodies",
            "playwright:accept_downloads_off",
            "playwright:downloads_are_deleted_with_their_context",
            "playwright:two_downloads_at_once",
            "playwright:download_delete_and_url",
            "playwright:background_pages_and_web_errors",
            "playwright:strict_selectors",
            "playwright:context_requests_of_all_pages",
            "playwright:set_storage_state_anew",
            "puppeteer:contexts_come_and_go",
            "puppeteer:pages_of_the_browser_are_of_all_contexts",
            "puppeteer:permissions_one_by_one",
            "puppeteer:download_goes_where_it_is_told",
            "puppeteer:proxy_of_a_context",
        ),
    ),
    Difference(
        "extension",
        "Navigating a tab to a `data:` URL",
        "net::ERR_ABORTED",
        "Chrome aborts it when an extension's debugger requests it. Use `setContent`.",
        ("playwright:data_blob_and_blank_urls",),
    ),
    Difference(
        "extension",
        "Downloaded files",
        "ENOENT",
        "An extension cannot set the download folder. Clients get the download events, with name "
        "and progress; the files are in the user's own download folder.",
        (
            "playwright:download_is_saved",
            "playwright:download_of_a_data_url",
            "python:downloads",
        ),
    ),
    Difference(
        "extension",
        "Content of a download as a stream",
        "0",
        "As above: the file is not where Playwright looks for it.",
        ("playwright:download_path_and_stream",),
    ),
    Difference(
        "extension",
        "Cancelling a download",
        "Pilothouse refuses Browser.cancelDownload",
        "An extension's debugger has no command for it.",
        ("playwright:download_cancelled",),
    ),
    Difference(
        "extension",
        "Permissions",
        "Pilothouse refuses Browser.grantPermissions",
        "They belong to the user, and an extension's debugger has no command for them.",
        (
            "playwright:permissions_are_granted_and_cleared",
            "playwright:geolocation",
            "puppeteer:permissions_and_geolocation",
        ),
    ),
    Difference(
        "extension",
        "Service workers",
        "Time",
        "Chrome attaches an extension's debugger to tabs and their children; service workers "
        "belong to no tab. Their requests appear on the page's session.",
        ("playwright:service_worker_is_seen", "puppeteer:service_workers_are_targets"),
    ),
    Difference(
        "extension",
        "The first moment of a popup",
        '"',
        _POPUPS,
        (
            "playwright:init_script_is_first_in_a_popup",
            "playwright:popup_is_routed_from_its_first_request",
            "playwright:popup_inherits_headers_and_emulation",
            "playwright:console_of_a_popup_is_heard_from_the_start",
            "playwright:init_scripts_and_bindings_hold_in_popups",
            "python:popups",
        ),
        sometimes=True,
    ),
    Difference(
        "extension",
        "Init scripts in a popup, seen at once by its opener",
        "not there",
        _POPUPS,
        (
            "playwright:init_script_reaches_a_blank_popup_before_its_opener",
            "playwright:opener_sees_what_an_init_script_made",
        ),
    ),
    Difference(
        "extension",
        "The first request of a popup",
        "nothing",
        _POPUPS,
        (
            "playwright:popup_requests_are_told_to_the_context",
            "playwright:popup_is_routed_and_aborted",
        ),
        left_out=True,
    ),
    Difference(
        "extension",
        "Popups that close themselves at once",
        "true]",
        "Clients hear that they opened and closed, but Chrome shows them to no extension: their "
        "URL is not known.",
        ("playwright:popup_that_closes_at_once",),
        sometimes=True,
    ),
    Difference(
        "extension",
        "When popups that close themselves at once are announced",
        "nothing",
        "An extension hears of a tab after the script that opened it has continued, so the event "
        "may come after the replies to later commands.",
        ("playwright:ten_popups_that_close_at_once",),
        left_out=True,
    ),
    Difference(
        "extension",
        "Memory (`requestGC`, heap snapshots, `queryObjects`)",
        "HeapProfiler",
        "Chrome offers no `HeapProfiler` to an extension's debugger.",
        ("playwright:gc_and_object_counts",),
    ),
    Difference(
        "extension",
        "Crashing a page on purpose (`Page.crash`)",
        "nothing",
        "It is the user's page. Clients still hear of real crashes.",
        ("playwright:crash_ends_what_waits", "playwright:crashed_page_is_closed"),
        left_out=True,
    ),
    Difference(
        "extension",
        "Shared workers, and events of service workers",
        "nothing",
        "Like service workers, they belong to no tab.",
        (
            "puppeteer:shared_worker_is_a_target",
            "puppeteer:target_events_of_a_shared_worker",
            "puppeteer:target_events_of_an_unregistered_service_worker",
            "puppeteer:target_events_of_a_closed_service_worker",
        ),
        left_out=True,
    ),
    Difference(
        "extension",
        "Resizing a page through its window (`resize`)",
        "Browser.setContentsSize",
        "Chrome gives an extension no such measure. Use `setWindowBounds` or `setViewport`.",
        ("puppeteer:page_is_resized",),
    ),
    Difference(
        "extension",
        "Virtual screens (`addScreen`)",
        "Emulation.addScreen",
        "They would exist for all windows of the user.",
        ("puppeteer:screens_are_added_and_removed",),
    ),
    Difference(
        "extension",
        "Invalid certificates (`acceptInsecureCerts`)",
        "Pilothouse refuses Security.setIgnoreCertificateErrors",
        "Chrome offers no `Security` to an extension's debugger.",
        ("puppeteer:insecure_certificates_are_accepted",),
    ),
    Difference(
        "extension",
        "The list of extensions",
        "Extensions.getExtensions",
        "Which extensions the user has installed is private.",
        ("puppeteer:extensions_are_listed",),
    ),
    Difference("extension", *_CHROME, left_out=True),
    Difference(
        "extension",
        "Screenshots beyond the viewport (Puppeteer's `fullPage`)",
        "[[1600, 1480],",
        "The screenshot has its full size, but a large canvas outside the window is not always "
        "painted in it. The cause is not known yet; Playwright's screenshots are complete.",
        ("puppeteer:screenshot_of_seven_megabytes",),
        sometimes=True,
    ),
    Difference(
        "extension",
        "Script coverage",
        "Profiler.enable",
        "Chrome offers no `Profiler` to an extension's debugger.",
        ("playwright:script_and_style_coverage", "puppeteer:coverage_and_metrics"),
    ),
)

TITLES = {
    "daemon": "A managed browser",
    "extension": "The user's Chrome, through the extension",
}

HEAD = """# Differences from a direct connection

<!-- Generated by `python -m tests.conformance.known_differences`; a test compares it. -->

Unchanged Playwright and Puppeteer programs run through [the relay](relay.md) as on a direct
connection to the browser. Our tests run broad scripts of their APIs both ways and compare the
result of each check. These are all differences.

- **What**: the feature, with the API names.
- **Through the relay**: what the client gets instead; usually part of the error text.
- **Why**: the reason, and what to use instead.
- **Checks**: the tests that differ, in `tests/conformance`.
"""


def allowed(upstream: str, client: str) -> dict[str, Difference]:
    """Return the listed differences of a client on a kind of browser, by check."""
    return {
        check.partition(":")[2]: difference
        for difference in DIFFERENCES
        if difference.upstream == upstream
        for check in difference.checks
        if check.partition(":")[0] == client
    }


def document(differences: Iterable[Difference] = DIFFERENCES) -> str:
    """Return the list as a page of the documentation."""
    listed = list(differences)
    parts = [HEAD]
    for upstream, title in TITLES.items():
        parts.append(f"\n## {title}\n")
        rows = [d for d in listed if d.upstream == upstream]
        if not rows:
            parts.append("\nNone.\n")
            continue
        parts.append("\n| What | Through the relay | Why | Checks |\n|---|---|---|---|\n")
        for row in rows:
            checks = ", ".join(f"`{check}`" for check in row.checks)
            shows = row.shows.replace("|", "\\|")
            shown = "a race: sometimes different" if row.sometimes else f"`{shows}`"
            parts.append(f"| {row.what} | {shown} | {row.reason} | {checks} |\n")
    return "".join(parts)


if __name__ == "__main__":
    sys.stdout.write(document())
