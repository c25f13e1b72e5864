"""TODO-MAP commands."""
