"""A target runs when the last one that is waited for has spoken, and not before."""

from __future__ import annotations

from collections.abc import Callable

from pilothouse.relay.hub.resume_barrier import ResumeBarrier


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


def held(barrier: ResumeBarrier, words: Words, *clients: str) -> None:
    assert barrier.hold("t", clients, lambda: words.sent.append("holder"))


def test_nobody_to_wait_for_holds_nothing() -> None:
    assert not ResumeBarrier().hold("t", (), lambda: None)


def test_a_word_about_a_target_that_runs_is_sent_at_once() -> None:
    barrier, words = ResumeBarrier(), Words()
    barrier.request_resume("t", "a", words.word("a"))
    assert words.sent == ["a"]


def test_words_are_sent_when_the_last_has_spoken_and_the_holder_s_after_them() -> None:
    barrier, words = ResumeBarrier(), Words()
    held(barrier, words, "a", "b")
    barrier.request_resume("t", "a", words.word("a"))
    assert (words.sent, barrier.is_held("t", "b"), barrier.is_held("t", "a")) == ([], True, False)
    barrier.request_resume("t", "b", words.word("b"))
    assert words.sent == ["a", "b", "holder"]
    assert len(barrier) == 0


def test_a_process_that_is_there_answers_before_the_holder_speaks() -> None:
    barrier, words = ResumeBarrier(), Words()
    held(barrier, words, "a")
    barrier.mark_live("t")
    barrier.request_resume("t", "a", words.word("a"))
    assert words.sent == ["a"]
    words.answers[0]()
    assert words.sent == ["a", "holder"]


def test_a_client_that_leaves_counts_as_having_spoken() -> None:
    barrier, words = ResumeBarrier(), Words()
    held(barrier, words, "a", "b")
    barrier.request_resume("t", "a", words.word("a"))
    barrier.stop_waiting_for("b")
    assert words.sent == ["a", "holder"]


def test_a_client_that_leaves_before_its_answer_holds_nobody_up() -> None:
    barrier, words = ResumeBarrier(), Words()
    held(barrier, words, "a")
    barrier.mark_live("t")
    barrier.request_resume("t", "a", words.word("a"))
    barrier.stop_waiting_for("a", "t")
    assert words.sent == ["a", "holder"]


def test_who_is_not_waited_for_waits_with_the_others() -> None:
    barrier, words = ResumeBarrier(), Words()
    held(barrier, words, "a")
    barrier.request_resume("t", "stranger", words.word("stranger"))
    assert words.sent == []
    barrier.request_resume("t", "a", words.word("a"))
    assert words.sent == ["stranger", "a", "holder"]


def test_what_is_kept_for_a_client_is_known_and_ends_with_the_target() -> None:
    barrier, words = ResumeBarrier(), Words()
    held(barrier, words, "a")
    assert barrier.held_for("a") == ["t"]
    barrier.forget_target("t")
    assert (barrier.held_for("a"), words.sent) == ([], [])


def test_a_target_that_was_known_to_live_before_it_was_held_answers_too() -> None:
    barrier, words = ResumeBarrier(), Words()
    barrier.mark_live("t")  # the client's session was told of first
    held(barrier, words, "a")
    barrier.request_resume("t", "a", words.word("a"))
    assert words.sent == ["a"]
    words.answers[0]()
    assert words.sent == ["a", "holder"]


def test_what_is_known_of_a_target_ends_with_it() -> None:
    barrier, words = ResumeBarrier(), Words()
    barrier.mark_live("t")
    barrier.forget_target("t")
    held(barrier, words, "a")
    barrier.request_resume("t", "a", words.word("a"))
    assert words.sent == ["a", "holder"]
