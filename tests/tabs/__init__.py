"""Tests of the tabs room: mirrored, one file a module."""
