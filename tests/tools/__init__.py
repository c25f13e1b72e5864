"""Tests of the agent's context."""
