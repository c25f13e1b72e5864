"""Tests of the agent's desk."""
