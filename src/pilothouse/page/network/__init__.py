"""The network of one tab: a log of its requests, and rules that change them.

    request_log.py                 NetworkLog: subscribes to Network events on all sessions of the
                                   tab; serves entries, bodies and NetworkExpectation, a wait
                                   for one request
    requests_from_events.py        RequestLedger: events in any order -> RequestRecord. Pure
    request_record_and_decoder.py  RequestRecord and EventDecoder, which decodes only the fields
                                   needed
    log_entries.py                 NetworkEntry: a record as callers see it; filters. Pure
    har.py                         build_har(): entries -> HAR 1.2. Pure
    routes.py                      Routes: adds rules, answers paused requests
    route_rules.py                 RouteRule with BlockRequest, MockResponse or ChangeRequest. Pure

Log: CDP Network events -> NetworkLog -> RequestLedger -> RequestRecord, and on demand ->
NetworkEntry -> dictionary or HAR. Routes: `Fetch.requestPaused` -> find_rule() -> make_command() ->
the Fetch command that answers.
"""

from __future__ import annotations

from pilothouse.page.network.har import build_har
from pilothouse.page.network.request_log import NetworkLog
from pilothouse.page.network.route_rules import BlockRequest, ChangeRequest, MockResponse
from pilothouse.page.network.routes import Routes

__all__ = ["BlockRequest", "ChangeRequest", "MockResponse", "NetworkLog", "Routes", "build_har"]
