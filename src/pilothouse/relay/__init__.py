"""THE BRIDGE: CDP for outside clients, over the extension or over a browser of the house."""
