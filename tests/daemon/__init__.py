"""Tests of the house room: the daemon, in pieces and as a whole."""
