"""Whatever a client does and wherever a tab goes: no made-up id reaches the browser, no real id
that has a made-up one reaches the client, and both mean the same context."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from pilothouse.relay.lazy.execution_contexts import FIRST_CONTEXT_ID, UNIQUE_ID_PREFIX
from pilothouse.relay.lazy.session import CommandFailure, LazySession
from tests.relay.lazy_session_calls import (
    ADD_SCRIPT,
    CLEARED,
    CREATED,
    REMOVE_SCRIPT,
    TARGET,
    URL,
    lazy,
)

ELSEWHERE = "http://example.org/elsewhere"


@dataclass
class Browser:
    """A tab as Chrome would have it: contexts by id, each (frame, name)."""

    session: LazySession
    url: str
    contexts: dict[int, tuple[str, str]] = field(default_factory=dict)
    runtime: bool = False
    worlds: list[str] = field(default_factory=list)
    loads: int = 0
    last: int = 0

    def load(self) -> list[tuple[str, Any]]:
        """A new document; what Chrome tells."""
        self.contexts.clear()
        self.loads += 1
        frame = {"id": TARGET, "loaderId": f"R{self.loads}", "url": self.url}
        told: list[tuple[str, Any]] = [("Page.frameNavigated", {"frame": frame})]
        told += [(CLEARED, {})] if self.runtime else []
        return [*reversed(told), *self.make(""), *(e for w in self.worlds for e in self.make(w))]

    def make(self, name: str, frame: str = TARGET) -> list[tuple[str, Any]]:
        """A new context; what Chrome tells."""
        self.last += 1
        self.contexts[self.last] = (frame, name)
        return [(CREATED, self.described(self.last))] if self.runtime else []

    def described(self, number: int) -> dict[str, Any]:
        """A context as Chrome describes it."""
        frame, name = self.contexts[number]
        about = {"isDefault": not name, "frameId": frame}
        return {
            "context": {"id": number, "name": name, "uniqueId": f"{number}.5", "auxData": about}
        }

    def run(self, method: str, params: Any) -> tuple[dict[str, Any], list[tuple[str, Any]]]:
        """Carry a command out: its result, and what Chrome tells before."""
        assert not any(type(v) is int and v >= FIRST_CONTEXT_ID for v in params.values())
        if method == "Runtime.enable" and not self.runtime:
            self.runtime = True
            return {}, [(CREATED, self.described(number)) for number in self.contexts]
        if method == "Runtime.disable":
            self.runtime = False
        if method == "Page.getFrameTree":
            frame = {"id": TARGET, "loaderId": f"R{self.loads}", "url": self.url}
            return {"frameTree": {"frame": frame}}, []
        if method == ADD_SCRIPT:
            self.worlds += [params["worldName"]] if params.get("worldName") else []
            return {"identifier": f"r{len(self.worlds)}"}, []
        if method == "Page.createIsolatedWorld":
            for number, context in self.contexts.items():
                if context == (TARGET, params["worldName"]):
                    return {"executionContextId": number}, []
            told = self.make(params["worldName"])
            return {"executionContextId": self.last}, told
        return {}, []


@dataclass
class Client:
    """What a client knows: contexts by id as it was told of them."""

    alive: dict[int, tuple[str, str]] = field(default_factory=dict)
    ever: set[int] = field(default_factory=set)
    uniques: dict[int, str] = field(default_factory=dict)

    def hear(self, method: str, params: Any) -> None:
        """Take an event in."""
        if method == CREATED:
            context = params["context"]
            assert context["id"] not in self.alive, "a context was told of twice"
            self.alive[context["id"]] = (context["auxData"]["frameId"], context["name"])
            self.ever.add(context["id"])
            self.uniques[context["id"]] = context["uniqueId"]
        elif method == "Runtime.executionContextDestroyed":
            self.alive.pop(params["executionContextId"])
        elif method == CLEARED:
            self.alive.clear()
        elif method == "Runtime.consoleAPICalled":
            assert params["executionContextId"] in self.alive, "of a context it does not know"


class Talk:
    """A client, a lazy session and a browser."""

    def __init__(self, url: str) -> None:
        self.session = lazy()
        self.client = Client()
        self.browser = Browser(self.session, url)
        self.browser.load()
        self.runtime = False

    def hear_frames(self, frames: list[bytes]) -> int:
        """What the session tells by itself; how many of it are replies."""
        messages = [json.loads(frame) for frame in frames]
        for message in messages:
            if "method" in message:
                self.client.hear(message["method"], message["params"])
        return sum("id" in message for message in messages)

    def tell(self, events: list[tuple[str, Any]]) -> None:
        """What the browser says, through the session, to the client."""
        for event in events:
            for method, params in self.session.inbound(*event):
                self.client.hear(method, params)

    def set_up(self, method: str, params: dict[str, Any]) -> None:
        """A command of the client before there is a debugger."""
        self.runtime = method == "Runtime.enable" or (self.runtime and method != "Runtime.disable")
        if method == "Runtime.disable":
            self.client.alive.clear()
        answer = self.session.answer(1, method, params)
        assert answer is not None
        assert self.hear_frames(answer.messages) == 1

    def attach(self) -> None:
        """The debugger attaches."""
        for one in self.session.replay():
            result, events = self.browser.run(one.method, one.params)
            self.tell(events)
            assert self.hear_frames(self.session.finish_replay(one.token, result)) == 0
        assert self.session.is_attached

    def check(self) -> None:
        """Both sides know the same contexts, each by a name of its own."""
        if self.runtime:
            assert sorted(self.client.alive.values()) == sorted(self.browser.contexts.values())
        for number in self.client.ever:
            for method, key, value in (
                ("Runtime.evaluate", "contextId", number),
                ("Runtime.callFunctionOn", "executionContextId", number),
                ("Runtime.evaluate", "uniqueContextId", self.client.uniques[number]),
            ):
                out = self.session.outbound(method, {key: value})
                if isinstance(out, CommandFailure):
                    assert number not in self.client.alive
                    continue
                real = out[key]
                if key == "uniqueContextId":
                    assert not real.startswith(UNIQUE_ID_PREFIX)
                    real = int(real.split(".")[0])
                assert real < FIRST_CONTEXT_ID
                if number in self.client.alive:
                    assert self.browser.contexts[real] == self.client.alive[number]


worlds = st.sampled_from(["u", "w"])
set_up: st.SearchStrategy[tuple[str, dict[str, Any]]] = st.one_of(
    st.sampled_from(["Page.enable", "Page.getFrameTree", "Runtime.enable", "Runtime.disable"]).map(
        lambda method: (method, {})
    ),
    worlds.map(lambda w: ("Page.createIsolatedWorld", {"frameId": TARGET, "worldName": w})),
    worlds.map(lambda w: (ADD_SCRIPT, {"source": "", "worldName": w})),
    st.just((ADD_SCRIPT, {"source": "x"})),
)
# How clients begin, so that most of what follows has something to go wrong with.
PAGE: list[tuple[str, dict[str, Any]]] = [("Page.enable", {}), ("Page.getFrameTree", {})]
RUNTIME: list[tuple[str, dict[str, Any]]] = [("Runtime.enable", {})]
WORLD: list[tuple[str, dict[str, Any]]] = [
    (ADD_SCRIPT, {"source": "", "worldName": "u"}),
    ("Page.createIsolatedWorld", {"frameId": TARGET, "worldName": "u"}),
]
begins = st.sampled_from([[], RUNTIME, PAGE + RUNTIME, PAGE + WORLD, PAGE + RUNTIME + WORLD])
happens = st.sampled_from(["console", "world", "destroy", "load", "child", "off", "on", "remove"])


@settings(deadline=None, max_examples=300)
@given(
    begins,
    st.lists(set_up, max_size=4),
    st.lists(st.sampled_from([URL, ELSEWHERE]), max_size=2),
    st.sampled_from([URL, ELSEWHERE]),
    st.lists(happens, max_size=12),
)
def test_made_up_and_real_ids_never_meet(
    first: list[tuple[str, dict[str, Any]]],
    commands: list[tuple[str, dict[str, Any]]],
    moves: list[str],
    url: str,
    then: list[str],
) -> None:
    talk = Talk(url)
    for method, params in first + commands:
        talk.set_up(method, params)
    for place in moves:
        talk.hear_frames(talk.session.on_navigated(place))
    talk.attach()
    talk.check()
    for what in then:
        after(talk, what)
        talk.check()


def after(talk: Talk, what: str) -> None:
    """One thing that happens once it is attached."""
    browser = talk.browser
    if what == "load":
        talk.tell(browser.load())
        assert not any(number >= FIRST_CONTEXT_ID for number in talk.client.alive)
    elif what == "child":
        talk.tell(browser.make("", "CHILD"))
    elif what == "world":
        asked = {"frameId": TARGET, "worldName": "u"}
        out = talk.session.outbound("Page.createIsolatedWorld", asked)
        assert not isinstance(out, CommandFailure)
        result, events = browser.run("Page.createIsolatedWorld", out)
        talk.tell(events)
        told = talk.session.inbound_result("Page.createIsolatedWorld", result)
        if talk.runtime:
            assert talk.client.alive[told["executionContextId"]] == (TARGET, "u")
    elif what in ("off", "on"):
        method = "Runtime.disable" if what == "off" else "Runtime.enable"
        assert talk.session.outbound(method, {}) == {}
        if what == "off":
            talk.client.alive.clear()
        talk.runtime = what == "on"
        talk.tell(browser.run(method, {})[1])
    elif what == "remove":
        out = talk.session.outbound(REMOVE_SCRIPT, {"identifier": "1"})
        assert not isinstance(out, CommandFailure)
    elif browser.runtime and browser.contexts:
        number = min(browser.contexts)
        about = {"executionContextId": number, "executionContextUniqueId": f"{number}.5"}
        if what == "destroy":
            del browser.contexts[number]
            talk.tell([("Runtime.executionContextDestroyed", about)])
        else:
            talk.tell([("Runtime.consoleAPICalled", about)])
