"""Tests of the verbs: every one of them, by name, on a real page."""
