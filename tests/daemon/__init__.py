"""Tests of the daemon room: the daemon, in pieces and as a whole."""
