"""The agent's context: tools declared once, their toolsets, and the gate in front of them."""
