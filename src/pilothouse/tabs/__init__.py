"""WHO HOLDS WHAT: owners, named tabs, leases, popups, and the verbs of a tab."""
