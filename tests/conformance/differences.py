"""Where a client sees something else through the relay than on a Chromium it is connected to.

    python -m tests.conformance.differences > docs/relay-differences.md

The one list of them: the tests allow nothing else, and docs/relay-differences.md is written from
it. `shows` is what the client then gets, so that a listed check is still held to something.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["DIFFERENCES", "Difference", "allowed", "document"]


@dataclass(frozen=True, slots=True)
class Difference:
    """Some checks of some clients on one kind of browser, what they show instead, and why."""

    upstream: str
    what: str
    shows: str
    reason: str
    # Client and check: "playwright:context_options_hold".
    checks: tuple[str, ...]
    # It depends on who is faster: the check may also give the same.
    sometimes: bool = False
    # The check is not run: it would only wait for its end.
    left_out: bool = False


_POPUPS = (
    "Chrome does not let popups wait for an extension's debugger: they are attached as soon as "
    "they are there, and what they did before is missed."
)
_FILES = (
    "Addresses of files (`file:`)",
    "file: URLs are not allowed",
    "A client of the relay may not read the files of the machine that the browser runs on.",
    ("playwright:goto_a_file",),
)
_CHROME = (
    "Addresses of Chrome itself (`chrome:`, `about:` but `about:blank`)",
    "chrome: URLs are not allowed",
    "Some of these pages end the whole browser when they are debugged, and some show what others "
    "do in it. Tabs go to `http`, `https`, `about:blank`, `data` and `blob` addresses, and to "
    "what `policies.schemes` allows.",
    ("playwright:crash_is_told",),
)

_TRACES = (
    "Traces of the browser (`browser.startTracing`, `page.tracing`)",
    "Pilothouse refuses Tracing.start",
    "A trace records every tab of the browser, also those of others. Use `Profiler` and "
    "`Performance` on the page. Playwright's `context.tracing` works.",
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
        "Contexts of one's own (`newContext`, `createBrowserContext`)",
        "Pilothouse refuses Target.createBrowserContext",
        "An extension lives in one profile and can make no second one. Use the default context, or "
        "a managed browser.",
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
        "Navigation of a tab to a `data:` URL",
        "net::ERR_ABORTED",
        "Chrome itself aborts it when an extension's debugger asks for it. `setContent` works.",
        ("playwright:data_blob_and_blank_urls",),
    ),
    Difference(
        "extension",
        "Files of downloads",
        "ENOENT",
        "An extension cannot say where downloads go: they are told of, with name and progress, and "
        "lie in the user's own download folder.",
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
        "The debugger of an extension has no command for it.",
        ("playwright:download_cancelled",),
    ),
    Difference(
        "extension",
        "Permissions",
        "Pilothouse refuses Browser.grantPermissions",
        "They belong to the user, and the debugger of an extension has no command for them.",
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
        "Chrome attaches an extension's debugger to tabs and what belongs to them; service workers "
        "belong to none. Their requests are seen on the page's session.",
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
        "Init scripts in a popup, as its opener sees them at once",
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
        "They are told to have come and gone, but Chrome lets no extension look at them: their "
        "address is not known.",
        ("playwright:popup_that_closes_at_once",),
        sometimes=True,
    ),
    Difference(
        "extension",
        "When popups that close themselves at once are told of",
        "nothing",
        "An extension hears of tabs after the script that opened them has gone on, so the event "
        "may come after later commands were answered.",
        ("playwright:ten_popups_that_close_at_once",),
        left_out=True,
    ),
    Difference(
        "extension",
        "Memory (`requestGC`, heap snapshots, `queryObjects`)",
        "HeapProfiler",
        "Chrome gives an extension's debugger no `HeapProfiler`.",
        ("playwright:gc_and_object_counts",),
    ),
    Difference(
        "extension",
        "Crashing a page on purpose (`Page.crash`)",
        "nothing",
        "It is the user's page. That a page crashed is told as ever.",
        ("playwright:crash_ends_what_waits", "playwright:crashed_page_is_closed"),
        left_out=True,
    ),
    Difference(
        "extension",
        "Shared workers, and events of service workers",
        "nothing",
        "As service workers: they belong to no tab.",
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
        "The size of a page by that of its window (`resize`)",
        "Browser.setContentsSize",
        "Chrome tells an extension no such measure; `setWindowBounds` and `setViewport` work.",
        ("puppeteer:page_is_resized",),
    ),
    Difference(
        "extension",
        "Screens that are made up (`addScreen`)",
        "Emulation.addScreen",
        "They would be there for all windows of the user.",
        ("puppeteer:screens_are_added_and_removed",),
    ),
    Difference(
        "extension",
        "Certificates that nobody vouches for (`acceptInsecureCerts`)",
        "Pilothouse refuses Security.setIgnoreCertificateErrors",
        "Chrome gives an extension's debugger no `Security`.",
        ("puppeteer:insecure_certificates_are_accepted",),
    ),
    Difference(
        "extension",
        "The list of extensions",
        "Extensions.getExtensions",
        "What else the user has installed is nobody's business.",
        ("puppeteer:extensions_are_listed",),
    ),
    Difference("extension", *_CHROME, left_out=True),
    Difference(
        "extension",
        "Pictures of more than is seen (Puppeteer's `fullPage`)",
        "[[1600, 1480],",
        "The picture has its whole size, but a large canvas outside of the window is not always "
        "painted in it. Why Chrome leaves it out here is not known yet; Playwright's are whole.",
        ("puppeteer:screenshot_of_seven_megabytes",),
        sometimes=True,
    ),
    Difference(
        "extension",
        "Coverage of scripts",
        "Profiler.enable",
        "Chrome gives an extension's debugger no `Profiler`.",
        ("playwright:script_and_style_coverage", "puppeteer:coverage_and_metrics"),
    ),
)

TITLES = {
    "daemon": "A managed browser",
    "extension": "The user's Chrome, through the extension",
}

HEAD = """# What differs through the relay

<!-- Written by `python -m tests.conformance.differences`; a test holds it to the list there. -->

Unchanged Playwright and Puppeteer programs run through the relay as if they were connected to the
browser itself. Broad scripts of their APIs are run both ways, and what each check gives is
compared. These are all the differences, each with its reason.
"""


def allowed(upstream: str, client: str) -> dict[str, Difference]:
    """The listed differences of a client on a kind of browser, by check."""
    return {
        check.partition(":")[2]: difference
        for difference in DIFFERENCES
        if difference.upstream == upstream
        for check in difference.checks
        if check.partition(":")[0] == client
    }


def document(differences: Iterable[Difference] = DIFFERENCES) -> str:
    """The list as a page of the documentation."""
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
            shown = "it depends on who is faster" if row.sometimes else f"`{shows}`"
            parts.append(f"| {row.what} | {shown} | {row.reason} | {checks} |\n")
    return "".join(parts)


if __name__ == "__main__":
    sys.stdout.write(document())
