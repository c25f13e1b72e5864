"""Where browsers come from: each kind, and that nothing is left behind."""
