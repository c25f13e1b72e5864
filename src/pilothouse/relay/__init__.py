"""THE BRIDGE: CDP for outside clients, over the extension or over a managed browser."""
