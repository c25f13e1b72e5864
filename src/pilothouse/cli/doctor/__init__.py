"""TODO-MAP doctor."""
