"""Tests of the room page/."""
