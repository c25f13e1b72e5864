"""A target runs when the last one that is waited for has spoken, and not before."""

from __future__ import annotations

from collections.abc import Callable

from pilothouse.relay.hub.resume_barrier import Waiting


class Words:
    """Keeps what was sent, in order, and the answers to come."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        self.answers: list[Callable[[], None]] = []

    def word(self, who: str) -> Callable[[Callable[[], None]], None]:
        def send(answered: Callable[[], None]) -> None:
            self.sent.append(who)
            self.answers.append(answered)

        return send


def held(waiting: Waiting, words: Words, *clients: str) -> None:
    assert waiting.hold("t", clients, lambda: words.sent.append("holder"))


def test_nobody_to_wait_for_holds_nothing() -> None:
    assert not Waiting().hold("t", (), lambda: None)


def test_a_word_about_a_target_that_runs_is_sent_at_once() -> None:
    waiting, words = Waiting(), Words()
    waiting.said("t", "a", words.word("a"))
    assert words.sent == ["a"]


def test_words_are_sent_when_the_last_has_spoken_and_the_holder_s_after_them() -> None:
    waiting, words = Waiting(), Words()
    held(waiting, words, "a", "b")
    waiting.said("t", "a", words.word("a"))
    assert (words.sent, waiting.holds("t", "b"), waiting.holds("t", "a")) == ([], True, False)
    waiting.said("t", "b", words.word("b"))
    assert words.sent == ["a", "b", "holder"]
    assert len(waiting) == 0


def test_a_process_that_is_there_answers_before_the_holder_speaks() -> None:
    waiting, words = Waiting(), Words()
    held(waiting, words, "a")
    waiting.lives("t")
    waiting.said("t", "a", words.word("a"))
    assert words.sent == ["a"]
    words.answers[0]()
    assert words.sent == ["a", "holder"]


def test_a_client_that_leaves_counts_as_having_spoken() -> None:
    waiting, words = Waiting(), Words()
    held(waiting, words, "a", "b")
    waiting.said("t", "a", words.word("a"))
    waiting.left("b")
    assert words.sent == ["a", "holder"]


def test_a_client_that_leaves_before_its_answer_holds_nobody_up() -> None:
    waiting, words = Waiting(), Words()
    held(waiting, words, "a")
    waiting.lives("t")
    waiting.said("t", "a", words.word("a"))
    waiting.left("a", "t")
    assert words.sent == ["a", "holder"]


def test_who_is_not_waited_for_waits_with_the_others() -> None:
    waiting, words = Waiting(), Words()
    held(waiting, words, "a")
    waiting.said("t", "stranger", words.word("stranger"))
    assert words.sent == []
    waiting.said("t", "a", words.word("a"))
    assert words.sent == ["stranger", "a", "holder"]


def test_what_is_kept_for_a_client_is_known_and_ends_with_the_target() -> None:
    waiting, words, free = Waiting(), Words(), list[str]()
    held(waiting, words, "a")
    waiting.when_free("t", lambda: free.append("t"))
    assert waiting.kept_for("a") == ["t"]
    waiting.gone("t")
    assert (waiting.kept_for("a"), free, words.sent) == ([], ["t"], [])
    waiting.when_free("t", lambda: free.append("again"))
    assert free == ["t", "again"]


def test_a_target_that_was_known_to_live_before_it_was_held_answers_too() -> None:
    waiting, words = Waiting(), Words()
    waiting.lives("t")  # the client's session was told of first
    held(waiting, words, "a")
    waiting.said("t", "a", words.word("a"))
    assert words.sent == ["a"]
    words.answers[0]()
    assert words.sent == ["a", "holder"]


def test_what_is_known_of_a_target_ends_with_it() -> None:
    waiting, words = Waiting(), Words()
    waiting.lives("t")
    waiting.gone("t")
    held(waiting, words, "a")
    waiting.said("t", "a", words.word("a"))
    assert words.sent == ["a", "holder"]
