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


DIFFERENCES: tuple[Difference, ...] = (
    Difference(
        "extension",
        "Contexts of one's own (`newContext`, `createBrowserContext`)",
        "Pilothouse refuses Target.createBrowserContext",
        "An extension lives in one profile and can make no second one. Use the default context, or "
        "a browser of the house.",
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
        "Chrome does not let popups wait for an extension's debugger: they are attached as soon as "
        "they are there, and what they did before is missed.",
        (
            "playwright:init_script_is_first_in_a_popup",
            "playwright:popup_is_routed_from_its_first_request",
            "python:popups",
        ),
        sometimes=True,
    ),
    Difference(
        "extension",
        "Addresses of Chrome itself (`chrome://crash`)",
        "nothing",
        "Chrome takes an extension's debugger off such pages.",
        ("playwright:crash_is_told",),
        left_out=True,
    ),
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
        "Words of an error when a page is closed under an evaluation (Puppeteer)",
        "Detached while handling command",
        "Chrome answers an extension's debugger itself where it says nothing to others.",
        ("puppeteer:close_ends_what_was_waiting",),
        sometimes=True,
    ),
    Difference(
        "extension",
        "Coverage of scripts",
        "Profiler.enable",
        "Chrome gives an extension's debugger no `Profiler`.",
        ("playwright:script_and_style_coverage", "puppeteer:coverage_and_metrics"),
    ),
    Difference(
        "extension",
        "Words of an error when a page is closed under an evaluation",
        "Execution context was destroyed",
        "Chrome tells an extension's debugger of the end of the scripts before the end of the tab.",
        ("playwright:disconnect_is_told",),
        sometimes=True,
    ),
    Difference(
        "extension",
        "Words of an error when a frame's process goes away under a navigation",
        "Inspected target navigated or closed",
        "Chrome answers an extension's debugger itself where it says nothing to others. The "
        "navigation fails either way.",
        ("playwright:frame_navigates_to_another_site_and_back",),
    ),
)

TITLES = {
    "house": "A browser of the house",
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
